//! Mends the one kind of damage a crash makes: a torn last line is cut off, and a whole last line
//! without its separator gets one.
//!
//! What to do is decided by a pass that changes nothing ([`Plan`]). Cutting goes through a staged
//! copy that takes the transcript's name when it is complete and on disk, so at every moment the
//! name stands for a whole file; the bytes that were cut are kept in a file beside it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::disk::{Disk, LogFile, copy};
use super::error::LoadError;
use super::read::Ending;
use crate::clock::format_utc;

/// What has to be done to a transcript before it can be appended to.
///
/// ```
/// use sess::Session;
/// use sess::session::Plan;
/// let torn = Session::replay("samples/sessions/torn-tail.jsonl")?;
/// assert!(matches!(torn.plan(), Plan::CutTail { line: 32, .. }));
/// # Ok::<(), sess::session::LoadError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Nothing.
    Nothing,
    /// Its last line is whole and lacks its separator.
    AddNewline {
        /// The separator of the lines before; [`Ending::Lf`] when there are none.
        separator: Ending,
    },
    /// Its last line is torn.
    CutTail {
        /// The torn line, counted from 1.
        line: u64,
        /// Where it begins, in bytes from the start of the file.
        offset: u64,
    },
}

impl Plan {
    /// How long a file of `len` bytes is when this has been done to it.
    pub(crate) fn length_after(self, len: u64) -> u64 {
        match self {
            Plan::Nothing => len,
            Plan::AddNewline { separator } => len + separator.as_bytes().len() as u64,
            Plan::CutTail { offset, .. } => offset,
        }
    }
}

/// What a repair did, or would do.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::Session;
/// std::fs::copy("samples/sessions/torn-tail.jsonl", &path)?;
/// let planned = Session::options().plan_repair(&path)?;
/// let repaired = Session::options().repair(&path)?;
/// assert_eq!(planned.removed_bytes, repaired.removed_bytes);
/// let kept = std::fs::read(repaired.kept_at.unwrap())?;
/// assert_eq!(kept.len() as u64, repaired.removed_bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// What was to be done.
    pub plan: Plan,
    /// Bytes that were cut off the transcript.
    pub removed_bytes: u64,
    /// The file that keeps them.
    pub kept_at: Option<PathBuf>,
}

/// Everything a repair works on.
pub(crate) struct Repair<'a> {
    pub(crate) disk: &'a dyn Disk,
    /// The transcript itself, every link resolved.
    pub(crate) path: &'a Path,
    pub(crate) keep_cut_bytes: bool,
    pub(crate) now: SystemTime,
}

impl Repair<'_> {
    /// Carries out a plan for a file of `len` bytes. Returns the file to go on with, which holds the
    /// writer lock; nothing can fail once the transcript has been changed.
    pub(crate) fn apply(
        &self,
        plan: Plan,
        mut file: Box<dyn LogFile>,
        len: u64,
    ) -> Result<(Box<dyn LogFile>, Repaired), LoadError> {
        self.clear_stage()?;
        let mut done = Repaired {
            plan,
            removed_bytes: 0,
            kept_at: None,
        };
        match plan {
            Plan::Nothing => {}
            Plan::AddNewline { separator } => self.add_newline(file.as_mut(), separator, len)?,
            Plan::CutTail { offset, .. } => {
                done.removed_bytes = len.saturating_sub(offset);
                if self.keep_cut_bytes {
                    done.kept_at = Some(self.keep(file.as_ref(), offset, len)?);
                }
                let staged = self.stage(file.as_ref(), offset).inspect_err(|_| {
                    if let Some(kept) = &done.kept_at {
                        let _ = self.disk.remove(kept);
                    }
                })?;
                self.put_in_place(staged.as_ref())?;
                let torn = std::mem::replace(&mut file, staged);
                file.succeed(torn);
            }
        }
        Ok((file, done))
    }

    /// Appending one or two bytes needs no staging: torn, it is a missing separator again.
    fn add_newline(
        &self,
        file: &mut dyn LogFile,
        separator: Ending,
        len: u64,
    ) -> Result<(), LoadError> {
        file.append(separator.as_bytes()).map_err(|error| {
            // What was there before is all that matters, and it is there whether or not this works.
            let _ = file.set_len(len);
            self.io("append the missing line feed to", error)
        })
    }

    /// Copies the bytes that are about to go into a file of their own.
    fn keep(&self, file: &dyn LogFile, from: u64, to: u64) -> Result<PathBuf, LoadError> {
        let access = file
            .access()
            .map_err(|error| self.io("read the mode of", error))?;
        let mut attempt = 0;
        let (path, mut kept) = loop {
            let path = self.cut_path(attempt);
            match self.disk.create_new(&path, Some(&access)) {
                Ok(kept) => break (path, kept),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 100 => {
                    attempt += 1
                }
                Err(error) => return Err(io_error(&path, "keep the torn line in", error)),
            }
        };
        let copied = copy(file, from..to, kept.as_mut()).and_then(|()| kept.sync());
        copied.map_err(|error| {
            let _ = self.disk.remove(&path);
            io_error(&path, "keep the torn line in", error)
        })?;
        Ok(path)
    }

    fn cut_path(&self, attempt: u32) -> PathBuf {
        // Colons may not stand in a file name everywhere.
        let stamp = format_utc(self.now).replace([':', '-'], "");
        let mut suffix = format!(".cut-{stamp}");
        if attempt > 0 {
            suffix.push_str(&format!("-{attempt}"));
        }
        beside(self.path, &suffix)
    }

    /// The copy is complete, on disk and locked before it can take the name.
    fn stage(&self, file: &dyn LogFile, offset: u64) -> Result<Box<dyn LogFile>, LoadError> {
        let path = stage_path(self.path);
        let failed = |error| io_error(&path, "stage the repaired file at", error);
        let access = file.access().map_err(failed)?;
        let mut staged = self.disk.create_new(&path, Some(&access)).map_err(failed)?;
        let done = copy(file, 0..offset, staged.as_mut())
            .and_then(|()| staged.sync())
            .and_then(|()| staged.try_lock());
        match done {
            Ok(true) => Ok(staged),
            Ok(false) => Err(LoadError::Locked { path }),
            Err(error) => {
                let _ = self.disk.remove(&path);
                Err(failed(error))
            }
        }
    }

    /// Renames the staged copy. A network file system may report an error for a rename that has
    /// happened, so the name is looked at before that is believed.
    fn put_in_place(&self, staged: &dyn LogFile) -> Result<(), LoadError> {
        let path = stage_path(self.path);
        if let Err(error) = self.disk.rename(&path, self.path)
            && !staged.is_at(self.path).unwrap_or(false)
        {
            let _ = self.disk.remove(&path);
            return Err(self.io("put the repaired file in the place of", error));
        }
        // Until the folder is on the device, a loss of power may bring the torn file back under the
        // name. It is repaired again then; whoever needs more asks for power-loss durability.
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let _ = self.disk.sync_folder(folder);
        Ok(())
    }

    /// Removes what a crash in an earlier repair left. Anything else at that name is not ours.
    fn clear_stage(&self) -> Result<(), LoadError> {
        let path = stage_path(self.path);
        let found = match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(io_error(&path, "look at", error)),
            Ok(metadata) if metadata.is_symlink() => "a symbolic link",
            Ok(metadata) if metadata.is_dir() => "a folder",
            Ok(metadata) if metadata.is_file() => {
                return self
                    .disk
                    .remove(&path)
                    .map_err(|error| io_error(&path, "remove", error));
            }
            Ok(_) => "something that is no regular file",
        };
        Err(LoadError::StageBlocked { path, found })
    }

    fn io(&self, action: &'static str, source: io::Error) -> LoadError {
        io_error(self.path, action, source)
    }
}

fn io_error(path: &Path, action: &'static str, source: io::Error) -> LoadError {
    LoadError::Io {
        path: path.to_owned(),
        action,
        source,
    }
}

/// Where a repaired copy is staged: the name the reference uses, so that each implementation
/// cleans up after the other.
pub(crate) fn stage_path(path: &Path) -> PathBuf {
    beside(path, ".repair")
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().map(OsString::from).unwrap_or_default();
    name.push(suffix);
    path.with_file_name(name)
}
