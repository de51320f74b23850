//! 12.7: cancelling, at every point.

use std::sync::Arc;
use std::time::Duration;

use sess::agent::{Outcome, RunError};
use sess::backend::{ScriptedBackend, Step};
use sess::tool::Gate;
use sess::{Message, Session};

use super::hooks::Asking;
use super::kit::*;

fn stage(played: &Played) -> String {
    assert_eq!(
        played.result.to_json().get_str("outcome").as_deref(),
        Some("cancelled")
    );
    assert_eq!((played.result.text(), played.result.error()), ("", None));
    played.field("run-cancelled", "stage").remove(0)
}

// 75, 80
#[tokio::test(start_paused = true)]
async fn a_cancel_while_streaming_reaches_the_backend() {
    let backend = backend([Step::stall(["Hel"])]);
    let agent = agent_on([&backend]).build().unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "token").await;
    let handle = run.handle();
    let waiter = tokio::spawn(async move { handle.cancellation().await });
    run.cancel();
    assert_eq!(
        backend.cancelled(),
        ["scripted-stream-1"],
        "before cancel returns"
    );
    waiter.await.unwrap();
    let played = finish(run, events).await;
    assert_eq!(stage(&played), "streaming");
    assert_eq!(played.field("turn-discarded", "reason"), ["cancelled"]);
    assert_eq!(
        played.count("attempt-failed") + played.count("attempt-succeeded"),
        0
    );
    check_contract(&played.events);
}

// 73, which here is a select and polls nothing, and 76
#[tokio::test(start_paused = true)]
async fn a_cancel_ends_a_wait_before_a_retry() {
    let backend = backend([Step::http(500, "no"), Step::text("never")]);
    let agent = agent_on([&backend])
        .backoff_cap(Duration::from_secs(30))
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let started = tokio::time::Instant::now();
    let events = read_until(&mut run, "attempt-failed").await;
    run.cancel();
    let played = finish(run, events).await;
    assert_eq!(stage(&played), "backoff");
    assert_eq!(
        (backend.calls().len(), played.count("attempt-started")),
        (1, 1)
    );
    assert_eq!(started.elapsed(), Duration::ZERO);
}

// 77
#[tokio::test(start_paused = true)]
async fn a_cancel_leaves_a_running_call_unknown() {
    let transcript = Transcript::new();
    let gate = Gate::new();
    let tools = provider(&["read"]).block_call("c1", &gate);
    let agent = agent_on([&backend([calls("c1", "read")])])
        .provider(tools.clone())
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let mut events = read_until(&mut run, "tool-started").await;
    tokio::task::yield_now().await;
    run.cancel();
    let result = run.result().await;
    assert_eq!(result.outcome.as_str(), "cancelled");
    assert!(!run.handle().is_drained());
    gate.open();
    while let Some(event) = run.next_event().await {
        events.push(event);
    }
    let played = finish(run, events).await;
    assert_eq!(stage(&played), "tools");
    assert_eq!(played.count("tool-result"), 0);
    assert_eq!(
        played.of("tool-abandoned")[0].text(),
        r#"{"id":"c1","name":"read","reason":"cancelled","dispatched":true,"round":1}"#
    );
    let message = transcript.of("message").pop().unwrap();
    let marks = ["cancelled", "outcome-unknown", "is-error", "tool-call-id"]
        .map(|key| text_of(&message, key));
    assert_eq!(marks, ["true", "true", "-", "c1"]);
    assert_eq!(tools.calls().len(), 1);
}

// 78
#[tokio::test(start_paused = true)]
async fn a_cancel_after_the_end_does_nothing() {
    let backend = backend([Step::text("Hi")]);
    let agent = agent_on([&backend]).build().unwrap();
    let mut run = agent.run(question()).unwrap();
    while run.next_event().await.is_some() {}
    run.cancel();
    let handle = run.handle();
    assert!(!handle.is_cancelled() && backend.cancelled().is_empty());
    assert_eq!(run.result().await.text(), "Hi");
    let patience = Duration::from_millis(10);
    assert!(
        tokio::time::timeout(patience, handle.cancellation())
            .await
            .is_err()
    );
}

// 83
#[tokio::test(start_paused = true)]
async fn a_cancel_of_one_run_never_reaches_another() {
    let backend = backend([Step::text("Hi"), Step::stall(["x"])]);
    let agent = agent_on([&backend]).build().unwrap();
    let first = agent.run(question()).unwrap();
    first.drained().await;
    let mut second = agent.run(question()).unwrap();
    let events = read_until(&mut second, "token").await;
    let hammers: Vec<_> = (0..2)
        .map(|_| {
            let first = first.handle();
            std::thread::spawn(move || (0..100).for_each(|_| first.cancel()))
        })
        .collect();
    hammers
        .into_iter()
        .for_each(|hammer| hammer.join().unwrap());
    assert!(backend.cancelled().is_empty());
    second.cancel();
    finish(second, events).await;
    assert!(
        backend
            .cancelled()
            .iter()
            .all(|id| id == "scripted-stream-2")
    );
}

// 84
#[tokio::test(start_paused = true)]
async fn a_call_that_was_given_up_on_holds_the_next_run_back() {
    let gate = Gate::new();
    let backend = backend([calls("c1", "read"), Step::text("Hi")]);
    let agent = agent_on([&backend])
        .provider(provider(&["read"]).block_on(&gate))
        .build()
        .unwrap();
    let mut first = agent.run(question()).unwrap();
    read_until(&mut first, "tool-started").await;
    first.cancel();
    first.result().await;
    assert!(matches!(
        agent.run(question()).err(),
        Some(RunError::InFlight { .. })
    ));
    let agent_too = agent.clone();
    let second =
        tokio::spawn(async move { agent_too.run_when_drained(question(), None).await.unwrap() });
    tokio::task::yield_now().await;
    assert!(!second.is_finished());
    gate.open();
    let second = second.await.unwrap();
    let id = second.id().clone();
    let played = finish(second, Vec::new()).await;
    assert_eq!(played.result.text(), "Hi");
    assert!(
        played
            .events
            .iter()
            .all(|event| event.run_id.as_ref() == Some(&id))
    );
}

// 85
#[tokio::test(start_paused = true)]
async fn a_cancel_while_a_human_is_asked_does_not_wait_for_the_human() {
    let gate = Gate::new();
    let hooks = sess::agent::AgentHooks::default();
    let tools = Asking {
        hooks: hooks.clone(),
        gate: gate.clone(),
    };
    let agent = agent_on([&backend([calls("c1", "read")])])
        .provider(tools)
        .hooks(hooks)
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "ask-pending").await;
    run.cancel();
    run.result().await;
    assert!(!run.handle().is_drained());
    gate.open();
    let played = finish(run, events).await;
    assert_eq!(
        (
            played.count("ask-answered"),
            played.field("tool-abandoned", "dispatched")
        ),
        (0, vec!["true".to_owned()])
    );
}

// 86
#[tokio::test(start_paused = true)]
async fn a_cancel_before_the_first_round_asks_nobody() {
    let backend = backend([Step::text("never")]);
    let agent = agent_on([&backend]).build().unwrap();
    let run = agent.run(question()).unwrap();
    run.cancel();
    let played = finish(run, Vec::new()).await;
    assert_eq!(played.kinds(), ["run-started", "run-cancelled"]);
    assert_eq!(
        (stage(&played), played.field("run-cancelled", "round")),
        ("start".into(), vec!["-".to_owned()])
    );
    assert!(backend.calls().is_empty());
}

/// A run with everything in it: retry, fallback, groups, a limit, a compaction, a last answer.
fn long_script() -> (Arc<ScriptedBackend>, Arc<ScriptedBackend>) {
    let primary = backend([
        Step::chunks(["broken", " off"]).fail_after(1),
        Step::text("Two at once.").with_calls([
            call("c1", "task"),
            call("c2", "task"),
            call("c3", "read"),
        ]),
        Step::error(sess::backend::ErrorClass::Timeout, "late"),
        Step::chunks(["Done", "."]),
        Step::text("spare"),
    ]);
    let fallback = backend([calls("c4", "read"), Step::text("spare")]);
    (primary, fallback)
}

// 13.4(2): at whatever event the run is cancelled, what was committed is answered, recorded and
// can be gone on from.
#[tokio::test(start_paused = true)]
async fn a_cancel_at_any_event_leaves_a_whole_transcript() {
    let whole = cancelled_at(usize::MAX).await;
    assert_eq!(end(&whole), "run-completed");
    for place in 0..whole.events.len() {
        let played = cancelled_at(place).await;
        if end(&played) == "run-completed" {
            assert!(matches!(played.result.outcome, Outcome::Completed { .. }));
        }
    }
}

fn end(played: &Played) -> &str {
    played.events.last().unwrap().kind()
}

async fn cancelled_at(place: usize) -> Played {
    let transcript = Transcript::new();
    let (primary, fallback) = long_script();
    let agent = agent_on([&primary, &fallback])
        .provider(provider(&["task", "read"]))
        .concurrent_tools(["task"])
        .session(transcript.session.clone())
        .counter(by_character())
        .compactor(Shrinker::new(10_000, 500))
        .build()
        .unwrap();
    let long = vec![Message::user("x".repeat(600)), Message::user("Go.")];
    let mut run = agent.run(long).unwrap();
    let mut events = Vec::new();
    while events.len() <= place
        && let Some(event) = run.next_event().await
    {
        events.push(event);
    }
    run.cancel();
    let played = finish(run, events).await;
    check_contract(&played.events);
    check_resumable(&transcript, &played);
    played
}

/// The transcript loads to what the result holds, every call is answered once, nothing is pending,
/// and a next run may start from it.
pub fn check_resumable(transcript: &Transcript, played: &Played) {
    let session: Session = transcript.reload();
    assert_eq!(session.messages(), played.result.messages);
    assert_eq!(session.pending_tool_operations(), []);
    assert_eq!(session.open_calls(), []);
    let messages = session.messages();
    let asked: Vec<String> = messages
        .iter()
        .flat_map(|message| message.calls())
        .map(|call| call.id)
        .collect();
    let answered: Vec<String> = messages
        .iter()
        .filter_map(|message| message.tool_call_id.clone())
        .collect();
    assert_eq!(asked, answered);
    let count = |type_name: &str| {
        let events = session.events().unwrap().into_iter();
        events
            .filter(|line| line.get_str("type").as_deref() == Some(type_name))
            .count()
    };
    assert_eq!(count("tool-dispatched"), count("tool-settled"));
}
