//! The decisions of the loop, as functions of what is known: no waiting, no I/O, no runtime.
//!
//! [`failure`] says what a failed attempt means, with [`classify`] for its kind and [`verdict`] for
//! answers that were cut off; [`window`] says whether a request fits; [`limits`] whether the model
//! may have what it asks for; [`group`] which calls run together; [`retry`] how long to wait.

pub mod classify;
pub mod failure;
pub mod group;
pub mod limits;
pub mod retry;
pub mod verdict;
pub mod window;
