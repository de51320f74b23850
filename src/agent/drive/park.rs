//! The model asks for nothing more: the run completes, or waits for work in the background.

use std::sync::Arc;

use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::time::{Instant, sleep, sleep_until};

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
use crate::agent::shield::{shielded, shielded_wait};
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
        let idle = Instant::now().checked_add(self.config().park_idle_timeout);
        let mut hears_steers = true;
        let mut woken = false;
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
            if idle.is_some_and(|idle| Instant::now() >= idle) {
                return (ResumeReason::Idle, Err(self.idle_for_too_long()));
            }
            if woken {
                self.something_else_happens(idle).await;
            }
            self.something_happens(idle, hears_steers).await;
            woken = true;
        }
    }

    async fn something_happens(&self, idle: Option<Instant>, hears_steers: bool) {
        let config = self.config();
        let steers = config.steer_source.as_deref().filter(|_| hears_steers);
        let work = config.completion_bus.as_deref();
        tokio::select! {
            () = self.ready("steer source", steers.map(|it| move || it.ready())) => {}
            () = self.ready("completion bus", work.map(|it| move || it.ready())) => {}
            () = self.run.cancellation().cancelled() => {}
            () = at(idle) => {}
        }
    }

    /// Keeps a source that says it is ready, and brings nothing, from being asked without a break.
    async fn something_else_happens(&self, idle: Option<Instant>) {
        tokio::select! {
            () = sleep(BREAK) => {}
            () = self.run.cancellation().cancelled() => {}
            () = at(idle) => {}
        }
    }

    /// Waits until a source is ready; for ever, without one or when it fails, which is told.
    async fn ready<'a>(&self, name: &str, source: Option<impl FnOnce() -> BoxFuture<'a, ()>>) {
        if let Some(source) = source {
            match shielded_wait(async { source().await }).await {
                Ok(()) => return,
                Err(error) => self.log_text("error", &format!("{name} threw: {error}")),
            }
        }
        std::future::pending().await
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

/// How long a run that woke up for nothing waits before it listens again.
const BREAK: Duration = Duration::from_millis(10);

async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// What an operation is called where it has a name, and its id.
fn name(op: &OutstandingOp) -> String {
    match &op.label {
        Some(label) => format!("{label} ({})", op.op_id),
        None => op.op_id.clone(),
    }
}
