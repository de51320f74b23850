//! Creates and loads sessions.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::disk::{Disk, FileSystem, LogFile};
use super::envelope::kind_of;
use super::error::{AppendError, CreateError, LoadError};
use super::live::{Live, Session};
use super::repair::{Plan, Repair, Repaired};
use super::state::State;
use super::survey::{survey, survey_file};
use crate::canonical::Json;
use crate::clock::{Clock, SystemClock};
use crate::id::EnvelopeId;

/// Which disaster an acknowledged append survives.
///
/// ```
/// use sess::session::Durability;
/// assert_eq!(Durability::default(), Durability::ProcessCrash);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The death of the process: the line has been handed to the operating system in one write.
    #[default]
    ProcessCrash,
    /// The loss of power: the line is also on the device (a data sync per append, and a sync of
    /// the folder when the file is created or repaired).
    PowerLoss,
}

/// How sessions are created and loaded, where the defaults of [`Session::create`] and
/// [`Session::load`] do not fit.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::session::Durability;
/// use sess::{Json, Message, Session};
/// let options = Session::options().durability(Durability::PowerLoss);
/// let session = options.create(&path, Json::empty_object())?;
/// session.append_message(Message::user("Hello"))?;
/// session.close();
/// assert_eq!(options.load(&path)?.messages().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Options {
    pub(crate) durability: Durability,
    pub(crate) keep_cut_bytes: bool,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) disk: Arc<dyn Disk>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::default(),
            keep_cut_bytes: true,
            clock: Arc::new(SystemClock),
            disk: Arc::new(FileSystem::default()),
        }
    }
}

impl Options {
    /// Which disaster an acknowledged append survives.
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Whether a repair keeps the bytes it cuts in a file beside the transcript, named
    /// `<file name>.cut-<UTC time>`. On by default.
    pub fn keep_cut_bytes(mut self, keep: bool) -> Self {
        self.keep_cut_bytes = keep;
        self
    }

    /// Where time stamps come from.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Where files live.
    pub fn disk(mut self, disk: impl Disk + 'static) -> Self {
        self.disk = Arc::new(disk);
        self
    }

    /// See [`Session::create`].
    pub fn create(&self, path: impl AsRef<Path>, meta: Json) -> Result<Session, CreateError> {
        let path = path.as_ref();
        if !meta.is_object() {
            return Err(CreateError::BadMeta {
                found: kind_of(meta.text()),
            });
        }
        make_folder(path)?;
        let session = match self.create_staged(path, &meta)? {
            Some(session) => session,
            None => {
                let (file, path) = self.claim(path)?;
                self.begin(file, path, &meta)?
            }
        };
        if self.durability == Durability::PowerLoss {
            self.sync_folder(&session.path)
                .map_err(|source| create_io(&session.path, "sync the folder of", source))?;
        }
        Ok(session)
    }

    /// Writes the first line under another name and gives the file its own then, so that a process
    /// that dies in between leaves no transcript without a first line. `None`, and nothing is left,
    /// where something stands at the path or a file cannot have two names.
    fn create_staged(&self, path: &Path, meta: &Json) -> Result<Option<Session>, CreateError> {
        let (Err(_), Some(name), Some(folder)) = (
            fs::symlink_metadata(path),
            path.file_name(),
            resolved_folder(path),
        ) else {
            return Ok(None);
        };
        let staged = format!(".{}.{}.new", name.to_string_lossy(), EnvelopeId::fresh());
        let staged = folder.join(staged);
        let Ok(file) = self.disk.create_new(&staged, None) else {
            return Ok(None);
        };
        let begun = match file.try_lock() {
            Ok(true) => self.begin(file, folder.join(name), meta).map(Some),
            Ok(false) | Err(_) => Ok(None),
        };
        let named = begun
            .map(|begun| begun.filter(|session| self.disk.link(&staged, &session.path).is_ok()));
        // The name it has now is enough; where it has none, nothing is to be left of it.
        let _ = self.disk.remove(&staged);
        named
    }

    /// A session on an empty, locked file, with its first line.
    fn begin(
        &self,
        file: Box<dyn LogFile>,
        path: PathBuf,
        meta: &Json,
    ) -> Result<Session, CreateError> {
        let live = Live {
            file,
            len: 0,
            lines: 0,
            state: State::default(),
        };
        let session = Session::new(path.clone(), live, Vec::new(), self);
        let failed = |source| create_io(&path, "write the first line of", source);
        match session.append_meta(meta) {
            Ok(_) => Ok(session),
            Err(AppendError::Io { source, .. }) => Err(failed(source)),
            Err(other) => Err(failed(io::Error::other(other.to_string()))),
        }
    }

    /// See [`Session::load`].
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Session, LoadError> {
        let (file, path) = self.open_locked(path.as_ref())?;
        let survey = survey_file(&path, file.as_ref())?;
        let len = measure(&path, file.as_ref())?;
        let (mut file, repaired) = self.repair_of(&path).apply(survey.plan, file, len)?;
        if self.durability == Durability::PowerLoss {
            file.sync()
                .map_err(|source| load_io(&path, "sync", source))?;
            self.sync_folder(&path)
                .map_err(|source| load_io(&path, "sync the folder of", source))?;
        }
        let mut warnings = survey.warnings;
        if let (Plan::CutTail { .. }, Some(last)) = (survey.plan, warnings.last_mut()) {
            last.message.push_str(&match &repaired.kept_at {
                Some(kept) => format!("; it was cut off and is kept in {}", kept.display()),
                None => "; it was cut off".to_owned(),
            });
        }
        let live = Live {
            file,
            len: survey.plan.length_after(len),
            lines: survey.lines,
            state: survey.state,
        };
        Ok(Session::new(path, live, warnings, self))
    }

    /// Does to a transcript what [`load`](Self::load) would do, and nothing else.
    pub fn repair(&self, path: impl AsRef<Path>) -> Result<Repaired, LoadError> {
        let (file, path) = self.open_locked(path.as_ref())?;
        let plan = survey_file(&path, file.as_ref())?.plan;
        let len = measure(&path, file.as_ref())?;
        let (_, repaired) = self.repair_of(&path).apply(plan, file, len)?;
        Ok(repaired)
    }

    /// Says what [`repair`](Self::repair) would do. Takes no lock and writes nothing.
    pub fn plan_repair(&self, path: impl AsRef<Path>) -> Result<Repaired, LoadError> {
        let path = resolve(path.as_ref())?;
        let file = fs::File::open(&path).map_err(|source| load_io(&path, "open", source))?;
        let len = file
            .metadata()
            .map_err(|source| load_io(&path, "measure", source))?
            .len();
        let plan = survey(&path, file)?.plan;
        let removed_bytes = match plan {
            Plan::CutTail { offset, .. } => len.saturating_sub(offset),
            _ => 0,
        };
        Ok(Repaired {
            plan,
            removed_bytes,
            kept_at: None,
        })
    }

    fn repair_of<'a>(&'a self, path: &'a Path) -> Repair<'a> {
        Repair {
            disk: self.disk.as_ref(),
            path,
            keep_cut_bytes: self.keep_cut_bytes,
            now: self.clock.now(),
        }
    }

    /// Opens and locks a transcript. A repair by another process may rename a file over it between
    /// the two steps; then the new one is opened.
    fn open_locked(&self, path: &Path) -> Result<(Box<dyn LogFile>, PathBuf), LoadError> {
        loop {
            let resolved = resolve(path)?;
            let file = self
                .disk
                .open(&resolved)
                .map_err(|source| load_io(&resolved, "open for appending", source))?;
            if !file
                .try_lock()
                .map_err(|source| load_io(&resolved, "lock", source))?
            {
                return Err(LoadError::Locked { path: resolved });
            }
            if file
                .is_at(&resolved)
                .map_err(|source| load_io(&resolved, "look at", source))?
            {
                return Ok((file, resolved));
            }
        }
    }

    /// Makes the file, or takes an empty one, and locks it. Of two that try at once, one gets it.
    fn claim(&self, path: &Path) -> Result<(Box<dyn LogFile>, PathBuf), CreateError> {
        let file = match self.disk.create_new(path, None) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.open_empty(path)?,
            Err(source) => return Err(create_io(path, "create", source)),
        };
        if !file
            .try_lock()
            .map_err(|source| create_io(path, "lock", source))?
        {
            return Err(CreateError::Locked {
                path: path.to_owned(),
            });
        }
        if !file
            .is_empty()
            .map_err(|source| create_io(path, "measure", source))?
        {
            return Err(CreateError::NotEmpty {
                path: path.to_owned(),
                found: "the file is not empty",
            });
        }
        let path = fs::canonicalize(path).map_err(|source| create_io(path, "resolve", source))?;
        Ok((file, path))
    }

    fn open_empty(&self, path: &Path) -> Result<Box<dyn LogFile>, CreateError> {
        let metadata = fs::metadata(path).map_err(|source| create_io(path, "look at", source))?;
        if !metadata.is_file() {
            let found = if metadata.is_dir() {
                "a folder stands there"
            } else {
                "no regular file stands there"
            };
            return Err(CreateError::NotEmpty {
                path: path.to_owned(),
                found,
            });
        }
        if metadata.len() > 0 {
            let path = path.to_owned();
            return Err(match self.is_being_written(&path) {
                true => CreateError::Locked { path },
                false => CreateError::NotEmpty {
                    path,
                    found: "the file is not empty",
                },
            });
        }
        self.disk
            .open(path)
            .map_err(|source| create_io(path, "open", source))
    }

    fn is_being_written(&self, path: &Path) -> bool {
        let file = self.disk.open(path);
        file.is_ok_and(|file| matches!(file.try_lock(), Ok(false)))
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.disk
            .sync_folder(path.parent().unwrap_or(Path::new(".")))
    }
}

fn make_folder(path: &Path) -> Result<(), CreateError> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => fs::create_dir_all(folder)
            .map_err(|source| create_io(path, "create the folder of", source)),
        _ => Ok(()),
    }
}

/// The folder a path is in, every link resolved.
fn resolved_folder(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    let here = folder.as_os_str().is_empty();
    fs::canonicalize(if here { Path::new(".") } else { folder }).ok()
}

fn measure(path: &Path, file: &dyn LogFile) -> Result<u64, LoadError> {
    file.len()
        .map_err(|source| load_io(path, "measure", source))
}

/// The regular file a path leads to, every link resolved.
pub(super) fn resolve(path: &Path) -> Result<PathBuf, LoadError> {
    let no_file = |found| LoadError::NoFile {
        path: path.to_owned(),
        found,
    };
    let resolved = match fs::canonicalize(path) {
        Ok(resolved) => resolved,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(no_file(match fs::symlink_metadata(path) {
                Ok(_) => "the link leads nowhere",
                Err(_) => "no such file",
            }));
        }
        Err(source) => return Err(load_io(path, "open", source)),
    };
    let metadata = fs::metadata(&resolved).map_err(|source| load_io(path, "look at", source))?;
    if metadata.is_dir() {
        return Err(no_file("this is a folder"));
    }
    if !metadata.is_file() {
        return Err(no_file("this is no regular file"));
    }
    Ok(resolved)
}

pub(super) fn load_io(path: &Path, action: &'static str, source: io::Error) -> LoadError {
    LoadError::Io {
        path: path.to_owned(),
        action,
        source,
    }
}

fn create_io(path: &Path, action: &'static str, source: io::Error) -> CreateError {
    CreateError::Io {
        path: path.to_owned(),
        action,
        source,
    }
}
