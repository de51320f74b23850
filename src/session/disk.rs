//! The few things a session asks of a file system, so that tests can make each of them fail.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::path::Path;

use super::lock::Lock;

/// An open transcript. Reads name their place; writes go to the end only.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::session::disk::{Disk, FileSystem, LogFile};
/// let mut file: Box<dyn LogFile> = FileSystem::default().create_new(&path, None)?;
/// file.append(b"one\ntw")?;
/// // What a failed append left is cut off again.
/// file.set_len(4)?;
/// let mut out = [0; 8];
/// assert_eq!(file.read_at(&mut out, 1)?, 3);
/// assert_eq!(&out[..3], b"ne\n");
/// assert!(file.try_lock()? && file.is_at(&path)?);
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait LogFile: Send + Sync {
    /// Length in bytes.
    fn len(&self) -> io::Result<u64>;

    /// Whether nothing is in it.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Reads up to `out.len()` bytes from `offset`; 0 at the end.
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes all the bytes at the end of the file. After an error some of them may be there.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Returns when what was appended survives a loss of power.
    fn sync(&mut self) -> io::Result<()>;

    /// Cuts the file to this length.
    fn set_len(&mut self, len: u64) -> io::Result<()>;

    /// Takes the writer lock, held until the file is dropped. `false`: somebody else has it.
    fn try_lock(&self) -> io::Result<bool>;

    /// Gives the writer lock back.
    fn unlock(&self) -> io::Result<()>;

    /// Called when this file has taken the name of `predecessor`, which holds the writer lock and
    /// is not needed for anything else.
    fn succeed(&mut self, predecessor: Box<dyn LogFile>) {
        drop(predecessor);
    }

    /// Whether `path` still names this very file, and not one that was renamed over it.
    fn is_at(&self, path: &Path) -> io::Result<bool>;

    /// Mode and owner, for a file that is to take this one's place.
    fn access(&self) -> io::Result<Access>;
}

/// Who may use a file.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::session::disk::{Disk, FileSystem};
/// let disk = FileSystem::default();
/// let access = disk.create_new(&path, None)?.access()?;
/// let successor = disk.create_new(&path.with_extension("new"), Some(&access))?;
/// assert_eq!(successor.access()?, access);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The mode.
    pub permissions: Permissions,
    /// User and group, where the system has them.
    pub owner: Option<(u32, u32)>,
}

/// Where transcripts live.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use std::io;
/// use std::path::Path;
/// use sess::session::disk::{Access, Disk, FileSystem, LogFile};
/// use sess::{Json, Session};
///
/// /// Has room for no new file.
/// struct Full(FileSystem);
///
/// impl Disk for Full {
///     fn open(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
///         self.0.open(path)
///     }
///     fn create_new(&self, _: &Path, _: Option<&Access>) -> io::Result<Box<dyn LogFile>> {
///         Err(io::ErrorKind::StorageFull.into())
///     }
///     fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
///         self.0.rename(from, to)
///     }
///     fn remove(&self, path: &Path) -> io::Result<()> {
///         self.0.remove(path)
///     }
///     fn sync_folder(&self, folder: &Path) -> io::Result<()> {
///         self.0.sync_folder(folder)
///     }
/// }
///
/// let options = Session::options().disk(Full(FileSystem::default()));
/// assert!(options.create(&path, Json::empty_object()).is_err());
/// assert!(!path.exists());
/// # Ok::<(), io::Error>(())
/// ```
pub trait Disk: Send + Sync {
    /// Opens an existing regular file for reading and appending.
    fn open(&self, path: &Path) -> io::Result<Box<dyn LogFile>>;

    /// Creates a file that must not exist, following no link. Its mode is that of `access`, or 0600
    /// without one, and never wider at any moment. The owner is taken over where this is allowed.
    fn create_new(&self, path: &Path, access: Option<&Access>) -> io::Result<Box<dyn LogFile>>;

    /// Gives `from` the name `to`, replacing what has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Gives `from` the second name `to`, which must not be taken. Where this cannot be done,
    /// another way is taken, so it need not be.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let _ = (from, to);
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Returns when the names in a folder survive a loss of power.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

/// The real one.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::session::disk::FileSystem;
/// use sess::{Json, Session};
/// // For a folder whose files other programs lock for reasons of their own.
/// let disk = FileSystem { lock_beside: true };
/// Session::options().disk(disk).create(&path, Json::empty_object())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FileSystem {
    /// Whether a file beside the transcript carries the writer lock, and not the transcript itself.
    /// By default so on Windows, where a lock on the file would keep readers out.
    pub lock_beside: bool,
}

#[allow(
    clippy::derivable_impls,
    reason = "only where the system is not Windows"
)]
impl Default for FileSystem {
    fn default() -> Self {
        Self {
            lock_beside: cfg!(windows),
        }
    }
}

impl FileSystem {
    fn file(&self, file: File, path: &Path) -> Box<dyn LogFile> {
        let lock = match self.lock_beside {
            // A staged copy takes over the lock of the file whose name it takes.
            true if path
                .extension()
                .is_some_and(|extension| extension == "repair") =>
            {
                Lock::Inherited
            }
            true => Lock::beside(path),
            false => Lock::OnFile,
        };
        Box::new(DiskFile {
            file,
            lock,
            predecessor: None,
        })
    }
}

impl Disk for FileSystem {
    fn open(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        let file = OpenOptions::new().read(true).append(true).open(path)?;
        Ok(self.file(file, path))
    }

    fn create_new(&self, path: &Path, access: Option<&Access>) -> io::Result<Box<dyn LogFile>> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        if let Some(access) = access {
            take_over(&file, access).inspect_err(|_| {
                let _ = fs::remove_file(path);
            })?;
        }
        Ok(self.file(file, path))
    }

    /// A lock that stands beside a file is not that of its other name.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        match self.lock_beside {
            true => Err(io::ErrorKind::Unsupported.into()),
            false => fs::hard_link(from, to),
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        // Windows cannot open a folder as a file, and journals names by itself.
        if cfg!(unix) {
            File::open(folder)?.sync_all()
        } else {
            Ok(())
        }
    }
}

fn take_over(file: &File, access: &Access) -> io::Result<()> {
    #[cfg(unix)]
    if let Some((user, group)) = access.owner {
        // Only root may give files away; for anybody else the copy stays theirs.
        let _ = std::os::unix::fs::fchown(file, Some(user), Some(group));
    }
    file.set_permissions(access.permissions.clone())
}

struct DiskFile {
    file: File,
    lock: Lock,
    /// The file whose place this one has taken, kept open where it carries the lock.
    predecessor: Option<Box<dyn LogFile>>,
}

/// Closing alone keeps the lock for as long as another thread of this process is between fork and
/// exec, because the child holds a copy of the open file.
impl Drop for DiskFile {
    fn drop(&mut self) {
        let _ = self.unlock();
    }
}

impl LogFile for DiskFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        read_at(&self.file, out, offset)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.lock.try_take(&self.file)
    }

    fn unlock(&self) -> io::Result<()> {
        match &self.predecessor {
            Some(predecessor) => predecessor.unlock(),
            None => self.lock.release(&self.file),
        }
    }

    fn succeed(&mut self, predecessor: Box<dyn LogFile>) {
        if matches!(self.lock, Lock::Inherited) {
            self.predecessor = Some(predecessor);
        }
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        super::lock::is_same_file(&self.file, path)
    }

    fn access(&self) -> io::Result<Access> {
        let metadata = self.file.metadata()?;
        #[cfg(unix)]
        let owner = {
            use std::os::unix::fs::MetadataExt;
            Some((metadata.uid(), metadata.gid()))
        };
        #[cfg(not(unix))]
        let owner = None;
        Ok(Access {
            permissions: metadata.permissions(),
            owner,
        })
    }
}

/// Reads at a place without moving a shared cursor.
pub(crate) fn read_at(file: &File, out: &mut [u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, out, offset);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, out, offset);
}

/// Copies the bytes `range` of one file to the end of another.
pub(crate) fn copy(
    from: &dyn LogFile,
    range: std::ops::Range<u64>,
    to: &mut dyn LogFile,
) -> io::Result<()> {
    let mut left = range.end - range.start;
    let mut source = super::read::LogReader::new(from, range.start, range.end);
    let mut buffer = vec![0; 1024 * 1024];
    while left > 0 {
        match source.read(&mut buffer)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            got => {
                to.append(&buffer[..got])?;
                left -= got as u64;
            }
        }
    }
    Ok(())
}
