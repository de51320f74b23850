//! Everything an agent is told once, in its final form.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use super::bus::CompletionBus;
use super::decide::limits::Limits;
use super::event::{RunParked, RunResumed};
use super::steer::SteerSource;
use super::tools::IdempotencyRule;
use crate::Session;
use crate::backend::Backend;
use crate::canonical::ToolPattern;
use crate::context::{ArtifactStore, Compactor, Profile, RequestBudget, TokenCounter};
use crate::tool::ToolProvider;

/// The settings of an agent, as [`AgentBuilder`](super::AgentBuilder) has checked and completed
/// them.
///
/// ```
/// use std::time::Duration;
/// use sess::agent::Agent;
/// use sess::backend::ScriptedBackend;
/// let agent = Agent::builder().backend(ScriptedBackend::new([])).build()?;
/// assert_eq!(agent.config().max_retries.get(), 3);
/// assert_eq!(agent.config().round_trip_timeout, Duration::from_secs(120));
/// # Ok::<(), sess::agent::ConfigError>(())
/// ```
#[non_exhaustive]
pub struct Config {
    /// The chain of backends, the primary one first; not empty.
    pub backends: Vec<Arc<dyn Backend>>,
    /// Where tools come from; without one the agent only talks.
    pub provider: Option<Arc<dyn ToolProvider>>,
    /// Measures the conversation.
    pub counter: Arc<dyn TokenCounter>,
    /// Tokens a conversation may have.
    pub context_budget: Option<u64>,
    /// Windows, and what a run may spend.
    pub request_budget: Option<RequestBudget>,
    /// Where tool results too long for the model are kept.
    pub artifact_store: Option<Arc<dyn ArtifactStore>>,
    /// The transcript.
    pub session: Option<Arc<Session>>,
    /// Makes conversations smaller.
    pub compactor: Option<Arc<dyn Compactor>>,
    /// What the model may ask for.
    pub limits: Limits,
    /// Attempts with one backend in one walk along the chain, the first included.
    pub max_retries: NonZeroU32,
    /// The longest wait before a retry.
    pub backoff_cap: Duration,
    /// How long a stream may be silent.
    pub round_trip_timeout: Duration,
    /// How long a stream may go without data, however many signs of life it gives.
    pub data_timeout: Duration,
    /// How long a group of calls may work.
    pub tool_deadline: Option<Duration>,
    /// What making a call twice does, by tool; the first match decides.
    pub idempotency_rules: Vec<IdempotencyRule>,
    /// Tools whose neighbouring calls run together.
    pub concurrent_tools: Vec<ToolPattern>,
    /// What the user says meanwhile.
    pub steer_source: Option<Arc<dyn SteerSource>>,
    /// Work in the background.
    pub completion_bus: Option<Arc<dyn CompletionBus>>,
    /// How long a run waits for background work while nothing happens.
    pub park_idle_timeout: Duration,
    /// Called when a run begins to wait.
    pub on_park: Option<ParkHook>,
    /// Called when it goes on.
    pub on_unpark: Option<UnparkHook>,
}

/// Called when a run begins to wait for background work.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use sess::agent::ParkHook;
/// use sess::agent::event::RunParked;
///
/// let waiting = Arc::new(AtomicU64::new(0));
/// let shown = Arc::clone(&waiting);
/// let hook: ParkHook = Arc::new(move |parked| shown.store(parked.outstanding, Ordering::Relaxed));
/// hook(&RunParked { outstanding: 2, ops: vec![], round: Some(1) });
/// assert_eq!(waiting.load(Ordering::Relaxed), 2);
/// ```
pub type ParkHook = Arc<dyn Fn(&RunParked) + Send + Sync>;

/// Called when a run goes on after waiting.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use sess::agent::UnparkHook;
/// use sess::agent::event::{ResumeReason, RunResumed};
///
/// let told = Arc::new(Mutex::new(Vec::new()));
/// let ear = Arc::clone(&told);
/// let hook: UnparkHook = Arc::new(move |resumed| ear.lock().unwrap().push(resumed.reason));
/// hook(&RunResumed { reason: ResumeReason::Steer, parked_seconds: None, round: Some(1) });
/// assert_eq!(*told.lock().unwrap(), [ResumeReason::Steer]);
/// ```
pub type UnparkHook = Arc<dyn Fn(&RunResumed) + Send + Sync>;

impl Config {
    /// What is known of a model's window.
    pub fn profile_for(&self, model: &str) -> Option<&Profile> {
        self.request_budget.as_ref()?.profile_for(model)
    }

    /// The counter for requests to a model: its profile's own, else the agent's.
    pub fn counter_for(&self, model: &str) -> &Arc<dyn TokenCounter> {
        let own = self
            .profile_for(model)
            .and_then(|profile| profile.counter.as_ref());
        own.unwrap_or(&self.counter)
    }
}

/// A backend's model, or `unknown`.
pub(in crate::agent) fn model_of(backend: &dyn Backend) -> String {
    backend.model().unwrap_or_else(|| "unknown".to_owned())
}
