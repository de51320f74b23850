//! What a whole transcript amounts to, gathered behind the screen in steps: what is open, what was
//! folded, tokens, tools, and how it ends.
//!
//! Memory grows with the live conversation and the compactions, not with the text; of many rounds
//! an outline is kept.

use std::collections::HashMap;
use std::fmt;
use std::io;

use chrono::{DateTime, Utc};

use super::file::Transcript;
use crate::Json;
use crate::clock::parse_utc;
use crate::look::human::{count, counted, moment};
use crate::look::timeline::{Timeline, Timeliner};
use crate::message::Role;
use crate::session::envelope::{Envelope, Verdict};
use crate::session::operations::{CallState, OpenCall};
use crate::session::payload::{CompactionView, MessageView, Payload};
use crate::session::peek::says_something;
use crate::session::read::{Ending, Line};
use crate::session::replay::{Body, Key, Replay, ShortKey};

/// A step reads about this many bytes.
const STEP: u64 = 2 * 1024 * 1024;
/// Of more rounds than this only an outline is kept.
const ROUNDS: usize = 4_096;
/// So many contents are known to have been replaced by stubs.
const ELIDED: usize = 100_000;
/// A run whose last line is younger than this, in seconds, counts as running.
const RECENT: i64 = 60;

/// What a compaction or an elision did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folding {
    /// A summary took the place of messages.
    Compaction {
        /// How many the model does not see any more.
        gone: u64,
        /// The first and the last line of those.
        lines: (u64, u64),
        /// How many among them stay, because they are sticky.
        kept: u64,
        /// Live messages before and after.
        messages: (u64, u64),
        /// Tokens before and after, where the writer counted them.
        tokens: (Option<u64>, Option<u64>),
    },
    /// Stubs took the place of the contents of these lines.
    Elision(Vec<u64>),
}

impl fmt::Display for Folding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Folding::Compaction {
                gone,
                lines,
                kept,
                messages,
                tokens,
            } => {
                let gone = counted(*gone, "message", "messages");
                write!(out, "{gone} of lines {}–{}", lines.0, lines.1)?;
                if *kept > 0 {
                    write!(out, ", {kept} sticky kept")?;
                }
                write!(out, "; {} → {} messages", messages.0, messages.1)?;
                if let (Some(before), Some(after)) = tokens {
                    write!(out, ", {} → {} tokens", count(*before), count(*after))?;
                }
                Ok(())
            }
            Folding::Elision(lines) => {
                let lines: Vec<String> = lines.iter().map(u64::to_string).collect();
                write!(out, "contents of lines {}", lines.join(", "))
            }
        }
    }
}

/// The line a message came from.
#[derive(Clone, Copy, Debug, Default)]
struct Place(u64);

impl Body for Place {
    fn of_message(_: &MessageView<'_>) -> Self {
        Self::default()
    }

    fn of_summary(_: &CompactionView<'_>) -> Self {
        Self::default()
    }

    fn elide(&mut self, _: &str) {}
}

/// How the conversation stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Turn {
    #[default]
    Nothing,
    User,
    Answer,
    Middle,
}

/// The pass.
#[derive(Debug, Default)]
pub struct Overview {
    read: u64,
    lines: u64,
    replay: Replay<ShortKey, Place>,
    timeliner: Timeliner,
    meta: Option<Json>,
    turn: Turn,
    last_time: Option<DateTime<Utc>>,
    damaged: u64,
    foldings: HashMap<u64, Folding>,
    /// Lines whose content was replaced by a stub, and the line that did it.
    elided: HashMap<u64, u64>,
    open: Vec<OpenCall>,
}

impl Overview {
    /// How many bytes were read.
    pub fn read(&self) -> u64 {
        self.read
    }

    /// Reads on; whether there is more to read at once.
    pub fn step(&mut self, file: &Transcript) -> io::Result<bool> {
        let stop = self.read + STEP;
        let mut lines = file.lines_from(self.read, self.lines)?;
        while self.read < stop {
            let Some(line) = lines.next_line()? else {
                break;
            };
            if line.ending == Ending::None {
                break;
            }
            self.read = line.offset + (line.bytes.len() + line.ending.as_bytes().len()) as u64;
            self.lines = line.number;
            self.line(line);
        }
        self.replay.forget_settled();
        self.timeliner.thin_out(ROUNDS);
        self.open = self.replay.ledger().open_calls();
        Ok(self.read >= stop)
    }

    fn line(&mut self, line: Line<'_>) {
        let verdict = Verdict::of(line.bytes);
        self.timeliner.line(line.number, &verdict);
        let envelope = match verdict {
            Verdict::Object(envelope) => envelope,
            Verdict::Blank => return,
            Verdict::Value(_) | Verdict::Damaged(_) => {
                self.damaged += 1;
                return;
            }
        };
        let Ok(payload) = Payload::of(&envelope) else {
            self.damaged += 1;
            return;
        };
        self.last_time = parse_utc(&envelope.ts()).or(self.last_time);
        match &payload {
            Payload::SessionMeta(meta) if self.meta.is_none() && says_something(meta) => {
                self.meta = Some(Json::from_valid(meta));
            }
            Payload::Message(view) => self.turn = turn_after(self.turn, view),
            _ => {}
        }
        if self.replay.check(&payload).is_ok() {
            self.apply(&envelope, &payload, line.number);
        }
    }

    fn apply(&mut self, envelope: &Envelope<'_>, payload: &Payload<'_>, line: u64) {
        let folding = match payload {
            Payload::Compaction(view) => self.compaction(view),
            Payload::Elision(items) => {
                let keys = items.iter().map(|item| ShortKey::of(&item.id));
                let mut lines: Vec<u64> = keys.filter_map(|key| self.line_of(&key)).collect();
                lines.sort_unstable();
                lines.dedup();
                if self.elided.len() < ELIDED {
                    let stubs = lines.iter().map(|elided| (*elided, line));
                    self.elided.extend(stubs);
                }
                Some(Folding::Elision(lines))
            }
            _ => None,
        };
        let body = match payload {
            Payload::Message(_) => Some(Place(line)),
            _ => None,
        };
        self.replay.apply_made(envelope, payload, body, line);
        let Some(mut folding) = folding else {
            return;
        };
        if let Folding::Compaction { messages, .. } = &mut folding {
            messages.1 = self.replay.conversation().entries().len() as u64;
        }
        self.foldings.insert(line, folding);
    }

    fn line_of(&mut self, key: &ShortKey) -> Option<u64> {
        let place = self.replay.place(key)?;
        let entry = self.replay.conversation().entries().get(place)?;
        Some(entry.body.0)
    }

    fn compaction(&mut self, view: &CompactionView<'_>) -> Option<Folding> {
        let through = self.replay.place(&ShortKey::of(&view.through))?;
        let conversation = self.replay.conversation();
        let folded = conversation.entries().get(..=through)?;
        let gone = folded.iter().filter(|entry| !entry.standing.sticky);
        let lines: Vec<u64> = gone.map(|entry| entry.body.0).collect();
        let known = || lines.iter().copied().filter(|line| *line > 0);
        Some(Folding::Compaction {
            gone: lines.len() as u64,
            lines: (known().min().unwrap_or(0), known().max().unwrap_or(0)),
            kept: (folded.len() - lines.len()) as u64,
            messages: (conversation.entries().len() as u64, 0),
            tokens: view.tokens(),
        })
    }

    /// The first meta payload that says something.
    pub fn meta(&self) -> Option<&Json> {
        self.meta.as_ref()
    }

    /// How many lines are damaged, or are not what they claim to be.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    /// The rounds, tools and tokens so far.
    pub fn timeline(&self) -> &Timeline {
        self.timeliner.timeline()
    }

    /// What a line folded.
    pub fn folding(&self, line: u64) -> Option<&Folding> {
        self.foldings.get(&line)
    }

    /// The line that replaced the content of this one by a stub.
    pub fn elided_by(&self, line: u64) -> Option<u64> {
        self.elided.get(&line).copied()
    }

    /// The calls without a known end, in file order.
    pub fn open_calls(&self) -> &[OpenCall] {
        &self.open
    }

    /// The state of an open call, by the line that asked for it or dispatched it and its id there.
    pub fn state_of(&self, lines: &[u64], call_id: &str) -> Option<CallState> {
        let mut open = self.open.iter();
        let call = open.find(|call| lines.contains(&call.line) && call.call_id.as_str() == call_id);
        call.map(|call| call.state)
    }

    /// The open call that a line asked for or dispatched.
    pub fn open_call(&self, line: u64) -> Option<&OpenCall> {
        self.open.iter().find(|call| call.line == line)
    }

    /// Whether the last line is so young that its writer is likely to be at work.
    pub fn is_recent(&self, now: DateTime<Utc>) -> bool {
        self.last_time.is_some_and(|last| {
            let age = now.signed_duration_since(last).num_seconds();
            (0..RECENT).contains(&age)
        })
    }

    /// How the run stands: `finished`, `running, last line 3 s ago`, `stopped with 2 open
    /// operations`.
    pub fn state(&self, now: DateTime<Utc>) -> String {
        let last = self.last_time;
        let is_recent = self.is_recent(now);
        let open = self.open.len() as u64;
        let is_answered = self.turn == Turn::Answer;
        let ago = last.map(|last| format!(", last line {}", moment(last, now)));
        match (is_answered, open) {
            (true, 0) => "finished".to_owned(),
            _ if is_recent => format!("running{}", ago.unwrap_or_default()),
            (_, 1..) => {
                let open = counted(open, "open operation", "open operations");
                format!("stopped with {open}")
            }
            _ if self.turn == Turn::Nothing => "nothing said yet".to_owned(),
            _ if self.turn == Turn::User => "waiting for the model".to_owned(),
            _ => "stopped in the middle".to_owned(),
        }
    }
}

fn turn_after(turn: Turn, view: &MessageView<'_>) -> Turn {
    match view.role {
        Role::System => turn,
        Role::User => Turn::User,
        Role::Assistant if view.tool_calls().next().is_none() => Turn::Answer,
        Role::Assistant | Role::Tool => Turn::Middle,
    }
}
