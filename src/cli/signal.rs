//! Ctrl-C.
//!
//! A command that only computes is ended by it in the ordinary way. A command that follows a file
//! watches for it instead, ends cleanly and returns [`Exit::Interrupted`](super::exit::Exit). A
//! broken pipe needs nothing here: Rust ignores `SIGPIPE`, and the failed write says what happened.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
use signal_hook::flag;

/// Makes Ctrl-C an event for the rest of the process. A second one ends the process at once, with
/// status 130, so that a command that does not come to its end can still be left.
pub struct Interrupt {
    raised: Arc<AtomicBool>,
}

impl Interrupt {
    /// Starts watching. `wake` runs on a thread of its own after each Ctrl-C; it is where a
    /// command that waits on a channel sends itself a message.
    pub fn watch(wake: impl Fn() + Send + 'static) -> io::Result<Self> {
        let raised = Arc::new(AtomicBool::new(false));
        flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&raised))?;
        flag::register(SIGINT, Arc::clone(&raised))?;
        wake_on_interrupt(&raised, wake)?;
        Ok(Self { raised })
    }

    /// Whether Ctrl-C has been pressed.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }
}

/// While a pager runs, Ctrl-C is one of its keys. For the rest of the process it does nothing to
/// us; leaving the pager breaks the pipe, which ends the command.
pub fn leave_interrupts_to_the_pager() {
    // Where this fails, Ctrl-C ends the command and the pager keeps what it has.
    let _ = flag::register(SIGINT, Arc::default());
}

#[cfg(unix)]
fn wake_on_interrupt(_: &Arc<AtomicBool>, wake: impl Fn() + Send + 'static) -> io::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new([SIGINT])?;
    spawn(move || signals.forever().for_each(|_| wake()))
}

/// Windows has no signal that a thread could wait for, so this one looks.
#[cfg(not(unix))]
fn wake_on_interrupt(raised: &Arc<AtomicBool>, wake: impl Fn() + Send + 'static) -> io::Result<()> {
    let raised = Arc::clone(raised);
    spawn(move || {
        while !raised.load(Ordering::Relaxed) {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        wake();
    })
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let named = std::thread::Builder::new().name("interrupt".to_owned());
    named.spawn(work).map(drop)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn an_interrupt_wakes_whoever_waits_and_leaves_a_flag() {
        let (sender, receiver) = mpsc::channel();
        let interrupt = Interrupt::watch(move || sender.send(()).unwrap()).unwrap();
        assert!(!interrupt.is_raised());
        signal_hook::low_level::raise(SIGINT).unwrap();
        receiver.recv().unwrap();
        assert!(interrupt.is_raised());
    }
}
