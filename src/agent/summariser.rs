//! [`BackendSummariser`]: a backend asked for summaries.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::decide::classify::{Bucket, classify, is_refusal};
use super::decide::retry::{backoff, jitter};
use super::ledger::reported;
use crate::backend::{Backend, ErrorClass, Request, Response};
use crate::context::{Summariser, Summary, SummaryFailure, SummaryRequest};

/// The longest wait between two attempts.
const CAP: Duration = Duration::from_secs(30);

/// A backend as a [`Summariser`]. It is asked as a whole, without tools; an answer that was cut off
/// by its completion cap is no summary.
///
/// ```
/// use std::sync::Arc;
/// use sess::agent::BackendSummariser;
/// use sess::backend::ScriptedBackend;
/// use sess::context::{CompactorOptions, SummarisingCompactor, default_counter};
///
/// let summariser = Arc::new(BackendSummariser::new(Arc::new(ScriptedBackend::new([]))));
/// let options = CompactorOptions::new(128_000);
/// let compactor = SummarisingCompactor::new(summariser, default_counter(), options)?;
/// # let _ = compactor;
/// # Ok::<(), sess::context::CompactorError>(())
/// ```
pub struct BackendSummariser(Arc<dyn Backend>);

impl BackendSummariser {
    /// A summariser that asks this backend.
    pub fn new(backend: Arc<dyn Backend>) -> Self {
        Self(backend)
    }
}

impl Summariser for BackendSummariser {
    fn summarise(&self, request: SummaryRequest) -> BoxFuture<'_, Summary> {
        let asked = Request {
            messages: request.messages.to_vec(),
            tools: Vec::new(),
        };
        async move {
            let response = self.0.complete(asked).await;
            let answer = answer(&response).map_err(|message| SummaryFailure {
                message,
                again_after: again_after(&response, request.attempt),
            });
            Summary {
                answer,
                spent: reported(&response.usage),
            }
        }
        .boxed()
    }
}

fn answer(response: &Response) -> Result<String, String> {
    if !response.is_success() {
        let text = response
            .error_text()
            .unwrap_or("the summary did not settle");
        return Err(text.to_owned());
    }
    match response.finish_reason.as_deref() {
        Some("length") => Err("the summary was cut off".to_owned()),
        _ => Ok(response.text.clone()),
    }
}

fn again_after(response: &Response, attempt: NonZeroU32) -> Option<Duration> {
    let error = response.error();
    let (class, status) = match response.is_success() {
        true => (Some(ErrorClass::Response), None),
        false => (response.error_class(), error.and_then(|error| error.status)),
    };
    let asked = error.and_then(|error| error.retry_after);
    let wait = backoff(attempt, jitter(), asked, CAP);
    let in_vain = classify(class, status) == Bucket::Abort || is_refusal(class, status);
    (!in_vain).then_some(wait)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{BackendError, Settled};

    #[test]
    fn only_what_may_pass_is_asked_for_again() {
        for (status, again) in [(500, true), (429, true), (401, false), (422, false)] {
            let response = Response {
                settled: Settled::Failed(BackendError::http(status, "no")),
                ..Response::default()
            };
            let wait = again_after(&response, NonZeroU32::MIN);
            assert_eq!(wait.is_some(), again, "{status}");
        }
    }
}
