//! Tool calls without a known end, and what may honestly be said of each.
//!
//! A line is written before a tool is handed its call (`tool-dispatched`) and after it has ended
//! (first the tool message, then `tool-settled`). What a dead process leaves between those lines
//! tells how far it came. Calls are matched by position as well as by call id, because models
//! reuse call ids; and over the whole file, because a compaction may have folded the answer away.

use super::payload::{DispatchView, MessageView};
use super::text::text_of;
use crate::canonical::Json;
use crate::id::{CallId, EnvelopeId, OpId};
use crate::message::{Role, ToolCall};

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
    settled: bool,
    /// The same call was dispatched again; the later dispatch is the one that is answered.
    superseded: bool,
}

impl OpenCall {
    /// Whether a tool message has to answer it: none does, and the turn that asked for it is part
    /// of the live conversation, or in the file nowhere, so that nothing says it is not.
    pub fn needs_answer(&self) -> bool {
        self.waits() && (self.turn_is_live || self.turn.is_none())
    }

    /// Whether the next tool message with its call id can be its answer.
    fn waits(&self) -> bool {
        self.answer.is_none() && !self.superseded
    }

    /// Whether the live conversation holds the call but no answer to it.
    fn is_left_open(&self) -> bool {
        self.waits() && self.turn_is_live
    }

    fn judge(&self, any_dispatch: bool) -> CallState {
        match (&self.operation, &self.answer) {
            (Some(_), Some(answer)) if answer.is_result => CallState::FinishedNotSettled,
            (Some(_), _) => CallState::WasRunning,
            (None, _) if any_dispatch => CallState::NeverDispatched,
            (None, _) => CallState::Unrecorded,
        }
    }
}

/// Keeps the calls that are open as a transcript is read in file order. What it holds grows with
/// the open calls, not with the file.
///
/// ```
/// use sess::session::Verdict;
/// use sess::session::payload::Payload;
/// use sess::session::replay::{Replay, ShortKey};
/// let line = br#"{"id":"d","payload":{"call-id":"c1","tool":"read"},"ts":"","type":"tool-dispatched","v":1}"#;
/// let Verdict::Object(envelope) = Verdict::of(line) else { unreachable!() };
/// let mut replay = Replay::<ShortKey, ()>::default();
/// replay.apply(&envelope, &Payload::of(&envelope)?, 1);
/// let ledger = replay.ledger();
/// assert_eq!(ledger.pending()[0].tool, "read");
/// // The call was dispatched, so nobody has to say that it was not.
/// assert_eq!(ledger.unanswered().count(), 0);
/// # Ok::<(), sess::session::Fault>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    calls: Vec<OpenCall>,
    any_dispatch: bool,
    /// Calls so far.
    asked: u64,
    /// The last line that carries the conversation past the calls before it.
    moved_on: u64,
}

impl Ledger {
    /// Calls without a known end, in file order, each with its state.
    pub fn open_calls(&self) -> Vec<OpenCall> {
        let mut open: Vec<OpenCall> = self
            .calls
            .iter()
            .filter(|call| !call.settled)
            .cloned()
            .collect();
        for call in &mut open {
            call.state = call.judge(self.any_dispatch);
        }
        open
    }

    /// Dispatched operations that were never settled, in the order of dispatch.
    pub fn pending(&self) -> Vec<PendingOperation> {
        let mut pending: Vec<&OpenCall> = self
            .calls
            .iter()
            .filter(|call| !call.settled && call.operation.is_some())
            .collect();
        pending.sort_by_key(|call| call.line);
        pending
            .into_iter()
            .filter_map(|call| call.operation.clone())
            .collect()
    }

    /// Calls of the live conversation that the conversation has left behind without an answer,
    /// or that were settled without one. A provider refuses to go on from either.
    pub fn unanswered(&self) -> impl Iterator<Item = &OpenCall> {
        self.calls
            .iter()
            .filter(|call| call.is_left_open() && (call.settled || call.line < self.moved_on))
    }

    pub(crate) fn message(&mut self, view: &MessageView<'_>, id: &str, ts: &str, line: u64) {
        let answer = Answer {
            is_error: view.is_error,
            is_result: view.is_result,
            line,
        };
        self.text_message(view.role, view.tool_call_id().as_deref(), answer);
        if view.role == Role::Assistant {
            for call in view.tool_calls() {
                self.propose(&ToolCall::from_json(&Json::from_valid(call)), id, ts, line);
            }
        }
    }

    /// A message that makes no calls. `as_answer` is what it is if it answers one.
    pub(crate) fn text_message(&mut self, role: Role, call_id: Option<&str>, as_answer: Answer) {
        match (role, call_id) {
            (Role::Tool, Some(call_id)) => self.answer(call_id, as_answer),
            (Role::Tool, None) => {}
            (Role::Assistant | Role::User | Role::System, _) => self.moved_on = as_answer.line,
        }
    }

    fn propose(&mut self, call: &ToolCall, turn: &str, ts: &str, line: u64) {
        self.asked += 1;
        self.calls.push(OpenCall {
            call_id: CallId::from(call.id.as_str()),
            tool: call.name.clone(),
            arguments: Json::string(&call.arguments),
            operation: None,
            answer: None,
            turn: Some(EnvelopeId::from(turn)),
            turn_is_live: true,
            since: ts.to_owned(),
            line,
            state: CallState::NeverDispatched,
            asked: self.asked,
            settled: false,
            superseded: false,
        });
    }

    /// The place of the call that a line with this call id is about: the latest that still waits
    /// for such a line; of several in one turn the first, since calls are handed out and answered
    /// in order.
    fn meant(&self, call_id: &str, waits: impl Fn(&OpenCall) -> bool) -> Option<usize> {
        let fits = |call: &OpenCall| call.call_id.as_str() == call_id && waits(call);
        let last = self.calls.iter().rposition(fits)?;
        let turn = self.calls.get(last)?.turn.as_ref();
        let first = self
            .calls
            .iter()
            .position(|call| fits(call) && call.turn.as_ref() == turn);
        first.filter(|_| turn.is_some()).or(Some(last))
    }

    fn answer(&mut self, call_id: &str, answer: Answer) {
        let open = self.meant(call_id, OpenCall::waits);
        let Some(call) = open.and_then(|place| self.calls.get_mut(place)) else {
            return;
        };
        call.answer = Some(answer);
        self.forget_what_is_known();
    }

    pub(crate) fn dispatched(&mut self, view: &DispatchView<'_>, id: &str, ts: &str, line: u64) {
        self.any_dispatch = true;
        let json = |key| view.get(key).map(Json::from_valid);
        let operation = PendingOperation {
            op_id: OpId::from(id),
            call_id: CallId::from(view.call_id()),
            tool: view.tool(),
            arguments: json("arguments").unwrap_or_else(Json::null),
            arguments_digest: json("arguments-digest"),
            idempotency: json("idempotency"),
            run_id: json("run-id"),
            round: json("round"),
            dispatched_at: ts.to_owned(),
        };
        let asked = self.meant(operation.call_id.as_str(), |call| {
            call.operation.is_none() && call.answer.is_none()
        });
        let mut call = match asked {
            Some(place) => self.calls.remove(place),
            None => {
                self.asked += 1;
                let (turn, turn_is_live) = self.supersede(&operation.call_id);
                OpenCall {
                    call_id: operation.call_id.clone(),
                    tool: String::new(),
                    arguments: Json::null(),
                    operation: None,
                    answer: None,
                    turn,
                    turn_is_live,
                    since: String::new(),
                    line,
                    state: CallState::WasRunning,
                    asked: self.asked,
                    settled: false,
                    superseded: false,
                }
            }
        };
        call.tool.clone_from(&operation.tool);
        call.arguments = operation.arguments.clone();
        call.since = ts.to_owned();
        call.line = line;
        call.operation = Some(operation);
        self.calls.push(call);
    }

    /// The turn of a call that was dispatched before and is dispatched again without an answer in
    /// between. The earlier dispatch no longer waits for one.
    fn supersede(&mut self, call_id: &CallId) -> (Option<EnvelopeId>, bool) {
        let waiting =
            |call: &&mut OpenCall| call.call_id == *call_id && call.waits() && call.turn.is_some();
        let Some(before) = self.calls.iter_mut().rev().find(waiting) else {
            return (None, false);
        };
        before.superseded = true;
        let turn = (before.turn.clone(), before.turn_is_live);
        self.forget_what_is_known();
        turn
    }

    pub(crate) fn settled(&mut self, op_id: &str) {
        let open = self.calls.iter_mut().rev().find(|call| {
            !call.settled
                && call
                    .operation
                    .as_ref()
                    .is_some_and(|operation| operation.op_id.as_str() == op_id)
        });
        if let Some(call) = open {
            call.settled = true;
        }
        self.forget_what_is_known();
    }

    /// Marks the calls whose turn a compaction has folded away.
    pub(crate) fn folded(&mut self, mut is_live: impl FnMut(&str) -> bool) {
        for call in &mut self.calls {
            let live = call
                .turn
                .as_ref()
                .is_some_and(|turn| is_live(turn.as_str()));
            call.turn_is_live = call.turn_is_live && live;
        }
        self.forget_what_is_known();
    }

    /// Drops calls of which nothing is open any more.
    fn forget_what_is_known(&mut self) {
        self.calls.retain(|call| match call.operation {
            Some(_) => !call.settled || call.is_left_open(),
            None => call.is_left_open(),
        });
    }
}

/// A field's text, however it was written.
pub fn field_text(field: &Option<Json>) -> Option<String> {
    field.as_ref().map(|json| text_of(json.text()))
}
