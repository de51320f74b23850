//! What belongs together: a call, its dispatch, its answer and the line that settles it.
//!
//! Only the lines around what is shown are read. A call whose end stands further away is not
//! called open; what is open in the whole file is known from the [overview](super::overview).

use std::collections::HashMap;
use std::io;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::file::{Transcript, end_of};
use crate::clock::parse_utc;
use crate::look::entry::{Text, calls_of};
use crate::look::index::{IndexedLine, Kind};
use crate::message::Role;
use crate::session::envelope::Verdict;
use crate::session::operations::CallState;
use crate::session::payload::{MessageView, Outcome, Payload};

/// How far around the shown lines is read, in lines and bytes.
const LINES: usize = 200;
const BYTES: u64 = 512 * 1024;
/// How far from what was asked for the answer still holds, in lines.
const CORE: usize = 80;
/// So much of the arguments of a call is kept.
const ARGUMENTS: usize = 4_096;

/// One call, as far as the lines around tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Story {
    /// The model's id for it.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// What it was called with, or the beginning of that.
    pub arguments: String,
    /// Where the turn begins that asked for it, and when.
    pub asked: Option<Moment>,
    /// Where it was dispatched.
    pub dispatched: Option<Moment>,
    /// The operation's id.
    pub op_id: Option<String>,
    /// What may be done again: `read-only`, `idempotent`, …
    pub idempotency: Option<String>,
    /// Where it was answered, and how.
    pub answered: Option<Moment>,
    /// How the answer says it went.
    pub answer: Option<Answer>,
    /// Where it was settled.
    pub settled: Option<Moment>,
    /// How the settling says it went.
    pub outcome: Option<Outcome>,
    /// From dispatch to end, as the writer measured it.
    pub seconds: Option<f64>,
    /// What is known of it in the whole file, where that says that it has no known end.
    pub open: Option<CallState>,
    /// The writer is likely to be at work, so the end may still come.
    pub is_live: bool,
    /// So long it has been running, where it is.
    pub runs_for: Option<Duration>,
}

/// A line and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Where the line begins.
    pub offset: u64,
    /// When it was written.
    pub time: Option<DateTime<Utc>>,
}

/// What an answer says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A result.
    Result,
    /// An error.
    Error,
    /// Nobody knows how the call ended.
    Unknown,
    /// The call was given up on before it was dispatched.
    Abandoned,
    /// The call goes on in the background.
    Background,
}

/// How far a call came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Asked for; no further line is near.
    Proposed,
    /// Handed to its tool; no further line is near.
    Running,
    /// It goes on in the background.
    Background,
    /// It ended well.
    Completed,
    /// It ended in an error.
    Failed,
    /// It is recorded that nobody knows.
    Unknown,
    /// Given up on.
    Abandoned,
}

impl Story {
    /// How far it came.
    pub fn state(&self) -> State {
        match (self.answer, self.outcome) {
            (_, Some(Outcome::OutcomeUnknown)) | (Some(Answer::Unknown), _) => State::Unknown,
            (Some(Answer::Abandoned), _) => State::Abandoned,
            (_, Some(Outcome::Failed)) | (Some(Answer::Error), _) => State::Failed,
            (_, Some(Outcome::Completed)) | (Some(Answer::Result), _) => State::Completed,
            (Some(Answer::Background), None) => State::Background,
            (None, None) if self.dispatched.is_some() => State::Running,
            (None, None) => State::Proposed,
        }
    }

    /// How long it took, in seconds.
    pub fn took(&self) -> Option<f64> {
        let from = self
            .dispatched
            .or(self.asked)
            .and_then(|moment| moment.time);
        let to = self
            .answered
            .or(self.settled)
            .and_then(|moment| moment.time);
        let between = || {
            let lasted = to?.signed_duration_since(from?).to_std().ok()?;
            Some(lasted.as_secs_f64())
        };
        let is_sound = |seconds: &f64| seconds.is_finite() && *seconds >= 0.0;
        self.seconds.filter(is_sound).or_else(between)
    }
}

/// The calls around the shown lines.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// The lines of which is known what there is to know.
    from: u64,
    last: u64,
    /// Up to where the file was read.
    to: u64,
    /// There was nothing behind that.
    reaches_end: bool,
    stories: Vec<Story>,
    by_line: HashMap<u64, Vec<usize>>,
}

impl Links {
    /// The calls around a line, given by its beginning.
    pub fn around(file: &mut Transcript, offset: u64) -> io::Result<Self> {
        let core = lead(file, offset, CORE);
        let (last, _) = trail(file, offset, CORE);
        let from = lead(file, core, LINES);
        let (_, to) = trail(file, last, LINES);
        let mut links = Self {
            from: core,
            last,
            to,
            reaches_end: to >= file.size(),
            ..Self::default()
        };
        let mut lines = file.lines_from(from, 0)?;
        while let Some(line) = lines.next_line()? {
            if line.offset >= to {
                break;
            }
            if !may_matter(&IndexedLine::of(line)) {
                continue;
            }
            if let Verdict::Object(envelope) = Verdict::of(line.bytes)
                && let Ok(payload) = Payload::of(&envelope)
            {
                let at = Moment {
                    offset: line.offset,
                    time: parse_utc(&envelope.ts()),
                };
                links.take(&envelope.id().unwrap_or_default(), &payload, at);
            }
        }
        Ok(links)
    }

    /// Whether what is known of a line holds in a file of this size.
    pub fn covers(&self, offset: u64, size: u64) -> bool {
        let grown = self.reaches_end && self.to < size;
        self.to > 0 && (self.from..=self.last).contains(&offset) && !grown
    }

    /// The calls that a line is about: those a turn asks for, or the one of a dispatch, an answer
    /// or a settling.
    pub fn of(&self, offset: u64) -> impl Iterator<Item = &Story> {
        let places = self.by_line.get(&offset).into_iter().flatten();
        places.filter_map(|place| self.stories.get(*place))
    }

    fn take(&mut self, id: &str, payload: &Payload<'_>, at: Moment) {
        match payload {
            Payload::Message(view) if view.role == Role::Assistant => self.asked(view, at),
            Payload::Message(view) if view.role == Role::Tool => self.answered(view, at),
            Payload::ToolDispatched(view) => {
                let call_id = view.call_id();
                let waits = |story: &Story| story.dispatched.is_none() && story.answered.is_none();
                let place = self.find(&call_id, waits);
                let story = self.story(place, at.offset);
                story.call_id = call_id;
                story.tool = view.tool();
                if let Some(arguments) = view.get("arguments") {
                    story.arguments = beginning(Text::of_json(arguments));
                }
                story.idempotency = view
                    .get("idempotency")
                    .map(|json| Text::of_json(json).whole().into_owned());
                story.dispatched = Some(at);
                story.op_id = Some(id.to_owned());
            }
            Payload::ToolSettled(view) => {
                let is_it = |story: &Story| story.op_id.as_deref() == Some(view.op_id.as_ref());
                let place = self.stories.iter().rposition(is_it);
                let story = self.story(place, at.offset);
                // A second settling contradicts the first, which counts.
                if story.settled.is_none() {
                    story.op_id = Some(view.op_id.to_string());
                    story.settled = Some(at);
                    story.outcome = Some(view.outcome);
                    story.seconds = view.seconds();
                }
            }
            _ => {}
        }
    }

    fn asked(&mut self, view: &MessageView<'_>, at: Moment) {
        for call in calls_of(view) {
            let story = self.story(None, at.offset);
            story.call_id = call.id.into_owned();
            story.tool = call.name.into_owned();
            story.arguments = beginning(call.arguments);
            story.asked = Some(at);
        }
        self.by_line.entry(at.offset).or_default();
    }

    fn answered(&mut self, view: &MessageView<'_>, at: Moment) {
        let call_id = view.tool_call_id().unwrap_or_default();
        let place = self.find(&call_id, |story| story.answered.is_none());
        let story = self.story(place, at.offset);
        story.call_id = call_id.into_owned();
        story.answered = Some(at);
        story.answer = Some(if view.flag("outcome-unknown") {
            Answer::Unknown
        } else if view.flag("abandoned") {
            Answer::Abandoned
        } else if view.flag("is-error") {
            Answer::Error
        } else if view.flag("background") {
            Answer::Background
        } else {
            Answer::Result
        });
    }

    /// The latest call that waits for such a line; of several in one turn the first.
    fn find(&self, call_id: &str, waits: impl Fn(&Story) -> bool) -> Option<usize> {
        let fits = |story: &Story| story.call_id == call_id && waits(story);
        let turn = self.stories.iter().rfind(|story| fits(story))?.asked;
        self.stories
            .iter()
            .position(|story| fits(story) && story.asked == turn)
    }

    /// The call at a place, or a further one, which this line is about.
    fn story(&mut self, place: Option<usize>, offset: u64) -> &mut Story {
        let place = place.unwrap_or_else(|| {
            self.stories.push(Story::default());
            self.stories.len() - 1
        });
        self.by_line.entry(offset).or_default().push(place);
        &mut self.stories[place]
    }
}

fn beginning(text: Text<'_>) -> String {
    text.beginning(ARGUMENTS).0.into_owned()
}

fn may_matter(line: &IndexedLine) -> bool {
    match line.kind {
        Kind::Message => matches!(line.role, Some(Role::Assistant | Role::Tool)),
        Kind::Dispatched | Kind::Settled => true,
        _ => false,
    }
}

/// The beginning of the line so many lines before, or fewer where they are long.
fn lead(file: &mut Transcript, first: u64, lines: usize) -> u64 {
    let mut from = first;
    for _ in 0..lines {
        match file.before(from) {
            Some(line) if first - line.offset <= BYTES => from = line.offset,
            _ => break,
        }
    }
    from
}

/// The beginning and the end of the line so many lines after, or fewer where they are long.
fn trail(file: &Transcript, last: u64, lines: usize) -> (u64, u64) {
    let Some(mut line) = file.line(last) else {
        return (last, last + 1);
    };
    for _ in 0..lines {
        match file.after(line.offset) {
            Some(next) if end_of(&next) - last <= BYTES => line = next,
            _ => break,
        }
    }
    (line.offset, end_of(&line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_operation_settled_twice_the_first_word_counts() {
        let lines = [
            r#"{"id":"m","payload":{},"ts":"","type":"session-meta","v":1}"#,
            r#"{"id":"o","payload":{"call-id":"c","tool":"read"},"ts":"","type":"tool-dispatched","v":1}"#,
            r#"{"id":"s","payload":{"duration":1,"op-id":"o","outcome":"completed"},"ts":"","type":"tool-settled","v":1}"#,
            r#"{"id":"t","payload":{"duration":7,"op-id":"o","outcome":"failed"},"ts":"","type":"tool-settled","v":1}"#,
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        std::fs::write(&path, lines.map(|line| format!("{line}\n")).concat()).unwrap();
        let mut file = Transcript::open(&path).unwrap();
        let starts: Vec<u64> = lines
            .iter()
            .scan(0, |next, line| {
                let start = *next;
                *next += line.len() as u64 + 1;
                Some(start)
            })
            .collect();
        let links = Links::around(&mut file, starts[1]).unwrap();
        for start in &starts[1..] {
            let found: Vec<_> = links.of(*start).collect();
            let [story] = found[..] else {
                panic!("{found:?}");
            };
            assert_eq!(story.outcome, Some(Outcome::Completed));
            assert_eq!(story.seconds, Some(1.0));
            assert_eq!(story.settled.unwrap().offset, starts[2]);
        }
    }
}
