//! Reading one document of an answer, in the dialects servers speak.

use super::classify;
use super::halves::Halves;
use crate::Json;
use crate::backend::Usage;

/// Which of the two completions a server was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A turn of a conversation.
    Chat,
    /// The continuation of a text.
    Text,
}

/// What one document says. What is missing or of another type than it should be is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Chunk {
    pub(super) text: String,
    pub(super) reasoning: String,
    /// Fragments of calls in a stream, whole calls elsewhere.
    pub(super) calls: Vec<Json>,
    pub(super) finish_reason: Option<String>,
    pub(super) usage: Usage,
    pub(super) model: Option<String>,
    pub(super) error: Option<String>,
    /// Whether the document has a choice at all.
    pub(super) has_choice: bool,
}

/// What is remembered from one document of a stream to the next.
#[derive(Debug, Default)]
pub(super) struct Thread {
    /// The index of the choice that is followed: the first one seen. Others are passed over.
    choice: Option<i64>,
    text: Halves,
    reasoning: Halves,
}

/// Reads the next document of a stream.
pub(super) fn of_stream(document: &Json, kind: Kind, thread: &mut Thread) -> Chunk {
    let choices = document.get("choices").and_then(|choices| choices.items());
    let mut candidates = choices.unwrap_or_default().into_iter();
    let choice = candidates.find(|choice| {
        let index = choice.get("index").and_then(|index| index.as_i64());
        *thread.choice.get_or_insert(index.unwrap_or(0)) == index.unwrap_or(0)
    });
    // A server that answers as a whole has a message in place of a delta.
    let said = choice
        .as_ref()
        .and_then(|choice| choice.get("delta").or_else(|| choice.get("message")));
    read(document, choice, said, kind, thread)
}

/// Reads the document of an answer that is no stream.
pub(super) fn of_whole(document: &Json, kind: Kind) -> Chunk {
    let choices = document.get("choices").and_then(|choices| choices.items());
    let choice = choices.and_then(|choices| choices.into_iter().next());
    let said = choice.as_ref().and_then(|choice| choice.get("message"));
    read(document, choice, said, kind, &mut Thread::default())
}

fn read(
    document: &Json,
    choice: Option<Json>,
    said: Option<Json>,
    kind: Kind,
    thread: &mut Thread,
) -> Chunk {
    let of_choice = |name: &str| choice.as_ref()?.get(name);
    let of_said = |name: &str| said.as_ref()?.get(name).filter(|value| !value.is_null());
    let content = match kind {
        Kind::Chat => of_said("content"),
        Kind::Text => of_choice("text"),
    };
    let reasoning = of_said("reasoning").or_else(|| of_said("reasoning_content"));
    let calls = of_said("tool_calls").and_then(|calls| calls.items());
    Chunk {
        text: prose(content, &mut thread.text),
        reasoning: prose(reasoning, &mut thread.reasoning),
        calls: calls.unwrap_or_default(),
        finish_reason: of_choice("finish_reason").as_ref().and_then(filled),
        usage: usage(document, choice.as_ref()),
        model: document.get("model").as_ref().and_then(filled),
        error: error(document),
        has_choice: choice.is_some(),
    }
}

/// A text, or the texts of a list of parts.
fn prose(content: Option<Json>, halves: &mut Halves) -> String {
    let Some(content) = content else {
        return String::new();
    };
    let parts = match content.items() {
        None => vec![content],
        Some(parts) => parts.iter().filter_map(|part| part.get("text")).collect(),
    };
    parts.iter().filter_map(|text| halves.add(text)).collect()
}

fn filled(json: &Json) -> Option<String> {
    let text = json.as_str().filter(|text| !text.is_empty())?;
    Some(text.into_owned())
}

/// The usage of the document, wherever the server puts it.
fn usage(document: &Json, choice: Option<&Json>) -> Usage {
    let usage = document
        .get("usage")
        .filter(Json::is_object)
        .or_else(|| choice?.get("usage").filter(Json::is_object))
        .or_else(|| document.get("x_groq")?.get("usage"));
    let count = |name: &str| whole(&usage.as_ref()?.get(name)?);
    let details = usage
        .as_ref()
        .and_then(|usage| usage.get("prompt_tokens_details"));
    Usage {
        prompt_tokens: count("prompt_tokens"),
        completion_tokens: count("completion_tokens"),
        total_tokens: count("total_tokens"),
        cached_prompt_tokens: details
            .and_then(|details| details.get("cached_tokens"))
            .and_then(|cached| whole(&cached)),
        ..Usage::default()
    }
}

/// A number of things.
pub(super) fn whole(json: &Json) -> Option<u64> {
    json.as_i64().and_then(|number| u64::try_from(number).ok())
}

fn error(document: &Json) -> Option<String> {
    let listed = classify::first_of(document);
    let document = listed.as_ref().unwrap_or(document);
    let named = document
        .get("error")
        .is_some_and(|error| !error.is_null() && error.as_bool() != Some(false));
    let is_error = ["object", "type"]
        .iter()
        .any(|name| document.get_str(name).as_deref() == Some("error"));
    let said = || classify::error_text(document).unwrap_or_else(|| document.text().to_owned());
    (named || is_error).then(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(text: &str) -> Chunk {
        of_stream(
            &Json::parse(text).unwrap(),
            Kind::Chat,
            &mut Thread::default(),
        )
    }

    fn choice() -> Chunk {
        Chunk {
            has_choice: true,
            ..Chunk::default()
        }
    }

    #[test]
    fn a_delta_may_lack_everything() {
        for empty in [
            "{}",
            "[]",
            "7",
            r#"{"choices":[]}"#,
            r#"{"choices":null,"usage":null}"#,
        ] {
            assert_eq!(chunk(empty), Chunk::default(), "{empty}");
        }
        for empty in [
            r#"{"choices":[{}],"model":""}"#,
            r#"{"choices":[{"delta":{},"finish_reason":null}]}"#,
            r#"{"choices":[{"delta":{"content":null,"tool_calls":null},"finish_reason":""}],"error":null}"#,
            r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#,
        ] {
            assert_eq!(chunk(empty), choice(), "{empty}");
        }
    }

    #[test]
    fn one_chunk_may_hold_everything() {
        let all = r#"{"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"a","reasoning":"r","tool_calls":[{"index":0}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":0,"total_tokens":1,"prompt_tokens_details":{"cached_tokens":1}},"timings":{"x":1}}"#;
        let expected = Chunk {
            text: "a".to_owned(),
            reasoning: "r".to_owned(),
            calls: vec![Json::parse("{\"index\":0}").unwrap()],
            finish_reason: Some("stop".to_owned()),
            usage: Usage {
                prompt_tokens: Some(1),
                completion_tokens: Some(0),
                total_tokens: Some(1),
                cached_prompt_tokens: Some(1),
                ..Usage::default()
            },
            model: Some("m".to_owned()),
            error: None,
            has_choice: true,
        };
        assert_eq!(chunk(all), expected);
    }

    #[test]
    fn usage_is_found_where_servers_put_it() {
        let expected = Usage {
            completion_tokens: Some(3),
            ..Usage::default()
        };
        for place in [
            r#"{"choices":[],"usage":{"completion_tokens":3,"prompt_tokens":null}}"#,
            r#"{"choices":[{"delta":{},"usage":{"completion_tokens":3.0}}],"usage":null}"#,
            r#"{"x_groq":{"usage":{"completion_tokens":3,"prompt_tokens":-1}}}"#,
            r#"{"usage":{"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":null}}}"#,
        ] {
            assert_eq!(chunk(place).usage, expected, "{place}");
        }
    }

    #[test]
    fn reasoning_has_two_names() {
        for (delta, expected) in [
            (r#"{"reasoning":"a","reasoning_content":"b"}"#, "a"),
            (r#"{"reasoning_content":"b"}"#, "b"),
            (r#"{"reasoning":null,"reasoning_content":"b"}"#, "b"),
        ] {
            let chunk = chunk(&format!(r#"{{"choices":[{{"delta":{delta}}}]}}"#));
            assert_eq!(chunk.reasoning, expected, "{delta}");
        }
    }

    #[test]
    fn content_may_come_in_parts() {
        let parts = r#"{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"x"},{"type":"text","text":"b"}]}}]}"#;
        assert_eq!(chunk(parts).text, "ab");
    }

    #[test]
    fn the_first_choice_seen_is_followed() {
        let mut thread = Thread::default();
        let mut text = String::new();
        for choices in [
            r#"[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"x"}}]"#,
            r#"[{"index":1,"delta":{"content":"y"},"finish_reason":"length"}]"#,
            r#"[{"index":1,"delta":{"content":"z"}},{"index":0,"delta":{"content":"b"}}]"#,
        ] {
            let document = Json::parse(format!(r#"{{"choices":{choices}}}"#)).unwrap();
            let chunk = of_stream(&document, Kind::Chat, &mut thread);
            assert_eq!(chunk.finish_reason, None);
            text.push_str(&chunk.text);
        }
        assert_eq!(text, "ab");
    }

    #[test]
    fn an_error_is_seen_in_every_shape() {
        for (document, expected) in [
            (r#"{"error":{"message":"m","code":500}}"#, Some("m")),
            (r#"{"error":"m"}"#, Some("m")),
            (r#"[{"error":{"message":"m"}}]"#, Some("m")),
            (r#"{"object":"error","message":"m","code":400}"#, Some("m")),
            (
                r#"{"type":"error","error":{"message":"m","type":"t"}}"#,
                Some("m (t)"),
            ),
            (r#"{"error":null}"#, None),
            (r#"{"error":false}"#, None),
            (r#"{"message":"m"}"#, None),
        ] {
            assert_eq!(chunk(document).error.as_deref(), expected, "{document}");
        }
    }

    #[test]
    fn the_continuation_of_a_text_has_its_own_place() {
        let document = Json::parse(r#"{"choices":[{"text":"a","finish_reason":"stop"}]}"#).unwrap();
        let streamed = of_stream(&document, Kind::Text, &mut Thread::default());
        assert_eq!(streamed.text, "a");
        assert_eq!(of_whole(&document, Kind::Text), streamed);
        assert_eq!(of_whole(&document, Kind::Chat).text, "");
    }
}
