//! 12.12: answers that were cut off, whether or not they say so.

use sess::Message;
use sess::backend::{Step, Usage};
use sess::context::{Profile, RequestBudget};

use super::kit::*;

/// A conversation of this many characters, the last message short.
fn long(characters: usize) -> Vec<Message> {
    vec![
        Message::user("x".repeat(characters - 3)),
        Message::user("Go."),
    ]
}

fn window(tokens: u64) -> RequestBudget {
    RequestBudget::for_window(tokens)
}

fn cut() -> Step {
    Step::length("Half an ans")
}

// 129
#[tokio::test(start_paused = true)]
async fn an_answer_cut_by_the_window_makes_the_request_smaller() {
    let backend = backend([cut(), Step::text("Whole.")]);
    let agent = agent_on([&backend])
        .counter(by_character())
        .request_budget(window(1_000))
        .compactor(Shrinker::new(1_000, 990))
        .build()
        .unwrap();
    let played = play(&agent, long(900)).await;
    assert_eq!(played.result.text(), "Whole.");
    assert_eq!(
        (
            backend.calls().len(),
            played.count("round-started"),
            played.count("compaction-done")
        ),
        (2, 1, 1)
    );
    assert!(sent(&backend, 1).len() == 2 && sent(&backend, 1)[0].1 == "Summary.");
    assert_eq!(played.field("attempt-failed", "disposition"), ["advance"]);
    assert!(played.field("attempt-failed", "error")[0].contains("provider-length"));
    check_contract(&played.events);
}

// 130
#[tokio::test(start_paused = true)]
async fn without_a_compactor_the_context_is_exhausted() {
    let backend = backend([cut()]);
    let agent = agent_on([&backend])
        .counter(by_character())
        .request_budget(window(1_000))
        .build()
        .unwrap();
    let played = play(&agent, long(900)).await;
    assert_eq!(played.reason(), Some("context-exhausted"));
    assert!(played.error().contains("no compactor") && played.error().contains("'scripted-model'"));
    assert_eq!(
        (backend.calls().len(), played.result.attempts().len()),
        (1, 1)
    );
    assert_eq!(played.field("log", "level"), ["warning"]);
    let data = played.of("log")[0].get("data").unwrap();
    assert!(text_of(&data, "message").contains("truncated the completion"));
    assert_eq!(
        (text_of(&data, "needed"), text_of(&data, "window")),
        ("900".into(), "1000".into())
    );
    assert_eq!(played.count("turn-discarded"), 0);
}

// 131, 136
#[tokio::test(start_paused = true)]
async fn an_answer_cut_by_the_cap_is_a_failure_of_its_own() {
    for (budget, words) in [
        (
            Some(window(10_000)),
            ["max_tokens 256", "ompaction cannot help"],
        ),
        (None, ["no request-budget profile", "declare a profile"]),
    ] {
        let backend = backend([cut()]);
        let mut builder = agent_on([&backend]).counter(by_character());
        if let Some(budget) = budget {
            builder = builder
                .request_budget(budget)
                .compactor(Shrinker::new(10_000, 9_000));
        }
        let played = play(&builder.build().unwrap(), long(100)).await;
        assert_eq!(played.reason(), Some("completion-truncated"));
        for word in words {
            assert!(
                played.error().contains(word),
                "{word} in {}",
                played.error()
            );
        }
        assert_eq!(
            (backend.calls().len(), played.count("compaction-started")),
            (1, 0)
        );
        assert_eq!(played.field("attempt-failed", "disposition"), ["abort"]);
        assert_eq!(played.field("turn-discarded", "reason"), ["failed"]);
    }
}

// 132, 133
#[tokio::test(start_paused = true)]
async fn a_roomier_backend_answers_before_anything_is_compacted() {
    let budget = || {
        RequestBudget::default()
            .with_profile("small", Profile::new(1_000).with_reserve(0).with_margin(0))
    };
    let small = std::sync::Arc::new(
        sess::backend::ScriptedBackend::new([cut(), Step::text("Small.")])
            .with_model(Some("small")),
    );
    let roomy = backend([Step::text("Roomy.")]);
    let agent = agent_on([&small, &roomy])
        .counter(by_character())
        .request_budget(budget())
        .build()
        .unwrap();
    let played = play(&agent, long(900)).await;
    assert_eq!(
        (
            played.result.text(),
            small.calls().len(),
            roomy.calls().len()
        ),
        ("Roomy.", 1, 1)
    );

    // 133: both truncate, one compaction, and the walk starts over.
    let small = || {
        std::sync::Arc::new(
            sess::backend::ScriptedBackend::new([cut(), Step::text("Small.")])
                .with_model(Some("small")),
        )
    };
    let (first, second) = (small(), small());
    let agent = agent_on([&first, &second])
        .counter(by_character())
        .request_budget(budget())
        .compactor(Shrinker::new(1_000, 990))
        .build()
        .unwrap();
    let played = play(&agent, long(900)).await;
    assert_eq!(
        (
            played.result.text(),
            first.calls().len(),
            second.calls().len()
        ),
        ("Small.", 2, 1)
    );
    assert_eq!(played.count("compaction-done"), 1);
    assert_eq!(played.field("attempt-started", "attempt"), ["1", "2", "3"]);
}

// 134
#[tokio::test(start_paused = true)]
async fn a_bill_is_believed_over_a_count() {
    let backend = backend([cut().with_usage(billed(9_950, 50))]);
    let agent = agent_on([&backend])
        .counter(by_character())
        .request_budget(window(10_000))
        .build()
        .unwrap();
    let played = play(&agent, long(12)).await;
    assert_eq!(played.reason(), Some("context-exhausted"));
    assert!(
        played.result.attempts()[0]
            .error
            .contains("billed 9950 prompt tokens")
    );
}

// 135
#[tokio::test(start_paused = true)]
async fn a_count_is_believed_within_a_quarter() {
    for (characters, reason) in [(900, "context-exhausted"), (700, "completion-truncated")] {
        let backend = backend([cut()]);
        let agent = agent_on([&backend])
            .counter(by_character())
            .request_budget(window(1_000))
            .build()
            .unwrap();
        let played = play(&agent, long(characters)).await;
        assert_eq!((played.reason(), backend.calls().len()), (Some(reason), 1));
    }
}

// 138, 145
#[tokio::test(start_paused = true)]
async fn calls_of_a_cut_answer_never_run() {
    let clipped = calls("c1", "read").with_usage(billed(10, 256));
    let honest = cut().with_calls([call("c1", "read")]);
    for (step, warnings) in [(clipped, 1), (honest, 0)] {
        let backend = backend([step]);
        let tools = provider(&["read"]);
        let agent = agent_on([&backend])
            .provider(tools.clone())
            .build()
            .unwrap();
        let played = ask(&agent).await;
        assert_eq!(played.reason(), Some("completion-truncated"));
        assert!(tools.calls().is_empty());
        assert_eq!(
            (
                backend.calls().len(),
                played.count("attempt-succeeded"),
                played.count("log")
            ),
            (1, 0, warnings)
        );
        assert_eq!(played.field("attempt-failed", "disposition"), ["abort"]);
        assert_eq!(played.count("turn-discarded"), 1);
    }
}

// 139
#[tokio::test(start_paused = true)]
async fn a_clip_at_the_end_of_the_window_compacts_once() {
    let backend = backend([
        Step::text("Half").with_usage(billed(744, 256)),
        Step::text("Whole."),
    ]);
    let agent = agent_on([&backend])
        .counter(by_character())
        .request_budget(window(1_000))
        .compactor(Shrinker::new(1_000, 990))
        .build()
        .unwrap();
    let played = play(&agent, long(500)).await;
    assert_eq!(
        (played.result.text(), played.count("compaction-done")),
        ("Whole.", 1)
    );
    assert_eq!(sent(&backend, 1)[0].1, "Summary.");
    let clips = played
        .field("log", "data")
        .into_iter()
        .filter(|data| data.contains("clipped at max_tokens"));
    assert_eq!(clips.count(), 1);
}

// 140, 141, 142, 143
#[tokio::test(start_paused = true)]
async fn the_cap_is_the_boundary() {
    let usage = |completion: u64| billed(10, completion);
    for (step, whole, warning) in [
        (Step::text("Hi").with_usage(usage(255)), true, None),
        (Step::text("Hi").with_usage(Usage::default()), true, None),
        (
            Step::text("Hi").with_usage(usage(256)),
            false,
            Some("256 completion tokens"),
        ),
        (
            Step::text("Hi").with_usage(usage(296)),
            false,
            Some("296 completion tokens"),
        ),
        (
            Step::text("Hi")
                .with_finish_reason("stop")
                .with_usage(usage(256)),
            false,
            Some("finish_reason 'stop'"),
        ),
    ] {
        let played = ask(&agent_on([&backend([step])]).build().unwrap()).await;
        assert_eq!(played.result.is_completed(), whole);
        let logs = played.field("log", "data");
        assert_eq!(logs.len(), usize::from(warning.is_some()));
        if let Some(warning) = warning {
            assert!(logs[0].contains(warning), "{}", logs[0]);
        }
    }
    let calling = calls("c1", "read");
    let tools = provider(&["read"]);
    let agent = agent_on([&backend([calling, Step::text("Done.")])])
        .provider(tools.clone())
        .build()
        .unwrap();
    assert_eq!(ask(&agent).await.result.text(), "Done.");
    assert_eq!(tools.calls().len(), 1);
}
