//! What the model would be sent at a point in time: the live conversation after one line.

use std::collections::HashMap;
use std::io;

use super::file::Transcript;
use crate::session::envelope::Verdict;
use crate::session::payload::{CompactionView, MessageView, Payload};
use crate::session::replay::{Body, Key, Replay, ShortKey};

/// A step reads about this many bytes.
const STEP: u64 = 4 * 1024 * 1024;

/// One message of the live conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Where the line begins that brought it.
    pub offset: u64,
    /// The stub that took the place of its content.
    pub stub: Option<Box<str>>,
}

impl Body for Message {
    fn of_message(_: &MessageView<'_>) -> Self {
        Self::default()
    }

    fn of_summary(_: &CompactionView<'_>) -> Self {
        Self::default()
    }

    fn elide(&mut self, stub: &str) {
        self.stub = Some(stub.into());
    }
}

/// The replay of the lines up to and including one, in steps.
#[derive(Debug, Default)]
pub struct Seen {
    /// Where the last line begins that counts.
    until: u64,
    read: u64,
    done: bool,
    replay: Replay<ShortKey, Message>,
    summaries: HashMap<ShortKey, u64>,
    messages: Vec<Message>,
}

impl Seen {
    /// The conversation after the line that begins here.
    pub fn at(until: u64) -> Self {
        Self {
            until,
            ..Self::default()
        }
    }

    /// Where the line begins after which this is the conversation.
    pub fn until(&self) -> u64 {
        self.until
    }

    /// Whether it has come there.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// How much of the way is behind, in percent.
    pub fn percent(&self) -> u64 {
        self.read * 100 / self.until.max(1)
    }

    /// The messages in the order of the conversation. Empty until it is done.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Goes on.
    pub fn step(&mut self, file: &Transcript) -> io::Result<()> {
        let stop = self.read + STEP;
        let mut lines = file.lines_from(self.read, 0)?;
        while self.read < stop {
            match lines.next_line()? {
                Some(line) if line.offset <= self.until => {
                    self.read =
                        line.offset + (line.bytes.len() + line.ending.as_bytes().len()) as u64;
                    self.line(line.offset, &Verdict::of(line.bytes));
                }
                _ => {
                    self.finish();
                    break;
                }
            }
        }
        self.replay.forget_settled();
        Ok(())
    }

    fn line(&mut self, offset: u64, verdict: &Verdict<'_>) {
        let Verdict::Object(envelope) = verdict else {
            return;
        };
        let Ok(payload) = Payload::of(envelope) else {
            return;
        };
        if self.replay.check(&payload).is_err() {
            return;
        }
        let body = match &payload {
            Payload::Message(_) => Some(Message { offset, stub: None }),
            Payload::Compaction(_) => {
                let key = ShortKey::of(&envelope.id().unwrap_or_default());
                self.summaries.insert(key, offset);
                None
            }
            _ => None,
        };
        self.replay.apply_made(envelope, &payload, body, 0);
    }

    fn finish(&mut self) {
        let entries = self.replay.conversation().entries().iter();
        let messages = entries.map(|entry| {
            let mut message = entry.body.clone();
            if entry.summary {
                message.offset = self.summaries.get(&entry.id).copied().unwrap_or_default();
            }
            message
        });
        self.messages = messages.collect();
        self.replay = Replay::default();
        self.done = true;
    }
}
