//! The first steps of a run: it is announced, compared with its transcript, and given its tools.

use std::sync::Arc;

use super::driver::Driver;
use super::end::{End, Step};
use crate::agent::event::RunStarted;
use crate::agent::shield::shielded;
use crate::agent::wording;
use crate::message::ToolCall;
use crate::session::RunContextRecord;
use crate::{Message, Role};

impl Driver {
    pub(super) fn seed(&mut self) -> Step {
        self.emit(RunStarted {
            run_id: self.run.id().clone(),
            message_count: self.conversation.len() as u64,
            context_digest: self.context_digest.clone(),
        });
        self.extend_transcript()?;
        self.record_context();
        self.weigh_context();
        self.declare_tools()
    }

    /// Records what the conversation has beyond the transcript. All of the transcript has to be
    /// there, unchanged, with an answer to each call of its last turn; nothing is written otherwise,
    /// nor while another run goes on with it.
    fn extend_transcript(&mut self) -> Step {
        if !self.conversation.claim() {
            return Err(End::Died(wording::TRANSCRIPT_IN_USE.to_owned()));
        }
        let Some(session) = self.conversation.session() else {
            return Ok(());
        };
        let recorded = session.messages();
        let given = self.conversation.messages();
        if given.len() < recorded.len() {
            return Err(End::Died(wording::shorter_than_transcript(
                given.len(),
                recorded.len(),
            )));
        }
        let mut pairs = given.iter().zip(&recorded);
        if let Some(index) = pairs.position(|(given, recorded)| !is_same(given, recorded)) {
            let role = |messages: &[Arc<Message>]| {
                messages
                    .get(index)
                    .map_or("", |message| message.role.as_str())
            };
            return Err(End::Died(wording::contradicts_transcript(
                index,
                role(given),
                role(&recorded),
            )));
        }
        if let Some(call) = open_call(given, recorded.len()) {
            return Err(End::Died(wording::call_left_open(&call)));
        }
        Ok(self.conversation.record_from(recorded.len())?)
    }

    fn record_context(&self) {
        let (Some(session), Some(context)) = (self.conversation.session(), &self.context) else {
            return;
        };
        let written = session.append_run_context(&RunContextRecord {
            run_id: self.run.id().clone(),
            digest: self.context_digest.clone().unwrap_or_default(),
            facts: context.facts().to_vec(),
            sections: context.sections(),
        });
        if let Err(error) = written {
            self.log_text(
                "error",
                &format!("the run context could not be recorded: {error}"),
            );
        }
    }

    fn weigh_context(&mut self) {
        let counter = self.primary_counter();
        let view = self.view();
        let halves = [view.head, view.tail];
        let weight = shielded(|| {
            halves
                .into_iter()
                .flatten()
                .map(|half| counter.count_text(half))
                .fold(0, u64::saturating_add)
        });
        self.context_weight = weight.unwrap_or(0);
    }

    fn declare_tools(&mut self) -> Step {
        if let Some(provider) = &self.config().provider {
            self.tools = provider
                .declarations()
                .map_err(|error| End::Died(format!("the tools could not be declared: {error}")))?;
        }
        Ok(())
    }
}

/// A call of the last of the first `recorded` turns that nothing answers before the conversation
/// goes on. What is recorded behind it could never be put in its place again.
fn open_call(given: &[Arc<Message>], recorded: usize) -> Option<ToolCall> {
    let is_answer = |message: &Arc<Message>| message.role == Role::Tool;
    let turn = given
        .iter()
        .take(recorded)
        .rposition(|message| !is_answer(message))?;
    let (turn, behind) = given.get(turn..)?.split_first()?;
    let mut answered: Vec<&str> = behind
        .iter()
        .take_while(|message| is_answer(message))
        .map(|answer| answer.tool_call_id.as_deref().unwrap_or_default())
        .collect();
    turn.calls().find(|call| {
        let answer = answered.iter().position(|id| *id == call.id);
        answer.map(|answer| answered.swap_remove(answer)).is_none()
    })
}

fn is_same(given: &Arc<Message>, recorded: &Arc<Message>) -> bool {
    Arc::ptr_eq(given, recorded) || given == recorded || given.digest() == recorded.digest()
}
