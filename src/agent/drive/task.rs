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
    /// Plays the run to its end. Also a panic ends it with a result and a terminal event.
    pub(in crate::agent) async fn play(self) {
        let (core, run, stream) = (
            Arc::clone(&self.core),
            Arc::clone(&self.run),
            self.stream.clone(),
        );
        let mut driver = Driver::new(self);
        let played = AssertUnwindSafe(driver.play()).catch_unwind().await;
        let end = played.unwrap_or_else(|panic| End::Died(panic_text(panic.as_ref())));
        let (messages, attempts) = driver.into_parts();
        let (terminal, outcome) = end.finish().tell(attempts, messages.len());
        stream.clear();
        let spent = core
            .config
            .request_budget
            .as_ref()
            .and_then(|_| core.spent());
        run.finish(
            terminal,
            RunResult {
                outcome,
                messages,
                spent,
            },
        );
    }
}
