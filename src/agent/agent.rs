//! [`Agent`]: takes runs, one at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::builder::AgentBuilder;
use super::config::Config;
use super::drive::{Shape, StreamSlot, Task};
use super::event::NonTerminal;
use super::grants::GrantsWriter;
use super::hooks::AgentHooks;
use super::ledger::Ledger;
use super::run::{Emitter, Mailbox, Run, RunHandle};
use crate::Message;
use crate::context::{RunContext, Spent};
use crate::id::RunId;

/// A configured agent. Clones are the same agent. It takes one run at a time.
///
/// ```
/// use sess::Message;
/// use sess::agent::Agent;
/// use sess::backend::{ScriptedBackend, Step};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = Agent::builder().backend(ScriptedBackend::new([Step::text("Four.")])).build()?;
/// let mut run = agent.run([Message::user("Two and two?")])?;
/// while let Some(event) = run.next_event().await {
///     println!("{}", event.kind());
/// }
/// assert_eq!(run.result().await.text(), "Four.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Agent {
    core: Arc<Core>,
}

/// What an agent keeps from run to run.
pub(in crate::agent) struct Core {
    pub(in crate::agent) config: Config,
    pub(in crate::agent) hooks: AgentHooks,
    pub(in crate::agent) grants: Option<Arc<GrantsWriter>>,
    ledger: Mutex<Option<Ledger>>,
    /// What each counter was last used for, by its address. The configuration holds every counter,
    /// so no address is used twice.
    shapes: Mutex<HashMap<usize, Shape>>,
}

/// Why a run was not started. Nothing has happened then.
///
/// ```
/// use sess::Message;
/// use sess::agent::{Agent, RunError};
/// use sess::backend::ScriptedBackend;
/// let agent = Agent::builder().backend(ScriptedBackend::new([])).build()?;
/// assert_eq!(agent.run([Message::user("Hi")]).err(), Some(RunError::NoRuntime));
/// # Ok::<(), sess::agent::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// There are no messages.
    #[error("there is nothing to send: the list of messages is empty")]
    NothingToSend,
    /// Another run is not drained yet. [`Agent::run_when_drained`] waits for it.
    #[error("run {run_id} is still in flight; wait until it is drained")]
    InFlight {
        /// That run.
        run_id: RunId,
    },
    /// The caller is not inside a tokio runtime.
    #[error("a run needs a tokio runtime; call this from inside one")]
    NoRuntime,
}

impl Agent {
    /// An agent with default settings, to be given its parts.
    pub fn builder() -> AgentBuilder {
        AgentBuilder::default()
    }

    pub(super) fn new(config: Config, hooks: AgentHooks) -> Self {
        let parts = config.provider.clone().zip(config.session.clone());
        let grants =
            parts.map(|(provider, session)| Arc::new(GrantsWriter::new(provider, session)));
        if let Some(writer) = &grants {
            hooks.bind_grants(Arc::clone(writer));
        }
        Self {
            core: Arc::new(Core {
                config,
                hooks,
                grants,
                ledger: Mutex::new(None),
                shapes: Mutex::default(),
            }),
        }
    }

    /// Starts a run on a conversation and returns at once.
    ///
    /// With a session, the conversation has to begin with the session's messages, none of whose
    /// calls is left open; what goes beyond them is recorded. A session takes one run at a time, of
    /// whatever agent. A run that breaks a rule of these fails at once and writes nothing.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn run<M: Into<Arc<Message>>>(
        &self,
        messages: impl IntoIterator<Item = M>,
    ) -> Result<Run, RunError> {
        let messages = messages.into_iter().map(Into::into).collect();
        self.start(messages, None).map_err(|(error, _)| error)
    }

    /// The same with facts and sections around the conversation.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn run_with_context<M: Into<Arc<Message>>>(
        &self,
        messages: impl IntoIterator<Item = M>,
        context: RunContext,
    ) -> Result<Run, RunError> {
        let messages = messages.into_iter().map(Into::into).collect();
        self.start(messages, Some(Arc::new(context)))
            .map_err(|(error, _)| error)
    }

    /// Starts a run as soon as the one before is drained.
    ///
    /// # Errors
    /// See [`RunError`]; never [`RunError::InFlight`].
    pub async fn run_when_drained<M: Into<Arc<Message>>>(
        &self,
        messages: impl IntoIterator<Item = M>,
        context: Option<RunContext>,
    ) -> Result<Run, RunError> {
        let mut messages: Vec<Arc<Message>> = messages.into_iter().map(Into::into).collect();
        let context = context.map(Arc::new);
        loop {
            match self.start(messages, context.clone()) {
                Err((RunError::InFlight { .. }, returned)) => messages = returned,
                started => return started.map_err(|(error, _)| error),
            }
            if let Some(previous) = self.core.hooks.current() {
                RunHandle::new(previous).drained().await;
            }
        }
    }

    fn start(
        &self,
        messages: Vec<Arc<Message>>,
        context: Option<Arc<RunContext>>,
    ) -> Result<Run, (RunError, Vec<Arc<Message>>)> {
        if messages.is_empty() {
            return Err((RunError::NothingToSend, messages));
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return Err((RunError::NoRuntime, messages));
        };
        let stream = StreamSlot::default();
        let active = stream.clone();
        let (mailbox, events) = Mailbox::open(RunId::fresh(), move || active.cancel());
        if let Err(previous) = self.core.hooks.admit(&mailbox) {
            let run_id = previous.id().clone();
            return Err((RunError::InFlight { run_id }, messages));
        }
        *self.core.ledger() = Some(Ledger::open(mailbox.id().clone()));
        if let Some(grants) = &self.core.grants {
            grants.start();
        }
        // A run that nobody has seen yet is live, so there always is a ticket.
        let ticket = mailbox.begin_work();
        let task = Task {
            core: Arc::clone(&self.core),
            run: Arc::clone(&mailbox),
            stream,
            messages,
            context,
        };
        let played = task.play();
        runtime.spawn(async move {
            played.await;
            drop(ticket);
        });
        Ok(Run::new(mailbox, events))
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.core.config
    }

    /// Hooks for tools.
    pub fn hooks(&self) -> AgentHooks {
        self.core.hooks.clone()
    }

    /// The present run, if it has no result yet.
    pub fn live_run(&self) -> Option<RunHandle> {
        let run = self.core.hooks.current()?;
        run.result().is_none().then(|| RunHandle::new(run))
    }

    /// Publishes an event into the run that is live. `false`, and nothing happens, without one.
    pub fn emit_external(&self, event: impl NonTerminal) -> bool {
        let run = self.core.hooks.current();
        run.is_some_and(|run| Emitter::new(run).emit(event))
    }

    /// Adds what somebody else spent for a run: of this id, or else for the latest one. `false`,
    /// and nothing is added, when there is no such run. Its tokens and money count towards the
    /// caps at the next boundary; its time does not.
    pub fn absorb_spend(&self, spent: &Spent, run_id: Option<&RunId>) -> bool {
        let mut ledger = self.core.ledger();
        match ledger.as_mut() {
            Some(ledger) if run_id.is_none_or(|run_id| ledger.is_of(run_id)) => {
                ledger.absorb(spent);
                true
            }
            _ => false,
        }
    }
}

impl Core {
    /// What the latest run has spent.
    pub(in crate::agent) fn spent(&self) -> Option<Spent> {
        self.ledger().as_ref().map(Ledger::read)
    }

    pub(in crate::agent) fn ledger(&self) -> MutexGuard<'_, Option<Ledger>> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::agent) fn shapes(&self) -> MutexGuard<'_, HashMap<usize, Shape>> {
        self.shapes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
