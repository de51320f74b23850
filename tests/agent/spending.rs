//! 12.13: what a run spends, and what it may.

use std::time::Duration;

use sess::backend::{Step, Usage};
use sess::context::{RequestBudget, Spent};

use super::kit::*;

// 154, 156
#[tokio::test(start_paused = true)]
async fn every_attempt_is_billed() {
    let failing = Step::http(500, "no").with_usage(billed(10, 0));
    let cached = Usage {
        cached_prompt_tokens: Some(8),
        cost: Some(0.25),
        total_tokens: Some(30),
        ..billed(20, 5)
    };
    let backend = backend([
        failing,
        Step::http(500, "silent"),
        Step::text("Hi").with_usage(cached),
    ]);
    let agent = agent_on([&backend])
        .request_budget(RequestBudget::default())
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(
        played.field("attempt-failed", "usage"),
        [r#"{"completion-tokens":0,"prompt-tokens":10}"#, "-"]
    );
    let expected = Spent {
        total_tokens: 40,
        complete: false,
        wall_clock: 0.01,
        prompt_tokens: Some(30),
        completion_tokens: Some(5),
        cached_prompt_tokens: Some(8),
        cost: Some(0.25),
        parked_seconds: None,
    };
    assert_eq!(played.result.spent, Some(expected));

    let silent = agent_on([&super::kit::backend([Step::text("Hi")])])
        .request_budget(RequestBudget::default())
        .build()
        .unwrap();
    let spent = ask(&silent).await.result.spent.unwrap().to_json();
    assert_eq!(
        spent.text(),
        r#"{"complete":false,"total-tokens":0,"wall-clock":0.0}"#
    );
}

// 158, 159, 160
#[tokio::test(start_paused = true)]
async fn a_cap_ends_the_run_at_the_next_boundary() {
    let costly =
        |usage: Usage| Step::calls([call("c1", "read"), call("c2", "write")]).with_usage(usage);
    let priced = Usage {
        cost: Some(2.0),
        ..billed(50, 50)
    };
    let cap = RequestBudget::default;
    let minute = Duration::from_secs(60);
    for (budget, slow, named) in [
        (cap().with_max_cost(2.0), None, Some("cost 2 of at most 2")),
        (
            cap().with_max_total_tokens(100),
            None,
            Some("total-tokens 100 of at most 100"),
        ),
        (
            cap().with_max_wall_clock(minute),
            Some("c1"),
            Some("wall-clock 90 of at most 60"),
        ),
        (cap().with_max_cost(2.1), None, None),
    ] {
        let transcript = Transcript::new();
        let backend = backend([costly(priced.clone()), Step::text("Done.")]);
        let tools = provider(&["read", "write"])
            .with_latency(slow.unwrap_or("nobody"), Duration::from_secs(90));
        let agent = agent_on([&backend])
            .request_budget(budget)
            .provider(tools.clone())
            .session(transcript.session.clone())
            .build()
            .unwrap();
        let played = ask(&agent).await;
        let Some(named) = named else {
            assert!(played.result.is_completed());
            continue;
        };
        assert_eq!(played.reason(), Some("budget-exhausted"));
        assert!(played.error().contains(named), "{}", played.error());
        let ran = usize::from(slow.is_some());
        assert_eq!(
            (played.count("tool-result"), tools.calls().len()),
            (ran, ran)
        );
        assert_eq!(
            played.field("tool-abandoned", "reason"),
            vec!["budget-exhausted"; 2 - ran]
        );
        assert!(
            played
                .field("tool-abandoned", "dispatched")
                .iter()
                .all(|dispatched| dispatched == "false")
        );
        super::cancel::check_resumable(&transcript, &played);
    }
}

// 160, second half
#[tokio::test(start_paused = true)]
async fn a_cap_crossed_by_the_last_call_refuses_the_next_round() {
    let backend = backend([calls("c1", "read"), Step::text("never")]);
    let agent = agent_on([&backend])
        .request_budget(RequestBudget::default().with_max_wall_clock(Duration::from_secs(60)))
        .provider(provider(&["read"]).with_latency("read", Duration::from_secs(61)))
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!((backend.calls().len(), played.count("tool-result")), (1, 1));
    assert_eq!(played.field("run-failed", "round"), ["2"]);
}

// 164
#[tokio::test(start_paused = true)]
async fn what_others_spend_for_a_run_counts() {
    let gate = sess::tool::Gate::new();
    let backend = backend([
        calls("c1", "read").with_usage(billed(10, 10)),
        Step::text("never"),
    ]);
    let agent = agent_on([&backend])
        .request_budget(RequestBudget::default().with_max_total_tokens(1_000))
        .provider(provider(&["read"]).block_on(&gate))
        .build()
        .unwrap();
    let child = Spent {
        total_tokens: 990,
        cached_prompt_tokens: Some(100),
        wall_clock: 500.0,
        ..Spent::default()
    };
    assert!(!agent.absorb_spend(&child, None), "no run yet");
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "tool-started").await;
    assert!(!agent.absorb_spend(&child, Some(&sess::id::RunId::from("other"))));
    assert!(agent.absorb_spend(&child, Some(&run.id().clone())));
    gate.open();
    let played = finish(run, events).await;
    assert_eq!(played.reason(), Some("budget-exhausted"));
    let spent = played.result.spent.unwrap();
    assert_eq!(
        (
            spent.total_tokens,
            spent.cached_prompt_tokens,
            spent.wall_clock
        ),
        (1_010, Some(100), 0.0)
    );
}
