//! How streams and whole answers are read, against a server that behaves.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::BoxFuture;
use proptest::prelude::*;
use sess::Json;
use sess::backend::http::{Body, Dialect, Endpoint, OpenAiBackend, Settings, Timeouts};
use sess::backend::{Backend, BackendError, ErrorClass, Response, ResponseWriter, Settled, Usage};

use super::client::{ask, backend, completed_from, endpoint, settled, streamed, streamed_from};
use crate::support::server::{Act, EVENTS_HEAD, Server, document, events};

fn frame(document: &str) -> String {
    format!("data: {document}\n\n")
}

fn delta(delta: &str) -> String {
    frame(&format!(
        "{{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}"
    ))
}

fn content(text: &str) -> String {
    delta(&format!("{{\"content\":{}}}", Json::string(text)))
}

fn finish(reason: &str) -> String {
    let choice = format!("{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{reason}\"}}");
    frame(&format!("{{\"choices\":[{choice}]}}"))
}

const DONE: &str = "data: [DONE]\n\n";
const BROKEN: &str = "data: {\"choices\":[{\"del\n\n";
const CALL: &str = r#"{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"read","arguments":"{\"a\""}}]}"#;
const CALL_REST: &str = r#"{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}"#;

fn the_call(arguments: &str) -> Vec<Json> {
    let call = serde_json::json!({
        "id": "c", "type": "function", "function": {"name": "read", "arguments": arguments},
    });
    vec![Json::from(call)]
}

async fn of_events(body: String) -> Response {
    streamed_from(events(body, 40)).await
}

fn failure(response: &Response) -> &BackendError {
    response.error().expect("a failure")
}

// 12.17-194
#[tokio::test]
async fn every_good_ending_is_a_success() {
    let prose = content("Hel") + &content("lo");
    for end in [
        finish("stop"),
        finish("stop") + DONE,
        DONE.to_owned(),
        finish("tool_calls"),
    ] {
        let response = of_events(prose.clone() + &end).await;
        assert_eq!(response.settled, Settled::Done, "{end}");
        assert_eq!(response.text, "Hello");
    }
    let turn = delta(CALL) + &delta(CALL_REST) + &finish("tool_calls");
    let response = of_events(turn).await;
    assert_eq!(response.settled, Settled::Done);
    assert_eq!(response.tool_calls, the_call("{\"a\":1}"));
    assert_eq!(response.finish_reason.as_deref(), Some("tool_calls"));
}

// 12.17-195
#[tokio::test]
async fn a_close_without_a_reason_is_a_failure() {
    let expected = BackendError::response("Stream closed without [DONE] or a finish reason");
    assert_eq!(failure(&of_events(content("Hel")).await), &expected);
    let server = Server::start([events(frame("{\"choices\":[{\"text\":\"Hel\"}]}"), 9)]).await;
    let stream = backend(endpoint(&server)).stream_text("Once");
    let response = settled(stream.handle.settled()).await;
    assert_eq!(failure(&response), &expected);
    assert_eq!(response.text, "Hel");
}

struct Counting {
    completed: Arc<AtomicUsize>,
}

impl Dialect for Counting {
    fn finalise(&self, mut body: Body) -> Body {
        body.insert("added".to_owned(), Json::from(true));
        body.remove("top_k");
        body
    }

    fn lift(&self, document: &Json) -> Usage {
        Usage {
            provider_name: document.get_str("provider"),
            ..Usage::default()
        }
    }

    fn completed<'a>(&'a self, answer: &'a ResponseWriter) -> BoxFuture<'a, ()> {
        assert!(!answer.is_settled());
        self.completed.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            answer.merge_usage(&Usage {
                cost: Some(0.5),
                ..Usage::default()
            });
        })
    }
}

fn counting(server: &Server) -> (OpenAiBackend, Arc<AtomicUsize>) {
    let completed = Arc::<AtomicUsize>::default();
    let dialect = Counting {
        completed: Arc::clone(&completed),
    };
    let backend = OpenAiBackend::with_dialect(endpoint(server), Settings::default(), dialect);
    (backend.unwrap(), completed)
}

// 12.17-196
#[tokio::test]
async fn the_completion_hook_runs_once_and_only_for_good_answers() {
    let provider = frame("{\"provider\":\"P\",\"choices\":[]}");
    let bodies = [
        (provider.clone() + &finish("stop") + DONE, 1),
        (provider.clone() + DONE + DONE, 1),
        (provider + &finish("stop"), 1),
        (content("a"), 0),
        (finish("length") + DONE, 0),
        (frame("{\"error\":\"no\"}") + DONE, 0),
    ];
    for (body, times) in bodies {
        let server = Server::start([events(body.clone(), 40)]).await;
        let (backend, completed) = counting(&server);
        let response = streamed(&backend).await;
        assert_eq!(completed.load(Ordering::SeqCst), times, "{body}");
        if times == 1 {
            let expected = Usage {
                cost: Some(0.5),
                provider_name: Some("P".to_owned()),
                ..Usage::default()
            };
            assert_eq!(response.usage, expected);
        }
    }
}

// 12.17-197
#[tokio::test]
async fn an_answer_that_was_cut_or_blocked_is_a_failure_with_its_bill() {
    let bill = frame("{\"choices\":[],\"usage\":{\"completion_tokens\":9}}");
    for (reason, message) in [
        ("length", "Hit max tokens"),
        ("content_filter", "Blocked by content filter"),
        ("tired", "Unknown finish reason: tired"),
    ] {
        for end in ["", DONE] {
            let response = of_events(content("part") + &finish(reason) + &bill + end).await;
            assert_eq!(failure(&response), &BackendError::response(message));
            assert_eq!(response.finish_reason.as_deref(), Some(reason));
            assert_eq!(response.text, "part");
            assert_eq!(response.usage.completion_tokens, Some(9));
        }
    }
    let text = frame("{\"choices\":[{\"text\":\"part\",\"finish_reason\":\"length\"}]}");
    let server = Server::start([events(text, 40)]).await;
    let stream = backend(endpoint(&server)).stream_text("Once");
    let response = settled(stream.handle.settled()).await;
    assert_eq!(
        failure(&response),
        &BackendError::response("Hit max tokens")
    );
    assert_eq!(server.requests()[0].line, "POST /v1/completions");
    assert_eq!(server.body().get_str("prompt").as_deref(), Some("Once"));
}

// 12.17-198
#[tokio::test]
async fn a_hole_while_assembling_calls_is_a_failure() {
    for end in [finish("tool_calls") + DONE, String::new()] {
        let response = of_events(delta(CALL) + BROKEN + &delta(CALL_REST) + &end).await;
        let message = "1 unreadable frame(s) in the stream while assembling tool calls";
        assert_eq!(failure(&response), &BackendError::response(message));
        assert_eq!(response.tool_calls, the_call("{\"a\":1}"));
        assert_eq!(response.dropped_frames, 1);
    }
}

// 12.17-198, but for the default: a text with holes is a failure unless it is tolerated.
#[tokio::test]
async fn a_hole_in_prose_passes_only_where_it_is_tolerated() {
    let beats = ": beat\n\ndata:\n\ndata: null\n\nevent: x\n\n";
    for (holes, ending) in [(0, Settled::Done), (1, Settled::Done), (3, Settled::Done)] {
        let body = content("a") + beats + &BROKEN.repeat(holes) + &content("b") + DONE;
        let server = Server::start([events(body, 40)]).await;
        let strict = streamed(&backend(endpoint(&server))).await;
        let tolerant = Endpoint {
            tolerate_broken_frames: true,
            ..endpoint(&server)
        };
        let tolerant = streamed(&backend(tolerant)).await;
        assert_eq!(tolerant.settled, ending);
        assert_eq!(
            (tolerant.text.as_str(), tolerant.dropped_frames),
            ("ab", holes as u64)
        );
        assert_eq!(strict.is_success(), holes == 0);
        assert_eq!(
            (strict.text.as_str(), strict.dropped_frames),
            ("ab", holes as u64)
        );
    }
}

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

#[tokio::test]
async fn a_stream_that_lingers_after_its_finish_has_ended() {
    for (reason, ending) in [
        ("stop", Settled::Done),
        (
            "length",
            Settled::Failed(BackendError::response("Hit max tokens")),
        ),
    ] {
        let body = content("a") + &finish(reason);
        let reply = vec![
            Act::Send(format!("{EVENTS_HEAD}{:x}\r\n{body}\r\n", body.len()).into_bytes()),
            Act::Hang,
        ];
        let server = Server::start([reply]).await;
        let mut endpoint = endpoint(&server);
        endpoint.timeouts = Timeouts {
            linger: std::time::Duration::from_millis(50),
            ..endpoint.timeouts
        };
        assert_eq!(streamed(&backend(endpoint)).await.settled, ending);
        server.hung_up(1).await;
    }
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let whole = "{\"choices\":[{\"message\":{\"content\":\"All.\"},\"finish_reason\":\"REASON\"}],\"usage\":{\"total_tokens\":5}}";
    let response = streamed_from(document(&whole.replace("REASON", "stop"))).await;
    assert_eq!(
        (response.text.as_str(), response.is_success()),
        ("All.", true)
    );
    assert_eq!(response.usage.total_tokens, Some(5));
    let cut = streamed_from(document(&whole.replace("REASON", "length"))).await;
    assert_eq!(failure(&cut), &BackendError::response("Hit max tokens"));
}

// 12.17-202
#[tokio::test]
async fn what_stands_before_a_whole_answer_means_nothing() {
    let whole = "{\"choices\":[{\"message\":{\"content\":\"All.\"},\"finish_reason\":\"stop\"}]}";
    for (body, size) in [
        (format!("\n\r\n  {whole}"), 1),
        (format!("\u{feff}{whole}\n"), 4_096),
        (format!("\n\u{feff}\n{whole}"), 4_096),
    ] {
        let response = streamed_from(events(body, size)).await;
        assert_eq!(response.text, "All.");
        assert!(response.is_success());
    }
    let listed = streamed_from(document("[{\"error\":{\"message\":\"boom\"}}]")).await;
    assert_eq!(listed.error_text(), Some("boom"));
}

#[tokio::test]
async fn a_whole_answer_is_read_whatever_it_claims_to_be() {
    use crate::support::server::answer;
    let body = "{\"model\":\"m-1\",\"choices\":[{\"message\":{\"content\":\"naïve é\",\"reasoning\":\"hm\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"read\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":1}}";
    let latin1: Vec<u8> = body.chars().map(|letter| letter as u8).collect();
    for (kind, bytes) in [
        ("content-type: text/plain\r\n", body.as_bytes().to_vec()),
        ("", body.as_bytes().to_vec()),
        ("content-type: application/json\r\n", latin1),
    ] {
        let response = completed_from(answer("200 OK", kind, bytes)).await;
        let expected = Response {
            id: response.id.clone(),
            text: "naïve é".to_owned(),
            settled: Settled::Done,
            finish_reason: Some("tool_calls".to_owned()),
            tool_calls: the_call("{}"),
            usage: Usage {
                prompt_tokens: Some(1),
                ..Usage::default()
            },
            model_used: Some("m-1".to_owned()),
            reasoning: Some("hm".to_owned()),
            dropped_frames: 0,
        };
        assert_eq!(response, expected);
    }
}

// 12.17-202
#[tokio::test]
async fn a_whole_answer_that_is_none_is_an_unknown_failure() {
    for body in [
        "",
        "{\"choices\":[{\"mess",
        "{\"usage\":{\"prompt_tokens\":4}}",
        "[]",
    ] {
        let response = completed_from(document(body)).await;
        assert_eq!(failure(&response).class, ErrorClass::Unknown, "{body}");
    }
    let billed = completed_from(document("{\"usage\":{\"prompt_tokens\":4}}")).await;
    assert_eq!(billed.usage.prompt_tokens, Some(4));
}

#[tokio::test]
async fn a_whole_answer_that_was_cut_is_a_success() {
    let body = "{\"choices\":[{\"message\":{\"content\":\"par\"},\"finish_reason\":\"length\"}]}";
    let response = completed_from(document(body)).await;
    assert_eq!(
        (response.text.as_str(), response.is_success()),
        ("par", true)
    );
    assert_eq!(response.finish_reason.as_deref(), Some("length"));
}

// 12.17-203
#[tokio::test]
async fn the_finaliser_has_the_last_word_on_every_path() {
    let whole = document("{\"choices\":[{\"text\":\"a\",\"message\":{\"content\":\"a\"}}]}");
    let server = Server::start([events(DONE, 9), events(DONE, 9), whole]).await;
    let (backend, _) = counting(&server);
    streamed(&backend).await;
    settled(backend.stream_text("Once").handle.settled()).await;
    assert!(settled(backend.complete(ask())).await.is_success());
    assert!(settled(backend.complete_text("Once")).await.is_success());

    let common = "\"added\":true,\"frequency_penalty\":0.0,\"max_tokens\":256";
    let chat = format!(
        "{{{common},\"messages\":[{{\"content\":\"Hi\",\"role\":\"user\"}}],\"presence_penalty\":0.0,\"stop\":[]"
    );
    let text = format!("{{{common},\"presence_penalty\":0.0,\"prompt\":\"Once\",\"stop\":[]");
    let end = "\"temperature\":1.0,\"top_p\":1.0}";
    let seen: Vec<_> = server
        .requests()
        .iter()
        .map(|request| (request.line.clone(), request.body.compact()))
        .collect();
    let expected = [
        (
            "POST /v1/chat/completions",
            format!("{chat},\"stream\":true,{end}"),
        ),
        (
            "POST /v1/completions",
            format!("{text},\"stream\":true,{end}"),
        ),
        ("POST /v1/chat/completions", format!("{chat},{end}")),
        ("POST /v1/completions", format!("{text},{end}")),
    ]
    .map(|(line, body)| (line.to_owned(), body));
    assert_eq!(seen, expected);
}
