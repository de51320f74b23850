//! What an open session keeps in memory, filled line by line.

use std::sync::Arc;

use super::context::Contexts;
use super::envelope::Envelope;
use super::error::Fault;
use super::operations::Answer;
use super::payload::Payload;
use super::replay::Replay;
use crate::canonical::{Json, elements};
use crate::id::EnvelopeId;
use crate::message::Message;

/// The state after the lines so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) replay: Replay<EnvelopeId, Arc<Message>>,
    pub(crate) contexts: Contexts,
    pub(crate) grants: Vec<Json>,
    pub(crate) meta: Option<Json>,
    /// Envelopes so far.
    pub(crate) envelopes: u64,
}

impl State {
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
        message: Option<Arc<Message>>,
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
