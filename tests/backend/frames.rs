//! What a server may stream, frame by frame.

use sess::Json;
use sess::backend::{BackendError, Response};

use super::client::streamed_from;
use crate::support::server::events;

pub fn frame(document: &str) -> String {
    format!("data: {document}\n\n")
}

pub fn delta(delta: &str) -> String {
    frame(&format!(
        "{{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}"
    ))
}

pub fn content(text: &str) -> String {
    delta(&format!("{{\"content\":{}}}", Json::string(text)))
}

pub fn finish(reason: &str) -> String {
    let choice = format!("{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{reason}\"}}");
    frame(&format!("{{\"choices\":[{choice}]}}"))
}

pub const DONE: &str = "data: [DONE]\n\n";
pub const BROKEN: &str = "data: {\"choices\":[{\"del\n\n";
pub const CALL: &str = r#"{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"read","arguments":"{\"a\""}}]}"#;
pub const CALL_REST: &str = r#"{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}"#;

pub fn the_call(arguments: &str) -> Vec<Json> {
    let call = serde_json::json!({
        "id": "c", "type": "function", "function": {"name": "read", "arguments": arguments},
    });
    vec![Json::from(call)]
}

pub async fn of_events(body: String) -> Response {
    streamed_from(events(body, 40)).await
}

pub fn failure(response: &Response) -> &BackendError {
    response.error().expect("a failure")
}
