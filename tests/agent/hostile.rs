//! Numbers beyond all measure, waits without end, ids that are none, a runtime that goes away.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sess::Message;
use sess::agent::event::OutstandingOp;
use sess::agent::{BusError, BusState, Completion, CompletionBus, SteerSource};
use sess::backend::{ScriptedBackend, Step, Usage};
use sess::context::{Compacted, CompactionRequest, Compactor, Profile, RequestBudget};
use sess::tool::Gate;

use super::cancel::check_resumable;
use super::kit::*;

const FOR_EVER: Duration = Duration::MAX;

/// A bill beyond all measure.
fn monstrous() -> Usage {
    Usage {
        prompt_tokens: Some(u64::MAX),
        completion_tokens: Some(u64::MAX),
        total_tokens: Some(u64::MAX),
        cached_prompt_tokens: Some(u64::MAX),
        cost: Some(f64::MAX),
        ..Usage::default()
    }
}

#[tokio::test(start_paused = true)]
async fn a_bill_beyond_all_measure_is_added_up() {
    let backend = Arc::new(
        ScriptedBackend::new([
            Step::http(500, "no").with_usage(monstrous()),
            calls("c1", "read").with_usage(monstrous()),
            Step::text("Done.").with_usage(monstrous()),
        ])
        .with_max_tokens(None),
    );
    let agent = agent_on([&backend])
        .provider(provider(&["read"]))
        .request_budget(RequestBudget::default())
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.result.text(), "Done.");
    let spent = played.result.spent.unwrap();
    assert_eq!(spent.total_tokens, u64::MAX);
    assert_eq!(spent.prompt_tokens, Some(u64::MAX));
}

// Windows are compared with such bills after an answer that was cut off, and before the next request.
#[tokio::test(start_paused = true)]
async fn a_bill_beyond_all_measure_fits_no_window() {
    let profile = || Profile::new(u64::MAX - 1).with_reserve(u64::MAX - 2);
    for profile in [
        profile(),
        profile().with_margin(u64::MAX),
        Profile::new(1_000),
    ] {
        for step in [
            Step::length("cut").with_usage(monstrous()),
            calls("c1", "read").with_usage(Usage {
                completion_tokens: Some(1),
                ..monstrous()
            }),
        ] {
            let transcript = Transcript::new();
            let budget = RequestBudget::default().with_default_profile(profile.clone());
            let agent = agent_on([&backend([step, Step::text("Done.")])])
                .provider(provider(&["read"]))
                .session(transcript.session.clone())
                .compactor(Shrinker::new(900, 800))
                .request_budget(budget)
                .build()
                .unwrap();
            let played = ask(&agent).await;
            check_contract(&played.events);
            let error = played.result.error().unwrap_or_default();
            assert!(!error.contains("died"), "{error}");
            check_resumable(&transcript, &played);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_patience_may_be_endless() {
    let busy = Step {
        retry_after: Some(FOR_EVER),
        ..Step::http(503, "busy")
    };
    let backend = backend([calls("c1", "read"), Step::text("Waiting."), busy]);
    let bus = Arc::new(Bus::default());
    let agent = agent_on([&backend])
        .provider(provider(&["read"]).with_latency("read", Duration::from_secs(5)))
        .tool_deadline(FOR_EVER)
        .round_trip_timeout(FOR_EVER)
        .data_timeout(FOR_EVER)
        .backoff_cap(FOR_EVER)
        .park_idle_timeout(FOR_EVER)
        .completion_bus(bus.clone())
        .request_budget(RequestBudget::default().with_max_wall_clock(FOR_EVER))
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let mut events = read_until(&mut run, "run-parked").await;
    bus.brings.store(true, Ordering::SeqCst);
    events.extend(read_until(&mut run, "attempt-failed").await);
    tokio::time::sleep(Duration::from_secs(1_000_000)).await;
    run.cancel();
    let played = finish(run, events).await;
    assert_eq!(played.field("run-cancelled", "stage"), ["backoff"]);
    check_contract(&played.events);
}

/// A bus with one operation out, whose promises are worth nothing.
#[derive(Default)]
pub struct Bus {
    /// Panics when it is waited for.
    pub panics: bool,
    /// Whether it has a completion.
    pub brings: AtomicBool,
}

impl CompletionBus for Bus {
    fn state(&self) -> Result<BusState, BusError> {
        Ok(BusState {
            outstanding: 1,
            queued: usize::from(self.brings.load(Ordering::SeqCst)),
        })
    }
    fn drain(&self) -> Result<Vec<Completion>, BusError> {
        let news = Completion {
            head: "News.".into(),
            ..Completion::default()
        };
        let brings = self.brings.swap(false, Ordering::SeqCst);
        Ok(brings.then_some(news).into_iter().collect())
    }
    fn outstanding(&self) -> Result<Vec<OutstandingOp>, BusError> {
        Ok(Vec::new())
    }
    fn close_all(&self) -> Result<(), BusError> {
        Ok(())
    }
    fn ready(&self) -> BoxFuture<'_, ()> {
        assert!(!self.panics, "no waiting room");
        // Says so whether or not anything is there.
        std::future::ready(()).boxed()
    }
}

/// Words of a user who has none, but is always about to say something.
struct Fidgety;

impl SteerSource for Fidgety {
    fn pull(&self) -> Result<Vec<String>, Box<dyn Error + Send + Sync>> {
        Ok(Vec::new())
    }
    fn ready(&self) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }
}

// On a runtime of one thread: a wait that never lets go of it could not even be cancelled.
#[tokio::test(start_paused = true)]
async fn a_source_that_is_always_ready_does_not_keep_the_thread() {
    let agent = agent_on([&backend([Step::text("Waiting.")])])
        .completion_bus(Arc::new(Bus::default()))
        .steer_source(Fidgety)
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "run-parked").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    run.cancel();
    let played = finish(run, events).await;
    assert_eq!(played.field("run-cancelled", "stage"), ["parked"]);
}

#[tokio::test(start_paused = true)]
async fn a_compactor_that_never_returns_does_not_survive_a_cancel() {
    struct Ponders;
    impl Compactor for Ponders {
        fn trigger(&self) -> u64 {
            1
        }
        fn context_budget(&self) -> u64 {
            10_000
        }
        fn needs_compaction(&self, _: &[Arc<Message>], _: u64) -> bool {
            true
        }
        fn compact<'a>(&'a self, _: CompactionRequest<'a>) -> BoxFuture<'a, Compacted> {
            std::future::pending().boxed()
        }
    }
    let transcript = Transcript::new();
    let agent = agent_on([&backend([])])
        .compactor(Ponders)
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "compaction-started").await;
    run.cancel();
    let played = finish(run, events).await;
    assert_eq!(played.field("run-cancelled", "stage"), ["compaction"]);
    check_contract(&played.events);
    check_resumable(&transcript, &played);
}

#[tokio::test(start_paused = true)]
async fn calls_under_one_id_or_none_are_each_answered_once() {
    let transcript = Transcript::new();
    let gate = Gate::new();
    let turn = ["c1", "c1", "", ""].map(|id| call(id, "read"));
    let again = ["c1", "c1", ""].map(|id| call(id, "task"));
    let agent = agent_on([&backend([Step::calls(turn), Step::calls(again)])])
        .provider(provider(&["read", "task"]).block_call("task", &gate))
        .concurrent_tools(["read"])
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let mut events = Vec::new();
    for _ in 0..5 {
        events.extend(read_until(&mut run, "tool-started").await);
    }
    run.cancel();
    gate.open();
    let played = finish(run, events).await;
    assert_eq!(played.count("tool-result"), 4);
    assert_eq!(
        played.field("tool-abandoned", "dispatched"),
        ["true", "false", "false"]
    );
    check_resumable(&transcript, &played);
}

#[tokio::test(start_paused = true)]
async fn a_result_of_many_megabytes_is_sent_as_an_excerpt() {
    let transcript = Transcript::new();
    let size = 8 << 20;
    let backend = backend([calls("c1", "read"), Step::text("Done.")]);
    let agent = agent_on([&backend])
        .provider(provider(&["read"]).with_result("read", "x".repeat(size)))
        .context_budget(100_000)
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.result.text(), "Done.");
    assert!(sent(&backend, 1)[2].1.len() < 17_000);
    let lines = std::fs::metadata(transcript.session.path()).unwrap();
    assert!(lines.len() < 40_000);
    let artifact = played.of("tool-result")[0].get("artifact").unwrap();
    assert_eq!(text_of(&artifact, "bytes"), size.to_string());
}

// The agent is not lost with it: it takes its next run on another runtime.
#[test]
fn a_run_whose_runtime_is_shut_down_has_ended() {
    let transcript = Transcript::new();
    let backend = backend([Step::stall(["Hel"]), Step::text("Hi")]);
    let agent = agent_on([&backend])
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let runtime = || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().build().unwrap()
    };
    let first = runtime();
    let mut run = first.block_on(async { agent.run(question()).unwrap() });
    let events = first.block_on(read_until(&mut run, "token"));
    let handle = run.handle();
    drop(first);
    assert!(handle.is_done() && handle.is_drained());
    let second = runtime();
    let played = second.block_on(finish(run, events));
    check_contract(&played.events);
    assert_eq!(
        played.error(),
        "the run died: its runtime was shut down before it had ended"
    );
    let messages: Vec<Message> = played
        .result
        .messages
        .iter()
        .map(|message| Message::clone(message))
        .collect();
    let played = second.block_on(play(&agent, messages));
    assert_eq!(played.result.text(), "Hi");

    // Nor does one that has not begun yet wait for ever.
    let third = runtime();
    let run = third.block_on(async { agent.run(played.result.messages.clone()).unwrap() });
    drop(third);
    assert!(run.handle().is_done() && run.handle().is_drained());
}
