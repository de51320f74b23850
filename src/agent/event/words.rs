//! The words events use where only a few are allowed.

use serde::{Deserialize, Serialize};

use crate::agent::words::words;

words! {
    /// Why streamed text will never be committed.
    ///
    /// ```
    /// use sess::agent::event::DiscardReason;
    /// let words: Vec<&str> = DiscardReason::ALL.iter().map(|reason| reason.as_str()).collect();
    /// assert_eq!(words, ["limit", "failed", "cancelled"]);
    /// ```
    DiscardReason {
        /// The turn asked for tools beyond a limit.
        Limit = "limit",
        /// No backend gave a good answer.
        Failed = "failed",
        /// The run was cancelled.
        Cancelled = "cancelled",
    }
}

words! {
    /// Why a call gets no answer.
    ///
    /// ```
    /// use sess::agent::event::AbandonReason;
    /// assert_eq!(AbandonReason::BudgetExhausted.as_str(), "budget-exhausted");
    /// assert_eq!("deadline".parse(), Ok(AbandonReason::Deadline));
    /// ```
    AbandonReason {
        /// The run was cancelled.
        Cancelled = "cancelled",
        /// The call, or one before it in the same batch, did not return in time.
        Deadline = "deadline",
        /// The run had spent what it may.
        BudgetExhausted = "budget-exhausted",
    }
}

words! {
    /// Why a parked run goes on.
    ///
    /// ```
    /// use sess::agent::event::ResumeReason;
    /// assert_eq!(ResumeReason::Steer.to_string(), "steer");
    /// assert_eq!("idle".parse(), Ok(ResumeReason::Idle));
    /// ```
    ResumeReason {
        /// Background work ended.
        Completion = "completion",
        /// The user said something.
        Steer = "steer",
        /// The run was cancelled.
        Cancelled = "cancelled",
        /// Nothing happened for too long.
        Idle = "idle",
    }
}

words! {
    /// A limit on what the model may ask for.
    ///
    /// ```
    /// use sess::agent::event::LimitKind;
    /// let words: Vec<&str> = LimitKind::ALL.iter().map(|limit| limit.as_str()).collect();
    /// assert_eq!(words, ["tool-rounds", "tool-calls", "identical-calls"]);
    /// ```
    LimitKind {
        /// Rounds with tool calls.
        ToolRounds = "tool-rounds",
        /// Tool calls.
        ToolCalls = "tool-calls",
        /// Calls of one tool with the same arguments.
        IdenticalCalls = "identical-calls",
    }
}

words! {
    /// The named ways in which a run fails.
    ///
    /// ```
    /// use sess::agent::event::FailReason;
    /// assert_eq!(FailReason::ParkIdle.as_str(), "park-idle");
    /// assert_eq!("context-exhausted".parse(), Ok(FailReason::ContextExhausted));
    /// ```
    FailReason {
        /// The conversation fits no backend.
        ContextExhausted = "context-exhausted",
        /// The run has spent what it may.
        BudgetExhausted = "budget-exhausted",
        /// The answer was cut off by the backend's own cap on completions.
        CompletionTruncated = "completion-truncated",
        /// Background work did not answer for too long.
        ParkIdle = "park-idle",
    }
}

words! {
    /// Where a run was when it was cancelled.
    ///
    /// ```
    /// use sess::agent::event::CancelStage;
    /// assert_eq!(CancelStage::Streaming.as_str(), "streaming");
    /// assert_eq!("parked".parse(), Ok(CancelStage::Parked));
    /// ```
    CancelStage {
        /// Before a round.
        Start = "start",
        /// Making the conversation smaller, or about to ask.
        Compaction = "compaction",
        /// Waiting for the model.
        Streaming = "streaming",
        /// Waiting to ask again.
        Backoff = "backoff",
        /// Running tools.
        Tools = "tools",
        /// Waiting for background work.
        Parked = "parked",
    }
}

/// What the loop does after a failed attempt.
///
/// ```
/// use sess::agent::event::Disposition;
/// assert_eq!(Disposition::RetrySame { backoff: 1.2 }.as_str(), "retry-same");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "disposition", rename_all = "kebab-case")]
pub enum Disposition {
    /// Asks the same backend again.
    RetrySame {
        /// After so many seconds.
        backoff: f64,
    },
    /// Goes on to the next backend, or gives up after the last.
    Advance,
    /// Gives up at once.
    Abort,
}

impl Disposition {
    /// The word in events.
    pub fn as_str(self) -> &'static str {
        match self {
            Disposition::RetrySame { .. } => "retry-same",
            Disposition::Advance => "advance",
            Disposition::Abort => "abort",
        }
    }
}
