//! How a [`SummarisingCompactor`](super::SummarisingCompactor) works.

/// When a conversation is made smaller, and how far.
///
/// ```
/// use sess::context::CompactorOptions;
/// let options = CompactorOptions { keep_recent: 10, ..CompactorOptions::new(128_000) };
/// assert_eq!((options.trigger(), options.target()), (102_400, 51_200));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompactorOptions {
    /// Tokens a conversation may have at most.
    pub context_budget: u64,
    /// The part of the budget above which a pass is due.
    pub trigger_ratio: f64,
    /// The part of the budget a hard cut aims at; below `trigger_ratio`.
    pub target_ratio: f64,
    /// Messages at the end that no pass touches; more, where they begin with tool results.
    pub keep_recent: usize,
    /// Characters of a tool result, and of a call's arguments, that the summariser is shown.
    pub tool_result_cap: usize,
    /// Calls of the summariser in one pass, not counting the one for a shorter answer. With 0 every
    /// pass is a hard cut.
    pub max_attempts: u32,
    /// Whether old tool results give way to stubs.
    pub age_observations: bool,
    /// Characters above which a result may.
    pub age_min_chars: u64,
    /// Characters that have to follow a result before it may, and that have to be won for a pass
    /// that does nothing else: each costs the provider's cache of the conversation.
    pub age_reclaim_min: u64,
}

/// An option that makes no sense.
///
/// ```
/// use sess::context::{CompactorError, CompactorOptions};
/// let options = CompactorOptions { target_ratio: 0.9, ..CompactorOptions::new(8_000) };
/// assert_eq!(options.check(), Err(CompactorError::TargetNotBelowTrigger));
/// assert_eq!(
///     CompactorOptions::new(0).check().unwrap_err().to_string(),
///     "compactor: context_budget has to be above 0",
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompactorError {
    /// A number that has to be above 0 is not.
    #[error("compactor: {option} has to be above 0")]
    NotPositive {
        /// The option.
        option: &'static str,
    },
    /// Each pass would leave a conversation that needs another.
    #[error("compactor: target_ratio has to be below trigger_ratio; lower it")]
    TargetNotBelowTrigger,
}

impl CompactorOptions {
    /// The defaults for a budget in tokens.
    pub fn new(context_budget: u64) -> Self {
        Self {
            context_budget,
            trigger_ratio: 0.8,
            target_ratio: 0.4,
            keep_recent: 6,
            tool_result_cap: 2_000,
            max_attempts: 3,
            age_observations: false,
            age_min_chars: 2_048,
            age_reclaim_min: 49_152,
        }
    }

    /// Tokens above which a pass is due.
    pub fn trigger(&self) -> u64 {
        part(self.context_budget, self.trigger_ratio)
    }

    /// Tokens a hard cut aims at.
    pub fn target(&self) -> u64 {
        part(self.context_budget, self.target_ratio)
    }

    /// Whether every number makes sense.
    pub fn check(&self) -> Result<(), CompactorError> {
        let is_ratio = |ratio: f64| ratio.is_finite() && ratio > 0.0;
        let numbers = [
            ("context_budget", self.context_budget > 0),
            ("trigger_ratio", is_ratio(self.trigger_ratio)),
            ("target_ratio", is_ratio(self.target_ratio)),
            ("tool_result_cap", self.tool_result_cap > 0),
            ("age_min_chars", self.age_min_chars > 0),
            ("age_reclaim_min", self.age_reclaim_min > 0),
        ];
        if let Some((option, _)) = numbers.into_iter().find(|(_, positive)| !positive) {
            return Err(CompactorError::NotPositive { option });
        }
        match self.target_ratio < self.trigger_ratio {
            true => Ok(()),
            false => Err(CompactorError::TargetNotBelowTrigger),
        }
    }
}

fn part(budget: u64, ratio: f64) -> u64 {
    (budget as f64 * ratio).ceil() as u64
}
