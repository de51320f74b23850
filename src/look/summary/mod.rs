//! What happened in a transcript, and whether it is finished: one pass over the whole file.
//!
//! [`summarise`] reads; [`Summariser`] is the same fed line by line. [`Summary::verdict`] says in a
//! sentence how the file ends. Nothing in a file tells whether its writer still runs, so the
//! verdict speaks of the file only.

mod fold;
mod tally;
mod verdict;

pub use fold::{Counts, Summariser, Summary, Tokens, summarise};
pub use tally::{Tally, ToolUse};
pub use verdict::{LastTurn, Progress};
