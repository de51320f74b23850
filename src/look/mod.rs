//! Read-only analysis of transcripts of any size, and the way their text is shown to a person.
//!
//! Nothing here writes a file, and nothing here draws. What is asked decides what is read:
//!
//! - [`check`] whether a file is whole, [`summary`] what happened in it and whether it is finished,
//!   [`timeline`] how long its rounds took and what they cost, [`steps`] where its conversation was
//!   cut, with both sides of each cut: one pass over a file, in memory that does not grow with its
//!   text;
//! - [`index`] where each line is and what, [`last`] where the last ones begin, [`follow`] those
//!   that are still being written;
//! - [`entry`] what one line says, [`artifact`] the long texts that lines only name, [`diff`] where
//!   two transcripts part;
//! - [`visible`] for all that goes to a terminal, [`width`] the columns it takes there, [`human`]
//!   times, sizes and counts in words. With the feature `export`, whole documents (`export`).
//!
//! ```
//! use std::fs::File;
//! use sess::look::check::{Health, check};
//! use sess::look::summary::{Progress, summarise};
//!
//! let path = "samples/sessions/interrupted.jsonl";
//! // The last line was torn when the process was killed, and three calls have no known end.
//! let report = check(File::open(path)?)?;
//! assert_eq!((report.health, report.open_calls.len()), (Health::TornTail, 3));
//! assert_eq!(summarise(File::open(path)?)?.progress(), Progress::InTheMiddle);
//! # Ok::<(), std::io::Error>(())
//! ```

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
