//! Tool calls without a known end, and what may honestly be said of each.
//!
//! A line is written before a tool is handed its call (`tool-dispatched`) and after it has ended
//! (first the tool message, then `tool-settled`). What a dead process leaves between those lines
//! tells how far it came. Calls are matched by position as well as by call id, because models
//! reuse call ids; and over the whole file, because a compaction may have folded the answer away.

use super::text::text_of;
use crate::canonical::Json;
use crate::id::{CallId, EnvelopeId, OpId};

/// How far a call without a known end came.
///
/// ```
/// use sess::session::CallState;
/// assert_eq!(CallState::WasRunning.as_str(), "was-running");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CallState {
    /// The model asked for it, and it never left the process: nothing was executed for it.
    NeverDispatched,
    /// It may have been handed over, and it may have taken effect. Not "failed", not "did not run".
    WasRunning,
    /// The real answer is recorded; only the line that settles it is missing.
    FinishedNotSettled,
    /// It has no answer, in a transcript whose writer records no dispatches: nothing is known.
    Unrecorded,
}

impl CallState {
    /// The state as machine output names it.
    pub fn as_str(self) -> &'static str {
        match self {
            CallState::NeverDispatched => "never-dispatched",
            CallState::WasRunning => "was-running",
            CallState::FinishedNotSettled => "finished-but-not-settled",
            CallState::Unrecorded => "unrecorded",
        }
    }
}

/// A dispatch line without a settle line. The optional fields hold what the line holds, whatever
/// its JSON kind, since a transcript may come from another writer.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::session::{Arguments, Dispatch};
/// use sess::{Json, Session};
/// let session = Session::create(&path, Json::empty_object())?;
/// let arguments = Arguments::Text(r#"{"path":"a"}"#.into());
/// let op_id = session.append_tool_dispatched(&Dispatch::new("c1", "read", arguments))?;
/// let pending = &session.pending_tool_operations()[0];
/// assert_eq!((&pending.op_id, pending.tool.as_str()), (&op_id, "read"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingOperation {
    /// The id of the dispatch line.
    pub op_id: OpId,
    /// The model's id for the call.
    pub call_id: CallId,
    /// The tool, by the name the model used.
    pub tool: String,
    /// Canonical argument text or the argument document; `null` when the line has none.
    pub arguments: Json,
    /// Digest of the argument text.
    pub arguments_digest: Option<Json>,
    /// `read-only`, `idempotent`, `destructive`, `unknown`, or another writer's word.
    pub idempotency: Option<Json>,
    /// The run that dispatched it.
    pub run_id: Option<Json>,
    /// The round of that run.
    pub round: Option<Json>,
    /// The `ts` of the dispatch line.
    pub dispatched_at: String,
}

/// A tool message that answered an open call.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::message::ToolCall;
/// use sess::session::{Arguments, Dispatch};
/// use sess::{Json, Message, Session};
/// let session = Session::create(&path, Json::empty_object())?;
/// let call = ToolCall { id: "c1".into(), name: "read".into(), arguments: "{}".into() };
/// session.append_message(Message::assistant("").with_call(call))?;
/// session.append_tool_dispatched(&Dispatch::new("c1", "read", Arguments::Text("{}".into())))?;
/// session.append_message(Message::tool("c1", "hello"))?;
/// // Answered, and not settled: the run died in between.
/// let answer = session.open_calls()[0].answer.clone().unwrap();
/// assert!(answer.is_result && !answer.is_error);
/// assert_eq!(answer.line, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The message reports an error.
    pub is_error: bool,
    /// The message is a real result: neither an acknowledgement that work goes on in the
    /// background, nor a stand-in for a call that was given up on.
    pub is_result: bool,
    /// The line of the message, counted from 1.
    pub line: u64,
}

/// A call without a known end.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::message::ToolCall;
/// use sess::session::CallState;
/// use sess::{Json, Message, Session};
/// let session = Session::create(&path, Json::empty_object())?;
/// let call = ToolCall { id: "c1".into(), name: "read".into(), arguments: "{}".into() };
/// session.append_message(Message::assistant("").with_call(call))?;
/// let open = &session.open_calls()[0];
/// // Nothing in this file tells whether its writer records dispatches.
/// assert_eq!(open.state, CallState::Unrecorded);
/// assert!(open.needs_answer());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCall {
    /// The model's id for the call.
    pub call_id: CallId,
    /// The tool.
    pub tool: String,
    /// What it was called with.
    pub arguments: Json,
    /// The dispatch line, when there is one.
    pub operation: Option<PendingOperation>,
    /// The tool message that answered it, when there is one.
    pub answer: Option<Answer>,
    /// The assistant turn that asked for it, when it is in the file.
    pub turn: Option<EnvelopeId>,
    /// Whether that turn is still part of the live conversation.
    pub turn_is_live: bool,
    /// When it was asked for or dispatched, as recorded.
    pub since: String,
    /// The line that asked for it or dispatched it, counted from 1.
    pub line: u64,
    /// How far it came.
    pub state: CallState,
    /// Its place among all calls of the transcript in the order they were asked for. A provider reads
    /// the answers of a turn in this order.
    pub asked: u64,
    pub(super) settled: bool,
    /// The same call was dispatched again; the later dispatch is the one that is answered.
    pub(super) superseded: bool,
}

impl OpenCall {
    /// Whether a tool message has to answer it: none does, and the turn that asked for it is part
    /// of the live conversation, or in the file nowhere, so that nothing says it is not.
    pub fn needs_answer(&self) -> bool {
        self.waits() && (self.turn_is_live || self.turn.is_none())
    }

    /// Whether the next tool message with its call id can be its answer.
    pub(super) fn waits(&self) -> bool {
        self.answer.is_none() && !self.superseded
    }

    /// Whether the live conversation holds the call but no answer to it.
    pub(super) fn is_left_open(&self) -> bool {
        self.waits() && self.turn_is_live
    }

    /// Whether a dispatch line with its call id can be about it.
    pub(super) fn is_undispatched(&self) -> bool {
        self.operation.is_none() && self.answer.is_none()
    }

    /// The operation, while no line settles it.
    pub(super) fn unsettled(&self) -> Option<&PendingOperation> {
        self.operation.as_ref().filter(|_| !self.settled)
    }

    /// Whether anything about it is still to come.
    pub(super) fn is_open(&self) -> bool {
        self.unsettled().is_some() || self.is_left_open()
    }

    pub(super) fn judge(&self, any_dispatch: bool) -> CallState {
        match (&self.operation, &self.answer) {
            (Some(_), Some(answer)) if answer.is_result => CallState::FinishedNotSettled,
            (Some(_), _) => CallState::WasRunning,
            (None, _) if any_dispatch => CallState::NeverDispatched,
            (None, _) => CallState::Unrecorded,
        }
    }
}

/// A field's text, however it was written.
pub fn field_text(field: &Option<Json>) -> Option<String> {
    field.as_ref().map(|json| text_of(json.text()))
}
