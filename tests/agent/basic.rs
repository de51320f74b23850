//! 12.4: one question, one answer, and what surrounds them.

use std::sync::{Arc, Mutex};

use sess::agent::{Agent, AgentBuilder, Outcome, RunError};
use sess::backend::Step;
use sess::context::{RequestBudget, RunContext, TokenCounter, UsageReport};
use sess::{Message, Role};

use super::kit::*;

// 26, 27, 33, 34
#[tokio::test(start_paused = true)]
async fn a_plain_turn_is_told_from_start_to_end() {
    let backend = backend([Step::chunks(["Hel", "lo."])]);
    let agent = agent_on([&backend]).build().unwrap();
    let played = ask(&agent).await;
    let expected = [
        "run-started",
        "round-started",
        "attempt-started",
        "token",
        "token",
        "attempt-succeeded",
        "assistant-message",
        "turn-committed",
        "run-completed",
    ];
    assert_eq!(played.kinds(), expected);
    check_contract(&played.events);
    assert_eq!(played.tokens(), "Hello.");
    let success = &played.of("attempt-succeeded")[0];
    assert_eq!(text_of(success, "finish-reason"), "stop");
    assert_eq!(text_of(success, "latency-ms"), "0");
    assert_eq!(text_of(success, "usage"), "{}");
    assert_eq!(played.field("assistant-message", "reasoning"), ["-"]);
    let expected = Outcome::Completed {
        text: "Hello.".into(),
    };
    assert_eq!(played.result.outcome, expected);
    assert_eq!(
        played.messages(),
        [(Role::User, "Go."), (Role::Assistant, "Hello.")]
    );
    assert_eq!(
        played.result.to_json().text(),
        r#"{"attempts":[],"error":null,"final":"Hello.","outcome":"completed","reason":null}"#
    );
}

// 28
#[tokio::test(start_paused = true)]
async fn reported_usage_reaches_the_counter_with_the_request_it_is_for() {
    #[derive(Default)]
    struct Recorder(Mutex<Vec<Reported>>);
    type Reported = (u64, Option<u64>, usize, String);
    impl TokenCounter for Recorder {
        fn count_messages(&self, _: &[Arc<Message>]) -> u64 {
            0
        }
        fn record_usage(&self, report: &UsageReport<'_>) {
            let count = report.messages.len();
            self.0.lock().unwrap().push((
                report.prompt_tokens,
                report.completion_tokens,
                count,
                report.model.into(),
            ));
        }
    }
    let counter = Arc::new(Recorder::default());
    let backend = backend([Step::text("Hi").with_usage(billed(12, 3))]);
    let agent = agent_on([&backend])
        .counter(counter.clone())
        .build()
        .unwrap();
    let played = ask(&agent).await;
    let expected = [(12, Some(3), 1, "scripted-model".to_owned())];
    assert_eq!(*counter.0.lock().unwrap(), expected);
    assert_eq!(
        played.field("attempt-succeeded", "usage"),
        [r#"{"completion-tokens":3,"prompt-tokens":12}"#]
    );
}

// 29
#[tokio::test(start_paused = true)]
async fn without_a_provider_calls_the_model_makes_up_are_ignored() {
    let backend = backend([Step::text("Hi").with_calls([call("c1", "read")])]);
    let agent = agent_on([&backend]).build().unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.result.text(), "Hi");
    assert!(backend.calls()[0].tools.is_empty());
    assert!(played.result.messages[1].tool_calls.is_empty());
    assert_eq!(played.count("tool-call"), 0);
}

// 30, 79
#[tokio::test(start_paused = true)]
async fn one_run_at_a_time() {
    let backend = backend([Step::stall(["x"]), Step::text("two"), Step::text("three")]);
    let agent = agent_on([&backend]).build().unwrap();
    let first = agent.run(question()).unwrap();
    let refused = agent.run(question()).err();
    assert_eq!(
        refused,
        Some(RunError::InFlight {
            run_id: first.id().clone()
        })
    );
    assert_eq!(
        agent.live_run().map(|run| run.id().clone()),
        Some(first.id().clone())
    );
    first.cancel();
    first.drained().await;
    assert!(agent.live_run().is_none());
    let second = agent.run(question()).unwrap();
    assert_ne!(second.id(), first.id());
    let third = agent.run_when_drained(question(), None).await.unwrap();
    assert!(second.handle().is_drained());
    assert_eq!(third.result().await.text(), "three");
}

#[tokio::test]
async fn an_empty_conversation_is_refused() {
    let agent = agent_on([&backend([])]).build().unwrap();
    let refused = agent.run(Vec::<Message>::new()).err();
    assert_eq!(refused, Some(RunError::NothingToSend));
    assert!(agent.live_run().is_none());
}

#[test]
fn a_run_needs_a_runtime() {
    let agent = agent_on([&backend([])]).build().unwrap();
    assert_eq!(agent.run(question()).err(), Some(RunError::NoRuntime));
}

// 31
#[tokio::test(start_paused = true)]
async fn a_counter_that_panics_fails_the_run_and_keeps_its_words() {
    struct Broken;
    impl TokenCounter for Broken {
        fn count_messages(&self, _: &[Arc<Message>]) -> u64 {
            panic!("cannot count\nat all")
        }
    }
    let agent = agent_on([&backend([])])
        .context_budget(100)
        .counter(Arc::new(Broken))
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.error(), "the run died: cannot count");
    assert_eq!(played.kinds(), ["run-started", "run-failed"]);
    assert_eq!(played.messages(), [(Role::User, "Go.")]);
}

// 32, 157
#[tokio::test(start_paused = true)]
async fn tokens_and_spending_are_told_where_anything_limits_them() {
    type Limited = fn(AgentBuilder) -> AgentBuilder;
    let cases: [(Limited, &str); 4] = [
        (|builder| builder, "-"),
        (|builder| builder.context_budget(10_000), "9"),
        (
            |builder| builder.compactor(Shrinker::new(10_000, 5_000)),
            "9",
        ),
        (
            |builder| builder.request_budget(RequestBudget::default()),
            "9",
        ),
    ];
    for (limit, expected) in cases {
        let agent = limit(agent_on([&backend([Step::text("Hi")])]))
            .build()
            .unwrap();
        let played = ask(&agent).await;
        assert_eq!(played.field("round-started", "tokens"), [expected]);
        assert_eq!(played.result.spent.is_some(), expected != "-");
    }
}

// 37, 39
#[tokio::test(start_paused = true)]
async fn a_run_context_is_part_of_the_request_and_of_nothing_else() {
    let transcript = Transcript::new();
    let backend = backend([Step::text("Hi"), Step::text("Again")]);
    let agent = agent_on([&backend])
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let context = RunContext::default()
        .head("rules", "Be brief.")
        .unwrap()
        .fact("Day", "Monday")
        .unwrap();
    let digest = context.digest();
    let run = agent.run_with_context(question(), context.clone()).unwrap();
    let played = finish(run, Vec::new()).await;
    let tail = context.tail_text().unwrap().to_owned();
    let expected = [
        (Role::System, "Be brief.".to_owned()),
        (Role::User, "Go.".to_owned()),
        (Role::System, tail),
    ];
    assert_eq!(sent(&backend, 0), expected);
    assert_eq!(
        played.messages(),
        [(Role::User, "Go."), (Role::Assistant, "Hi")]
    );
    assert_eq!(played.field("run-started", "message-count"), ["1"]);
    assert_eq!(
        played.field("run-started", "context-digest"),
        [digest.as_str()]
    );
    let lines = transcript.of("run-context");
    assert_eq!(
        lines
            .iter()
            .map(|line| text_of(line, "digest"))
            .collect::<Vec<_>>(),
        [digest]
    );
    let expected = [
        "session-meta",
        "message(user)",
        "run-context",
        "message(assistant)",
    ];
    assert_eq!(transcript.types(), expected);

    // 39: an empty context adds nothing, and is recorded all the same.
    let run = agent
        .run_with_context(transcript.session.messages(), RunContext::default())
        .unwrap();
    let played = finish(run, Vec::new()).await;
    assert_eq!(sent(&backend, 1).len(), 2);
    assert_ne!(played.field("run-started", "context-digest"), ["-"]);
    assert_eq!(transcript.of("run-context").len(), 2);
}

// 38, 180
#[tokio::test(start_paused = true)]
async fn a_second_run_carries_its_own_context_only() {
    let transcript = Transcript::new();
    let backend = backend([Step::text("Hi"), Step::text("Again")]);
    let agent = agent_on([&backend])
        .session(transcript.session.clone())
        .build()
        .unwrap();
    for day in ["Monday", "Tuesday"] {
        let context = RunContext::default()
            .fact("Day", day)
            .unwrap()
            .head("rules", "Be brief.")
            .unwrap();
        let mut messages: Vec<Arc<Message>> = transcript.session.messages();
        messages.push(Arc::new(Message::user("Go.")));
        let run = agent.run_with_context(messages, context).unwrap();
        finish(run, Vec::new()).await;
    }
    let last = sent(&backend, 1);
    let has = |text: &str| last.iter().any(|(_, content)| content.contains(text));
    assert!(has("Tuesday") && !has("Monday"));
    let contexts = transcript.session.run_contexts();
    assert_eq!(contexts.len(), 2);
    let pointer = contexts[1].sections[0]
        .rendered_in
        .as_ref()
        .and_then(|id| id.as_str().map(|id| id.into_owned()));
    assert_eq!(pointer.as_deref(), Some(contexts[0].id.as_str()));
}

// 35
#[tokio::test(start_paused = true)]
async fn session_and_compactor_are_independent_of_each_other() {
    for (with_session, with_compactor) in
        [(false, false), (false, true), (true, false), (true, true)]
    {
        let transcript = Transcript::new();
        let mut builder: AgentBuilder =
            agent_on([&backend([Step::text("Hi")])]).counter(by_character());
        if with_session {
            builder = builder.session(transcript.session.clone());
        }
        if with_compactor {
            builder = builder.compactor(Shrinker::new(1_000, 100));
        }
        let long = vec![
            Message::system("SY").with_sysprompt(),
            Message::user("x".repeat(200)),
            Message::user("Go."),
        ];
        let played = play(&builder.build().unwrap(), long).await;
        assert_eq!(played.result.text(), "Hi");
        assert_eq!(played.count("compaction-done"), usize::from(with_compactor));
        if with_session {
            assert_eq!(transcript.reload().messages(), played.result.messages);
        }
    }
}

#[tokio::test]
async fn an_agent_says_what_it_was_built_of() {
    let agent = Agent::builder()
        .shared_backend(backend([]))
        .context_budget(500)
        .build()
        .unwrap();
    let config = agent.config();
    assert_eq!(config.context_budget, Some(500));
    let window = config
        .profile_for("any")
        .map(|profile| (profile.context_window, profile.input_safety_margin));
    assert_eq!(window, Some((500, 0)));
    assert_eq!(config.limits.identical_calls, 30);
}
