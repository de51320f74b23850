//! The loop that asks a model, runs the tools it calls, and records both.
//!
//! # A run, as a story
//!
//! An [`Agent`] is given a conversation and starts a [`Run`] on it. The run says what happens as
//! [events](event) and ends in exactly one of three: `run-completed`, `run-failed`,
//! `run-cancelled`. With a [`Session`](crate::Session), whatever becomes part of the conversation
//! is a line of the transcript before it is an event, so that nobody sees what a crash could take
//! back. `T` marks a line, `E` an event:
//!
//! ```text
//! the run starts     E run-started → T message (what the transcript lacks) → T run-context
//! a round starts     T message(user) → E background-op-delivered, for what background work brought;
//!                    T message(user), for what the user said meanwhile; caps are checked
//!   …too large       E compaction-started → T elision → T compaction → E compaction-done
//!                    E round-started
//! the model is asked E attempt-started → E token … → E attempt-succeeded
//!   …and fails       E attempt-failed; then the same backend again, or the next one, or all of them
//!                    once more with a smaller conversation, or the run fails
//!   …and asks for    E limit-reached → E turn-discarded → T message(system);
//!     too much       tools are off from here on; and the next round
//! the turn stands    T message(assistant) → E assistant-message → E turn-committed
//! it calls tools     E tool-call for each; then for each, or for each group:
//!                    T tool-dispatched → E tool-started → (the tool runs)
//!                    → T message(tool) → T tool-settled → E tool-result; and the next round
//!   …without an end  T message(tool) → T tool-settled → E tool-abandoned: nobody knows what it did
//! it calls none      E run-completed; or the next round, if the user has said something; or the
//!                    run waits for background work: E run-parked → … → E run-resumed
//! ```
//!
//! One tool, one call, one answer, as both tell it:
//!
//! ```
//! use sess::agent::Agent;
//! use sess::backend::{ScriptedBackend, Step};
//! use sess::message::ToolCall;
//! use sess::tool::Tools;
//! use sess::{Json, Message, Session};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("run.jsonl");
//! // A model that does as this script says: it calls the tool, and then answers.
//! let call = ToolCall { id: "c1".into(), name: "today".into(), arguments: "{}".into() };
//! let model = ScriptedBackend::new([Step::calls([call.to_json()]), Step::text("A Friday.")]);
//! let today = |_: Json| async { "2026-01-02".to_owned() };
//! let agent = Agent::builder()
//!     .backend(model)
//!     .provider(Tools::new().with("today", "Tells the date.", Json::empty_object(), today))
//!     .session(Session::create(&path, Json::empty_object())?)
//!     .build()?;
//!
//! let mut run = agent.run([Message::user("What day is it?")])?;
//! let mut events = Vec::new();
//! while let Some(event) = run.next_event().await {
//!     events.push(event.kind().to_owned());
//! }
//! let asked = ["round-started", "attempt-started"];
//! let stands = ["attempt-succeeded", "assistant-message", "turn-committed"];
//! let called = ["tool-call", "tool-started", "tool-result"];
//! let story: [&[&str]; 8] = [
//!     &["run-started"], &asked, &stands, &called, &asked, &["token"], &stands, &["run-completed"],
//! ];
//! assert_eq!(events, story.concat());
//!
//! let lines = Session::peek(&path).envelopes;
//! let lines: Vec<_> = lines.iter().filter_map(|line| line.get_str("type")).collect();
//! assert_eq!(lines, [
//!     "session-meta", "message", "message", "tool-dispatched", "message", "tool-settled", "message",
//! ]);
//! assert_eq!(run.result().await.text(), "A Friday.");
//! # Ok(())
//! # }
//! ```
//!
//! # What may be relied on
//!
//! - One spawned task, the driver, owns everything that changes during a run. Handles only watch
//!   and cancel.
//! - Only whole answers become part of the conversation. A call that was dispatched is never said
//!   not to have run, and an unknown outcome is never called a failure.
//! - Every call of a turn that stands has exactly one answer in the conversation, also after a
//!   cancel; what a cancelled or failed run leaves can be gone on from. Only where a transcript could
//!   not be written, or a process died, a call may be left open: the next run refuses to go past it
//!   until it is [settled](crate::session::Resolution).
//! - Nothing polls: every wait is for whatever comes first of work, cancel and deadline.
//! - A run whose transcript cannot be written ends as failed. What the rest of the world does
//!   wrong (hooks, stores, sources, a bus) is told as a `log` and changes nothing else.
//!
//! # The rooms
//!
//! [`AgentBuilder`] lists everything that can be set. [`event`] is the vocabulary, [`run`] has
//! handles and results, [`decide`] the decisions as pure functions, [`wording`] every text the loop
//! says in its own words. What an agent is made of stands a floor below: [`crate::backend`],
//! [`crate::tool`], [`crate::context`].
//!
//! For whoever shows a run there is [`Console`]; [`SteerQueue`] takes what the user says while it
//! goes on; with [`AgentHooks`] tools ask, report progress and log; a [`CompletionBus`] tells of
//! work in the background.

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
