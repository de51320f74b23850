//! Waiting for a key, a signal, or a word of another thread, whichever comes first.

#[cfg(not(unix))]
pub use other::{Bell, Waiter};
#[cfg(unix)]
pub use unix::{Bell, Waiter};

/// What signals asked for since the last look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The signal that ends the process.
    pub end: Option<i32>,
    /// To stop until the shell wakes it.
    pub suspend: bool,
    /// The process was stopped and goes on, or the screen changed its size.
    pub redraw: bool,
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io::{self, IsTerminal, Read, Write};
    use std::os::fd::{AsFd, BorrowedFd};
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
    use signal_hook::{flag, low_level};

    use super::Asked;

    const SIGNALS: [i32; 6] = [SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT, SIGWINCH];

    /// Waits. Signals are caught as long as the process lives.
    pub struct Waiter {
        keys: Option<File>,
        ear: UnixStream,
        mouth: UnixStream,
        raised: Vec<(i32, Arc<AtomicBool>)>,
    }

    /// Ends the waiting from another thread.
    #[derive(Debug)]
    pub struct Bell(UnixStream);

    impl Bell {
        /// Rings. A bell that cannot be heard any more is no trouble, and one that is full is rung.
        pub fn ring(&self) {
            let _ = (&self.0).write(&[1]);
        }
    }

    impl Waiter {
        /// Begins to catch signals.
        pub fn new() -> io::Result<Self> {
            let (ear, mouth) = UnixStream::pair()?;
            ear.set_nonblocking(true)?;
            mouth.set_nonblocking(true)?;
            let mut raised = Vec::new();
            for signal in SIGNALS {
                let flag = Arc::new(AtomicBool::new(false));
                flag::register(signal, Arc::clone(&flag))?;
                low_level::pipe::register(signal, mouth.try_clone()?)?;
                raised.push((signal, flag));
            }
            let keys = match io::stdin().is_terminal() {
                true => None,
                false => Some(File::open("/dev/tty")?),
            };
            Ok(Self {
                keys,
                ear,
                mouth,
                raised,
            })
        }

        /// Something to ring with.
        pub fn bell(&self) -> io::Result<Bell> {
            self.mouth.try_clone().map(Bell)
        }

        /// Waits for anything at all, at most so long.
        pub fn wait(&mut self, timeout: Option<Duration>) -> io::Result<()> {
            let timeout = timeout.map(|timeout| Timespec {
                tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: timeout.subsec_nanos().into(),
            });
            let stdin = io::stdin();
            let keys: BorrowedFd<'_> = match &self.keys {
                Some(keys) => keys.as_fd(),
                None => stdin.as_fd(),
            };
            let mut fds = [
                PollFd::new(&keys, PollFlags::IN),
                PollFd::new(&self.ear, PollFlags::IN),
            ];
            match poll(&mut fds, timeout.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let hung_up = fds[0].revents().contains(PollFlags::HUP);
            let mut rings = [0; 64];
            while matches!((&self.ear).read(&mut rings), Ok(1..)) {}
            match hung_up {
                true => Err(io::ErrorKind::UnexpectedEof.into()),
                false => Ok(()),
            }
        }

        /// What signals asked for.
        pub fn asked(&self) -> Asked {
            let mut asked = Asked::default();
            for (signal, raised) in &self.raised {
                if !raised.swap(false, Ordering::SeqCst) {
                    continue;
                }
                match *signal {
                    SIGTERM | SIGHUP | SIGINT => asked.end = Some(*signal),
                    SIGTSTP => asked.suspend = true,
                    _ => asked.redraw = true,
                }
            }
            asked
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::io;
    use std::time::Duration;

    use super::Asked;

    /// Looks now and then: here nothing can be waited for together with keys.
    pub struct Waiter;

    /// Rings nothing: the next look comes soon.
    #[derive(Debug)]
    pub struct Bell;

    impl Bell {
        /// Does nothing.
        pub fn ring(&self) {}
    }

    impl Waiter {
        /// Begins.
        pub fn new() -> io::Result<Self> {
            Ok(Self)
        }

        /// Something to ring with.
        pub fn bell(&self) -> io::Result<Bell> {
            Ok(Bell)
        }

        /// Waits for a key, and not long for anything else.
        pub fn wait(&mut self, timeout: Option<Duration>) -> io::Result<()> {
            let most = Duration::from_millis(50);
            crossterm::event::poll(timeout.map_or(most, |timeout| timeout.min(most))).map(drop)
        }

        /// Nothing.
        pub fn asked(&self) -> Asked {
            Asked::default()
        }
    }
}
