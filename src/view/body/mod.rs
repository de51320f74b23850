//! What an entry holds, as rows of a width: safe text with meaning.
//!
//! `entry` says what stands below the summary line of each kind of entry, `text` turns one text
//! into rows: `json` lays JSON out, `prose` reads Markdown (`inline` within a line, `table` where
//! lines are one), `code` source code in one of the `languages`, `ansi` the colours of a tool's output.
//! How much is shown is a [`Fold`].

mod ansi;
mod code;
mod entry;
mod fold;
mod inline;
mod json;
mod languages;
mod prose;
mod table;
mod text;

pub use entry::{Rest, body};
pub use fold::Fold;
pub use text::{Nature, rows, wrapped};
