//! 12.3: what the owner of a run sees of it, and 12.2-10: what the kit collects of one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sess::agent::event::{Log, LogData};
use sess::backend::Step;
use sess::{Json, Role};

use super::kit::*;

fn note(text: &str) -> Log {
    Log {
        level: "info".into(),
        logger: None,
        data: LogData::Text(text.into()),
    }
}

/// The keys of a result, of which the conversation stands beside the document.
fn keys(result: &Json) -> Vec<String> {
    let entries = result.entries().unwrap().into_iter();
    entries.map(|(key, _)| key.as_str().to_owned()).collect()
}

// 10
#[tokio::test(start_paused = true)]
async fn what_is_published_by_hand_is_collected_whole() {
    let agent = agent_on([&backend([Step::stall(["x"])])]).build().unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "token").await;
    let emitter = run.handle().emitter();
    for text in ["one", "two", "three"] {
        assert!(emitter.emit(note(text)));
    }
    run.cancel();
    let played = finish(run, events).await;
    assert_eq!(
        played.kinds(),
        [
            "run-started",
            "round-started",
            "attempt-started",
            "token",
            "log",
            "log",
            "log",
            "turn-discarded",
            "run-cancelled"
        ]
    );
    assert_eq!(played.field("log", "data"), ["one", "two", "three"]);
    check_contract(&played.events);
}

// 21
#[tokio::test(start_paused = true)]
async fn every_outcome_has_a_result_with_every_key() {
    let agent = agent_on([&backend([Step::text("Hi")])]).build().unwrap();
    let completed = ask(&agent).await;

    let agent = agent_on([&backend([Step::http(401, "no")])])
        .build()
        .unwrap();
    let failed = ask(&agent).await;

    let agent = agent_on([&backend([Step::stall(["x"])])]).build().unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "token").await;
    run.cancel();
    let cancelled = finish(run, events).await;

    let attempt = r#"{"backend-index":0,"error":"[backend 0] no","model":"scripted-model"}"#;
    let refused = format!(
        r#"{{"attempts":[{attempt}],"error":"[backend 0] no","final":"","outcome":"failed","reason":null}}"#
    );
    for (played, document, roles) in [
        (
            completed,
            r#"{"attempts":[],"error":null,"final":"Hi","outcome":"completed","reason":null}"#,
            vec![Role::User, Role::Assistant],
        ),
        (failed, &refused, vec![Role::User]),
        (
            cancelled,
            r#"{"attempts":[],"error":null,"final":"","outcome":"cancelled","reason":null}"#,
            vec![Role::User],
        ),
    ] {
        let result = played.result.to_json();
        assert_eq!(result.compact(), document);
        assert_eq!(
            keys(&result),
            ["attempts", "error", "final", "outcome", "reason"]
        );
        assert_eq!(played.roles(), roles);
        let end = played.events.last().unwrap().kind();
        assert_eq!(end, format!("run-{}", played.result.outcome.as_str()));
    }
}

// 25: a reader that panics over one event loses that event and nothing else.
#[tokio::test(start_paused = true)]
async fn a_reader_that_fails_on_an_event_gets_all_later_ones() {
    let agent = agent_on([&backend([Step::chunks(["a", "b", "c"])])])
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let mut seen = Vec::new();
    while let Some(event) = run.next_event().await {
        let reader = AssertUnwindSafe(|| {
            assert_ne!(text_of(&event.body.payload(), "text"), "b");
            seen.push(event.kind().to_owned());
        });
        let lost = catch_unwind(reader).is_err();
        assert_eq!(lost, event.seq == Some(4));
    }
    assert_eq!(seen.iter().filter(|kind| *kind == "token").count(), 2);
    assert_eq!(seen.last().unwrap(), "run-completed");
    run.drained().await;
    assert_eq!(run.result().await.text(), "abc");
}

// 25: nor does a run care for a reader that is gone.
#[tokio::test(start_paused = true)]
async fn a_run_nobody_reads_ends_all_the_same() {
    let agent = agent_on([&backend([Step::chunks(["a", "b"])])])
        .build()
        .unwrap();
    let run = agent.run(question()).unwrap();
    let handle = run.handle();
    drop(run);
    handle.drained().await;
    assert_eq!(handle.result().await.text(), "ab");
}
