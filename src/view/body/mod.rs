//! What an entry holds, as rows of a width: safe text with meaning.
//!
//! `entry` says what stands below the summary line of each kind of entry, `text` turns one text
//! into rows: `json` lays JSON out, `prose` reads Markdown, `ansi` the colours of a tool's output.
//! How much is shown is a [`Fold`].

mod ansi;
mod entry;
mod fold;
mod json;
mod prose;
mod text;

pub use entry::{Rest, body};
pub use fold::Fold;
pub use text::{Nature, rows, wrapped};
