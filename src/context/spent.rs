//! What a run has spent.

use crate::Json;

/// Tokens, money and time of one run, or of a part of it. `None` is "nobody reported it", which is
/// another answer than zero.
///
/// ```
/// use sess::context::Spent;
/// let mut spent = Spent { total_tokens: 10, ..Spent::default() };
/// spent.absorb(&Spent { total_tokens: 5, cost: Some(0.01), ..Spent::default() });
/// assert_eq!((spent.total_tokens, spent.cost), (15, Some(0.01)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Spent {
    /// The totals as reported; where only halves were reported, their sum.
    pub total_tokens: u64,
    /// Whether every request reported a total or both halves.
    pub complete: bool,
    /// Seconds since the run started, without the time it was parked.
    pub wall_clock: f64,
    /// Seconds it was parked, when it was.
    pub parked_seconds: Option<f64>,
    /// Tokens of the requests.
    pub prompt_tokens: Option<u64>,
    /// Tokens of the answers.
    pub completion_tokens: Option<u64>,
    /// The part of `prompt_tokens` that came from a cache.
    pub cached_prompt_tokens: Option<u64>,
    /// The price.
    pub cost: Option<f64>,
}

impl Default for Spent {
    fn default() -> Self {
        Self {
            total_tokens: 0,
            complete: true,
            wall_clock: 0.0,
            parked_seconds: None,
            prompt_tokens: None,
            completion_tokens: None,
            cached_prompt_tokens: None,
            cost: None,
        }
    }
}

impl Spent {
    /// Adds the tokens and the money of another record. Its time is left out.
    pub fn absorb(&mut self, other: &Spent) {
        self.total_tokens = self.total_tokens.saturating_add(other.total_tokens);
        self.complete &= other.complete;
        add(&mut self.prompt_tokens, other.prompt_tokens);
        add(&mut self.completion_tokens, other.completion_tokens);
        add(&mut self.cached_prompt_tokens, other.cached_prompt_tokens);
        // A price that is no number would hide all later ones.
        if let Some(cost) = other.cost.filter(|cost| cost.is_finite()) {
            let sum = self.cost.unwrap_or(0.0) + cost;
            self.cost = Some(sum.clamp(f64::MIN, f64::MAX));
        }
    }

    /// The record under its keys: `total-tokens`, `complete` and `wall-clock` always, the others
    /// when something was reported.
    pub fn to_json(&self) -> Json {
        let number = |value: f64| Json::from(serde_json::Value::from(value));
        let mut fields = vec![
            ("total-tokens", Json::from(self.total_tokens)),
            ("complete", Json::from(self.complete)),
            ("wall-clock", number(self.wall_clock)),
        ];
        let counts = [
            ("prompt-tokens", self.prompt_tokens),
            ("completion-tokens", self.completion_tokens),
            ("cached-prompt-tokens", self.cached_prompt_tokens),
        ];
        for (key, count) in counts {
            fields.extend(count.map(|count| (key, Json::from(count))));
        }
        fields.extend(self.cost.map(|cost| ("cost", number(cost))));
        fields.extend(
            self.parked_seconds
                .map(|seconds| ("parked-seconds", number(seconds))),
        );
        Json::object(fields)
    }
}

fn add(sum: &mut Option<u64>, reported: Option<u64>) {
    if let Some(count) = reported {
        *sum = Some(sum.unwrap_or(0).saturating_add(count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absorbing_adds_what_was_reported_and_leaves_time_alone() {
        let mut spent = Spent {
            total_tokens: 10,
            wall_clock: 1.5,
            ..Spent::default()
        };
        spent.absorb(&Spent {
            total_tokens: 7,
            complete: false,
            wall_clock: 99.0,
            cached_prompt_tokens: Some(2),
            cost: Some(0.25),
            ..Spent::default()
        });
        let expected = Spent {
            total_tokens: 17,
            complete: false,
            wall_clock: 1.5,
            cached_prompt_tokens: Some(2),
            cost: Some(0.25),
            ..Spent::default()
        };
        assert_eq!(spent, expected);
        assert_eq!(
            spent.to_json().text(),
            r#"{"cached-prompt-tokens":2,"complete":false,"cost":0.25,"total-tokens":17,"wall-clock":1.5}"#
        );
    }

    #[test]
    fn a_price_beyond_all_measure_is_still_a_price() {
        let mut spent = Spent::default();
        for cost in [f64::NAN, f64::MAX, f64::MAX, f64::INFINITY] {
            spent.absorb(&Spent {
                cost: Some(cost),
                total_tokens: u64::MAX,
                ..Spent::default()
            });
        }
        assert_eq!((spent.cost, spent.total_tokens), (Some(f64::MAX), u64::MAX));
    }
}
