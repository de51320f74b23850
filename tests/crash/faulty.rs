//! The real file system, except that from one operation on something goes wrong.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use sess::session::disk::{Access, Disk, FileSystem, LogFile};

/// How much of an operation happens before it reports its failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// None of it.
    Nothing,
    /// An append puts half of its bytes into the file; any other operation does nothing.
    Half,
    /// All of it: what is reported as failed has happened.
    All,
}

/// Which operations fail.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The first of them, counted from 0.
    pub at: usize,
    /// How many from there on. [`Fault::DEATH`]: all, as for a process that has died.
    pub count: usize,
    /// What the first of them does all the same. Those after it do nothing.
    pub effect: Effect,
}

impl Fault {
    /// The `count` of a process that is gone.
    pub const DEATH: usize = usize::MAX;

    /// Every failure worth telling apart, at one operation.
    pub fn all_at(at: usize) -> impl Iterator<Item = Fault> {
        let effects = [Effect::Nothing, Effect::Half, Effect::All];
        [1, 2, 3, Fault::DEATH]
            .into_iter()
            .flat_map(move |count| effects.map(|effect| Fault { at, count, effect }))
    }

    fn effect_on(&self, operation: usize) -> Option<Effect> {
        let after = operation.checked_sub(self.at)?;
        match after {
            0 => Some(self.effect),
            _ if after < self.count => Some(Effect::Nothing),
            _ => None,
        }
    }
}

/// A disk with a planned fault. Clones share the plan and the record.
#[derive(Clone, Default)]
pub struct FaultyDisk(Arc<Mutex<Script>>);

#[derive(Default)]
struct Script {
    fault: Option<Fault>,
    record: Vec<String>,
}

impl FaultyDisk {
    /// One that fails as planned.
    pub fn new(fault: Fault) -> Self {
        let script = Script {
            fault: Some(fault),
            record: Vec::new(),
        };
        Self(Arc::new(Mutex::new(script)))
    }

    /// What was asked so far: the operation, and the file name or the number of bytes.
    pub fn record(&self) -> Vec<String> {
        self.0.lock().unwrap().record.clone()
    }

    /// Whether the planned fault has happened.
    pub fn has_failed(&self) -> bool {
        let script = self.0.lock().unwrap();
        script
            .fault
            .is_some_and(|fault| script.record.len() > fault.at)
    }

    fn step<T>(&self, operation: String, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        match self.enter(operation.clone()) {
            None => act(),
            Some(effect) => {
                if effect == Effect::All {
                    let _ = act();
                }
                Err(planned(&operation))
            }
        }
    }

    fn enter(&self, operation: String) -> Option<Effect> {
        let mut script = self.0.lock().unwrap();
        let number = script.record.len();
        script.record.push(operation);
        script.fault.and_then(|fault| fault.effect_on(number))
    }

    fn file(&self, file: Box<dyn LogFile>) -> Box<dyn LogFile> {
        Box::new(FaultyFile {
            disk: self.clone(),
            file,
        })
    }
}

fn planned(operation: &str) -> io::Error {
    io::Error::other(format!("planned failure of {operation}"))
}

fn named(operation: &str, path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{operation} {name}")
}

impl Disk for FaultyDisk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        let file = self.step(named("open", path), || FileSystem::default().open(path))?;
        Ok(self.file(file))
    }

    fn create_new(&self, path: &Path, access: Option<&Access>) -> io::Result<Box<dyn LogFile>> {
        let file = self.step(named("create", path), || {
            FileSystem::default().create_new(path, access)
        })?;
        Ok(self.file(file))
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(named("link", to), || FileSystem::default().link(from, to))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(named("rename", from), || {
            FileSystem::default().rename(from, to)
        })
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step(named("remove", path), || FileSystem::default().remove(path))
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.step("sync-folder".to_owned(), || {
            FileSystem::default().sync_folder(folder)
        })
    }
}

struct FaultyFile {
    disk: FaultyDisk,
    file: Box<dyn LogFile>,
}

/// No read returns more, so that every read takes several.
const LONGEST_READ: usize = 4096;

impl LogFile for FaultyFile {
    fn len(&self) -> io::Result<u64> {
        self.disk.step("len".to_owned(), || self.file.len())
    }

    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        let length = out.len().min(LONGEST_READ);
        let out = &mut out[..length];
        self.disk
            .step("read".to_owned(), || self.file.read_at(out, offset))
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let operation = format!("append {}", bytes.len());
        match self.disk.enter(operation.clone()) {
            None => return self.file.append(bytes),
            Some(Effect::Nothing) => {}
            Some(Effect::Half) => self.file.append(&bytes[..bytes.len() / 2])?,
            Some(Effect::All) => self.file.append(bytes)?,
        }
        Err(planned(&operation))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.disk.step("sync".to_owned(), || self.file.sync())
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.disk
            .step(format!("set-len {len}"), || self.file.set_len(len))
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.disk.step("lock".to_owned(), || self.file.try_lock())
    }

    fn unlock(&self) -> io::Result<()> {
        self.disk.step("unlock".to_owned(), || self.file.unlock())
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        self.disk.step("is-at".to_owned(), || self.file.is_at(path))
    }

    fn access(&self) -> io::Result<Access> {
        self.disk.step("access".to_owned(), || self.file.access())
    }
}
