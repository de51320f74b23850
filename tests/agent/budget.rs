//! 12.13 and 12.14: windows, what a run spends, and results too long for the model.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use sess::agent::Agent;
use sess::backend::{ScriptedBackend, Step, Usage};
use sess::context::{
    FolderStore, HeuristicCounter, Profile, RequestBudget, RequestView, RunContext, Spent,
    TokenCounter, UsageReport,
};
use sess::tool::ToolAnswer;
use sess::{Message, Session};

use super::kit::*;

fn long(characters: usize) -> Vec<Message> {
    vec![Message::user("x".repeat(characters))]
}

fn named(model: &str, steps: impl IntoIterator<Item = Step>) -> Arc<ScriptedBackend> {
    Arc::new(ScriptedBackend::new(steps).with_model(Some(model)))
}

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

/// Records what it is asked and told.
#[derive(Default)]
struct Spy {
    told: Mutex<Vec<String>>,
    unit: u64,
}

impl TokenCounter for Spy {
    fn count_messages(&self, messages: &[Arc<Message>]) -> u64 {
        by_character().count_messages(messages) * self.unit.max(1)
    }
    fn count_request(&self, request: &RequestView<'_>) -> u64 {
        let halves = [request.head, request.tail].map(|half| half.map_or(0, str::len));
        self.tell(format!("request {} {halves:?}", request.tools.len()));
        self.count_messages(request.messages)
    }
    fn record_usage(&self, report: &UsageReport<'_>) {
        self.tell(format!("usage {}", report.model));
    }
    fn invalidate(&self) {
        self.tell("forget".to_owned());
    }
}

impl Spy {
    fn tell(&self, what: String) {
        self.told.lock().unwrap().push(what);
    }
    fn heard(&self) -> Vec<String> {
        std::mem::take(&mut self.told.lock().unwrap())
    }
}

// 155, 165
#[tokio::test(start_paused = true)]
async fn every_backend_is_measured_in_its_own_units() {
    let strict = Arc::new(Spy {
        unit: 100,
        ..Spy::default()
    });
    let lax = Arc::new(Spy::default());
    let profile = |counter: &Arc<Spy>| {
        Profile::new(1_000)
            .with_reserve(0)
            .with_margin(0)
            .with_counter(counter.clone())
    };
    let budget = RequestBudget::default()
        .with_profile("strict", profile(&strict))
        .with_profile("lax", profile(&lax));
    let (first, second) = (
        named("strict", []),
        named("lax", [Step::text("Hi").with_usage(billed(5, 1))]),
    );
    let agent = agent_on([&first, &second])
        .request_budget(budget)
        .provider(provider(&["read"]))
        .build()
        .unwrap();
    let context = RunContext::default().head("h", "HEAD").unwrap();
    let run = agent.run_with_context(long(50), context).unwrap();
    let played = finish(run, Vec::new()).await;
    assert_eq!((played.result.text(), first.calls().len()), ("Hi", 0));
    assert_eq!(strict.heard(), ["request 1 [4, 0]"]);
    assert_eq!(lax.heard(), ["request 1 [4, 0]", "usage lax"]);
}

// 163
#[tokio::test(start_paused = true)]
async fn what_a_counter_learned_holds_for_one_shape_of_request() {
    let spy = Arc::new(Spy::default());
    let backend = backend(["1", "2", "3", "4"].map(Step::text));
    let tools = provider(&["read"]);
    let agent = agent_on([&backend])
        .counter(spy.clone())
        .provider(tools.clone())
        .build()
        .unwrap();
    let context = |day: &str| RunContext::default().fact("Day", day).unwrap();
    let mut heard = Vec::new();
    for (day, more_tools) in [
        ("Monday", false),
        ("Monday", false),
        ("Tuesday", false),
        ("Tuesday", true),
    ] {
        if more_tools {
            tools.set_declarations(Vec::new());
        }
        let run = agent.run_with_context(question(), context(day)).unwrap();
        finish(run, Vec::new()).await;
        heard.push(spy.heard().iter().filter(|told| *told == "forget").count());
    }
    assert_eq!(heard, [0, 0, 1, 1]);
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

// 166
#[tokio::test(start_paused = true)]
async fn a_forced_compaction_is_measured_by_the_backend_that_asks_for_the_least() {
    let counted = |unit: u64| -> Arc<dyn TokenCounter> {
        Arc::new(Spy {
            unit,
            ..Spy::default()
        })
    };
    let profile = |window, unit| {
        Profile::new(window)
            .with_reserve(0)
            .with_margin(0)
            .with_counter(counted(unit))
    };
    let budget = RequestBudget::default()
        .with_profile("tight", profile(1_000, 10))
        .with_profile("roomy", profile(900, 1));
    let (tight, roomy) = (named("tight", [Step::text("tight")]), named("roomy", []));
    let agent = agent_on([&tight, &roomy])
        .request_budget(budget)
        .compactor(Shrinker::new(500, 100_000))
        .build()
        .unwrap();
    let messages = vec![Message::user("x".repeat(997)), Message::user("Go.")];
    let played = play(&agent, messages).await;
    // Roomy wants 900 of 1,000, tight 1,000 of 10,000; the walk starts over at tight all the same.
    assert_eq!(
        played.field("compaction-started", "tokens-before"),
        ["1000"]
    );
    assert_eq!(played.field("compaction-done", "tokens-after"), ["11"]);
    assert_eq!(played.result.text(), "tight");
}

// 167, 169, 170, 172
#[tokio::test(start_paused = true)]
async fn a_long_result_is_excerpted_once_and_kept_in_full() {
    let transcript = Transcript::new();
    let full = "y".repeat(17_000);
    let backend = backend([
        calls("c1", "read"),
        Step::text("Done."),
        Step::text("Again."),
    ]);
    let agent = agent_on([&backend])
        .context_budget(100_000)
        .provider(provider(&["read"]).with_result("read", ToolAnswer::new(full.clone())))
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert!(played.result.spent.is_some());
    let seen = played.messages()[2].1.to_owned();
    assert_eq!(
        seen.chars().filter(|character| *character == 'y').count(),
        16_385,
        "16,384 and the y of bytes"
    );
    assert_eq!(played.field("tool-result", "content"), [seen.as_str()]);
    assert_eq!(text_of(&transcript.of("message")[2], "content"), seen);
    let artifact = played.of("tool-result")[0].get("artifact").unwrap();
    let numbers = ["bytes", "chars", "elided-chars"].map(|key| text_of(&artifact, key));
    assert_eq!(numbers, ["17000", "17000", "616"]);
    assert_eq!(
        transcript.of("tool-settled")[0].get("artifact"),
        Some(artifact.clone())
    );
    let folder = transcript.folder.path().join("run.artifacts");
    let kept = std::fs::read_to_string(folder.join(text_of(&artifact, "file"))).unwrap();
    assert_eq!(kept, full);
    let digest = text_of(&artifact, "digest");
    assert!(seen.contains(&format!(
        "elided 616 chars (17,000 bytes total); full result: {} sha256 {digest}",
        text_of(&artifact, "file")
    )));

    // 170: the folder may vanish.
    std::fs::remove_dir_all(folder).unwrap();
    let mut messages = transcript.session.messages();
    messages.push(Arc::new(Message::user("Again.")));
    let again = finish(agent.run(messages).unwrap(), Vec::new()).await;
    assert_eq!(again.result.text(), "Again.");
    assert_eq!(transcript.reload().messages(), again.result.messages);
}

// 174
#[tokio::test(start_paused = true)]
async fn strangers_and_gaps_in_the_folder_of_artifacts_do_no_harm() {
    let transcript = Transcript::new();
    let backend = backend([
        calls("c1", "read"),
        calls("c2", "read"),
        Step::text("Done."),
        Step::text("Again."),
    ]);
    let agent = excerpting(&backend, 101)
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let first = ask(&agent).await;
    let files: Vec<String> = first
        .of("tool-result")
        .iter()
        .map(|result| text_of(&result.get("artifact").unwrap(), "file"))
        .collect();
    let folder = transcript.folder.path().join("run.artifacts");
    std::fs::remove_file(folder.join(&files[0])).unwrap();
    std::fs::write(folder.join("stranger.txt"), "not ours").unwrap();

    let mut messages = transcript.session.messages();
    messages.push(Arc::new(Message::user("Again.")));
    let again = finish(agent.run(messages).unwrap(), Vec::new()).await;
    assert_eq!(again.result.text(), "Again.");
    let reloaded = transcript.reload();
    assert_eq!(reloaded.messages(), again.result.messages);
    assert!(reloaded.warnings().is_empty());
    let kept = ["stranger.txt", &files[1]].map(|name| folder.join(name));
    let kept = kept.map(|path| std::fs::read_to_string(path).unwrap());
    assert_eq!(kept, ["not ours".to_owned(), "z".repeat(101)]);
}

fn excerpting(backend: &Arc<ScriptedBackend>, length: usize) -> sess::agent::AgentBuilder {
    agent_on([backend])
        .request_budget(RequestBudget::default().with_max_observation_size(100))
        .provider(provider(&["read"]).with_result("read", ToolAnswer::new("z".repeat(length))))
}

// 171, 172, 173
#[tokio::test(start_paused = true)]
async fn a_result_that_cannot_be_kept_is_excerpted_all_the_same() {
    let script = || backend([calls("c1", "read"), Step::text("Done.")]);
    // 171
    let played = ask(&excerpting(&script(), 101).build().unwrap()).await;
    assert!(played.messages()[2].1.contains("was not stored"));
    assert_eq!(played.field("tool-result", "artifact"), ["-"]);
    // 172
    let transcript = Transcript::new();
    let played = ask(&excerpting(&script(), 100)
        .session(transcript.session.clone())
        .build()
        .unwrap())
    .await;
    assert_eq!(played.messages()[2].1, "z".repeat(100));
    assert!(!transcript.folder.path().join("run.artifacts").exists());
    // 173: a file stands where the folder should be.
    let transcript = Transcript::new();
    std::fs::write(transcript.folder.path().join("blocked"), "").unwrap();
    let store = FolderStore::new(transcript.folder.path().join("blocked"));
    let agent = excerpting(&script(), 101)
        .session(transcript.session.clone())
        .artifact_store(store)
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert!(played.messages()[2].1.contains("could not be stored"));
    let warnings = played.of("log");
    assert_eq!(
        (warnings.len(), text_of(&warnings[0], "level")),
        (1, "warning".to_owned())
    );
    assert_eq!(
        text_of(&transcript.of("tool-settled")[0], "outcome"),
        "completed"
    );
    assert!(played.result.is_completed());
    assert!(
        Session::load(transcript.session.path()).is_err(),
        "still open"
    );
}

// 32: a budget alone counts with the counter it is given.
#[tokio::test(start_paused = true)]
async fn tokens_are_those_of_the_given_counter() {
    let counter = Arc::new(HeuristicCounter::new(1, 100).unwrap());
    let agent = Agent::builder()
        .shared_backend(backend([Step::text("Hi")]))
        .counter(counter)
        .context_budget(1_000)
        .build()
        .unwrap();
    assert_eq!(ask(&agent).await.field("round-started", "tokens"), ["103"]);
}
