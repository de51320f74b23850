//! How a run ends, before it is told to anybody.

use super::conversation::Unrecorded;
use crate::agent::event::{
    AttemptRecord, CancelStage, FailReason, RunCancelled, RunCompleted, RunFailed, Terminal,
};
use crate::agent::run::Outcome;
use crate::agent::wording;
use crate::session::AppendError;

/// The outcome of a step: the run goes on, or it is over.
pub(super) type Step<T = ()> = Result<T, End>;

/// The run is over.
#[derive(Debug)]
pub(super) enum End {
    /// By its own rules.
    Finished(Finish),
    /// For a reason outside them, given in words.
    Died(String),
}

/// How a run ends by its own rules.
#[derive(Debug)]
pub(super) enum Finish {
    Completed {
        text: String,
        rounds: u64,
    },
    Failed {
        error: String,
        reason: Option<FailReason>,
        round: Option<u64>,
    },
    Cancelled {
        stage: CancelStage,
        round: Option<u64>,
    },
}

impl From<Finish> for End {
    fn from(finish: Finish) -> Self {
        End::Finished(finish)
    }
}

/// A run that is not recorded must not go on.
impl From<AppendError> for End {
    fn from(error: AppendError) -> Self {
        End::Died(error.to_string())
    }
}

impl From<Unrecorded> for End {
    fn from(error: Unrecorded) -> Self {
        End::Died(error.to_string())
    }
}

impl End {
    pub(super) fn finish(self) -> Finish {
        match self {
            End::Finished(finish) => finish,
            End::Died(error) => Finish::Failed {
                error: format!(
                    "{}{}",
                    wording::DIED,
                    wording::first_line(&error, "no reason given")
                ),
                reason: None,
                round: None,
            },
        }
    }
}

impl Finish {
    /// The terminal event and the outcome in the result, which say the same.
    pub(super) fn tell(
        self,
        attempts: Vec<AttemptRecord>,
        message_count: usize,
    ) -> (Terminal, Outcome) {
        match self {
            Finish::Completed { text, rounds } => {
                let event = RunCompleted {
                    final_text: text.clone(),
                    rounds: Some(rounds),
                    message_count: Some(message_count as u64),
                };
                (Terminal::RunCompleted(event), Outcome::Completed { text })
            }
            Finish::Failed {
                error,
                reason,
                round,
            } => {
                let event = RunFailed {
                    error: error.clone(),
                    attempts: attempts.clone(),
                    round,
                    reason,
                };
                let outcome = Outcome::Failed {
                    error,
                    reason,
                    attempts,
                };
                (Terminal::RunFailed(event), outcome)
            }
            Finish::Cancelled { stage, round } => {
                let stage = Some(stage);
                (
                    Terminal::RunCancelled(RunCancelled { stage, round }),
                    Outcome::Cancelled { stage },
                )
            }
        }
    }
}
