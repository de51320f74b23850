//! 12.9: one call at a time: what is recorded, and when.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use sess::agent::Idempotency;
use sess::backend::Step;
use sess::tool::{Gate, ScriptedGrants, ToolAnswer, ToolError, ToolProvider};
use sess::{Json, Role, Session};

use super::kit::*;

fn three() -> Step {
    Step::calls([call("c1", "read"), call("c2", "read"), call("c3", "read")])
}

// 96
#[tokio::test(start_paused = true)]
async fn each_call_is_recorded_before_during_and_after() {
    let transcript = Transcript::new();
    let backend = backend([
        Step::calls([call("c1", "read"), call("c2", "write")]),
        Step::text("Done."),
    ]);
    let tools =
        provider(&["read", "write"]).with_result("write", ToolAnswer::error("\n read-only disk\n"));
    let agent = agent_on([&backend])
        .provider(tools.clone())
        .session(transcript.session.clone())
        .idempotency("read", Idempotency::ReadOnly)
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(tools.batches().len(), 2);
    let tool_events: Vec<String> = played
        .events
        .iter()
        .filter(|event| event.kind().starts_with("tool-"))
        .map(|event| format!("{} {}", event.kind(), text_of(&event.body.payload(), "id")))
        .collect();
    let expected = [
        "tool-call c1",
        "tool-call c2",
        "tool-started c1",
        "tool-result c1",
        "tool-started c2",
        "tool-result c2",
    ];
    assert_eq!(tool_events, expected);
    let expected = [
        "session-meta",
        "message(user)",
        "message(assistant)",
        "tool-dispatched",
        "message(tool)",
        "tool-settled",
        "tool-dispatched",
        "message(tool)",
        "tool-settled",
        "message(assistant)",
    ];
    assert_eq!(transcript.types(), expected);
    let dispatched = transcript.of("tool-dispatched");
    let classes: Vec<String> = dispatched
        .iter()
        .map(|line| text_of(line, "idempotency"))
        .collect();
    assert_eq!(classes, ["read-only", "unknown"]);
    assert_eq!(text_of(&dispatched[0], "arguments"), "{}");
    assert_eq!(text_of(&dispatched[0], "round"), "1");
    let lines = transcript.lines();
    let ids: Vec<String> = lines
        .iter()
        .filter(|line| line.get_str("type").as_deref() == Some("tool-dispatched"))
        .map(|line| text_of(line, "id"))
        .collect();
    let settled = transcript.of("tool-settled");
    let named: Vec<String> = settled.iter().map(|line| text_of(line, "op-id")).collect();
    assert_eq!(named, ids);
    let outcomes: Vec<String> = settled
        .iter()
        .map(|line| text_of(line, "outcome"))
        .collect();
    assert_eq!(outcomes, ["completed", "failed"]);
    assert_eq!(text_of(&settled[1], "error"), "read-only disk");
    super::cancel::check_resumable(&transcript, &played);
}

// 97
#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_has_an_unknown_outcome() {
    let transcript = Transcript::new();
    let gate = Gate::new();
    let agent = agent_on([&backend([calls("c1", "read"), Step::text("Done.")])])
        .provider(provider(&["read"]).block_on(&gate))
        .session(transcript.session.clone())
        .tool_deadline(Duration::from_millis(150))
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "run-completed").await;
    assert!(!run.handle().is_drained());
    gate.open();
    let played = finish(run, events).await;
    assert_eq!(played.count("tool-result"), 0);
    assert_eq!(
        played.of("tool-abandoned")[0].text(),
        r#"{"id":"c1","name":"read","reason":"deadline","dispatched":true,"round":1}"#
    );
    let (role, content) = played.messages()[2];
    assert!(
        role == Role::Tool && content.contains("unknown") && !content.contains("fail"),
        "{content}"
    );
    let settled = &transcript.of("tool-settled")[0];
    let told = ["outcome", "reason", "duration"].map(|key| text_of(settled, key));
    assert_eq!(told[..2], ["outcome-unknown", "deadline"]);
    assert!(told[2].parse::<f64>().unwrap() >= 0.15);
    assert_eq!(text_of(&transcript.of("message")[2], "is-error"), "-");
}

// 99
#[tokio::test(start_paused = true)]
async fn a_cancel_says_of_each_call_whether_it_ran() {
    let transcript = Transcript::new();
    let gate = Gate::new();
    let tools = provider(&["read"]).block_call("c1", &gate);
    let agent = agent_on([&backend([three()])])
        .provider(tools.clone())
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "tool-started").await;
    tokio::task::yield_now().await;
    run.cancel();
    run.result().await;
    gate.open();
    let played = finish(run, events).await;
    assert_eq!(tools.calls().len(), 1);
    assert_eq!(
        played.field("tool-abandoned", "dispatched"),
        ["true", "false", "false"]
    );
    for (_, content) in &played.messages()[3..] {
        assert!(content.contains("did not run"), "{content}");
    }
    assert_eq!(transcript.of("tool-dispatched").len(), 1);
    let settled = &transcript.of("tool-settled")[0];
    assert_eq!(
        (text_of(settled, "outcome"), text_of(settled, "reason")),
        ("outcome-unknown".into(), "cancelled".into())
    );
    let marks: Vec<String> = transcript
        .of("message")
        .iter()
        .map(|line| text_of(line, "abandoned"))
        .collect();
    assert_eq!(marks, ["-", "-", "-", "true", "true"]);
    super::cancel::check_resumable(&transcript, &played);
}

/// Cancels the run when its grants are read for the first time after a call.
struct CancelsBetween {
    inner: ScriptedGrants,
    cancel: Arc<std::sync::OnceLock<sess::agent::RunHandle>>,
}

impl ToolProvider for CancelsBetween {
    fn declarations(&self) -> Result<Vec<Json>, ToolError> {
        self.inner.declarations()
    }
    fn execute(
        &self,
        calls: Vec<Json>,
    ) -> BoxFuture<'static, Result<Vec<Option<ToolAnswer>>, ToolError>> {
        self.inner.execute(calls)
    }
    fn grants(&self) -> Option<Result<Vec<Json>, ToolError>> {
        if let Some(run) = self.cancel.get() {
            run.cancel();
        }
        self.inner.grants()
    }
}

// 100
#[tokio::test(start_paused = true)]
async fn a_cancel_between_calls_keeps_the_answer_that_is_there() {
    let transcript = Transcript::new();
    let cancel = Arc::default();
    let tools = CancelsBetween {
        inner: ScriptedGrants::new(provider(&["read"])),
        cancel: Arc::clone(&cancel),
    };
    let agent = agent_on([&backend([Step::calls([
        call("c1", "read"),
        call("c2", "read"),
    ])])])
    .provider(tools)
    .session(transcript.session.clone())
    .build()
    .unwrap();
    let run = agent.run(question()).unwrap();
    cancel.set(run.handle()).ok();
    let played = finish(run, Vec::new()).await;
    assert_eq!(played.field("tool-result", "id"), ["c1"]);
    assert_eq!(
        played.of("tool-abandoned")[0].text(),
        r#"{"id":"c2","name":"read","reason":"cancelled","dispatched":false,"round":1}"#
    );
    assert_eq!(played.field("run-cancelled", "stage"), ["tools"]);
    let settled = transcript.of("tool-settled");
    assert_eq!(
        settled
            .iter()
            .map(|line| text_of(line, "outcome"))
            .collect::<Vec<_>>(),
        ["completed"]
    );
    super::cancel::check_resumable(&transcript, &played);
}

// 101
#[tokio::test(start_paused = true)]
async fn unknown_outcomes_count_towards_the_limits() {
    let gate = Gate::new();
    let agent = agent_on([&backend([
        calls("c1", "read"),
        calls("c2", "read"),
        Step::text("Done."),
    ])])
    .provider(provider(&["read"]).block_on(&gate))
    .tool_deadline(Duration::from_millis(10))
    .max_identical_calls(1)
    .build()
    .unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "run-completed").await;
    gate.open();
    let played = finish(run, events).await;
    assert_eq!(
        (
            played.count("limit-reached"),
            played.count("tool-abandoned")
        ),
        (1, 1)
    );
}

// 105, 107
#[tokio::test(start_paused = true)]
async fn without_a_transcript_the_events_are_the_same() {
    let play_with = |transcript: Option<Transcript>| async move {
        let backend = backend([
            Step::calls([call("c1", "read"), call("c2", "read")]),
            Step::text("Done."),
        ]);
        let tools = provider(&["read"]).with_result("read", ToolAnswer::new("x".repeat(20_000)));
        let mut builder = agent_on([&backend]).provider(tools);
        if let Some(transcript) = &transcript {
            builder = builder.session(transcript.session.clone());
        }
        ask(&builder.build().unwrap()).await
    };
    let with = play_with(Some(Transcript::new())).await;
    let without = play_with(None).await;
    assert_eq!(with.kinds(), without.kinds());
    assert_eq!(without.field("turn-committed", "message-id"), ["-", "-"]);
    assert_eq!(
        without.messages()[2].1.len(),
        20_000,
        "no budget, no excerpt"
    );
    assert_eq!(without.field("tool-result", "artifact"), ["-", "-"]);
}

// 106
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_blocks_its_thread_still_has_a_deadline() {
    struct Blocks;
    impl ToolProvider for Blocks {
        fn declarations(&self) -> Result<Vec<Json>, ToolError> {
            provider(&["read"]).declarations()
        }
        fn execute(
            &self,
            _: Vec<Json>,
        ) -> BoxFuture<'static, Result<Vec<Option<ToolAnswer>>, ToolError>> {
            std::thread::sleep(Duration::from_millis(300));
            Box::pin(async { Ok(vec![Some(ToolAnswer::new("late"))]) })
        }
    }
    let agent = agent_on([&backend([calls("c1", "read"), Step::text("Done.")])])
        .provider(Blocks)
        .tool_deadline(Duration::from_millis(50))
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.field("tool-abandoned", "reason"), ["deadline"]);
    assert_eq!(played.result.text(), "Done.");
}

// 11.2: a run that is not recorded does not go on.
#[tokio::test(start_paused = true)]
async fn a_transcript_that_cannot_be_written_ends_the_run() {
    let transcript = Transcript::new();
    let gate = Gate::new();
    let agent = agent_on([&backend([calls("c1", "read"), Step::text("never")])])
        .provider(provider(&["read"]).block_on(&gate))
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "tool-started").await;
    transcript.session.close();
    gate.open();
    let played = finish(run, events).await;
    assert!(
        played.error().starts_with("the run died") && played.error().contains("closed"),
        "{}",
        played.error()
    );
    let session = Session::load(transcript.session.path()).unwrap();
    assert_eq!(
        session.messages(),
        played.result.messages,
        "nothing is told that is not recorded"
    );
    assert_eq!(session.pending_tool_operations().len(), 1);
}
