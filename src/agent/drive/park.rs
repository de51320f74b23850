//! The model asks for nothing more: the run completes, or waits for work in the background.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::time::{Instant, sleep_until};

use super::driver::Driver;
use super::end::{End, Step};
use crate::agent::agent::Core;
use crate::agent::bus::BusState;
use crate::agent::event::{
    CancelStage, FailReason, Log, LogData, OutstandingOp, ResumeReason, RunParked, RunResumed,
};
use crate::agent::hooks::LOGGER;
use crate::agent::ledger::seconds;
use crate::agent::run::Mailbox;
use crate::agent::shield::shielded;
use crate::agent::wording;

impl Driver {
    /// What follows a turn without calls.
    pub(super) async fn went_quiet(&mut self) -> Step {
        let state = self.bus_state();
        if state.queued > 0 {
            return Ok(());
        }
        if !state.is_quiet() {
            return self.park(state).await;
        }
        // A cancelled run takes nothing from the user any more.
        if !self.is_cancelled() {
            self.stashed_steers = self.pull_steers().unwrap_or_default();
        }
        match self.stashed_steers.is_empty() {
            true => Err(self.completed()),
            false => Ok(()),
        }
    }

    async fn park(&mut self, state: BusState) -> Step {
        let ops = self
            .ask_bus("outstanding-ops", |bus| bus.outstanding())
            .unwrap_or_default();
        let mut park = Park::begin(self, state, ops);
        let (reason, outcome) = self.wait_parked().await;
        park.reason = reason;
        drop(park);
        outcome
    }

    /// Waits until there is a reason to go on, or to end.
    async fn wait_parked(&mut self) -> (ResumeReason, Step) {
        let idle = Instant::now() + self.config().park_idle_timeout;
        let mut hears_steers = true;
        loop {
            let state = self.bus_state();
            if state.queued > 0 {
                return (ResumeReason::Completion, Ok(()));
            }
            if state.is_quiet() {
                return (ResumeReason::Completion, Err(self.completed()));
            }
            if self.is_cancelled() {
                self.close_background();
                return (
                    ResumeReason::Cancelled,
                    Err(self.cancelled(CancelStage::Parked)),
                );
            }
            match self.pull_steers() {
                Some(steers) if !steers.is_empty() => {
                    self.stashed_steers = steers;
                    return (ResumeReason::Steer, Ok(()));
                }
                Some(_) => {}
                // A source that cannot say is not asked again during this park.
                None => hears_steers = false,
            }
            if Instant::now() >= idle {
                return (ResumeReason::Idle, Err(self.idle_for_too_long()));
            }
            self.something_happens(idle, hears_steers).await;
        }
    }

    async fn something_happens(&self, idle: Instant, hears_steers: bool) {
        let config = self.config();
        let steers = config.steer_source.as_deref().filter(|_| hears_steers);
        let steers = steers.map_or_else(never, |source| source.ready());
        let work = config
            .completion_bus
            .as_deref()
            .map_or_else(never, |bus| bus.ready());
        tokio::select! {
            () = work => {}
            () = self.run.cancellation().cancelled() => {}
            () = steers => {}
            () = sleep_until(idle) => {}
        }
    }

    fn idle_for_too_long(&self) -> End {
        let names: Vec<String> = self.close_background().iter().map(name).collect();
        let error = wording::park_idle(self.config().park_idle_timeout, &names);
        self.failed(error, Some(FailReason::ParkIdle))
    }

    /// Gives up what is out in the background, and answers what that was.
    fn close_background(&self) -> Vec<OutstandingOp> {
        let ops = self.ask_bus("outstanding-ops", |bus| bus.outstanding());
        self.ask_bus("close-all", |bus| bus.close_all());
        ops.unwrap_or_default()
    }

    /// What the bus holds; nothing, without one or when it fails.
    fn bus_state(&self) -> BusState {
        self.ask_bus("state", |bus| bus.state()).unwrap_or_default()
    }
}

/// A run that waits. Dropping it stops the clock, calls the hook and says that the run goes on.
struct Park {
    core: Arc<Core>,
    run: Arc<Mailbox>,
    round: u64,
    reason: ResumeReason,
}

impl Park {
    fn begin(driver: &Driver, state: BusState, ops: Vec<OutstandingOp>) -> Self {
        let parked = RunParked {
            outstanding: state.outstanding as u64,
            ops,
            round: Some(driver.round),
        };
        let park = Self {
            core: Arc::clone(&driver.core),
            run: Arc::clone(&driver.run),
            round: driver.round,
            reason: ResumeReason::Cancelled,
        };
        driver.emit(parked.clone());
        if let Some(hook) = &driver.config().on_park {
            park.shield("on_park", || hook(&parked));
        }
        if let Some(ledger) = driver.core.ledger().as_mut() {
            ledger.park();
        }
        park
    }

    fn shield(&self, name: &str, hook: impl FnOnce()) {
        if let Err(error) = shielded(hook) {
            self.run.emit(Log {
                level: "error".to_owned(),
                logger: Some(LOGGER.to_owned()),
                data: LogData::Text(format!("{name} failed: {error}")),
            });
        }
    }
}

impl Drop for Park {
    fn drop(&mut self) {
        let lasted = self.core.ledger().as_mut().map(|ledger| ledger.unpark());
        let resumed = RunResumed {
            reason: self.reason,
            parked_seconds: lasted.map(seconds),
            round: Some(self.round),
        };
        if let Some(hook) = &self.core.config.on_unpark {
            self.shield("on_unpark", || hook(&resumed));
        }
        self.run.emit(resumed);
    }
}

fn never<'a>() -> BoxFuture<'a, ()> {
    std::future::pending().boxed()
}

/// What an operation is called where it has a name, and its id.
fn name(op: &OutstandingOp) -> String {
    match &op.label {
        Some(label) => format!("{label} ({})", op.op_id),
        None => op.op_id.clone(),
    }
}
