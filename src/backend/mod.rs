//! Models: what a backend is, and the answer it gives.
//!
//! A [`Backend`] takes a [`Request`] and gives a [`ResponseStream`]: the fragments of text as they
//! arrive, and a [`ResponseHandle`] through which everything else about the answer can be read at
//! any time. Whoever produces the answer holds the other end, a [`ResponseWriter`].
//!
//! A response settles exactly once: done, failed with a typed [`BackendError`], or cancelled.
//! [`Response::is_success`] is the only test of success; a stream that merely ended is a failure.
//! Nothing here retries: that is for whoever asked.
//!
//! [`ScriptedBackend`] is for tests: it does what a script says and records what it was asked.
//! [`MockBackend`] is for applications that want to run without a model: it gives canned answers.

mod contract;
mod error;
#[cfg(feature = "http")]
pub mod http;
mod mock;
mod progress;
mod response;
mod scripted;
mod step;
mod usage;

pub use contract::{Backend, Request};
pub use error::{BackendError, ErrorClass};
pub use mock::{MockBackend, MockCall};
pub use progress::{ResponseHandle, ResponseStream, ResponseWriter, Silence};
pub use response::{Response, Settled};
pub use scripted::{CallKind, RecordedCall, ScriptedBackend};
pub use step::Step;
pub use usage::Usage;
