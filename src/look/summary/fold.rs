//! The pass that makes a [`Summary`].

use std::io::{self, Read};
use std::ops::ControlFlow;

use chrono::{DateTime, Utc};

use super::tally::{Tally, ToolUse};
use super::verdict::LastTurn;
use crate::Json;
use crate::look::check::{Checker, Report};
use crate::look::entry::{Calls, calls_of};
use crate::message::Role;
use crate::session::envelope::{Envelope, Verdict, present};
use crate::session::judge::each_line;
use crate::session::payload::{MessageView, Payload, elided};
use crate::session::peek::{First, says_something};
use crate::session::read::Line;

/// What a transcript amounts to.
///
/// ```
/// use std::fs::File;
/// use sess::look::summary::{Progress, summarise};
/// let summary = summarise(File::open("samples/sessions/healthy.jsonl")?)?;
/// assert_eq!((summary.counts.entries, summary.progress()), (32, Progress::Finished));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Summary {
    /// Whether it is whole, what is wrong, and which calls are open.
    pub report: Report,
    /// The first session-meta payload that is not empty.
    pub meta: Json,
    /// Why it is no transcript of this version, if it is none.
    pub refusal: Option<String>,
    /// What was counted.
    pub counts: Counts,
}

/// What is counted on the way.
///
/// ```
/// use std::fs::File;
/// use sess::look::summary::summarise;
/// let counts = summarise(File::open("samples/sessions/two-compactions.jsonl")?)?.counts;
/// assert_eq!(counts.roles, [2, 4, 7, 4]);
/// assert_eq!((counts.compactions, counts.elided), (2, 1));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Lines that are not blank.
    pub entries: u64,
    /// Envelopes by type.
    pub types: Tally<u64>,
    /// Messages by role: system, user, assistant, tool.
    pub roles: [u64; 4],
    /// The first and the last time stamp in file order that are times.
    pub span: Option<(DateTime<Utc>, DateTime<Utc>)>,
    /// The usage that the turns of the model and the summaries report, added up.
    pub tokens: Tokens,
    /// Calls by tool.
    pub tools: Tally<ToolUse>,
    /// Compactions.
    pub compactions: u64,
    /// Contents replaced by elisions.
    pub elided: u64,
    /// The last turn of the conversation.
    pub last_turn: LastTurn,
}

/// Usage as reported. What no turn reports stays absent.
///
/// ```
/// use sess::look::summary::{Tokens, summarise};
/// let lines = r#"{"id":"0","payload":{},"ts":"","type":"session-meta","v":1}
/// {"id":"a","payload":{"role":"assistant","usage":{"prompt-tokens":12}},"ts":"","type":"message","v":1}"#;
/// let tokens = summarise(lines.as_bytes())?.counts.tokens;
/// assert_eq!(tokens, Tokens { prompt: Some(12), ..Tokens::default() });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tokens {
    /// Of the prompts.
    pub prompt: Option<u64>,
    /// Of those, found in the provider's cache.
    pub cached: Option<u64>,
    /// Written by the model.
    pub completion: Option<u64>,
    /// In the unit the provider counts in.
    pub cost: Option<f64>,
}

impl Summary {
    /// Whether the writer records what it hands to tools.
    pub fn records_dispatches(&self) -> bool {
        let types = self.counts.types.named();
        types.iter().any(|(name, _)| name == "tool-dispatched")
    }
}

/// Reads the source to its end. Memory grows with the ids in it, not with its text.
pub fn summarise(source: impl Read) -> io::Result<Summary> {
    let mut summariser = Summariser::default();
    each_line(source, |line, verdict| {
        summariser.line(line, &verdict);
        ControlFlow::<()>::Continue(())
    })?;
    Ok(summariser.finish())
}

/// The pass, fed line by line in file order.
///
/// ```
/// use sess::look::summary::Summariser;
/// use sess::session::Verdict;
/// use sess::session::read::Lines;
/// let mut lines = Lines::new("[1,2]\n\n".as_bytes());
/// let mut summariser = Summariser::default();
/// while let Some(line) = lines.next_line()? {
///     summariser.line(line, &Verdict::of(line.bytes));
/// }
/// let summary = summariser.finish();
/// assert_eq!(summary.counts.entries, 1);
/// assert_eq!(summary.refusal.as_deref(), Some("no line of it is an envelope"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Summariser {
    checker: Checker,
    calls: Calls,
    meta: Option<Json>,
    first: First,
    counts: Counts,
}

impl Summariser {
    /// Takes the next line in.
    pub fn line<'a>(&mut self, line: Line<'a>, verdict: &Verdict<'a>) {
        let payload = self.checker.line(line, verdict);
        self.counts.entries += u64::from(!matches!(verdict, Verdict::Blank));
        let Verdict::Object(envelope) = verdict else {
            return;
        };
        let Some(type_name) = envelope.type_name() else {
            return;
        };
        self.first.see(envelope);
        *self.counts.types.of(&type_name) += 1;
        self.time(envelope);
        match payload {
            Some(Payload::SessionMeta(payload)) => self.meta(payload),
            Some(Payload::Message(view)) => self.message(&view),
            Some(Payload::Compaction(view)) => {
                self.counts.compactions += 1;
                if let Some(usage) = view.usage() {
                    self.counts.tokens.add(usage);
                }
            }
            Some(Payload::Elision(items)) => self.counts.elided += elided(&items),
            Some(Payload::ToolDispatched(view)) => {
                let call_id = view.call_id();
                if self.calls.tool_of_call(&call_id).is_none() {
                    self.called(&call_id, &view.tool());
                }
            }
            _ => {}
        }
    }

    /// What it comes to.
    pub fn finish(self) -> Summary {
        Summary {
            report: self.checker.finish(),
            meta: self.meta.unwrap_or_else(Json::empty_object),
            refusal: self.first.strict_verdict().err(),
            counts: self.counts,
        }
    }

    fn time(&mut self, envelope: &Envelope<'_>) {
        if let Some(time) = crate::clock::parse_utc(&envelope.ts()) {
            let (first, _) = self.counts.span.unwrap_or((time, time));
            self.counts.span = Some((first, time));
        }
    }

    fn meta(&mut self, payload: &str) {
        if self.meta.is_none() && says_something(payload) {
            self.meta = Some(Json::from_valid(payload));
        }
    }

    fn message(&mut self, view: &MessageView<'_>) {
        self.counts.roles[view.role as usize] += 1;
        self.counts.last_turn.take(view);
        match view.role {
            Role::Assistant => {
                for call in calls_of(view) {
                    self.called(&call.id, &call.name);
                }
                if let Some(usage) = view.extra("usage") {
                    self.counts.tokens.add(usage);
                }
            }
            Role::Tool => self.answered(view),
            Role::System | Role::User => {}
        }
    }

    fn called(&mut self, call_id: &str, tool: &str) {
        self.counts.tools.of(tool).calls += 1;
        self.calls.asked(call_id, tool);
    }

    fn answered(&mut self, view: &MessageView<'_>) {
        let call_id = view.tool_call_id().unwrap_or_default();
        let Some(tool) = self.calls.tool_of_call(&call_id) else {
            return;
        };
        let tool = self.counts.tools.of(tool);
        if view.flag("outcome-unknown") {
            tool.unknown += 1;
        } else if view.flag("is-error") {
            tool.failed += 1;
        }
    }
}

impl Tokens {
    /// Whether no turn reports any.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what one turn reports.
    pub(in crate::look) fn add(&mut self, usage: &str) {
        let count = |key| present(usage, key).and_then(|token| token.parse::<u64>().ok());
        add(&mut self.prompt, count("prompt-tokens"));
        add(&mut self.cached, count("cached-prompt-tokens"));
        add(&mut self.completion, count("completion-tokens"));
        let cost = present(usage, "cost").and_then(|token| token.parse::<f64>().ok());
        if let Some(cost) = cost.filter(|cost| cost.is_finite()) {
            self.cost = Some(self.cost.unwrap_or(0.0) + cost);
        }
    }
}

fn add(sum: &mut Option<u64>, count: Option<u64>) {
    if let Some(count) = count {
        *sum = Some(sum.unwrap_or(0).saturating_add(count));
    }
}

#[cfg(test)]
mod tests {
    use super::super::summarise;
    use super::Tokens;

    #[test]
    fn turns_and_summaries_are_both_paid_for() {
        let lines = [
            r#"{"id":"m","payload":{},"ts":"","type":"session-meta","v":1}"#,
            r#"{"id":"a","payload":{"role":"assistant","usage":{"completion-tokens":5,"cost":0.5,"prompt-tokens":50}},"ts":"","type":"message","v":1}"#,
            r#"{"id":"c","payload":{"replaces-through-id":"a","summary":"s","usage":{"completion-tokens":20,"cost":0.25,"prompt-tokens":100}},"ts":"","type":"compaction","v":1}"#,
        ];
        let summary = summarise(lines.join("\n").as_bytes()).unwrap();
        let expected = Tokens {
            prompt: Some(150),
            completion: Some(25),
            cost: Some(0.75),
            ..Tokens::default()
        };
        assert_eq!(summary.counts.tokens, expected);
    }
}
