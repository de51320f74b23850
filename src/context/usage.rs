//! [`UsageCounter`]: a provider's own number for what was sent, an estimate for what came since.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{HeuristicCounter, RequestView, TokenCounter, UsageReport};
use crate::Message;

/// Answers with the number a provider billed for the conversation it was sent, and estimates only
/// what has been appended since. Until a provider has reported, and whenever the conversation no
/// longer begins with what was billed, all of it is estimated; what was learned is then forgotten.
///
/// A billed number covers context and tools too, so a [request](TokenCounter::count_request) gets
/// nothing on top for them.
///
/// ```
/// use std::sync::Arc;
/// use sess::Message;
/// use sess::context::{TokenCounter, UsageCounter, UsageReport};
///
/// let counter = UsageCounter::default();
/// let mut conversation = vec![Arc::new(Message::user("hello there"))];
/// counter.record_usage(&UsageReport {
///     prompt_tokens: 812,
///     completion_tokens: Some(9),
///     messages: &conversation,
///     model: "m",
/// });
/// conversation.push(Arc::new(Message::assistant("well hello")));
/// assert_eq!(counter.count_messages(&conversation), 823);
/// ```
pub struct UsageCounter {
    fallback: Arc<dyn TokenCounter>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    calibration: Option<Calibration>,
    last_completion_tokens: Option<u64>,
}

/// What a provider reported, and of which conversation.
///
/// ```
/// use sess::context::{Reported, UsageCounter};
/// let counter = UsageCounter::default();
/// counter.record(Reported { prompt_tokens: Some(812), message_count: Some(3), ..Reported::default() });
/// let learned = counter.calibration().unwrap();
/// assert_eq!((learned.prompt_tokens, learned.message_count), (812, 3));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    /// Tokens of the whole request.
    pub prompt_tokens: u64,
    /// Messages of the conversation that was sent.
    pub message_count: usize,
    /// Those messages. Without them, any conversation of at least as many is taken to begin with
    /// them.
    pub prefix: Option<Vec<Arc<Message>>>,
    /// The model that answered.
    pub model: Option<String>,
}

/// What is known of a request's cost, which may be little.
///
/// ```
/// use sess::context::{Reported, UsageCounter};
/// let counter = UsageCounter::default();
/// // A prompt without the count of its messages says nothing about a conversation.
/// counter.record(Reported { prompt_tokens: Some(812), ..Reported::default() });
/// assert_eq!(counter.calibration(), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reported {
    /// Tokens of the whole request.
    pub prompt_tokens: Option<u64>,
    /// Tokens of the answer.
    pub completion_tokens: Option<u64>,
    /// Messages of the conversation that was sent.
    pub message_count: Option<usize>,
    /// Those messages.
    pub prefix: Option<Vec<Arc<Message>>>,
    /// The model that answered.
    pub model: Option<String>,
}

impl Default for UsageCounter {
    fn default() -> Self {
        Self::new(Arc::new(HeuristicCounter::default()))
    }
}

impl UsageCounter {
    /// A counter that estimates with another one, which must not be itself.
    pub fn new(fallback: Arc<dyn TokenCounter>) -> Self {
        Self {
            fallback,
            state: Mutex::default(),
        }
    }

    /// Takes over a report. One of another model makes the last one void, and one with both a
    /// prompt and a message count takes its place; any other changes nothing.
    pub fn record(&self, reported: Reported) {
        let mut state = self.state();
        if reported.completion_tokens.is_some() {
            state.last_completion_tokens = reported.completion_tokens;
        }
        let known = state.calibration.as_ref();
        let known = known.and_then(|calibration| calibration.model.as_ref());
        if known
            .zip(reported.model.as_ref())
            .is_some_and(|(known, model)| known != model)
        {
            state.calibration = None;
        }
        if let (Some(prompt_tokens), Some(message_count)) =
            (reported.prompt_tokens, reported.message_count)
        {
            state.calibration = Some(Calibration {
                prompt_tokens,
                message_count,
                prefix: reported.prefix,
                model: reported.model,
            });
        }
    }

    /// What the next count would build on.
    pub fn calibration(&self) -> Option<Calibration> {
        self.state().calibration.clone()
    }

    /// Tokens of the last answer. No count uses them: the answer is part of the conversation.
    pub fn last_completion_tokens(&self) -> Option<u64> {
        self.state().last_completion_tokens
    }

    /// The billed tokens and where the estimate begins; `None`, and nothing is known any more,
    /// when the conversation is not the one that was billed.
    fn billed(state: &mut State, messages: &[Arc<Message>]) -> Option<(u64, usize)> {
        let calibration = state.calibration.as_ref()?;
        if !calibration.begins(messages) {
            state.calibration = None;
            return None;
        }
        Some((calibration.prompt_tokens, calibration.message_count))
    }

    /// One count as one step, so that no report comes between reading and answering.
    fn count(&self, messages: &[Arc<Message>], whole: impl FnOnce() -> u64) -> u64 {
        let mut state = self.state();
        match Self::billed(&mut state, messages) {
            Some((prompt, sent)) => {
                let appended = messages.get(sent..).unwrap_or_default();
                prompt.saturating_add(self.fallback.count_messages(appended))
            }
            None => whole(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Calibration {
    fn begins(&self, messages: &[Arc<Message>]) -> bool {
        let Some(start) = messages.get(..self.message_count) else {
            return false;
        };
        // Messages are shared, so nearly always the first comparison decides.
        let same = |(a, b): (&Arc<Message>, &Arc<Message>)| Arc::ptr_eq(a, b) || a == b;
        let prefix = self.prefix.as_ref();
        prefix
            .is_none_or(|prefix| prefix.len() == start.len() && prefix.iter().zip(start).all(same))
    }
}

impl TokenCounter for UsageCounter {
    fn count_messages(&self, messages: &[Arc<Message>]) -> u64 {
        self.count(messages, || self.fallback.count_messages(messages))
    }

    fn count_text(&self, text: &str) -> u64 {
        self.fallback.count_text(text)
    }

    fn count_request(&self, request: &RequestView<'_>) -> u64 {
        self.count(request.messages, || self.fallback.count_request(request))
    }

    fn estimate_messages(&self, messages: &[Arc<Message>]) -> u64 {
        self.fallback.estimate_messages(messages)
    }

    fn estimate_request(&self, request: &RequestView<'_>) -> u64 {
        self.fallback.estimate_request(request)
    }

    fn is_calibrated_for(&self, messages: &[Arc<Message>]) -> bool {
        let state = self.state();
        let calibration = state.calibration.as_ref();
        calibration.is_some_and(|calibration| calibration.begins(messages))
    }

    fn record_usage(&self, report: &UsageReport<'_>) {
        self.record(Reported {
            prompt_tokens: Some(report.prompt_tokens),
            completion_tokens: report.completion_tokens,
            message_count: Some(report.messages.len()),
            prefix: Some(report.messages.to_vec()),
            model: Some(report.model.to_owned()),
        });
    }

    fn invalidate(&self) {
        self.state().calibration = None;
    }
}
