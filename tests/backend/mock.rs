//! The backend of canned answers.

use std::time::Duration;

use sess::Message;
use sess::backend::{Backend, BackendError, CallKind, MockBackend, Request, Response, Usage};
use tokio::time::Instant;

fn ask(text: &str) -> Request {
    Request::new([Message::user(text)])
}

async fn answers(backend: &MockBackend, times: usize) -> Vec<Result<String, String>> {
    let mut answers = Vec::new();
    for _ in 0..times {
        answers.push(outcome(backend.complete(ask("Hi")).await));
    }
    answers
}

fn outcome(response: Response) -> Result<String, String> {
    match response.error_text() {
        None => Ok(response.text),
        Some(error) => Err(error.to_owned()),
    }
}

fn good(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

fn bad(text: &str) -> Result<String, String> {
    Err(text.to_owned())
}

const EXHAUSTED: &str = "The canned answers have run out";

// 12.17-207
#[tokio::test]
async fn the_queue_repeats_its_last_answer_or_fails() {
    let backend = MockBackend::new(["a", "b"]);
    assert_eq!(backend.peek_next().as_deref(), Some("a"));
    let expected = [good("a"), good("b"), good("b")];
    assert_eq!(answers(&backend, 3).await, expected);
    assert_eq!(backend.call_index(), 3);
    backend.reset();
    assert_eq!(backend.call_index(), 0);
    assert_eq!(answers(&backend, 1).await, [good("a")]);

    let backend = MockBackend::new(["a"]).failing_when_exhausted();
    assert_eq!(answers(&backend, 2).await, [good("a"), bad(EXHAUSTED)]);
    assert_eq!(backend.peek_next(), None);
    let empty = MockBackend::new(Vec::<String>::new());
    assert_eq!(answers(&empty, 1).await, [bad(EXHAUSTED)]);
}

// 12.17-207
#[tokio::test(start_paused = true)]
async fn a_streamed_answer_comes_word_by_word() {
    let usage = Usage {
        completion_tokens: Some(3),
        ..Usage::default()
    };
    let seconds = Duration::from_secs;
    let backend = MockBackend::new(["one two  three"])
        .with_usage(usage.clone())
        .with_delays(seconds(5), seconds(1));
    let began = Instant::now();
    let mut stream = backend.stream(ask("Hi")).await.unwrap();
    let mut fragments = Vec::new();
    while let Some(fragment) = stream.fragments.recv().await {
        fragments.push(fragment);
    }
    assert_eq!(fragments, ["one ", "two ", " ", "three"]);
    assert_eq!(began.elapsed(), seconds(8));
    let response = stream.handle.settled().await;
    assert_eq!(response.text, "one two  three");
    assert_eq!(response.finish_reason.as_deref(), Some("stop"));
    assert_eq!(response.usage, usage);

    let letters = |text: &str| text.chars().map(String::from).collect();
    let backend = MockBackend::new(["ab"]).with_splitter(letters);
    let mut stream = backend.stream(ask("Hi")).await.unwrap();
    assert_eq!(stream.fragments.recv().await.as_deref(), Some("a"));
}

// 12.17-207
#[tokio::test]
async fn an_error_wins_and_uses_up_no_answer() {
    let backend = MockBackend::new(["a", "b"])
        .with_errors(|index| (index == 1).then(|| BackendError::http(503, "busy")))
        .with_responder(|messages| {
            let asked = &messages.last()?.content;
            asked.starts_with("echo").then(|| asked.clone())
        });
    assert_eq!(
        answers(&backend, 3).await,
        [good("a"), bad("busy"), good("b")]
    );
    let echoed = backend.complete(ask("echo this")).await;
    assert_eq!(echoed.text, "echo this");

    let failing = MockBackend::new(["a"]).with_errors(|_| Some(BackendError::http(503, "busy")));
    let stream = failing.stream(ask("Hi")).await.unwrap();
    let response = stream.handle.settled().await;
    assert_eq!(response.error(), Some(&BackendError::http(503, "busy")));
}

// 12.17-207
#[tokio::test]
async fn another_finish_reason_is_a_success_all_the_same() {
    let backend = MockBackend::new(["a"])
        .with_finish_reasons(|index| (index == 0).then(|| "length".to_owned()));
    let reasons = [
        backend.complete(ask("Hi")).await.finish_reason,
        backend.complete(ask("Hi")).await.finish_reason,
    ];
    assert_eq!(
        reasons,
        [Some("length".to_owned()), Some("stop".to_owned())]
    );
}

// 12.17-207
#[tokio::test]
async fn calls_are_recorded() {
    let backend = MockBackend::new(["a"]).failing_when_exhausted();
    backend.complete(ask("one")).await;
    let stream = backend.stream(ask("two")).await.unwrap();
    stream.handle.settled().await;
    let seen: Vec<_> = backend
        .recorded()
        .into_iter()
        .map(|call| (call.kind, call.messages[0].content.clone(), call.answer))
        .collect();
    let expected = [
        (CallKind::Blocking, "one".to_owned(), Ok("a".to_owned())),
        (
            CallKind::Stream,
            "two".to_owned(),
            Err(BackendError::unknown(EXHAUSTED)),
        ),
    ];
    assert_eq!(seen, expected);
    backend.clear_recorded();
    assert_eq!((backend.recorded().len(), backend.call_index()), (0, 2));
}
