//! One writer. The lock is advisory, lives as long as the open file, and sits on the transcript
//! itself, so that it is released by the operating system however the process ends.
//!
//! A lock on the file would keep readers out on Windows, where locks are mandatory; there the lock
//! covers no byte that a reader touches only because readers of this crate never lock.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

/// `false` when another open file holds the lock.
pub(crate) fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether a path names the very file that is open: a repair may have renamed another over it
/// between opening and locking.
pub(crate) fn is_same_file(file: &File, path: &Path) -> io::Result<bool> {
    let named = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other?,
    };
    Ok(identity(&file.metadata()?) == identity(&named))
}

#[cfg(unix)]
fn identity(metadata: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(metadata: &fs::Metadata) -> Option<std::time::SystemTime> {
    metadata.created().ok()
}
