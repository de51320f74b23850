//! Making a conversation smaller: the contract. Who summarises, and how, is the compactor's affair.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::{Spent, TokenCounter};
use crate::Message;

/// Something that makes a conversation smaller.
///
/// ```
/// use std::sync::Arc;
/// use futures_util::future::BoxFuture;
/// use sess::Message;
/// use sess::context::{Compacted, CompactionRequest, Compactor};
///
/// /// Gives up at once.
/// struct Hopeless;
///
/// impl Compactor for Hopeless {
///     fn trigger(&self) -> u64 {
///         8_000
///     }
///     fn context_budget(&self) -> u64 {
///         10_000
///     }
///     fn needs_compaction(&self, _: &[Arc<Message>], tokens: u64) -> bool {
///         tokens > self.trigger()
///     }
///     fn compact<'a>(&'a self, request: CompactionRequest<'a>) -> BoxFuture<'a, Compacted> {
///         let messages = request.messages.to_vec();
///         Box::pin(async { Compacted { messages, exhausted: true, ..Compacted::default() } })
///     }
/// }
/// assert!(Hopeless.needs_compaction(&[], 9_000));
/// ```
pub trait Compactor: Send + Sync {
    /// Tokens above which a conversation is compacted ahead of a request.
    fn trigger(&self) -> u64;

    /// Tokens a conversation may have at most.
    fn context_budget(&self) -> u64;

    /// Whether old tool results may be replaced by stubs.
    fn ages_observations(&self) -> bool {
        false
    }

    /// Whether a pass is due. `tokens` is what the request is expected to weigh.
    fn needs_compaction(&self, messages: &[Arc<Message>], tokens: u64) -> bool;

    /// Makes one pass. It never fails: without a summary it cuts hard, and when nothing helps it
    /// says that it is exhausted. A cancelled token ends every wait inside it.
    fn compact<'a>(&'a self, request: CompactionRequest<'a>) -> BoxFuture<'a, Compacted>;
}

/// What a pass works on.
///
/// ```
/// use std::sync::Arc;
/// use sess::Message;
/// use sess::context::{CompactionRequest, Target, default_counter};
/// let conversation = [Arc::new(Message::user("Hi"))];
/// let request = CompactionRequest {
///     messages: &conversation,
///     cancelled: Default::default(),
///     target: Some(Target { tokens: 1_000, counter: default_counter() }),
/// };
/// assert!(!request.cancelled.is_cancelled());
/// ```
pub struct CompactionRequest<'a> {
    /// The conversation.
    pub messages: &'a [Arc<Message>],
    /// Cancelled when the run is.
    pub cancelled: CancellationToken,
    /// The size to reach and the measure it is given in; without it, the compactor's own.
    pub target: Option<Target>,
}

/// A size to reach, inseparable from the counter that measures it.
///
/// ```
/// use std::sync::Arc;
/// use sess::Message;
/// use sess::context::{Target, default_counter};
/// let target = Target { tokens: 100, counter: default_counter() };
/// let conversation = [Arc::new(Message::user("x".repeat(1_000)))];
/// assert!(target.counter.count_messages(&conversation) > target.tokens);
/// ```
#[derive(Clone)]
pub struct Target {
    /// The size.
    pub tokens: u64,
    /// Measures candidate conversations in the same unit.
    pub counter: Arc<dyn TokenCounter>,
}

/// What a pass made.
///
/// ```
/// use sess::context::Compacted;
/// // What a pass says that could do nothing and cannot help.
/// let hopeless = Compacted { exhausted: true, ..Compacted::default() };
/// assert!(hopeless.summary.is_empty() && hopeless.elisions.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compacted {
    /// The conversation as it stands after the pass.
    pub messages: Vec<Arc<Message>>,
    /// The content of the message that stands for the dropped ones; empty when none were dropped.
    pub summary: String,
    /// How many messages the summary replaces.
    pub dropped: usize,
    /// The last message the summary replaces, as a place in the conversation that was given.
    pub cut_index: Option<usize>,
    /// Size before, by the counter of the pass.
    pub tokens_before: u64,
    /// Size after, by the same counter.
    pub tokens_after: u64,
    /// The middle was cut hard, because no summary could be had.
    pub fallback: bool,
    /// The conversation is still too large, and this compactor cannot help.
    pub exhausted: bool,
    /// Contents replaced by stubs: places in the conversation that was given, and the stubs.
    pub elisions: Vec<(usize, String)>,
    /// What the pass itself spent on summaries.
    pub spent: Option<Spent>,
}
