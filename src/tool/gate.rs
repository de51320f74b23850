//! A gate that tests hold shut.

use tokio::sync::watch;

/// Shut at first; whoever waits at it goes on when it is opened. Clones are the same gate.
///
/// ```
/// use sess::tool::Gate;
/// let gate = Gate::new();
/// let same = gate.clone();
/// assert!(!gate.is_open());
/// same.open();
/// assert!(gate.is_open());
/// ```
#[derive(Clone, Debug)]
pub struct Gate {
    open: watch::Sender<bool>,
}

impl Gate {
    /// A shut gate.
    pub fn new() -> Self {
        Self {
            open: watch::Sender::new(false),
        }
    }

    /// Opens it for good.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// Whether it is open.
    pub fn is_open(&self) -> bool {
        *self.open.borrow()
    }

    /// Waits until it is open.
    pub async fn passed(&self) {
        let mut state = self.open.subscribe();
        // The sender is this gate, so the channel cannot close while it is waited at.
        let _ = state.wait_for(|open| *open).await;
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}
