//! 13.4: what holds for any script.

use std::sync::Arc;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use sess::Message;
use sess::backend::{ErrorClass, ScriptedBackend, Step};
use sess::tool::ToolAnswer;

use super::cancel::check_resumable;
use super::kit::*;

fn step() -> impl Strategy<Value = Step> {
    let text = prop_oneof![
        Just(Step::text("A word.")),
        Just(Step::chunks(["some", " more", " words"])),
        Just(Step::text("")),
    ];
    let names = prop_oneof![Just("task"), Just("read"), Just("")];
    let ids = prop_oneof![4 => "c[0-9]", 1 => Just(String::new())];
    let calls = vec((ids, names), 1..4).prop_map(|calls| {
        let calls = calls.iter().map(|(id, name)| call(id, name));
        Step::text("Working.").with_calls(calls)
    });
    let errors = prop_oneof![
        Just(Step::http(500, "oops")),
        Just(Step::http(429, "busy")),
        Just(Step::http(400, "maximum context length")),
        Just(Step::error(ErrorClass::Timeout, "late")),
        Just(Step::length("cut")),
        Just(Step::chunks(["half", "way"]).fail_after(1)),
        Just(Step::text("clipped").with_usage(billed(5, 256))),
        Just(Step::stall(["and then"])),
    ];
    prop_oneof![2 => text, 4 => calls, 3 => errors]
}

fn script() -> impl Strategy<Value = Vec<Step>> {
    vec(step(), 0..6)
}

/// When a run is cancelled.
#[derive(Clone, Copy, Debug)]
enum Cancel {
    Never,
    /// When this many events have been read.
    AtEvent(usize),
    /// This long after its start, whatever it is doing.
    After(Duration),
}

fn cancel() -> impl Strategy<Value = Cancel> {
    prop_oneof![
        Just(Cancel::Never),
        (0usize..40).prop_map(Cancel::AtEvent),
        (0u64..20_000).prop_map(|millis| Cancel::After(Duration::from_millis(millis))),
    ]
}

// 1, 2
async fn any_run(primary: Vec<Step>, fallback: Vec<Step>, slow: bool, cancel: Cancel) {
    let transcript = Transcript::new();
    let primary = Arc::new(ScriptedBackend::new(primary));
    let fallback = Arc::new(ScriptedBackend::new(fallback));
    let latency = if slow {
        Duration::from_secs(9)
    } else {
        Duration::ZERO
    };
    let agent = agent_on([&primary, &fallback])
        .provider(
            provider(&["task", "read"])
                .with_latency("read", latency)
                .with_result("task", ToolAnswer::new("t".repeat(200))),
        )
        .concurrent_tools(["task"])
        .tool_deadline(Duration::from_secs(5))
        .max_tool_calls(6)
        .max_retries(2)
        .counter(by_character())
        .compactor(Shrinker::new(100_000, 300))
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let messages = vec![
        Message::system("SY").with_sticky(),
        Message::user("x".repeat(250)),
        Message::user("Go."),
    ];
    let mut run = agent.run(messages).unwrap();
    let mut events = Vec::new();
    match cancel {
        Cancel::Never => {}
        Cancel::AtEvent(place) => {
            while events.len() < place
                && let Some(event) = run.next_event().await
            {
                events.push(event);
            }
            run.cancel();
        }
        Cancel::After(time) => {
            let handle = run.handle();
            tokio::spawn(async move {
                tokio::time::sleep(time).await;
                handle.cancel();
            });
        }
    }
    let played = finish(run, events).await;
    check_contract(&played.events);
    check_resumable(&transcript, &played);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_script_ends_once_and_leaves_a_whole_transcript(
        primary in script(),
        fallback in script(),
        slow in any::<bool>(),
        cancel in cancel(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(any_run(primary, fallback, slow, cancel));
    }
}
