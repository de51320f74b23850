//! The body of a request.

use std::collections::BTreeMap;

use serde_json::json;

use super::{Settings, calls};
use crate::backend::Request;
use crate::{Json, Message, Role};

/// The members of a request's JSON object.
///
/// ```
/// use sess::Json;
/// use sess::backend::http::{Body, Dialect, Plain};
/// let body = Body::from([("model".to_owned(), Json::string("m"))]);
/// assert_eq!(Plain.finalise(body.clone()), body);
/// ```
pub type Body = BTreeMap<String, Json>;

/// Whether an answer is wanted as it is made, or as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivery {
    Streaming,
    Whole,
}

/// The body of a chat request.
pub(super) fn chat(settings: &Settings, request: &Request, delivery: Delivery) -> Body {
    let mut body = common(settings, delivery);
    let messages = request.messages.iter().map(|message| wire(message));
    body.insert("messages".to_owned(), Json::array(messages));
    if !request.tools.is_empty() {
        let tools = request.tools.iter().cloned();
        body.insert("tools".to_owned(), Json::array(tools));
    }
    if let Some(schema) = &settings.json_schema {
        body.insert(
            "response_format".to_owned(),
            response_format(settings, schema),
        );
    }
    body
}

/// The body of a request to continue a text.
pub(super) fn text(settings: &Settings, prompt: &str, delivery: Delivery) -> Body {
    let mut body = common(settings, delivery);
    body.insert("prompt".to_owned(), Json::string(prompt));
    body
}

fn common(settings: &Settings, delivery: Delivery) -> Body {
    let mut body = Body::new();
    let mut put = |name: &str, value: serde_json::Value| {
        body.insert(name.to_owned(), Json::from(value));
    };
    if let Some(model) = &settings.model {
        put("model", json!(model));
    }
    if settings.max_tokens > 0 {
        put("max_tokens", json!(settings.max_tokens));
    }
    put("temperature", json!(settings.temperature));
    put("top_p", json!(settings.top_p));
    if let Some(top_k) = settings.top_k {
        put("top_k", json!(top_k));
    }
    put("presence_penalty", json!(settings.presence_penalty));
    put("frequency_penalty", json!(settings.frequency_penalty));
    put("stop", json!(settings.stop));
    if settings.repetition_penalty != 1.0 {
        put("repetition_penalty", json!(settings.repetition_penalty));
    }
    if delivery == Delivery::Streaming {
        put("stream", json!(true));
        if settings.ask_for_usage {
            put("stream_options", json!({"include_usage": true}));
        }
    }
    body
}

fn response_format(settings: &Settings, schema: &Json) -> Json {
    let named = Json::object([
        ("name", Json::string(&settings.json_schema_name)),
        ("strict", Json::from(false)),
        ("schema", schema.clone()),
    ]);
    Json::object([
        ("type", Json::string("json_schema")),
        ("json_schema", named),
    ])
}

/// A message as a provider takes it. Flags are ours and stay here.
fn wire(message: &Message) -> Json {
    let only_calls = message.role == Role::Assistant
        && message.content.is_empty()
        && !message.tool_calls.is_empty();
    let content = match only_calls {
        true => Json::null(),
        false => Json::string(&message.content),
    };
    let mut members = vec![
        ("role", Json::string(message.role.as_str())),
        ("content", content),
    ];
    if !message.tool_calls.is_empty() {
        let calls = message.tool_calls.iter().map(calls::readable);
        members.push(("tool_calls", Json::array(calls)));
    }
    if let Some(id) = &message.tool_call_id {
        members.push(("tool_call_id", Json::string(id)));
    }
    Json::object(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::ToolCall;

    #[test]
    fn the_defaults_are_all_there() {
        let request = Request::new([Message::user("Hi")]);
        let body = Json::object(chat(&Settings::default(), &request, Delivery::Streaming));
        assert_eq!(
            body.compact(),
            concat!(
                r#"{"frequency_penalty":0.0,"max_tokens":256,"#,
                r#""messages":[{"content":"Hi","role":"user"}],"presence_penalty":0.0,"stop":[],"#,
                r#""stream":true,"temperature":1.0,"top_k":200,"top_p":1.0}"#
            )
        );
    }

    #[test]
    fn what_is_set_is_sent() {
        let settings = Settings {
            top_k: None,
            repetition_penalty: 1.1,
            json_schema: Some(Json::empty_object()),
            ..Settings::new("m", 0)
        };
        let asking = Settings {
            ask_for_usage: true,
            ..settings.clone()
        };
        let asked = text(&asking, "", Delivery::Streaming);
        let options = asked["stream_options"].compact();
        assert_eq!(options, r#"{"include_usage":true}"#);
        assert!(!text(&asking, "", Delivery::Whole).contains_key("stream_options"));

        let request = Request::default().with_tools(vec![Json::empty_object()]);
        let body = Json::object(chat(&settings, &request, Delivery::Whole));
        assert_eq!(
            body.compact(),
            concat!(
                r#"{"frequency_penalty":0.0,"messages":[],"model":"m","presence_penalty":0.0,"#,
                r#""repetition_penalty":1.1,"response_format":{"json_schema":{"name":"response","#,
                r#""schema":{},"strict":false},"type":"json_schema"},"stop":[],"#,
                r#""temperature":1.0,"tools":[{}],"top_p":1.0}"#
            )
        );
    }

    #[test]
    fn a_message_keeps_what_a_provider_wants() {
        let call = ToolCall {
            id: "c".to_owned(),
            name: "read".to_owned(),
            arguments: "{}".to_owned(),
        };
        let turn = Message::assistant("").with_call(call).with_sticky();
        let expected = r#"{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"read"},"id":"c","type":"function"}]}"#;
        assert_eq!(wire(&turn).compact(), expected);
        let mut broken = turn.clone();
        broken.tool_calls = vec![Json::empty_object()];
        let calls = wire(&broken).get("tool_calls").and_then(|it| it.items());
        assert_eq!(calls.unwrap(), [calls::readable(&Json::empty_object())]);
        let answer = r#"{"content":"","role":"tool","tool_call_id":"c"}"#;
        assert_eq!(wire(&Message::tool("c", "")).compact(), answer);
        let silent = r#"{"content":"","role":"assistant"}"#;
        assert_eq!(wire(&Message::assistant("")).compact(), silent);
    }
}
