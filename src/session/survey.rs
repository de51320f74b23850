//! One pass over a transcript that is to be loaded: replays it in memory and finds what stands in
//! the way, before anything is changed.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use super::damage::{Damage, DamageKind};
use super::disk::LogFile;
use super::envelope::{Envelope, Verdict};
use super::error::{Fault, LoadError};
use super::judge::each_line_prepared;
use super::payload::{MessageView, Payload};
use super::read::{Ending, Line, LogReader};
use super::repair::Plan;
use super::replay::Body;
use super::state::State;
use super::unread::{Kept, last_compaction};
use super::warning::{Warning, WarningKind};
use crate::message::Message;

/// What a transcript amounts to.
#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) state: State,
    pub(crate) warnings: Vec<Warning>,
    /// Physical lines that stay after the repair.
    pub(crate) lines: u64,
    pub(crate) plan: Plan,
}

/// Reads everything the source yields. `path` is for the errors.
pub(crate) fn survey(path: &Path, source: impl Read) -> Result<Survey, LoadError> {
    survey_to_line(path, source, u64::MAX)
}

/// Reads as if the file ended with this line, counted from 1.
pub(crate) fn survey_to_line(
    path: &Path,
    source: impl Read,
    last: u64,
) -> Result<Survey, LoadError> {
    let pass = Pass::over(path, source, last, Ready::of)?;
    pass.finish(Ok)
}

/// Reads a file. Messages that are likely to be folded away are made when they turn out not to be.
pub(crate) fn survey_file(path: &Path, file: &dyn LogFile) -> Result<Survey, LoadError> {
    let failed = |error| read_error(path, error);
    let folded = last_compaction(file).map_err(failed)?;
    let source = LogReader::new(file, 0, u64::MAX);
    let prepare = |line: Line<'_>, verdict: &Verdict<'_>| match line.offset < folded {
        true => Ready::unread(line, verdict),
        false => Ready::of(line, verdict),
    };
    let pass = Pass::over(path, source, u64::MAX, prepare)?;
    pass.finish(|message: Kept| message.read(file).map_err(failed))
}

pub(crate) fn read_error(path: &Path, source: io::Error) -> LoadError {
    LoadError::Io {
        path: path.to_owned(),
        action: "read",
        source,
    }
}

/// What can be made of a line without the lines before it.
struct Ready<B> {
    message: Option<B>,
    /// Where half a surrogate pair stands in the line.
    lone_surrogate: Option<usize>,
}

impl<B: Body> Ready<B> {
    fn of(_: Line<'_>, verdict: &Verdict<'_>) -> Self {
        Self::with(verdict, |view| B::of_message(view))
    }

    fn with(verdict: &Verdict<'_>, body: impl Fn(&MessageView<'_>) -> B) -> Self {
        let Verdict::Object(envelope) = verdict else {
            return Self {
                message: None,
                lone_surrogate: None,
            };
        };
        let message = match Payload::of(envelope) {
            Ok(Payload::Message(view)) => Some(body(&view)),
            _ => None,
        };
        Self {
            message,
            lone_surrogate: envelope.lone_surrogate(),
        }
    }
}

impl Ready<Kept> {
    fn unread(line: Line<'_>, verdict: &Verdict<'_>) -> Self {
        Self::with(verdict, |view| match view.is_sticky() {
            true => Kept::of_message(view),
            false => Kept::unread(line),
        })
    }
}

/// A damaged line: its place, its damage, its bytes.
#[derive(Debug)]
struct Bad {
    line: u64,
    offset: u64,
    damage: Damage,
    raw: Vec<u8>,
}

struct Pass<'p, B> {
    path: &'p Path,
    state: State<B>,
    warnings: Vec<Warning>,
    /// The first line that may not stand where it stands. Nothing is applied after it, but reading
    /// goes on: broken lines are the graver news.
    fault: Option<(u64, u64, Fault)>,
    first_bad: Option<Bad>,
    last_bad: Option<Bad>,
    bad_before_last: Option<(u64, u64)>,
    bad_count: u64,
    saw_envelope: bool,
    saw_anything: bool,
    lines: u64,
    ending: Ending,
    last_separator: Ending,
}

impl<'p, B: Body + Send> Pass<'p, B> {
    fn over(
        path: &'p Path,
        source: impl Read,
        last: u64,
        prepare: impl Fn(Line<'_>, &Verdict<'_>) -> Ready<B> + Sync,
    ) -> Result<Self, LoadError> {
        let mut pass = Pass::new(path);
        let stopped = each_line_prepared(source, prepare, |line, verdict, ready| {
            if line.number > last {
                return ControlFlow::Break(Ok(()));
            }
            match pass.line(line, verdict, ready) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => ControlFlow::Break(Err(error)),
            }
        });
        match stopped.map_err(|error| read_error(path, error))? {
            Some(Err(error)) => Err(error),
            Some(Ok(())) | None => Ok(pass),
        }
    }

    fn new(path: &'p Path) -> Self {
        Self {
            path,
            state: State::default(),
            warnings: Vec::new(),
            fault: None,
            first_bad: None,
            last_bad: None,
            bad_before_last: None,
            bad_count: 0,
            saw_envelope: false,
            saw_anything: false,
            lines: 0,
            ending: Ending::Lf,
            last_separator: Ending::Lf,
        }
    }

    fn line(
        &mut self,
        line: Line<'_>,
        verdict: Verdict<'_>,
        ready: Ready<B>,
    ) -> Result<(), LoadError> {
        self.lines = line.number;
        self.ending = line.ending;
        if line.ending != Ending::None {
            self.last_separator = line.ending;
        }
        let first = !self.saw_anything;
        match verdict {
            Verdict::Blank => return Ok(()),
            Verdict::Damaged(damage) => self.bad(line, damage),
            Verdict::Value(found) => self.faulty(line, Fault::NotObject { found }),
            Verdict::Object(envelope) => self.envelope(line, &envelope, ready),
        }
        self.saw_anything = true;
        match self.fault.take_if(|_| first) {
            Some((line, offset, fault)) => Err(self.line_error(line, offset, fault, true)),
            None => Ok(()),
        }
    }

    fn bad(&mut self, line: Line<'_>, damage: Damage) {
        self.bad_count += 1;
        let bad = Bad {
            line: line.number,
            offset: line.offset,
            damage,
            raw: line.bytes.to_vec(),
        };
        self.bad_before_last = self.last_bad.take().map(|bad| (bad.line, bad.offset));
        if self.first_bad.is_none() {
            self.first_bad = Some(Bad {
                raw: Vec::new(),
                damage: bad.damage.clone(),
                ..bad
            });
        }
        self.last_bad = Some(bad);
    }

    fn faulty(&mut self, line: Line<'_>, fault: Fault) {
        if self.fault.is_none() {
            self.fault = Some((line.number, line.offset, fault));
        }
    }

    fn envelope(&mut self, line: Line<'_>, envelope: &Envelope<'_>, ready: Ready<B>) {
        self.saw_envelope =
            self.saw_envelope || (envelope.type_name().is_some() && envelope.payload().is_some());
        if self.fault.is_some() || self.bad_count > 0 {
            return;
        }
        match self.state.check(envelope) {
            Err(fault) => self.faulty(line, fault),
            Ok(payload) => {
                // Also a first line without a payload, which replays as an empty one.
                self.saw_envelope = true;
                self.warn(line, envelope, ready.lone_surrogate);
                self.state
                    .apply(envelope, &payload, ready.message, line.number);
            }
        }
    }

    fn warn(&mut self, line: Line<'_>, envelope: &Envelope<'_>, lone: Option<usize>) {
        let mut warn = |kind, message: String| {
            let (number, offset, length) = (line.number, line.offset, line.bytes.len() as u64);
            self.warnings.push(Warning {
                line: number,
                offset,
                length,
                kind,
                message,
                raw: Vec::new(),
            });
        };
        if let Some(at) = lone {
            let place = line.offset + at as u64;
            warn(
                WarningKind::LoneSurrogate,
                format!("half of a surrogate pair at byte {place}, read as U+FFFD"),
            );
        }
        if self.state.meta.is_some() && envelope.type_name().as_deref() == Some("session-meta") {
            warn(
                WarningKind::SecondMeta,
                "a second session-meta line; the last one counts".to_owned(),
            );
        }
    }

    /// `read` makes the messages of which that has not been done.
    fn finish(
        mut self,
        read: impl FnMut(B) -> Result<Arc<Message>, LoadError>,
    ) -> Result<Survey, LoadError> {
        if !self.saw_anything {
            return Err(LoadError::Empty {
                path: self.path.to_owned(),
            });
        }
        let tail = self.last_bad.take_if(|bad| bad.line == self.lines);
        self.refuse_damage(tail.as_ref())?;
        if let Some((line, offset, fault)) = self.fault.take() {
            return Err(self.line_error(line, offset, fault, false));
        }
        let plan = self.plan(tail.as_ref());
        if let Some(bad) = tail {
            self.lines -= 1;
            self.warnings.push(Warning {
                line: bad.line,
                offset: bad.offset,
                length: bad.raw.len() as u64,
                kind: WarningKind::TornTail,
                message: format!("the last line is torn: {}", bad.damage),
                raw: bad.raw,
            });
        }
        Ok(Survey {
            state: self.state.with_bodies(read)?,
            warnings: self.warnings,
            lines: self.lines,
            plan,
        })
    }

    /// Only one broken line, at the very end, and of a kind that a crash explains, is forgiven.
    fn refuse_damage(&mut self, tail: Option<&Bad>) -> Result<(), LoadError> {
        let path = self.path.to_owned();
        let Some(first) = self.first_bad.take() else {
            return Ok(());
        };
        let (line, offset) = (first.line, first.offset);
        if !self.saw_envelope {
            return Err(match tail {
                Some(bad) if self.bad_count == 1 && is_cut_meta(bad) => {
                    LoadError::TruncatedMeta { path, line, offset }
                }
                _ => LoadError::NotTranscript {
                    path,
                    line,
                    offset,
                    damage: first.damage,
                },
            });
        }
        if let (Some(tail), Some((line, offset))) = (tail, self.bad_before_last)
            && line + 1 == tail.line
        {
            return Err(LoadError::TwoBadTail { path, line, offset });
        }
        let mid = self.bad_count - u64::from(tail.is_some());
        let forgiven = tail.is_some_and(|bad| bad.damage.is_torn_tail());
        match mid {
            0 if forgiven => Ok(()),
            0 | 1 => Err(LoadError::Malformed {
                path,
                line,
                offset,
                total: self.lines,
                damage: first.damage,
            }),
            count => Err(LoadError::ManyMalformed {
                path,
                line,
                offset,
                count,
            }),
        }
    }

    fn plan(&self, tail: Option<&Bad>) -> Plan {
        match tail {
            Some(bad) => Plan::CutTail {
                line: bad.line,
                offset: bad.offset,
            },
            None if self.ending == Ending::None => Plan::AddNewline {
                separator: self.last_separator,
            },
            None => Plan::Nothing,
        }
    }

    fn line_error(&self, line: u64, offset: u64, fault: Fault, first: bool) -> LoadError {
        LoadError::Line {
            path: self.path.to_owned(),
            line,
            offset,
            fault,
            first,
        }
    }
}

/// Whether the bytes begin the way every line of ours does.
fn is_cut_meta(bad: &Bad) -> bool {
    const START: &[u8] = b"{\"id\":\"";
    let length = bad.raw.len().min(START.len());
    bad.damage.kind == DamageKind::Truncated && bad.raw[..length] == START[..length]
}
