//! Makes the list of items of a transcript.

use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::ControlFlow;

use super::item::{Item, Kind, Tools};
use crate::canonical::{Json, members};
use crate::id::EnvelopeId;
use crate::session::conversation::Conversation;
use crate::session::envelope::{Envelope, Verdict};
use crate::session::error::Fault;
use crate::session::judge::each_line;
use crate::session::payload::{CompactionView, ElisionItem, MessageView, Payload};
use crate::session::peek::{First, damaged, warning};
use crate::session::read::Line;
use crate::session::{Warning, WarningKind};

/// How a transcript is read for a comparison.
///
/// ```
/// use std::fs::File;
/// use sess::look::diff::{Reading, Side};
/// let read = |reading| Side::read(File::open("samples/sessions/two-compactions.jsonl")?, reading);
/// let said = read(Reading::default())?;
/// let seen = read(Reading { replayed: true, ..Reading::default() })?;
/// // Everything that was said, and what the model would be sent after two compactions.
/// assert_eq!(said.items.len(), 17);
/// assert!(seen.items.len() < said.items.len());
/// # Ok::<(), sess::look::diff::SideError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Apply compactions and elisions, so that what is left is what the model would be sent next.
    /// A summary is then an item of its own kind. Otherwise: every message, in file order.
    pub replayed: bool,
    /// Everything else that stands in a message's line must agree as well: id, time, extras, and
    /// how arguments are spelled.
    pub strict: bool,
}

/// One transcript, as far as a comparison is concerned.
///
/// ```
/// use std::fs::File;
/// use sess::look::diff::{Diff, Reading, Side};
/// let side = |name: &str| {
///     let file = File::open(format!("samples/sessions/{name}.jsonl"))?;
///     Side::read(file, Reading::default())
/// };
/// let (left, right) = (side("diff-left")?, side("diff-right")?);
/// let diff = Diff::between(&left.items, &right.items);
/// assert!(!diff.same());
/// let same = Diff::between(&left.items, &side("diff-same")?.items);
/// assert!(same.same());
/// # Ok::<(), sess::look::diff::SideError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Side {
    /// Its messages in order.
    pub items: Vec<Item>,
    /// The lines that were skipped, in file order.
    pub warnings: Vec<Warning>,
}

/// Why there is nothing to compare.
///
/// ```
/// use sess::look::diff::{Reading, Side, SideError};
/// let refused = Side::read("no transcript".as_bytes(), Reading::default());
/// assert!(matches!(refused, Err(SideError::NotTranscript(_))));
/// ```
#[derive(Debug, thiserror::Error)]
pub enum SideError {
    /// The source failed.
    #[error("cannot read: {0}")]
    Unreadable(#[from] io::Error),
    /// The first envelope is not a session-meta line, or there is no envelope.
    #[error("not a transcript: {0}")]
    NotTranscript(String),
}

impl Side {
    /// Reads a transcript to its end. Lines that are damaged, or that may not stand where they do,
    /// are skipped with a warning.
    pub fn read(source: impl Read, reading: Reading) -> Result<Self, SideError> {
        let mut reader = Reader {
            reading,
            ..Reader::default()
        };
        each_line(source, |line, verdict| {
            reader.line(line, &verdict);
            ControlFlow::<()>::Continue(())
        })?;
        reader.finish()
    }
}

#[derive(Default)]
struct Reader {
    reading: Reading,
    conversation: Conversation<EnvelopeId, Item>,
    tools: Tools,
    first: First,
    warnings: Vec<Warning>,
}

impl Reader {
    fn line(&mut self, line: Line<'_>, verdict: &Verdict<'_>) {
        match verdict {
            Verdict::Blank | Verdict::Value(_) => {}
            Verdict::Damaged(damage) => self.warnings.push(damaged(line, damage)),
            Verdict::Object(envelope) => {
                if let Err(fault) = self.envelope(line.number, envelope) {
                    let message = format!("{fault}; the line was skipped");
                    self.warnings
                        .push(warning(line, WarningKind::BadMessage, message));
                }
            }
        }
    }

    fn envelope(&mut self, line: u64, envelope: &Envelope<'_>) -> Result<(), Fault> {
        let Some(type_name) = envelope.type_name() else {
            return Ok(());
        };
        self.first.see(envelope);
        match type_name.as_ref() {
            "message" => self.message(line, envelope, &MessageView::of(envelope)?),
            "compaction" | "elision" if self.reading.replayed => match Payload::of(envelope)? {
                Payload::Compaction(view) => self.compact(line, envelope, &view)?,
                Payload::Elision(items) => self.elide(&items)?,
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn message(&mut self, line: u64, envelope: &Envelope<'_>, view: &MessageView<'_>) {
        let id = id_of(envelope);
        let mut item = self.tools.item(Cow::Owned(view.build()), id.clone(), line);
        item.strict = self.reading.strict.then(|| rest_of(envelope));
        self.conversation.push(id, item, view.standing(), line);
    }

    fn compact(
        &mut self,
        line: u64,
        envelope: &Envelope<'_>,
        view: &CompactionView<'_>,
    ) -> Result<(), Fault> {
        let id = id_of(envelope);
        let mut item = Item::new(Kind::Compaction, view.summary(), id.clone(), line);
        item.strict = self.reading.strict.then(|| rest_of(envelope));
        let through = EnvelopeId::from(&*view.through);
        match self.conversation.compact(&through, id, item, line) {
            true => Ok(()),
            false => Err(Fault::CompactionUnknownTarget { id: through.into() }),
        }
    }

    /// All items are resolved before any is changed.
    fn elide(&mut self, items: &[ElisionItem<'_>]) -> Result<(), Fault> {
        let place = |item: &ElisionItem<'_>| {
            let place = self.conversation.place(&EnvelopeId::from(&*item.id));
            place.ok_or_else(|| Fault::ElisionUnknownTarget {
                id: item.id.to_string(),
            })
        };
        let places: Vec<usize> = items.iter().map(place).collect::<Result<_, _>>()?;
        for (place, item) in places.into_iter().zip(items) {
            if let Some(elided) = self.conversation.body_to_elide(place) {
                elided.content = item.stub.to_string();
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Side, SideError> {
        self.first
            .strict_verdict()
            .map_err(SideError::NotTranscript)?;
        let entries = self.conversation.into_entries();
        Ok(Side {
            items: entries.into_iter().map(|entry| entry.body).collect(),
            warnings: self.warnings,
        })
    }
}

fn id_of(envelope: &Envelope<'_>) -> EnvelopeId {
    EnvelopeId::from(envelope.id().unwrap_or_default().as_ref())
}

/// A line without the text that an item holds anyway, as sorted JSON.
fn rest_of(envelope: &Envelope<'_>) -> String {
    let top = members(envelope.text()).into_iter().flatten();
    let rest = top.map(|(key, value)| match key {
        "\"payload\"" => (key, without_text(value)),
        _ => (key, Cow::Borrowed(value)),
    });
    Json::from_valid(&object(rest)).compact()
}

fn without_text(payload: &str) -> Cow<'_, str> {
    let Some(all) = members(payload) else {
        return Cow::Borrowed(payload);
    };
    let rest = all.filter(|(key, _)| !matches!(*key, "\"content\"" | "\"summary\""));
    Cow::Owned(object(rest.map(|(key, value)| (key, value.into()))))
}

fn object<'a>(members: impl Iterator<Item = (&'a str, Cow<'a, str>)>) -> String {
    let members: Vec<String> = members
        .map(|(key, value)| [key, ":", &value].concat())
        .collect();
    ["{", &members.join(","), "}"].concat()
}
