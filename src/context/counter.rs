//! How many tokens a conversation has.

use std::sync::Arc;

use super::UsageCounter;
use crate::{Json, Message};

/// Measures conversations in tokens.
///
/// A counter never fails on a well-formed conversation. One that keeps state per call brings its
/// own [`count_text`](Self::count_text), so that weighing an unrelated text does not disturb it.
///
/// ```
/// use std::sync::Arc;
/// use sess::Message;
/// use sess::context::TokenCounter;
///
/// /// A token a message.
/// struct Coarse;
///
/// impl TokenCounter for Coarse {
///     fn count_messages(&self, messages: &[Arc<Message>]) -> u64 {
///         messages.len() as u64
///     }
/// }
/// assert_eq!(Coarse.count_text("any text"), 1);
/// ```
pub trait TokenCounter: Send + Sync {
    /// Tokens of a conversation.
    fn count_messages(&self, messages: &[Arc<Message>]) -> u64;

    /// Tokens of a text on its own: by default, of a system message that holds it.
    fn count_text(&self, text: &str) -> u64 {
        self.count_messages(&[Arc::new(Message::system(text))])
    }

    /// Tokens of a complete request: by default, the sum of its parts.
    fn count_request(&self, request: &RequestView<'_>) -> u64 {
        let halves = [request.head, request.tail].into_iter().flatten();
        let context = halves.map(|half| self.count_text(half));
        let tools = self.count_tools(request.tools);
        context
            .fold(self.count_messages(request.messages), u64::saturating_add)
            .saturating_add(tools)
    }

    /// Tokens of tool declarations: of their JSON as a text, 0 for none.
    fn count_tools(&self, tools: &[Json]) -> u64 {
        match tools {
            [] => 0,
            tools => self.count_text(&Json::array(tools.iter().cloned()).compact()),
        }
    }

    /// Tokens of a conversation with everything learned from providers left aside, so that two
    /// conversations can be compared with the same measure.
    fn estimate_messages(&self, messages: &[Arc<Message>]) -> u64 {
        self.count_messages(messages)
    }

    /// Tokens of a complete request, likewise.
    fn estimate_request(&self, request: &RequestView<'_>) -> u64 {
        self.count_request(request)
    }

    /// Whether the answer for this conversation is a provider's own number, which covers context
    /// and tools as well.
    fn is_calibrated_for(&self, messages: &[Arc<Message>]) -> bool {
        let _ = messages;
        false
    }

    /// Learns from what a provider reported.
    fn record_usage(&self, report: &UsageReport<'_>) {
        let _ = report;
    }

    /// Forgets what was learned.
    fn invalidate(&self) {}
}

/// A request as a counter sees it. An absent half costs nothing; an empty one is still a message.
///
/// ```
/// use std::sync::Arc;
/// use sess::Message;
/// use sess::context::{HeuristicCounter, RequestView, TokenCounter};
/// let messages = [Arc::new(Message::user("Hello"))];
/// let bare = RequestView { messages: &messages, ..RequestView::default() };
/// let empty_head = RequestView { head: Some(""), ..bare };
/// let counter = HeuristicCounter::default();
/// assert!(counter.count_request(&empty_head) > counter.count_request(&bare));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestView<'a> {
    /// The conversation.
    pub messages: &'a [Arc<Message>],
    /// The declared tools; none costs nothing.
    pub tools: &'a [Json],
    /// The text of the context ahead of the conversation.
    pub head: Option<&'a str>,
    /// The text of the context behind it.
    pub tail: Option<&'a str>,
}

/// What a provider reported for one request.
///
/// ```
/// use std::sync::Arc;
/// use sess::Message;
/// use sess::context::{TokenCounter, UsageCounter, UsageReport};
/// let messages = [Arc::new(Message::user("Hello"))];
/// let counter = UsageCounter::default();
/// counter.record_usage(&UsageReport {
///     prompt_tokens: 40,
///     completion_tokens: None,
///     messages: &messages,
///     model: "m",
/// });
/// assert_eq!(counter.count_messages(&messages), 40);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct UsageReport<'a> {
    /// Tokens of the whole request.
    pub prompt_tokens: u64,
    /// Tokens of the answer, where reported.
    pub completion_tokens: Option<u64>,
    /// The conversation that was sent, without the context around it.
    pub messages: &'a [Arc<Message>],
    /// The model that answered.
    pub model: &'a str,
}

/// The counter of a loop that is given none: a provider's own numbers, and estimates in between.
pub fn default_counter() -> Arc<dyn TokenCounter> {
    Arc::new(UsageCounter::default())
}

/// Length of a text in Unicode scalar values: the one unit of length in this crate.
pub(crate) fn length(text: &str) -> u64 {
    text.chars().count() as u64
}
