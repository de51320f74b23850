//! 12.10: neighbouring calls that run together.

use std::time::Duration;

use sess::agent::AgentBuilder;
use sess::backend::Step;
use sess::session::Outcome;
use sess::tool::{Gate, ScriptedProvider, ToolAnswer};

use super::cancel::check_resumable;
use super::kit::*;

fn turn(names: &[&str]) -> Step {
    Step::calls(
        names
            .iter()
            .enumerate()
            .map(|(index, name)| call(&format!("c{}", index + 1), name)),
    )
}

fn tools() -> ScriptedProvider {
    provider(&["task", "read"])
        .with_responder(|call| Ok(ToolAnswer::new(format!("answer to {}", call.id))))
}

fn tool_story(played: &Played) -> Vec<String> {
    let kinds = ["tool-started", "tool-result", "tool-abandoned"];
    let events = played
        .events
        .iter()
        .filter(|event| kinds.contains(&event.kind()));
    let short = |kind: &str| kind.trim_start_matches("tool-").to_owned();
    events
        .map(|event| {
            format!(
                "{} {}",
                short(event.kind()),
                text_of(&event.body.payload(), "id")
            )
        })
        .collect()
}

fn batch_sizes(tools: &ScriptedProvider) -> Vec<usize> {
    tools.batches().iter().map(Vec::len).collect()
}

async fn run_turn(
    names: &[&str],
    patterns: &[&str],
    transcript: &Transcript,
) -> (Played, ScriptedProvider) {
    let tools = tools();
    let agent = agent_on([&backend([turn(names), Step::text("Done.")])])
        .provider(tools.clone())
        .concurrent_tools(patterns.iter().copied())
        .session(transcript.session.clone())
        .build()
        .unwrap();
    (ask(&agent).await, tools)
}

// 108, 110
#[tokio::test(start_paused = true)]
async fn without_a_match_every_call_is_on_its_own() {
    let interleaved = ["started c1", "result c1", "started c2", "result c2"];
    for patterns in [&[][..], &["other"], &["other*"]] {
        let (played, tools) = run_turn(&["task", "task"], patterns, &Transcript::new()).await;
        assert_eq!(batch_sizes(&tools), [1, 1]);
        assert_eq!(tool_story(&played), interleaved);
    }
    let (alone, plain) = (Transcript::new(), Transcript::new());
    let (opted, _) = run_turn(&["task"], &["task"], &alone).await;
    let (not, _) = run_turn(&["task"], &[], &plain).await;
    assert_eq!((opted.kinds(), alone.types()), (not.kinds(), plain.types()));
}

// 109
#[tokio::test(start_paused = true)]
async fn a_group_starts_whole_and_is_settled_in_order() {
    let transcript = Transcript::new();
    let (played, tools) = run_turn(&["task", "task", "task"], &["task"], &transcript).await;
    assert_eq!(batch_sizes(&tools), [3]);
    let expected = [
        "started c1",
        "started c2",
        "started c3",
        "result c1",
        "result c2",
        "result c3",
    ];
    assert_eq!(tool_story(&played), expected);
    assert_eq!(
        played.field("tool-result", "content"),
        ["answer to c1", "answer to c2", "answer to c3"]
    );
    let types = transcript.types();
    let d = "tool-dispatched";
    let (m, s) = ("message(tool)", "tool-settled");
    assert_eq!(types[3..12], [d, d, d, m, s, m, s, m, s]);
    check_resumable(&transcript, &played);
}

// 111, 112
#[tokio::test(start_paused = true)]
async fn only_neighbours_share_a_group() {
    let (played, tools) = run_turn(
        &["task", "task", "read", "task"],
        &["ta*"],
        &Transcript::new(),
    )
    .await;
    assert_eq!(batch_sizes(&tools), [2, 1, 1]);
    let contents = played.field("tool-result", "content");
    assert_eq!(
        contents,
        [
            "answer to c1",
            "answer to c2",
            "answer to c3",
            "answer to c4"
        ]
    );
}

fn gated(names: &[&str], gate: &Gate, transcript: &Transcript) -> AgentBuilder {
    agent_on([&backend([turn(names), Step::text("Done.")])])
        .provider(tools().block_on(gate))
        .concurrent_tools(["task"])
        .session(transcript.session.clone())
}

// 113
#[tokio::test(start_paused = true)]
async fn a_cancel_leaves_the_whole_group_unknown_and_the_rest_undone() {
    let (transcript, gate) = (Transcript::new(), Gate::new());
    let agent = gated(&["task", "task", "read"], &gate, &transcript)
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "tool-started").await;
    run.cancel();
    run.result().await;
    gate.open();
    let played = finish(run, events).await;
    assert_eq!(
        played.field("tool-abandoned", "dispatched"),
        ["true", "true", "false"]
    );
    let outcomes: Vec<String> = transcript
        .of("tool-settled")
        .iter()
        .map(|line| text_of(line, "outcome"))
        .collect();
    assert_eq!(outcomes, ["outcome-unknown", "outcome-unknown"]);
    check_resumable(&transcript, &played);
}

// 114, 115
#[tokio::test(start_paused = true)]
async fn a_deadline_abandons_the_group_and_what_waits_behind_it() {
    for (names, dispatched) in [
        (["task", "task", "task"], ["true", "true", "true"]),
        (["read", "read", "read"], ["true", "false", "false"]),
    ] {
        let (transcript, gate) = (Transcript::new(), Gate::new());
        let agent = gated(&names, &gate, &transcript)
            .tool_deadline(Duration::from_millis(50))
            .build()
            .unwrap();
        let mut run = agent.run(question()).unwrap();
        let events = read_until(&mut run, "run-completed").await;
        gate.open();
        let played = finish(run, events).await;
        assert_eq!(played.field("tool-abandoned", "dispatched"), dispatched);
        assert_eq!(played.field("tool-abandoned", "reason"), ["deadline"; 3]);
        if dispatched[1] == "false" {
            let content = played.messages()[3].1;
            assert!(
                content.contains("not dispatched") && content.contains("did not run"),
                "{content}"
            );
        }
        assert_eq!(played.field("round-started", "round"), ["1", "2"]);
        check_resumable(&transcript, &played);
    }
}

// 116
#[tokio::test(start_paused = true)]
async fn a_group_that_is_out_is_pending_in_the_transcript() {
    let (transcript, gate) = (Transcript::new(), Gate::new());
    let agent = gated(&["task", "task", "task"], &gate, &transcript)
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "tool-started").await;
    let copy = transcript.folder.path().join("crashed.jsonl");
    std::fs::copy(transcript.session.path(), &copy).unwrap();
    gate.open();
    finish(run, events).await;
    let crashed = sess::Session::load(&copy).unwrap();
    let pending = crashed.pending_tool_operations();
    let ids: Vec<&str> = pending
        .iter()
        .map(|operation| operation.call_id.as_str())
        .collect();
    assert_eq!(ids, ["c1", "c2", "c3"]);
    for operation in pending {
        crashed
            .resolve_tool_operation(
                operation.op_id,
                Outcome::OutcomeUnknown,
                Some("crash-repair"),
            )
            .unwrap();
    }
    assert_eq!(crashed.pending_tool_operations(), []);
}

// 117
#[tokio::test(start_paused = true)]
async fn a_question_stops_the_clock_for_the_whole_group() {
    let gate = Gate::new();
    let hooks = sess::agent::AgentHooks::default();
    let agent = agent_on([&backend([turn(&["read", "read"]), Step::text("Done.")])])
        .provider(super::hooks::Asking {
            hooks: hooks.clone(),
            gate: gate.clone(),
        })
        .hooks(hooks)
        .concurrent_tools(["read"])
        .tool_deadline(Duration::from_millis(50))
        .build()
        .unwrap();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(5)).await;
        gate.open();
    });
    let played = ask(&agent).await;
    assert_eq!(
        (played.count("tool-result"), played.count("tool-abandoned")),
        (2, 0)
    );
}
