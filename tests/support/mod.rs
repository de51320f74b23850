//! What the tests share.
//!
//! [`pack`] reads the packed data of `tests/data`, [`reference`] gives it as cases, and [`source`] reads
//! Rust files for the house rules.

pub mod pack;
pub mod reference;
#[cfg(feature = "http")]
pub mod server;
pub mod source;
