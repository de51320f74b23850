//! What an entry holds, as rows of a width: safe text with meaning.
//!
//! `entry` says what stands below the summary line of each kind of entry, `text` turns one text
//! into rows, `json` lays JSON out. How much is shown is a [`Fold`].

mod entry;
mod fold;
mod json;
mod text;

pub use entry::{Rest, body};
pub use fold::Fold;
pub use json::pretty;
pub use text::{Nature, rows};
