//! The loop that asks a model, runs the tools it calls, and records both.
//!
//! # A run, as a story
//!
//! An [`Agent`] is given a conversation and starts a [`Run`] on it. The run says what happens as
//! [events](event) and ends in exactly one of three: `run-completed`, `run-failed`,
//! `run-cancelled`. With a [`Session`](crate::Session), every step is a line of the transcript
//! before it is an event, so that nobody sees what a crash could take back. `T` marks a line, `E`
//! an event:
//!
//! ```text
//! the run starts     E run-started → T message (what the transcript lacks) → T run-context
//! a round starts     what background work brought, then what the user said, become messages;
//!                    caps are checked; a conversation that is too large is made smaller
//!                    E round-started
//! the model is asked E attempt-started → E token … → E attempt-succeeded
//!   …and fails       E attempt-failed, then the same backend again, the next one, or the end
//!   …and asks for    E limit-reached → E turn-discarded → T message(system);
//!     too much       tools are off from here on
//! the turn stands    T message(assistant) → E assistant-message → E turn-committed
//! it calls tools     E tool-call for each; then for each, or for each group:
//!                    T tool-dispatched → E tool-started → (the tool runs)
//!                    → T message(tool) → T tool-settled → E tool-result; and the next round
//! it calls none      E run-completed; or the run waits for background work:
//!                    E run-parked → … → E run-resumed
//! ```
//!
//! # What may be relied on
//!
//! - One spawned task, the driver, owns everything that changes during a run. Handles only watch
//!   and cancel.
//! - Only whole answers become part of the conversation. A call that was dispatched is never said
//!   not to have run, and an unknown outcome is never called a failure.
//! - Every call of a turn that stands has exactly one answer in the conversation, also after a
//!   cancel; what a cancelled or failed run leaves can be gone on from.
//! - Nothing polls: every wait is for whatever comes first of work, cancel and deadline.
//! - A run whose transcript cannot be written ends as failed. What the rest of the world does
//!   wrong (hooks, stores, sources, a bus) is told as a `log` and changes nothing else.
//!
//! # The rooms
//!
//! Public: [`event`] the vocabulary, [`run`] handles and results, [`decide`] the decisions as pure
//! functions, [`wording`] every text. Behind them: the builder and its checks, the driver, the
//! stages of a call, hooks, grants, the ledger.

#[expect(
    clippy::module_inception,
    reason = "the room is named after the type it is about"
)]
mod agent;
mod builder;
mod bus;
mod config;
mod console;
pub mod decide;
mod drive;
pub mod event;
mod grants;
mod hooks;
mod ledger;
pub mod run;
mod shield;
mod steer;
mod summariser;
mod tools;
mod validate;
pub mod wording;
mod words;

pub use agent::{Agent, RunError};
pub use builder::AgentBuilder;
pub use bus::{BusError, BusState, Completion, CompletionBus};
pub use config::{Config, ParkHook, UnparkHook};
pub use console::Console;
pub use event::{Event, EventBody};
pub use hooks::{AgentHooks, Progress};
pub use run::{Emitter, Outcome, Run, RunHandle, RunResult};
pub use steer::{SteerQueue, SteerSource};
pub use summariser::BackendSummariser;
pub use tools::{Idempotency, IdempotencyRule};
pub use validate::ConfigError;
pub use words::UnknownWord;
