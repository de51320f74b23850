//! What the user says while a run goes on.

use std::collections::VecDeque;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::Notify;

/// Where a run looks for words of the user: before each round, once more before it completes, and
/// while it waits for background work.
///
/// ```
/// use std::error::Error;
/// use futures_util::future::BoxFuture;
/// use sess::agent::SteerSource;
///
/// /// Says the same before every round.
/// struct Reminder(String);
///
/// impl SteerSource for Reminder {
///     fn pull(&self) -> Result<Vec<String>, Box<dyn Error + Send + Sync>> {
///         Ok(vec![self.0.clone()])
///     }
///     fn ready(&self) -> BoxFuture<'_, ()> {
///         Box::pin(async {})
///     }
/// }
///
/// assert_eq!(Reminder("Be brief.".into()).pull().unwrap(), ["Be brief."]);
/// ```
pub trait SteerSource: Send + Sync {
    /// Hands over what is waiting, oldest first. What is handed over is gone here.
    ///
    /// # Errors
    /// When the source cannot say. The run goes on without, and asks again next round.
    fn pull(&self) -> Result<Vec<String>, Box<dyn Error + Send + Sync>>;

    /// Resolves as soon as there is something to pull, at once if there is.
    fn ready(&self) -> BoxFuture<'_, ()>;
}

/// A queue of words for a running agent. Clones share it.
///
/// ```
/// use sess::agent::{SteerQueue, SteerSource};
/// let queue = SteerQueue::default();
/// queue.push("Use the other file.");
/// assert_eq!(queue.pull().unwrap(), ["Use the other file."]);
/// assert!(queue.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct SteerQueue {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<VecDeque<String>>,
    arrived: Notify,
}

impl SteerQueue {
    /// Adds a message.
    pub fn push(&self, text: impl Into<String>) {
        self.waiting(|waiting| waiting.push_back(text.into()));
        self.shared.arrived.notify_one();
    }

    /// Whether nothing is waiting.
    pub fn is_empty(&self) -> bool {
        self.waiting(|waiting| waiting.is_empty())
    }

    fn waiting<T>(&self, act: impl FnOnce(&mut VecDeque<String>) -> T) -> T {
        act(&mut self
            .shared
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner))
    }
}

impl SteerSource for SteerQueue {
    fn pull(&self) -> Result<Vec<String>, Box<dyn Error + Send + Sync>> {
        Ok(self.waiting(|waiting| waiting.drain(..).collect()))
    }

    fn ready(&self) -> BoxFuture<'_, ()> {
        async {
            while self.is_empty() {
                self.shared.arrived.notified().await;
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_queue_is_ready_when_something_waits() {
        let queue = SteerQueue::default();
        assert!(queue.ready().now_or_never().is_none());
        queue.push("a");
        queue.ready().await;
        queue.push("b");
        assert_eq!(queue.pull().unwrap(), ["a", "b"]);
        assert!(queue.ready().now_or_never().is_none());
    }
}
