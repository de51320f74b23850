//! How a run went along: its rounds, how long each took, what it cost, what its tools did, and
//! where the conversation was folded.
//!
//! A round is one turn of the model together with the calls that it made. [`Timeline::of`] reads a
//! transcript in one pass; [`Timeliner`] is the same fed line by line, and tells how things stand at
//! any time. Lines count in the order of the file: times label them and never order them, and a
//! duration that is missing, or would be negative, is absent.

mod fold;
mod open;
mod round;
mod tools;

pub use fold::{Timeline, Timeliner};
pub use round::{CallSpan, Ending, Fold, FoldKind, Round};
pub use tools::ToolStats;
