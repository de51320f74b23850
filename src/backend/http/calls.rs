//! Calls as they are sent back to the server of the model that made them.
//!
//! They are sent as the model wrote them, unless that is nothing a strict server can read. Some
//! answer such a call with an error whenever they see it, so a single one in a conversation would
//! end it for good. Transcripts and events hold it as it was.

use serde_json::Value;

use crate::Json;
use crate::message::ToolCall;

/// The name of a call that has none.
const NAMELESS: &str = "unnamed";
/// The member that holds what was written in place of arguments.
const UNREADABLE: &str = "unreadable";

/// The call itself, or what can be read of it.
pub(super) fn readable(call: &Json) -> Json {
    match is_readable(call) {
        true => call.clone(),
        false => mended(call),
    }
}

fn is_readable(call: &Json) -> bool {
    let Ok(call) = serde_json::from_str::<Value>(call.text()) else {
        return false;
    };
    let filled = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    filled(&call["type"])
        && filled(&call["function"]["name"])
        && match &call["function"]["arguments"] {
            Value::String(text) => is_json(text),
            arguments => arguments.is_object(),
        }
}

fn mended(call: &Json) -> Json {
    let read = ToolCall::from_json(call);
    let name = match read.name.is_empty() {
        true => NAMELESS,
        false => &read.name,
    };
    let function = Json::object([
        ("name", Json::string(name)),
        ("arguments", Json::string(&arguments(&read.arguments))),
    ]);
    let beside = call.entries().unwrap_or_default().into_iter();
    // What a provider put beside them, such as a signature, it wants back.
    let beside = beside.filter(|(name, value)| {
        !["id", "type", "function"].contains(&name.as_str()) && is_json(value.text())
    });
    let members = [
        ("id".to_owned(), Json::string(&read.id)),
        ("type".to_owned(), Json::string("function")),
        ("function".to_owned(), function),
    ];
    Json::object(beside.chain(members))
}

fn arguments(written: &str) -> String {
    if written.trim().is_empty() {
        return "{}".to_owned();
    }
    match is_json(written) {
        true => written.to_owned(),
        false => Json::object([(UNREADABLE, Json::string(written))]).compact(),
    }
}

/// Whether an ordinary parser takes it, with its limits on numbers, nesting and halves of pairs.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(call: &str, expected: &str) {
        let call = Json::parse(call).unwrap();
        let sent = readable(&call);
        assert_eq!(sent.text(), expected);
        assert!(is_readable(&sent));
    }

    #[test]
    fn what_a_server_can_read_is_sent_as_it_was_written() {
        for call in [
            r#"{"id":"c", "type":"function","function":{"name":"read","arguments":"{ \"p\": 1.0 }"}}"#,
            r#"{"type":"function","function":{"arguments":{"p":1},"name":"read"},"extra":[1e3]}"#,
            r#"{"type":"function","id":7,"function":{"name":"read","arguments":"[1]"}}"#,
        ] {
            check(call, call);
        }
    }

    #[test]
    fn arguments_that_are_none_become_a_document_that_says_so() {
        for (written, expected) in [
            (
                r#""{\"p\": \"""#,
                r#"{\"unreadable\":\"{\\\"p\\\": \\\"\"}"#,
            ),
            (r#"" ""#, "{}"),
            ("null", "{}"),
            (r#""{\"p\":\"\ud83d\"}""#, "{\\\"p\\\":\\\"\u{fffd}\\\"}"),
            (r#"[1e999]"#, r#"{\"unreadable\":\"[1e999]\"}"#),
        ] {
            let call = format!(
                r#"{{"id":"c","type":"function","function":{{"name":"read","arguments":{written}}}}}"#
            );
            let expected = format!(
                r#"{{"function":{{"arguments":"{expected}","name":"read"}},"id":"c","type":"function"}}"#
            );
            check(&call, &expected);
        }
    }

    #[test]
    fn a_call_that_is_none_is_sent_under_a_name() {
        let nameless =
            r#"{"function":{"arguments":"{}","name":"unnamed"},"id":"","type":"function"}"#;
        for call in ["{}", "[]", "null", r#""read""#, r#"{"function":"read"}"#] {
            check(call, nameless);
        }
        check(
            r#"{"id":"c","signature":"s","function":{"name":"read","arguments":""}}"#,
            r#"{"function":{"arguments":"{}","name":"read"},"id":"c","signature":"s","type":"function"}"#,
        );
    }
}
