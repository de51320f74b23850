//! The crate's own compactor in the loop: what a run holds is what its transcript replays to.

use std::sync::Arc;

use sess::agent::BackendSummariser;
use sess::backend::{ScriptedBackend, Step};
use sess::context::{
    CompactorOptions, Profile, RequestBudget, RunContext, STUB_PREFIX, SUMMARY_HEADER,
    SummarisingCompactor, TokenCounter,
};
use sess::{Message, Session};

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
    let [compaction] = transcript.of("compaction").try_into().unwrap();
    // Both calls of the summariser, also the one that was of no use.
    assert_eq!(
        compaction.get("usage").unwrap().text(),
        r#"{"completion-tokens":25,"prompt-tokens":200,"total-tokens":225}"#
    );
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

// Spend of the summariser counts towards the caps, at the boundary after the pass.
#[tokio::test(start_paused = true)]
async fn what_a_summary_costs_can_end_the_run() {
    let summaries = backend([Step::text("THE SUMMARY").with_usage(billed(900, 200))]);
    let model = backend([calls("c1", "read"), Step::text("never")]);
    let agent = agent_on([&model])
        .counter(by_character())
        .provider(provider(&["read"]))
        .request_budget(RequestBudget::for_window(1_000).with_max_total_tokens(1_000))
        .compactor(compactor(&summaries, keep_two(1_000)))
        .build()
        .unwrap();
    let played = play(&agent, long_talk()).await;
    assert_eq!(played.reason(), Some("budget-exhausted"));
    assert_eq!((summaries.calls().len(), model.calls().len()), (1, 1));
    let spent = played.result.spent.as_ref().unwrap();
    assert_eq!(spent.total_tokens, 1_100);
}

// The summariser is cancelled when the run is.
#[tokio::test(start_paused = true)]
async fn a_cancel_reaches_the_summariser() {
    let summaries = backend([Step::stall(["half a"])]);
    let model = backend([Step::text("never")]);
    let agent = agent_on([&model])
        .counter(by_character())
        .compactor(compactor(&summaries, keep_two(1_000)))
        .build()
        .unwrap();
    let mut run = agent.run(long_talk()).unwrap();
    let events = read_until(&mut run, "compaction-started").await;
    run.cancel();
    let played = finish(run, events).await;
    assert_eq!(played.kinds().last(), Some(&"run-cancelled"));
    assert_eq!(played.field("run-cancelled", "stage"), ["compaction"]);
    assert!(model.calls().is_empty());
}

/// A system prompt and turns of a hundred characters each.
fn hundreds(turns: usize) -> Vec<Message> {
    let turn = |index: usize| match index % 2 {
        0 => Message::user("u".repeat(100)),
        _ => Message::assistant("a".repeat(100)),
    };
    let prompt = Message::system("SY").with_sysprompt().with_sticky();
    [prompt].into_iter().chain((0..turns).map(turn)).collect()
}

fn keep_two(budget: u64) -> CompactorOptions {
    CompactorOptions {
        keep_recent: 2,
        ..CompactorOptions::new(budget)
    }
}

// Context 73, 77, D14 and the first row of 7.7
#[tokio::test(start_paused = true)]
async fn a_context_that_overflows_the_window_forces_one_pass_over_the_conversation() {
    for (context, passes) in [(0, 0), (316, 1)] {
        let transcript = Transcript::new();
        let summaries = backend([Step::text("THE SUMMARY")]);
        let model = backend([Step::text("Done.")]);
        let profile = Profile::new(1_000).with_reserve(400).with_margin(0);
        let agent = agent_on([&model])
            .counter(by_character())
            .session(transcript.session.clone())
            .request_budget(RequestBudget::default().with_default_profile(profile))
            .compactor(compactor(&summaries, keep_two(1_000)))
            .build()
            .unwrap();
        let surround = match context {
            0 => RunContext::default(),
            length => RunContext::default().head("r", "x".repeat(length)).unwrap(),
        };
        let head = surround
            .head_text()
            .map_or(0, |head| head.chars().count() as u64);
        let run = agent.run_with_context(hundreds(4), surround).unwrap();
        let played = finish(run, Vec::new()).await;
        assert_eq!(played.result.text(), "Done.");
        assert_eq!(played.count("compaction-done"), passes);
        assert_eq!(played.count("round-started"), 1);
        if passes == 1 {
            // 402 and the context before; 2 + 60 + 200 and the context after.
            let told = [
                played.field("compaction-started", "tokens-before"),
                played.field("compaction-done", "tokens-after"),
            ];
            assert_eq!(
                told,
                [402 + head, 262 + head].map(|sum| vec![sum.to_string()])
            );
        }
        assert_eq!(transcript.reload().messages(), played.result.messages);
    }
}

/// So many tokens a character.
struct Times(u64);

impl TokenCounter for Times {
    fn count_messages(&self, messages: &[Arc<Message>]) -> u64 {
        self.0 * by_character().count_messages(messages)
    }
}

// Context 82 and the second row of 7.7
#[tokio::test(start_paused = true)]
async fn of_two_tokenizers_the_one_nearer_to_its_window_measures_the_pass() {
    let with_model = |model: &str, steps: Vec<Step>| {
        Arc::new(ScriptedBackend::new(steps).with_model(Some(model)))
    };
    let primary = with_model("primary", vec![Step::text("primary")]);
    let fallback = with_model("fallback", vec![Step::text("fallback")]);
    let profile = |window, unit| {
        let counter: Arc<dyn TokenCounter> = Arc::new(Times(unit));
        Profile::new(window)
            .with_reserve(100)
            .with_margin(0)
            .with_counter(counter)
    };
    let budget = RequestBudget::default()
        .with_profile("primary", profile(3_000, 10))
        .with_profile("fallback", profile(1_500, 2));
    let summaries = backend([Step::http(403, "no")]);
    // The first backend's counter also judges whether a pass is due ahead of the request (D19).
    let options = CompactorOptions {
        trigger_ratio: 4.0,
        ..keep_two(3_000)
    };
    let agent = agent_on([&primary, &fallback])
        .counter(by_character())
        .request_budget(budget)
        .compactor(compactor(&summaries, options))
        .build()
        .unwrap();
    let played = play(&agent, hundreds(8)).await;
    assert_eq!(played.result.text(), "fallback");
    assert_eq!(
        [
            played.field("compaction-started", "tokens-before"),
            played.field("compaction-done", "tokens-after")
        ],
        [["1604"], ["1316"]]
    );
    assert!(primary.calls().is_empty());
}

// Context 121
#[tokio::test(start_paused = true)]
async fn what_no_pass_can_make_fit_exhausts_the_context_after_it_is_recorded() {
    let transcript = Transcript::new();
    let summaries = backend([Step::text("S"), Step::text("S")]);
    let model = backend([Step::text("never")]);
    let agent = agent_on([&model])
        .counter(by_character())
        .session(transcript.session.clone())
        .compactor(compactor(&summaries, keep_two(500)))
        .build()
        .unwrap();
    let mut messages = hundreds(4);
    messages.push(Message::user("x".repeat(900)));
    let played = play(&agent, messages).await;
    assert_eq!(played.reason(), Some("context-exhausted"));
    assert!(played.error().contains("does not fit the context budget"));
    let last: Vec<&str> = played.kinds().into_iter().rev().take(2).collect();
    assert_eq!(last, ["run-failed", "compaction-done"]);
    assert!(model.calls().is_empty() && !summaries.calls().is_empty());
    assert_eq!(transcript.of("compaction").len(), 1);
    assert_eq!(transcript.reload().messages(), played.result.messages);
}

/// Cannot count a conversation.
struct Broken;

impl TokenCounter for Broken {
    fn count_messages(&self, _: &[Arc<Message>]) -> u64 {
        panic!("the vocabulary is missing")
    }
}

// Context 123
#[tokio::test(start_paused = true)]
async fn a_counter_that_fails_ends_the_run_with_its_words() {
    let model = backend([Step::text("never")]);
    let agent = agent_on([&model])
        .counter(Arc::new(Broken))
        .compactor(compactor(&backend([]), keep_two(500)))
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert!(played.error().contains("the vocabulary is missing"));
    assert_eq!(played.messages()[0].1, "Go.");
}

/// Reads the same file again after its first reading has become a stub, and then is long-winded.
async fn rereading(transcript: &Transcript) -> Played {
    let page = r#"{"path":"a"}"#;
    let reads = |id: &str| Step::calls([call_with(id, "read", page)]);
    let talks = |id: &str| Step::chunks(["m".repeat(1_500)]).with_calls([call(id, "other")]);
    let model = backend([reads("c1"), talks("c2"), reads("c3"), Step::text("Done.")]);
    let options = CompactorOptions {
        age_observations: true,
        age_min_chars: 100,
        age_reclaim_min: 1_000,
        ..keep_two(100_000)
    };
    let agent = agent_on([&model])
        .counter(by_character())
        .session(transcript.session.clone())
        .provider(provider(&["read", "other"]).with_result("read", "B".repeat(3_000).as_str()))
        .compactor(compactor(&backend([]), options))
        .build()
        .unwrap();
    ask(&agent).await
}

// Context 67
#[tokio::test(start_paused = true)]
async fn what_is_read_again_after_its_stub_is_held_once() {
    let transcript = Transcript::new();
    let played = rereading(&transcript).await;
    let held = |what: &str| {
        let messages = played.result.messages.iter();
        messages.filter(|it| it.content.starts_with(what)).count()
    };
    assert_eq!((held(STUB_PREFIX), held("BBB")), (1, 1));
    assert_eq!(transcript.of("elision").len(), 1);
    assert_eq!(played.count("compaction-done"), 1);
}

/// Runs with passes of both kinds: stubs alone, and stubs with a summary.
async fn both_kinds_of_pass(transcript: &Transcript) -> Played {
    let rounds = (0..12).map(|round| {
        let arguments = format!(r#"{{"page":{round}}}"#);
        Step::chunks(["m".repeat(300)]).with_calls([call_with(
            &format!("c{round}"),
            "read",
            &arguments,
        )])
    });
    let model = backend(rounds.chain([Step::text("Done.")]));
    let summaries = backend((0..12).map(|_| Step::text("THE SUMMARY")));
    let options = CompactorOptions {
        age_observations: true,
        age_min_chars: 100,
        age_reclaim_min: 1_500,
        ..keep_two(3_000)
    };
    let agent = agent_on([&model])
        .counter(by_character())
        .session(transcript.session.clone())
        .provider(provider(&["read"]).with_result("read", "B".repeat(600).as_str()))
        .compactor(compactor(&summaries, options))
        .build()
        .unwrap();
    ask(&agent).await
}

#[tokio::test(start_paused = true)]
async fn a_run_killed_between_any_two_lines_of_a_pass_can_be_gone_on_with() {
    let transcript = Transcript::new();
    let played = both_kinds_of_pass(&transcript).await;
    assert_eq!(played.result.text(), "Done.");
    let bytes = std::fs::read(transcript.session.path()).unwrap();
    let ends: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
    let kinds = transcript.types();
    let adjacent = kinds
        .windows(2)
        .any(|pair| pair == ["elision", "compaction"]);
    assert!(adjacent && transcript.of("elision").len() > 1, "{kinds:?}");

    for (line, kind) in kinds.iter().enumerate() {
        let near = |place: usize| kinds.get(place).map(String::as_str);
        let of_a_pass = [near(line), near(line + 1)]
            .iter()
            .any(|near| matches!(near, Some("elision" | "compaction")));
        if !of_a_pass {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cut.jsonl");
        std::fs::write(&path, &bytes[..=ends[line]]).unwrap();
        let session = Arc::new(Session::load(&path).unwrap());
        assert!(session.open_calls().is_empty(), "after {kind}");
        let model = backend([Step::text("Went on.")]);
        let summaries = backend((0..4).map(|_| Step::text("ANOTHER")));
        let agent = agent_on([&model])
            .counter(by_character())
            .session(session.clone())
            .compactor(compactor(&summaries, keep_two(3_000)))
            .build()
            .unwrap();
        let mut messages = session.messages();
        messages.push(Arc::new(Message::user("Go on.")));
        let played = finish(agent.run(messages).unwrap(), Vec::new()).await;
        assert_eq!(played.result.text(), "Went on.", "after {kind}");
        session.close();
        let again = Session::load(&path).unwrap();
        assert_eq!(again.messages(), played.result.messages, "after {kind}");
    }
}
