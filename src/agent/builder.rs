//! Putting an agent together.

use std::sync::Arc;
use std::time::Duration;

use super::agent::Agent;
use super::bus::CompletionBus;
use super::config::{ParkHook, UnparkHook};
use super::event::{RunParked, RunResumed};
use super::hooks::AgentHooks;
use super::steer::SteerSource;
use super::tools::Idempotency;
use super::validate::{self, ConfigError};
use crate::Session;
use crate::backend::Backend;
use crate::context::{ArtifactStore, Compactor, RequestBudget, TokenCounter};
use crate::tool::ToolProvider;

/// What an agent is made of. Only a backend is required.
///
/// ```
/// use sess::agent::Agent;
/// use sess::backend::{ScriptedBackend, Step};
///
/// let agent = Agent::builder()
///     .backend(ScriptedBackend::new([Step::text("Hello!")]))
///     .max_tool_rounds(20)
///     .build()?;
/// assert_eq!(agent.config().limits.tool_rounds, 20);
/// # Ok::<(), sess::agent::ConfigError>(())
/// ```
pub struct AgentBuilder {
    pub(super) backends: Vec<Arc<dyn Backend>>,
    pub(super) provider: Option<Arc<dyn ToolProvider>>,
    pub(super) counter: Option<Arc<dyn TokenCounter>>,
    pub(super) context_budget: Option<u64>,
    pub(super) request_budget: Option<RequestBudget>,
    pub(super) artifact_store: Option<Arc<dyn ArtifactStore>>,
    pub(super) session: Option<Arc<Session>>,
    pub(super) compactor: Option<Arc<dyn Compactor>>,
    pub(super) max_tool_rounds: u64,
    pub(super) max_tool_calls: u64,
    pub(super) max_identical_calls: u64,
    pub(super) identical_call_exempt: Vec<String>,
    pub(super) max_retries: u32,
    pub(super) backoff_cap: Duration,
    pub(super) round_trip_timeout: Duration,
    pub(super) data_timeout: Duration,
    pub(super) tool_deadline: Option<Duration>,
    pub(super) idempotency_rules: Vec<(String, Idempotency)>,
    pub(super) concurrent_tools: Vec<String>,
    pub(super) steer_source: Option<Arc<dyn SteerSource>>,
    pub(super) completion_bus: Option<Arc<dyn CompletionBus>>,
    pub(super) park_idle_timeout: Duration,
    pub(super) on_park: Option<ParkHook>,
    pub(super) on_unpark: Option<UnparkHook>,
    pub(super) hooks: AgentHooks,
}

impl Default for AgentBuilder {
    fn default() -> Self {
        Self {
            backends: Vec::new(),
            provider: None,
            counter: None,
            context_budget: None,
            request_budget: None,
            artifact_store: None,
            session: None,
            compactor: None,
            max_tool_rounds: 1_000,
            max_tool_calls: 10_000,
            max_identical_calls: 30,
            identical_call_exempt: Vec::new(),
            max_retries: 3,
            backoff_cap: Duration::from_secs(30),
            round_trip_timeout: Duration::from_secs(120),
            data_timeout: Duration::from_secs(600),
            tool_deadline: None,
            idempotency_rules: Vec::new(),
            concurrent_tools: Vec::new(),
            steer_source: None,
            completion_bus: None,
            park_idle_timeout: Duration::from_secs(1_800),
            on_park: None,
            on_unpark: None,
            hooks: AgentHooks::default(),
        }
    }
}

/// Models and tools.
impl AgentBuilder {
    /// Adds a backend at the end of the chain. Each round trip starts at its beginning.
    pub fn backend(self, backend: impl Backend + 'static) -> Self {
        self.shared_backend(Arc::new(backend))
    }

    /// The same with a backend that is shared.
    pub fn shared_backend(mut self, backend: Arc<dyn Backend>) -> Self {
        self.backends.push(backend);
        self
    }

    /// Where tools come from. Without a provider no tools are declared, and calls the model makes
    /// up are ignored.
    pub fn provider(self, provider: impl ToolProvider + 'static) -> Self {
        self.shared_provider(Arc::new(provider))
    }

    /// The same with a provider that is shared.
    pub fn shared_provider(mut self, provider: Arc<dyn ToolProvider>) -> Self {
        self.provider = Some(provider);
        self
    }

    /// Hooks that tools were given before the agent was made.
    pub fn hooks(mut self, hooks: AgentHooks) -> Self {
        self.hooks = hooks;
        self
    }

    /// Attempts with one backend in one walk along the chain, the first included; 3.
    pub fn max_retries(mut self, attempts: u32) -> Self {
        self.max_retries = attempts;
        self
    }

    /// The longest wait before a retry, also when the server asks for a longer one; 30 seconds.
    pub fn backoff_cap(mut self, cap: Duration) -> Self {
        self.backoff_cap = cap;
        self
    }

    /// How long a stream may be silent; 120 seconds.
    pub fn round_trip_timeout(mut self, silence: Duration) -> Self {
        self.round_trip_timeout = silence;
        self
    }

    /// How long a stream may go without data, however many signs of life it gives; 600 seconds.
    pub fn data_timeout(mut self, silence: Duration) -> Self {
        self.data_timeout = silence;
        self
    }
}

/// Recording and measuring.
impl AgentBuilder {
    /// The transcript. A run extends it; see [`Agent::run`]. Lines are written where the run is
    /// driven: with a session that syncs each line to its device, use a runtime of several threads.
    pub fn session(mut self, session: impl Into<Arc<Session>>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// Where tool results too long for the model are kept. By default a folder beside the
    /// transcript, named after it and ending in `.artifacts`, created with the first such result.
    pub fn artifact_store(mut self, store: impl ArtifactStore + 'static) -> Self {
        self.artifact_store = Some(Arc::new(store));
        self
    }

    /// Measures the conversation. A compactor should measure with the same one.
    pub fn counter(mut self, counter: Arc<dyn TokenCounter>) -> Self {
        self.counter = Some(counter);
        self
    }

    /// Makes conversations smaller. Its budget becomes the agent's context budget.
    pub fn compactor(mut self, compactor: impl Compactor + 'static) -> Self {
        self.compactor = Some(Arc::new(compactor));
        self
    }

    /// Tokens a request may have: the short form of a request budget with one profile for all
    /// models, without reserve and margin.
    ///
    /// With it, as with a compactor, the agent has a request budget, and so excerpts tool results
    /// above 16,384 characters, refuses requests that do not fit, and reports what a run spends.
    pub fn context_budget(mut self, tokens: u64) -> Self {
        self.context_budget = Some(tokens);
        self
    }

    /// Windows by model, and what a run may spend.
    pub fn request_budget(mut self, budget: RequestBudget) -> Self {
        self.request_budget = Some(budget);
        self
    }
}

/// What the model may ask for.
impl AgentBuilder {
    /// Rounds with tool calls before tools are switched off; 1,000.
    pub fn max_tool_rounds(mut self, rounds: u64) -> Self {
        self.max_tool_rounds = rounds;
        self
    }

    /// Calls before tools are switched off; 10,000.
    pub fn max_tool_calls(mut self, calls: u64) -> Self {
        self.max_tool_calls = calls;
        self
    }

    /// How often one tool may be called with the same arguments; 30.
    pub fn max_identical_calls(mut self, calls: u64) -> Self {
        self.max_identical_calls = calls;
        self
    }

    /// Tools that may be called with the same arguments any number of times: names, or beginnings
    /// of names followed by `*`.
    pub fn identical_call_exempt<P: Into<String>>(
        mut self,
        tools: impl IntoIterator<Item = P>,
    ) -> Self {
        self.identical_call_exempt
            .extend(tools.into_iter().map(Into::into));
        self
    }

    /// How long a group of calls may work before nobody waits for it any more. Time in which a
    /// human is asked does not count. By default, for ever.
    pub fn tool_deadline(mut self, deadline: Duration) -> Self {
        self.tool_deadline = Some(deadline);
        self
    }

    /// What making a call twice does, for the tools a pattern speaks of. The first match decides.
    /// It is recorded with each call and changes nothing else.
    pub fn idempotency(mut self, tools: impl Into<String>, class: Idempotency) -> Self {
        self.idempotency_rules.push((tools.into(), class));
        self
    }

    /// Tools whose neighbouring calls are handed over together. Only for tools whose effects stay
    /// within their own resources: a crash or a cancel leaves the whole group unknown.
    pub fn concurrent_tools<P: Into<String>>(mut self, tools: impl IntoIterator<Item = P>) -> Self {
        self.concurrent_tools
            .extend(tools.into_iter().map(Into::into));
        self
    }
}

/// What happens beside a run.
impl AgentBuilder {
    /// What the user says meanwhile.
    pub fn steer_source(mut self, source: impl SteerSource + 'static) -> Self {
        self.steer_source = Some(Arc::new(source));
        self
    }

    /// Work in the background.
    pub fn completion_bus(mut self, bus: Arc<dyn CompletionBus>) -> Self {
        self.completion_bus = Some(bus);
        self
    }

    /// How long a run waits for background work while nothing happens; half an hour.
    pub fn park_idle_timeout(mut self, idle: Duration) -> Self {
        self.park_idle_timeout = idle;
        self
    }

    /// Called when a run begins to wait for background work.
    pub fn on_park(mut self, hook: impl Fn(&RunParked) + Send + Sync + 'static) -> Self {
        self.on_park = Some(Arc::new(hook));
        self
    }

    /// Called when it goes on, once for each call of the other hook.
    pub fn on_unpark(mut self, hook: impl Fn(&RunResumed) + Send + Sync + 'static) -> Self {
        self.on_unpark = Some(Arc::new(hook));
        self
    }

    /// The agent.
    ///
    /// # Errors
    /// The first setting that makes no sense, by its name and with what to do about it.
    pub fn build(self) -> Result<Agent, ConfigError> {
        let hooks = self.hooks.clone();
        validate::config(self).map(|config| Agent::new(config, hooks))
    }
}
