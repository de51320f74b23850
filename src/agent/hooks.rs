//! What tools and permission layers may tell a run while they work for it.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::event::{AskAnswered, AskPending, Log, LogData, ToolProgress};
use super::grants::GrantsWriter;
use super::run::{Mailbox, WorkTicket};
use super::tools::clock::{AskSpan, GroupClock};
use super::wording;
use crate::Json;

/// Hooks into the run of one agent, for its tools.
///
/// They may be made before the agent (and then given to its builder), are cheap to clone, and work
/// from any thread. Without a run they do nothing.
///
/// ```
/// use sess::Json;
/// use sess::agent::AgentHooks;
/// let hooks = AgentHooks::default();
/// hooks.log("info", Some("my-server"), Json::string("started"));
/// ```
#[derive(Clone, Default)]
pub struct AgentHooks {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    grants: OnceLock<Arc<GrantsWriter>>,
}

#[derive(Default)]
struct State {
    /// The latest run, ended or not.
    current: Option<Arc<Mailbox>>,
    group: Option<Group>,
}

/// The calls that are out.
#[derive(Clone)]
struct Group {
    run: Arc<Mailbox>,
    round: u64,
    call_ids: Vec<String>,
    clock: Arc<GroupClock>,
}

/// How far a call has come.
///
/// ```
/// use sess::agent::{AgentHooks, Progress};
/// let hooks = AgentHooks::default();
/// hooks.progress(Progress {
///     tool_call_id: "call_1".into(),
///     progress: 3.0,
///     total: Some(10.0),
///     message: Some("3 of 10 files".into()),
/// });
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The call, by the model's id.
    pub tool_call_id: String,
    /// How far, in the tool's own unit.
    pub progress: f64,
    /// Of how much.
    pub total: Option<f64>,
    /// In words.
    pub message: Option<String>,
}

impl AgentHooks {
    /// Publishes a log. It belongs to the run whose calls are out, else to the run that is live.
    pub fn log(&self, level: &str, logger: Option<&str>, data: Json) {
        let Some(ticket) = self.ticket() else {
            return;
        };
        ticket.mailbox().emit(Log {
            level: level.to_owned(),
            logger: logger.map(str::to_owned),
            data: LogData::of(data),
        });
    }

    /// Publishes how far a call has come, if it is one that is out.
    pub fn progress(&self, note: Progress) {
        let Some(group) = self.state().group.clone() else {
            return;
        };
        if !group.call_ids.contains(&note.tool_call_id) {
            return;
        }
        if let Some(ticket) = group.run.begin_work() {
            let finite = |number: f64| if number.is_finite() { number } else { 0.0 };
            ticket.mailbox().emit(ToolProgress {
                id: note.tool_call_id,
                progress: finite(note.progress),
                total: note.total.map(finite),
                message: note.message,
                round: Some(group.round),
            });
        }
    }

    /// Records the grants as they stand, when they have changed. A provider calls this as soon as
    /// it has been granted something, so that the grant is kept even if the call dies.
    pub fn sync_grants(&self) {
        let _ticket = self.ticket();
        let Some(writer) = self.shared.grants.get() else {
            return;
        };
        if let Err(error) = writer.sync() {
            let text = wording::first_line(&error.to_string(), "the grants could not be written");
            self.log("error", Some(LOGGER), Json::string(&text));
        }
    }

    /// Asks somebody something on behalf of a call. While the answer is awaited, the deadline of
    /// the calls that are out does not come nearer. Outside a call it only asks.
    ///
    /// `asker` gives the answer: an object, or anything else, which is told as text.
    pub async fn ask<E>(
        &self,
        request: Json,
        tool: Option<&str>,
        asker: impl Future<Output = Result<Json, E>>,
    ) -> Result<Json, E> {
        let question = self.open_question(request, tool);
        let answer = asker.await;
        if let Some(question) = question {
            question.close(answer.as_ref().ok());
        }
        answer
    }

    fn open_question(&self, request: Json, tool: Option<&str>) -> Option<Question> {
        let group = self.state().group.clone()?;
        let ticket = group.run.begin_work()?;
        let span = group.clock.ask();
        ticket.mailbox().emit(AskPending {
            request: request.clone(),
            tool: tool.map(str::to_owned),
        });
        Some(Question {
            ticket,
            request,
            answer: None,
            _span: span,
        })
    }

    pub(in crate::agent) fn bind_grants(&self, writer: Arc<GrantsWriter>) {
        // Hooks serve one agent; those of a first one stay with it.
        let _ = self.shared.grants.set(writer);
    }

    /// Makes `run` the current one, unless the one before is not drained: that one is then given
    /// back.
    pub(in crate::agent) fn admit(&self, run: &Arc<Mailbox>) -> Result<(), Arc<Mailbox>> {
        let mut state = self.state();
        match &state.current {
            Some(previous) if !previous.is_drained() => Err(Arc::clone(previous)),
            _ => {
                state.current = Some(Arc::clone(run));
                Ok(())
            }
        }
    }

    /// The latest run, ended or not.
    pub(in crate::agent) fn current(&self) -> Option<Arc<Mailbox>> {
        self.state().current.clone()
    }

    /// Registers calls that go out, until the guard is dropped.
    pub(in crate::agent) fn out(
        &self,
        run: &Arc<Mailbox>,
        round: u64,
        call_ids: Vec<String>,
        clock: &Arc<GroupClock>,
    ) -> InFlight {
        self.state().group = Some(Group {
            run: Arc::clone(run),
            round,
            call_ids,
            clock: Arc::clone(clock),
        });
        InFlight {
            hooks: self.clone(),
            clock: Arc::clone(clock),
        }
    }

    /// Work on the run whose calls are out, else on the live run.
    fn ticket(&self) -> Option<WorkTicket> {
        let run = {
            let state = self.state();
            let group = state.group.as_ref().map(|group| Arc::clone(&group.run));
            group.or_else(|| state.current.clone())
        };
        run?.begin_work()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who the loop's own logs are from.
pub(in crate::agent) const LOGGER: &str = "llm-agent.loop";

/// Calls that are out. Dropping it takes them off the register, if they are still the ones on it.
pub(in crate::agent) struct InFlight {
    hooks: AgentHooks,
    clock: Arc<GroupClock>,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.hooks.state();
        let is_ours = |group: &Group| Arc::ptr_eq(&group.clock, &self.clock);
        if state.group.as_ref().is_some_and(is_ours) {
            state.group = None;
        }
    }
}

/// A question that is open. When it ends, in whatever way, that is published and the clocks go on.
struct Question {
    ticket: WorkTicket,
    request: Json,
    answer: Option<Json>,
    _span: AskSpan,
}

impl Question {
    fn close(mut self, answer: Option<&Json>) {
        self.answer = answer.filter(|answer| !answer.is_null()).map(|answer| {
            match answer.is_object() || answer.is_string() {
                true => answer.clone(),
                false => Json::string(answer.text()),
            }
        });
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        self.ticket.mailbox().emit(AskAnswered {
            request: self.request.clone(),
            answer: self.answer.take(),
        });
    }
}
