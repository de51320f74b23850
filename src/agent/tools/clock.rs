//! How long a group of calls has worked. Time in which a human is asked something does not count.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// The clock of one group of calls that is out.
#[derive(Debug)]
pub(in crate::agent) struct GroupClock {
    started: Instant,
    asks: Mutex<Asks>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Asks {
    open: u32,
    since: Option<Instant>,
    /// Time of the questions that are over.
    total: Duration,
}

impl GroupClock {
    pub(in crate::agent) fn start() -> Arc<Self> {
        Arc::new(Self {
            started: Instant::now(),
            asks: Mutex::default(),
            changed: Notify::new(),
        })
    }

    /// Stops the clock until the span is dropped. Spans may overlap.
    pub(in crate::agent) fn ask(self: &Arc<Self>) -> AskSpan {
        let mut asks = self.asks();
        asks.open += 1;
        asks.since.get_or_insert_with(Instant::now);
        drop(asks);
        self.changed.notify_one();
        AskSpan {
            clock: Arc::clone(self),
        }
    }

    /// When `limit` of work is over; never, while somebody is asked.
    pub(in crate::agent) fn deadline(&self, limit: Duration) -> Option<Instant> {
        let asks = self.asks();
        match asks.since {
            Some(_) => None,
            None => self.started.checked_add(limit)?.checked_add(asks.total),
        }
    }

    /// Waits until a question begins or ends. One that did so unobserved counts.
    pub(in crate::agent) async fn changed(&self) {
        self.changed.notified().await;
    }

    fn close(&self) {
        let mut asks = self.asks();
        asks.open -= 1;
        if asks.open == 0
            && let Some(since) = asks.since.take()
        {
            asks.total += since.elapsed();
        }
        drop(asks);
        self.changed.notify_one();
    }

    fn asks(&self) -> MutexGuard<'_, Asks> {
        self.asks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that is open.
#[derive(Debug)]
pub(in crate::agent) struct AskSpan {
    clock: Arc<GroupClock>,
}

impl Drop for AskSpan {
    fn drop(&mut self) {
        self.clock.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    async fn pass(seconds: u64) {
        tokio::time::advance(Duration::from_secs(seconds)).await;
    }

    // 12.9-94
    #[tokio::test(start_paused = true)]
    async fn overlapping_questions_stop_the_clock_once() {
        let start = Instant::now();
        let clock = GroupClock::start();
        assert_eq!(clock.deadline(LIMIT), Some(start + LIMIT));
        pass(1).await;
        let first = clock.ask();
        pass(2).await;
        let second = clock.ask();
        drop(first);
        assert_eq!(clock.deadline(LIMIT), None);
        pass(3).await;
        drop(second);
        assert_eq!(
            clock.deadline(LIMIT),
            Some(start + LIMIT + Duration::from_secs(5))
        );
        clock.changed().await;
    }

    // 12.9-94, as a race
    #[test]
    fn questions_of_many_threads_are_all_closed() {
        let clock = GroupClock::start();
        std::thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let _outer = clock.ask();
                        let _inner = clock.ask();
                        assert_eq!(clock.deadline(LIMIT), None);
                    }
                });
            }
        });
        assert_eq!(clock.asks().open, 0);
        assert_eq!(clock.asks().since, None);
        assert!(
            clock
                .deadline(LIMIT)
                .is_some_and(|end| end >= clock.started + LIMIT)
        );
    }
}
