//! Checks what an agent is made of, in a fixed order, and completes it.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use super::builder::AgentBuilder;
use super::config::{Config, model_of};
use super::decide::limits::Limits;
use super::tools::IdempotencyRule;
use crate::backend::Backend;
use crate::canonical::ToolPattern;
use crate::context::{ArtifactStore, BudgetError, FolderStore, RequestBudget, default_counter};

/// A setting that makes no sense.
///
/// ```
/// use sess::agent::{Agent, ConfigError};
/// assert_eq!(Agent::builder().build().err(), Some(ConfigError::NoBackends));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// There is nobody to ask.
    #[error("backends: there is none; add at least one with backend()")]
    NoBackends,
    /// The request budget makes no sense in itself.
    #[error("request_budget: {0}")]
    Budget(#[from] BudgetError),
    /// Two budgets for one conversation.
    #[error(
        "context_budget {given} is not the compactor's {compactor}; leave it out, or give both the same"
    )]
    CompactorDisagrees {
        /// What was given.
        given: u64,
        /// What the compactor has.
        compactor: u64,
    },
    /// Two windows for one model.
    #[error(
        "context_budget {given} is not the request_budget's default window {window}; leave one of them out, or make them agree"
    )]
    BudgetsDisagree {
        /// What was given.
        given: u64,
        /// The default profile's window.
        window: u64,
    },
    /// The compactor aims at more than the primary backend takes.
    #[error(
        "compactor: its budget {budget} is larger than the window {window} of the primary backend's model {model:?}; lower it"
    )]
    CompactorTooLarge {
        /// The compactor's budget.
        budget: u64,
        /// The window.
        window: u64,
        /// The model.
        model: String,
    },
    /// A number that has to be above zero is not.
    #[error("{option}: it has to be above 0")]
    NotPositive {
        /// The option.
        option: &'static str,
    },
    /// A pattern that speaks of no tool.
    #[error(
        "{option}[{index}]: the tool pattern is blank; write a tool's name, or the beginning of one and *"
    )]
    BlankPattern {
        /// The option.
        option: &'static str,
        /// Its place in the list, from 0.
        index: usize,
    },
}

/// The checks, in their order, and what follows from what was given.
pub(super) fn config(given: AgentBuilder) -> Result<Config, ConfigError> {
    let primary = given.backends.first().ok_or(ConfigError::NoBackends)?;
    if let Some(budget) = &given.request_budget {
        budget.check()?;
    }
    let context_budget = context_budget(&given)?;
    check_default_window(&given, context_budget)?;
    let request_budget = given
        .request_budget
        .clone()
        .or_else(|| context_budget.map(RequestBudget::for_window));
    if let Some(budget) = &request_budget {
        budget.check()?;
    }
    check_compactor(&given, request_budget.as_ref(), primary.as_ref())?;
    check_positive(&given)?;
    let max_retries = NonZeroU32::new(given.max_retries).ok_or(not_positive("max_retries"))?;
    let artifact_store = given.artifact_store.or_else(|| {
        let session = given.session.as_ref()?;
        Some(Arc::new(FolderStore::beside(session.path())) as Arc<dyn ArtifactStore>)
    });
    Ok(Config {
        idempotency_rules: rules(given.idempotency_rules)?,
        concurrent_tools: patterns("concurrent_tools", given.concurrent_tools)?,
        limits: Limits {
            tool_rounds: given.max_tool_rounds,
            tool_calls: given.max_tool_calls,
            identical_calls: given.max_identical_calls,
            identical_exempt: patterns("identical_call_exempt", given.identical_call_exempt)?,
        },
        backends: given.backends,
        provider: given.provider,
        counter: given.counter.unwrap_or_else(default_counter),
        context_budget,
        request_budget,
        artifact_store,
        session: given.session,
        compactor: given.compactor,
        max_retries,
        backoff_cap: given.backoff_cap,
        round_trip_timeout: given.round_trip_timeout,
        data_timeout: given.data_timeout,
        tool_deadline: given.tool_deadline,
        steer_source: given.steer_source,
        completion_bus: given.completion_bus,
        park_idle_timeout: given.park_idle_timeout,
        on_park: given.on_park,
        on_unpark: given.on_unpark,
    })
}

/// The context budget that was given, else the compactor's.
fn context_budget(given: &AgentBuilder) -> Result<Option<u64>, ConfigError> {
    let compactor = given
        .compactor
        .as_ref()
        .map(|compactor| compactor.context_budget());
    match (given.context_budget, compactor) {
        (Some(given), Some(compactor)) if given != compactor => {
            Err(ConfigError::CompactorDisagrees { given, compactor })
        }
        (given, compactor) => Ok(given.or(compactor)),
    }
}

fn check_default_window(
    given: &AgentBuilder,
    context_budget: Option<u64>,
) -> Result<(), ConfigError> {
    let profile = given
        .request_budget
        .as_ref()
        .and_then(|budget| budget.default_profile.as_ref());
    match (given.context_budget.and(context_budget), profile) {
        (Some(given), Some(profile)) if profile.context_window != given => {
            Err(ConfigError::BudgetsDisagree {
                given,
                window: profile.context_window,
            })
        }
        _ => Ok(()),
    }
}

/// The fallbacks may be smaller: what does not fit them is compacted when it comes to that.
fn check_compactor(
    given: &AgentBuilder,
    budget: Option<&RequestBudget>,
    primary: &dyn Backend,
) -> Result<(), ConfigError> {
    let model = model_of(primary);
    let window = budget
        .and_then(|budget| budget.profile_for(&model))
        .map(|profile| profile.context_window);
    match (
        given
            .compactor
            .as_ref()
            .map(|compactor| compactor.context_budget()),
        window,
    ) {
        (Some(budget), Some(window)) if budget > window => Err(ConfigError::CompactorTooLarge {
            budget,
            window,
            model,
        }),
        _ => Ok(()),
    }
}

fn check_positive(given: &AgentBuilder) -> Result<(), ConfigError> {
    let numbers = [
        ("round_trip_timeout", !given.round_trip_timeout.is_zero()),
        ("data_timeout", !given.data_timeout.is_zero()),
        ("max_retries", given.max_retries > 0),
        ("max_identical_calls", given.max_identical_calls > 0),
        ("backoff_cap", !given.backoff_cap.is_zero()),
        ("tool_deadline", given.tool_deadline != Some(Duration::ZERO)),
        ("park_idle_timeout", !given.park_idle_timeout.is_zero()),
    ];
    match numbers.into_iter().find(|(_, positive)| !positive) {
        Some((option, _)) => Err(not_positive(option)),
        None => Ok(()),
    }
}

fn not_positive(option: &'static str) -> ConfigError {
    ConfigError::NotPositive { option }
}

fn rules(
    given: Vec<(String, super::tools::Idempotency)>,
) -> Result<Vec<IdempotencyRule>, ConfigError> {
    let (tools, classes): (Vec<String>, Vec<_>) = given.into_iter().unzip();
    let tools = patterns("idempotency", tools)?;
    Ok(tools
        .into_iter()
        .zip(classes)
        .map(|(tool, class)| IdempotencyRule { tool, class })
        .collect())
}

fn patterns(option: &'static str, given: Vec<String>) -> Result<Vec<ToolPattern>, ConfigError> {
    let pattern = |(index, text): (usize, String)| {
        let blank = ConfigError::BlankPattern { option, index };
        match text.trim().is_empty() {
            true => Err(blank),
            false => ToolPattern::new(text).map_err(|_| blank),
        }
    };
    given.into_iter().enumerate().map(pattern).collect()
}
