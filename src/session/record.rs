//! What is given to the append operations, and how it is written as a payload.

use std::collections::BTreeMap;
use std::time::Duration;

use super::operations::Answer;
use super::payload::Outcome;
use super::write::LineWriter;
use crate::canonical::Json;
use crate::id::{CallId, EnvelopeId, OpId, RunId};
use crate::message::Message;

/// Keys beside a message, such as `usage` or `finish-reason`. They are recorded and shown, and
/// never reach the model again.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::session::Extras;
/// use sess::{Json, Message, Session};
/// let session = Session::create(&path, Json::empty_object())?;
/// let extras = Extras::from([("finish-reason".to_owned(), Json::string("stop"))]);
/// session.append_message_with(Message::assistant("Hi"), &extras)?;
/// // It is in the file, and not in what the model is sent.
/// assert_eq!(session.messages()[0].as_ref(), &Message::assistant("Hi"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Extras = BTreeMap<String, Json>;

/// The payload keys that make a message. As extras they would change it, so they are refused.
pub const RESERVED_KEYS: [&str; 7] = [
    "role",
    "content",
    "tool-calls",
    "tool-call-id",
    "sticky",
    "sysprompt",
    "depth",
];

pub(crate) fn write_message(line: &mut LineWriter, message: &Message, extras: &Extras) {
    // In the order of the line, which then need not be sorted unless there are extras.
    line.text("content", &message.content);
    if let Some(depth) = message.depth {
        line.integer("depth", depth);
    }
    line.text("role", message.role.as_str());
    if message.sticky {
        line.flag("sticky", true);
    }
    if message.sysprompt {
        line.flag("sysprompt", true);
    }
    if let Some(id) = &message.tool_call_id {
        line.text("tool-call-id", id);
    }
    if !message.tool_calls.is_empty() {
        line.list("tool-calls", &message.tool_calls);
    }
    for (key, value) in extras {
        line.json(key, value);
    }
}

/// What a tool message with these extras, on this line, is as the answer to its call.
pub(crate) fn as_answer(extras: &Extras, line: u64) -> Answer {
    let flag = |key| {
        extras
            .get(key)
            .is_some_and(|value: &Json| value.text() == "true")
    };
    Answer {
        is_error: flag("is-error"),
        is_result: !["background", "outcome-unknown", "abandoned"]
            .into_iter()
            .any(flag),
        line,
    }
}

/// A summary in the place of the conversation up to and including one entry.
///
/// Sticky entries among those survive, ahead of the summary.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::session::Compaction;
/// use sess::{Json, Message, Session};
/// let session = Session::create(&path, Json::empty_object())?;
/// session.append_message(Message::user("What is two and two?"))?;
/// let answer = session.append_message(Message::assistant("Four."))?;
/// session.append_message(Message::user("And three and three?"))?;
/// session.append_compaction(&Compaction::new("They did a sum.", answer))?;
/// let texts: Vec<String> = session.messages().iter().map(|it| it.content.clone()).collect();
/// assert_eq!(texts, ["They did a sum.", "And three and three?"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compaction {
    /// What stands for the replaced entries; may be empty.
    pub summary: String,
    /// The last entry that is replaced. It must be live.
    pub replaces_through_id: EnvelopeId,
    /// Tokens of the conversation before.
    pub tokens_before: Option<u64>,
    /// Tokens of the conversation after.
    pub tokens_after: Option<u64>,
    /// The middle was cut hard, because no summary could be had.
    pub fallback: bool,
    /// What making the summary cost, in the shape of a turn's `usage`: an object with
    /// `prompt-tokens`, `completion-tokens` and `cost`, as far as they were reported.
    pub usage: Option<Json>,
}

impl Compaction {
    /// A summary without token counts, made by a summariser.
    pub fn new(summary: impl Into<String>, replaces_through_id: impl Into<EnvelopeId>) -> Self {
        Self {
            summary: summary.into(),
            replaces_through_id: replaces_through_id.into(),
            tokens_before: None,
            tokens_after: None,
            fallback: false,
            usage: None,
        }
    }

    pub(crate) fn write(&self, line: &mut LineWriter) {
        line.flag("fallback", self.fallback);
        line.text("replaces-through-id", self.replaces_through_id.as_str());
        line.text("summary", &self.summary);
        line.count("tokens-after", self.tokens_after);
        line.count("tokens-before", self.tokens_before);
        if let Some(usage) = self.usage.as_ref().filter(|json| !is_empty_object(json)) {
            line.json("usage", usage);
        }
    }
}

/// One content that is replaced by a stub; id, role, calls and place of the entry stay.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::session::Elision;
/// use sess::{Json, Message, Session};
/// let session = Session::create(&path, Json::empty_object())?;
/// let long = session.append_message(Message::tool("c1", "x".repeat(10_000)))?;
/// session.append_elision(&[Elision::new(long, "[10,000 x]")])?;
/// assert_eq!(session.messages()[0].content, "[10,000 x]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elision {
    /// The entry. It must be live.
    pub id: EnvelopeId,
    /// What its content becomes; may be empty.
    pub stub: String,
}

impl Elision {
    /// This stub for that entry.
    pub fn new(id: impl Into<EnvelopeId>, stub: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            stub: stub.into(),
        }
    }

    pub(crate) fn to_json(&self) -> Json {
        Json::object([
            ("id", Json::string(self.id.as_str())),
            ("stub", Json::string(&self.stub)),
        ])
    }
}

/// What a tool is called with.
///
/// ```
/// use sess::Json;
/// use sess::session::Arguments;
/// let as_written = Arguments::Text(r#"{"path":"a"}"#.into());
/// let as_read = Arguments::Document(Json::parse(r#"{"path":"a"}"#)?);
/// assert_ne!(as_written, as_read);
/// # Ok::<(), sess::canonical::JsonError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// Canonical argument text, see [`canonical_arguments`](crate::canonical::canonical_arguments).
    Text(String),
    /// The decoded document.
    Document(Json),
}

/// A call that is about to be handed to its tool. Append it before the tool can see the call.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::session::{Arguments, Dispatch, Outcome, Settlement};
/// use sess::{Json, Session};
/// let session = Session::create(&path, Json::empty_object())?;
/// let dispatch = Dispatch {
///     idempotency: Some("read-only".into()),
///     ..Dispatch::new("c1", "read", Arguments::Text(r#"{"path":"a"}"#.into()))
/// };
/// let operation = session.append_tool_dispatched(&dispatch)?;
/// assert_eq!(session.pending_tool_operations().len(), 1);
/// session.append_tool_settled(&Settlement::new(operation, Outcome::Completed))?;
/// assert!(session.pending_tool_operations().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// The model's id for the call.
    pub call_id: CallId,
    /// The tool; may be empty.
    pub tool: String,
    /// What it is called with.
    pub arguments: Arguments,
    /// SHA-256 of the canonical JSON string that holds the argument text.
    pub arguments_digest: Option<String>,
    /// `read-only`, `idempotent`, `destructive` or `unknown`; recorded as given.
    pub idempotency: Option<String>,
    /// The run that dispatches.
    pub run_id: Option<RunId>,
    /// The round of the run, counted as the run counts.
    pub round: Option<u64>,
}

impl Dispatch {
    /// A dispatch with what is required.
    pub fn new(call_id: impl Into<CallId>, tool: impl Into<String>, arguments: Arguments) -> Self {
        Self {
            call_id: call_id.into(),
            tool: tool.into(),
            arguments,
            arguments_digest: None,
            idempotency: None,
            run_id: None,
            round: None,
        }
    }

    pub(crate) fn write(&self, line: &mut LineWriter) {
        match &self.arguments {
            Arguments::Text(text) => line.text("arguments", text),
            Arguments::Document(json) => line.json("arguments", json),
        }
        line.optional("arguments-digest", self.arguments_digest.as_deref());
        line.text("call-id", self.call_id.as_str());
        line.optional("idempotency", self.idempotency.as_deref());
        line.count("round", self.round);
        line.optional("run-id", self.run_id.as_ref().map(RunId::as_str));
        line.text("tool", &self.tool);
    }
}

/// The end of an operation. Append it after the tool message that answers the call.
///
/// ```
/// use std::time::Duration;
/// use sess::session::{Outcome, Settlement};
/// let failed = Settlement {
///     duration: Some(Duration::from_millis(120)),
///     error: Some("no such file".into()),
///     ..Settlement::new("op-1", Outcome::Failed)
/// };
/// assert_eq!(failed.outcome.as_str(), "failed");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    /// The operation. It must be dispatched and not settled.
    pub op_id: OpId,
    /// How it ended.
    pub outcome: Outcome,
    /// Why, in a word: `deadline`, `cancelled`, `crash-repair` or free text.
    pub reason: Option<String>,
    /// From dispatch to end. Written in seconds, rounded half up to microseconds.
    pub duration: Option<Duration>,
    /// SHA-256 of the canonical JSON string that holds the tool message's content.
    pub result_digest: Option<String>,
    /// The file that holds the full result: `{file, digest, bytes, chars, elided-chars}`.
    pub artifact: Option<Json>,
    /// The error in one line.
    pub error: Option<String>,
}

impl Settlement {
    /// A settlement with what is required.
    pub fn new(op_id: impl Into<OpId>, outcome: Outcome) -> Self {
        Self {
            op_id: op_id.into(),
            outcome,
            reason: None,
            duration: None,
            result_digest: None,
            artifact: None,
            error: None,
        }
    }

    pub(crate) fn write(&self, line: &mut LineWriter) {
        if let Some(artifact) = self.artifact.as_ref().filter(|json| !is_empty_object(json)) {
            line.json("artifact", artifact);
        }
        if let Some(duration) = self.duration {
            line.number("duration", &seconds(duration));
        }
        line.optional("error", self.error.as_deref());
        line.text("op-id", self.op_id.as_str());
        line.text("outcome", self.outcome.as_str());
        line.optional("reason", self.reason.as_deref());
        line.optional("result-digest", self.result_digest.as_deref());
    }
}

fn is_empty_object(json: &Json) -> bool {
    json.entries().is_some_and(|entries| entries.is_empty())
}

/// Seconds with one to six fractional digits and never an exponent.
fn seconds(duration: Duration) -> String {
    let micros = (duration.as_nanos() + 500) / 1000;
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    let kept = text.trim_end_matches('0');
    match kept.ends_with('.') {
        true => format!("{kept}0"),
        false => kept.to_owned(),
    }
}

/// What surrounded a run: facts and prompt sections, with their digests.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::session::{RunContextRecord, SectionRecord};
/// use sess::{Json, Session};
/// let session = Session::create(&path, Json::empty_object())?;
/// session.append_run_context(&RunContextRecord {
///     run_id: "run-1".into(),
///     digest: "9f…".into(),
///     facts: vec![("branch".into(), "main".into())],
///     sections: vec![SectionRecord {
///         name: "rules".into(),
///         digest: "3c…".into(),
///         rendered: "Be brief.".into(),
///     }],
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunContextRecord {
    /// The run; not blank.
    pub run_id: RunId,
    /// Digest of the whole context; not blank.
    pub digest: String,
    /// In the order in which they are rendered.
    pub facts: Vec<(String, String)>,
    /// In the order in which they are rendered. A body that is already in the transcript is stored
    /// as a pointer to the line that carries it.
    pub sections: Vec<SectionRecord>,
}

/// One prompt section.
///
/// ```
/// use sess::session::SectionRecord;
/// let section = SectionRecord {
///     name: "rules".into(),
///     digest: "3c…".into(),
///     rendered: String::new(),
/// };
/// // The text may be empty; name and digest may not be blank.
/// assert!(section.rendered.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionRecord {
    /// Not blank.
    pub name: String,
    /// Digest of name and text; not blank. It alone decides whether a body is already stored.
    pub digest: String,
    /// The text; may be empty.
    pub rendered: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_positional_with_one_to_six_digits() {
        for (nanos, text) in [
            (2_000_000_000, "2.0"),
            (123_456_700, "0.123457"),
            (1_000, "0.000001"),
            (499, "0.0"),
            (500, "0.000001"),
            (90_061_500_000_000, "90061.5"),
        ] {
            assert_eq!(seconds(Duration::from_nanos(nanos)), text);
        }
    }
}
