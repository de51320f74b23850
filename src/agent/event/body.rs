//! All kinds of events: one list makes the enum, the wire names and the conversions.

use serde::Serialize;

use super::background::{
    BackgroundOpDelivered, BackgroundOpSettled, BackgroundOpStarted, RunParked, RunResumed,
    Subagent,
};
use super::end::{RunCancelled, RunCompleted, RunFailed};
use super::flat::{EventError, payload, read};
use super::notes::{CompactionDone, CompactionStarted, LimitReached, Log};
use super::round::{
    AssistantMessage, AttemptFailed, AttemptStarted, AttemptSucceeded, RoundStarted, RunStarted,
    Token, TurnCommitted, TurnDiscarded,
};
use super::tools::{
    AskAnswered, AskPending, ToolAbandoned, ToolCall, ToolProgress, ToolResult, ToolStarted,
};
use crate::Json;

/// Every payload but the three that end a run. What may be published while the run lives.
///
/// ```
/// use sess::agent::Emitter;
/// use sess::agent::event::{Log, LogData, NonTerminal};
///
/// fn tell_all(emitter: &Emitter, events: impl IntoIterator<Item = impl NonTerminal>) {
///     for event in events {
///         emitter.emit(event);
///     }
/// }
/// # let _: fn(&Emitter, Vec<Log>) = tell_all;
/// ```
pub trait NonTerminal: Into<EventBody> {}

macro_rules! kinds {
    (
        live { $($live:ident = $live_kind:literal,)* }
        terminal { $($end:ident = $end_kind:literal,)* }
    ) => {
        /// What happened. The names of the kinds are part of the format.
        ///
        /// ```
        /// use sess::agent::event::{EventBody, RunCancelled};
        /// let body = EventBody::RunCancelled(RunCancelled { stage: None, round: None });
        /// assert_eq!(body.kind(), "run-cancelled");
        /// assert!(body.is_terminal());
        /// assert_eq!(EventBody::KINDS.len(), 29);
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum EventBody {
            $(#[doc = concat!("`", $live_kind, "`")] $live($live),)*
            $(#[doc = concat!("`", $end_kind, "`")] $end($end),)*
            /// A kind this build does not know.
            Unknown(UnknownEvent),
        }

        impl EventBody {
            /// The known kinds; the last three end a run.
            pub const KINDS: &'static [&'static str] = &[$($live_kind,)* $($end_kind,)*];

            /// The wire name.
            pub fn kind(&self) -> &str {
                match self {
                    $(Self::$live(_) => $live_kind,)*
                    $(Self::$end(_) => $end_kind,)*
                    Self::Unknown(unknown) => &unknown.kind,
                }
            }

            /// Whether it ends a run.
            pub fn is_terminal(&self) -> bool {
                matches!(self, $(Self::$end(_))|*)
            }

            /// The payload alone, a JSON object.
            pub fn payload(&self) -> Json {
                match self {
                    $(Self::$live(body) => payload(body),)*
                    $(Self::$end(body) => payload(body),)*
                    Self::Unknown(unknown) => unknown.payload.clone(),
                }
            }

            pub(super) fn read(kind: &str, flat: &Json) -> Result<Self, EventError> {
                match kind {
                    $($live_kind => read(kind, flat).map(Self::$live),)*
                    $($end_kind => read(kind, flat).map(Self::$end),)*
                    _ => Ok(Self::Unknown(UnknownEvent::of(kind, flat))),
                }
            }
        }

        $(
            impl From<$live> for EventBody {
                fn from(body: $live) -> Self {
                    Self::$live(body)
                }
            }

            impl NonTerminal for $live {}
        )*

        /// The end of a run.
        ///
        /// ```
        /// use sess::agent::event::{EventBody, RunCompleted, Terminal};
        /// let end = Terminal::RunCompleted(RunCompleted {
        ///     final_text: "Done.".into(),
        ///     rounds: Some(1),
        ///     message_count: Some(2),
        /// });
        /// assert!(EventBody::from(end).is_terminal());
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        pub enum Terminal {
            $(#[doc = concat!("`", $end_kind, "`")] $end($end),)*
        }

        impl From<Terminal> for EventBody {
            fn from(end: Terminal) -> Self {
                match end { $(Terminal::$end(body) => Self::$end(body),)* }
            }
        }
    };
}

kinds! {
    live {
        RunStarted = "run-started",
        RoundStarted = "round-started",
        AttemptStarted = "attempt-started",
        Token = "token",
        AttemptFailed = "attempt-failed",
        AttemptSucceeded = "attempt-succeeded",
        AssistantMessage = "assistant-message",
        TurnCommitted = "turn-committed",
        TurnDiscarded = "turn-discarded",
        ToolCall = "tool-call",
        ToolStarted = "tool-started",
        ToolProgress = "tool-progress",
        ToolResult = "tool-result",
        ToolAbandoned = "tool-abandoned",
        Subagent = "subagent",
        BackgroundOpStarted = "background-op-started",
        BackgroundOpSettled = "background-op-settled",
        BackgroundOpDelivered = "background-op-delivered",
        RunParked = "run-parked",
        RunResumed = "run-resumed",
        AskPending = "ask-pending",
        AskAnswered = "ask-answered",
        Log = "log",
        LimitReached = "limit-reached",
        CompactionStarted = "compaction-started",
        CompactionDone = "compaction-done",
    }
    terminal {
        RunCompleted = "run-completed",
        RunFailed = "run-failed",
        RunCancelled = "run-cancelled",
    }
}

/// An event of a kind this build does not know, kept as it is.
///
/// ```
/// use sess::Json;
/// use sess::agent::event::{Event, EventBody};
/// let flat = r#"{"kind":"moon-phase","phase":"full","ts":"2026-01-02T03:04:05.000006Z"}"#;
/// let event = Event::from_json(&Json::parse(flat)?)?;
/// let EventBody::Unknown(unknown) = &event.body else { panic!("a kind of this build") };
/// assert_eq!(unknown.kind, "moon-phase");
/// assert_eq!(unknown.payload.text(), r#"{"phase":"full"}"#);
/// assert_eq!(event.to_json().compact(), flat);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnknownEvent {
    /// Its wire name.
    pub kind: String,
    /// Everything else it holds; an object.
    pub payload: Json,
}

impl UnknownEvent {
    fn of(kind: &str, flat: &Json) -> Self {
        let entries = flat.entries().unwrap_or_default();
        let payload = entries
            .into_iter()
            .filter(|(key, _)| !["kind", "ts", "run-id", "seq"].contains(&key.as_str()));
        Self {
            kind: kind.to_owned(),
            payload: Json::object(payload),
        }
    }
}
