//! Waiting for something to happen to a file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// Between two looks where a watcher is expected to ring first.
const BESIDE_A_WATCHER: Duration = Duration::from_millis(250);
/// Between two looks where nothing else would ring.
const ALONE: Duration = Duration::from_millis(10);
/// How many times in a row a look may find what the watcher did not report, before the watcher
/// counts as deaf (a network file system, where other machines' writes make no events).
const PATIENCE: u32 = 3;

/// Rings when the watcher sees something, when a [`Waker`] is used, and now and then.
///
/// The channel holds one ring: any number of events between two looks is one look.
pub(super) struct Bell {
    ring: SyncSender<()>,
    rings: Receiver<()>,
    woken: Arc<AtomicBool>,
    watcher: Option<RecommendedWatcher>,
    unreported: u32,
}

/// Why waiting ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Rung {
    /// The watcher saw something, or a waker was used.
    Reported,
    /// It is time to look, reported or not.
    Unreported,
    /// The deadline passed.
    TimedOut,
}

impl Bell {
    /// A bell for `path`, which need not exist.
    pub fn new(path: &Path) -> Self {
        let (ring, rings) = sync_channel(1);
        let mut bell = Self {
            ring,
            rings,
            woken: Arc::default(),
            watcher: None,
            unreported: 0,
        };
        bell.watch(path);
        bell
    }

    /// Watches the folder of `path`, and that of the file it leads to if it is a link. A watch ends
    /// with its folder, so this is called again when a file comes back.
    pub fn watch(&mut self, path: &Path) {
        self.watcher = watcher(path, self.ring.clone()).ok();
        self.unreported = 0;
    }

    #[cfg(test)]
    pub fn stop_watching(&mut self) {
        self.watcher = None;
    }

    pub fn waker(&self) -> Waker {
        Waker {
            ring: self.ring.clone(),
            woken: Arc::clone(&self.woken),
        }
    }

    /// Whether a waker was used since the last question.
    pub fn take_woken(&self) -> bool {
        self.woken.swap(false, Ordering::AcqRel)
    }

    /// Waits. With `nothing_there` the folder itself may be missing or new, so a watcher is not
    /// relied upon.
    pub fn wait(&self, deadline: Option<Instant>, nothing_there: bool) -> Rung {
        let left = match deadline {
            Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            None => Duration::MAX,
        };
        // A writer that rings without a pause must not keep a caller beyond its deadline.
        if left.is_zero() {
            return Rung::TimedOut;
        }
        let pause = self.pause(nothing_there);
        match self.rings.recv_timeout(pause.min(left)) {
            Ok(()) => Rung::Reported,
            Err(RecvTimeoutError::Timeout) if left <= pause => Rung::TimedOut,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Rung::Unreported,
        }
    }

    fn pause(&self, nothing_there: bool) -> Duration {
        let relied_upon = self.watcher.is_some() && self.unreported < PATIENCE && !nothing_there;
        if relied_upon { BESIDE_A_WATCHER } else { ALONE }
    }

    /// Takes note of who reported what a look has found.
    pub fn found_after(&mut self, rung: &Rung) {
        match rung {
            Rung::Reported => self.unreported = 0,
            Rung::Unreported => self.unreported = self.unreported.saturating_add(1),
            Rung::TimedOut => {}
        }
    }
}

/// Ends a waiting [`next`](super::Follower::next) from another thread, for example one that waits
/// for signals. (It is not made to be called inside a signal handler.)
///
/// ```
/// use sess::look::follow::{Event, Follower, Start, Wait};
/// let mut follower = Follower::open("samples/sessions/healthy.jsonl", Start::End, Wait::No)?;
/// let waker = follower.waker();
/// std::thread::spawn(move || waker.wake());
/// assert_eq!(follower.next(None)?, Event::Woken);
/// # Ok::<(), sess::look::follow::FollowError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Waker {
    ring: SyncSender<()>,
    woken: Arc<AtomicBool>,
}

impl Waker {
    /// Makes the waiting call, or the next one, return [`Event::Woken`](super::Event::Woken) before
    /// anything else. Several uses in between are one.
    pub fn wake(&self) {
        self.woken.store(true, Ordering::Release);
        // A full channel rings anyway, and a closed one has nobody to wake.
        let _ = self.ring.try_send(());
    }
}

fn watcher(path: &Path, ring: SyncSender<()>) -> notify::Result<RecommendedWatcher> {
    let watched = Watched::of(path);
    let folders = watched.folders.clone();
    let mut watcher = notify::recommended_watcher(move |event| {
        if watched.concerns(&event) {
            let _ = ring.try_send(());
        }
    })?;
    for folder in &folders {
        watcher.watch(folder, RecursiveMode::NonRecursive)?;
    }
    Ok(watcher)
}

/// The folders in which a file's events happen, and its names there.
struct Watched {
    folders: Vec<PathBuf>,
    names: Vec<OsString>,
}

impl Watched {
    fn of(path: &Path) -> Self {
        let target = path.canonicalize().ok();
        let mut watched = Self {
            folders: Vec::new(),
            names: Vec::new(),
        };
        for path in std::iter::once(path).chain(target.as_deref()) {
            let folder = match path.parent() {
                Some(folder) if folder != Path::new("") => folder,
                _ => Path::new("."),
            };
            if !watched.folders.iter().any(|known| same(known, folder)) {
                watched.folders.push(folder.to_owned());
            }
            watched.names.extend(path.file_name().map(OsString::from));
        }
        watched
    }

    /// Whether an event is about the file or its folder. Reading makes `Access` events, which would
    /// make a follower wake itself.
    fn concerns(&self, event: &notify::Result<notify::Event>) -> bool {
        let Ok(event) = event else { return true };
        let ours = |path: &PathBuf| {
            self.folders.contains(path)
                || path
                    .file_name()
                    .is_some_and(|name| self.names.iter().any(|known| known == name))
        };
        match event.kind {
            EventKind::Access(_) => false,
            _ => event.need_rescan() || event.paths.is_empty() || event.paths.iter().any(ours),
        }
    }
}

fn same(left: &Path, right: &Path) -> bool {
    match (left.canonicalize(), right.canonicalize()) {
        (Ok(left), Ok(right)) => left == right,
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watcher_that_misses_three_times_in_a_row_is_not_relied_upon() {
        let folder = tempfile::tempdir().unwrap();
        let mut bell = Bell::new(&folder.path().join("file"));
        assert_eq!(bell.pause(false), BESIDE_A_WATCHER);
        assert_eq!(bell.pause(true), ALONE);
        for _ in 0..2 {
            bell.found_after(&Rung::Unreported);
        }
        bell.found_after(&Rung::Reported);
        for _ in 0..2 {
            bell.found_after(&Rung::Unreported);
        }
        assert_eq!(bell.pause(false), BESIDE_A_WATCHER);
        bell.found_after(&Rung::Unreported);
        assert_eq!(bell.pause(false), ALONE);
    }

    #[test]
    fn a_folder_that_cannot_be_watched_is_polled() {
        let bell = Bell::new(Path::new("/no/such/folder/file"));
        assert_eq!(bell.pause(false), ALONE);
        assert_eq!(bell.wait(None, false), Rung::Unreported);
        assert_eq!(bell.wait(Some(Instant::now()), false), Rung::TimedOut);
    }

    #[test]
    fn events_of_other_files_and_of_reading_do_not_ring() {
        use notify::event::{AccessKind, CreateKind};
        let watched = Watched::of(Path::new("/folder/file"));
        let event = |kind, path: &str| Ok(notify::Event::new(kind).add_path(path.into()));
        let create = EventKind::Create(CreateKind::File);
        assert!(watched.concerns(&event(create, "/folder/file")));
        assert!(watched.concerns(&event(create, "/folder")));
        assert!(!watched.concerns(&event(create, "/folder/other")));
        let read = EventKind::Access(AccessKind::Any);
        assert!(!watched.concerns(&event(read, "/folder/file")));
    }
}
