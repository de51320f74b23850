//! What a failed attempt means for the walk along the backends.
//!
//! No backend is sent twice what it has refused once. A request that is too large goes on along the
//! chain, and comes back when it has been made smaller; one that is refused for another reason goes
//! on along the chain, or ends the walk, and is not repeated on the last backend either. What may
//! pass is repeated there, after a wait.

use std::time::Duration;

use super::classify::{Bucket, classify, is_refusal};
use super::verdict::{self, Verdict};
use super::window::Terms;
use crate::agent::event::FailReason;
use crate::agent::wording;
use crate::backend::{ErrorClass, Usage};

/// How an attempt failed.
///
/// ```
/// use std::time::Duration;
/// use sess::agent::decide::failure::{Cause, Failure};
/// use sess::backend::{ErrorClass, Usage};
/// let busy = Cause::Reported {
///     text: "slow down".into(),
///     class: Some(ErrorClass::Http),
///     status: Some(429),
///     retry_after: Some(Duration::from_secs(5)),
/// };
/// let failure = Failure { cause: busy, finish_reason: None, usage: Usage::default() };
/// assert_eq!(failure.retry_after(), Some(Duration::from_secs(5)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// Nothing arrived for this long.
    NoActivity(Duration),
    /// Signs of life arrived, but no data for this long.
    NoData(Duration),
    /// It arrived whole, and was billed at the completion cap or beyond.
    Clipped {
        /// Completion tokens billed.
        billed: u64,
        /// The cap.
        cap: u64,
    },
    /// The backend says so.
    Reported {
        /// In words.
        text: String,
        /// The kind.
        class: Option<ErrorClass>,
        /// The HTTP status.
        status: Option<u16>,
        /// How long the server asks to be left alone.
        retry_after: Option<Duration>,
    },
}

/// A failed attempt.
///
/// ```
/// use sess::agent::decide::failure::{Cause, Failure};
/// use sess::backend::Usage;
/// let clipped = Failure {
///     cause: Cause::Clipped { billed: 256, cap: 256 },
///     finish_reason: Some("stop".into()),
///     usage: Usage { completion_tokens: Some(256), ..Usage::default() },
/// };
/// // Only a server can ask for a pause.
/// assert_eq!(clipped.retry_after(), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// How it failed.
    pub cause: Cause,
    /// Why the model stopped, as the provider says it.
    pub finish_reason: Option<String>,
    /// What it cost all the same.
    pub usage: Usage,
}

/// Where in the walk the attempt was made.
///
/// ```
/// use std::time::Duration;
/// use sess::agent::decide::failure::{Cause, Failure, Move, Position, Size, judge};
/// # use sess::backend::Usage;
/// # let silent = Failure {
/// #     cause: Cause::NoData(Duration::from_secs(120)),
/// #     finish_reason: None,
/// #     usage: Usage::default(),
/// # };
/// # let size = Size { request: 100, terms: None };
/// // Silence on the first of two backends, and on the last with and without retries left.
/// let first = Position { backend_index: 0, is_last: false, retries_left: 1, max_tokens: None };
/// let last = Position { backend_index: 1, is_last: true, ..first };
/// let spent = Position { retries_left: 0, ..last };
/// assert_eq!(judge(&silent, &first, &size).next, Move::Advance);
/// assert_eq!(judge(&silent, &last, &size).next, Move::RetrySame);
/// // Going on from the last backend is where the walk ends.
/// assert_eq!(judge(&silent, &spent, &size).next, Move::Advance);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The backend's place in the chain.
    pub backend_index: usize,
    /// Whether no backend comes after it.
    pub is_last: bool,
    /// How often this backend may still be asked again.
    pub retries_left: u32,
    /// Its completion cap.
    pub max_tokens: Option<u64>,
}

/// The size of the request that failed.
///
/// ```
/// use sess::agent::decide::failure::{Cause, Failure, Position, Size, judge};
/// use sess::backend::{ErrorClass, Usage};
/// let refused = Failure {
///     cause: Cause::Reported {
///         text: "maximum context length is 8192 tokens".into(),
///         class: Some(ErrorClass::Http),
///         status: Some(400),
///         retry_after: None,
///     },
///     finish_reason: None,
///     usage: Usage::default(),
/// };
/// let at = Position { backend_index: 0, is_last: false, retries_left: 1, max_tokens: None };
/// // Nothing is known of the window, so a fifth less than what was refused is tried.
/// let judgement = judge(&refused, &at, &Size { request: 9_000, terms: None });
/// assert_eq!(judgement.refused_above, Some(7_200));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// As the selected counter measures it.
    pub request: u64,
    /// Against the window, when a profile describes the model.
    pub terms: Option<Terms>,
}

/// What the walk does next.
///
/// ```
/// use std::time::Duration;
/// use sess::agent::decide::failure::{Cause, Failure, Move, Position, Size, judge};
/// # use sess::backend::Usage;
/// let silent = Failure {
///     cause: Cause::NoActivity(Duration::from_secs(30)),
///     finish_reason: None,
///     usage: Usage::default(),
/// };
/// let at = Position { backend_index: 0, is_last: false, retries_left: 3, max_tokens: None };
/// let judgement = judge(&silent, &at, &Size { request: 100, terms: None });
/// // While there is another backend, nobody waits for a silent one.
/// assert_eq!(judgement.next, Move::Advance);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// Asks the same backend again, after a wait.
    RetrySame,
    /// Goes on to the next backend.
    Advance,
    /// Gives up.
    Abort,
}

/// What a failed attempt means.
///
/// ```
/// use std::time::Duration;
/// use sess::agent::decide::failure::{Cause, Failure, Move, Position, Size, judge};
/// use sess::backend::Usage;
///
/// let silent = Failure {
///     cause: Cause::NoActivity(Duration::from_secs(120)),
///     finish_reason: None,
///     usage: Usage::default(),
/// };
/// let only = Position { backend_index: 0, is_last: true, retries_left: 1, max_tokens: None };
/// let judgement = judge(&silent, &only, &Size { request: 100, terms: None });
/// assert_eq!(judgement.error, "[backend 0] no activity for 120s");
/// assert_eq!(judgement.next, Move::RetrySame);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// What happened, in words.
    pub error: String,
    /// The kind the response said it was.
    pub class: Option<ErrorClass>,
    /// The HTTP status.
    pub status: Option<u16>,
    /// What to do next.
    pub next: Move,
    /// The size a request has to get under, when size is what this backend refuses.
    pub refused_above: Option<u64>,
    /// Whether an answer was truncated because the window was nearly full.
    pub near_window: bool,
    /// The name of the failure, when it ends the run under one.
    pub reason: Option<FailReason>,
}

/// Judges a failed attempt.
///
/// ```
/// use sess::agent::decide::failure::{Cause, Failure, Move, Position, Size, judge};
/// use sess::backend::{ErrorClass, Usage};
///
/// let failure = Failure {
///     cause: Cause::Reported {
///         text: "slow down".into(),
///         class: Some(ErrorClass::Http),
///         status: Some(429),
///         retry_after: None,
///     },
///     finish_reason: None,
///     usage: Usage::default(),
/// };
/// let at = Position { backend_index: 0, is_last: false, retries_left: 2, max_tokens: None };
/// let judgement = judge(&failure, &at, &Size { request: 100, terms: None });
/// assert_eq!(judgement.next, Move::Advance);
/// ```
pub fn judge(failure: &Failure, at: &Position, size: &Size) -> Judgement {
    let (class, status) = failure.kind();
    let mut judgement = Judgement {
        error: failure.text(at.backend_index),
        class,
        status,
        next: Move::Advance,
        refused_above: None,
        near_window: false,
        reason: None,
    };
    let mut bucket = classify(class, status);
    match failure.verdict(at, size) {
        Some(Verdict::NearWindow {
            usable,
            explanation,
        }) => {
            judgement.error.push_str(" — ");
            judgement.error.push_str(&explanation);
            judgement.refused_above = Some(usable);
            judgement.near_window = true;
            bucket = Bucket::Advance;
        }
        Some(Verdict::CompletionCap { explanation }) => {
            judgement.error.push_str(" — ");
            judgement.error.push_str(&explanation);
            judgement.reason = Some(FailReason::CompletionTruncated);
            bucket = Bucket::Abort;
        }
        None if failure.is_overflow() => {
            judgement.refused_above = Some(size.ceiling());
            bucket = Bucket::Advance;
        }
        None => {}
    }
    let in_vain = judgement.refused_above.is_some() || is_refusal(class, status);
    judgement.next = next(bucket, in_vain, at);
    judgement
}

/// On the last backend there is nobody to go on to: what may pass is tried again.
fn next(bucket: Bucket, in_vain: bool, at: &Position) -> Move {
    let may_retry = at.retries_left > 0;
    match bucket {
        Bucket::Abort => Move::Abort,
        Bucket::RetrySame if may_retry => Move::RetrySame,
        Bucket::Advance if at.is_last && !in_vain && may_retry => Move::RetrySame,
        Bucket::RetrySame | Bucket::Advance => Move::Advance,
    }
}

impl Failure {
    /// How long the server asks to be left alone.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.cause {
            Cause::Reported { retry_after, .. } => retry_after,
            _ => None,
        }
    }

    fn kind(&self) -> (Option<ErrorClass>, Option<u16>) {
        match &self.cause {
            Cause::NoActivity(_) | Cause::NoData(_) => (Some(ErrorClass::Timeout), None),
            Cause::Clipped { .. } => (Some(ErrorClass::Response), None),
            Cause::Reported { class, status, .. } => (*class, *status),
        }
    }

    fn text(&self, backend_index: usize) -> String {
        match &self.cause {
            Cause::NoActivity(silence) => wording::no_activity(backend_index, *silence),
            Cause::NoData(silence) => wording::no_data(backend_index, *silence),
            Cause::Clipped { billed, cap } => {
                wording::clipped(backend_index, self.finish_reason.as_deref(), *billed, *cap)
            }
            Cause::Reported { text, .. } => wording::reported(backend_index, text),
        }
    }

    fn verdict(&self, at: &Position, size: &Size) -> Option<Verdict> {
        let truncated = match self.cause {
            Cause::NoActivity(_) | Cause::NoData(_) => false,
            Cause::Clipped { .. } => true,
            Cause::Reported { .. } => self.finish_reason.as_deref() == Some("length"),
        };
        truncated.then(|| verdict::judge(size.terms.as_ref(), &self.usage, at.max_tokens))
    }

    /// Some servers say so by the status alone, most in the words of a refusal, and some by an
    /// error in a stream that began well.
    fn is_overflow(&self) -> bool {
        let Cause::Reported { text, .. } = &self.cause else {
            return false;
        };
        match self.kind() {
            (Some(ErrorClass::Http), Some(413)) => true,
            (Some(ErrorClass::Http), Some(400 | 422)) | (Some(ErrorClass::Response), _) => {
                verdict::is_overflow(text)
            }
            _ => false,
        }
    }
}

impl Size {
    /// The size to get under.
    fn ceiling(&self) -> u64 {
        match &self.terms {
            Some(terms) => verdict::usable(terms, None),
            None => verdict::usable_without_window(self.request),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(class: ErrorClass, status: Option<u16>, text: &str) -> Failure {
        Failure {
            cause: Cause::Reported {
                text: text.into(),
                class: Some(class),
                status,
                retry_after: None,
            },
            finish_reason: None,
            usage: Usage::default(),
        }
    }

    fn at(is_last: bool, retries_left: u32) -> Position {
        Position {
            backend_index: 1,
            is_last,
            retries_left,
            max_tokens: Some(256),
        }
    }

    const SIZE: Size = Size {
        request: 100,
        terms: None,
    };

    #[test]
    fn the_next_move_depends_on_kind_and_place() {
        use ErrorClass::*;
        for (class, status, is_last, retries, expected) in [
            (Http, Some(500), false, 1, Move::RetrySame),
            (Http, Some(500), false, 0, Move::Advance),
            (Http, Some(429), false, 2, Move::Advance),
            (Http, Some(429), true, 2, Move::RetrySame),
            (Http, Some(429), true, 0, Move::Advance),
            (Http, Some(401), true, 2, Move::Abort),
            (Http, Some(422), false, 2, Move::Advance),
            (Http, Some(422), true, 2, Move::Advance),
            (Http, Some(408), true, 2, Move::RetrySame),
            (Timeout, None, true, 1, Move::RetrySame),
            (Response, None, false, 1, Move::Advance),
            (Response, None, true, 1, Move::RetrySame),
        ] {
            let failure = reported(class, status, "no");
            let next = judge(&failure, &at(is_last, retries), &SIZE).next;
            assert_eq!(next, expected, "{class:?} {status:?} {is_last} {retries}");
        }
    }

    #[test]
    fn a_request_that_is_too_large_is_never_sent_again_unchanged() {
        for (class, status) in [
            (ErrorClass::Http, Some(400)),
            (ErrorClass::Http, Some(413)),
            (ErrorClass::Http, Some(422)),
            (ErrorClass::Response, None),
        ] {
            let failure = reported(class, status, "maximum context length is 90");
            let judgement = judge(&failure, &at(true, 3), &SIZE);
            assert_eq!(
                (judgement.next, judgement.refused_above),
                (Move::Advance, Some(80))
            );
            assert_eq!(judgement.error, "[backend 1] maximum context length is 90");
        }
        let other = reported(ErrorClass::Http, Some(400), "bad request");
        assert_eq!(judge(&other, &at(true, 3), &SIZE).next, Move::Abort);
        let wordless = reported(ErrorClass::Http, Some(413), "Payload Too Large");
        assert_eq!(
            judge(&wordless, &at(true, 3), &SIZE).refused_above,
            Some(80)
        );
        let elsewhere = reported(ErrorClass::Http, Some(500), "maximum context length is 90");
        assert_eq!(judge(&elsewhere, &at(true, 3), &SIZE).refused_above, None);
    }

    #[test]
    fn a_length_becomes_a_named_failure_or_a_smaller_request() {
        let mut failure = reported(ErrorClass::Response, None, "Hit max tokens");
        failure.finish_reason = Some("length".into());
        let capped = judge(&failure, &at(false, 3), &SIZE);
        assert_eq!(capped.next, Move::Abort);
        assert_eq!(capped.reason, Some(FailReason::CompletionTruncated));
        let full = Size {
            request: 900,
            terms: Some(Terms {
                messages: 900,
                context: 0,
                tools: 0,
                request: 900,
                margin: 0,
                reserve: 0,
                window: 1_000,
            }),
        };
        let near = judge(&failure, &at(true, 3), &full);
        assert_eq!((near.next, near.refused_above), (Move::Advance, Some(800)));
        assert!(
            near.near_window && near.error.contains("provider-length"),
            "{}",
            near.error
        );
    }

    #[test]
    fn silence_is_a_timeout_whatever_the_model_had_said() {
        let failure = Failure {
            cause: Cause::NoActivity(Duration::from_millis(300)),
            finish_reason: Some("length".into()),
            usage: Usage::default(),
        };
        let judgement = judge(&failure, &at(false, 3), &SIZE);
        assert_eq!(judgement.error, "[backend 1] no activity for 0.3s");
        assert_eq!(judgement.class, Some(ErrorClass::Timeout));
        assert_eq!(judgement.reason, None);
    }
}
