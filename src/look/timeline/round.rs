//! One turn of the model and what came of it.

use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::look::summary::Tokens;

/// The calls of a round that are kept one by one. Those beyond are counted only, so that memory
/// grows with the rounds and not with what one of them holds.
pub(super) const MOST_SPANS: usize = 64;

/// One turn of the model and the calls it made.
///
/// ```
/// use std::fs::File;
/// use sess::look::timeline::Timeline;
/// let timeline = Timeline::of(File::open("samples/sessions/two-compactions.jsonl")?)?;
/// let first = &timeline.rounds[0];
/// assert_eq!((first.line, first.calls, first.failures), (6, 1, 0));
/// assert!(first.duration() >= first.model_time());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Round {
    /// The line of the turn, counted from 1.
    pub line: u64,
    /// How many messages of the user stand before it: rounds with the same number answer the same
    /// message.
    pub turn: u64,
    /// The time of the line before it: about when the model was asked.
    pub asked: Option<DateTime<Utc>>,
    /// The time of its own line: when the model had answered.
    pub answered: Option<DateTime<Utc>>,
    /// The time of the last line that belongs to it: its own, or the answer or the settling of
    /// a call.
    pub ended: Option<DateTime<Utc>>,
    /// The usage that the turn reports.
    pub tokens: Tokens,
    /// How many calls it made.
    pub calls: u64,
    /// How many of them ended in an error.
    pub failures: u64,
    /// Of how many it is recorded that nobody knows how they ended.
    pub unknown: u64,
    /// The first calls one by one.
    pub spans: Vec<CallSpan>,
}

/// One call.
///
/// ```
/// use std::fs::File;
/// use sess::look::timeline::{CallSpan, Ending, Timeline};
/// let timeline = Timeline::of(File::open("samples/sessions/two-compactions.jsonl")?)?;
/// let read = CallSpan { tool: Some(0), ending: Ending::Completed, seconds: Some(0.00411) };
/// assert_eq!(timeline.rounds[0].spans, [read]);
/// assert_eq!(timeline.tools.named()[0].0, "read_file");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CallSpan {
    /// The tool's place in [`Timeline::tools`](super::Timeline::tools); absent for one that is not
    /// counted by name.
    pub tool: Option<usize>,
    /// How it ended, as far as is known.
    pub ending: Ending,
    /// From dispatch to end in seconds, as the writer measured it.
    pub seconds: Option<f64>,
}

/// How a call ended.
///
/// ```
/// use std::fs::File;
/// use sess::look::timeline::{Ending, Timeline};
/// let timeline = Timeline::of(File::open("samples/sessions/interrupted.jsonl")?)?;
/// // What was under way when the process died.
/// assert_eq!(timeline.rounds.last().unwrap().spans[0].ending, Ending::Open);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ending {
    /// No line says.
    #[default]
    Open,
    /// It answered.
    Completed,
    /// It answered with an error.
    Failed,
    /// It is recorded that nobody knows.
    Unknown,
}

/// A place where the conversation became shorter.
///
/// ```
/// use std::fs::File;
/// use sess::look::timeline::Timeline;
/// let timeline = Timeline::of(File::open("samples/sessions/two-compactions.jsonl")?)?;
/// let places: Vec<_> = timeline.folds.iter().map(|fold| (fold.line, fold.after_rounds)).collect();
/// assert_eq!(places, [(15, 3), (16, 3), (27, 6)]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// The line, counted from 1.
    pub line: u64,
    /// How many rounds stand before it.
    pub after_rounds: usize,
    /// When.
    pub time: Option<DateTime<Utc>>,
    /// How.
    pub kind: FoldKind,
}

/// How a conversation became shorter.
///
/// ```
/// use std::fs::File;
/// use sess::look::timeline::{FoldKind, Timeline};
/// let timeline = Timeline::of(File::open("samples/sessions/two-compactions.jsonl")?)?;
/// assert_eq!(timeline.folds[0].kind, FoldKind::Elision(1));
/// assert!(matches!(timeline.folds[2].kind, FoldKind::Compaction { fallback: true, .. }));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldKind {
    /// A summary took its place.
    Compaction {
        /// Tokens before and after, where the writer counted them.
        tokens: (Option<u64>, Option<u64>),
        /// No summary could be had; the middle was cut out.
        fallback: bool,
    },
    /// Stubs took the place of so many contents.
    Elision(u64),
}

impl Round {
    /// How long the model took.
    pub fn model_time(&self) -> Option<Duration> {
        between(self.asked, self.answered)
    }

    /// How long it took from the model's answer to the end of the last call.
    pub fn tool_time(&self) -> Option<Duration> {
        between(self.answered, self.ended)
    }

    /// Two rounds that follow one another as one.
    pub(super) fn merged(&self, second: &Self) -> Self {
        let longer = match self.tokens.prompt >= second.tokens.prompt {
            true => self.tokens,
            false => second.tokens,
        };
        Self {
            answered: second.answered.or(self.answered),
            ended: second.ended.or(self.ended),
            tokens: longer,
            calls: self.calls + second.calls,
            failures: self.failures + second.failures,
            unknown: self.unknown + second.unknown,
            spans: Vec::new(),
            ..*self
        }
    }

    /// How long it took in all.
    pub fn duration(&self) -> Option<Duration> {
        between(self.asked, self.ended)
    }
}

fn between(from: Option<DateTime<Utc>>, to: Option<DateTime<Utc>>) -> Option<Duration> {
    to?.signed_duration_since(from?).to_std().ok()
}
