//! [`Driver`]: the state of one run, and the small things every step needs.

use std::sync::Arc;

use super::conversation::Conversation;
use super::end::{End, Finish};
use super::stream::StreamSlot;
use super::task::Task;
use crate::agent::agent::Core;
use crate::agent::config::Config;
use crate::agent::decide::limits::Tallies;
use crate::agent::event::{
    AttemptRecord, CancelStage, DiscardReason, FailReason, Log, LogData, NonTerminal, TurnDiscarded,
};
use crate::agent::hooks::LOGGER;
use crate::agent::run::Mailbox;
use crate::agent::wording;
use crate::context::{RequestView, RunContext};
use crate::{Json, Message};

/// Plays one run.
pub(super) struct Driver {
    pub(super) core: Arc<Core>,
    pub(super) run: Arc<Mailbox>,
    pub(super) stream: StreamSlot,
    pub(super) conversation: Conversation,
    pub(super) context: Option<Arc<RunContext>>,
    pub(super) context_digest: Option<String>,
    /// Tokens of the context, as the trigger of a compaction counts them.
    pub(super) context_weight: u64,
    /// The declared tools; empty once they are switched off.
    pub(super) tools: Vec<Json>,
    /// The round that is played, from 1; 0 before the first.
    pub(super) round: u64,
    /// The attempt that is made, from 1 within the round.
    pub(super) attempt: u64,
    pub(super) tallies: Tallies,
    /// The text of the last committed turn.
    pub(super) final_text: String,
    /// What the user said while the run was parked or about to end.
    pub(super) stashed_steers: Vec<String>,
    /// Every failed attempt of the run.
    pub(super) attempts: Vec<AttemptRecord>,
}

impl Driver {
    pub(super) fn new(task: Task) -> Self {
        let session = task.core.config.session.clone();
        Self {
            core: task.core,
            run: task.run,
            stream: task.stream,
            conversation: Conversation::new(task.messages, session),
            context_digest: task.context.as_ref().map(|context| context.digest()),
            context: task.context,
            context_weight: 0,
            tools: Vec::new(),
            round: 0,
            attempt: 0,
            tallies: Tallies::default(),
            final_text: String::new(),
            stashed_steers: Vec::new(),
            attempts: Vec::new(),
        }
    }

    /// What is left for the result.
    pub(super) fn into_parts(self) -> (Vec<Arc<Message>>, Vec<AttemptRecord>) {
        (self.conversation.into_messages(), self.attempts)
    }

    pub(super) fn config(&self) -> &Config {
        &self.core.config
    }

    pub(super) fn emit(&self, event: impl NonTerminal) {
        // The driver is the one who ends the run, so the run is open.
        self.run.emit(event);
    }

    pub(super) fn log(&self, level: &str, data: LogData) {
        self.emit(Log {
            level: level.to_owned(),
            logger: Some(LOGGER.to_owned()),
            data,
        });
    }

    pub(super) fn log_text(&self, level: &str, text: &str) {
        self.log(level, LogData::Text(text.to_owned()));
    }

    pub(super) fn log_record<const N: usize>(&self, level: &str, fields: [(&str, Json); N]) {
        self.log(level, LogData::Record(Json::object(fields)));
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.run.is_cancelled()
    }

    /// The end of a run that was cancelled at this stage.
    pub(super) fn cancelled(&self, stage: CancelStage) -> End {
        let round = (self.round > 0).then_some(self.round);
        Finish::Cancelled { stage, round }.into()
    }

    /// The end of a run that cannot go on.
    pub(super) fn failed(&self, error: String, reason: Option<FailReason>) -> End {
        let round = Some(self.round);
        Finish::Failed {
            error,
            reason,
            round,
        }
        .into()
    }

    /// The end of a run whose model asks for nothing more.
    pub(super) fn completed(&self) -> End {
        Finish::Completed {
            text: self.final_text.clone(),
            rounds: self.round,
        }
        .into()
    }

    pub(super) fn discard(&self, reason: DiscardReason) {
        let round = Some(self.round);
        self.emit(TurnDiscarded { reason, round });
    }

    /// The next request as a counter sees it.
    pub(super) fn view(&self) -> RequestView<'_> {
        let context = self.context.as_deref();
        RequestView {
            messages: self.conversation.messages(),
            tools: &self.tools,
            head: context.and_then(RunContext::head_text),
            tail: context.and_then(RunContext::tail_text),
        }
    }

    /// Writes the grants when they have changed. A failure is told and changes nothing else.
    pub(super) fn sync_grants(&self) {
        let Some(writer) = &self.core.grants else {
            return;
        };
        if let Err(error) = writer.sync() {
            let text = wording::first_line(&error.to_string(), "the grants could not be written");
            self.log_text("error", &text);
        }
    }
}
