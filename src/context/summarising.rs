//! [`SummarisingCompactor`]: stubs for old results, a summary of the middle, and a hard cut when no
//! summary can be had.

use std::num::NonZeroU32;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::aging::{self, Age};
use super::cut::{Middle, headed};
use super::options::{CompactorError, CompactorOptions};
use super::summary::{self, SummaryRequest};
use super::wording::{self, Loss};
use super::{Compacted, CompactionRequest, Compactor, Spent, Summariser, TokenCounter};
use crate::Message;

/// The compactor of this crate. A pass does as little as will do:
///
/// 1. Old tool results give way to stubs, where [that is wanted](CompactorOptions::age_observations).
/// 2. The middle of the conversation gives way to a summary, if that makes it smaller; a summariser
///    whose first answer does not is asked for a shorter one, once.
/// 3. Without a summary, as many of the oldest messages as need be give way to a note.
///
/// What is [sticky](Message::is_sticky) and the most recent messages stay. A pass never fails:
/// when even the last step does not help, the result says that it is exhausted.
///
/// ```
/// use std::sync::Arc;
/// use futures_util::future::BoxFuture;
/// use sess::Message;
/// use sess::context::{
///     CompactionRequest, Compactor, CompactorOptions, Spent, SummarisingCompactor, Summariser,
///     Summary, SummaryRequest, default_counter,
/// };
///
/// struct Terse;
///
/// impl Summariser for Terse {
///     fn summarise(&self, _: SummaryRequest) -> BoxFuture<'_, Summary> {
///         let answer = Ok("They talked.".to_owned());
///         Box::pin(async { Summary { answer, spent: Spent::default() } })
///     }
/// }
///
/// let options = CompactorOptions { keep_recent: 2, ..CompactorOptions::new(1_000) };
/// let compactor = SummarisingCompactor::new(Arc::new(Terse), default_counter(), options)?;
/// let long = |place| Message::user(format!("{place}: {}", "word ".repeat(200)));
/// let conversation: Vec<_> = (0..6).map(long).map(Arc::new).collect();
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let pass = compactor.compact(CompactionRequest {
///     messages: &conversation,
///     cancelled: Default::default(),
///     target: None,
/// });
/// let compacted = pass.await;
/// assert_eq!(compacted.dropped, 4);
/// assert!(compacted.summary.ends_with("They talked."));
/// // The summary, and the two most recent messages as they were.
/// assert_eq!(compacted.messages.len(), 3);
/// assert_eq!(compacted.messages[1..], conversation[4..]);
/// # });
/// # Ok::<(), sess::context::CompactorError>(())
/// ```
pub struct SummarisingCompactor {
    summariser: Arc<dyn Summariser>,
    counter: Arc<dyn TokenCounter>,
    options: CompactorOptions,
}

impl SummarisingCompactor {
    /// A compactor that measures with this counter, which should be the loop's own.
    ///
    /// # Errors
    /// When an option makes no sense.
    pub fn new(
        summariser: Arc<dyn Summariser>,
        counter: Arc<dyn TokenCounter>,
        options: CompactorOptions,
    ) -> Result<Self, CompactorError> {
        options.check()?;
        Ok(Self {
            summariser,
            counter,
            options,
        })
    }

    /// Its options.
    pub fn options(&self) -> &CompactorOptions {
        &self.options
    }

    fn elisions(&self, messages: &[Arc<Message>], cut: usize) -> Vec<(usize, String)> {
        if !self.options.age_observations {
            return Vec::new();
        }
        let age = Age {
            min_chars: self.options.age_min_chars,
            reclaim_min: self.options.age_reclaim_min,
        };
        aging::elisions(messages, cut, age)
    }

    async fn pass(&self, request: CompactionRequest<'_>) -> Compacted {
        let own = &self.counter;
        let counter = request
            .target
            .as_ref()
            .map_or(own, |target| &target.counter);
        let target = request.target.as_ref().map(|target| target.tokens);
        let mut pass = Pass {
            compactor: self,
            counter: counter.as_ref(),
            target,
            cancelled: &request.cancelled,
            spent: None,
        };
        let made = pass.run(request.messages).await;
        Compacted {
            spent: pass.spent,
            ..made
        }
    }
}

impl Compactor for SummarisingCompactor {
    fn trigger(&self) -> u64 {
        self.options.trigger()
    }

    fn context_budget(&self) -> u64 {
        self.options.context_budget
    }

    fn ages_observations(&self) -> bool {
        self.options.age_observations
    }

    fn needs_compaction(&self, messages: &[Arc<Message>], tokens: u64) -> bool {
        if tokens > self.trigger() {
            return true;
        }
        if !self.options.age_observations {
            return false;
        }
        let Some(middle) = Middle::of(messages, self.options.keep_recent) else {
            return false;
        };
        let elisions = self.elisions(messages, middle.cut());
        aging::pool(messages, &elisions) >= self.options.age_reclaim_min
    }

    fn compact<'a>(&'a self, request: CompactionRequest<'a>) -> BoxFuture<'a, Compacted> {
        self.pass(request).boxed()
    }
}

/// One pass.
///
/// Sizes are compared as estimates throughout: what a provider billed for the conversation says
/// nothing of one that it has not seen.
struct Pass<'a> {
    compactor: &'a SummarisingCompactor,
    counter: &'a dyn TokenCounter,
    target: Option<u64>,
    cancelled: &'a CancellationToken,
    spent: Option<Spent>,
}

/// How long to wait before asking again, if that makes sense.
type Wait = Option<Duration>;

/// A summary that does what it is for, and the conversation with it.
struct Accepted {
    messages: Vec<Arc<Message>>,
    summary: String,
}

impl Pass<'_> {
    async fn run(&mut self, messages: &[Arc<Message>]) -> Compacted {
        let before = self.counter.count_messages(messages);
        let Some(middle) = Middle::of(messages, self.options().keep_recent) else {
            return self.unchanged(messages, before);
        };
        let size = self.counter.estimate_messages(messages);
        let (elisions, aged) = self.age(messages, middle.cut(), size);
        let aged_size = self.counter.estimate_messages(&aged);
        let line = self.target.unwrap_or(self.options().trigger());
        // A pass that began below the line by a provider's own count cannot end above it.
        let began_below = before <= line && self.counter.is_calibrated_for(messages);
        if !elisions.is_empty() && (aged_size <= line || began_below) {
            return self.made(aged, before, elisions);
        }
        let middle = middle.with(&aged);
        match self.summarise(&middle, aged_size).await {
            Ok(Accepted { messages, summary }) => Compacted {
                summary,
                dropped: middle.dropped(middle.cut()),
                cut_index: Some(middle.cut()),
                ..self.made(messages, before, elisions)
            },
            Err(loss) => self.trim(&middle, aged_size, loss, before, elisions),
        }
    }

    fn options(&self) -> &CompactorOptions {
        &self.compactor.options
    }

    /// What the conversation may have at most for the run to go on.
    fn bound(&self) -> u64 {
        self.target.unwrap_or(self.options().context_budget)
    }

    /// Stubs, and the conversation with them; none when they would save nothing.
    fn age(
        &self,
        messages: &[Arc<Message>],
        cut: usize,
        size: u64,
    ) -> (Vec<(usize, String)>, Vec<Arc<Message>>) {
        let elisions = self.compactor.elisions(messages, cut);
        let aged = aging::aged(messages, &elisions);
        match elisions.is_empty() || self.counter.estimate_messages(&aged) < size {
            true => (elisions, aged),
            false => (Vec::new(), messages.to_vec()),
        }
    }

    fn made(
        &self,
        messages: Vec<Arc<Message>>,
        tokens_before: u64,
        elisions: Vec<(usize, String)>,
    ) -> Compacted {
        Compacted {
            tokens_after: self.counter.estimate_messages(&messages),
            messages,
            tokens_before,
            elisions,
            ..Compacted::default()
        }
    }

    fn unchanged(&self, messages: &[Arc<Message>], before: u64) -> Compacted {
        Compacted {
            messages: messages.to_vec(),
            tokens_before: before,
            tokens_after: before,
            exhausted: before > self.bound(),
            ..Compacted::default()
        }
    }

    async fn summarise(&mut self, middle: &Middle<'_>, size: u64) -> Result<Accepted, Loss> {
        let cap = self.options().tool_result_cap;
        let request = summary::request(middle.messages(), cap, NonZeroU32::MIN);
        let first = self.ask(&request).await?;
        let (first, first_size) = self.with_summary(middle, &first);
        if self.is_accepted(first_size, size) {
            return Ok(first);
        }
        let Some(second) = self.once(request.tightened()).await? else {
            return Err(Loss::TooLong);
        };
        let (second, second_size) = self.with_summary(middle, &second);
        match self.is_accepted(second_size, size) && second_size < first_size {
            true => Ok(second),
            false => Err(Loss::TooLong),
        }
    }

    fn with_summary(&self, middle: &Middle<'_>, text: &str) -> (Accepted, u64) {
        let summary = headed(text);
        let messages = middle.assemble(middle.cut(), &summary);
        let size = self.counter.estimate_messages(&messages);
        (Accepted { messages, summary }, size)
    }

    fn is_accepted(&self, size: u64, before: u64) -> bool {
        size < before && self.target.is_none_or(|target| size <= target)
    }

    /// Asks until there is an answer, asking again makes no sense, or it has been asked often
    /// enough.
    async fn ask(&mut self, request: &SummaryRequest) -> Result<String, Loss> {
        for attempt in 1..=self.options().max_attempts {
            let attempt = NonZeroU32::new(attempt).unwrap_or(NonZeroU32::MIN);
            let wait = match self
                .call(SummaryRequest {
                    attempt,
                    ..request.clone()
                })
                .await?
            {
                Ok(text) => return Ok(text),
                Err(None) => return Err(Loss::Unreachable),
                Err(Some(wait)) => wait,
            };
            if attempt.get() < self.options().max_attempts {
                self.unless_cancelled(tokio::time::sleep(wait)).await?;
            }
        }
        Err(Loss::Unreachable)
    }

    /// Asks once, whatever becomes of it.
    async fn once(&mut self, request: SummaryRequest) -> Result<Option<String>, Loss> {
        Ok(self.call(request).await?.ok())
    }

    /// One call of the summariser: its answer, or how long to wait before another.
    async fn call(&mut self, request: SummaryRequest) -> Result<Result<String, Wait>, Loss> {
        let attempt = request.attempt;
        let summariser = Arc::clone(&self.compactor.summariser);
        let call = AssertUnwindSafe(async move { summariser.summarise(request).await });
        let called = self.unless_cancelled(call.catch_unwind()).await;
        let Ok(Ok(summary)) = called else {
            // Nobody knows what an answer that was given up cost.
            self.bill(&Spent {
                complete: false,
                ..Spent::default()
            });
            return called.map(|_| Err(Some(backoff(attempt))));
        };
        self.bill(&summary.spent);
        Ok(match summary.answer {
            Ok(text) if text.trim().is_empty() => Err(Some(backoff(attempt))),
            Ok(text) => Ok(text.trim().to_owned()),
            Err(failure) => Err(failure.again_after),
        })
    }

    fn bill(&mut self, spent: &Spent) {
        self.spent.get_or_insert_default().absorb(spent);
    }

    async fn unless_cancelled<T>(&self, work: impl Future<Output = T>) -> Result<T, Loss> {
        tokio::select! {
            biased;
            () = self.cancelled.cancelled() => Err(Loss::Cancelled),
            done = work => Ok(done),
        }
    }

    /// Replaces as little as reaches the aim by a note; all of the middle when nothing does.
    fn trim(
        &self,
        middle: &Middle<'_>,
        size: u64,
        loss: Loss,
        before: u64,
        elisions: Vec<(usize, String)>,
    ) -> Compacted {
        let aim = self.target.unwrap_or(self.options().target());
        let enough = middle.candidates().into_iter().map(|end| (end, aim));
        for (end, most) in enough.chain([(middle.cut(), u64::MAX)]) {
            let dropped = middle.dropped(end);
            let summary = headed(&wording::note(loss, dropped));
            let messages = middle.assemble(end, &summary);
            let after = self.counter.estimate_messages(&messages);
            if after < size && after <= most {
                return Compacted {
                    summary,
                    dropped,
                    cut_index: Some(end),
                    fallback: true,
                    exhausted: after > self.bound(),
                    ..self.made(messages, before, elisions)
                };
            }
        }
        // No note is shorter than what it would replace.
        let aged = middle.whole();
        if elisions.is_empty() {
            return self.unchanged(aged, before);
        }
        Compacted {
            exhausted: size > self.bound(),
            ..self.made(aged.to_vec(), before, elisions)
        }
    }
}

/// The wait after a failure that says nothing of waiting: a second, doubled with each attempt, up
/// to half a minute.
fn backoff(attempt: NonZeroU32) -> Duration {
    let doubled = 2u64.saturating_pow(attempt.get() - 1);
    Duration::from_secs(doubled.min(30))
}
