//! One group of calls: recorded, handed over, waited for, and settled.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::sleep_until;

use super::driver::Driver;
use super::end::Step;
use crate::Json;
use crate::agent::event::{AbandonReason, ToolStarted};
use crate::agent::shield::panic_text;
use crate::agent::tools::answer::{Returned, one_each};
use crate::agent::tools::clock::GroupClock;
use crate::agent::tools::operation::{Dispatched, Proposed};
use crate::id::OpId;

/// What ended the wait for a group.
enum Waited {
    Returned(Returned),
    GivenUp(AbandonReason),
}

impl Driver {
    /// Runs a group of calls. `Some`: it was given up on, for this reason.
    pub(super) async fn run_group(&mut self, calls: Vec<Proposed>) -> Step<Option<AbandonReason>> {
        let raw: Vec<Json> = calls.iter().map(|call| call.raw.clone()).collect();
        let calls = self.dispatch(calls)?;
        let clock = GroupClock::start();
        let ids = calls.iter().map(|call| call.call.id.clone()).collect();
        let in_flight = self.core.hooks.out(&self.run, self.round, ids, &clock);
        self.announce(&calls);
        let batch = self.hand_over(raw);
        let waited = self.wait_for(batch, &clock).await;
        for call in &calls {
            self.tallies.count(&call.call);
        }
        let given_up = match waited {
            Waited::Returned(returned) => {
                let answers = one_each(calls.len(), returned);
                self.settle(calls.into_iter().zip(answers))?;
                None
            }
            Waited::GivenUp(reason) => {
                self.give_up(calls, reason)?;
                Some(reason)
            }
        };
        drop(in_flight);
        self.sync_grants();
        Ok(given_up)
    }

    /// Records every call of the group before any of them runs.
    fn dispatch(&self, calls: Vec<Proposed>) -> Step<Vec<Dispatched>> {
        let dispatch = |call: Proposed| {
            let op_id = match self.conversation.session() {
                Some(session) => session
                    .append_tool_dispatched(&call.dispatch_record(self.run.id(), self.round))?,
                None => OpId::fresh(),
            };
            Ok(call.dispatched(op_id))
        };
        calls.into_iter().map(dispatch).collect()
    }

    fn announce(&self, calls: &[Dispatched]) {
        for call in calls {
            self.emit(ToolStarted {
                id: call.call.id.clone(),
                name: call.call.name.clone(),
                round: Some(self.round),
            });
        }
    }

    /// Hands the group to the provider, on a task of its own: it goes on when nobody waits for it
    /// any more, and until it returns the run is not drained.
    fn hand_over(&self, calls: Vec<Json>) -> JoinHandle<Returned> {
        let provider = self.config().provider.clone();
        let ticket = self.run.begin_work();
        tokio::spawn(async move {
            let returned = match provider {
                Some(provider) => provider.execute(calls).await.map_err(|error| error.message),
                None => Ok(Vec::new()),
            };
            drop(ticket);
            returned
        })
    }

    async fn wait_for(&self, mut batch: JoinHandle<Returned>, clock: &Arc<GroupClock>) -> Waited {
        let cancelled = self.run.cancellation().cancelled();
        tokio::pin!(cancelled);
        loop {
            tokio::select! {
                biased;
                returned = &mut batch => return Waited::Returned(returned.unwrap_or_else(|error| Err(failure(error)))),
                () = &mut cancelled => return Waited::GivenUp(AbandonReason::Cancelled),
                () = deadline(clock, self.config().tool_deadline) => return Waited::GivenUp(AbandonReason::Deadline),
                () = clock.changed() => {}
            }
        }
    }
}

/// Waits until the group has worked for too long; for ever, while somebody is asked.
async fn deadline(clock: &GroupClock, limit: Option<Duration>) {
    match limit.and_then(|limit| clock.deadline(limit)) {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// What a task that did not return says.
fn failure(error: tokio::task::JoinError) -> String {
    match error.try_into_panic() {
        Ok(panic) => panic_text(panic.as_ref()),
        Err(error) => error.to_string(),
    }
}
