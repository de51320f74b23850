//! How long to wait before asking again.

use std::num::NonZeroU32;
use std::time::Duration;

/// The wait before retry number `retry`: one second, doubled with each retry, with `jitter` (from 0
/// up to half a second) on top, and never less than the server asked for; but never more than `cap`.
///
/// ```
/// use std::num::NonZeroU32;
/// use std::time::Duration;
/// use sess::agent::decide::retry::backoff;
/// let second = NonZeroU32::new(2).unwrap();
/// let cap = Duration::from_secs(30);
/// assert_eq!(backoff(second, Duration::ZERO, None, cap), Duration::from_secs(2));
/// ```
pub fn backoff(
    retry: NonZeroU32,
    jitter: Duration,
    retry_after: Option<Duration>,
    cap: Duration,
) -> Duration {
    let doubled = 2u64
        .checked_pow(retry.get() - 1)
        .map_or(Duration::MAX, Duration::from_secs);
    let ours = doubled.saturating_add(jitter);
    ours.max(retry_after.unwrap_or_default()).min(cap)
}

/// A random jitter.
pub fn jitter() -> Duration {
    Duration::from_secs_f64(fastrand::f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAP: Duration = Duration::from_secs(30);

    fn seconds(retry: u32, jitter: f64, after: Option<u64>) -> f64 {
        let retry = NonZeroU32::new(retry).unwrap();
        let after = after.map(Duration::from_secs);
        backoff(retry, Duration::from_secs_f64(jitter), after, CAP).as_secs_f64()
    }

    // 12.6-72
    #[test]
    fn waits_double_up_to_the_cap() {
        for (retry, expected) in [
            (1, 1.0),
            (2, 2.0),
            (3, 4.0),
            (5, 16.0),
            (6, 30.0),
            (200, 30.0),
        ] {
            assert_eq!(seconds(retry, 0.0, None), expected);
        }
        assert_eq!(seconds(2, 0.25, None), 2.25);
    }

    #[test]
    fn a_server_may_ask_for_more_but_not_beyond_the_cap() {
        assert_eq!(seconds(1, 0.0, Some(12)), 12.0);
        assert_eq!(seconds(5, 0.0, Some(3)), 16.0);
        assert_eq!(seconds(1, 0.0, Some(3_600)), 30.0);
    }

    #[test]
    fn jitter_stays_below_half_a_second_and_varies() {
        let drawn: Vec<Duration> = (0..50).map(|_| jitter()).collect();
        assert!(
            drawn
                .iter()
                .all(|jitter| *jitter < Duration::from_millis(500))
        );
        assert!(drawn.iter().any(|jitter| *jitter != drawn[0]));
    }
}
