//! What these tests share.

use std::sync::Arc;

use serde_json::Value;
use sess::context::{HeuristicCounter, TokenCounter};
use sess::message::ToolCall;
use sess::{Json, Message};

use crate::support::reference::{self, Vector};

/// The reference's answers of one kind.
pub fn vectors(kind: &str) -> Vec<Vector> {
    let vectors: Vec<_> = reference::canonical()
        .into_iter()
        .filter(|vector| vector.kind == kind)
        .collect();
    assert!(!vectors.is_empty());
    vectors
}

/// A token a character, and nothing for a message.
pub fn by_character() -> Arc<dyn TokenCounter> {
    Arc::new(HeuristicCounter::new(1, 0).unwrap())
}

/// Messages as a conversation holds them.
pub fn shared(messages: impl IntoIterator<Item = Message>) -> Vec<Arc<Message>> {
    messages.into_iter().map(Arc::new).collect()
}

/// A message of a vector.
pub fn message(fields: &Value) -> Message {
    let text = |key: &str| fields[key].as_str().map(str::to_owned);
    let calls = fields["tool-calls"].as_array().cloned().unwrap_or_default();
    Message {
        role: text("role").unwrap().parse().unwrap(),
        content: text("content").unwrap_or_default(),
        tool_calls: calls.into_iter().map(Json::from).collect(),
        tool_call_id: text("tool-call-id"),
        sticky: fields["sticky"] == true,
        sysprompt: fields["sysprompt"] == true,
        depth: fields["depth"].as_i64(),
    }
}

/// The conversation of a vector.
pub fn messages(list: &Value) -> Vec<Arc<Message>> {
    shared(list.as_array().unwrap().iter().map(message))
}

/// A call as the model makes it.
pub fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    }
}
