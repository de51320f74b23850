//! 12.6: retries and fallbacks.

use std::time::Duration;

use sess::backend::{ErrorClass, Step};

use super::kit::*;

// 58, 63
#[tokio::test(start_paused = true)]
async fn a_server_error_is_retried_and_then_passed_by() {
    let primary = backend([Step::http(500, "oops"), Step::http(500, "oops")]).clone();
    let fallback = backend([Step::text("Hi")]);
    let agent = agent_on([&primary, &fallback])
        .max_retries(2)
        .backoff_cap(Duration::from_secs(30))
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.result.text(), "Hi");
    assert_eq!((primary.calls().len(), fallback.calls().len()), (2, 1));
    assert_eq!(
        played.field("attempt-failed", "disposition"),
        ["retry-same", "advance"]
    );
    assert_eq!(
        played.field("attempt-failed", "error-status"),
        ["500", "500"]
    );
    assert_eq!(
        played.field("attempt-failed", "model"),
        ["scripted-model", "scripted-model"]
    );
    let waits = played.field("attempt-failed", "backoff");
    let wait: f64 = waits[0].parse().unwrap();
    assert!((1.0..1.5).contains(&wait) && waits[1] == "-", "{waits:?}");
    assert_eq!(
        played.field("attempt-started", "backend-index"),
        ["0", "0", "1"]
    );
    assert_eq!(played.field("attempt-started", "attempt"), ["1", "2", "3"]);
}

// 59
#[tokio::test(start_paused = true)]
async fn too_many_requests_go_to_the_next_backend_at_once() {
    let primary = backend([Step::http(429, "slow down")]);
    let fallback = backend([Step::text("Hi")]);
    let started = tokio::time::Instant::now();
    let played = ask(&agent_on([&primary, &fallback]).build().unwrap()).await;
    assert_eq!(played.field("attempt-failed", "disposition"), ["advance"]);
    assert_eq!(played.field("attempt-started", "backend-index"), ["0", "1"]);
    assert_eq!(started.elapsed(), Duration::ZERO);
}

// 60, 69
#[tokio::test(start_paused = true)]
async fn a_refusal_ends_the_run() {
    let primary = backend([Step::http(401, "bad key")]);
    let fallback = backend([Step::text("Hi")]);
    let played = ask(&agent_on([&primary, &fallback]).build().unwrap()).await;
    assert_eq!(played.field("attempt-failed", "disposition"), ["abort"]);
    assert!(fallback.calls().is_empty());
    assert_eq!(played.error(), "[backend 0] bad key");
    assert_eq!((played.result.attempts().len(), played.reason()), (1, None));
    assert_eq!(played.field("turn-discarded", "reason"), ["failed"]);
}

// 61
#[tokio::test(start_paused = true)]
async fn a_silent_stream_is_given_up() {
    let primary = backend([Step::stall(["Hel"])]);
    let fallback = backend([Step::text("Hi")]);
    let agent = agent_on([&primary, &fallback])
        .round_trip_timeout(Duration::from_millis(300))
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(primary.cancelled(), ["scripted-stream-1"]);
    let failure = &played.of("attempt-failed")[0];
    assert_eq!(text_of(failure, "error-class"), "timeout");
    assert_eq!(text_of(failure, "error-status"), "-");
    assert_eq!(
        text_of(failure, "error"),
        "[backend 0] no activity for 0.3s"
    );
    assert_eq!(text_of(failure, "disposition"), "advance");
    assert_eq!(played.tokens(), "HelHi");
    assert_eq!(played.result.text(), "Hi");
}

// Activity is what counts, not the length of the stream.
#[tokio::test(start_paused = true)]
async fn a_slow_stream_is_no_silent_one() {
    let slow =
        Step::chunks(["a", "b", "c", "d"]).slow(Duration::from_secs(100), Duration::from_secs(100));
    let played = ask(&agent_on([&backend([slow])]).build().unwrap()).await;
    assert_eq!(played.result.text(), "abcd");
}

// 62
#[tokio::test(start_paused = true)]
async fn text_of_a_failed_attempt_is_taken_back_and_never_recorded() {
    let transcript = Transcript::new();
    let broken = Step::chunks(["Hel", "lo", "never"]).fail_after(2);
    let backend = backend([broken, Step::text("Hello.")]);
    let agent = agent_on([&backend])
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let played = ask(&agent).await;
    let expected = [
        "run-started",
        "round-started",
        "attempt-started",
        "token",
        "token",
        "attempt-failed",
        "attempt-started",
        "token",
        "attempt-succeeded",
        "assistant-message",
        "turn-committed",
        "run-completed",
    ];
    assert_eq!(played.kinds(), expected);
    check_contract(&played.events);
    assert_eq!(played.tokens(), "HelloHello.");
    assert_eq!(transcript.of("message").len(), 2);
}

// 63, 64
#[tokio::test(start_paused = true)]
async fn a_chain_that_fails_names_every_attempt() {
    let primary = backend([Step::error(ErrorClass::Timeout, "late")]);
    let fallback = backend([
        Step::chunks(["par", "tial"]).fail_after(1),
        Step::error(ErrorClass::Unknown, "gone"),
    ]);
    let agent = agent_on([&primary, &fallback])
        .max_retries(2)
        .build()
        .unwrap();
    let played = ask(&agent).await;
    let attempts = played.result.attempts();
    let told: Vec<_> = attempts
        .iter()
        .map(|attempt| {
            (
                attempt.backend_index,
                attempt.error.as_str(),
                attempt.raw_text.as_deref(),
            )
        })
        .collect();
    let expected = [
        (0, "[backend 0] late", None),
        (1, "[backend 1] The scripted step failed", Some("par")),
        (1, "[backend 1] gone", None),
    ];
    assert_eq!(told, expected);
    assert_eq!(
        played.error(),
        "every backend failed: [backend 0] late; [backend 1] The scripted step failed; [backend 1] gone"
    );
}

// Context D13: the summary is of the walk that failed; the records are of the whole run.
#[tokio::test(start_paused = true)]
async fn a_failure_that_was_recovered_from_is_not_blamed_later() {
    let backend = backend([
        Step::http(500, "first"),
        calls("c1", "read"),
        Step::http(401, "second"),
    ]);
    let agent = agent_on([&backend])
        .provider(provider(&["read"]))
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.error(), "[backend 0] second");
    assert_eq!(played.result.attempts().len(), 2);
}

// 65, 66, 67, 137
#[tokio::test(start_paused = true)]
async fn what_may_pass_is_tried_again_on_the_only_backend() {
    for (class, named) in [
        (ErrorClass::Unknown, "unknown"),
        (ErrorClass::Connection, "connection"),
        (ErrorClass::Timeout, "timeout"),
        (ErrorClass::Response, "response"),
    ] {
        let backend = backend([
            Step::error(class, "no"),
            Step::error(class, "no"),
            Step::text("Hi"),
        ]);
        let played = ask(&agent_on([&backend]).build().unwrap()).await;
        assert_eq!(played.result.text(), "Hi");
        assert_eq!(
            played.field("attempt-failed", "disposition"),
            ["retry-same", "retry-same"]
        );
        assert_eq!(
            played.field("attempt-failed", "error-class"),
            [named, named]
        );
        assert_eq!(
            played.field("attempt-failed", "backoff"),
            ["0.005", "0.005"],
            "the cap"
        );
    }
}

// 6.3: what a backend has refused goes on along the chain, and is never sent to it unchanged again.
#[tokio::test(start_paused = true)]
async fn a_request_that_cannot_be_processed_is_not_repeated() {
    for status in [302, 405, 415, 422, 431] {
        let alone = backend([Step::http(status, "no such field"), Step::text("Hi")]);
        let played = ask(&agent_on([&alone]).build().unwrap()).await;
        assert_eq!(alone.calls().len(), 1, "{status}");
        assert_eq!(played.field("attempt-failed", "disposition"), ["advance"]);
        assert_eq!(
            played.error(),
            "every backend failed: [backend 0] no such field"
        );
        assert_eq!(played.reason(), None);

        let picky = backend([Step::http(status, "no such field")]);
        let fallback = backend([Step::text("Hi")]);
        let played = ask(&agent_on([&picky, &fallback]).build().unwrap()).await;
        assert_eq!(played.result.text(), "Hi");
        assert_eq!((picky.calls().len(), fallback.calls().len()), (1, 1));
    }
    for status in [408, 409, 425] {
        let alone = backend([Step::http(status, "not at the moment"), Step::text("Hi")]);
        let played = ask(&agent_on([&alone]).build().unwrap()).await;
        assert_eq!(played.result.text(), "Hi", "{status}");
    }
}

// 68
#[tokio::test(start_paused = true)]
async fn only_the_last_backend_waits_for_what_may_pass() {
    let busy = || backend([Step::http(429, "busy"), Step::http(429, "busy")]);
    let (primary, fallback) = (busy(), busy());
    let agent = agent_on([&primary, &fallback])
        .max_retries(2)
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(
        played.field("attempt-failed", "disposition"),
        ["advance", "retry-same", "advance"]
    );
    assert_eq!((primary.calls().len(), fallback.calls().len()), (1, 2));
    assert!(played.error().starts_with("every backend failed"));
}

// 69, 70: an overflow advances, is never repeated unchanged, and counts as a refusal of the size.
#[tokio::test(start_paused = true)]
async fn a_request_refused_for_its_size_goes_to_the_next_backend() {
    let refuses = || {
        backend([Step::http(
            400,
            "This model's maximum context length is 10 tokens",
        )])
    };
    let alone = refuses();
    let played = ask(&agent_on([&alone]).build().unwrap()).await;
    assert_eq!(alone.calls().len(), 1);
    assert_eq!(played.field("attempt-failed", "disposition"), ["advance"]);
    assert_eq!(played.reason(), Some("context-exhausted"));
    assert!(
        played.error().contains("no compactor"),
        "{}",
        played.error()
    );
    assert!(
        played.error().contains("maximum context length"),
        "{}",
        played.error()
    );

    let fallback = backend([Step::text("Hi")]);
    let played = ask(&agent_on([&refuses(), &fallback]).build().unwrap()).await;
    assert_eq!(played.result.text(), "Hi");

    let other = backend([Step::http(400, "bad request")]);
    let played = ask(&agent_on([&other, &fallback]).build().unwrap()).await;
    assert_eq!(played.field("attempt-failed", "disposition"), ["abort"]);
}

// Context D8; 6.3, decision 4: with a compactor, an overflow forces one compaction.
#[tokio::test(start_paused = true)]
async fn a_request_refused_for_its_size_is_made_smaller_once() {
    let backend = backend([Step::http(400, "prompt is too long"), Step::text("Hi")]);
    let agent = agent_on([&backend])
        .compactor(Shrinker::new(100_000, 90_000))
        .build()
        .unwrap();
    let long = vec!["x".repeat(400), "y".repeat(400), "Go.".to_owned()];
    let played = play(&agent, long.into_iter().map(sess::Message::user).collect()).await;
    assert_eq!(played.result.text(), "Hi");
    assert_eq!(played.count("compaction-done"), 1);
    assert_eq!(
        played.field("attempt-started", "attempt"),
        ["1", "2"],
        "counted on"
    );
    assert_eq!(sent(&backend, 1).len(), 2);
}

// Decision 17
#[tokio::test(start_paused = true)]
async fn a_server_that_asks_for_a_pause_gets_one_up_to_the_cap() {
    let busy = Step {
        retry_after: Some(Duration::from_secs(20)),
        ..Step::http(503, "busy")
    };
    for (cap, expected) in [(30, "20.0"), (10, "10.0")] {
        let backend = backend([busy.clone(), Step::text("Hi")]);
        let agent = agent_on([&backend])
            .backoff_cap(Duration::from_secs(cap))
            .build()
            .unwrap();
        let played = ask(&agent).await;
        assert_eq!(played.field("attempt-failed", "backoff"), [expected]);
    }
}

// Decision 7
#[tokio::test(start_paused = true)]
async fn a_backend_that_cannot_even_ask_is_a_failed_attempt() {
    use futures_util::FutureExt;
    use futures_util::future::BoxFuture;
    use sess::backend::{Backend, BackendError, Request, Response, ResponseStream};
    struct Unplugged;
    impl Backend for Unplugged {
        fn model(&self) -> Option<String> {
            None
        }
        fn max_tokens(&self) -> Option<u64> {
            None
        }
        fn stream(&self, _: Request) -> BoxFuture<'_, Result<ResponseStream, BackendError>> {
            async { Err(BackendError::unknown("no cable")) }.boxed()
        }
        fn complete(&self, _: Request) -> BoxFuture<'_, Response> {
            async { Response::default() }.boxed()
        }
    }
    let agent = sess::agent::Agent::builder()
        .backend(Unplugged)
        .max_retries(1)
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.error(), "every backend failed: [backend 0] no cable");
    assert_eq!(played.field("attempt-started", "model"), ["unknown"]);
    assert_eq!(played.field("attempt-failed", "error-class"), ["unknown"]);
}
