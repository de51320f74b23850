//! 12.5: tools, and the limits on them.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sess::agent::wording::LIMIT_NOTICE;
use sess::backend::Step;
use sess::tool::{ScriptedGrants, ToolAnswer, ToolError, ToolProvider};
use sess::{Json, Role};

use super::kit::*;

/// A provider that answers every batch in the same way.
struct Fixed(Result<Vec<Option<ToolAnswer>>, ToolError>);

impl ToolProvider for Fixed {
    fn declarations(&self) -> Result<Vec<Json>, ToolError> {
        provider(&["read"]).declarations()
    }

    fn execute(
        &self,
        _: Vec<Json>,
    ) -> BoxFuture<'static, Result<Vec<Option<ToolAnswer>>, ToolError>> {
        let answer = self.0.clone();
        async move { answer }.boxed()
    }
}

// 42
#[tokio::test(start_paused = true)]
async fn a_tool_round_is_told_from_start_to_end() {
    let arguments = r#"{"path": "a"}"#;
    let backend = backend([
        Step::chunks(["Let me", " see."]).with_calls([call_with("c1", "read", arguments)]),
        Step::text("Done."),
    ]);
    let tools = provider(&["read"]);
    let agent = agent_on([&backend])
        .provider(tools.clone())
        .build()
        .unwrap();
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
        "tool-call",
        "tool-started",
        "tool-result",
        "round-started",
        "attempt-started",
        "token",
        "attempt-succeeded",
        "assistant-message",
        "turn-committed",
        "run-completed",
    ];
    assert_eq!(played.kinds(), expected);
    check_contract(&played.events);
    assert_eq!(played.field("tool-call", "arguments"), [arguments]);
    assert_eq!(tools.calls(), [call_with("c1", "read", arguments)]);
    assert_eq!(
        played.roles(),
        [Role::User, Role::Assistant, Role::Tool, Role::Assistant]
    );
    assert_eq!(
        played.result.messages[2].tool_call_id.as_deref(),
        Some("c1")
    );
    assert_eq!(sent(&backend, 1).len(), 3);
    assert_eq!(backend.calls()[1].tools, tools.declarations().unwrap());
}

// 43
#[tokio::test(start_paused = true)]
async fn the_catalogue_is_read_once_a_run() {
    let backend = backend([
        calls("c1", "read"),
        calls("c2", "read"),
        Step::text("Done."),
    ]);
    let tools = provider(&["read"]);
    let agent = agent_on([&backend])
        .provider(tools.clone())
        .build()
        .unwrap();
    ask(&agent).await;
    assert_eq!(tools.catalogue_reads(), 1);
    assert_eq!(backend.calls().len(), 3);
}

// 44
#[tokio::test(start_paused = true)]
async fn a_provider_that_fails_answers_every_call_with_an_error() {
    let backend = backend([
        Step::calls([call("c1", "read"), call("c2", "read")]),
        Step::text("Done."),
    ]);
    let failing = Fixed(Err(ToolError::new("server gone\nstack")));
    let agent = agent_on([&backend]).provider(failing).build().unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.result.text(), "Done.");
    assert_eq!(played.field("tool-result", "is-error"), ["true", "true"]);
    for content in played.field("tool-result", "content") {
        assert!(
            content.contains("server gone") && !content.contains("stack"),
            "{content}"
        );
    }
}

// 44, for a provider that panics
#[tokio::test(start_paused = true)]
async fn a_provider_that_panics_answers_with_an_error_too() {
    struct Panics;
    impl ToolProvider for Panics {
        fn declarations(&self) -> Result<Vec<Json>, ToolError> {
            provider(&["read"]).declarations()
        }
        fn execute(
            &self,
            _: Vec<Json>,
        ) -> BoxFuture<'static, Result<Vec<Option<ToolAnswer>>, ToolError>> {
            panic!("out of cheese")
        }
    }
    let backend = backend([calls("c1", "read"), Step::text("Done.")]);
    let agent = agent_on([&backend]).provider(Panics).build().unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.result.text(), "Done.");
    assert!(played.field("tool-result", "content")[0].contains("out of cheese"));
}

// 45
#[tokio::test(start_paused = true)]
async fn a_call_left_unanswered_is_told_so_under_its_id() {
    let backend = backend([
        Step::calls([call("c1", "read"), call("c2", "read")]),
        Step::text("Done."),
    ]);
    let agent = agent_on([&backend])
        .provider(Fixed(Ok(vec![])))
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.field("tool-result", "id"), ["c1", "c2"]);
    for content in played.field("tool-result", "content") {
        assert!(content.contains("unanswered"), "{content}");
    }
}

// 46
#[tokio::test(start_paused = true)]
async fn identical_calls_are_refused_beyond_their_limit() {
    let backend = backend([
        calls("c1", "read"),
        calls("c2", "read"),
        calls("c3", "read"),
        Step::text("Done."),
    ]);
    let tools = provider(&["read"]);
    let agent = agent_on([&backend])
        .provider(tools.clone())
        .max_identical_calls(2)
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(tools.calls().len(), 2);
    assert_eq!(
        played.of("limit-reached")[0].text(),
        r#"{"limit":"identical-calls","count":3,"max":2}"#
    );
    let notice = sent(&backend, 3).pop();
    assert_eq!(notice, Some((Role::System, LIMIT_NOTICE.to_owned())));
    assert!(backend.calls()[3].tools.is_empty());
    assert_eq!(played.result.text(), "Done.");
}

// 47, 48, 55, 56
#[tokio::test(start_paused = true)]
async fn repetitions_within_a_turn_count_before_any_of_it_runs() {
    let same = |count: usize, name: &str| vec![call_with("c", name, r#"{"a":1,"b":2}"#); count];
    let spaced = vec![
        call_with("c1", "read", r#"{"a":1,"b":2}"#),
        call_with("c2", "read", r#" {"b": 2, "a": 1}"#),
    ];
    let different = vec![
        call_with("c1", "read", r#"{"a":1}"#),
        call_with("c2", "read", r#"{"a":2}"#),
    ];
    let mixed = [same(5, "task_wait"), same(3, "read")].concat();
    for (turn, limit, exempt, expected) in [
        (same(3, "read"), 2, "-", Some("3")),
        (spaced, 1, "-", Some("2")),
        (different, 1, "-", None),
        (same(31, "read"), 30, "-", Some("31")),
        (same(40, "task_wait"), 30, "task_wait", None),
        (same(40, "task_wait"), 30, "task_*", None),
        (same(40, "task_wait"), 30, "-", Some("31")),
        (mixed, 2, "task_wait", Some("3")),
    ] {
        let count = turn.len();
        let backend = backend([Step::calls(turn), Step::text("Done.")]);
        let tools = provider(&["read", "task_wait"]);
        let agent = agent_on([&backend])
            .provider(tools.clone())
            .max_identical_calls(limit)
            .identical_call_exempt([exempt])
            .build()
            .unwrap();
        let played = ask(&agent).await;
        let reached = played.field("limit-reached", "count");
        assert_eq!(reached.first().map(String::as_str), expected);
        let executed = if expected.is_some() { 0 } else { count };
        assert_eq!(tools.calls().len(), executed, "all or nothing");
    }
}

// 49
#[tokio::test(start_paused = true)]
async fn an_answer_under_a_foreign_id_is_kept_under_the_models() {
    let foreign = ToolAnswer {
        tool_call_id: Some("mine".into()),
        ..ToolAnswer::new("fine")
    };
    let backend = backend([calls("c1", "read"), Step::text("Done.")]);
    let agent = agent_on([&backend])
        .provider(Fixed(Ok(vec![Some(foreign)])))
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.field("tool-result", "id"), ["c1"]);
    assert_eq!(played.field("tool-result", "content"), ["fine"]);
    let warning = played.of("log")[0].get("data").unwrap();
    assert_eq!(
        (
            text_of(&warning, "call-id"),
            text_of(&warning, "provider-id")
        ),
        ("c1".into(), "mine".into())
    );
    assert_eq!(played.count("log"), 1);
}

// 50, 91, 124 without the steer
#[tokio::test(start_paused = true)]
async fn a_turn_beyond_the_limit_is_dropped_whole() {
    let transcript = Transcript::new();
    let backend = backend([
        Step::text("I will.").with_calls([call("c1", "read")]),
        Step::text("Done."),
    ]);
    let tools = provider(&["read"]);
    let agent = agent_on([&backend])
        .provider(tools.clone())
        .session(transcript.session.clone())
        .max_tool_rounds(0)
        .build()
        .unwrap();
    let played = ask(&agent).await;
    let expected = [
        "run-started",
        "round-started",
        "attempt-started",
        "token",
        "attempt-succeeded",
        "limit-reached",
        "turn-discarded",
        "round-started",
        "attempt-started",
        "token",
        "attempt-succeeded",
        "assistant-message",
        "turn-committed",
        "run-completed",
    ];
    assert_eq!(played.kinds(), expected);
    check_contract(&played.events);
    assert_eq!(played.field("turn-discarded", "reason"), ["limit"]);
    assert!(tools.calls().is_empty());
    let expected = [
        "session-meta",
        "message(user)",
        "message(system)",
        "message(assistant)",
    ];
    assert_eq!(transcript.types(), expected);
}

// 51
#[tokio::test(start_paused = true)]
async fn the_limit_on_calls_counts_the_turn_that_asks() {
    let turn = Step::calls([call("c1", "read"), call_with("c2", "read", "[]")]);
    let backend = backend([turn, calls("c3", "read"), Step::text("Done.")]);
    let tools = provider(&["read"]);
    let agent = agent_on([&backend])
        .provider(tools.clone())
        .max_tool_calls(2)
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.field("limit-reached", "count"), ["3"]);
    assert_eq!(tools.calls().len(), 2);
}

// 52, 54
#[tokio::test(start_paused = true)]
async fn errors_and_malformed_calls_are_answered_like_any_other() {
    let malformed = Json::parse(r#"{"id":"c2","type":"function"}"#).unwrap();
    let backend = backend([
        Step::calls([call("c1", "read"), malformed]),
        Step::text("Done."),
    ]);
    let tools = provider(&["read"]).with_result("read", ToolAnswer::error("no such file"));
    let agent = agent_on([&backend]).provider(tools).build().unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.field("tool-call", "name"), ["read", ""]);
    assert_eq!(played.field("tool-result", "is-error"), ["true", "true"]);
    assert_eq!(played.messages()[2], (Role::Tool, "no such file"));
    assert_eq!(played.result.text(), "Done.");
}

// 53
#[tokio::test(start_paused = true)]
async fn grants_that_grow_meanwhile_are_read_without_complaint() {
    let backend = backend([calls("c1", "read"), Step::text("Done.")]);
    let tools = ScriptedGrants::new(provider(&["read"]));
    tools.add_grant(Json::string("read"));
    let agent = agent_on([&backend]).provider(tools).build().unwrap();
    let played = ask(&agent).await;
    assert_eq!((played.result.text(), played.count("log")), ("Done.", 0));
}

// 11.2: the catalogue cannot be had
#[tokio::test(start_paused = true)]
async fn a_catalogue_that_cannot_be_read_fails_the_run() {
    struct Mute;
    impl ToolProvider for Mute {
        fn declarations(&self) -> Result<Vec<Json>, ToolError> {
            Err(ToolError::new("no catalogue"))
        }
        fn execute(
            &self,
            _: Vec<Json>,
        ) -> BoxFuture<'static, Result<Vec<Option<ToolAnswer>>, ToolError>> {
            unreachable!("nothing is declared")
        }
    }
    let agent = agent_on([&backend([])]).provider(Mute).build().unwrap();
    let played = ask(&agent).await;
    assert!(played.error().starts_with("the run died") && played.error().contains("no catalogue"));
}

// A provider without tools leaves a chat.
#[tokio::test(start_paused = true)]
async fn no_declarations_means_no_tools() {
    let backend = backend([Step::text("Hi").with_calls([call("c1", "read")])]);
    let agent = agent_on([&backend])
        .provider(provider(&[]))
        .build()
        .unwrap();
    assert_eq!(
        ask(&agent)
            .await
            .kinds()
            .iter()
            .filter(|kind| **kind == "tool-call")
            .count(),
        0
    );
}
