//! 12.13: requests that fit no window, or only some.

use sess::Message;
use sess::backend::Step;
use sess::context::{Profile, RequestBudget, RunContext};

use super::kit::*;

fn two_windows() -> RequestBudget {
    RequestBudget::default()
        .with_profile("small", Profile::new(200).with_reserve(50).with_margin(10))
        .with_profile("big", Profile::new(10_000).with_reserve(50).with_margin(10))
}

// 146, 147, 148
#[tokio::test(start_paused = true)]
async fn a_backend_the_request_does_not_fit_is_passed_by() {
    for small_first in [true, false] {
        let small = named("small", [Step::text("small")]);
        let big = named("big", [Step::text("big")]);
        let chain = if small_first {
            [&small, &big]
        } else {
            [&big, &small]
        };
        let agent = agent_on(chain)
            .counter(by_character())
            .request_budget(two_windows())
            .build()
            .unwrap();
        let played = play(&agent, long(600)).await;
        assert_eq!((played.result.text(), small.calls().len()), ("big", 0));
        let index = if small_first { "1" } else { "0" };
        assert_eq!(played.field("attempt-started", "backend-index"), [index]);
        assert_eq!(played.count("attempt-failed"), 0);
        let logs = played.of("log");
        assert_eq!(logs.len(), usize::from(small_first));
        if small_first {
            assert_eq!(text_of(&logs[0], "level"), "info");
            let data = logs[0].get("data").unwrap();
            assert!(text_of(&data, "message").contains("does not fit"));
            let numbers =
                ["backend-index", "model", "needed", "window"].map(|key| text_of(&data, key));
            assert_eq!(numbers, ["0", "small", "660", "200"]);
        }
    }
    let small = named("small", []);
    let fails = named("big", [Step::http(401, "no")]);
    let agent = agent_on([&small, &fails])
        .counter(by_character())
        .request_budget(two_windows())
        .build()
        .unwrap();
    let played = play(&agent, long(600)).await;
    let skipped = &played.result.attempts()[0];
    assert_eq!(
        skipped.error,
        "preflight: needs ~660 (messages 600 + tools 0 + context 0 + margin 10 + reserve 50), window 200"
    );
    assert_eq!(skipped.disposition.as_deref(), Some("advance"));
}

// 149, 150
#[tokio::test(start_paused = true)]
async fn only_what_is_known_is_refused_and_tools_count() {
    let unknown = named("other", [Step::text("Hi")]);
    let agent = agent_on([&unknown])
        .counter(by_character())
        .request_budget(two_windows())
        .build()
        .unwrap();
    assert_eq!(play(&agent, long(50_000)).await.result.text(), "Hi");
    for (tools, fits) in [(provider(&[]), true), (provider(&["read"]), false)] {
        let backend = backend([Step::text("Hi")]);
        let agent = agent_on([&backend])
            .counter(by_character())
            .context_budget(80)
            .provider(tools)
            .build()
            .unwrap();
        assert_eq!(play(&agent, long(60)).await.result.is_completed(), fits);
    }
}

// 151, 162
#[tokio::test(start_paused = true)]
async fn a_request_that_fits_nothing_is_made_smaller_within_its_round() {
    let transcript = Transcript::new();
    let backend = backend([Step::text("Hi")]);
    let agent = agent_on([&backend])
        .counter(by_character())
        .session(transcript.session.clone())
        .compactor(Shrinker::new(1_000, 900))
        .build()
        .unwrap();
    let context = RunContext::default()
        .head("rules", "r".repeat(300))
        .unwrap();
    let messages = vec![
        Message::user("x".repeat(550)),
        Message::user("y".repeat(40)),
    ];
    // 590 alone fits the trigger, and with the context of 300 still does; 890 of 1,000 is near.
    let run = agent.run_with_context(messages.clone(), context).unwrap();
    let played = finish(run, Vec::new()).await;
    assert_eq!(
        (played.count("compaction-done"), played.result.text()),
        (0, "Hi")
    );

    // The context counts towards the trigger.
    let transcript = Transcript::new();
    let backend = super::kit::backend([Step::text("Hi")]);
    let agent = agent_on([&backend])
        .counter(by_character())
        .session(transcript.session.clone())
        .compactor(Shrinker::new(1_000, 800))
        .build()
        .unwrap();
    let context = RunContext::default()
        .head("rules", "r".repeat(300))
        .unwrap();
    let run = agent.run_with_context(messages.clone(), context).unwrap();
    let played = finish(run, Vec::new()).await;
    assert_eq!(played.count("compaction-done"), 1);
    assert_eq!(transcript.reload().messages(), played.result.messages);

    // Under the trigger, but beyond the window: one forced compaction, in the same round.
    let transcript = Transcript::new();
    let backend = super::kit::backend([Step::text("Hi")]);
    let agent = agent_on([&backend])
        .counter(by_character())
        .session(transcript.session.clone())
        .request_budget(
            RequestBudget::default()
                .with_default_profile(Profile::new(800).with_reserve(0).with_margin(0)),
        )
        .compactor(Shrinker::new(800, 10_000))
        .build()
        .unwrap();
    let context = RunContext::default()
        .head("rules", "r".repeat(300))
        .unwrap();
    let run = agent.run_with_context(messages, context).unwrap();
    let played = finish(run, Vec::new()).await;
    assert_eq!(
        (
            played.result.text(),
            played.count("round-started"),
            played.count("compaction-done")
        ),
        ("Hi", 1, 1)
    );
    // Before and after are measured as complete requests.
    assert_eq!(played.field("compaction-started", "tokens-before"), ["890"]);
    assert_eq!(played.field("compaction-done", "tokens-after"), ["348"]);
    let kinds = played.kinds();
    let place = |kind: &str| kinds.iter().position(|found| *found == kind).unwrap();
    assert!(
        place("round-started") < place("compaction-started")
            && place("compaction-done") < place("attempt-started")
    );
    assert_eq!(transcript.reload().messages(), played.result.messages);
}

// 36, 152, 153
#[tokio::test(start_paused = true)]
async fn what_cannot_be_made_to_fit_exhausts_the_context() {
    // 36: the compactor itself gives up, ahead of the request.
    let transcript = Transcript::new();
    let hopeless = Shrinker {
        exhausted: true,
        ..Shrinker::new(100, 50)
    };
    let backend = backend([]);
    let agent = agent_on([&backend])
        .counter(by_character())
        .compactor(hopeless)
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let messages = vec![
        Message::user("x".repeat(100)),
        Message::user("y".repeat(300)),
    ];
    let played = play(&agent, messages.clone()).await;
    assert_eq!(
        played.kinds(),
        [
            "run-started",
            "compaction-started",
            "compaction-done",
            "run-failed"
        ]
    );
    assert_eq!(played.reason(), Some("context-exhausted"));
    assert!(
        played.error().contains("does not fit the context budget")
            && played.error().contains("400")
    );
    assert!(played.result.attempts().is_empty());
    assert_eq!(transcript.reload().messages(), played.result.messages);

    // 152: refused again after one compaction.
    let budget = RequestBudget::for_window(100);
    let agent = agent_on([&backend])
        .counter(by_character())
        .request_budget(budget)
        .compactor(Shrinker::new(100, 10_000))
        .build()
        .unwrap();
    let played = play(&agent, messages).await;
    assert_eq!(played.reason(), Some("context-exhausted"));
    assert!(
        played.error().contains("preflight: needs ~308"),
        "{}",
        played.error()
    );
    assert_eq!(
        (
            played.count("compaction-done"),
            played.count("turn-discarded")
        ),
        (1, 0)
    );

    // 153: nobody to make it smaller.
    let agent = agent_on([&backend])
        .counter(by_character())
        .context_budget(100)
        .build()
        .unwrap();
    let played = play(&agent, long(101)).await;
    assert!(played.error().contains("no compactor") && played.error().contains("100 tokens"));
    assert!(backend.calls().is_empty());
}
