//! What models, tools and users bring about in a program that embeds the loop, in bulk.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sess::agent::{Outcome, SteerQueue};
use sess::backend::{ErrorClass, Step};
use sess::tool::{Gate, Tools};
use sess::{Json, Role};

use super::cancel::check_resumable;
use super::kit::*;

/// What a backend may do, with the only text it may end a run with.
fn behaviours() -> Vec<(Step, &'static str)> {
    let late = "Late.";
    vec![
        (Step::text("Good."), "Good."),
        (Step::http(500, "no"), late),
        (Step::http(429, "slow down"), late),
        (Step::http(400, "maximum context length"), late),
        (Step::http(401, "who?"), late),
        (Step::error(ErrorClass::Connection, "refused"), late),
        (Step::error(ErrorClass::Unknown, ""), late),
        (Step::length("Half an"), late),
        (Step::stall(["Half an"]), late),
        (Step::text("Half an").fail_after(1), late),
    ]
}

#[tokio::test(start_paused = true)]
async fn any_three_backends_give_a_whole_answer_or_a_reason() {
    for (first, of_first) in behaviours() {
        for (second, of_second) in behaviours() {
            for (third, of_third) in behaviours() {
                let chain = [&first, &second, &third]
                    .map(|step| backend([step.clone(), Step::text("Late.")]));
                let agent = agent_on([&chain[0], &chain[1], &chain[2]])
                    .max_retries(2)
                    .round_trip_timeout(Duration::from_secs(2))
                    .build()
                    .unwrap();
                let played = ask(&agent).await;
                check_contract(&played.events);
                match &played.result.outcome {
                    Outcome::Completed { text } => {
                        assert!([of_first, of_second, of_third].contains(&text.as_str()));
                    }
                    Outcome::Failed { attempts, .. } => {
                        assert_eq!(attempts.len(), played.count("attempt-failed"));
                        assert!(attempts.iter().all(|attempt| !attempt.error.is_empty()));
                    }
                    Outcome::Cancelled { .. } => panic!("nobody cancelled"),
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn words_said_while_tools_run_all_arrive_between_the_rounds() {
    let transcript = Transcript::new();
    let queue = SteerQueue::default();
    let count = Arc::new(AtomicUsize::new(0));
    let (said, next) = (queue.clone(), Arc::clone(&count));
    let talk = move |_: Json| {
        let (said, next) = (said.clone(), Arc::clone(&next));
        async move {
            for _ in 0..20 {
                said.push(next.fetch_add(1, Ordering::SeqCst).to_string());
                tokio::task::yield_now().await;
            }
            "said"
        }
    };
    let turn = |round: &str| {
        Step::calls(["a", "b", "c", "d"].map(|id| call(&format!("{round}{id}"), "talk")))
    };
    let agent = agent_on([&backend([turn("1"), turn("2"), Step::text("Done.")])])
        .provider(
            Tools::new()
                .with("talk", "Talks.", Json::empty_object(), talk)
                .concurrent(),
        )
        .concurrent_tools(["talk"])
        .steer_source(queue)
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.result.text(), "Done.");
    let messages = played.messages().into_iter();
    let heard = messages.filter(|(role, text)| *role == Role::User && *text != "Go.");
    let heard: Vec<usize> = heard.map(|(_, text)| text.parse().unwrap()).collect();
    assert_eq!(heard, (0..160).collect::<Vec<_>>());
    check_resumable(&transcript, &played);
}

/// Calls as no model should write them.
fn strange_calls() -> Vec<Json> {
    let written = [
        "{}",
        "[]",
        "7",
        "null",
        r#""read""#,
        r#"{"id":7,"function":{"name":{},"arguments":[1]}}"#,
        r#"{"id":"x","function":"read"}"#,
        r#"{"id":"x","function":{"name":"read","arguments":"{\"a\":"}}"#,
        r#"{"id":"x","function":{"name":"read","arguments":"[1]"}}"#,
        r#"{"id":"x","function":{"name":"read","arguments":{"a":1e999}}}"#,
        r#"{"id":"\ud83d","function":{"name":"\ud83d","arguments":"\ud83d"}}"#,
        r#"{"id":"","function":{"name":"","arguments":""}}"#,
        r#"{"id":"y","id":"z","function":{"name":"read","name":"none","arguments":"{}"}}"#,
    ];
    let mut calls: Vec<Json> = written.map(|call| Json::parse(call).unwrap()).to_vec();
    calls.extend([
        call("x", "none"),
        call("x", "read"),
        call("\u{1b}[31m", "\u{1b}[2J"),
        call_with("x", "read", &"[".repeat(100_000)),
        call_with("x", "read", r#"{"a":1,"a":2}"#),
    ]);
    calls
}

#[tokio::test(start_paused = true)]
async fn calls_of_any_shape_are_each_answered_once() {
    let mut turns: Vec<Vec<Json>> = strange_calls()
        .into_iter()
        .map(|call| vec![call.clone(), call])
        .collect();
    turns.push(strange_calls());
    for turn in turns {
        for grouped in [&[][..], &["*"]] {
            let transcript = Transcript::new();
            let read = |_: Json| async { "read" };
            let tools = Tools::new().with("read", "Reads.", Json::empty_object(), read);
            let agent = agent_on([&backend([Step::calls(turn.clone()), Step::text("Done.")])])
                .provider(tools)
                .concurrent_tools(grouped.iter().copied())
                .session(transcript.session.clone())
                .build()
                .unwrap();
            let played = ask(&agent).await;
            assert_eq!(played.result.text(), "Done.", "{turn:?}");
            assert_eq!(played.count("tool-result"), turn.len(), "{turn:?}");
            check_contract(&played.events);
            check_resumable(&transcript, &played);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_everybody_has_dropped_is_played_and_recorded_to_its_end() {
    let transcript = Transcript::new();
    let gate = Gate::new();
    let agent = agent_on([&backend([calls("c1", "read"), Step::text("Done.")])])
        .provider(provider(&["read"]).block_on(&gate))
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    read_until(&mut run, "tool-started").await;
    let handle = run.handle();
    drop((run, agent));
    gate.open();
    handle.drained().await;
    let result = handle.result_now().unwrap();
    assert_eq!(result.text(), "Done.");
    assert_eq!(transcript.reload().messages(), result.messages);
}
