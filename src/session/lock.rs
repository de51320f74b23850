//! One writer. The lock is advisory, lives as long as the open file, and is released by the
//! operating system however the process ends.
//!
//! It sits on the transcript itself, except on Windows: there a lock keeps readers out as well, so a
//! file beside the transcript (`<file name>.lock`) carries it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What carries the writer lock of one open transcript.
#[derive(Debug)]
pub(crate) enum Lock {
    /// The transcript itself.
    OnFile,
    /// The file whose name this one is about to take.
    Inherited,
    /// A file beside it, made when the lock is taken and open while it is held.
    Beside {
        path: PathBuf,
        held: Mutex<Option<File>>,
    },
}

impl Lock {
    pub(crate) fn beside(transcript: &Path) -> Self {
        let mut name = transcript
            .file_name()
            .map(OsString::from)
            .unwrap_or_default();
        name.push(".lock");
        Self::Beside {
            path: transcript.with_file_name(name),
            held: Mutex::new(None),
        }
    }

    /// `false` when another open file holds the lock.
    pub(crate) fn try_take(&self, transcript: &File) -> io::Result<bool> {
        match self {
            Lock::OnFile => try_lock(transcript),
            Lock::Inherited => Ok(true),
            Lock::Beside { path, held } => {
                let carrier = OpenOptions::new()
                    .create(true)
                    .truncate(false)
                    .write(true)
                    .open(path)?;
                let taken = try_lock(&carrier)?;
                if taken {
                    *held.lock().unwrap_or_else(PoisonError::into_inner) = Some(carrier);
                }
                Ok(taken)
            }
        }
    }

    pub(crate) fn release(&self, transcript: &File) -> io::Result<()> {
        match self {
            Lock::OnFile => transcript.unlock(),
            Lock::Inherited => Ok(()),
            Lock::Beside { held, .. } => {
                held.lock().unwrap_or_else(PoisonError::into_inner).take();
                Ok(())
            }
        }
    }
}

fn try_lock(file: &File) -> io::Result<bool> {
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
