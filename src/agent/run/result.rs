//! What a run leaves.

use std::sync::Arc;

use crate::agent::event::{AttemptRecord, CancelStage, FailReason};
use crate::context::Spent;
use crate::{Json, Message};

/// How a run ended and what is left of it. Every run has one, however it ended.
///
/// ```
/// use sess::agent::{Outcome, RunResult};
/// let result = RunResult {
///     outcome: Outcome::Completed { text: "Four.".into() },
///     messages: Vec::new(),
///     spent: None,
/// };
/// assert!(result.is_completed());
/// assert_eq!((result.text(), result.error()), ("Four.", None));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    /// How it ended.
    pub outcome: Outcome,
    /// The conversation as the run left it, without the context around it. A next run may start
    /// from it.
    pub messages: Vec<Arc<Message>>,
    /// What it has spent, when it ran under a request budget.
    pub spent: Option<Spent>,
}

/// How a run ended.
///
/// ```
/// use sess::agent::Outcome;
/// let outcome = Outcome::Completed { text: "Four.".into() };
/// assert_eq!(outcome.as_str(), "completed");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The model answered.
    Completed {
        /// Its last turn; may be empty.
        text: String,
    },
    /// It could not go on.
    Failed {
        /// Why, in words.
        error: String,
        /// Why, where the way of failing has a name.
        reason: Option<FailReason>,
        /// Every failed attempt of the run.
        attempts: Vec<AttemptRecord>,
    },
    /// Somebody cancelled it.
    Cancelled {
        /// Where it was.
        stage: Option<CancelStage>,
    },
}

impl Outcome {
    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Outcome::Completed { .. } => "completed",
            Outcome::Failed { .. } => "failed",
            Outcome::Cancelled { .. } => "cancelled",
        }
    }
}

impl RunResult {
    /// The last turn of a completed run; empty for any other.
    pub fn text(&self) -> &str {
        match &self.outcome {
            Outcome::Completed { text } => text,
            _ => "",
        }
    }

    /// Why a failed run failed.
    pub fn error(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Failed { error, .. } => Some(error),
            _ => None,
        }
    }

    /// Why it failed, where the way of failing has a name.
    pub fn reason(&self) -> Option<FailReason> {
        match &self.outcome {
            Outcome::Failed { reason, .. } => *reason,
            _ => None,
        }
    }

    /// Every failed attempt of a failed run; none for any other.
    pub fn attempts(&self) -> &[AttemptRecord] {
        match &self.outcome {
            Outcome::Failed { attempts, .. } => attempts,
            _ => &[],
        }
    }

    /// Whether the model answered.
    pub fn is_completed(&self) -> bool {
        matches!(self.outcome, Outcome::Completed { .. })
    }

    /// The result without its conversation, as a document: `outcome`, `final`, `error`, `reason`,
    /// `attempts` always, `spent` under a budget.
    pub fn to_json(&self) -> Json {
        let text = |text: Option<&str>| text.map_or_else(Json::null, Json::string);
        let attempts = self.attempts().iter();
        let mut fields = vec![
            ("outcome", Json::string(self.outcome.as_str())),
            ("final", Json::string(self.text())),
            ("error", text(self.error())),
            ("reason", text(self.reason().map(FailReason::as_str))),
            (
                "attempts",
                Json::array(attempts.map(crate::agent::event::flat::payload)),
            ),
        ];
        fields.extend(self.spent.as_ref().map(|spent| ("spent", spent.to_json())));
        Json::object(fields)
    }
}
