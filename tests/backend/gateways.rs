//! OpenRouter and KoboldCpp.

use std::time::Duration;

use sess::backend::http::{
    Endpoint, KoboldBackend, OpenRouter, ReasoningEffort, Settings, Timeouts,
};
use sess::backend::{Backend, ErrorClass, Request, Settled, Usage};
use sess::message::ToolCall;
use sess::{Json, Message};

use super::client::{ask, endpoint, settled, streamed};
use crate::support::server::{Act, Reply, Server, answer, document, events};

const GOOD: &str = concat!(
    "data: {\"id\":\"gen 1\",\"provider\":\"P\",\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],",
    "\"usage\":{\"prompt_tokens\":3,\"cost\":0.5,\"is_byok\":false}}\n\n",
    "data: [DONE]\n\n",
);

fn router(server: &Server) -> OpenRouter {
    OpenRouter::at(endpoint(server))
}

/// The usage of a good answer whose exact figures are asked for with this result.
async fn billed(figures: Reply) -> Usage {
    let server = Server::start([events(GOOD, 50), figures]).await;
    let backend = router(&server).backend(Settings::default()).unwrap();
    let response = streamed(&backend).await;
    assert_eq!(response.settled, Settled::Done);
    assert_eq!(server.requests()[1].line, "GET /v1/generation?id=gen+1");
    response.usage
}

/// What the answer itself says.
fn lifted() -> Usage {
    Usage {
        prompt_tokens: Some(3),
        cost: Some(0.5),
        generation_id: Some("gen 1".to_owned()),
        provider_name: Some("P".to_owned()),
        is_byok: Some(false),
        ..Usage::default()
    }
}

// 12.17-205
#[tokio::test]
async fn the_gateways_figures_fill_what_the_answer_left_open() {
    let figures = concat!(
        "{\"data\":{\"total_cost\":0.25,\"provider_name\":\"Q\",\"tokens_prompt\":9,",
        "\"tokens_completion\":7,\"native_tokens_cached\":null,\"tokens_cached\":2,",
        "\"prompt_tokens_details\":{\"cached_tokens\":1}}}",
    );
    let expected = Usage {
        completion_tokens: Some(7),
        cached_prompt_tokens: Some(2),
        cost: Some(0.25),
        provider_name: Some("Q".to_owned()),
        ..lifted()
    };
    assert_eq!(billed(document(figures)).await, expected);
    let cached = "{\"data\":{\"prompt_tokens_details\":{\"cached_tokens\":1}}}";
    let expected = Usage {
        cached_prompt_tokens: Some(1),
        ..lifted()
    };
    assert_eq!(billed(document(cached)).await, expected);
}

// 12.17-205
#[tokio::test]
async fn figures_that_cannot_be_had_change_nothing() {
    for figures in [
        answer("404 Not Found", "", "no"),
        document("{\"data\":"),
        document("{\"data\":[]}"),
        Vec::new(),
    ] {
        assert_eq!(billed(figures).await, lifted());
    }
}

// 12.17-205
#[tokio::test]
async fn a_failed_answer_is_not_asked_about() {
    let server = Server::start([events(&GOOD[..80], 50)]).await;
    let backend = router(&server).backend(Settings::default()).unwrap();
    assert!(!streamed(&backend).await.is_success());
    assert_eq!(server.requests().len(), 1);
}

// 12.17-205
#[tokio::test]
async fn a_request_tells_the_effort_and_the_application() {
    let server = Server::start([events("data: [DONE]\n\n", 50)]).await;
    let backend = OpenRouter {
        referer: Some("https://example.org".to_owned()),
        title: Some("Example".to_owned()),
        ..router(&server)
    };
    let settings = Settings {
        reasoning_effort: Some(ReasoningEffort::Low),
        ask_for_usage: true,
        ..Settings::default()
    };
    streamed(&backend.backend(settings).unwrap()).await;
    streamed(&router(&server).backend(Settings::default()).unwrap()).await;

    let requests = server.requests();
    let [told, silent] = requests.as_slice() else {
        panic!("two requests, not {requests:?}");
    };
    assert_eq!(told.headers["http-referer"], "https://example.org");
    assert_eq!(told.headers["x-title"], "Example");
    assert_eq!(told.body.get("include_reasoning"), Some(Json::from(true)));
    let effort = Json::parse("{\"effort\":\"low\"}").unwrap();
    assert_eq!(told.body.get("reasoning"), Some(effort));
    assert!(!silent.headers.contains_key("x-title"));
    assert_eq!(
        silent.body.get("include_reasoning"),
        Some(Json::from(false))
    );
    assert_eq!(silent.body.get("reasoning"), None);
    for absent in ["usage", "stream_options"] {
        assert_eq!(told.body.get(absent), None);
    }
}

/// The messages of a request, each with `*` where it is marked and its text.
async fn marks(conversation: Vec<Message>, on: bool) -> Vec<String> {
    let server = Server::start([events("data: [DONE]\n\n", 50)]).await;
    let backend = OpenRouter {
        cache_breakpoints: on,
        ..router(&server)
    };
    let backend = backend.backend(Settings::default()).unwrap();
    let request = Request::new(conversation);
    let stream = backend.stream(request.clone()).await.unwrap();
    settled(stream.handle.settled()).await;
    let marked = "{\"cache_control\":{\"type\":\"ephemeral\"},\"text\":";
    let messages = server.body().get("messages").unwrap().items().unwrap();
    messages
        .iter()
        .map(|message| {
            let content = message.get("content").unwrap().compact();
            match content.strip_prefix(&format!("[{marked}")) {
                Some(rest) => format!("*{}", rest.replace(",\"type\":\"text\"}]", "")),
                None => content,
            }
        })
        .collect()
}

// 12.17-205
#[tokio::test]
async fn the_head_and_the_last_two_turns_of_text_are_marked() {
    let call = ToolCall {
        id: "c".to_owned(),
        name: "read".to_owned(),
        arguments: "{}".to_owned(),
    };
    let conversation = vec![
        Message::system("rules"),
        Message::user("one"),
        Message::assistant("two"),
        Message::user("three"),
        Message::assistant("calling").with_call(call),
        Message::tool("c", "result"),
        Message::assistant(""),
    ];
    let expected = [
        "*\"rules\"",
        "\"one\"",
        "*\"two\"",
        "*\"three\"",
        "\"calling\"",
        "\"result\"",
        "\"\"",
    ];
    assert_eq!(marks(conversation.clone(), true).await, expected);
    let plain: Vec<String> = expected.iter().map(|text| text.replace('*', "")).collect();
    assert_eq!(marks(conversation, false).await, plain);
    assert_eq!(marks(vec![Message::user("one")], true).await, ["*\"one\""]);
}

fn hanging_kobold(server: &Server) -> KoboldBackend {
    KoboldBackend::new(endpoint(server), Settings::default()).unwrap()
}

// 12.17-206
#[tokio::test]
async fn a_cancel_tells_the_server_to_stop_and_does_not_wait_for_it() {
    let server = Server::start([vec![Act::Hang]]).await;
    let backend = hanging_kobold(&server);
    let mut stream = backend.stream(ask()).await.unwrap();
    while server.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // The second one finds nothing left to stop.
    let handle = stream.handle.clone();
    std::thread::scope(|scope| scope.spawn(|| backend.cancel(&handle)).join().unwrap());
    backend.cancel(&stream.handle);
    assert_eq!(stream.handle.snapshot().settled, Settled::Cancelled);
    assert_eq!(stream.fragments.recv().await, None);

    server.hung_up(1).await;
    while server.requests().len() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let address = server.url().trim_end_matches("/v1").replace("http://", "");
    let abort = server.requests().remove(1);
    assert_eq!(abort.line, "POST /api/extra/abort");
    assert_eq!(abort.headers["host"], address);
    let task = backend.take_abort().unwrap();
    assert!(!task.is_finished());
    task.abort();
    assert!(backend.take_abort().is_none());
}

// 12.17-206
#[tokio::test]
async fn a_cancel_of_a_dead_server_is_as_good() {
    let server = Server::start([vec![Act::Hang]]).await;
    let endpoint = Endpoint {
        url: "http://127.0.0.1:1".to_owned(),
        ..endpoint(&server)
    };
    let backend = KoboldBackend::new(endpoint, Settings::default()).unwrap();
    let stream = backend.stream(ask()).await.unwrap();
    backend.cancel(&stream.handle);
    settled(backend.take_abort().unwrap()).await.unwrap();
    assert!(stream.handle.snapshot().is_cancelled());

    let stream = backend.stream(ask()).await.unwrap();
    let failed = settled(stream.handle.settled()).await;
    assert_eq!(failed.error_class(), Some(ErrorClass::Connection));
    backend.cancel(&stream.handle);
    assert!(backend.take_abort().is_none());
}

// 12.17-206
#[tokio::test]
async fn a_kobold_is_sent_its_own_fields() {
    let server = Server::start([events("data: [DONE]\n\n", 50)]).await;
    let schema = Json::parse("{\"type\":\"object\"}").unwrap();
    let settings = Settings {
        repetition_penalty: 1.5,
        json_schema: Some(schema.clone()),
        ..Settings::default()
    };
    let backend = KoboldBackend::new(endpoint(&server), settings).unwrap();
    streamed(&backend).await;
    let body = server.body();
    for (name, value) in [
        ("max_length", "256"),
        ("max_tokens", "256"),
        ("max_context_length", "16384"),
        ("rep_pen", "1.5"),
        ("rep_pen_range", "0"),
        ("min_p", "0.0"),
        ("typical_p", "1.0"),
        ("xtc_probability", "0.0"),
        ("xtc_threshold", "0.0"),
        ("dry_multiplier", "0.0"),
        ("dry_base", "1.75"),
        ("dry_allowed_length", "2"),
        ("dry_sequence_breakers", "[\"\\n\",\":\",\"\\\"\",\"*\"]"),
    ] {
        let sent = body.get(name).map(|value| value.compact());
        assert_eq!(sent.as_deref(), Some(value), "{name}");
    }
    assert_eq!(body.get("json_schema"), Some(schema));
}

// 12.17-206
#[tokio::test]
async fn a_kobold_may_think_as_long_as_it_likes() {
    let server = Server::start([vec![Act::Hang]]).await;
    let total_only = Timeouts {
        total: Duration::from_millis(200),
        ..Timeouts::default()
    };
    for (headers, message) in [
        (None, "The answer was not complete within 0.2 s"),
        (
            Some(Duration::from_millis(100)),
            "The server did not begin to answer within 0.1 s",
        ),
    ] {
        let timeouts = Timeouts {
            headers,
            ..total_only
        };
        let endpoint = endpoint(&server).with_timeouts(timeouts);
        let backend = KoboldBackend::new(endpoint, Settings::default()).unwrap();
        let response = streamed(&backend).await;
        assert_eq!(response.error_text(), Some(message));
    }
}
