//! Where every line of a transcript is and what it is, in 24 bytes a line, so that a file of any
//! size can be jumped about in.
//!
//! [`Index`] is built in one pass that leaves payloads alone, and grows with its file. A line that
//! ends as this crate writes lines, `},"ts":"…","type":"…","v":1}`, is read backwards from there.
//! That is exact in every line that is whole JSON: what follows the last unescaped quote is outside
//! of strings, so each step back is certain, and the last of equal keys is the one that counts. A
//! line of any other shape is judged in full, every byte of it.
//!
//! What the index does not do is check: a line that begins and ends as a record does is taken for
//! one, even if its middle is damaged. Whether a line is whole shows when it is read, and
//! [`check`](crate::look::check) looks at all of them.

mod build;
mod facts;
mod find;
mod frame;
mod record;

pub use build::{Change, Index};
pub use record::{IndexedLine, Kind};
