//! What a follower has to tell.

use std::io;
use std::path::PathBuf;

/// One thing that happened to a followed file.
///
/// Where an event carries `offset`, reading goes on there: lines given earlier that stand at or
/// behind it are void, and 0 means that everything is read anew.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("run.jsonl");
/// use std::time::Duration;
/// use sess::look::follow::{Event, Follower, Start, Wait};
/// std::fs::write(&path, "one\ntw").unwrap();
/// let mut follower = Follower::open(&path, Start::Beginning, Wait::No)?;
/// assert!(matches!(follower.next(None)?, Event::Line(line) if line.bytes == b"one"));
/// // A half line may still be growing.
/// assert_eq!(follower.next(Some(Duration::ZERO))?, Event::Idle);
/// # Ok::<(), sess::look::follow::FollowError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A whole line.
    Line(Line),
    /// The file became shorter, or other bytes took the place of lines already given.
    Truncated {
        /// Where reading goes on, in bytes from the start of the file.
        offset: u64,
    },
    /// Another file took the name.
    Replaced {
        /// Where reading goes on: behind the last line that both files share.
        offset: u64,
    },
    /// Nothing stands under the name. The follower goes on waiting for something to.
    Removed,
    /// The name is there, after it was waited for or removed.
    Appeared {
        /// Where reading goes on: 0, unless the file is the removed one or begins as it did.
        offset: u64,
    },
    /// The time given to [`next`](super::Follower::next) passed.
    Idle,
    /// A [`Waker`](super::Waker) was used.
    Woken,
}

/// One line of a followed file.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("run.jsonl");
/// use sess::look::follow::{Ending, Event, Follower, Line, Start, Wait};
/// std::fs::write(&path, "one\r\n").unwrap();
/// let mut follower = Follower::open(&path, Start::Beginning, Wait::No)?;
/// let line = Line { bytes: b"one".to_vec(), offset: 0, ending: Ending::CrLf };
/// assert_eq!(follower.next(None)?, Event::Line(line));
/// # Ok::<(), sess::look::follow::FollowError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The bytes without their terminator.
    pub bytes: Vec<u8>,
    /// Where the line begins, in bytes from the start of the file.
    pub offset: u64,
    /// What ended it.
    pub ending: Ending,
}

/// The terminator of a line.
///
/// ```
/// use sess::look::follow::Ending;
/// assert_eq!(Ending::Lf.as_bytes(), b"\n");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

impl Ending {
    /// The bytes in the file.
    pub fn as_bytes(self) -> &'static [u8] {
        match self {
            Ending::Lf => b"\n",
            Ending::CrLf => b"\r\n",
        }
    }
}

/// Why a file cannot be followed.
///
/// ```
/// use sess::look::follow::{FollowError, Follower, Start, Wait};
/// let refused = Follower::open("no-such-file.jsonl", Start::Beginning, Wait::No).err().unwrap();
/// assert!(matches!(refused, FollowError::NotFound(_)));
/// assert_eq!(refused.to_string(), "no-such-file.jsonl does not exist");
/// ```
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// Nothing stands under the name, and waiting for it was not asked for.
    #[error("{} does not exist", .0.display())]
    NotFound(PathBuf),
    /// A folder, a pipe or a device.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// The system refused.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The followed name.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}
