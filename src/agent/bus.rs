//! Work in the background, as a run sees it.

use futures_util::future::BoxFuture;

use super::event::OutstandingOp;
use crate::session::Extras;

/// Keeps track of work that goes on behind a conversation, and of what it brings.
///
/// With one, a run whose model asks for nothing more does not end while work is out: it waits
/// (parks), and what the work brings becomes a message of the user. A call that fails counts as
/// "nothing there".
///
/// ```
/// use futures_util::future::BoxFuture;
/// use sess::agent::event::OutstandingOp;
/// use sess::agent::{BusError, BusState, Completion, CompletionBus};
///
/// /// Nothing ever goes on in the background.
/// struct Silence;
///
/// impl CompletionBus for Silence {
///     fn state(&self) -> Result<BusState, BusError> {
///         Ok(BusState::default())
///     }
///     fn drain(&self) -> Result<Vec<Completion>, BusError> {
///         Ok(Vec::new())
///     }
///     fn outstanding(&self) -> Result<Vec<OutstandingOp>, BusError> {
///         Ok(Vec::new())
///     }
///     fn close_all(&self) -> Result<(), BusError> {
///         Ok(())
///     }
///     fn ready(&self) -> BoxFuture<'_, ()> {
///         Box::pin(async {})
///     }
/// }
/// assert!(Silence.state()?.is_quiet());
/// # Ok::<(), BusError>(())
/// ```
pub trait CompletionBus: Send + Sync {
    /// How many operations are out and how many completions are queued, of one moment.
    fn state(&self) -> Result<BusState, BusError>;

    /// Hands over the queue, oldest first.
    fn drain(&self) -> Result<Vec<Completion>, BusError>;

    /// The operations that are out, oldest first.
    fn outstanding(&self) -> Result<Vec<OutstandingOp>, BusError>;

    /// Gives up every operation that is out. The queue stays.
    fn close_all(&self) -> Result<(), BusError>;

    /// Resolves as soon as something is queued or nothing is out, at once if that is so.
    fn ready(&self) -> BoxFuture<'_, ()>;
}

/// What a bus holds.
///
/// ```
/// use sess::agent::BusState;
/// assert!(BusState::default().is_quiet());
/// assert!(!BusState { outstanding: 1, queued: 0 }.is_quiet());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BusState {
    /// Operations that are out.
    pub outstanding: usize,
    /// Completions that wait to be delivered.
    pub queued: usize,
}

impl BusState {
    /// Whether there is nothing to wait for and nothing to deliver.
    pub fn is_quiet(&self) -> bool {
        self.outstanding == 0 && self.queued == 0
    }
}

/// What background work brings.
///
/// ```
/// use sess::agent::Completion;
/// let report = Completion {
///     kind: "subagent".into(),
///     op_id: Some("op-7".into()),
///     head: "The survey has ended.".into(),
///     body: "Nothing was found.".into(),
///     ..Completion::default()
/// };
/// assert!(report.tail.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Completion {
    /// The kind of work.
    pub kind: String,
    /// Its number on the bus.
    pub seq: u64,
    /// The operation; absent for news nobody kept track of.
    pub op_id: Option<String>,
    /// Said first; never shortened.
    pub head: String,
    /// The result; shortened like a tool result when it is long.
    pub body: String,
    /// Said last; never shortened.
    pub tail: String,
    /// Recorded beside the message.
    pub extras: Extras,
}

/// A bus that failed.
///
/// ```
/// use sess::agent::BusError;
/// assert_eq!(BusError::new("the queue is gone").to_string(), "the queue is gone");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BusError {
    /// What happened.
    pub message: String,
}

impl BusError {
    /// A failure in these words.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}
