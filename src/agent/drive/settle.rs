//! The end of a call: its answer, or what may honestly be said without one. The message is written
//! before the line that settles it: "dispatched, not settled, but answered" is how a resume knows a
//! call that finished just before a crash.

use super::driver::Driver;
use super::end::Step;
use crate::agent::event::{AbandonReason, ToolAbandoned, ToolResult};
use crate::agent::tools::answer::foreign_id;
use crate::agent::tools::operation::{Dispatched, Proposed};
use crate::agent::wording;
use crate::message::ToolCall;
use crate::session::{Extras, Settlement};
use crate::tool::ToolAnswer;
use crate::{Json, Message};

impl Driver {
    /// Records the answers of a group.
    pub(super) fn settle(
        &mut self,
        answered: impl Iterator<Item = (Dispatched, ToolAnswer)>,
    ) -> Step {
        for (place, (call, answer)) in answered.enumerate() {
            self.warn_of_foreign_id(place, &call.call, &answer);
            self.settle_one(call, answer)?;
        }
        Ok(())
    }

    fn settle_one(&mut self, call: Dispatched, answer: ToolAnswer) -> Step {
        let observed = self.observe(call.op_id.as_str(), &call.call.name, answer.content);
        let marks = [
            ("is-error", answer.is_error),
            ("background", answer.background),
        ];
        self.answer(&call.call, &observed.content, marks)?;
        let (call, settlement) = call.answered(
            &observed.content,
            answer.is_error,
            observed.artifact.as_ref(),
        );
        self.record(&settlement)?;
        self.emit(ToolResult {
            id: call.id,
            name: Some(call.name),
            content: observed.content,
            is_error: answer.is_error,
            artifact: observed.artifact,
            round: Some(self.round),
        });
        Ok(())
    }

    /// Records that nobody knows what became of these calls.
    pub(super) fn give_up(&mut self, calls: Vec<Dispatched>, reason: AbandonReason) -> Step {
        for call in calls {
            let cancelled = reason == AbandonReason::Cancelled;
            let marks = [("outcome-unknown", true), ("cancelled", cancelled)];
            self.answer(&call.call, wording::unknown_outcome(reason), marks)?;
            let (call, settlement) = call.unknown(reason);
            self.record(&settlement)?;
            self.abandoned(call, reason, true);
        }
        Ok(())
    }

    /// Records that these calls did not run.
    pub(super) fn abandon(&mut self, calls: Vec<Proposed>, reason: AbandonReason) -> Step {
        for call in calls {
            self.answer(
                &call.call,
                wording::did_not_run(reason),
                [("abandoned", true)],
            )?;
            self.abandoned(call.call, reason, false);
        }
        Ok(())
    }

    /// Adds the one message that answers a call.
    fn answer<const N: usize>(
        &mut self,
        call: &ToolCall,
        content: &str,
        marks: [(&str, bool); N],
    ) -> Step {
        let set = marks.into_iter().filter(|(_, set)| *set);
        let extras: Extras = set
            .map(|(key, _)| (key.to_owned(), Json::from(true)))
            .collect();
        self.conversation
            .add(Message::tool(&call.id, content), &extras)?;
        Ok(())
    }

    fn record(&self, settlement: &Settlement) -> Step {
        if let Some(session) = self.conversation.session() {
            session.append_tool_settled(settlement)?;
        }
        Ok(())
    }

    fn abandoned(&self, call: ToolCall, reason: AbandonReason, dispatched: bool) {
        self.emit(ToolAbandoned {
            id: call.id,
            name: call.name,
            reason,
            dispatched,
            round: Some(self.round),
        });
    }

    fn warn_of_foreign_id(&self, place: usize, call: &ToolCall, answer: &ToolAnswer) {
        let Some(id) = foreign_id(answer, call) else {
            return;
        };
        self.log_record(
            "warning",
            [
                (
                    "message",
                    Json::string(
                        "the provider answered under another call's id; the model's id stands",
                    ),
                ),
                ("tool", Json::string(&call.name)),
                ("call-index", Json::from(place as u64)),
                ("call-id", Json::string(&call.id)),
                ("provider-id", Json::string(id)),
            ],
        );
    }
}
