//! The walk along the backends, until one gives an answer or all have been tried.

use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use super::attempt::Attempted;
use super::driver::Driver;
use super::end::Step;
use super::site::Site;
use crate::Json;
use crate::agent::decide::failure::{self, Failure, Judgement, Move, Position, Size};
use crate::agent::decide::retry;
use crate::agent::decide::window::Terms;
use crate::agent::event::{
    AttemptFailed, AttemptRecord, CancelStage, DiscardReason, Disposition, FailReason,
};
use crate::agent::wording;
use crate::backend::{Response, Usage};
use crate::context::TokenCounter;

/// How a walk ended.
enum Trip {
    Answered(Box<Response>),
    Cancelled(CancelStage),
    /// Every backend refused the size of the request.
    TooLarge(Refusal),
    Failed {
        error: String,
        reason: Option<FailReason>,
    },
}

/// What a walk has met so far.
#[derive(Default)]
struct Walk {
    errors: Vec<String>,
    refusals: Vec<Refusal>,
}

/// An attempt that failed, and what that means.
struct Failed {
    failure: Failure,
    /// What had arrived until then.
    text: String,
    size: Size,
    judgement: Judgement,
}

/// A backend that refused the size of a request.
#[derive(Clone)]
pub(super) struct Refusal {
    /// The size a request has to get under.
    pub(super) usable: u64,
    /// The size it had.
    request: u64,
    /// Measures both.
    pub(super) counter: Arc<dyn TokenCounter>,
    pub(super) model: String,
}

type Walked = ControlFlow<Trip>;

impl Driver {
    /// Asks for an answer. When every backend refuses the size of the request, it is made smaller
    /// and sent along once more.
    pub(super) async fn ask(&mut self) -> Step<Response> {
        let mut may_compact = true;
        loop {
            let (trip, errors) = self.round_trip().await;
            match trip {
                Trip::Answered(response) => return Ok(*response),
                Trip::Cancelled(stage) => {
                    self.discard(DiscardReason::Cancelled);
                    return Err(self.cancelled(stage));
                }
                Trip::TooLarge(refusal) if may_compact => {
                    self.compact_under(refusal, &errors).await?;
                    self.stop_if_cancelled(CancelStage::Compaction)?;
                    may_compact = false;
                }
                Trip::TooLarge(_) => {
                    let error = wording::fits_no_backend(&errors);
                    return Err(self.failed(error, Some(FailReason::ContextExhausted)));
                }
                Trip::Failed { error, reason } => {
                    self.discard(DiscardReason::Failed);
                    self.sync_grants();
                    return Err(self.failed(error, reason));
                }
            }
        }
    }

    /// One walk, and every error it met.
    async fn round_trip(&mut self) -> (Trip, Vec<String>) {
        let mut walk = Walk::default();
        let count = self.config().backends.len();
        for index in 0..count {
            if let Some(site) = self.site(index)
                && let ControlFlow::Break(trip) = self.try_backend(&site, &mut walk).await
            {
                return (trip, walk.errors);
            }
        }
        let trip = match Refusal::best(&walk.refusals) {
            Some(refusal) if walk.refusals.len() == count => Trip::TooLarge(refusal),
            _ => Trip::Failed {
                error: wording::every_backend_failed(&walk.errors),
                reason: None,
            },
        };
        (trip, walk.errors)
    }

    /// Asks one backend, as often as makes sense.
    async fn try_backend(&mut self, site: &Site, walk: &mut Walk) -> Walked {
        self.align(site);
        if let Some(terms) = self.terms(site).filter(|terms| !terms.fits()) {
            self.skip(site, &terms, walk);
            return ControlFlow::Continue(());
        }
        let max_retries = self.config().max_retries.get();
        for made in 1..=max_retries {
            if self.is_cancelled() {
                return ControlFlow::Break(Trip::Cancelled(CancelStage::Streaming));
            }
            let failed = match self.attempt(site).await {
                Attempted::Answered(response) => {
                    return ControlFlow::Break(Trip::Answered(Box::new(response)));
                }
                Attempted::Cancelled => {
                    return ControlFlow::Break(Trip::Cancelled(CancelStage::Streaming));
                }
                Attempted::Failed(failure, text) => {
                    self.judge(site, failure, text, max_retries - made)
                }
            };
            self.note_failure(site, &failed, walk);
            match failed.judgement.next {
                Move::RetrySame => self.back_off(site, &failed, made).await?,
                Move::Advance => {
                    self.tell_failure(site, &failed, Disposition::Advance);
                    break;
                }
                Move::Abort => {
                    self.tell_failure(site, &failed, Disposition::Abort);
                    let Judgement { error, reason, .. } = failed.judgement;
                    return ControlFlow::Break(Trip::Failed { error, reason });
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn judge(&self, site: &Site, failure: Failure, text: String, retries_left: u32) -> Failed {
        let at = Position {
            backend_index: site.index,
            is_last: site.index + 1 == self.config().backends.len(),
            retries_left,
            max_tokens: site.max_tokens,
        };
        let size = self.size(site);
        let judgement = failure::judge(&failure, &at, &size);
        Failed {
            failure,
            text,
            size,
            judgement,
        }
    }

    /// Waits before the next attempt, unless the run is cancelled meanwhile.
    async fn back_off(&self, site: &Site, failed: &Failed, made: u32) -> Walked {
        let retry = NonZeroU32::new(made).unwrap_or(NonZeroU32::MIN);
        let cap = self.config().backoff_cap;
        let asked = failed.failure.retry_after();
        let wait = retry::backoff(retry, retry::jitter(), asked, cap);
        let backoff = wait.as_secs_f64();
        self.tell_failure(site, failed, Disposition::RetrySame { backoff });
        match self.sleep(wait).await {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(Trip::Cancelled(CancelStage::Backoff)),
        }
    }

    /// `false`: the run was cancelled.
    async fn sleep(&self, time: Duration) -> bool {
        tokio::select! {
            biased;
            () = self.run.cancellation().cancelled() => false,
            () = tokio::time::sleep(time) => true,
        }
    }

    /// Passes a backend whose window the request does not fit, without asking it.
    fn skip(&mut self, site: &Site, terms: &Terms, walk: &mut Walk) {
        let error = wording::preflight(terms);
        let needed = terms.needed().saturating_add(terms.reserve);
        self.log_window(
            "info",
            "the request does not fit this backend",
            site,
            needed,
            terms,
        );
        walk.errors.push(error.clone());
        walk.refusals
            .push(Refusal::of(site, terms.usable(), terms.request));
        self.attempts.push(AttemptRecord {
            backend_index: site.index,
            model: site.model.clone(),
            error,
            raw_text: None,
            usage: Usage::default(),
            disposition: Some(Disposition::Advance.as_str().to_owned()),
        });
    }

    fn note_failure(&mut self, site: &Site, failed: &Failed, walk: &mut Walk) {
        let judgement = &failed.judgement;
        if let Some(terms) = failed.size.terms.filter(|_| judgement.near_window) {
            let message = "the provider truncated the completion near the end of its window";
            self.log_window("warning", message, site, terms.needed(), &terms);
        }
        if let Some(usable) = judgement.refused_above {
            let refusal = Refusal::of(site, usable, failed.size.request);
            walk.refusals.push(refusal);
        }
        walk.errors.push(judgement.error.clone());
        self.attempts.push(AttemptRecord {
            backend_index: site.index,
            model: site.model.clone(),
            error: judgement.error.clone(),
            raw_text: (!failed.text.is_empty()).then(|| failed.text.clone()),
            usage: failed.failure.usage.clone(),
            disposition: None,
        });
    }

    fn tell_failure(&self, site: &Site, failed: &Failed, disposition: Disposition) {
        self.emit(AttemptFailed {
            round: self.round,
            attempt: self.attempt,
            backend_index: site.index,
            model: Some(site.model.clone()),
            error: failed.judgement.error.clone(),
            error_class: failed.judgement.class,
            error_status: failed.judgement.status,
            disposition,
            usage: failed.failure.usage.clone(),
        });
    }

    fn log_window(&self, level: &str, message: &str, site: &Site, needed: u64, terms: &Terms) {
        self.log_record(
            level,
            [
                ("message", Json::string(message)),
                ("backend-index", Json::from(site.index as u64)),
                ("model", Json::string(&site.model)),
                ("needed", Json::from(needed)),
                ("window", Json::from(terms.window)),
            ],
        );
    }
}

impl Refusal {
    fn of(site: &Site, usable: u64, request: u64) -> Self {
        Self {
            usable,
            request,
            counter: Arc::clone(&site.counter),
            model: site.model.clone(),
        }
    }

    /// The refusal that asks for the least: the most room, where two measure alike, and else the
    /// most room for what the request weighs there.
    fn best(refusals: &[Refusal]) -> Option<Refusal> {
        let room = |refusal: &Refusal| refusal.usable as f64 / refusal.request.max(1) as f64;
        let better = |best: Refusal, next: &Refusal| {
            let is_better = match Arc::ptr_eq(&best.counter, &next.counter) {
                true => next.usable > best.usable,
                false => room(next) > room(&best),
            };
            if is_better { next.clone() } else { best }
        };
        let (first, rest) = refusals.split_first()?;
        Some(rest.iter().fold(first.clone(), better))
    }
}
