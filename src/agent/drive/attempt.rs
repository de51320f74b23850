//! One request to one backend, streamed until it settles, falls silent or is cancelled.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::driver::Driver;
use super::site::Site;
use crate::Json;
use crate::agent::decide::failure::{Cause, Failure};
use crate::agent::decide::verdict::is_clipped;
use crate::agent::event::{AttemptStarted, AttemptSucceeded, Token};
use crate::agent::shield::shielded;
use crate::agent::wording;
use crate::backend::{Request, Response, ResponseHandle, ResponseStream, Settled, Silence};
use crate::context::{RunContext, UsageReport};

/// How an attempt went.
pub(super) enum Attempted {
    /// The answer is whole.
    Answered(Response),
    /// It is not; with the text that had arrived.
    Failed(Failure, String),
    /// The run was cancelled, whatever became of the answer.
    Cancelled,
}

/// What ended the stream.
enum Ended {
    Settled,
    Cancelled,
    Silent(Silence),
}

impl Driver {
    pub(super) async fn attempt(&mut self, site: &Site) -> Attempted {
        self.attempt += 1;
        self.emit(AttemptStarted {
            round: self.round,
            attempt: self.attempt,
            backend_index: site.index,
            model: site.model.clone(),
        });
        let started = Instant::now();
        let (ended, response) = self.stream(site).await;
        self.bill(site, &response);
        if self.is_cancelled() {
            return Attempted::Cancelled;
        }
        if response.is_success() && !is_clipped(&response.usage, site.max_tokens) {
            self.succeeded(site, &response, started);
            return Attempted::Answered(response);
        }
        let cause = self.cause(site, ended, &response);
        let failure = Failure {
            cause,
            finish_reason: response.finish_reason,
            usage: response.usage,
        };
        Attempted::Failed(failure, response.text)
    }

    /// The request: the conversation, with the context around it.
    fn request(&self) -> Request {
        let context = self.context.as_deref();
        let head = context.and_then(RunContext::head_message);
        let tail = context.and_then(RunContext::tail_message);
        let conversation = self.conversation.messages().iter();
        Request {
            messages: head
                .into_iter()
                .chain(conversation)
                .chain(tail)
                .map(Arc::clone)
                .collect(),
            tools: self.tools.clone(),
        }
    }

    async fn stream(&self, site: &Site) -> (Ended, Response) {
        let cancelled = self.run.cancellation().cancelled();
        let opened = tokio::select! {
            biased;
            opened = site.backend.stream(self.request()) => opened,
            () = cancelled => return (Ended::Cancelled, Response::default()),
            () = sleep(self.config().round_trip_timeout) => return (Ended::Silent(Silence::Bytes), Response::default()),
        };
        match opened {
            Ok(stream) => self.follow(site, stream).await,
            Err(error) => {
                let response = Response {
                    settled: Settled::Failed(error),
                    ..Response::default()
                };
                (Ended::Settled, response)
            }
        }
    }

    /// Publishes the fragments of an answer until it ends.
    async fn follow(&self, site: &Site, stream: ResponseStream) -> (Ended, Response) {
        let ResponseStream {
            handle,
            mut fragments,
        } = stream;
        let _active = self.stream.hold(&site.backend, &handle);
        let ended = self.wait(&handle, &mut fragments).await;
        if !matches!(ended, Ended::Settled) {
            let _ = shielded(|| site.backend.cancel(&handle));
        }
        while let Ok(fragment) = fragments.try_recv() {
            self.token(fragment);
        }
        (ended, handle.snapshot())
    }

    async fn wait(
        &self,
        response: &ResponseHandle,
        fragments: &mut mpsc::UnboundedReceiver<String>,
    ) -> Ended {
        let config = self.config();
        let settled = response.settled();
        let cancelled = self.run.cancellation().cancelled();
        let silent = response.silent(config.round_trip_timeout, config.data_timeout);
        tokio::pin!(settled, cancelled, silent);
        loop {
            tokio::select! {
                biased;
                _ = &mut settled => return Ended::Settled,
                () = &mut cancelled => return Ended::Cancelled,
                Some(fragment) = fragments.recv() => self.token(fragment),
                silence = &mut silent => return Ended::Silent(silence),
            }
        }
    }

    fn token(&self, text: String) {
        self.emit(Token {
            text,
            round: Some(self.round),
            attempt: Some(self.attempt),
        });
    }

    /// Counts what an attempt cost, however it ended, and lets the counter learn from it.
    fn bill(&self, site: &Site, response: &Response) {
        let usage = &response.usage;
        if let Some(ledger) = self.core.ledger().as_mut() {
            ledger.record(usage);
        }
        if let Some(prompt_tokens) = usage.prompt_tokens {
            site.counter.record_usage(&UsageReport {
                prompt_tokens,
                completion_tokens: usage.completion_tokens,
                messages: self.conversation.messages(),
                model: &site.model,
            });
        }
    }

    fn succeeded(&self, site: &Site, response: &Response, started: Instant) {
        self.emit(AttemptSucceeded {
            round: self.round,
            attempt: self.attempt,
            backend_index: site.index,
            model_used: response.model_used.clone(),
            finish_reason: response.finish_reason.clone(),
            usage: response.usage.clone(),
            latency_ms: u64::try_from(started.elapsed().as_millis()).ok(),
        });
    }

    fn cause(&self, site: &Site, ended: Ended, response: &Response) -> Cause {
        if response.is_success() {
            let billed = response.usage.completion_tokens.unwrap_or(0);
            let cap = site.max_tokens.unwrap_or(0);
            self.log_clip(site, response.finish_reason.as_deref(), billed, cap);
            return Cause::Clipped { billed, cap };
        }
        match ended {
            Ended::Silent(Silence::Bytes) => {
                return Cause::NoActivity(self.config().round_trip_timeout);
            }
            Ended::Silent(Silence::Data) => return Cause::NoData(self.config().data_timeout),
            Ended::Settled | Ended::Cancelled => {}
        }
        let error = response.error();
        Cause::Reported {
            text: response.error_text().unwrap_or_default().to_owned(),
            class: error.map(|error| error.class),
            status: error.and_then(|error| error.status),
            retry_after: error.and_then(|error| error.retry_after),
        }
    }

    fn log_clip(&self, site: &Site, reason: Option<&str>, billed: u64, cap: u64) {
        self.log_record(
            "warning",
            [
                ("message", Json::string(&wording::clip(reason, billed, cap))),
                ("backend-index", Json::from(site.index as u64)),
                ("model", Json::string(&site.model)),
                ("finish-reason", Json::string(reason.unwrap_or("none"))),
                ("completion-tokens", Json::from(billed)),
                ("cap", Json::from(cap)),
            ],
        );
    }
}
