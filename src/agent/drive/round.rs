//! One round after the other: what comes first, next and last.

use super::driver::Driver;
use super::end::{End, Step};
use crate::agent::event::{CancelStage, FailReason, RoundStarted};
use crate::agent::wording;

impl Driver {
    /// Plays the run until it is over.
    pub(super) async fn play(&mut self) -> End {
        if let Err(end) = self.seed() {
            return end;
        }
        loop {
            if let Err(end) = self.play_round().await {
                return end;
            }
        }
    }

    async fn play_round(&mut self) -> Step {
        self.stop_if_cancelled(CancelStage::Start)?;
        self.deliver_completions()?;
        self.take_steers()?;
        self.round += 1;
        self.attempt = 0;
        self.stop_at_cap()?;
        self.compact_if_due().await?;
        self.stop_if_cancelled(CancelStage::Compaction)?;
        self.announce_round();
        let response = self.ask().await?;
        if let Some(limit) = self.limit_reached(&response) {
            return self.refuse_tools(limit);
        }
        let turn = self.commit(response)?;
        match turn.has_calls() {
            true => self.run_tools(turn).await,
            false => self.went_quiet().await,
        }
    }

    pub(super) fn stop_if_cancelled(&self, stage: CancelStage) -> Step {
        match self.is_cancelled() {
            true => Err(self.cancelled(stage)),
            false => Ok(()),
        }
    }

    fn stop_at_cap(&self) -> Step {
        match self.cap_reached() {
            Some(end) => {
                self.sync_grants();
                Err(end)
            }
            None => Ok(()),
        }
    }

    /// The end of the run, when it has spent what it may.
    pub(super) fn cap_reached(&self) -> Option<End> {
        let budget = self.config().request_budget.as_ref()?;
        let tripped = budget.cap_tripped(&self.core.spent()?)?;
        let error = wording::cap_reached(&tripped);
        Some(self.failed(error, Some(FailReason::BudgetExhausted)))
    }

    fn announce_round(&self) {
        let config = self.config();
        let is_limited = config.compactor.is_some()
            || config.context_budget.is_some()
            || config.request_budget.is_some();
        let tokens =
            is_limited.then(|| config.counter.count_messages(self.conversation.messages()));
        self.emit(RoundStarted {
            round: self.round,
            tokens,
        });
    }
}
