//! A run from its first event to its last, whatever happens in between.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;

use super::driver::Driver;
use super::end::End;
use super::stream::StreamSlot;
use crate::Message;
use crate::agent::agent::Core;
use crate::agent::run::{Mailbox, RunResult};
use crate::agent::shield::panic_text;
use crate::agent::wording;
use crate::context::RunContext;

/// A run that is about to be played.
pub(in crate::agent) struct Task {
    pub(in crate::agent) core: Arc<Core>,
    pub(in crate::agent) run: Arc<Mailbox>,
    pub(in crate::agent) stream: StreamSlot,
    pub(in crate::agent) messages: Vec<Arc<Message>>,
    pub(in crate::agent) context: Option<Arc<RunContext>>,
}

impl Task {
    /// Plays the run to its end. Also a panic, and a runtime that is shut down, end it with a result
    /// and a terminal event.
    pub(in crate::agent) fn play(self) -> impl Future<Output = ()> {
        // Made here, since a future that is dropped before it is polled has run nothing.
        let played = Played {
            core: Arc::clone(&self.core),
            run: Arc::clone(&self.run),
            stream: self.stream.clone(),
            driver: Some(Driver::new(self)),
        };
        played.play()
    }
}

/// A run that is being played. Dropping it before its end is an end, too.
struct Played {
    core: Arc<Core>,
    run: Arc<Mailbox>,
    stream: StreamSlot,
    /// There until the run has ended.
    driver: Option<Driver>,
}

impl Played {
    async fn play(mut self) {
        if let Some(driver) = &mut self.driver {
            let end = AssertUnwindSafe(driver.play()).catch_unwind().await;
            let end = end.unwrap_or_else(|panic| End::Died(panic_text(panic.as_ref())));
            self.finish(end);
        }
    }

    fn finish(&mut self, end: End) {
        let Some(driver) = self.driver.take() else {
            return;
        };
        let (messages, attempts) = driver.into_parts();
        let (terminal, outcome) = end.finish().tell(attempts, messages.len());
        self.stream.clear();
        let budget = self.core.config.request_budget.as_ref();
        let spent = budget.and_then(|_| self.core.spent());
        let result = RunResult {
            outcome,
            messages,
            spent,
        };
        self.run.finish(terminal, result);
    }
}

impl Drop for Played {
    fn drop(&mut self) {
        self.finish(End::Died(wording::RUNTIME_GONE.to_owned()));
    }
}
