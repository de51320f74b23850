//! What a run tells while it runs.
//!
//! An [`Event`] is an envelope (time, run, sequence number) around an [`EventBody`], one struct a
//! kind. Every event has a flattened JSON form ([`Event::to_json`]) that reads back
//! ([`Event::from_json`]); kinds and keys are part of the format, and kinds a reader does not know
//! are kept as [`UnknownEvent`].
//!
//! # Showing streamed text
//!
//! 1. `attempt-started` opens a scope; `token`s belong to the newest one.
//! 2. `attempt-failed` takes back every token since its `attempt-started`.
//! 3. After `attempt-succeeded` the `assistant-message` of the same round is what counts.
//! 4. `turn-discarded` takes back whatever the round streamed and did not commit, also from an
//!    attempt that neither succeeded nor failed (a cancelled one does neither).
//! 5. An `attempt-succeeded` without a later `assistant-message` in its round is followed by exactly
//!    one `turn-discarded`.
//! 6. A terminal event closes everything; whatever is uncommitted then is void.
//! 7. Who wants no live text ignores `token`.
//!
//! Text of a failed or discarded attempt is never written to a transcript.
//!
//! # The story of a call
//!
//! `tool-call` (asked for), `tool-started` (handed over), any number of `tool-progress`, then either
//! `tool-result` or `tool-abandoned`; the last also straight after `tool-call`. The key is `id`.
//! A question (`ask-pending`) may stay open when the run ends: close it on a terminal event.
//!
//! ```
//! use sess::agent::event::{Event, EventBody, ToolCall, ToolResult};
//!
//! /// What a person should know of an event, in a line.
//! fn line(event: &Event) -> Option<String> {
//!     match &event.body {
//!         EventBody::ToolCall(ToolCall { name, .. }) => Some(format!("calls {name}")),
//!         EventBody::ToolResult(ToolResult { id, is_error: true, .. }) => Some(format!("{id} failed")),
//!         EventBody::RunFailed(end) => Some(match end.reason {
//!             Some(reason) => format!("{reason}: {}", end.error),
//!             None => end.error.clone(),
//!         }),
//!         _ => None,
//!     }
//! }
//!
//! let event = Event::new(ToolResult {
//!     id: "c1".into(),
//!     name: Some("read".into()),
//!     content: "no such file".into(),
//!     is_error: true,
//!     artifact: None,
//!     round: Some(1),
//! });
//! assert_eq!(line(&event).as_deref(), Some("c1 failed"));
//! assert_eq!(
//!     event.body.payload().compact(),
//!     r#"{"content":"no such file","id":"c1","is-error":true,"name":"read","round":1}"#,
//! );
//! ```

mod background;
mod body;
mod end;
pub(crate) mod flat;
mod notes;
mod round;
mod tools;
mod wire;
mod words;

use wire::{class, line_id, message as wire_message, run_id, usage};

pub use background::{
    BackgroundOpDelivered, BackgroundOpSettled, BackgroundOpStarted, OutstandingOp, RunParked,
    RunResumed, Subagent,
};
pub use body::{EventBody, NonTerminal, Terminal, UnknownEvent};
pub use end::{AttemptRecord, RunCancelled, RunCompleted, RunFailed};
pub use flat::{Event, EventError};
pub use notes::{CompactionDone, CompactionStarted, LimitReached, Log, LogData};
pub use round::{
    AssistantMessage, AttemptFailed, AttemptStarted, AttemptSucceeded, RoundStarted, RunStarted,
    Token, TurnCommitted, TurnDiscarded,
};
pub use tools::{
    ArtifactNote, AskAnswered, AskPending, ToolAbandoned, ToolCall, ToolProgress, ToolResult,
    ToolStarted,
};
pub use words::{
    AbandonReason, CancelStage, DiscardReason, Disposition, FailReason, LimitKind, ResumeReason,
};
