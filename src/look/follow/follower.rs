//! The follower: looks, and waits between looks.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::bell::{Bell, Rung, Waker};
use super::event::{Event, FollowError};
use super::file::{Named, Opened};
use super::window::{Fill, Window};

/// Where following begins.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("run.jsonl");
/// use sess::look::follow::{Follower, Start, Wait};
/// std::fs::write(&path, "one\ntw").unwrap();
/// let offset = |start| Ok(Follower::open(&path, start, Wait::No)?.offset());
/// assert_eq!(offset(Start::Beginning)?, 0);
/// assert_eq!(offset(Start::End)?, 4);
/// # Ok::<(), sess::look::follow::FollowError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With the first line.
    Beginning,
    /// With the first line that is not ended yet. A half line at the end is given whole once its
    /// newline comes.
    End,
    /// At this many bytes from the start of the file, which should be where a line begins. If the
    /// file does not reach that far, the first event is [`Event::Truncated`].
    Offset(u64),
}

/// What to do about a file that does not exist.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("run.jsonl");
/// use sess::look::follow::{Event, Follower, Start, Wait};
/// let mut follower = Follower::open(&path, Start::End, Wait::Yes)?;
/// std::fs::write(&path, "one\n").unwrap();
/// assert_eq!(follower.next(None)?, Event::Appeared { offset: 0 });
/// assert!(matches!(follower.next(None)?, Event::Line(_)));
/// # Ok::<(), sess::look::follow::FollowError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Refuse.
    No,
    /// Wait for it, and begin with its first line.
    Yes,
}

/// Gives the lines of a growing file. See the [module](super) for what it survives.
///
/// Memory: about half a megabyte and the half line at the end of the file.
///
/// ```no_run
/// use sess::look::follow::{Event, Follower, Start, Wait};
/// # fn main() -> Result<(), sess::look::follow::FollowError> {
/// let mut follower = Follower::open("run.jsonl", Start::End, Wait::Yes)?;
/// loop {
///     match follower.next(None)? {
///         Event::Line(line) => println!("{} bytes at {}", line.bytes.len(), line.offset),
///         Event::Woken => return Ok(()),
///         _ => {}
///     }
/// }
/// # }
/// ```
pub struct Follower {
    path: PathBuf,
    bell: Bell,
    /// The file that is read. It stays open when its name goes: a writer may still hold it too.
    file: Option<Opened>,
    /// Whether the name leads to `file`, as far as is known.
    named: bool,
    window: Window,
}

impl Follower {
    /// Begins to follow the file under this name.
    pub fn open(path: impl Into<PathBuf>, start: Start, wait: Wait) -> Result<Self, FollowError> {
        let path = path.into();
        // The watch stands before the first look, so that nothing falls between the two.
        let bell = Bell::new(&path);
        let file = open_named(&path)?;
        if file.is_none() && wait == Wait::No {
            return Err(FollowError::NotFound(path));
        }
        let window = match &file {
            Some(file) => window_at(start, file).map_err(|source| io_error(&path, source))?,
            None => Window::at(0),
        };
        Ok(Self {
            named: file.is_some(),
            path,
            bell,
            file,
            window,
        })
    }

    /// The next event; waits for it at most `timeout`, or without end for `None`.
    ///
    /// With a `timeout` of zero it looks once. An error leaves the follower usable: the next call
    /// looks again.
    pub fn next(&mut self, timeout: Option<Duration>) -> Result<Event, FollowError> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut rung = None;
        loop {
            if self.bell.take_woken() {
                return Ok(Event::Woken);
            }
            if let Some(event) = self.look()? {
                if let Some(rung) = &rung {
                    self.bell.found_after(rung);
                }
                return Ok(event);
            }
            if rung == Some(Rung::TimedOut) {
                return Ok(Event::Idle);
            }
            rung = Some(self.bell.wait(deadline, !self.named));
        }
    }

    /// Something with which another thread can end a waiting [`next`](Self::next).
    pub fn waker(&self) -> Waker {
        self.bell.waker()
    }

    /// The followed name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the line that comes next begins, in bytes from the start of the file.
    pub fn offset(&self) -> u64 {
        self.window.start()
    }

    /// The half line at the end of the file, as far as it is read.
    pub fn pending(&self) -> &[u8] {
        self.window.pending()
    }

    /// What there is to tell without waiting.
    fn look(&mut self) -> Result<Option<Event>, FollowError> {
        loop {
            if let Some(line) = self.window.take_line() {
                return Ok(Some(Event::Line(line)));
            }
            // The name is looked at before the file is read: once another file has the name, what
            // the old one holds is read to its end before it is left.
            let named = Named::look(&self.path).map_err(|source| io_error(&self.path, source))?;
            match self.fill()? {
                Fill::Grown => {}
                Fill::Changed => {
                    if let Some(event) = self.go_back()? {
                        return Ok(Some(event));
                    }
                }
                Fill::End => return self.compare(named),
            }
        }
    }

    fn fill(&mut self) -> Result<Fill, FollowError> {
        match &self.file {
            Some(file) => {
                let filled = self.window.fill(file);
                filled.map_err(|source| io_error(&self.path, source))
            }
            None => Ok(Fill::End),
        }
    }

    /// The open file changed under us. A half line that was taken back was never given, so its
    /// going is no event.
    fn go_back(&mut self) -> Result<Option<Event>, FollowError> {
        let Some(file) = &self.file else {
            return Ok(None);
        };
        let before = self.window.start();
        let back = self.window.go_back(file);
        let offset = back.map_err(|source| io_error(&self.path, source))?;
        Ok((offset != before).then_some(Event::Truncated { offset }))
    }

    /// Compares what stands under the name with the file that is read.
    fn compare(&mut self, named: Named) -> Result<Option<Event>, FollowError> {
        let identity = match named {
            Named::Nothing if self.named => {
                self.named = false;
                return Ok(Some(Event::Removed));
            }
            Named::Nothing => return Ok(None),
            Named::Other => return Err(FollowError::NotAFile(self.path.clone())),
            Named::File(identity) => identity,
        };
        let end = self.window.end();
        match &self.file {
            Some(file) if !identity.is(&file.identity, end) => self.change_over(),
            None => self.change_over(),
            Some(_) if self.named => Ok(None),
            Some(_) => {
                let offset = self.window.start();
                Ok(Some(self.appeared(offset)))
            }
        }
    }

    /// Goes on in the file that has the name, behind the lines it shares with the old one. The old
    /// one's half line is dropped: the new one carries its own.
    fn change_over(&mut self) -> Result<Option<Event>, FollowError> {
        let Some(file) = open_named(&self.path)? else {
            return Ok(None);
        };
        let back = self.window.go_back(&file);
        let offset = back.map_err(|source| io_error(&self.path, source))?;
        self.file = Some(file);
        Ok(Some(match self.named {
            true => Event::Replaced { offset },
            false => self.appeared(offset),
        }))
    }

    fn appeared(&mut self, offset: u64) -> Event {
        self.named = true;
        self.bell.watch(&self.path);
        Event::Appeared { offset }
    }
}

fn open_named(path: &Path) -> Result<Option<Opened>, FollowError> {
    match Named::look(path).map_err(|source| io_error(path, source))? {
        Named::Nothing => Ok(None),
        Named::Other => Err(FollowError::NotAFile(path.to_owned())),
        Named::File(_) => Opened::open(path).map_err(|source| io_error(path, source)),
    }
}

fn window_at(start: Start, file: &Opened) -> io::Result<Window> {
    match start {
        Start::Beginning => Ok(Window::at(0)),
        Start::End => Window::behind(file.last_line_start(file.len()?)?, file),
        Start::Offset(offset) => Window::behind(offset, file),
    }
}

fn io_error(path: &Path, source: io::Error) -> FollowError {
    FollowError::Io {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::thread;

    #[test]
    fn lines_come_without_a_watcher_too_and_to_another_thread() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let mut follower = Follower::open(file.path(), Start::End, Wait::No).unwrap();
        follower.bell.stop_watching();
        let reader = thread::spawn(move || follower.next(Some(Duration::from_secs(60))).unwrap());
        thread::sleep(Duration::from_millis(30));
        file.write_all(b"line\n").unwrap();
        assert!(matches!(reader.join().unwrap(), Event::Line(line) if line.bytes == b"line"));
    }
}
