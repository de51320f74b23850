//! [`HeuristicCounter`]: an estimate from the length of texts.

use std::sync::Arc;

use super::TokenCounter;
use super::counter::length;
use crate::{Json, Message};

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
        let tokens = characters.div_ceil(self.chars_per_token);
        tokens.saturating_add(self.per_message_overhead)
    }
}

impl TokenCounter for HeuristicCounter {
    fn count_messages(&self, messages: &[Arc<Message>]) -> u64 {
        let counts = messages.iter().map(|message| self.count(message));
        counts.fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::super::RequestView;
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
