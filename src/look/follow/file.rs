//! The file under the name: opened for reading only, told apart from others, read at an offset.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;

/// An open file and what tells it apart. While it is open, its inode cannot be given to another.
pub(super) struct Opened {
    pub file: File,
    pub identity: Identity,
}

/// What stands under a name.
pub(super) enum Named {
    Nothing,
    File(Identity),
    /// Something that has no lines: a folder, a pipe, a device.
    Other,
}

impl Named {
    /// Looks without opening: opening a pipe would block.
    pub fn look(path: &Path) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(meta) if meta.is_file() => Ok(Named::File(Identity::of(&meta))),
            Ok(_) => Ok(Named::Other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Named::Nothing),
            Err(error) => Err(error),
        }
    }
}

impl Opened {
    /// Opens for reading; `None` if the name has gone meanwhile.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        match File::open(path) {
            Ok(file) => {
                let identity = Identity::of(&file.metadata()?);
                Ok(Some(Self { file, identity }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Fills as much of `buffer` as the file has from `offset` on; returns how much that was.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match read_some(&self.file, rest, offset + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// The bytes of `offset..offset + length`, or as many of them as there are.
    pub fn bytes_at(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        let count = self.read_at(&mut bytes, offset)?;
        bytes.truncate(count);
        Ok(bytes)
    }

    /// Where the last line that begins before `end` begins, if only what follows the last newline
    /// is a line that is not ended yet: the offset behind that newline.
    pub fn last_line_start(&self, end: u64) -> io::Result<u64> {
        const CHUNK: u64 = 64 * 1024;
        let mut upper = end;
        while upper > 0 {
            let lower = upper.saturating_sub(CHUNK);
            let bytes = self.bytes_at(lower, (upper - lower) as usize)?;
            if let Some(at) = memchr::memrchr(b'\n', &bytes) {
                return Ok(lower + at as u64 + 1);
            }
            upper = lower;
        }
        Ok(0)
    }
}

/// Device and inode.
#[cfg(unix)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

#[cfg(unix)]
impl Identity {
    fn of(meta: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            device: meta.dev(),
            inode: meta.ino(),
        }
    }

    /// Whether this is the file that was opened and read up to `_end`.
    pub fn is(&self, opened: &Self, _end: u64) -> bool {
        (self.device, self.inode) == (opened.device, opened.inode)
    }
}

/// The time of creation, and the length, because a system may give a new file under an old name
/// the old one's time.
#[cfg(not(unix))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity {
    created: Option<std::time::SystemTime>,
    length: u64,
}

#[cfg(not(unix))]
impl Identity {
    fn of(meta: &Metadata) -> Self {
        Self {
            created: meta.created().ok(),
            length: meta.len(),
        }
    }

    /// Whether this is the file that was opened and read up to `end`, its length.
    pub fn is(&self, opened: &Self, end: u64) -> bool {
        self.created == opened.created && self.length == end
    }
}

#[cfg(unix)]
fn read_some(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(not(unix))]
fn read_some(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(offset))?;
    file.read(buffer)
}
