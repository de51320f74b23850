//! Who goes on with the conversation of a transcript: one run at a time, or turns and answers of
//! several would stand between each other.

use std::sync::Arc;

use crate::Session;

/// The right to go on with a session's conversation, until it is dropped.
pub(super) struct Claim {
    session: Arc<Session>,
}

impl Claim {
    /// `None`: another run has it.
    pub(super) fn on(session: &Arc<Session>) -> Option<Self> {
        session.claim().then(|| Self {
            session: Arc::clone(session),
        })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.session.release();
    }
}
