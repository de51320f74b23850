//! The few things a session asks of a file system, so that tests can make each of them fail.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::path::Path;

/// An open transcript. Reads name their place; writes go to the end only.
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

    /// Whether `path` still names this very file, and not one that was renamed over it.
    fn is_at(&self, path: &Path) -> io::Result<bool>;

    /// Mode and owner, for a file that is to take this one's place.
    fn access(&self) -> io::Result<Access>;
}

/// Who may use a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The mode.
    pub permissions: Permissions,
    /// User and group, where the system has them.
    pub owner: Option<(u32, u32)>,
}

/// Where transcripts live.
pub trait Disk: Send + Sync {
    /// Opens an existing regular file for reading and appending.
    fn open(&self, path: &Path) -> io::Result<Box<dyn LogFile>>;

    /// Creates a file that must not exist, following no link. Its mode is that of `access`, or 0600
    /// without one, and never wider at any moment. The owner is taken over where this is allowed.
    fn create_new(&self, path: &Path, access: Option<&Access>) -> io::Result<Box<dyn LogFile>>;

    /// Gives `from` the name `to`, replacing what has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Returns when the names in a folder survive a loss of power.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

/// The real one.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileSystem;

impl Disk for FileSystem {
    fn open(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        let file = OpenOptions::new().read(true).append(true).open(path)?;
        Ok(Box::new(DiskFile(file)))
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
        Ok(Box::new(DiskFile(file)))
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

struct DiskFile(File);

/// Closing alone keeps the lock for as long as another thread of this process is between fork and
/// exec, because the child holds a copy of the open file.
impl Drop for DiskFile {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

impl LogFile for DiskFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        read_at(&self.0, out, offset)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn try_lock(&self) -> io::Result<bool> {
        super::lock::try_lock(&self.0)
    }

    fn unlock(&self) -> io::Result<()> {
        self.0.unlock()
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        super::lock::is_same_file(&self.0, path)
    }

    fn access(&self) -> io::Result<Access> {
        let metadata = self.0.metadata()?;
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
