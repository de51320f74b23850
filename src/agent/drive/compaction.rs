//! Making the conversation smaller, ahead of a request or because every backend refused it.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::driver::Driver;
use super::end::Step;
use super::round_trip::Refusal;
use crate::agent::event::{CancelStage, CompactionDone, CompactionStarted, FailReason};
use crate::agent::wording;
use crate::context::{
    Compacted, CompactionRequest, Compactor, RequestView, RunContext, Target, TokenCounter,
};
use crate::{Json, Message};

/// How long a compactor may take to notice that the run is cancelled.
const GRACE: Duration = Duration::from_secs(1);

impl Driver {
    /// Compacts when the compactor says that it is time.
    pub(super) async fn compact_if_due(&mut self) -> Step {
        let Some(compactor) = self.config().compactor.clone() else {
            return Ok(());
        };
        let counter = self.primary_counter();
        let messages = self.conversation.messages();
        let tokens = counter.count_messages(messages);
        // A provider's own number covers the context already.
        let around = if counter.is_calibrated_for(messages) {
            0
        } else {
            self.context_weight
        };
        if !compactor.needs_compaction(messages, tokens.saturating_add(around)) {
            return Ok(());
        }
        self.compact(compactor, tokens, None).await
    }

    /// Compacts until a complete request gets under what the backends take.
    pub(super) async fn compact_under(&mut self, refusal: Refusal, errors: &[String]) -> Step {
        let Some(compactor) = self.config().compactor.clone() else {
            let error = wording::no_compactor(refusal.usable, &refusal.model, errors);
            return Err(self.failed(error, Some(FailReason::ContextExhausted)));
        };
        let counter = self.request_counter(refusal.counter);
        let tokens = counter.count_messages(self.conversation.messages());
        let target = Target {
            tokens: refusal.usable,
            counter,
        };
        self.compact(compactor, tokens, Some(target)).await
    }

    async fn compact(
        &mut self,
        compactor: Arc<dyn Compactor>,
        tokens: u64,
        target: Option<Target>,
    ) -> Step {
        self.emit(CompactionStarted {
            tokens_before: Some(tokens),
            budget: self.config().context_budget,
            message_count: Some(self.conversation.len() as u64),
            round: Some(self.round),
        });
        let work = compactor.compact(CompactionRequest {
            messages: self.conversation.messages(),
            cancelled: self.run.cancellation().clone(),
            target,
        });
        let pass = tokio::select! {
            biased;
            pass = work => pass,
            () = self.long_cancelled() => return Err(self.cancelled(CancelStage::Compaction)),
        };
        if let (Some(spent), Some(ledger)) = (&pass.spent, self.core.ledger().as_mut()) {
            ledger.absorb(spent);
        }
        self.take_over(pass)
    }

    /// A compactor ends every wait by itself when the run is cancelled, and then says what it has
    /// spent. One that does not is left.
    async fn long_cancelled(&self) {
        self.run.cancellation().cancelled().await;
        sleep(GRACE).await;
    }

    /// Records a pass and goes on with what it left.
    fn take_over(&mut self, pass: Compacted) -> Step {
        self.conversation.record_elisions(&pass)?;
        if pass.dropped > 0 {
            self.conversation.record_compaction(&pass)?;
        }
        self.emit(CompactionDone {
            tokens_before: Some(pass.tokens_before),
            tokens_after: Some(pass.tokens_after),
            dropped: Some(pass.dropped as u64),
            summary: (pass.dropped > 0).then(|| pass.summary.clone()),
            fallback: pass.fallback,
            round: Some(self.round),
        });
        if pass.dropped > 0 || !pass.elisions.is_empty() {
            self.conversation.replace(pass.messages);
        }
        match pass.exhausted {
            true => {
                let error = wording::exhausted(pass.tokens_before, pass.tokens_after);
                Err(self.failed(error, Some(FailReason::ContextExhausted)))
            }
            false => Ok(()),
        }
    }

    /// Measures a conversation as the complete request it would make.
    fn request_counter(&self, counter: Arc<dyn TokenCounter>) -> Arc<dyn TokenCounter> {
        let context = self.context.as_deref();
        Arc::new(RequestCounter {
            counter,
            tools: self.tools.clone(),
            head: context.and_then(RunContext::head_text).map(str::to_owned),
            tail: context.and_then(RunContext::tail_text).map(str::to_owned),
        })
    }
}

/// See [`Driver::request_counter`].
struct RequestCounter {
    counter: Arc<dyn TokenCounter>,
    tools: Vec<Json>,
    head: Option<String>,
    tail: Option<String>,
}

impl RequestCounter {
    fn request<'a>(&'a self, messages: &'a [Arc<Message>]) -> RequestView<'a> {
        RequestView {
            messages,
            tools: &self.tools,
            head: self.head.as_deref(),
            tail: self.tail.as_deref(),
        }
    }
}

impl TokenCounter for RequestCounter {
    fn count_messages(&self, messages: &[Arc<Message>]) -> u64 {
        self.counter.count_request(&self.request(messages))
    }

    fn estimate_messages(&self, messages: &[Arc<Message>]) -> u64 {
        self.counter.estimate_request(&self.request(messages))
    }

    fn count_text(&self, text: &str) -> u64 {
        self.counter.count_text(text)
    }
}
