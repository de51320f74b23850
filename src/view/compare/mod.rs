//! Two transcripts beside each other, aligned and moving together.
//!
//! [`Compare`] is the state: rows of a [`Diff`](crate::look::diff::Diff), from the same alignment as
//! `sess diff`. `rows` lays one out, side by side where there is room and stacked where there is
//! not; `stage` is what the screen asks for.

mod rows;
mod stage;
mod state;

pub use state::{Compare, Compared};
