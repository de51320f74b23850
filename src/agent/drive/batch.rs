//! The calls of one turn, group after group.

use super::driver::Driver;
use super::end::{End, Step};
use super::turn::CommittedTurn;
use crate::agent::decide::group::groups;
use crate::agent::event::{AbandonReason, CancelStage, ToolCall};
use crate::agent::tools::idempotency;
use crate::agent::tools::operation::Proposed;

impl Driver {
    /// Runs the calls of a turn. Afterwards each has exactly one answer in the conversation.
    pub(super) async fn run_tools(&mut self, turn: CommittedTurn) -> Step {
        let mut waiting = self.propose(&turn);
        let tools: Vec<&str> = waiting.iter().map(|call| call.call.name.as_str()).collect();
        for group in groups(&tools, &self.config().concurrent_tools) {
            if let Some((reason, end)) = self.stop_between_groups() {
                return self.abandon_all(waiting, reason, end);
            }
            let behind = waiting.split_off(group.len());
            let calls = std::mem::replace(&mut waiting, behind);
            match self.run_group(calls).await? {
                None => {}
                Some(AbandonReason::Deadline) => {
                    self.abandon(std::mem::take(&mut waiting), AbandonReason::Deadline)?;
                    break;
                }
                Some(reason) => {
                    let end = self.cancelled(CancelStage::Tools);
                    self.abandon(waiting, reason)?;
                    return Err(end);
                }
            }
        }
        self.tallies.tool_rounds += 1;
        Ok(())
    }

    /// Announces every call of a turn before the first is dispatched.
    fn propose(&self, turn: &CommittedTurn) -> Vec<Proposed> {
        let rules = &self.config().idempotency_rules;
        let proposed = turn.calls().iter().map(|raw| {
            let mut call = Proposed::new(raw.clone(), idempotency::Idempotency::Unknown);
            call.idempotency = idempotency::classify(rules, &call.call.name);
            self.emit(ToolCall {
                id: call.call.id.clone(),
                name: call.call.name.clone(),
                arguments: raw
                    .get("function")
                    .and_then(|function| function.get("arguments")),
                round: Some(self.round),
            });
            call
        });
        proposed.collect()
    }

    /// Why the run ends before the next group, if it does. Nothing is out at this point.
    fn stop_between_groups(&self) -> Option<(AbandonReason, End)> {
        if let Some(end) = self.cap_reached() {
            return Some((AbandonReason::BudgetExhausted, end));
        }
        let end = self
            .is_cancelled()
            .then(|| self.cancelled(CancelStage::Tools))?;
        Some((AbandonReason::Cancelled, end))
    }

    fn abandon_all(&mut self, waiting: Vec<Proposed>, reason: AbandonReason, end: End) -> Step {
        self.abandon(waiting, reason)?;
        self.sync_grants();
        Err(end)
    }
}
