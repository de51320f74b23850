//! Replay over time: every line that changed what the model sees by more than adding to it.
//!
//! A compaction folds the beginning of the conversation into a summary, an elision replaces
//! contents by stubs. Both sides of each stay in the file, and here they can be had again.

use std::collections::BTreeSet;
use std::hash::Hash;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::canonical::Json;
use crate::id::EnvelopeId;
use crate::message::{Message, ToolCall};
use crate::session::conversation::{Conversation, Entry};
use crate::session::envelope::{Envelope, Verdict};
use crate::session::judge::each_line;
use crate::session::payload::{CompactionView, MessageView, Payload, elided};
use crate::session::replay::{Body, Key, Replay, ShortKey};

/// One compaction or elision.
///
/// ```
/// use std::fs::File;
/// use sess::look::steps::{StepKind, steps};
/// let file = File::open("samples/sessions/two-compactions.jsonl")?;
/// let kinds: Vec<StepKind> = steps(file, u64::MAX)?.into_iter().map(|step| step.kind).collect();
/// let expected = [
///     StepKind::Elision { contents: 1 },
///     StepKind::Compaction { fallback: false },
///     StepKind::Compaction { fallback: true },
/// ];
/// assert_eq!(kinds, expected);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Counted from 1, in file order.
    pub number: u64,
    /// What it did.
    pub kind: StepKind,
    /// The id of its line.
    pub id: EnvelopeId,
    /// The time stamp of its line, as recorded.
    pub ts: String,
    /// Its line, counted from 1.
    pub line: u64,
    /// The live conversation before it.
    pub before: Extent,
    /// The live conversation after it.
    pub after: Extent,
}

/// What a step did.
///
/// ```
/// use std::fs::File;
/// use sess::look::steps::{StepKind, steps};
/// let steps = steps(File::open("samples/sessions/two-compactions.jsonl")?, u64::MAX)?;
/// assert_eq!(steps[0].kind, StepKind::Elision { contents: 1 });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// A summary took the place of messages.
    Compaction {
        /// The middle was cut hard, because no summary could be had.
        fallback: bool,
    },
    /// Stubs took the place of contents.
    Elision {
        /// How many.
        contents: u64,
    },
}

/// How much the model would be sent.
///
/// ```
/// use std::fs::File;
/// use sess::look::steps::steps;
/// let steps = steps(File::open("samples/sessions/two-compactions.jsonl")?, u64::MAX)?;
/// // An elision takes no message away. Of eight, the compaction keeps two and adds a summary.
/// let messages = |step: usize| (steps[step].before.messages, steps[step].after.messages);
/// assert_eq!((messages(0), messages(1)), ((8, 8), (8, 3)));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Messages, summaries included.
    pub messages: u64,
    /// Tokens.
    pub tokens: Tokens,
}

/// A number of tokens, and where it comes from.
///
/// ```
/// use sess::look::steps::Tokens;
/// assert_eq!(Tokens::of_characters(9), Tokens::Estimated(3));
/// assert_eq!(Tokens::Recorded(812).count(), 812);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokens {
    /// The writer counted them.
    Recorded(u64),
    /// A quarter of the characters of contents, tool names and arguments.
    Estimated(u64),
}

impl Tokens {
    /// The estimate for a number of characters (Unicode scalar values).
    pub fn of_characters(characters: u64) -> Self {
        Tokens::Estimated(characters.div_ceil(4))
    }

    /// The number itself.
    pub fn count(self) -> u64 {
        match self {
            Tokens::Recorded(count) | Tokens::Estimated(count) => count,
        }
    }
}

/// The steps of a transcript up to and including a line. Lines that cannot be read, or may not
/// stand where they stand, are passed over. Memory grows with the live conversation's length, not
/// with its text.
pub fn steps(source: impl Read, last_line: u64) -> io::Result<Vec<Step>> {
    let mut found: Vec<Step> = Vec::new();
    each_step::<ShortKey, Characters, ()>(source, last_line, |replay, moment| {
        found.push(moment.take(replay, found.len() as u64 + 1));
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// One step with what it took away and what it left instead.
///
/// ```
/// use std::fs::File;
/// use sess::look::steps::{Change, sides};
/// let file = File::open("samples/sessions/two-compactions.jsonl")?;
/// let second = sides(file, u64::MAX, 2)?.unwrap();
/// let Change::Folded { gone, summary, .. } = second.change else { unreachable!() };
/// assert!(!gone.is_empty() && summary.summary);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// The step.
    pub step: Step,
    /// What changed.
    pub change: Change,
}

/// A message of the conversation with its text.
///
/// ```
/// use std::fs::File;
/// use sess::look::steps::{Change, FullEntry, sides};
/// let file = File::open("samples/sessions/two-compactions.jsonl")?;
/// let Change::Folded { gone, .. } = sides(file, u64::MAX, 2)?.unwrap().change else { unreachable!() };
/// let first: &FullEntry = &gone[0];
/// assert_eq!((first.line, first.body.role), (4, sess::Role::User));
/// # Ok::<(), std::io::Error>(())
/// ```
pub type FullEntry = Entry<EnvelopeId, Arc<Message>>;

/// Both sides of a step.
///
/// ```
/// use std::fs::File;
/// use sess::look::steps::{Change, sides};
/// let file = File::open("samples/sessions/two-compactions.jsonl")?;
/// let Change::Elided(pairs) = sides(file, u64::MAX, 1)?.unwrap().change else { unreachable!() };
/// let (before, after) = &pairs[0];
/// assert_eq!(before.id, after.id);
/// assert!(before.body.content.starts_with("%%") && after.body.content.starts_with("[elided"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Messages became a summary.
    Folded {
        /// What the model does not see any more, in order.
        gone: Vec<FullEntry>,
        /// What stood among it and is sticky.
        kept: Vec<FullEntry>,
        /// What stands for it.
        summary: FullEntry,
    },
    /// Contents became stubs: each message before and after.
    Elided(Vec<(FullEntry, FullEntry)>),
}

/// The step of this number with both its sides, when the transcript has as many up to that line.
pub fn sides(source: impl Read, last_line: u64, number: u64) -> io::Result<Option<Sides>> {
    let mut seen = 0;
    each_step::<EnvelopeId, Arc<Message>, _>(source, last_line, |replay, moment| {
        seen += 1;
        if seen < number {
            moment.apply(replay);
            return ControlFlow::Continue(());
        }
        let mut before = replay.conversation().clone();
        let step = moment.take(replay, number);
        let after = replay.conversation().entries();
        match Change::between(&mut before, after, moment.payload) {
            Some(change) => ControlFlow::Break(Sides { step, change }),
            None => ControlFlow::Continue(()),
        }
    })
}

impl Change {
    fn between(
        before: &mut Conversation<EnvelopeId, Arc<Message>>,
        after: &[FullEntry],
        payload: &Payload<'_>,
    ) -> Option<Self> {
        match payload {
            Payload::Compaction(view) => {
                let through = before.place(&EnvelopeId::from(view.through.as_ref()))?;
                let folded = before.entries().get(..=through)?;
                let (kept, gone): (Vec<_>, Vec<_>) = folded
                    .iter()
                    .cloned()
                    .partition(|entry| entry.standing.sticky);
                let summary = after.get(kept.len())?.clone();
                Some(Change::Folded {
                    gone,
                    kept,
                    summary,
                })
            }
            Payload::Elision(items) => {
                let mut place = |id: &str| before.place(&EnvelopeId::from(id));
                let places: BTreeSet<usize> =
                    items.iter().filter_map(|item| place(&item.id)).collect();
                let both =
                    |at: usize| Some((before.entries().get(at)?.clone(), after.get(at)?.clone()));
                Some(Change::Elided(
                    places.into_iter().filter_map(both).collect(),
                ))
            }
            _ => None,
        }
    }
}

/// A line that is a step, not yet applied.
struct Moment<'m> {
    envelope: &'m Envelope<'m>,
    payload: &'m Payload<'m>,
    line: u64,
}

impl Moment<'_> {
    fn apply<K: Key, B: Body>(&self, replay: &mut Replay<K, B>) {
        replay.apply(self.envelope, self.payload, self.line);
    }

    /// Applies it and says what it did.
    fn take<K: Key, B: Body + Measure>(&self, replay: &mut Replay<K, B>, number: u64) -> Step {
        let mut before = extent(replay.conversation());
        self.apply(replay);
        let mut after = extent(replay.conversation());
        let kind = match self.payload {
            Payload::Compaction(view) => {
                let (counted_before, counted_after) = view.tokens();
                before.tokens = counted_before.map_or(before.tokens, Tokens::Recorded);
                after.tokens = counted_after.map_or(after.tokens, Tokens::Recorded);
                StepKind::Compaction {
                    fallback: view.fallback(),
                }
            }
            Payload::Elision(items) => StepKind::Elision {
                contents: elided(items),
            },
            _ => StepKind::Elision { contents: 0 },
        };
        Step {
            number,
            kind,
            id: EnvelopeId::from(self.envelope.id().unwrap_or_default().as_ref()),
            ts: self.envelope.ts().into_owned(),
            line: self.line,
            before,
            after,
        }
    }
}

/// Replays the source and stops before each step, which the visitor applies.
fn each_step<K: Key, B: Body, R>(
    source: impl Read,
    last_line: u64,
    mut visit: impl FnMut(&mut Replay<K, B>, &Moment<'_>) -> ControlFlow<R>,
) -> io::Result<Option<R>> {
    let mut replay = Replay::<K, B>::default();
    let stopped = each_line(source, |line, verdict| {
        if line.number > last_line {
            return ControlFlow::Break(None);
        }
        let Verdict::Object(envelope) = verdict else {
            return ControlFlow::Continue(());
        };
        let Ok(payload) = Payload::of(&envelope) else {
            return ControlFlow::Continue(());
        };
        if replay.check(&payload).is_err() {
            return ControlFlow::Continue(());
        }
        let moment = Moment {
            envelope: &envelope,
            payload: &payload,
            line: line.number,
        };
        match payload {
            Payload::Compaction(_) | Payload::Elision(_) => {
                visit(&mut replay, &moment).map_break(Some)
            }
            _ => {
                moment.apply(&mut replay);
                ControlFlow::Continue(())
            }
        }
    })?;
    Ok(stopped.flatten())
}

fn extent<K: Clone + Eq + Hash, B: Measure>(conversation: &Conversation<K, B>) -> Extent {
    let entries = conversation.entries();
    let characters = entries.iter().map(|entry| entry.body.characters()).sum();
    Extent {
        messages: entries.len() as u64,
        tokens: Tokens::of_characters(characters),
    }
}

/// Characters of a message that cost tokens.
trait Measure {
    fn characters(&self) -> u64;
}

impl Measure for Arc<Message> {
    fn characters(&self) -> u64 {
        let calls = self
            .calls()
            .map(|call| characters_of_call(&call))
            .sum::<u64>();
        length(&self.content) + calls
    }
}

/// A message of which only the length is kept.
#[derive(Clone, Copy, Debug, Default)]
struct Characters {
    content: u64,
    calls: u64,
}

impl Measure for Characters {
    fn characters(&self) -> u64 {
        self.content + self.calls
    }
}

impl Body for Characters {
    fn of_message(view: &MessageView<'_>) -> Self {
        let calls = view
            .tool_calls()
            .map(|call| characters_of_call(&ToolCall::from_json(&Json::from_valid(call))));
        Self {
            content: length(&view.content()),
            calls: calls.sum(),
        }
    }

    fn of_summary(view: &CompactionView<'_>) -> Self {
        Self {
            content: length(&view.summary()),
            calls: 0,
        }
    }

    fn elide(&mut self, stub: &str) {
        self.content = length(stub);
    }
}

fn characters_of_call(call: &ToolCall) -> u64 {
    length(&call.name) + length(&call.arguments)
}

fn length(text: &str) -> u64 {
    text.chars().count() as u64
}
