//! How many tokens a conversation has.

use std::sync::Arc;

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
        let context: u64 = halves.map(|half| self.count_text(half)).sum();
        self.count_messages(request.messages) + context + self.count_tools(request.tools)
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

/// The counter of a loop that is given none.
pub fn default_counter() -> Arc<dyn TokenCounter> {
    Arc::new(HeuristicCounter::default())
}

/// Four characters a token and eight tokens a message, both adjustable. A character is a Unicode
/// scalar value; counted are the content and the compact JSON of the tool calls.
///
/// ```
/// use std::sync::Arc;
/// use sess::Message;
/// use sess::context::{HeuristicCounter, TokenCounter};
///
/// let counter = HeuristicCounter::default();
/// assert_eq!(counter.count_messages(&[Arc::new(Message::user("12345678"))]), 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeuristicCounter {
    chars_per_token: u64,
    per_message_overhead: u64,
}

impl Default for HeuristicCounter {
    fn default() -> Self {
        Self {
            chars_per_token: 4,
            per_message_overhead: 8,
        }
    }
}

impl HeuristicCounter {
    /// A counter with other numbers; `None` for zero characters a token.
    pub fn new(chars_per_token: u64, per_message_overhead: u64) -> Option<Self> {
        (chars_per_token > 0).then_some(Self {
            chars_per_token,
            per_message_overhead,
        })
    }

    fn count(&self, message: &Message) -> u64 {
        let calls = match message.tool_calls.as_slice() {
            [] => 0,
            calls => length(&Json::array(calls.iter().cloned()).compact()),
        };
        let characters = length(&message.content) + calls;
        self.per_message_overhead + characters.div_ceil(self.chars_per_token)
    }
}

impl TokenCounter for HeuristicCounter {
    fn count_messages(&self, messages: &[Arc<Message>]) -> u64 {
        messages.iter().map(|message| self.count(message)).sum()
    }
}

/// Length of a text in Unicode scalar values: the one unit of length in this crate.
pub(crate) fn length(text: &str) -> u64 {
    text.chars().count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::ToolCall;

    fn call() -> ToolCall {
        ToolCall {
            id: "call_1".into(),
            name: "fs_read".into(),
            arguments: r#"{"path":"a"}"#.into(),
        }
    }

    fn count(counter: HeuristicCounter, messages: Vec<Message>) -> u64 {
        let messages: Vec<_> = messages.into_iter().map(Arc::new).collect();
        counter.count_messages(&messages)
    }

    #[test]
    fn each_message_is_rounded_up_on_its_own() {
        let plain = HeuristicCounter::default();
        assert_eq!(count(plain, vec![]), 0);
        assert_eq!(count(plain, vec![Message::user("")]), 8);
        assert_eq!(count(plain, vec![Message::user("1")]), 9);
        let two = vec![Message::user("1234"), Message::user("12345")];
        assert_eq!(count(plain, two), 19);
        let forty = vec![Message::user("x".repeat(100)); 40];
        assert_eq!(count(plain, forty), 1_320);
    }

    #[test]
    fn calls_count_with_their_json() {
        let plain = HeuristicCounter::default();
        let silent = Message::assistant("").with_call(call());
        assert_eq!(count(plain, vec![silent]), 32);
        let spoken = Message::assistant("Reading it.").with_call(call());
        assert_eq!(count(plain, vec![spoken]), 35);
    }

    #[test]
    fn a_request_is_the_sum_of_its_parts() {
        let tool = Json::parse(r#"{"type":"function","function":{"name":"read"}}"#).unwrap();
        let exact = HeuristicCounter::new(1, 0).unwrap();
        let request = RequestView {
            messages: &[Arc::new(Message::user("hello"))],
            tools: &[tool],
            head: Some("HEAD"),
            tail: Some("TAIL"),
        };
        assert_eq!(exact.count_request(&request), 61);
        assert_eq!(exact.count_request(&RequestView::default()), 0);
    }

    #[test]
    fn zero_characters_a_token_are_refused() {
        assert_eq!(HeuristicCounter::new(0, 8), None);
    }
}
