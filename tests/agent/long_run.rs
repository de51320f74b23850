//! Runs of thousands of rounds in a small window, whatever the summariser does.

use std::sync::Arc;
use std::time::Duration;

use sess::agent::{BackendSummariser, RunResult};
use sess::backend::{ErrorClass, Step};
use sess::context::{
    CompactorOptions, HeuristicCounter, Profile, RequestBudget, SummarisingCompactor, TokenCounter,
};

use super::kit::*;

/// Tokens of the window, of which one is four characters here.
const WINDOW: u64 = 32_000;
/// Of these a request may have so many, beside its margin and what is reserved for the answer.
const ROOM: u64 = 30_500;
const MARGIN: u64 = 500;
/// Bytes of each tool result.
const RESULT: usize = 8 * 1024;
/// Rounds of the short form; the long one has ten times as many.
const ROUNDS: usize = 200;

/// What the summariser answers to its calls, one after the other.
type Summaries = fn(usize) -> Step;

fn good(_: usize) -> Step {
    Step::text("GOALS: go on. DONE: much.").with_usage(billed(1_000, 20))
}

fn failing(_: usize) -> Step {
    Step::error(ErrorClass::Connection, "nobody there")
}

fn sometimes_failing(call: usize) -> Step {
    if call.is_multiple_of(3) {
        good(call)
    } else {
        Step::http(500, "no")
    }
}

fn truncated(_: usize) -> Step {
    good(0).with_finish_reason("length")
}

fn larger(_: usize) -> Step {
    Step::text("x".repeat(400_000))
}

struct Long {
    result: RunResult,
    transcript: Transcript,
    largest: u64,
    refused: usize,
}

async fn run(rounds: usize, summaries: Summaries, aging: bool) -> Long {
    let calls = (0..rounds).map(|round| {
        let arguments = format!(r#"{{"page":{round}}}"#);
        Step::calls([call_with(&format!("c{round}"), "read", &arguments)])
    });
    let model = backend(calls.chain([Step::text("Done.")]));
    let summariser = backend((0..rounds * 8).map(summaries));
    let options = CompactorOptions {
        keep_recent: 4,
        age_observations: aging,
        age_reclaim_min: 16 * 1024,
        ..CompactorOptions::new(WINDOW)
    };
    let compactor = SummarisingCompactor::new(
        Arc::new(BackendSummariser::new(summariser)),
        by_four(),
        options,
    );
    let transcript = Transcript::new();
    let profile = Profile::new(WINDOW)
        .with_reserve(WINDOW - ROOM - MARGIN)
        .with_margin(MARGIN);
    let agent = agent_on([&model])
        .counter(by_four())
        .provider(provider(&["read"]).with_result("read", "r".repeat(RESULT).as_str()))
        .session(transcript.session.clone())
        .compactor(compactor.unwrap())
        .request_budget(RequestBudget::default().with_default_profile(profile))
        .max_tool_rounds(rounds as u64 + 1)
        .max_tool_calls(rounds as u64 + 1)
        .build()
        .unwrap();
    let played = ask(&agent).await;
    check_contract(&played.events);
    let refused = played.count("attempt-failed");
    let sent = model.calls();
    let largest = sent
        .iter()
        .map(|call| by_four().count_messages(&call.messages))
        .max();
    Long {
        result: played.result,
        transcript,
        largest: largest.unwrap_or_default(),
        refused,
    }
}

fn by_four() -> Arc<dyn TokenCounter> {
    Arc::new(HeuristicCounter::new(4, 4).unwrap())
}

fn slow(call: usize) -> Step {
    good(call).slow(Duration::from_secs(5), Duration::from_secs(5))
}

async fn every_summariser_is_survived(rounds: usize) {
    let summarisers: [(&str, Summaries); 6] = [
        ("good", good),
        ("failing", failing),
        ("sometimes failing", sometimes_failing),
        ("slow", slow),
        ("truncated", truncated),
        ("larger", larger),
    ];
    for (name, summaries) in summarisers {
        for aging in [false, true] {
            let played = run(rounds, summaries, aging).await;
            let label = format!("{name}, aging {aging}");
            assert_eq!(played.result.text(), "Done.", "{label}");
            assert_eq!(played.refused, 0, "{label}");
            assert!(played.largest <= ROOM, "{label}: {}", played.largest);
            let compactions = played.transcript.of("compaction").len();
            let elisions = played.transcript.of("elision").len();
            assert!(compactions + elisions > rounds / 20, "{label}");
            assert_eq!(elisions > 0, aging, "{label}");
            let held = played.result.messages.clone();
            let size = by_four().count_messages(&held);
            assert!(size <= ROOM, "{label}: {size}");
            assert_eq!(played.transcript.reload().messages(), held, "{label}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_run_stays_in_its_window_and_loads_as_it_was_held() {
    every_summariser_is_survived(ROUNDS).await;
}

#[tokio::test(start_paused = true)]
#[ignore = "twelve runs of two thousand rounds take more than two minutes"]
async fn a_run_of_two_thousand_rounds_stays_in_its_window_and_loads_as_it_was_held() {
    every_summariser_is_survived(10 * ROUNDS).await;
}
