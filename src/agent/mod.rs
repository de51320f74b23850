//! The loop that asks a model, runs the tools it calls, and records both.

#[expect(
    clippy::module_inception,
    reason = "the room is named after the type it is about"
)]
mod agent;
mod builder;
mod bus;
mod config;
pub mod decide;
mod drive;
pub mod event;
mod grants;
mod hooks;
mod ledger;
pub mod run;
mod shield;
mod steer;
mod tools;
mod validate;
pub mod wording;
mod words;

pub use agent::{Agent, RunError};
pub use builder::AgentBuilder;
pub use bus::{BusError, BusState, Completion, CompletionBus};
pub use config::{Config, ParkHook, UnparkHook};
pub use event::{Event, EventBody};
pub use hooks::{AgentHooks, Progress};
pub use run::{Emitter, Outcome, Run, RunHandle, RunResult};
pub use steer::{SteerQueue, SteerSource};
pub use tools::{Idempotency, IdempotencyRule};
pub use validate::ConfigError;
pub use words::UnknownWord;
