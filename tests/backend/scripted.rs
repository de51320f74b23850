//! The scripted backend, and through it what every response promises.

use std::time::Duration;

use sess::backend::{Backend, BackendError, CallKind, ErrorClass, Request, Response};
use sess::backend::{ResponseHandle, ScriptedBackend, Settled, Silence, Step, Usage};
use sess::message::ToolCall;
use sess::{Json, Message};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

fn call(id: &str, name: &str) -> Json {
    ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: "{}".to_owned(),
    }
    .to_json()
}

fn ask(text: &str) -> Request {
    Request::new([Message::user(text)])
}

fn usage(prompt: u64, completion: u64) -> Usage {
    Usage {
        prompt_tokens: Some(prompt),
        completion_tokens: Some(completion),
        ..Usage::default()
    }
}

/// Every fragment, and the response they end in.
async fn streamed(backend: &ScriptedBackend) -> (Vec<String>, Response) {
    let mut stream = backend.stream(ask("go")).await.unwrap();
    let mut fragments = Vec::new();
    while let Some(fragment) = stream.fragments.recv().await {
        fragments.push(fragment);
    }
    (fragments, stream.handle.settled().await)
}

// 12.2-1
#[tokio::test]
async fn a_step_with_chunks_and_calls_gives_exactly_those() {
    let calls = vec![call("c1", "read"), call("c2", "write")];
    let step = Step::chunks(["Let ", "me", " see."]).with_calls(calls.clone());
    let (fragments, response) = streamed(&ScriptedBackend::new([step])).await;
    assert_eq!(fragments, ["Let ", "me", " see."]);
    assert_eq!(
        response,
        Response {
            id: "scripted-stream-1".to_owned(),
            text: "Let me see.".to_owned(),
            settled: Settled::Done,
            finish_reason: Some("tool_calls".to_owned()),
            tool_calls: calls,
            model_used: Some("scripted-model".to_owned()),
            ..Response::default()
        }
    );
}

// 12.2-2
#[tokio::test]
async fn usage_is_what_the_step_reports_and_else_unknown() {
    let silent = Step::text("a");
    let backend = ScriptedBackend::new([Step::text("a").with_usage(usage(3, 0)), silent]);
    assert_eq!(streamed(&backend).await.1.usage, usage(3, 0));
    let response = streamed(&backend).await.1;
    assert_eq!(response.usage, Usage::default());
    assert_eq!(response.finish_reason.as_deref(), Some("stop"));
}

// 12.2-3
#[tokio::test]
async fn an_error_step_fails_as_scripted() {
    let unclassified = Step {
        error: Some("odd".to_owned()),
        ..Step::default()
    };
    let backend = ScriptedBackend::new([Step::http(503, "busy"), unclassified]);
    let busy = streamed(&backend).await.1;
    assert!(busy.is_done() && !busy.is_success());
    assert_eq!(busy.error(), Some(&BackendError::http(503, "busy")));
    let odd = streamed(&backend).await.1;
    assert_eq!(odd.error(), Some(&BackendError::unknown("odd")));
}

// 12.2-4
#[tokio::test]
async fn a_failing_step_keeps_what_it_had() {
    let whole = Step {
        error_class: Some(ErrorClass::Response),
        ..Step::chunks(["one ", "two"])
            .with_usage(usage(1, 2))
            .with_finish_reason("length")
            .with_calls([call("c1", "read")])
    };
    let cut = Step::chunks(["one ", "two"])
        .with_usage(usage(1, 2))
        .fail_after(1);
    let backend = ScriptedBackend::new([whole, cut]);

    let (fragments, response) = streamed(&backend).await;
    assert_eq!(fragments, ["one ", "two"]);
    assert_eq!(response.error_class(), Some(ErrorClass::Response));
    assert_eq!(response.finish_reason.as_deref(), Some("length"));
    assert_eq!(response.usage, usage(1, 2));
    assert_eq!(response.tool_calls, [call("c1", "read")]);

    let (fragments, response) = streamed(&backend).await;
    assert_eq!(fragments, ["one "]);
    assert_eq!(response.text, "one ");
    assert_eq!(response.error_class(), Some(ErrorClass::Unknown));
    assert_eq!(response.finish_reason, None);
    assert_eq!(response.usage, usage(1, 2));
}

// 12.2-5
#[tokio::test(start_paused = true)]
async fn a_stalled_step_ends_only_by_a_cancel() {
    let backend = ScriptedBackend::new([Step::stall(["so"])]);
    let mut stream = backend.stream(ask("go")).await.unwrap();
    assert_eq!(stream.fragments.recv().await.as_deref(), Some("so"));
    let quiet_since = stream.handle.last_activity();
    tokio::time::sleep(1_000 * SECOND).await;
    assert!(!stream.handle.is_settled());
    assert_eq!(stream.handle.last_activity(), quiet_since);

    backend.cancel(&stream.handle);
    backend.cancel(&stream.handle);
    let response = stream.handle.settled().await;
    assert_eq!(response.settled, Settled::Cancelled);
    assert_eq!(response.error_text(), Some("Cancelled by user"));
    assert_eq!(response.error_class(), None);
    assert_eq!(response.text, "so");
    assert_eq!(
        backend.cancelled(),
        ["scripted-stream-1", "scripted-stream-1"]
    );
    assert_eq!(stream.fragments.recv().await, None);
}

// 12.2-6
#[tokio::test(start_paused = true)]
async fn delays_are_served() {
    let step = Step::chunks(["a", "b", "c"]).slow(5 * SECOND, 2 * SECOND);
    let began = Instant::now();
    streamed(&ScriptedBackend::new([step])).await;
    assert_eq!(began.elapsed(), 9 * SECOND);
}

// 12.2-6
#[tokio::test]
async fn an_exhausted_script_names_the_call() {
    let backend = ScriptedBackend::new([Step::text("a")]);
    streamed(&backend).await;
    let response = streamed(&backend).await.1;
    assert_eq!(
        response.error(),
        Some(&BackendError::response("The script has no step for call 2"))
    );
    backend.push(Step::text("late"));
    assert_eq!(streamed(&backend).await.1.text, "late");
}

// 12.2-7
#[tokio::test]
async fn both_kinds_of_call_share_the_script_and_are_recorded() {
    let steps = [
        Step::text("whole"),
        Step::text("streamed"),
        Step::stall(["never"]),
    ];
    let backend = ScriptedBackend::new(steps.clone());
    let tools = vec![Json::parse(r#"{"type":"function"}"#).unwrap()];

    let whole = backend.complete(ask("one").with_tools(tools.clone())).await;
    assert_eq!((whole.text.as_str(), whole.is_success()), ("whole", true));
    assert_eq!(whole.id, "scripted-blocking-1");
    assert_eq!(streamed(&backend).await.1.text, "streamed");
    let refused = backend.complete(ask("three")).await;
    assert!(refused.is_done() && !refused.is_success());

    let seen: Vec<_> = backend
        .calls()
        .into_iter()
        .map(|call| {
            let text = call.messages[0].content.clone();
            (call.kind, text, call.tools, call.step, call.response_id)
        })
        .collect();
    let [first, second, third] = steps;
    let expected = [
        (
            CallKind::Blocking,
            "one",
            tools,
            first,
            "scripted-blocking-1",
        ),
        (CallKind::Stream, "go", vec![], second, "scripted-stream-2"),
        (
            CallKind::Blocking,
            "three",
            vec![],
            third,
            "scripted-blocking-3",
        ),
    ];
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(kind, text, tools, step, id)| {
            (kind, text.to_owned(), tools, Some(step), id.to_owned())
        })
        .collect();
    assert_eq!(seen, expected);
}

#[test]
fn a_scripted_backend_says_the_defaults() {
    let backend = ScriptedBackend::new([]);
    assert_eq!(backend.model().as_deref(), Some("scripted-model"));
    assert_eq!(backend.max_tokens(), Some(256));
    let backend = backend.with_model(None).with_max_tokens(Some(9));
    assert_eq!((backend.model(), backend.max_tokens()), (None, Some(9)));
}

// 12.17-204
#[tokio::test(start_paused = true)]
async fn a_response_settles_once_and_keeps_everything() {
    let (writer, mut stream) = ResponseHandle::open("r");
    let opened = stream.handle.last_activity();
    writer.push_reasoning("Hm");
    writer.push_reasoning(", so.");
    tokio::time::advance(SECOND).await;
    writer.push_text("");
    assert_eq!(stream.handle.last_activity(), opened);
    writer.push_text("te");
    assert_eq!(stream.handle.last_activity(), opened + SECOND);
    writer.push_text("xt");
    writer.merge_usage(&usage(1, 2));
    writer.merge_usage(&Usage {
        completion_tokens: Some(5),
        ..Usage::default()
    });
    tokio::time::advance(SECOND).await;
    writer.fail(BackendError::response("bad"));
    assert_eq!(stream.handle.last_activity(), opened + 2 * SECOND);

    writer.push_text("late");
    writer.set_finish_reason("stop");
    writer.finish();
    stream.handle.cancel();
    assert_eq!(
        stream.handle.settled().await,
        Response {
            id: "r".to_owned(),
            text: "text".to_owned(),
            settled: Settled::Failed(BackendError::response("bad")),
            usage: usage(1, 5),
            reasoning: Some("Hm, so.".to_owned()),
            ..Response::default()
        }
    );
    assert_eq!(stream.fragments.recv().await.as_deref(), Some("te"));
    assert_eq!(stream.fragments.recv().await.as_deref(), Some("xt"));
    assert_eq!(stream.fragments.recv().await, None);
}

#[tokio::test]
async fn a_writer_that_is_dropped_fails_the_response() {
    let (writer, stream) = ResponseHandle::open("r");
    drop(writer);
    let response = stream.handle.settled().await;
    assert_eq!(response.error_class(), Some(ErrorClass::Unknown));
}

#[tokio::test]
async fn an_answer_that_nobody_can_read_is_cancelled() {
    let (writer, stream) = ResponseHandle::open("r");
    let handle = stream.handle.clone();
    drop(stream);
    assert!(!writer.is_settled());
    drop(handle);
    writer.cancelled().await;
    assert_eq!(writer.snapshot().settled, Settled::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn heartbeats_are_activity_and_no_data() {
    let (writer, stream) = ResponseHandle::open("r");
    let beating = async {
        loop {
            tokio::time::sleep(SECOND).await;
            writer.activity();
        }
    };
    let opened = Instant::now();
    let silence = tokio::select! {
        silence = stream.handle.silent(5 * SECOND, 60 * SECOND) => silence,
        () = beating => unreachable!(),
    };
    assert_eq!(silence, Silence::Data);
    assert_eq!(opened.elapsed().as_secs(), 60);
    assert_eq!(stream.handle.last_data(), opened);

    let silence = stream.handle.silent(5 * SECOND, 600 * SECOND).await;
    assert_eq!(silence, Silence::Bytes);
    assert_eq!(stream.handle.last_activity().elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_settled_response_is_never_silent() {
    let (writer, stream) = ResponseHandle::open("r");
    writer.finish();
    let silent = stream.handle.silent(SECOND, SECOND);
    assert!(tokio::time::timeout(100 * SECOND, silent).await.is_err());
    let endless = stream.handle.silent(Duration::MAX, Duration::MAX);
    assert!(tokio::time::timeout(100 * SECOND, endless).await.is_err());
}
