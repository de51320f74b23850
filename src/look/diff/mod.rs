//! Where two transcripts part, and how they go on.
//!
//! A transcript comes as a list of [`Item`]s, mostly messages. Two items agree when their role,
//! text, tool names and canonical arguments do; ids, times and line numbers do not count, unless
//! the caller puts them into [`Item::strict`]. [`Side::read`] makes the list of a transcript;
//! [`Diff::between`] aligns two lists into rows, names
//! the first divergence, and gives hunks with context; [`TextChange`] compares the texts of a
//! changed pair, line by line and word by word, when somebody wants to see them. [`Body`] is what
//! there is to see inside a row, as lines, and [`words`] says what an item and a difference is.
//!
//! Nothing here draws, and nothing depends on time: the same two lists give the same rows on every
//! machine. The search for the smallest difference has a limit on its work instead, beyond which
//! it is right but may not be the smallest.

pub mod words;

mod align;
mod body;
mod difference;
mod hunk;
mod item;
mod pair;
mod rows;
mod side;
mod text;

pub use body::{Body, BodyLine};
pub use difference::{Difference, Position};
pub use hunk::Hunk;
pub use item::{Call, Item, Kind};
pub use rows::{Counts, Diff, Divergence, Row};
pub use side::{Reading, Side, SideError};
pub use text::{LineChange, Segment, Standing, TextChange};
