//! What an agent refuses to be built of (41, 57, 161).

use std::time::Duration;

use sess::agent::{Agent, AgentBuilder, ConfigError};
use sess::backend::Step;
use sess::context::{Profile, RequestBudget};

use super::kit::*;

fn base() -> AgentBuilder {
    agent_on([&backend([Step::text("Hi")])])
}

fn refusal(builder: AgentBuilder) -> String {
    match builder.build() {
        Ok(_) => panic!("it was built"),
        Err(error) => error.to_string(),
    }
}

// 41, 57, 161
#[test]
fn a_refusal_names_the_option_and_says_what_to_do() {
    let cases = [
        (
            Agent::builder(),
            "backends: there is none; add at least one with backend()",
        ),
        (
            base().round_trip_timeout(Duration::ZERO),
            "round_trip_timeout: it has to be above 0",
        ),
        (
            base().data_timeout(Duration::ZERO),
            "data_timeout: it has to be above 0",
        ),
        (base().max_retries(0), "max_retries: it has to be above 0"),
        (
            base().max_identical_calls(0),
            "max_identical_calls: it has to be above 0",
        ),
        (
            base().backoff_cap(Duration::ZERO),
            "backoff_cap: it has to be above 0",
        ),
        (
            base().tool_deadline(Duration::ZERO),
            "tool_deadline: it has to be above 0",
        ),
        (
            base().park_idle_timeout(Duration::ZERO),
            "park_idle_timeout: it has to be above 0",
        ),
        (
            base().concurrent_tools(["task", " "]),
            "concurrent_tools[1]: the tool pattern is blank; write a tool's name, or the beginning of one and *",
        ),
        (
            base().identical_call_exempt([""]),
            "identical_call_exempt[0]: the tool pattern is blank; write a tool's name, or the beginning of one and *",
        ),
        (
            base().idempotency("", sess::agent::Idempotency::ReadOnly),
            "idempotency[0]: the tool pattern is blank; write a tool's name, or the beginning of one and *",
        ),
        (
            base().request_budget(RequestBudget::default().with_max_total_tokens(0)),
            "request_budget: the total-tokens cap is not above 0, so no run could start; raise it or leave it out",
        ),
        (
            base().context_budget(0),
            "request_budget: profile \"default\": context_window is 0; give the model's window in tokens",
        ),
        (
            base().compactor(Shrinker::new(100, 80)).context_budget(200),
            "context_budget 200 is not the compactor's 100; leave it out, or give both the same",
        ),
        (
            base()
                .request_budget(RequestBudget::for_window(100))
                .context_budget(200),
            "context_budget 200 is not the request_budget's default window 100; leave one of them out, or make them agree",
        ),
        (
            base()
                .request_budget(
                    RequestBudget::default().with_profile("scripted-model", Profile::new(2_000)),
                )
                .compactor(Shrinker::new(3_000, 80)),
            "compactor: its budget 3000 is larger than the window 2000 of the primary backend's model \"scripted-model\"; lower it",
        ),
    ];
    for (builder, expected) in cases {
        assert_eq!(refusal(builder), expected);
    }
}

#[test]
fn the_first_problem_is_the_one_that_is_told() {
    let builder = Agent::builder().max_retries(0).context_budget(0);
    assert_eq!(builder.build().err(), Some(ConfigError::NoBackends));
    let builder = base().context_budget(0).max_retries(0);
    assert!(refusal(builder).starts_with("request_budget"));
}

// 41, 161
#[test]
fn budgets_that_agree_or_speak_of_others_are_fine() {
    let other = RequestBudget::default().with_profile("other", Profile::new(100));
    for builder in [
        base()
            .context_budget(200)
            .request_budget(RequestBudget::for_window(200)),
        base().context_budget(200).request_budget(other),
        base().context_budget(200).compactor(Shrinker::new(200, 80)),
        base().compactor(Shrinker::new(200, 80)),
        base().max_tool_rounds(0).max_tool_calls(0),
    ] {
        assert!(builder.build().is_ok());
    }
}
