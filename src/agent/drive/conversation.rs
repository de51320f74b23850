//! The working conversation, and its record in the transcript. A message is written first and
//! part of the conversation then.

use std::sync::Arc;

use super::claim::Claim;
use crate::backend::Usage;
use crate::context::{Compacted, Spent};
use crate::id::EnvelopeId;
use crate::session::{AppendError, Compaction, Elision, Extras};
use crate::{Json, Message, Session};

/// The messages of a run and the transcript they are recorded in.
pub(super) struct Conversation {
    messages: Vec<Arc<Message>>,
    session: Option<Arc<Session>>,
    /// Keeps other runs out of the transcript.
    claim: Option<Claim>,
}

/// The transcript's live conversation is another than the run's.
#[derive(Debug, thiserror::Error)]
#[error(
    "the transcript replays to {recorded} messages where the run has {held}: somebody else writes to it, or the compactor does not do what it says"
)]
pub(super) struct OutOfStep {
    recorded: usize,
    held: usize,
}

impl Conversation {
    pub(super) fn new(messages: Vec<Arc<Message>>, session: Option<Arc<Session>>) -> Self {
        Self {
            messages,
            session,
            claim: None,
        }
    }

    pub(super) fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    pub(super) fn into_messages(self) -> Vec<Arc<Message>> {
        self.messages
    }

    pub(super) fn len(&self) -> usize {
        self.messages.len()
    }

    /// Makes this the only run that goes on with the transcript. `false`: there is another.
    pub(super) fn claim(&mut self) -> bool {
        self.claim = self.session.as_ref().and_then(Claim::on);
        self.claim.is_some() || self.session.is_none()
    }

    pub(super) fn session(&self) -> Option<&Arc<Session>> {
        self.session.as_ref()
    }

    /// Records a message of this conversation from `start` on that no line has yet.
    pub(super) fn record_from(&self, start: usize) -> Result<(), AppendError> {
        let Some(session) = &self.session else {
            return Ok(());
        };
        for message in self.messages.iter().skip(start) {
            session.append_message(Message::clone(message))?;
        }
        Ok(())
    }

    /// Adds a message. Its line's id, when there is a transcript.
    pub(super) fn add(
        &mut self,
        message: impl Into<Arc<Message>>,
        extras: &Extras,
    ) -> Result<Option<EnvelopeId>, AppendError> {
        let message = message.into();
        let id = match &self.session {
            Some(session) => Some(session.append_message_with(Message::clone(&message), extras)?),
            None => None,
        };
        self.messages.push(message);
        Ok(id)
    }

    /// Records the stubs of a pass. They are part of its messages already.
    pub(super) fn record_elisions(&self, pass: &Compacted) -> Result<(), Unrecorded> {
        let Some(session) = &self.session else {
            return Ok(());
        };
        let ids = self.ids(session)?;
        let items: Vec<Elision> = pass
            .elisions
            .iter()
            .filter_map(|(index, stub)| Some(Elision::new(ids.get(*index)?.clone(), stub.as_str())))
            .collect();
        if !items.is_empty() {
            session.append_elision(&items)?;
        }
        Ok(())
    }

    /// Records the summary of a pass. It is part of its messages already.
    pub(super) fn record_compaction(&self, pass: &Compacted) -> Result<(), Unrecorded> {
        let (Some(session), Some(cut)) = (&self.session, pass.cut_index) else {
            return Ok(());
        };
        let ids = self.ids(session)?;
        let held = self.messages.len();
        let through = ids.get(cut).ok_or(OutOfStep {
            recorded: cut.saturating_add(1),
            held,
        })?;
        session.append_compaction(&Compaction {
            tokens_before: Some(pass.tokens_before),
            tokens_after: Some(pass.tokens_after),
            fallback: pass.fallback,
            usage: pass.spent.as_ref().map(usage),
            ..Compaction::new(&pass.summary, through.clone())
        })?;
        let (recorded, held) = (session.message_ids().len(), pass.messages.len());
        match recorded == held {
            true => Ok(()),
            false => Err(OutOfStep { recorded, held }.into()),
        }
    }

    /// Goes on with the messages of a pass.
    pub(super) fn replace(&mut self, messages: Vec<Arc<Message>>) {
        self.messages = messages;
    }

    /// The line of each message.
    fn ids(&self, session: &Session) -> Result<Vec<EnvelopeId>, OutOfStep> {
        let ids = session.message_ids();
        match ids.len() == self.messages.len() {
            true => Ok(ids),
            false => Err(OutOfStep {
                recorded: ids.len(),
                held: self.messages.len(),
            }),
        }
    }
}

/// Why a pass could not be recorded.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unrecorded {
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error(transparent)]
    OutOfStep(#[from] OutOfStep),
}

/// What was spent on a summary, as a turn reports its usage.
fn usage(spent: &Spent) -> Json {
    let usage = Usage {
        prompt_tokens: spent.prompt_tokens,
        completion_tokens: spent.completion_tokens,
        total_tokens: Some(spent.total_tokens).filter(|total| *total > 0),
        cached_prompt_tokens: spent.cached_prompt_tokens,
        cost: spent.cost,
        ..Usage::default()
    };
    usage.to_json()
}
