//! What the tests share.
//!
//! [`pack`] reads the packed data of `tests/data`, [`reference`] gives it as cases, [`source`] reads Rust files
//! for the house rules, and [`form`] knows texts of a fixed form.

pub mod form;
pub mod pack;
pub mod reference;
#[cfg(feature = "http")]
pub mod server;
pub mod source;
