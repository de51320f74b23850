//! A whole answer: refused, because it asks for too much, or made part of the conversation.

use std::sync::Arc;

use super::driver::Driver;
use super::end::Step;
use crate::agent::event::{AssistantMessage, DiscardReason, LimitReached, TurnCommitted};
use crate::agent::wording::LIMIT_NOTICE;
use crate::backend::Response;
use crate::message::ToolCall;
use crate::session::Extras;
use crate::{Json, Message};

/// A turn that is part of the conversation. Tools run for nothing else.
pub(super) struct CommittedTurn {
    message: Arc<Message>,
}

impl CommittedTurn {
    pub(super) fn has_calls(&self) -> bool {
        !self.message.tool_calls.is_empty()
    }

    /// The calls it asks for, as the model wrote them.
    pub(super) fn calls(&self) -> &[Json] {
        &self.message.tool_calls
    }
}

impl Driver {
    /// The limit an answer goes beyond, if it does.
    pub(super) fn limit_reached(&self, response: &Response) -> Option<LimitReached> {
        let calls: Vec<ToolCall> = self
            .calls(response)
            .iter()
            .map(ToolCall::from_json)
            .collect();
        self.tallies.check(&calls, &self.config().limits)
    }

    /// Drops the answer, tells the model, and switches tools off for the rest of the run.
    pub(super) fn refuse_tools(&mut self, limit: LimitReached) -> Step {
        self.emit(limit);
        self.discard(DiscardReason::Limit);
        self.conversation
            .add(Message::system(LIMIT_NOTICE), &Extras::new())?;
        self.tools.clear();
        Ok(())
    }

    /// Makes the answer part of the conversation.
    pub(super) fn commit(&mut self, response: Response) -> Step<CommittedTurn> {
        let calls = self.calls(&response).to_vec();
        let extras = extras(&response);
        let mut message = Message::assistant(response.text);
        message.tool_calls = calls;
        let message = Arc::new(message);
        let line = match self.conversation.add(Arc::clone(&message), &extras) {
            Ok(line) => line,
            Err(error) => {
                self.discard(DiscardReason::Failed);
                return Err(error.into());
            }
        };
        self.final_text.clone_from(&message.content);
        self.emit(AssistantMessage {
            message: Arc::clone(&message),
            reasoning: response.reasoning,
            round: Some(self.round),
        });
        self.emit(TurnCommitted {
            message_id: line,
            round: Some(self.round),
        });
        Ok(CommittedTurn { message })
    }

    /// The calls that count: none, when no tools were declared.
    fn calls<'a>(&self, response: &'a Response) -> &'a [Json] {
        match self.tools.is_empty() {
            true => &[],
            false => &response.tool_calls,
        }
    }
}

/// What is recorded beside the turn.
fn extras(response: &Response) -> Extras {
    let mut extras = Extras::new();
    let mut put = |key: &str, value: Json| extras.insert(key.to_owned(), value);
    if let Some(reasoning) = &response.reasoning {
        put("reasoning", Json::string(reasoning));
    }
    if let Some(reason) = &response.finish_reason {
        put("finish-reason", Json::string(reason));
    }
    if !response.usage.is_empty() {
        put("usage", response.usage.to_json());
    }
    extras
}
