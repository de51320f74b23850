//! Records what tools have been granted, whenever that has changed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::shield::shielded;
use crate::Json;
use crate::canonical::{Sha256Hex, digest_of_json};
use crate::session::{AppendError, Session};
use crate::tool::ToolProvider;

/// Writes a provider's grants to a transcript.
pub(in crate::agent) struct GrantsWriter {
    provider: Arc<dyn ToolProvider>,
    session: Arc<Session>,
    /// Digest of the snapshot that was last written. Held across snapshot and append, so that two
    /// writers cannot put an older snapshot behind a newer one.
    written: Mutex<Option<Sha256Hex>>,
}

impl GrantsWriter {
    pub(in crate::agent) fn new(provider: Arc<dyn ToolProvider>, session: Arc<Session>) -> Self {
        Self {
            provider,
            session,
            written: Mutex::new(None),
        }
    }

    /// Takes the grants as they stand for written. What is granted before a run came from the
    /// transcript, or is the host's own affair.
    pub(in crate::agent) fn start(&self) {
        *self.written() = self.snapshot().map(|(_, digest)| digest);
    }

    /// Writes the whole snapshot when it differs from the one last written.
    pub(in crate::agent) fn sync(&self) -> Result<(), AppendError> {
        let mut written = self.written();
        let Some((grants, digest)) = self.snapshot() else {
            return Ok(());
        };
        if written.as_ref() != Some(&digest) {
            self.session.append_grants(&grants)?;
            *written = Some(digest);
        }
        Ok(())
    }

    /// A provider that fails to say counts as one without grants.
    fn snapshot(&self) -> Option<(Vec<Json>, Sha256Hex)> {
        let grants = shielded(|| self.provider.grants()).ok()??.ok()?;
        let digest = digest_of_json(&Json::array(grants.iter().cloned()));
        Some((grants, digest))
    }

    fn written(&self) -> MutexGuard<'_, Option<Sha256Hex>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
