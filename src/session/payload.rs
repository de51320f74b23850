//! Reads the payload of each type, strictly where the conversation depends on it and leniently
//! where it does not. Everything is borrowed from the line; text is decoded when asked for.

use std::borrow::Cow;

use super::elision::elision_items;
pub use super::elision::{ElisionItem, elided};
use super::envelope::{Envelope, kind_of, present, string};
use super::error::Fault;
use super::shape::{Part, spelled};
use super::survivors::Standing;
pub(crate) use super::text::text_of;
use crate::canonical::{self, Json, Members, elements, members};
use crate::message::{Message, Role};

/// The eight types this crate gives a meaning to. Nothing else may be appended under these names.
pub const BUILT_IN_TYPES: [&str; 8] = [
    "session-meta",
    "message",
    "grants",
    "compaction",
    "elision",
    "tool-dispatched",
    "tool-settled",
    "run-context",
];

/// The payload of one line.
///
/// ```
/// use sess::session::Verdict;
/// use sess::session::payload::Payload;
/// let line = br#"{"id":"a","payload":{"content":"Hi","role":"user"},"ts":"","type":"message","v":1}"#;
/// let Verdict::Object(envelope) = Verdict::of(line) else { unreachable!() };
/// let Payload::Message(message) = Payload::of(&envelope)? else { unreachable!() };
/// assert_eq!(message.content(), "Hi");
/// # Ok::<(), sess::session::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub enum Payload<'a> {
    /// Who and what the run is: an object, `{}` when the line holds none.
    SessionMeta(&'a str),
    /// One message.
    Message(MessageView<'a>),
    /// The complete list of grants, when it is a list.
    Grants(Option<&'a str>),
    /// The conversation so far, replaced by a summary.
    Compaction(CompactionView<'a>),
    /// Contents replaced by stubs.
    Elision(Vec<ElisionItem<'a>>),
    /// A tool call is about to be handed over.
    ToolDispatched(DispatchView<'a>),
    /// A tool call has ended.
    ToolSettled(SettleView<'a>),
    /// What surrounded a run; the payload's text.
    RunContext(&'a str),
    /// Any other type: carried, never interpreted.
    Other,
}

impl<'a> Payload<'a> {
    /// Reads an envelope's payload by its type.
    pub fn of(envelope: &Envelope<'a>) -> Result<Self, Fault> {
        let Some(type_name) = envelope.type_name() else {
            return Err(Fault::NoType);
        };
        let payload = envelope.payload().filter(|text| kind_of(text) == "object");
        let object = payload.unwrap_or("{}");
        Ok(match type_name.as_ref() {
            "session-meta" => Payload::SessionMeta(object),
            "message" => {
                needs_id(envelope, "message")?;
                Payload::Message(MessageView::of(envelope)?)
            }
            "grants" => {
                Payload::Grants(present(object, "grants").filter(|text| kind_of(text) == "array"))
            }
            "compaction" => {
                needs_id(envelope, "compaction")?;
                Payload::Compaction(CompactionView::of(object)?)
            }
            "elision" => Payload::Elision(elision_items(object)?),
            "tool-dispatched" => {
                needs_id(envelope, "tool-dispatched")?;
                Payload::ToolDispatched(DispatchView::of(object))
            }
            "tool-settled" => Payload::ToolSettled(SettleView::of(object)?),
            "run-context" => {
                needs_id(envelope, "run-context")?;
                Payload::RunContext(object)
            }
            _ => Payload::Other,
        })
    }
}

/// These lines are named by others, so an empty id would join what does not belong together.
fn needs_id(envelope: &Envelope<'_>, type_name: &'static str) -> Result<(), Fault> {
    match envelope.id() {
        Some(id) if !id.is_empty() => Ok(()),
        _ => Err(Fault::NoId { type_name }),
    }
}

/// A message line, checked, its text not yet decoded.
///
/// ```
/// use sess::Role;
/// use sess::session::Verdict;
/// use sess::session::payload::Payload;
/// let line = br#"{"id":"m","payload":{"content":"Hi","role":"user","sticky":true},"ts":"","type":"message","v":1}"#;
/// let Verdict::Object(envelope) = Verdict::of(line) else { unreachable!() };
/// let Payload::Message(view) = Payload::of(&envelope)? else { unreachable!() };
/// assert_eq!((view.role, view.content().as_ref()), (Role::User, "Hi"));
/// assert!(view.is_sticky());
/// # Ok::<(), sess::session::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct MessageView<'a> {
    /// Who speaks.
    pub role: Role,
    content: &'a str,
    tool_calls: Option<&'a str>,
    tool_call_id: Option<&'a str>,
    /// Survives every compaction.
    pub sticky: bool,
    /// Is the system prompt.
    pub sysprompt: bool,
    /// Is inserted this many messages from the end.
    pub depth: Option<i64>,
    /// Reports an error (the extra `is-error`).
    pub is_error: bool,
    /// Is, for a tool message, what the tool said: neither an acknowledgement that work goes on in
    /// the background nor a stand-in for a call that was given up on (the extras `background`,
    /// `outcome-unknown` and `abandoned`).
    pub is_result: bool,
    /// The payload up to its content, and what stands behind that.
    around_content: (&'a str, &'a str),
}

impl<'a> MessageView<'a> {
    pub(crate) fn of(envelope: &Envelope<'a>) -> Result<Self, Fault> {
        match envelope.payload() {
            Some(text) if kind_of(text) == "object" => {}
            Some(text) => return Err(bad("payload", "an object", text)),
            None => return Err(bad("payload", "an object", "missing")),
        }
        let part = |part| envelope.part(part).filter(|token| *token != "null");
        let flag = |flag| part(flag) == Some("true");
        Ok(Self {
            role: part(Part::Role).map_or(Ok(Role::User), role)?,
            content: part(Part::Content)
                .map_or(Ok("\"\""), |token| string_token("content", token))?,
            tool_calls: part(Part::ToolCalls).filter(|token| kind_of(token) == "array"),
            tool_call_id: part(Part::ToolCallId)
                .map(|token| string_token("tool-call-id", token))
                .transpose()?,
            sticky: boolean("sticky", part(Part::Sticky))?,
            sysprompt: boolean("sysprompt", part(Part::Sysprompt))?,
            depth: part(Part::Depth).map(depth).transpose()?,
            is_error: flag(Part::IsError),
            is_result: ![Part::Background, Part::OutcomeUnknown, Part::Abandoned]
                .into_iter()
                .any(flag),
            around_content: envelope.payload_around(Part::Content),
        })
    }

    /// Whether a compaction must keep it.
    pub fn is_sticky(&self) -> bool {
        self.sticky || self.sysprompt || self.depth.is_some()
    }

    /// What decides whether a compaction keeps it.
    pub(crate) fn standing(&self) -> Standing {
        let calls = self.tool_calls().next().is_some();
        Standing::new(self.role, calls, self.is_sticky())
    }

    /// The text.
    pub fn content(&self) -> Cow<'a, str> {
        canonical::unescape(self.content).text
    }

    /// The text as it lies in the line: a JSON string.
    pub(crate) fn content_token(&self) -> &'a str {
        self.content
    }

    /// Which call it answers.
    pub fn tool_call_id(&self) -> Option<Cow<'a, str>> {
        self.tool_call_id.and_then(string)
    }

    /// The calls it makes, as JSON text.
    pub fn tool_calls(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.tool_calls.and_then(elements).into_iter().flatten()
    }

    /// A key beside the message, such as `usage`, as JSON text; `null` counts as absent. The content,
    /// which is long, is not walked over again.
    pub fn extra(&self, key: &str) -> Option<&'a str> {
        let (before, behind) = self.around_content;
        let before = members(before).into_iter().flatten();
        let found = before
            .chain(Members::inside(behind))
            .filter(|(token, _)| spelled(token) == key)
            .last();
        found
            .map(|(_, value)| value)
            .filter(|token| *token != "null")
    }

    /// Whether an extra is `true`.
    pub fn flag(&self, key: &str) -> bool {
        self.extra(key) == Some("true")
    }

    /// The message itself.
    pub fn build(&self) -> Message {
        Message {
            role: self.role,
            content: self.content().into_owned(),
            tool_calls: self.tool_calls().map(Json::from_valid).collect(),
            tool_call_id: self.tool_call_id().map(Cow::into_owned),
            sticky: self.sticky,
            sysprompt: self.sysprompt,
            depth: self.depth,
        }
    }
}

/// A compaction line.
///
/// ```
/// use sess::session::Verdict;
/// use sess::session::payload::Payload;
/// let line = br#"{"id":"s","payload":{"replaces-through-id":"b","summary":"They talked."},"ts":"","type":"compaction","v":1}"#;
/// let Verdict::Object(envelope) = Verdict::of(line) else { unreachable!() };
/// let Payload::Compaction(view) = Payload::of(&envelope)? else { unreachable!() };
/// assert_eq!((view.through.as_ref(), view.summary().as_ref()), ("b", "They talked."));
/// assert_eq!(view.tokens(), (None, None));
/// # Ok::<(), sess::session::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct CompactionView<'a> {
    /// The last entry that is replaced.
    pub through: Cow<'a, str>,
    summary: &'a str,
    payload: &'a str,
}

impl<'a> CompactionView<'a> {
    fn of(payload: &'a str) -> Result<Self, Fault> {
        let through = present(payload, "replaces-through-id")
            .and_then(string)
            .ok_or(Fault::CompactionNoTarget)?;
        let summary = match present(payload, "summary") {
            Some(token) if token.starts_with('"') => token,
            Some(token) => {
                return Err(Fault::BadSummary {
                    found: shorten(token),
                });
            }
            None => "\"\"",
        };
        Ok(Self {
            through,
            summary,
            payload,
        })
    }

    /// The text that stands for what was replaced.
    pub fn summary(&self) -> Cow<'a, str> {
        canonical::unescape(self.summary).text
    }

    /// That text as it lies in the line: a JSON string.
    pub(crate) fn summary_token(&self) -> &'a str {
        self.summary
    }

    /// Whether the middle was cut hard because no summary could be had.
    pub fn fallback(&self) -> bool {
        present(self.payload, "fallback") == Some("true")
    }

    /// Tokens of the conversation before and after, where the writer counted them. Where one of the
    /// two is recorded as something that is no count, neither is trusted.
    pub fn tokens(&self) -> (Option<u64>, Option<u64>) {
        let count = |key| present(self.payload, key).map(str::parse).transpose();
        match (count("tokens-before"), count("tokens-after")) {
            (Ok(before), Ok(after)) => (before, after),
            _ => (None, None),
        }
    }

    /// What making the summary cost, as JSON text, where the writer recorded it.
    pub fn usage(&self) -> Option<&'a str> {
        present(self.payload, "usage")
    }
}

/// A dispatch line. Nothing in it is required when it is read.
///
/// ```
/// use sess::session::Verdict;
/// use sess::session::payload::Payload;
/// let line = br#"{"id":"d","payload":{"call-id":"c1","round":2,"tool":"read"},"ts":"","type":"tool-dispatched","v":1}"#;
/// let Verdict::Object(envelope) = Verdict::of(line) else { unreachable!() };
/// let Payload::ToolDispatched(view) = Payload::of(&envelope)? else { unreachable!() };
/// assert_eq!((view.call_id().as_str(), view.tool().as_str()), ("c1", "read"));
/// assert_eq!(view.get("round"), Some("2"));
/// # Ok::<(), sess::session::Fault>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DispatchView<'a> {
    payload: &'a str,
    /// The values of [`DISPATCH_KEYS`].
    known: [Option<&'a str>; DISPATCH_KEYS.len()],
}

const DISPATCH_KEYS: [&str; 7] = [
    "arguments",
    "arguments-digest",
    "call-id",
    "idempotency",
    "round",
    "run-id",
    "tool",
];

impl<'a> DispatchView<'a> {
    fn of(payload: &'a str) -> Self {
        let mut known = [None; DISPATCH_KEYS.len()];
        for (key, value) in members(payload).into_iter().flatten() {
            let key = spelled(key);
            let place = DISPATCH_KEYS.iter().position(|known| *known == key);
            if let Some(slot) = place.and_then(|place| known.get_mut(place)) {
                *slot = Some(value);
            }
        }
        Self { payload, known }
    }

    /// The model's id for the call.
    pub fn call_id(&self) -> String {
        self.get("call-id").map(text_of).unwrap_or_default()
    }

    /// The tool.
    pub fn tool(&self) -> String {
        self.get("tool").map(text_of).unwrap_or_default()
    }

    /// Any key as JSON text; `null` counts as absent.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        match DISPATCH_KEYS.iter().position(|known| *known == key) {
            Some(place) => self.known[place].filter(|token| *token != "null"),
            None => present(self.payload, key),
        }
    }
}

/// A settle line.
///
/// ```
/// use sess::session::payload::Payload;
/// use sess::session::{Outcome, Verdict};
/// let line = br#"{"id":"t","payload":{"duration":0.25,"op-id":"d","outcome":"completed"},"ts":"","type":"tool-settled","v":1}"#;
/// let Verdict::Object(envelope) = Verdict::of(line) else { unreachable!() };
/// let Payload::ToolSettled(view) = Payload::of(&envelope)? else { unreachable!() };
/// assert_eq!((view.op_id.as_ref(), view.outcome), ("d", Outcome::Completed));
/// assert_eq!(view.seconds(), Some(0.25));
/// # Ok::<(), sess::session::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct SettleView<'a> {
    /// The operation.
    pub op_id: Cow<'a, str>,
    /// How it ended.
    pub outcome: Outcome,
    payload: &'a str,
}

impl<'a> SettleView<'a> {
    fn of(payload: &'a str) -> Result<Self, Fault> {
        let op_id = present(payload, "op-id")
            .and_then(string)
            .filter(|id| !id.is_empty())
            .ok_or(Fault::SettleNoOperation)?;
        let token = present(payload, "outcome");
        let outcome = token
            .and_then(string)
            .and_then(|name| Outcome::named(&name))
            .ok_or_else(|| {
                let found = token.map_or_else(|| "none".to_owned(), shorten);
                Fault::SettleBadOutcome { found }
            })?;
        Ok(Self {
            op_id,
            outcome,
            payload,
        })
    }

    /// Seconds from dispatch to end, where the writer measured them.
    pub fn seconds(&self) -> Option<f64> {
        present(self.payload, "duration").and_then(|token| token.parse().ok())
    }

    /// Any other key as JSON text; `null` counts as absent.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        present(self.payload, key)
    }
}

/// How an operation ended.
///
/// ```
/// use sess::session::Outcome;
/// assert_eq!(Outcome::OutcomeUnknown.as_str(), "outcome-unknown");
/// assert_eq!(Outcome::named("completed"), Some(Outcome::Completed));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It answered.
    Completed,
    /// It answered with an error.
    Failed,
    /// Nobody knows: it was given up on, or the process died. Never read this as failed.
    OutcomeUnknown,
}

impl Outcome {
    /// The word in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Completed => "completed",
            Outcome::Failed => "failed",
            Outcome::OutcomeUnknown => "outcome-unknown",
        }
    }

    /// The outcome of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Outcome::Completed, Outcome::Failed, Outcome::OutcomeUnknown]
            .into_iter()
            .find(|outcome| outcome.as_str() == name)
    }
}

fn role(token: &str) -> Result<Role, Fault> {
    string(token)
        .and_then(|name| name.parse().ok())
        .ok_or_else(|| bad("role", "one of system, user, assistant, tool", token))
}

fn depth(token: &str) -> Result<i64, Fault> {
    token.parse().map_err(|_| bad("depth", "an integer", token))
}

fn string_token<'a>(field: &'static str, token: &'a str) -> Result<&'a str, Fault> {
    match token.starts_with('"') {
        true => Ok(token),
        false => Err(bad(field, "a string", token)),
    }
}

fn boolean(field: &'static str, token: Option<&str>) -> Result<bool, Fault> {
    match token {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(token) => Err(bad(field, "true or false", token)),
    }
}

fn bad(field: &'static str, expected: &'static str, found: &str) -> Fault {
    Fault::BadMessage {
        field,
        expected,
        found: shorten(found),
    }
}

/// Enough of a value to recognise it in an error.
fn shorten(token: &str) -> String {
    const LONGEST: usize = 60;
    match token.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &token[..end]),
        None => token.to_owned(),
    }
}
