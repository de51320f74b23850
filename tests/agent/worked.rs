//! The worked examples of the context (7.6, 7.8, 7.9) with their numbers, row by row, and those of
//! its open decisions D5 and D16.

use std::sync::Arc;

use sess::agent::BackendSummariser;
use sess::agent::decide::verdict::{Verdict, judge};
use sess::agent::decide::window::Terms;
use sess::backend::{Step, Usage};
use sess::context::{
    CompactorOptions, Profile, RequestBudget, RequestView, RunContext, Spent, SummarisingCompactor,
    TokenCounter, UsageCounter, UsageReport,
};
use sess::{Json, Message};

use super::kit::*;

/// One tool of 150 characters, as a list.
fn tools() -> [Json; 1] {
    let tool = r#"{"type":"function","function":{"name":"fs_read","description":"Read a file","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}"#;
    [Json::parse(tool).unwrap()]
}

/// A context of 10 characters before the conversation and 306 behind it.
fn context() -> RunContext {
    RunContext::default()
        .head("identity", "IIIIIIIIII")
        .and_then(|context| context.fact("date", "2026-08-10"))
        .unwrap()
}

fn told(
    counter: &dyn TokenCounter,
    request: &RequestView<'_>,
    profile: &Profile,
    cap: Option<u64>,
) -> (String, u64) {
    let terms = Terms::measure(counter, request, profile, cap);
    (format!("needs {terms}"), terms.usable())
}

fn of_length(length: usize) -> Vec<Arc<Message>> {
    vec![Arc::new(Message::user("x".repeat(length)))]
}

fn bare(messages: &[Arc<Message>]) -> RequestView<'_> {
    RequestView {
        messages,
        ..RequestView::default()
    }
}

fn full<'a>(
    messages: &'a [Arc<Message>],
    tools: &'a [Json],
    context: &'a RunContext,
) -> RequestView<'a> {
    RequestView {
        messages,
        tools,
        head: context.head_text(),
        tail: context.tail_text(),
    }
}

// 7.6
#[test]
fn every_term_of_a_request_is_told() {
    let counter = by_character();
    let (tools, context) = (tools(), context());
    let profile = |window| Profile::new(window).with_reserve(50).with_margin(10);
    assert_eq!(
        told(
            counter.as_ref(),
            &bare(&of_length(600)),
            &profile(200),
            None
        )
        .0,
        "needs ~660 (messages 600 + tools 0 + context 0 + margin 10 + reserve 50), window 200"
    );
    assert_eq!(
        told(counter.as_ref(), &full(&of_length(100), &tools, &context), &profile(500), None),
        (
            "needs ~626 (messages 100 + tools 150 + context 316 + margin 10 + reserve 50), window 500"
                .to_owned(),
            440
        )
    );
    assert_eq!(
        told(counter.as_ref(), &bare(&of_length(300)), &Profile::new(1_000), Some(256)),
        (
            "needs ~1068 (messages 300 + tools 0 + context 0 + margin 512 + reserve 256), window 1000"
                .to_owned(),
            232
        )
    );
    let budget = RequestBudget::for_window(100);
    let profile_of_all = budget.default_profile.as_ref().unwrap();
    assert_eq!(
        told(
            counter.as_ref(),
            &bare(&of_length(500)),
            profile_of_all,
            None
        )
        .0,
        "needs ~500 (messages 500 + tools 0 + context 0 + margin 0 + reserve 0), window 100"
    );
    let fitting = Terms::measure(
        counter.as_ref(),
        &bare(&of_length(100)),
        profile_of_all,
        None,
    );
    assert!(fitting.fits());

    let learned = UsageCounter::new(counter);
    let mut messages = of_length(1);
    learned.record_usage(&UsageReport {
        prompt_tokens: 700,
        completion_tokens: None,
        messages: &messages,
        model: "m",
    });
    let call = sess::message::ToolCall::from_json(&call_with("c1", "fs_read", r#"{"path":"a"}"#));
    messages.push(Arc::new(Message::assistant("a").with_call(call)));
    messages.push(Arc::new(Message::tool("c1", "x".repeat(300))));
    assert_eq!(
        told(
            &learned,
            &full(&messages, &tools, &context),
            &profile(1_000),
            None
        )
        .0,
        "needs ~1153 (messages 1093 + tools 150 + context 316 + framing -466 + margin 10 + reserve 50), window 1000"
    );
}

// 7.8
#[test]
fn why_an_answer_was_cut_off() {
    let terms = |window, reserve, counted| Terms {
        messages: counted,
        context: 0,
        tools: 0,
        request: counted,
        margin: 0,
        reserve,
        window,
    };
    let near = |terms: Terms, usage: Usage| match judge(Some(&terms), &usage, Some(256)) {
        Verdict::NearWindow { usable, .. } => Some(usable),
        Verdict::CompletionCap { .. } => None,
    };
    let silent = Usage::default;
    assert_eq!(near(terms(1_000, 0, 900), silent()), Some(800));
    assert_eq!(near(terms(1_000, 0, 700), silent()), None);
    assert_eq!(near(terms(1_200, 100, 898), silent()), Some(880));
    assert_eq!(near(terms(10_000, 100, 12), billed(9_950, 50)), Some(11));
    let roomy = judge(Some(&terms(8_000, 100, 12)), &silent(), Some(256));
    let Verdict::CompletionCap { explanation } = roomy else {
        panic!("{roomy:?}");
    };
    let spare = "with a request of 12 tokens in a window of 8000; compaction cannot help";
    assert!(explanation.contains(spare), "{explanation}");
    // The reference would allow 720, which is more than the 600 that were refused (D7).
    assert_eq!(near(terms(1_000, 100, 600), billed(500, 500)), Some(599));
}

/// The crate's compactor, which keeps two messages and knows no other summary.
fn compactor(budget: u64) -> SummarisingCompactor {
    let summaries = backend((0..4).map(|_| Step::text("THE SUMMARY")));
    let summariser = Arc::new(BackendSummariser::new(summaries));
    let options = CompactorOptions {
        keep_recent: 2,
        ..CompactorOptions::new(budget)
    };
    SummarisingCompactor::new(summariser, by_character(), options).unwrap()
}

// 7.8, the third row as a run
#[tokio::test(start_paused = true)]
async fn an_answer_cut_near_the_window_is_asked_for_again_in_less_room() {
    let turn = |index: usize| match index % 2 {
        0 => Message::user("u".repeat(224)),
        _ => Message::assistant("a".repeat(224)),
    };
    let prompt = Message::system("SY").with_sysprompt().with_sticky();
    let model = backend([Step::length("Half an ans"), Step::text("Whole.")]);
    let profile = Profile::new(1_200).with_reserve(100).with_margin(0);
    let agent = agent_on([&model])
        .counter(by_character())
        .request_budget(RequestBudget::default().with_default_profile(profile))
        .compactor(compactor(1_200))
        .build()
        .unwrap();
    let talk = [prompt].into_iter().chain((0..4).map(turn)).collect();
    let played = play(&agent, talk).await;
    assert_eq!((played.result.text(), model.calls().len()), ("Whole.", 2));
    assert_eq!(
        [
            played.field("compaction-started", "tokens-before"),
            played.field("compaction-done", "tokens-after")
        ],
        [["898"], ["510"]]
    );
    let sizes: Vec<u64> = model
        .calls()
        .iter()
        .map(|call| by_character().count_messages(&call.messages))
        .collect();
    assert_eq!(sizes, [898, 510]);
    assert_eq!(played.count("round-started"), 1);
}

// D5: the bill covers the context, so 600 and 94 are 694 of the 800, and not 1,010.
#[tokio::test(start_paused = true)]
async fn a_context_that_was_billed_is_not_counted_again() {
    for (billed_prompt, passes) in [(600, 0), (707, 1)] {
        let model = backend([
            Step::calls([call_with("c1", "read", "{}")]).with_usage(billed(billed_prompt, 5)),
            Step::text("Done."),
        ]);
        // What is appended to the billed request: the call with all its JSON, and the result.
        let turn = Message {
            tool_calls: vec![call_with("c1", "read", "{}")],
            ..Message::assistant("")
        };
        let weight = by_character().count_messages(&[Arc::new(turn)]) as usize;
        let result = "r".repeat(94 - weight);
        let agent = agent_on([&model])
            .counter(Arc::new(UsageCounter::new(by_character())))
            .provider(provider(&["read"]).with_result("read", result.as_str()))
            .compactor(Shrinker::new(1_000, 800))
            .build()
            .unwrap();
        let run = agent.run_with_context(question(), context()).unwrap();
        let played = finish(run, Vec::new()).await;
        assert_eq!(played.result.text(), "Done.");
        assert_eq!(played.count("compaction-done"), passes, "{billed_prompt}");
    }
}

// D16: what is sticky lies between the trigger and the budget.
#[tokio::test(start_paused = true)]
async fn a_pass_that_can_change_nothing_is_told_every_round_and_harms_nothing() {
    let model = backend([
        calls("c1", "read"),
        calls("c2", "read"),
        Step::text("Done."),
    ]);
    let agent = agent_on([&model])
        .counter(by_character())
        .provider(provider(&["read"]).with_result("read", ""))
        .compactor(
            SummarisingCompactor::new(
                Arc::new(BackendSummariser::new(backend([]))),
                by_character(),
                CompactorOptions {
                    keep_recent: 20,
                    ..CompactorOptions::new(1_400)
                },
            )
            .unwrap(),
        )
        .build()
        .unwrap();
    // The trigger is 1,120; two calls of 75 characters and the tool of 88 stay under the 1,400.
    let rules = Message::system("S".repeat(1_130))
        .with_sysprompt()
        .with_sticky();
    let played = play(&agent, vec![rules, Message::user("Go.")]).await;
    assert_eq!(played.result.text(), "Done.");
    let before = played.field("compaction-started", "tokens-before");
    let after = played.field("compaction-done", "tokens-after");
    assert_eq!((before.len(), &before), (3, &after));
    assert_eq!(played.field("compaction-done", "dropped"), ["0", "0", "0"]);
    assert_eq!(played.messages().len(), 7);
}

async fn spent(steps: Vec<Step>) -> Spent {
    let agent = agent_on([&backend(steps)])
        .request_budget(RequestBudget::default())
        .build()
        .unwrap();
    ask(&agent).await.result.spent.unwrap()
}

fn priced(usage: Usage, cost: f64) -> Usage {
    Usage {
        cost: Some(cost),
        ..usage
    }
}

fn total(tokens: u64) -> Usage {
    Usage {
        total_tokens: Some(tokens),
        ..Usage::default()
    }
}

/// Total, cost in hundredths, halves, and whether everything was reported.
fn sums(spent: &Spent) -> (u64, Option<i64>, Option<u64>, Option<u64>, bool) {
    let cents = spent.cost.map(|cost| (cost * 100.0).round() as i64);
    (
        spent.total_tokens,
        cents,
        spent.prompt_tokens,
        spent.completion_tokens,
        spent.complete,
    )
}

// 7.9
#[tokio::test(start_paused = true)]
async fn what_attempts_report_is_added_up() {
    let failed = Step::http(500, "no").with_usage(priced(billed(100, 2), 0.3));
    let good = Step::text("Hi").with_usage(priced(total(40), 0.1));
    let row = spent(vec![failed, good]).await;
    assert_eq!(sums(&row), (142, Some(40), Some(100), Some(2), true));

    let failed = Step::http(500, "no").with_usage(priced(billed(100, 20), 0.02));
    let good = Step::text("Hi").with_usage(priced(billed(200, 30), 0.03));
    let row = spent(vec![failed, good]).await;
    assert_eq!(sums(&row), (350, Some(5), Some(300), Some(50), true));

    let failed = Step::http(500, "no").with_usage(total(120));
    let row = spent(vec![failed, Step::text("Hi").with_usage(billed(40, 8))]).await;
    assert_eq!(sums(&row), (168, None, Some(40), Some(8), true));

    let cached = |tokens| Usage {
        cached_prompt_tokens: Some(tokens),
        ..billed(200, 1)
    };
    let failed = Step::http(500, "no").with_usage(cached(80));
    let row = spent(vec![failed, Step::text("Hi").with_usage(cached(150))]).await;
    assert_eq!(
        (row.cached_prompt_tokens, row.total_tokens),
        (Some(230), 402)
    );

    let mut row = Spent::default();
    let attempt = Spent {
        total_tokens: 15,
        prompt_tokens: Some(10),
        completion_tokens: Some(5),
        cost: Some(0.1),
        ..Spent::default()
    };
    let other = Spent {
        total_tokens: 400,
        prompt_tokens: Some(300),
        completion_tokens: Some(100),
        cost: Some(0.5),
        ..Spent::default()
    };
    for record in [&attempt, &attempt, &other] {
        row.absorb(record);
    }
    assert_eq!(sums(&row), (430, Some(70), Some(320), Some(110), true));
}

// 7.9, last, and D13, decided otherwise (decision 14): such a cap would end every run before its first
// request, so it is refused when the agent is built.
#[test]
fn a_cost_cap_of_nothing_is_refused() {
    let agent =
        agent_on([&backend([])]).request_budget(RequestBudget::default().with_max_cost(0.0));
    let refused = agent.build().err().map(|error| error.to_string());
    assert_eq!(
        refused.as_deref(),
        Some(
            "request_budget: the cost cap is not above 0, so no run could start; raise it or leave it out"
        )
    );
}
