//! Read-only analysis of transcripts of any size, and the way their text is shown to a person.
//!
//! Nothing here writes a file, and nothing here draws: what a terminal gets passes [`visible`]
//! and is measured by [`width`].

pub mod artifact;
#[cfg(any(feature = "cli", feature = "view"))]
pub(crate) mod base64;
pub mod check;
pub mod diff;
pub mod entry;
#[cfg(feature = "export")]
pub mod export;
pub mod follow;
pub mod human;
pub mod index;
pub mod last;
pub mod steps;
pub mod summary;
pub mod timeline;
pub mod visible;
pub mod width;
