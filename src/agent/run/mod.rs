//! One run: what its owner holds ([`Run`], [`RunHandle`]), what it leaves ([`RunResult`]), and the
//! mailbox between the driver and both.
//!
//! The mailbox gives three promises. Sequence numbers are contiguous, in the order of publication,
//! and the terminal event has the last. The result is there before the terminal event is. After
//! *drained* no producer can publish any more.

mod handle;
mod mailbox;
mod result;

pub use handle::{Run, RunHandle};
pub use mailbox::Emitter;
pub(in crate::agent) use mailbox::{Mailbox, WorkTicket};
pub use result::{Outcome, RunResult};
