//! The crate's own compactor in the loop: what a run holds is what its transcript replays to.

use std::sync::Arc;

use sess::Message;
use sess::agent::BackendSummariser;
use sess::backend::{ScriptedBackend, Step};
use sess::context::{CompactorOptions, STUB_PREFIX, SUMMARY_HEADER, SummarisingCompactor};

use super::kit::*;

fn compactor(summariser: &Arc<ScriptedBackend>, options: CompactorOptions) -> SummarisingCompactor {
    let summariser = Arc::new(BackendSummariser::new(summariser.clone()));
    SummarisingCompactor::new(summariser, by_character(), options).unwrap()
}

fn long_talk() -> Vec<Message> {
    let talk = (0..6).map(|turn| match turn % 2 {
        0 => Message::user("u".repeat(200)),
        _ => Message::assistant("a".repeat(200)),
    });
    talk.chain([Message::user("Go.")]).collect()
}

// Context 32, 120, D9, D18
#[tokio::test(start_paused = true)]
async fn a_summary_is_recorded_billed_and_replayed() {
    let cut_off = Step::text("half a summ").with_finish_reason("length");
    let summaries = backend([
        cut_off.with_usage(billed(100, 5)),
        Step::text("THE SUMMARY").with_usage(billed(100, 20)),
    ]);
    let model = backend([Step::text("Done.").with_usage(billed(50, 5))]);
    let transcript = Transcript::new();
    let options = CompactorOptions {
        keep_recent: 2,
        ..CompactorOptions::new(1_000)
    };
    let agent = agent_on([&model])
        .counter(by_character())
        .session(transcript.session.clone())
        .compactor(compactor(&summaries, options))
        .build()
        .unwrap();
    let played = play(&agent, long_talk()).await;
    assert_eq!(played.result.text(), "Done.");
    assert_eq!(summaries.calls().len(), 2);
    let summary = format!("{SUMMARY_HEADER}\nTHE SUMMARY");
    assert_eq!(sent(&model, 0)[0].1, summary);
    assert_eq!(transcript.of("compaction").len(), 1);
    assert_eq!(
        played.result.spent.as_ref().map(|spent| spent.total_tokens),
        Some(280)
    );
    let held = played.result.messages.clone();
    assert_eq!(transcript.reload().messages(), held);
}

// Context 66
#[tokio::test(start_paused = true)]
async fn an_old_result_gives_way_to_a_stub_and_stays_in_the_file() {
    let big = "B".repeat(3_000);
    let tools = provider(&["read", "other"]).with_result("read", big.as_str());
    let summaries = backend([]);
    let more = "m".repeat(1_500);
    let model = backend([
        calls("c1", "read"),
        Step::chunks([more]).with_calls([call("c2", "other")]),
        Step::text("Done."),
    ]);
    let transcript = Transcript::new();
    let options = CompactorOptions {
        keep_recent: 2,
        age_observations: true,
        age_min_chars: 100,
        age_reclaim_min: 1_000,
        ..CompactorOptions::new(100_000)
    };
    let agent = agent_on([&model])
        .counter(by_character())
        .session(transcript.session.clone())
        .provider(tools)
        .compactor(compactor(&summaries, options))
        .build()
        .unwrap();
    let played = play(&agent, question()).await;
    assert_eq!(
        (played.result.text(), summaries.calls().len()),
        ("Done.", 0)
    );
    assert_eq!(played.count("compaction-done"), 1);
    assert!(sent(&model, 2)[2].1.starts_with(STUB_PREFIX));
    assert_eq!(transcript.of("elision").len(), 1);
    let bytes = std::fs::read_to_string(transcript.session.path()).unwrap();
    assert!(bytes.contains(&big));
    let held = played.result.messages.clone();
    assert_eq!(transcript.reload().messages(), held);
}
