//! What an open session keeps in memory, filled line by line.

use std::sync::Arc;

use super::context::Contexts;
use super::envelope::Envelope;
use super::error::Fault;
use super::operations::Answer;
use super::payload::Payload;
use super::replay::{Body, Replay};
use crate::canonical::{Json, elements};
use crate::id::EnvelopeId;
use crate::message::Message;

/// The state after the lines so far.
#[derive(Clone, Debug)]
pub(crate) struct State<B = Arc<Message>> {
    pub(crate) replay: Replay<EnvelopeId, B>,
    pub(crate) contexts: Contexts,
    pub(crate) grants: Vec<Json>,
    pub(crate) meta: Option<Json>,
    /// Envelopes so far.
    pub(crate) envelopes: u64,
}

impl<B> Default for State<B> {
    fn default() -> Self {
        Self {
            replay: Replay::default(),
            contexts: Contexts::default(),
            grants: Vec::new(),
            meta: None,
            envelopes: 0,
        }
    }
}

impl<B: Body> State<B> {
    /// Whether a line may follow, and its payload read for [`apply`](Self::apply).
    pub(crate) fn check<'a>(&mut self, envelope: &Envelope<'a>) -> Result<Payload<'a>, Fault> {
        if !envelope.is_supported() {
            let found = envelope.version().unwrap_or("none").to_owned();
            return Err(Fault::BadVersion { found });
        }
        let type_name = envelope.type_name().ok_or(Fault::NoType)?;
        if self.meta.is_none() && type_name != "session-meta" {
            let found = type_name.into_owned();
            return Err(Fault::FirstNotMeta { found });
        }
        let payload = Payload::of(envelope)?;
        self.replay.check(&payload)?;
        Ok(payload)
    }

    /// Takes a line in that [`check`](Self::check) has allowed, and its message if that has been
    /// made before. `line` is counted from 1.
    pub(crate) fn apply(
        &mut self,
        envelope: &Envelope<'_>,
        payload: &Payload<'_>,
        message: Option<B>,
        line: u64,
    ) {
        self.envelopes += 1;
        match payload {
            Payload::SessionMeta(meta) => self.meta = Some(Json::from_valid(meta)),
            Payload::Grants(list) => {
                let items = list.and_then(elements).into_iter().flatten();
                self.grants = items.map(Json::from_valid).collect();
            }
            Payload::RunContext(text) => {
                self.contexts
                    .apply(&envelope.id().unwrap_or_default(), &envelope.ts(), text);
            }
            _ => self.replay.apply_made(envelope, payload, message, line),
        }
    }

    /// The same with another body for each live message.
    pub(crate) fn with_bodies<C, E>(
        self,
        of: impl FnMut(B) -> Result<C, E>,
    ) -> Result<State<C>, E> {
        Ok(State {
            replay: self.replay.with_bodies(of)?,
            contexts: self.contexts,
            grants: self.grants,
            meta: self.meta,
            envelopes: self.envelopes,
        })
    }
}

impl State {
    /// Takes in a message that makes no calls. `as_answer` is what it is if it answers a call.
    pub(crate) fn apply_text_message(
        &mut self,
        id: EnvelopeId,
        message: Message,
        as_answer: Answer,
    ) {
        self.envelopes += 1;
        self.replay.apply_text_message(id, message, as_answer);
    }
}
