//! What the owner of a run holds.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::{Emitter, Mailbox, RunResult};
use crate::agent::event::Event;
use crate::id::RunId;

/// A run and the stream of its events.
///
/// The run goes on whether or not anybody reads the events, and also when this is dropped; what
/// is not read yet is kept.
///
/// ```
/// use sess::Message;
/// use sess::agent::{Agent, EventBody, Outcome};
/// use sess::backend::{ScriptedBackend, Step};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let backend = ScriptedBackend::new([Step::chunks(["Two and two ", "is four."])]);
/// let agent = Agent::builder().backend(backend).build()?;
/// let mut run = agent.run([Message::user("Two and two?")])?;
/// let mut seen = String::new();
/// while let Some(event) = run.next_event().await {
///     if let EventBody::Token(token) = &event.body {
///         seen.push_str(&token.text);
///     }
/// }
/// match run.result().await.outcome {
///     Outcome::Completed { text } => assert_eq!(text, seen),
///     Outcome::Failed { error, .. } => eprintln!("{error}"),
///     Outcome::Cancelled { .. } => {}
/// }
/// # Ok(())
/// # }
/// ```
pub struct Run {
    handle: RunHandle,
    events: mpsc::UnboundedReceiver<Arc<Event>>,
}

/// Watches a run and cancels it, from anywhere. Clones speak of the same run.
///
/// ```
/// use sess::Message;
/// use sess::agent::Agent;
/// use sess::backend::{ScriptedBackend, Step};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = Agent::builder().backend(ScriptedBackend::new([Step::stall(["Well, "])])).build()?;
/// let run = agent.run([Message::user("Think for ever.")])?;
/// let handle = run.handle();
/// tokio::spawn(async move { handle.cancel() });
/// assert_eq!(run.result().await.outcome.as_str(), "cancelled");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RunHandle {
    mailbox: Arc<Mailbox>,
}

impl Run {
    pub(in crate::agent) fn new(
        mailbox: Arc<Mailbox>,
        events: mpsc::UnboundedReceiver<Arc<Event>>,
    ) -> Self {
        let handle = RunHandle { mailbox };
        Self { handle, events }
    }

    /// The next event, from the first on; `None` after the terminal one.
    pub async fn next_event(&mut self) -> Option<Arc<Event>> {
        self.events.recv().await
    }

    /// A handle for other tasks.
    pub fn handle(&self) -> RunHandle {
        self.handle.clone()
    }

    /// See [`RunHandle::id`].
    pub fn id(&self) -> &RunId {
        self.handle.id()
    }

    /// See [`RunHandle::result`].
    pub async fn result(&self) -> RunResult {
        self.handle.result().await
    }

    /// See [`RunHandle::drained`].
    pub async fn drained(&self) {
        self.handle.drained().await;
    }

    /// See [`RunHandle::cancel`].
    pub fn cancel(&self) {
        self.handle.cancel();
    }
}

impl RunHandle {
    pub(in crate::agent) fn new(mailbox: Arc<Mailbox>) -> Self {
        Self { mailbox }
    }

    /// The run's id, a UUID version 4.
    pub fn id(&self) -> &RunId {
        self.mailbox.id()
    }

    /// Waits for the result. It is there before the terminal event is.
    pub async fn result(&self) -> RunResult {
        self.mailbox.result.wait().await.clone()
    }

    /// The result, when there is one already.
    pub fn result_now(&self) -> Option<RunResult> {
        self.mailbox.result().cloned()
    }

    /// Waits until the run is cancelled; for ever, if it never is.
    pub async fn cancellation(&self) {
        self.mailbox.cancelled.cancelled().await;
    }

    /// Waits until the run has ended and nothing it started can publish any more: not before a
    /// tool that was given up on has returned. From then on the agent takes its next run.
    pub async fn drained(&self) {
        self.mailbox.drained.cancelled().await;
    }

    /// Whether the result is there.
    pub fn is_done(&self) -> bool {
        self.mailbox.result().is_some()
    }

    /// Whether it was cancelled while it lived.
    pub fn is_cancelled(&self) -> bool {
        self.mailbox.is_cancelled()
    }

    /// Whether it is drained.
    pub fn is_drained(&self) -> bool {
        self.mailbox.is_drained()
    }

    /// Asks the run to stop. It never fails and may be called from any thread, any number of
    /// times; on a finished run it does nothing.
    pub fn cancel(&self) {
        self.mailbox.cancel();
    }

    /// Publishes into this run and no other.
    pub fn emitter(&self) -> Emitter {
        Emitter::new(Arc::clone(&self.mailbox))
    }
}
