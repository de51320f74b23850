//! What the present run has spent so far.

use std::time::Duration;

use tokio::time::Instant;

use crate::backend::Usage;
use crate::context::Spent;
use crate::id::RunId;

/// Adds up one run's tokens, money and time.
#[derive(Debug)]
pub(in crate::agent) struct Ledger {
    run_id: RunId,
    started: Instant,
    parked: Duration,
    parked_since: Option<Instant>,
    spent: Spent,
}

impl Ledger {
    pub(in crate::agent) fn open(run_id: RunId) -> Self {
        Self {
            run_id,
            started: Instant::now(),
            parked: Duration::ZERO,
            parked_since: None,
            spent: Spent::default(),
        }
    }

    pub(in crate::agent) fn is_of(&self, run_id: &RunId) -> bool {
        self.run_id == *run_id
    }

    /// Adds what one attempt reported. Silence makes the sums incomplete.
    pub(in crate::agent) fn record(&mut self, usage: &Usage) {
        self.spent.absorb(&reported(usage));
    }

    /// Adds what somebody else spent for this run; its time does not count.
    pub(in crate::agent) fn absorb(&mut self, spent: &Spent) {
        self.spent.absorb(spent);
    }

    pub(in crate::agent) fn park(&mut self) {
        self.parked_since = Some(Instant::now());
    }

    /// Ends a park and answers how long it lasted.
    pub(in crate::agent) fn unpark(&mut self) -> Duration {
        let lasted = self
            .parked_since
            .take()
            .map_or(Duration::ZERO, |since| since.elapsed());
        self.parked += lasted;
        lasted
    }

    /// The sums as of this moment.
    pub(in crate::agent) fn read(&self) -> Spent {
        let ongoing = self
            .parked_since
            .map_or(Duration::ZERO, |since| since.elapsed());
        let parked = self.parked + ongoing;
        Spent {
            wall_clock: seconds(self.started.elapsed().saturating_sub(parked)),
            parked_seconds: (parked > Duration::ZERO).then(|| seconds(parked)),
            ..self.spent.clone()
        }
    }
}

/// What one request cost.
pub(in crate::agent) fn reported(usage: &Usage) -> Spent {
    let halves = usage.prompt_tokens.zip(usage.completion_tokens);
    let sum = halves.map(|(prompt, completion)| prompt.saturating_add(completion));
    let partial = usage.prompt_tokens.or(usage.completion_tokens);
    Spent {
        total_tokens: usage.total_tokens.or(sum).or(partial).unwrap_or(0),
        complete: usage.total_tokens.is_some() || sum.is_some(),
        prompt_tokens: usage.prompt_tokens,
        completion_tokens: usage.completion_tokens,
        cached_prompt_tokens: usage.cached_prompt_tokens,
        cost: usage.cost,
        ..Spent::default()
    }
}

/// Seconds, rounded to milliseconds.
pub(in crate::agent) fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_parked_is_told_apart() {
        let mut ledger = Ledger::open(RunId::from("r"));
        tokio::time::advance(Duration::from_secs(2)).await;
        ledger.park();
        tokio::time::advance(Duration::from_secs(30)).await;
        assert_eq!(ledger.read().wall_clock, 2.0);
        assert_eq!(ledger.unpark(), Duration::from_secs(30));
        let spent = ledger.read();
        assert_eq!((spent.wall_clock, spent.parked_seconds), (2.0, Some(30.0)));
    }

    #[tokio::test]
    async fn a_total_is_taken_as_reported_and_else_summed() {
        let mut ledger = Ledger::open(RunId::from("r"));
        ledger.record(&Usage {
            prompt_tokens: Some(10),
            completion_tokens: Some(5),
            ..Usage::default()
        });
        ledger.record(&Usage {
            total_tokens: Some(100),
            cached_prompt_tokens: Some(90),
            ..Usage::default()
        });
        assert!(ledger.read().complete);
        ledger.record(&Usage::default());
        let spent = Spent {
            wall_clock: 0.0,
            ..ledger.read()
        };
        let expected = Spent {
            total_tokens: 115,
            complete: false,
            prompt_tokens: Some(10),
            completion_tokens: Some(5),
            cached_prompt_tokens: Some(90),
            ..Spent::default()
        };
        assert_eq!(spent, expected);
    }
}
