//! What a stream says, however it is cut up.

use proptest::prelude::*;
use sess::Json;
use sess::backend::{Response, Settled, Usage};

use super::client::streamed_from;
use super::frames::*;
use crate::support::server::{Act, events};

/// Text of several scripts, reasoning, usage in the last frame only, and a keep-alive.
fn colourful() -> String {
    let reasoning = delta("{\"reasoning_content\":\"Überlegung\"}");
    let usage = frame(
        "{\"choices\":[],\"model\":\"m-1\",\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":0}}",
    );
    reasoning
        + ": keep-alive\n\n"
        + &content("naïve 日本 🦀\u{2028}")
        + &finish("stop")
        + &usage
        + DONE
}

fn colourful_response(response: &Response) {
    assert_eq!(response.settled, Settled::Done, "{response:?}");
    assert_eq!(response.text, "naïve 日本 🦀\u{2028}");
    assert_eq!(response.reasoning.as_deref(), Some("Überlegung"));
    assert_eq!(response.model_used.as_deref(), Some("m-1"));
    let usage = Usage {
        prompt_tokens: Some(3),
        completion_tokens: Some(0),
        ..Usage::default()
    };
    assert_eq!(response.usage, usage);
}

// 12.17-199
#[tokio::test]
async fn the_boundaries_of_chunks_do_not_show() {
    let body = colourful();
    for size in [1, 2, 3, 10_000] {
        colourful_response(&streamed_from(events(&body, size)).await);
        let crlf = body.replace('\n', "\r\n");
        colourful_response(&streamed_from(events(crlf, size)).await);
    }
    for split in 1..body.len() {
        let (first, second) = body.as_bytes().split_at(split);
        let mut reply = events(first, usize::MAX);
        reply.pop();
        let mut bytes = format!("{:x}\r\n", second.len()).into_bytes();
        bytes.extend(second);
        bytes.extend(b"\r\n0\r\n\r\n");
        reply.push(Act::Send(bytes));
        colourful_response(&streamed_from(reply).await);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    // 13.4-4
    #[test]
    fn any_text_in_any_chunks_is_the_same_text(
        pieces in prop::collection::vec("\\PC{0,12}", 0..6),
        size in 1_usize..60,
    ) {
        let body: String = pieces.iter().map(|piece| content(piece)).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let response = runtime.block_on(streamed_from(events(body + DONE, size)));
        prop_assert_eq!(response.settled, Settled::Done);
        prop_assert_eq!(response.text, pieces.concat());
    }

    #[test]
    fn any_bytes_settle(body in prop::collection::vec(any::<u8>(), 0..300)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let response = runtime.block_on(streamed_from(events(body, 50)));
        prop_assert!(response.is_done() && !response.is_success());
    }
}

#[tokio::test]
async fn arguments_split_at_every_byte_are_whole() {
    let arguments = "{\"path\":\"a\\\"b é\"}";
    for split in (0..=arguments.len()).filter(|&at| arguments.is_char_boundary(at)) {
        let (first, second) = arguments.split_at(split);
        let fragment = |text: &str, head: &str| {
            let arguments = Json::string(text);
            delta(&format!(
                "{{\"tool_calls\":[{{\"index\":0{head},\"function\":{{\"arguments\":{arguments}}}}}]}}"
            ))
        };
        let head = ",\"id\":\"c\",\"type\":\"function\"";
        let named = delta("{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"read\"}}]}");
        let body = fragment(first, head) + &named + &fragment(second, "") + &finish("tool_calls");
        assert_eq!(
            of_events(body).await.tool_calls,
            the_call(arguments),
            "{split}"
        );
    }
}

#[tokio::test]
async fn a_character_cut_into_two_fragments_is_whole() {
    let halves = delta(r#"{"content":"a\ud83e"}"#) + &delta(r#"{"content":"\udd80b"}"#);
    let first =
        r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"read","arguments":"\ud83e"}}]}"#;
    let second = r#"{"tool_calls":[{"index":0,"function":{"arguments":"\udd80"}}]}"#;
    let response = of_events(halves + &delta(first) + &delta(second) + DONE).await;
    assert_eq!(response.text, "a🦀b");
    assert_eq!(response.tool_calls, the_call("🦀"));
}

#[tokio::test]
async fn of_two_choices_the_first_is_followed() {
    let both = frame(
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}},{\"index\":1,\"delta\":{\"content\":\"x\"}}]}",
    );
    let other = frame(
        "{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"y\"},\"finish_reason\":\"length\"}]}",
    );
    let response = of_events(both + &other + &content("b") + &finish("stop") + DONE).await;
    assert_eq!(
        (response.text.as_str(), response.is_success()),
        ("ab", true)
    );
}

#[tokio::test]
async fn one_frame_may_hold_the_whole_answer() {
    let all = "{\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"All.\"},\"finish_reason\":\"stop\"}]}";
    let response = of_events(frame(all)).await;
    assert_eq!(
        (response.text.as_str(), response.is_success()),
        ("All.", true)
    );
    assert_eq!(response.usage, Usage::default());
    let unended = of_events(frame(all).trim_end().to_owned()).await;
    assert_eq!(
        (unended.text.as_str(), unended.is_success()),
        ("All.", true)
    );
}

#[tokio::test]
async fn a_gateways_bill_comes_with_an_empty_delta() {
    let bill = frame("{\"choices\":[{\"index\":0,\"delta\":{}}],\"usage\":{\"total_tokens\":5}}");
    let response = of_events(content("a") + &finish("stop") + &bill + DONE).await;
    assert_eq!(response.usage.total_tokens, Some(5));
    assert_eq!(response.finish_reason.as_deref(), Some("stop"));
}
