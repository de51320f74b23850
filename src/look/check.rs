//! Says what state a transcript is in, reading every byte and changing none.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Read};
use std::ops::ControlFlow;

use crate::session::damage::{Damage, DamageKind};
use crate::session::envelope::{Envelope, Verdict as LineVerdict};
use crate::session::error::Fault;
use crate::session::judge::each_line;
use crate::session::operations::OpenCall;
use crate::session::payload::Payload;
use crate::session::read::{Ending, Line};
use crate::session::replay::{Replay, ShortKey};

/// The state of a transcript, from best to worst.
///
/// ```
/// use sess::look::check::Health;
/// assert!(Health::Healthy < Health::TornTail && Health::TornTail < Health::Damaged);
/// assert_eq!(Health::MissingNewline.as_str(), "missing-last-newline");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Health {
    /// Nothing is wrong. Calls at the very end may still be open.
    Healthy,
    /// The last line is whole and lacks its line feed; loading adds it.
    MissingNewline,
    /// The last line was torn by a crash; loading cuts it off.
    TornTail,
    /// Every line is whole, but they contradict each other, or a call was left without an answer.
    Inconsistent,
    /// Lines are broken in a way that no crash at the end explains.
    Damaged,
    /// Something else than a transcript of this version.
    NotTranscript,
}

impl Health {
    /// The verdict as machine output names it.
    pub fn as_str(self) -> &'static str {
        match self {
            Health::Healthy => "healthy",
            Health::MissingNewline => "missing-last-newline",
            Health::TornTail => "torn-tail",
            Health::Inconsistent => "inconsistent",
            Health::Damaged => "damaged",
            Health::NotTranscript => "not-a-transcript",
        }
    }
}

impl fmt::Display for Health {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Health::Healthy => "healthy",
            Health::MissingNewline => "missing last newline",
            Health::TornTail => "torn tail",
            Health::Inconsistent => "inconsistent",
            Health::Damaged => "damaged",
            Health::NotTranscript => "not a transcript",
        })
    }
}

/// One thing that is wrong.
///
/// ```
/// use std::fs::File;
/// use sess::look::check::check;
/// let report = check(File::open("samples/sessions/mid-file-damage.jsonl")?)?;
/// let truncated = report.problems.iter().find(|problem| problem.kind == "truncated");
/// assert_eq!(truncated.map(|problem| problem.line), Some(15));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, counted from 1.
    pub line: u64,
    /// Where the line begins, in bytes from the start of the file; for what is missing at the end,
    /// where it is missing.
    pub offset: u64,
    /// Length of the line in bytes, without its separator.
    pub length: u64,
    /// What it is, as machine output names it.
    pub kind: &'static str,
    /// In words, for a person.
    pub message: String,
}

/// What [`check`] found.
///
/// ```
/// use std::fs::File;
/// use sess::look::check::{Health, check};
/// let report = check(File::open("samples/sessions/mid-file-damage.jsonl")?)?;
/// assert_eq!(report.health, Health::Damaged);
/// assert!(report.problems.iter().any(|problem| problem.line == 15));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    /// The worst of it.
    pub health: Health,
    /// All of it, in file order; at most the first [`MOST_PROBLEMS`] of broken lines.
    pub problems: Vec<Problem>,
    /// How many problems were found and are not listed.
    pub left_out: u64,
    /// What is worth knowing and makes no transcript unhealthy, in file order.
    pub notes: Vec<Problem>,
    /// Calls without a known end.
    pub open_calls: Vec<OpenCall>,
    /// Physical lines.
    pub lines: u64,
    /// Bytes.
    pub size: u64,
}

impl Report {
    /// Says that this is no transcript, and why.
    pub fn why_none(&self) -> String {
        match self.problems.first() {
            Some(problem) => format!("not a transcript: {}", problem.message),
            None => "not a transcript".to_owned(),
        }
    }
}

/// How many problems, and how many notes, are kept: a file of another kind has one a line.
pub const MOST_PROBLEMS: usize = 1000;

/// Reads the source to its end. Memory grows with the ids in it, not with its text.
pub fn check(source: impl Read) -> io::Result<Report> {
    let mut checker = Checker::default();
    each_line(source, |line, verdict| {
        checker.line(line, &verdict);
        ControlFlow::<()>::Continue(())
    })?;
    Ok(checker.finish())
}

/// The same check, fed line by line by somebody who wants more from the pass than the check.
///
/// ```
/// use std::ops::ControlFlow;
/// use sess::look::check::{Checker, Health};
/// use sess::session::judge::each_line;
/// let mut checker = Checker::default();
/// each_line("no transcript\n".as_bytes(), |line, verdict| {
///     checker.line(line, &verdict);
///     ControlFlow::<()>::Continue(())
/// })?;
/// assert_eq!(checker.finish().health, Health::NotTranscript);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Checker {
    replay: Replay<ShortKey, ()>,
    health: Health,
    problems: Vec<Problem>,
    left_out: u64,
    notes: Vec<Problem>,
    /// The last line, when it is damaged: whether it is a torn tail shows only at the end.
    last_bad: Option<(u64, bool)>,
    /// Offset and length of the lines that ask for a call or dispatch one.
    call_lines: HashMap<u64, (u64, u64)>,
    /// Damaged lines, the last one included.
    damaged: u64,
    first: First,
    lines: u64,
    size: u64,
    ending: Ending,
}

/// What the first line that is not blank makes of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    Unseen,
    Meta,
    /// Broken; an envelope further down shows that it is a transcript all the same.
    Broken,
    Other,
}

impl Default for Checker {
    fn default() -> Self {
        Self {
            replay: Replay::default(),
            health: Health::Healthy,
            problems: Vec::new(),
            left_out: 0,
            notes: Vec::new(),
            last_bad: None,
            call_lines: HashMap::new(),
            damaged: 0,
            first: First::Unseen,
            lines: 0,
            size: 0,
            ending: Ending::Lf,
        }
    }
}

impl Checker {
    /// The fold so far.
    pub fn replay(&self) -> &Replay<ShortKey, ()> {
        &self.replay
    }

    /// Takes the next line in. Returns its payload when the line may stand where it stands.
    pub fn line<'a>(&mut self, line: Line<'a>, verdict: &LineVerdict<'a>) -> Option<Payload<'a>> {
        self.lines = line.number;
        self.ending = line.ending;
        self.size = line.offset + (line.bytes.len() + line.ending.as_bytes().len()) as u64;
        match verdict {
            LineVerdict::Blank => None,
            LineVerdict::Damaged(damage) => {
                self.damage(line, damage);
                None
            }
            LineVerdict::Value(found) => {
                self.fault(line, &Fault::NotObject { found });
                None
            }
            LineVerdict::Object(envelope) => self.envelope(line, envelope),
        }
    }

    fn damage(&mut self, line: Line<'_>, damage: &Damage) {
        self.damaged += 1;
        if self.first == First::Unseen {
            self.first = First::Broken;
        }
        let follows_bad = matches!(self.last_bad, Some((number, _)) if number + 1 == line.number);
        self.last_bad = Some((line.number, damage.is_torn_tail() && !follows_bad));
        let message = match damage.kind {
            DamageKind::NotJson | DamageKind::LooseJson if damage.at > 0 => {
                format!("{damage}, at byte {} of the line", damage.at)
            }
            _ => damage.to_string(),
        };
        self.problem(problem(line, damage.kind.as_str(), message));
    }

    fn fault(&mut self, line: Line<'_>, fault: &Fault) {
        if self.first == First::Unseen {
            self.first = First::Other;
        }
        let (kind, health) = match fault {
            fault if fault.is_wrong_envelope() => ("wrong-envelope", Health::Damaged),
            Fault::NoId { .. } => ("wrong-envelope", Health::Damaged),
            Fault::BadMessage { .. } | Fault::BadSummary { .. } => (fault.kind(), Health::Damaged),
            fault => (fault.kind(), Health::Inconsistent),
        };
        self.health = self.health.max(health);
        self.problem(problem(line, kind, fault.to_string()));
    }

    fn problem(&mut self, problem: Problem) {
        match self.problems.len() < MOST_PROBLEMS {
            true => self.problems.push(problem),
            false => self.left_out += 1,
        }
    }

    fn note(&mut self, note: Problem) {
        if self.notes.len() < MOST_PROBLEMS {
            self.notes.push(note);
        }
    }

    fn envelope<'a>(&mut self, line: Line<'a>, envelope: &Envelope<'a>) -> Option<Payload<'a>> {
        match self.try_envelope(line, envelope) {
            Ok(payload) => Some(payload),
            Err(fault) => {
                self.fault(line, &fault);
                None
            }
        }
    }

    fn try_envelope<'a>(
        &mut self,
        line: Line<'a>,
        envelope: &Envelope<'a>,
    ) -> Result<Payload<'a>, Fault> {
        if !envelope.is_supported() {
            let found = envelope.version().unwrap_or("none").to_owned();
            return Err(Fault::BadVersion { found });
        }
        let payload = Payload::of(envelope)?;
        let is_meta = matches!(payload, Payload::SessionMeta(_));
        match (self.first, is_meta) {
            (First::Unseen, false) => {
                let found = envelope.type_name().unwrap_or_default().into_owned();
                return Err(Fault::FirstNotMeta { found });
            }
            (First::Unseen, true) | (First::Broken, _) => self.first = First::Meta,
            (First::Meta, true) => {
                let message = "a second session-meta line; the last one counts".to_owned();
                self.note(problem(line, "second-meta", message));
            }
            (First::Meta | First::Other, _) => {}
        }
        self.replay.check(&payload)?;
        if let Some(at) = envelope.lone_surrogate() {
            let message =
                format!("half of a surrogate pair at byte {at} of the line, read as U+FFFD");
            self.note(problem(line, "lone-surrogate", message));
        }
        self.replay.apply(envelope, &payload, line.number);
        if is_about_a_call(&payload) {
            let place = (line.offset, line.bytes.len() as u64);
            self.call_lines.insert(line.number, place);
        }
        Ok(payload)
    }

    /// What it comes to.
    pub fn finish(mut self) -> Report {
        self.judge_the_end();
        for call in self.replay.ledger().unanswered() {
            self.health = self.health.max(Health::Inconsistent);
            let (offset, length) = self.call_lines.get(&call.line).copied().unwrap_or_default();
            self.problems.push(Problem {
                line: call.line,
                offset,
                length,
                kind: "unanswered-call",
                message: format!(
                    "call {:?} of {:?} has no answer, and the conversation goes on after it",
                    call.call_id.as_str(),
                    call.tool
                ),
            });
        }
        self.problems.sort_by_key(|problem| problem.line);
        Report {
            health: self.health,
            open_calls: self.replay.ledger().open_calls(),
            problems: self.problems,
            left_out: self.left_out,
            notes: self.notes,
            lines: self.lines,
            size: self.size,
        }
    }

    fn judge_the_end(&mut self) {
        let torn_tail = self.last_bad == Some((self.lines, true));
        let mid = self.damaged - u64::from(torn_tail);
        if mid > 0 {
            self.health = self.health.max(Health::Damaged);
        } else if torn_tail {
            self.health = self.health.max(Health::TornTail);
        } else if self.ending == Ending::None && self.lines > 0 {
            self.health = self.health.max(Health::MissingNewline);
            self.problems.push(Problem {
                line: self.lines,
                offset: self.size,
                length: 0,
                kind: "missing-last-newline",
                message: "the last line is whole and lacks its line feed".to_owned(),
            });
        }
        if self.first != First::Meta {
            self.health = Health::NotTranscript;
        }
        if self.first == First::Unseen {
            let message =
                "the file is empty; the first line of a transcript has to be session-meta"
                    .to_owned();
            self.problems.push(Problem {
                line: 1,
                offset: 0,
                length: 0,
                kind: "empty",
                message,
            });
        }
    }
}

fn is_about_a_call(payload: &Payload<'_>) -> bool {
    match payload {
        Payload::Message(view) => view.tool_calls().next().is_some(),
        Payload::ToolDispatched(_) => true,
        _ => false,
    }
}

fn problem(line: Line<'_>, kind: &'static str, message: String) -> Problem {
    Problem {
        line: line.number,
        offset: line.offset,
        length: line.bytes.len() as u64,
        kind,
        message,
    }
}
