//! Folds lines into the state a session has after them. Loading a file and appending to a live
//! session go through this one fold, so both arrive at the same answers by construction.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::conversation::Conversation;
use super::envelope::Envelope;
use super::error::Fault;
use super::ledger::Ledger;
use super::operations::Answer;
use super::payload::{CompactionView, ElisionItem, MessageView, Payload, SettleView};
use super::survivors::Standing;
use crate::id::EnvelopeId;
use crate::message::Message;

/// An id as a fold keeps it.
///
/// ```
/// use sess::session::replay::Key;
///
/// /// An id by its length alone, for files in which no two are alike.
/// #[derive(Clone, PartialEq, Eq, Hash)]
/// struct Short(usize);
///
/// impl Key for Short {
///     fn of(text: &str) -> Self {
///         Short(text.len())
///     }
/// }
///
/// assert!(Short::of("a") != Short::of("bb"));
/// ```
pub trait Key: Clone + Eq + Hash {
    /// Of the id's text.
    fn of(text: &str) -> Self;
}

impl Key for EnvelopeId {
    fn of(text: &str) -> Self {
        EnvelopeId::from(text)
    }
}

/// Sixteen bytes of an id's SHA-256: what a pass over millions of lines can afford to keep.
///
/// ```
/// use sess::session::replay::{Key, ShortKey};
/// assert_eq!(ShortKey::of("a"), ShortKey::of("a"));
/// assert_ne!(ShortKey::of("a"), ShortKey::of("b"));
/// assert_eq!(size_of::<ShortKey>(), 16);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShortKey([u8; 16]);

impl Key for ShortKey {
    fn of(text: &str) -> Self {
        let digest = Sha256::digest(text.as_bytes());
        let mut short = [0; 16];
        short.copy_from_slice(&digest[..16]);
        Self(short)
    }
}

/// What a fold keeps of a message.
///
/// ```
/// use sess::session::Verdict;
/// use sess::session::payload::{CompactionView, MessageView, Payload};
/// use sess::session::replay::{Body, Replay, ShortKey};
///
/// /// How long each message is.
/// struct Length(usize);
///
/// impl Body for Length {
///     fn of_message(view: &MessageView<'_>) -> Self {
///         Length(view.content().len())
///     }
///     fn of_summary(view: &CompactionView<'_>) -> Self {
///         Length(view.summary().len())
///     }
///     fn elide(&mut self, stub: &str) {
///         self.0 = stub.len();
///     }
/// }
///
/// let line = br#"{"id":"a","payload":{"content":"Hi","role":"user"},"ts":"","type":"message","v":1}"#;
/// let Verdict::Object(envelope) = Verdict::of(line) else { unreachable!() };
/// let mut replay = Replay::<ShortKey, Length>::default();
/// replay.apply(&envelope, &Payload::of(&envelope)?, 1);
/// assert_eq!(replay.conversation().entries()[0].body.0, 2);
/// # Ok::<(), sess::session::Fault>(())
/// ```
pub trait Body {
    /// Of a message line.
    fn of_message(view: &MessageView<'_>) -> Self;
    /// Of a compaction's summary, which becomes a user message.
    fn of_summary(view: &CompactionView<'_>) -> Self;
    /// After its content was replaced by a stub.
    fn elide(&mut self, stub: &str);
}

impl Body for Arc<Message> {
    fn of_message(view: &MessageView<'_>) -> Self {
        Arc::new(view.build())
    }

    fn of_summary(view: &CompactionView<'_>) -> Self {
        Arc::new(Message::user(view.summary()))
    }

    fn elide(&mut self, stub: &str) {
        Arc::make_mut(self).content = stub.to_owned();
    }
}

impl Body for () {
    fn of_message(_: &MessageView<'_>) -> Self {}
    fn of_summary(_: &CompactionView<'_>) -> Self {}
    fn elide(&mut self, _: &str) {}
}

/// The fold: the live conversation and the open calls. With `Replay<ShortKey, ()>` it checks a
/// transcript without holding its text.
///
/// ```
/// use sess::session::payload::Payload;
/// use sess::session::Verdict;
/// use sess::session::replay::{Replay, ShortKey};
/// let line = br#"{"id":"a","payload":{"content":"Hi","role":"user"},"ts":"","type":"message","v":1}"#;
/// let Verdict::Object(envelope) = Verdict::of(line) else { unreachable!() };
/// let payload = Payload::of(&envelope)?;
/// let mut replay = Replay::<ShortKey, ()>::default();
/// replay.check(&payload)?;
/// replay.apply(&envelope, &payload, 1);
/// assert_eq!(replay.conversation().entries().len(), 1);
/// # Ok::<(), sess::session::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct Replay<K, B> {
    conversation: Conversation<K, B>,
    ledger: Ledger,
    /// Operation ids seen, and whether each is settled.
    operations: HashMap<K, bool>,
}

impl<K, B> Default for Replay<K, B> {
    fn default() -> Self {
        Self {
            conversation: Conversation::default(),
            ledger: Ledger::default(),
            operations: HashMap::new(),
        }
    }
}

impl<K: Key, B: Body> Replay<K, B> {
    /// The live conversation.
    pub fn conversation(&self) -> &Conversation<K, B> {
        &self.conversation
    }

    /// The place of the first live entry with this id.
    pub fn place(&mut self, id: &K) -> Option<usize> {
        self.conversation.place(id)
    }

    /// The calls without a known end.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Whether the line may stand at this point. The state is not changed.
    pub fn check(&mut self, payload: &Payload<'_>) -> Result<(), Fault> {
        match payload {
            Payload::Compaction(view) => self.check_compaction(view),
            Payload::Elision(items) => self.places_of(items).map(drop),
            Payload::ToolSettled(view) => self.check_settle(view),
            _ => Ok(()),
        }
    }

    /// Applies a line that [`check`](Self::check) has allowed.
    pub fn apply(&mut self, envelope: &Envelope<'_>, payload: &Payload<'_>, line: u64) {
        self.apply_made(envelope, payload, None, line);
    }

    /// Lets go of the operations that are settled, so that memory does not grow with them. A line
    /// that settles one of them again is refused all the same: as of no operation.
    pub fn forget_settled(&mut self) {
        self.operations.retain(|_, settled| !*settled);
    }

    /// As [`apply`](Self::apply), when what is kept of a message may have been made before.
    pub(crate) fn apply_made(
        &mut self,
        envelope: &Envelope<'_>,
        payload: &Payload<'_>,
        body: Option<B>,
        line: u64,
    ) {
        let id = envelope.id().unwrap_or_default();
        match payload {
            Payload::Message(view) => {
                let body = body.unwrap_or_else(|| B::of_message(view));
                self.conversation
                    .push(K::of(&id), body, view.standing(), line);
                self.ledger.message(view, &id, &envelope.ts(), line);
            }
            Payload::Compaction(view) => {
                let through = K::of(&view.through);
                self.conversation
                    .compact(&through, K::of(&id), B::of_summary(view), line);
                let conversation = &mut self.conversation;
                self.ledger
                    .folded(|turn| conversation.contains(&K::of(turn)));
            }
            Payload::Elision(items) => self.elide(items),
            Payload::ToolDispatched(view) => {
                self.operations.insert(K::of(&id), false);
                self.ledger.dispatched(view, &id, &envelope.ts(), line);
            }
            Payload::ToolSettled(view) => {
                self.operations.insert(K::of(&view.op_id), true);
                self.ledger.settled(&view.op_id);
            }
            Payload::SessionMeta(_)
            | Payload::Grants(_)
            | Payload::RunContext(_)
            | Payload::Other => {}
        }
    }

    fn check_compaction(&mut self, view: &CompactionView<'_>) -> Result<(), Fault> {
        match self.conversation.contains(&K::of(&view.through)) {
            true => Ok(()),
            false => Err(Fault::CompactionUnknownTarget {
                id: view.through.to_string(),
            }),
        }
    }

    fn check_settle(&self, view: &SettleView<'_>) -> Result<(), Fault> {
        let id = view.op_id.to_string();
        match self.operations.get(&K::of(&view.op_id)) {
            None => Err(Fault::SettleUnknownOperation { id }),
            Some(true) => Err(Fault::SettleTwice { id }),
            Some(false) => Ok(()),
        }
    }

    /// All items are resolved before any is changed.
    fn places_of(&mut self, items: &[ElisionItem<'_>]) -> Result<Vec<usize>, Fault> {
        items
            .iter()
            .map(|item| {
                self.conversation.place(&K::of(&item.id)).ok_or_else(|| {
                    Fault::ElisionUnknownTarget {
                        id: item.id.to_string(),
                    }
                })
            })
            .collect()
    }

    fn elide(&mut self, items: &[ElisionItem<'_>]) {
        for (place, item) in self
            .places_of(items)
            .unwrap_or_default()
            .into_iter()
            .zip(items)
        {
            if let Some(body) = self.conversation.body_to_elide(place) {
                body.elide(&item.stub);
            }
        }
    }
}

impl<K: Key, B> Replay<K, B> {
    /// The same with another body for each live message.
    pub(crate) fn with_bodies<C, E>(
        self,
        of: impl FnMut(B) -> Result<C, E>,
    ) -> Result<Replay<K, C>, E> {
        Ok(Replay {
            conversation: self.conversation.with_bodies(of)?,
            ledger: self.ledger,
            operations: self.operations,
        })
    }
}

impl<K: Key> Replay<K, Arc<Message>> {
    /// Adds a message that makes no calls, as [`apply`](Self::apply) would from its line.
    /// `as_answer` is what it is if it answers a call.
    pub(crate) fn apply_text_message(&mut self, id: K, message: Message, as_answer: Answer) {
        let call_id = message.tool_call_id.as_deref();
        let line = as_answer.line;
        self.ledger.text_message(message.role, call_id, as_answer);
        let standing = Standing::from(&message);
        self.conversation
            .push(id, Arc::new(message), standing, line);
    }
}
