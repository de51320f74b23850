//! What one line is.

use std::borrow::Cow;

use chrono::{DateTime, Utc};

use super::call::calls_of;
use super::calls::Calls;
use super::mark::Mark;
use super::phrase::Phrase;
use super::{say, text::Text};
use crate::clock::parse_utc;
use crate::message::Role;
use crate::session::damage::Damage;
use crate::session::envelope::{Envelope, Verdict};
use crate::session::error::Fault;
use crate::session::payload::{
    CompactionView, DispatchView, ElisionItem, MessageView, Outcome, Payload, SettleView,
};
use crate::session::read::{Ending, Line};

/// One line of a transcript that is not blank.
///
/// ```
/// use sess::look::entry::Entries;
/// use sess::session::Verdict;
/// use sess::session::read::Lines;
/// let line = r#"{"id":"d","payload":{"call-id":"c1","tool":"read"},"ts":"","type":"tool-dispatched","v":1}"#;
/// let mut lines = Lines::new(line.as_bytes());
/// let line = lines.next_line()?.unwrap();
/// let entry = Entries::default().entry(line, &Verdict::of(line.bytes)).unwrap();
/// assert_eq!((entry.line, entry.tool.as_deref()), (1, Some("read")));
/// // What a file claims to be a time need not be one.
/// assert_eq!(entry.time, None);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The line, counted from 1.
    pub line: u64,
    /// Where it begins, in bytes from the start of the file.
    pub offset: u64,
    /// The line's bytes without the separator.
    pub bytes: &'a [u8],
    /// The separator.
    pub ending: Ending,
    /// The envelope, when the line is a JSON object.
    pub envelope: Option<Envelope<'a>>,
    /// When it was written, if its `ts` is a time.
    pub time: Option<DateTime<Utc>>,
    /// What it is.
    pub what: What<'a>,
    /// The tool that a tool's answer, a dispatch or a settle line is about, where it is known.
    pub tool: Option<String>,
    /// Whether dispatches are recorded, as far as is known: then a call's arguments stand in a line
    /// of their own.
    pub dispatches_recorded: bool,
}

/// What a line is. The payloads of the eight built-in types, and everything else that may stand
/// in a file.
///
/// ```
/// use sess::look::entry::{Entries, What};
/// use sess::session::Verdict;
/// use sess::session::read::Lines;
/// let mut lines = Lines::new("{\"id\":\"a\",\"ty\n[1,2]\n".as_bytes());
/// let mut entries = Entries::default();
/// let torn = lines.next_line()?.unwrap();
/// let entry = entries.entry(torn, &Verdict::of(torn.bytes)).unwrap();
/// assert!(matches!(entry.what, What::Damaged(_)));
/// let list = lines.next_line()?.unwrap();
/// let entry = entries.entry(list, &Verdict::of(list.bytes)).unwrap();
/// assert!(matches!(entry.what, What::Value("array")));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum What<'a> {
    /// Who and what the run is: an object.
    Meta(&'a str),
    /// A message.
    Message(MessageView<'a>),
    /// The list of grants, when it is a list.
    Grants(Option<&'a str>),
    /// The conversation so far, replaced by a summary.
    Compaction(CompactionView<'a>),
    /// Contents replaced by stubs.
    Elision(Vec<ElisionItem<'a>>),
    /// A call is about to be handed to its tool.
    Dispatched(DispatchView<'a>),
    /// A call has ended.
    Settled(SettleView<'a>),
    /// What surrounded a run: an object.
    RunContext(&'a str),
    /// An envelope of a type that has no meaning here, and its payload.
    Other(Option<&'a str>),
    /// A JSON object that is not what it claims to be.
    Faulty(Fault),
    /// Another JSON value, named by its kind.
    Value(&'static str),
    /// Not one whole JSON value.
    Damaged(Damage),
}

/// Makes entries of lines, which come in file order, and remembers which tool a call was of.
///
/// ```
/// use sess::look::entry::Entries;
/// use sess::session::Verdict;
/// use sess::session::read::Lines;
/// let line = r#"{"id":"a","payload":{"content":"Two\nlines","role":"user"},"ts":"","type":"message","v":1}"#;
/// let mut lines = Lines::new(line.as_bytes());
/// let line = lines.next_line()?.unwrap();
/// let entry = Entries::default().entry(line, &Verdict::of(line.bytes)).unwrap();
/// assert_eq!((&*entry.label(), &*entry.phrase(40)), ("user", "Two⏎lines"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Entries {
    calls: Calls,
    records_dispatches: bool,
}

impl Entries {
    /// Lines of a transcript of which it is known whether its writer records dispatches.
    pub fn of_writer(records_dispatches: bool) -> Self {
        Self {
            records_dispatches,
            ..Self::default()
        }
    }

    /// The entry of a line; none for a blank one.
    pub fn entry<'a>(&mut self, line: Line<'a>, verdict: &Verdict<'a>) -> Option<Entry<'a>> {
        let (envelope, what) = match verdict {
            Verdict::Blank => return None,
            Verdict::Damaged(damage) => (None, What::Damaged(damage.clone())),
            Verdict::Value(kind) => (None, What::Value(kind)),
            Verdict::Object(envelope) => (Some(*envelope), What::of(envelope)),
        };
        let id = envelope.and_then(|envelope| envelope.id());
        let tool = self.tool_of(&what);
        self.note(&what, &id.unwrap_or_default());
        Some(Entry {
            line: line.number,
            offset: line.offset,
            bytes: line.bytes,
            ending: line.ending,
            time: envelope.and_then(|envelope| parse_utc(&envelope.ts())),
            envelope,
            what,
            tool,
            dispatches_recorded: self.records_dispatches,
        })
    }

    fn tool_of(&self, what: &What<'_>) -> Option<String> {
        match what {
            What::Message(view) if view.role == Role::Tool => self
                .calls
                .tool_of_call(&view.tool_call_id()?)
                .map(str::to_owned),
            What::Dispatched(view) => Some(view.tool()),
            What::Settled(view) => self.calls.tool_of_operation(&view.op_id).map(str::to_owned),
            _ => None,
        }
    }

    fn note(&mut self, what: &What<'_>, id: &str) {
        match what {
            What::Message(view) => {
                for call in calls_of(view) {
                    self.calls.asked(&call.id, &call.name);
                }
            }
            What::Dispatched(view) => {
                self.records_dispatches = true;
                self.calls.dispatched(id, &view.tool());
            }
            _ => {}
        }
    }
}

impl<'a> What<'a> {
    fn of(envelope: &Envelope<'a>) -> Self {
        match Payload::of(envelope) {
            Ok(Payload::SessionMeta(payload)) => What::Meta(payload),
            Ok(Payload::Message(view)) => What::Message(view),
            Ok(Payload::Grants(list)) => What::Grants(list),
            Ok(Payload::Compaction(view)) => What::Compaction(view),
            Ok(Payload::Elision(items)) => What::Elision(items),
            Ok(Payload::ToolDispatched(view)) => What::Dispatched(view),
            Ok(Payload::ToolSettled(view)) => What::Settled(view),
            Ok(Payload::RunContext(payload)) => What::RunContext(payload),
            Ok(Payload::Other) => What::Other(envelope.payload()),
            Err(fault) => What::Faulty(fault),
        }
    }
}

impl<'a> Entry<'a> {
    /// The type as it stands in the file; none for a line that is no envelope.
    pub fn type_name(&self) -> Option<Cow<'a, str>> {
        self.envelope.and_then(|envelope| envelope.type_name())
    }

    /// Who speaks, in a message.
    pub fn role(&self) -> Option<Role> {
        match &self.what {
            What::Message(view) => Some(view.role),
            _ => None,
        }
    }

    /// What the line is in one word: the role of a message, a short name for the other built-in
    /// types, the type itself for the rest.
    pub fn label(&self) -> Cow<'a, str> {
        match &self.what {
            What::Meta(_) => "meta".into(),
            What::Message(view) => view.role.as_str().into(),
            What::Grants(_) => "grants".into(),
            What::Compaction(_) => "compaction".into(),
            What::Elision(_) => "elision".into(),
            What::Dispatched(_) => "dispatch".into(),
            What::Settled(_) => "settled".into(),
            What::RunContext(_) => "context".into(),
            What::Other(_) => self.type_name().unwrap_or_default(),
            What::Faulty(_) => self.type_name().unwrap_or("object".into()),
            What::Value(kind) => (*kind).into(),
            What::Damaged(_) => "damaged".into(),
        }
    }

    /// What makes it stand out, as far as the line itself tells.
    pub fn mark(&self) -> Option<Mark> {
        match &self.what {
            What::Message(view) if view.flag("outcome-unknown") => Some(Mark::OutcomeUnknown),
            What::Message(view) if view.flag("is-error") => Some(Mark::Error),
            What::Settled(view) if view.outcome == Outcome::OutcomeUnknown => {
                Some(Mark::OutcomeUnknown)
            }
            What::Settled(view) if view.outcome == Outcome::Failed => Some(Mark::Error),
            What::Compaction(_) | What::Elision(_) => Some(Mark::Folded),
            What::Faulty(_) | What::Value(_) | What::Damaged(_) => Some(Mark::Damaged),
            _ => None,
        }
    }

    /// The tools it is about: those a turn of the model calls, or the one of [`Entry::tool`].
    pub fn tools(&self) -> Vec<String> {
        match &self.what {
            What::Message(view) if view.role == Role::Assistant => {
                calls_of(view).map(|call| call.name.into_owned()).collect()
            }
            _ => self.tool.iter().cloned().collect(),
        }
    }

    /// What it says, in one safe line of at most `columns` columns.
    pub fn phrase(&self, columns: usize) -> String {
        let mut phrase = Phrase::new(columns);
        say::entry(self, &mut phrase);
        phrase.finish()
    }

    /// Its whole texts: what a search looks through.
    pub fn texts(&self) -> Vec<Cow<'a, str>> {
        match &self.what {
            What::Message(view) => texts_of_message(view),
            What::Compaction(view) => vec![view.summary()],
            What::Elision(items) => items.iter().map(|item| item.stub.clone()).collect(),
            What::Dispatched(view) => {
                let arguments = view
                    .get("arguments")
                    .map(|json| Text::of_json(json).whole());
                std::iter::once(view.tool().into())
                    .chain(arguments)
                    .collect()
            }
            What::Settled(view) => {
                let more = ["reason", "error"]
                    .into_iter()
                    .filter_map(|key| view.get(key));
                let more = more.map(|json| Text::of_json(json).whole());
                std::iter::once(view.outcome.as_str().into())
                    .chain(more)
                    .collect()
            }
            What::Meta(payload) | What::RunContext(payload) => vec![Cow::Borrowed(*payload)],
            What::Grants(list) => list.iter().map(|list| Cow::Borrowed(*list)).collect(),
            What::Other(payload) => payload.iter().map(|text| Cow::Borrowed(*text)).collect(),
            What::Faulty(_) | What::Value(_) | What::Damaged(_) => {
                vec![Text::Bytes(self.bytes).whole()]
            }
        }
    }
}

fn texts_of_message<'a>(view: &MessageView<'a>) -> Vec<Cow<'a, str>> {
    let reasoning = view
        .extra("reasoning")
        .map(|json| Text::of_json(json).whole());
    let calls = calls_of(view).flat_map(|call| [call.name, call.arguments.whole()]);
    let mut texts = vec![view.content()];
    texts.extend(reasoning);
    texts.extend(view.tool_call_id());
    texts.extend(calls);
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::read::Lines;

    /// Label, glyph, tools and phrase of each line.
    fn told(text: &str) -> Vec<(String, Option<char>, Vec<String>, String)> {
        let mut lines = Lines::new(text.as_bytes());
        let mut entries = Entries::default();
        let mut told = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            if let Some(entry) = entries.entry(line, &Verdict::of(line.bytes)) {
                let glyph = entry.mark().map(Mark::glyph);
                let label = entry.label().into_owned();
                told.push((label, glyph, entry.tools(), entry.phrase(60)));
            }
        }
        told
    }

    #[track_caller]
    fn check(type_name: &str, payload: &str, label: &str, glyph: Option<char>, phrase: &str) {
        let line =
            format!(r#"{{"id":"i","payload":{payload},"ts":"","type":"{type_name}","v":1}}"#);
        let found = told(&line).remove(0);
        let expected = (label.to_owned(), glyph, phrase.to_owned());
        assert_eq!((found.0, found.1, found.3), expected);
    }

    #[test]
    fn every_type_has_its_words() {
        let error = Some('✗');
        check(
            "session-meta",
            r#"{"n":1,"model":"k2"}"#,
            "meta",
            None,
            "k2 · n: 1",
        );
        check("message", r#"{"content":" a\nb\n"}"#, "user", None, "a⏎b");
        check(
            "message",
            r#"{"role":"assistant","content":"cut","finish-reason":"length"}"#,
            "assistant",
            None,
            "[finish-reason length] cut",
        );
        check(
            "message",
            r#"{"role":"tool","tool-call-id":"c","content":"x","is-error":true}"#,
            "tool",
            error,
            "c failed: x",
        );
        check(
            "message",
            r#"{"role":"tool","outcome-unknown":true,"is-error":true}"#,
            "tool",
            Some('?'),
            "(outcome unknown):",
        );
        check(
            "grants",
            r#"{"grants":[{"decision":"ask","tool":"shell","path":"/"},7]}"#,
            "grants",
            None,
            "2 grants: ask shell /; 7",
        );
        check(
            "compaction",
            r#"{"replaces-through-id":"x","summary":"s","tokens-before":2000,"fallback":true}"#,
            "compaction",
            Some('≡'),
            "2,000 → ? tokens, without a summary of the model: s",
        );
        check(
            "elision",
            r#"{"items":[{"id":"a","stub":"gone"},{"id":"b","stub":""}]}"#,
            "elision",
            Some('≡'),
            "2 contents replaced: gone",
        );
        check(
            "tool-dispatched",
            r#"{"tool":"t","arguments":{"a":1,"b":"x"}}"#,
            "dispatch",
            None,
            "t a: 1, b: x",
        );
        check(
            "tool-settled",
            r#"{"op-id":"o","outcome":"outcome-unknown","reason":"deadline","duration":61}"#,
            "settled",
            Some('?'),
            "o ended, outcome unknown in 1m 01s (deadline)",
        );
        check(
            "run-context",
            r#"{"sections":[{"name":"a"},{"name":"b"}],"facts":[["k","v"]]}"#,
            "context",
            None,
            "a, b · k: v",
        );
        check("note", r#"{"x":[1]}"#, "note", None, "x: [1]");
    }

    #[test]
    fn what_is_no_entry_of_the_format_is_marked() {
        let found = told("{\"a\":1}\n\n[1]\n{\"cut\nnull");
        let expected = [
            ("object", "the line has no type: {\"a\":1}"),
            ("array", "[1]"),
            ("damaged", "truncated: {\"cut"),
            ("null", "null"),
        ];
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(label, _, _, phrase)| (label.as_str(), phrase.as_str()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn answers_are_told_by_the_tool_that_gave_them() {
        let call = r#"{"id":"c","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}"#;
        let line = |id: &str, type_name: &str, payload: &str| {
            format!(r#"{{"id":"{id}","payload":{payload},"ts":"","type":"{type_name}","v":1}}"#)
        };
        let asked =
            format!(r#"{{"role":"assistant","content":"Let me see.","tool-calls":[{call}]}}"#);
        let lines = [
            line("a", "message", &asked),
            line("o", "tool-dispatched", r#"{"call-id":"c","tool":"read"}"#),
            line(
                "r",
                "message",
                r#"{"role":"tool","tool-call-id":"c","content":"text"}"#,
            ),
            line(
                "s",
                "tool-settled",
                r#"{"op-id":"o","outcome":"completed"}"#,
            ),
            line("b", "message", &asked),
        ];
        let found = told(&lines.join("\n"));
        let phrases: Vec<&str> = found.iter().map(|told| told.3.as_str()).collect();
        let expected = [
            "Let me see. → read a",
            "read",
            "read: text",
            "read completed",
            "Let me see. → read",
        ];
        assert_eq!(phrases, expected);
        assert!(found.iter().all(|told| told.2 == ["read"]));
    }
}
