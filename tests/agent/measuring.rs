//! 12.13: whose counter measures what.

use std::sync::{Arc, Mutex};

use sess::Message;
use sess::agent::Agent;
use sess::backend::Step;
use sess::context::{
    HeuristicCounter, Profile, RequestBudget, RequestView, RunContext, TokenCounter, UsageReport,
};

use super::kit::*;

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
