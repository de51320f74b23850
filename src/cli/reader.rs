//! Whether anybody still reads standard output.

/// Calls `gone` once the reader of standard output has gone away, on a thread of its own. A command
/// that writes learns this from the failed write; one that waits would wait for ever.
#[cfg(unix)]
pub fn watch(gone: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let named = std::thread::Builder::new().name("reader".to_owned());
    let watching = named.spawn(move || {
        if has_gone() {
            gone();
        }
    });
    watching.map(drop)
}

/// Nothing is asked for but what is always told: an error or a hang-up at the other end. For a
/// file neither comes, and this waits as long as the process lives.
#[cfg(unix)]
fn has_gone() -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    let stdout = std::io::stdout();
    loop {
        let mut ends = [PollFd::new(&stdout, PollFlags::empty())];
        match poll(&mut ends, None) {
            Ok(_) => return !ends[0].revents().is_empty(),
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// Elsewhere the next write tells.
#[cfg(not(unix))]
pub fn watch(_gone: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    Ok(())
}
