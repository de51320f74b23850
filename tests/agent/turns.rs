//! 12.8: what is committed and what is taken back.

use sess::backend::{Step, Usage};

use super::kit::*;

// 87
#[tokio::test(start_paused = true)]
async fn every_committed_turn_names_its_line() {
    let transcript = Transcript::new();
    let backend = backend([calls("c1", "read"), Step::text("Done.")]);
    let agent = agent_on([&backend])
        .provider(provider(&["read"]))
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let played = ask(&agent).await;
    let lines = transcript.lines();
    let is_assistant = |line: &&sess::Json| {
        line.get("payload")
            .and_then(|payload| payload.get_str("role"))
            .as_deref()
            == Some("assistant")
    };
    let ids: Vec<String> = lines
        .iter()
        .filter(is_assistant)
        .map(|line| text_of(line, "id"))
        .collect();
    assert_eq!(played.field("turn-committed", "message-id"), ids);
    assert_eq!(ids.len(), 2);
    check_contract(&played.events);
}

// 88, 90
#[tokio::test(start_paused = true)]
async fn whatever_is_not_committed_is_discarded_once_and_with_its_reason() {
    let cases: [(Vec<Step>, Vec<&str>); 4] = [
        (vec![Step::text("Hi")], vec![]),
        (
            vec![
                Step::text("x").with_calls([call("c1", "read")]),
                Step::text("Hi"),
            ],
            vec!["limit"],
        ),
        (
            vec![Step::chunks(["x"]).fail_after(1), Step::http(401, "no")],
            vec!["failed"],
        ),
        (
            vec![
                Step::http(500, "x"),
                Step::http(500, "x"),
                Step::http(500, "x"),
                Step::text("Hi"),
            ],
            vec!["failed"],
        ),
    ];
    for (script, expected) in cases {
        let agent = agent_on([&backend(script)])
            .provider(provider(&["read"]))
            .max_tool_rounds(0)
            .build()
            .unwrap();
        let played = ask(&agent).await;
        assert_eq!(played.field("turn-discarded", "reason"), expected);
        check_contract(&played.events);
    }
}

// 89
#[tokio::test(start_paused = true)]
async fn a_cancel_while_tools_run_discards_nothing() {
    let gate = sess::tool::Gate::new();
    let backend = backend([calls("c1", "read")]);
    let agent = agent_on([&backend])
        .provider(provider(&["read"]).block_call("read", &gate))
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "tool-started").await;
    run.cancel();
    gate.open();
    let played = finish(run, events).await;
    assert_eq!(
        (
            played.count("turn-discarded"),
            played.count("turn-committed")
        ),
        (0, 1)
    );
}

// 92
#[tokio::test(start_paused = true)]
async fn cached_tokens_are_told_only_when_reported() {
    let cached = Usage {
        cached_prompt_tokens: Some(7),
        ..billed(10, 1)
    };
    let backend = backend([
        calls("c1", "read").with_usage(cached),
        Step::text("Done.").with_usage(billed(11, 1)),
    ]);
    let agent = agent_on([&backend])
        .provider(provider(&["read"]))
        .build()
        .unwrap();
    let usage = ask(&agent).await.field("attempt-succeeded", "usage");
    assert_eq!(
        usage[0],
        r#"{"cached-prompt-tokens":7,"completion-tokens":1,"prompt-tokens":10}"#
    );
    assert_eq!(usage[1], r#"{"completion-tokens":1,"prompt-tokens":11}"#);
}

// 144
#[tokio::test(start_paused = true)]
async fn what_stands_beside_a_turn_is_recorded_and_never_sent_again() {
    let transcript = Transcript::new();
    let turn = Step::text("Hi")
        .with_usage(billed(5, 1))
        .with_reasoning("Hm.");
    let agent = agent_on([&backend([turn])])
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.field("assistant-message", "reasoning"), ["Hm."]);
    let line = &transcript.of("message")[1];
    assert_eq!(
        line.text(),
        r#"{"content":"Hi","finish-reason":"stop","reasoning":"Hm.","role":"assistant","usage":{"completion-tokens":1,"prompt-tokens":5}}"#
    );
    assert_eq!(
        transcript.reload().messages()[1].as_ref(),
        &sess::Message::assistant("Hi")
    );
}
