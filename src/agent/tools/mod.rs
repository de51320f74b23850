//! The parts of running tools that need no driver: what a call is at each stage, whose clock runs
//! while it is out, and what its answer is.

pub(crate) mod answer;
pub(crate) mod clock;
pub mod idempotency;
pub(crate) mod operation;

pub use idempotency::{Idempotency, IdempotencyRule};
