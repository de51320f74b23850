//! How large a request may be, and how much a run may spend.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{Spent, TokenCounter};

/// What is known of one model's window.
///
/// ```
/// use sess::context::Profile;
/// let profile = Profile::new(128_000).with_margin(1_000);
/// assert_eq!(profile.reserve_for(Some(16_384)), 16_384);
/// assert_eq!(profile.with_reserve(8_192).reserve_for(Some(16_384)), 8_192);
/// ```
#[derive(Clone)]
pub struct Profile {
    /// Tokens of request and answer together.
    pub context_window: u64,
    /// Tokens kept free for the answer; where absent, the backend's completion cap, else 1,024.
    pub completion_reserve: Option<u64>,
    /// Tokens kept free because counting is an estimate.
    pub input_safety_margin: u64,
    /// Measures requests to this model, where the loop's own counter does not fit it.
    pub counter: Option<Arc<dyn TokenCounter>>,
}

impl Profile {
    /// The completion reserve where neither profile nor backend says anything.
    pub const DEFAULT_RESERVE: u64 = 1_024;

    /// A window with a margin of 512 tokens.
    pub fn new(context_window: u64) -> Self {
        Self {
            context_window,
            completion_reserve: None,
            input_safety_margin: 512,
            counter: None,
        }
    }

    /// With this many tokens kept free for the answer.
    pub fn with_reserve(mut self, tokens: u64) -> Self {
        self.completion_reserve = Some(tokens);
        self
    }

    /// With this margin.
    pub fn with_margin(mut self, tokens: u64) -> Self {
        self.input_safety_margin = tokens;
        self
    }

    /// With a counter of its own.
    pub fn with_counter(mut self, counter: Arc<dyn TokenCounter>) -> Self {
        self.counter = Some(counter);
        self
    }

    /// Tokens to keep free for an answer of a backend with this completion cap.
    pub fn reserve_for(&self, max_tokens: Option<u64>) -> u64 {
        self.completion_reserve
            .or(max_tokens.filter(|cap| *cap > 0))
            .unwrap_or(Self::DEFAULT_RESERVE)
    }

    fn check(&self, name: &str) -> Result<(), BudgetError> {
        if self.context_window == 0 {
            return Err(BudgetError::EmptyWindow { name: name.into() });
        }
        match self.completion_reserve {
            Some(reserve) if reserve >= self.context_window => Err(BudgetError::ReserveTooLarge {
                name: name.into(),
                reserve,
                window: self.context_window,
            }),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Profile")
            .field("context_window", &self.context_window)
            .field("completion_reserve", &self.completion_reserve)
            .field("input_safety_margin", &self.input_safety_margin)
            .field("has_counter", &self.counter.is_some())
            .finish()
    }
}

/// Windows by model, and what a run may use up.
///
/// ```
/// use sess::context::{Profile, RequestBudget};
/// let budget = RequestBudget::default()
///     .with_profile("small", Profile::new(8_192))
///     .with_max_total_tokens(200_000);
/// assert_eq!(budget.profile_for("small").map(|profile| profile.context_window), Some(8_192));
/// assert!(budget.profile_for("other").is_none());
/// ```
#[derive(Clone, Debug)]
pub struct RequestBudget {
    /// By the name a backend gives its model.
    pub profiles: BTreeMap<String, Profile>,
    /// For every other model.
    pub default_profile: Option<Profile>,
    /// Characters (Unicode scalar values) of a tool result that the model sees in full.
    pub max_observation_size: usize,
    /// The price at which a run ends.
    pub max_cost: Option<f64>,
    /// The tokens at which a run ends.
    pub max_total_tokens: Option<u64>,
    /// The time at which a run ends; time it is parked does not count.
    pub max_wall_clock: Option<Duration>,
}

impl Default for RequestBudget {
    fn default() -> Self {
        Self {
            profiles: BTreeMap::new(),
            default_profile: None,
            max_observation_size: 16_384,
            max_cost: None,
            max_total_tokens: None,
            max_wall_clock: None,
        }
    }
}

impl RequestBudget {
    /// The budget of a bare window: a default profile with neither reserve nor margin.
    pub fn for_window(context_window: u64) -> Self {
        Self {
            default_profile: Some(Profile::new(context_window).with_reserve(0).with_margin(0)),
            ..Self::default()
        }
    }

    /// With a profile for one model.
    pub fn with_profile(mut self, model: impl Into<String>, profile: Profile) -> Self {
        self.profiles.insert(model.into(), profile);
        self
    }

    /// With a profile for every other model.
    pub fn with_default_profile(mut self, profile: Profile) -> Self {
        self.default_profile = Some(profile);
        self
    }

    /// With this much of a tool result shown in full, in characters.
    pub fn with_max_observation_size(mut self, characters: usize) -> Self {
        self.max_observation_size = characters;
        self
    }

    /// Ending a run that costs this much.
    pub fn with_max_cost(mut self, cost: f64) -> Self {
        self.max_cost = Some(cost);
        self
    }

    /// Ending a run that uses this many tokens.
    pub fn with_max_total_tokens(mut self, tokens: u64) -> Self {
        self.max_total_tokens = Some(tokens);
        self
    }

    /// Ending a run that works this long.
    pub fn with_max_wall_clock(mut self, time: Duration) -> Self {
        self.max_wall_clock = Some(time);
        self
    }

    /// What is known of a model's window: nothing, for a model no profile describes.
    pub fn profile_for(&self, model: &str) -> Option<&Profile> {
        self.profiles.get(model).or(self.default_profile.as_ref())
    }

    /// Whether a run may be ended for what it spends.
    pub fn has_caps(&self) -> bool {
        self.max_cost.is_some() || self.max_total_tokens.is_some() || self.max_wall_clock.is_some()
    }

    /// The first cap that has been reached: cost, then tokens, then time.
    pub fn cap_tripped(&self, spent: &Spent) -> Option<Tripped> {
        let reached =
            |cap, spent: f64, max: f64| (spent >= max).then_some(Tripped { cap, spent, max });
        let cost = self
            .max_cost
            .and_then(|max| reached(Cap::Cost, spent.cost.unwrap_or(0.0), max));
        let tokens = || {
            let max = self.max_total_tokens?;
            reached(Cap::TotalTokens, spent.total_tokens as f64, max as f64)
        };
        let time = || {
            let max = self.max_wall_clock?;
            reached(Cap::WallClock, spent.wall_clock, max.as_secs_f64())
        };
        cost.or_else(tokens).or_else(time)
    }

    /// Whether every number makes sense.
    pub fn check(&self) -> Result<(), BudgetError> {
        for (name, profile) in &self.profiles {
            profile.check(name)?;
        }
        if let Some(profile) = &self.default_profile {
            profile.check("default")?;
        }
        if self.max_observation_size == 0 {
            return Err(BudgetError::EmptyObservation);
        }
        let unusable_cost = |cost: f64| !cost.is_finite() || cost <= 0.0;
        if self.max_cost.is_some_and(unusable_cost) {
            return Err(BudgetError::EmptyCap { cap: Cap::Cost });
        }
        if self.max_total_tokens == Some(0) {
            return Err(BudgetError::EmptyCap {
                cap: Cap::TotalTokens,
            });
        }
        if self.max_wall_clock == Some(Duration::ZERO) {
            return Err(BudgetError::EmptyCap {
                cap: Cap::WallClock,
            });
        }
        Ok(())
    }
}

/// What a run may use up.
///
/// ```
/// use sess::context::Cap;
/// assert_eq!(Cap::TotalTokens.as_str(), "total-tokens");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cap {
    /// Money.
    Cost,
    /// Tokens.
    TotalTokens,
    /// Time, in seconds.
    WallClock,
}

impl Cap {
    /// The word in errors.
    pub fn as_str(self) -> &'static str {
        match self {
            Cap::Cost => "cost",
            Cap::TotalTokens => "total-tokens",
            Cap::WallClock => "wall-clock",
        }
    }
}

impl fmt::Display for Cap {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A cap that has been reached.
///
/// ```
/// use sess::context::{Cap, RequestBudget, Spent, Tripped};
/// let budget = RequestBudget::default().with_max_total_tokens(100);
/// let spent = Spent { total_tokens: 120, ..Spent::default() };
/// let tripped = Tripped { cap: Cap::TotalTokens, spent: 120.0, max: 100.0 };
/// assert_eq!(budget.cap_tripped(&spent), Some(tripped));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tripped {
    /// Which.
    pub cap: Cap,
    /// What has been spent.
    pub spent: f64,
    /// What may be.
    pub max: f64,
}

/// A budget that makes no sense.
///
/// ```
/// use sess::context::{BudgetError, RequestBudget};
/// let error = RequestBudget::default().with_max_observation_size(0).check();
/// assert_eq!(error, Err(BudgetError::EmptyObservation));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BudgetError {
    /// Nothing would ever fit.
    #[error("profile {name:?}: context_window is 0; give the model's window in tokens")]
    EmptyWindow {
        /// The profile's model, or `default`.
        name: String,
    },
    /// Nothing would ever fit.
    #[error(
        "profile {name:?}: completion_reserve {reserve} leaves nothing of the context_window of {window}; make it smaller"
    )]
    ReserveTooLarge {
        /// The profile's model, or `default`.
        name: String,
        /// The reserve.
        reserve: u64,
        /// The window.
        window: u64,
    },
    /// No result would ever be shown.
    #[error("max_observation_size is 0; give a number of characters")]
    EmptyObservation,
    /// It would end every run before its first request.
    #[error("the {cap} cap is not above 0, so no run could start; raise it or leave it out")]
    EmptyCap {
        /// Which.
        cap: Cap,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reserve_is_the_profiles_then_the_backends_then_the_default() {
        let bare = Profile::new(10_000);
        assert_eq!(bare.clone().with_reserve(0).reserve_for(Some(256)), 0);
        assert_eq!(bare.reserve_for(Some(256)), 256);
        assert_eq!(bare.reserve_for(Some(0)), 1_024);
        assert_eq!(bare.reserve_for(None), 1_024);
    }

    #[test]
    fn caps_are_looked_at_in_order_and_trip_when_reached() {
        let budget = RequestBudget::default()
            .with_max_cost(1.0)
            .with_max_total_tokens(100)
            .with_max_wall_clock(Duration::from_secs(10));
        let mut spent = Spent {
            wall_clock: 10.0,
            ..Spent::default()
        };
        let tripped = |spent: &Spent| budget.cap_tripped(spent).map(|tripped| tripped.cap);
        assert_eq!(tripped(&Spent::default()), None);
        assert_eq!(tripped(&spent), Some(Cap::WallClock));
        spent.total_tokens = 100;
        assert_eq!(tripped(&spent), Some(Cap::TotalTokens));
        spent.cost = Some(1.5);
        assert_eq!(tripped(&spent), Some(Cap::Cost));
    }

    #[test]
    fn nonsense_is_refused() {
        let refused = |budget: RequestBudget| budget.check().unwrap_err();
        assert!(matches!(
            refused(RequestBudget::for_window(0)),
            BudgetError::EmptyWindow { .. }
        ));
        let full = Profile::new(10).with_reserve(10);
        let full = RequestBudget::default().with_profile("m", full);
        assert!(matches!(refused(full), BudgetError::ReserveTooLarge { .. }));
        let blind = RequestBudget::default().with_max_observation_size(0);
        assert_eq!(refused(blind), BudgetError::EmptyObservation);
        let broke = RequestBudget::default().with_max_cost(0.0);
        assert_eq!(refused(broke), BudgetError::EmptyCap { cap: Cap::Cost });
        assert_eq!(RequestBudget::for_window(1).check(), Ok(()));
    }
}
