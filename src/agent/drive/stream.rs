//! The response that is being streamed, where a cancel from any thread can reach it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::agent::shield::shielded;
use crate::backend::{Backend, ResponseHandle};

/// Holds the active response of one run, if there is one.
#[derive(Clone, Default)]
pub(in crate::agent) struct StreamSlot {
    active: Arc<Mutex<Option<Active>>>,
}

type Active = (Arc<dyn Backend>, ResponseHandle);

impl StreamSlot {
    /// Cancels the active response at its backend. Whatever goes wrong there is ignored.
    pub(in crate::agent) fn cancel(&self) {
        let active = self.slot().clone();
        if let Some((backend, response)) = active {
            let _ = shielded(|| backend.cancel(&response));
        }
    }

    /// Makes a response the active one until the guard is dropped.
    pub(super) fn hold(
        &self,
        backend: &Arc<dyn Backend>,
        response: &ResponseHandle,
    ) -> ActiveStream {
        *self.slot() = Some((Arc::clone(backend), response.clone()));
        ActiveStream { slot: self.clone() }
    }

    pub(super) fn clear(&self) {
        *self.slot() = None;
    }

    fn slot(&self) -> MutexGuard<'_, Option<Active>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Frees the slot when it is dropped.
pub(super) struct ActiveStream {
    slot: StreamSlot,
}

impl Drop for ActiveStream {
    fn drop(&mut self) {
        self.slot.clear();
    }
}
