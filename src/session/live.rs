//! An open session: appends lines and answers from what it has replayed.

use std::path::{Path, PathBuf};
#[cfg(feature = "agent")]
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::disk::LogFile;
use super::envelope::{Envelope, kind_of};
use super::error::{AppendError, CreateError, LoadError};
use super::open::{Durability, Options};
use super::payload::{BUILT_IN_TYPES, Outcome};
use super::record::{
    Compaction, Dispatch, Elision, Extras, RESERVED_KEYS, RunContextRecord, Settlement, as_answer,
    write_message,
};
use super::state::State;
use super::warning::Warning;
use super::write::{LineWriter, document_line};
use crate::canonical::Json;
use crate::clock::{Clock, format_utc};
use crate::id::{EnvelopeId, OpId};
use crate::message::Message;

/// An open transcript with its writer lock.
///
/// All methods take `&self` and may be called from any thread; every one sees and leaves a
/// consistent state, and the order of the file is the order of the appends. What a reader returns
/// is a snapshot. The file's name is looked up once: if the file is renamed or deleted while the
/// session is open, appends go on to the same file.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::{Json, Message, Session};
///
/// let session = Session::create(&path, Json::parse(r#"{"model":"small"}"#)?)?;
/// session.append_message(Message::user("Hello"))?;
/// // One writer: while this one is open, the file can be read but not opened again.
/// assert!(Session::load(&path).is_err());
/// assert_eq!(Session::peek(&path).messages.len(), 1);
/// session.close();
/// assert_eq!(Session::load(&path)?.messages()[0].content, "Hello");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Session {
    pub(super) path: PathBuf,
    pub(super) warnings: Vec<Warning>,
    /// Whether somebody goes on with the conversation.
    #[cfg(feature = "agent")]
    claimed: AtomicBool,
    durability: Durability,
    clock: Arc<dyn Clock>,
    core: Mutex<Core>,
    /// Memory of lines that have been written, for those that will be. Without it every append
    /// would have the allocator fetch pages from the system and give them back.
    spare: Mutex<String>,
}

/// A longer line's memory is not kept.
const SPARE: usize = 64 * 1024;

pub(super) struct Core {
    pub(super) live: Live,
    pub(super) standing: Standing,
}

pub(super) enum Standing {
    Open,
    Closed,
    Broken(String),
}

/// The file and what has been replayed from it.
pub(crate) struct Live {
    pub(crate) file: Box<dyn LogFile>,
    /// Length up to the end of the last acknowledged line, in bytes.
    pub(crate) len: u64,
    /// Physical lines in it.
    pub(crate) lines: u64,
    pub(crate) state: State,
}

impl Session {
    /// Starts a transcript at a path where nothing, or an empty file, stands. Missing folders are
    /// created. The first line records `meta`, a JSON object.
    ///
    /// Where files can have two names, the transcript gets its own when its first line is written,
    /// so whatever dies, a transcript that is there has begun. A hidden file beside it, named
    /// `.<file name>.<id>.new`, may then be left; it is of no use to anybody.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("run.jsonl");
    /// use sess::{Json, Message, Session};
    ///
    /// let session = Session::create(&path, Json::parse(r#"{"model":"small"}"#)?)?;
    /// session.append_message(Message::user("What is in Cargo.toml?"))?;
    /// assert_eq!(session.messages()[0].content, "What is in Cargo.toml?");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create(path: impl AsRef<Path>, meta: Json) -> Result<Self, CreateError> {
        Options::default().create(path, meta)
    }

    /// Opens a transcript, however its writer ended. A torn last line is cut off and kept beside
    /// the file, a missing last line feed is added, the conversation is replayed, and appends go on
    /// from there. On an error the file is as it was.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        Options::default().load(path)
    }

    /// For what [`create`](Self::create) and [`load`](Self::load) leave at its default.
    pub fn options() -> Options {
        Options::default()
    }

    pub(crate) fn new(
        path: PathBuf,
        live: Live,
        warnings: Vec<Warning>,
        options: &Options,
    ) -> Self {
        Self {
            path,
            warnings,
            #[cfg(feature = "agent")]
            claimed: AtomicBool::new(false),
            durability: options.durability,
            clock: options.clock.clone(),
            core: Mutex::new(Core {
                live,
                standing: Standing::Open,
            }),
            spare: Mutex::default(),
        }
    }

    /// Closes the session and releases the lock. Readers keep working, appends are refused. Closing
    /// twice is harmless.
    pub fn close(&self) {
        let mut core = self.core();
        core.standing = Standing::Closed;
        // A lock that cannot be released here goes with the file when the session is dropped.
        let _ = core.live.file.unlock();
    }

    /// Takes the right to go on with the conversation. `false`: somebody else has it.
    #[cfg(feature = "agent")]
    pub(crate) fn claim(&self) -> bool {
        !self.claimed.swap(true, Ordering::AcqRel)
    }

    /// Gives it back.
    #[cfg(feature = "agent")]
    pub(crate) fn release(&self) {
        self.claimed.store(false, Ordering::Release);
    }
}

/// Appending.
///
/// Every operation returns when its line is complete in the file, and its id. After an error, file
/// and memory are as before, unless the error is [`AppendError::Broken`].
impl Session {
    /// Records a message.
    pub fn append_message(&self, message: Message) -> Result<EnvelopeId, AppendError> {
        self.append_message_with(message, &Extras::new())
    }

    /// Records a message with keys beside it, none of which may be one of [`RESERVED_KEYS`].
    pub fn append_message_with(
        &self,
        message: Message,
        extras: &Extras,
    ) -> Result<EnvelopeId, AppendError> {
        if let Some(key) = extras
            .keys()
            .find(|key| RESERVED_KEYS.contains(&key.as_str()))
        {
            return Err(argument(
                "append_message",
                format!("the extra {key:?} is a key of the message itself"),
            ));
        }
        let (id, ts) = self.stamp();
        let mut line = LineWriter::new(self.memory(), id.as_str());
        write_message(&mut line, &message, extras);
        let line = line.finish(&ts, "message");
        if !message.tool_calls.is_empty() {
            return self.append_line(id, line);
        }
        let mut core = self.core();
        self.check_open(&core)?;
        self.write(&mut core, &line)?;
        let as_answer = as_answer(extras, core.live.lines);
        core.live
            .state
            .apply_text_message(id.clone(), message, as_answer);
        drop(core);
        self.keep(line);
        Ok(id)
    }

    /// Records the complete list of grants as it stands, never a change to it.
    pub fn append_grants(&self, grants: &[Json]) -> Result<EnvelopeId, AppendError> {
        self.append("grants", |line| line.list("grants", grants))
    }

    /// Records that a summary takes the place of the conversation up to an entry. The returned id
    /// is also that of the summary's entry.
    pub fn append_compaction(&self, compaction: &Compaction) -> Result<EnvelopeId, AppendError> {
        self.append("compaction", |line| compaction.write(line))
    }

    /// Records that contents are replaced by stubs. The list must not be empty.
    pub fn append_elision(&self, items: &[Elision]) -> Result<EnvelopeId, AppendError> {
        if items.is_empty() {
            return Err(argument(
                "append_elision",
                "the list of items is empty, so the line would have no effect".into(),
            ));
        }
        let items: Vec<Json> = items.iter().map(Elision::to_json).collect();
        self.append("elision", |line| line.list("items", &items))
    }

    /// Records that a call is about to be handed to its tool.
    pub fn append_tool_dispatched(&self, dispatch: &Dispatch) -> Result<OpId, AppendError> {
        self.append("tool-dispatched", |line| dispatch.write(line))
            .map(OpId::from)
    }

    /// Records how an operation ended.
    pub fn append_tool_settled(&self, settlement: &Settlement) -> Result<EnvelopeId, AppendError> {
        self.append("tool-settled", |line| settlement.write(line))
    }

    /// Settles an operation that an earlier process left open.
    pub fn resolve_tool_operation(
        &self,
        op_id: impl Into<OpId>,
        outcome: Outcome,
        reason: Option<&str>,
    ) -> Result<EnvelopeId, AppendError> {
        let mut settlement = Settlement::new(op_id, outcome);
        settlement.reason = reason.map(str::to_owned);
        self.append_tool_settled(&settlement)
    }

    /// Records what surrounds a run. A section body that is already in the transcript is stored as
    /// a pointer to its line.
    pub fn append_run_context(&self, record: &RunContextRecord) -> Result<EnvelopeId, AppendError> {
        check_run_context(record)?;
        let (id, ts) = self.stamp();
        let mut core = self.core();
        self.check_open(&core)?;
        let mut line = LineWriter::new(self.memory(), id.as_str());
        core.live
            .state
            .contexts
            .write(&mut line, record, id.as_str());
        let line = line.finish(&ts, "run-context");
        self.commit(&mut core, &line)?;
        drop(core);
        self.keep(line);
        Ok(id)
    }

    /// Records a line of a type of the caller's own; none of [`BUILT_IN_TYPES`], not blank. The
    /// payload is an object.
    pub fn append_event(&self, type_name: &str, payload: &Json) -> Result<EnvelopeId, AppendError> {
        if type_name.trim().is_empty() {
            return Err(argument("append_event", "the type is empty".into()));
        }
        if BUILT_IN_TYPES.contains(&type_name) {
            return Err(argument(
                "append_event",
                format!("{type_name:?} has an append operation of its own"),
            ));
        }
        if !payload.is_object() {
            let found = kind_of(payload.text());
            return Err(argument(
                "append_event",
                format!("the payload has to be an object, not {found}"),
            ));
        }
        self.append_document(type_name, payload)
    }

    pub(crate) fn append_meta(&self, meta: &Json) -> Result<EnvelopeId, AppendError> {
        self.append_document("session-meta", meta)
    }

    fn append_document(&self, type_name: &str, payload: &Json) -> Result<EnvelopeId, AppendError> {
        let (id, ts) = self.stamp();
        let line = document_line(self.memory(), id.as_str(), payload, &ts, type_name);
        self.append_line(id, line)
    }

    fn append(
        &self,
        type_name: &str,
        write: impl FnOnce(&mut LineWriter),
    ) -> Result<EnvelopeId, AppendError> {
        let (id, ts) = self.stamp();
        let mut line = LineWriter::new(self.memory(), id.as_str());
        write(&mut line);
        let line = line.finish(&ts, type_name);
        self.append_line(id, line)
    }

    fn append_line(&self, id: EnvelopeId, line: String) -> Result<EnvelopeId, AppendError> {
        let mut core = self.core();
        self.check_open(&core)?;
        self.commit(&mut core, &line)?;
        drop(core);
        self.keep(line);
        Ok(id)
    }

    fn memory(&self) -> String {
        std::mem::take(&mut self.spare.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn keep(&self, line: String) {
        if line.capacity() <= SPARE {
            *self.spare.lock().unwrap_or_else(PoisonError::into_inner) = line;
        }
    }

    /// Id and time are drawn before the lock is taken, so under concurrent appends the time stamps
    /// need not rise in file order.
    fn stamp(&self) -> (EnvelopeId, String) {
        (EnvelopeId::fresh(), format_utc(self.clock.now()))
    }

    fn check_open(&self, core: &Core) -> Result<(), AppendError> {
        match &core.standing {
            Standing::Open => Ok(()),
            Standing::Closed => Err(AppendError::Closed {
                path: self.path.clone(),
            }),
            Standing::Broken(cause) => Err(AppendError::Broken {
                path: self.path.clone(),
                cause: cause.clone(),
            }),
        }
    }

    /// The line is read back the way a load would read it, so that what this session holds and what
    /// a load of its file would hold cannot differ. Only a message that makes no calls, which is
    /// most of what is appended, is taken as it was given: of the calls a message makes, memory
    /// holds what the line holds, whose keys are sorted.
    fn commit(&self, core: &mut Core, line: &str) -> Result<(), AppendError> {
        let envelope = Envelope::split(line.trim_end_matches('\n'));
        let payload = core.live.state.check(&envelope)?;
        self.write(core, line)?;
        let number = core.live.lines;
        core.live.state.apply(&envelope, &payload, None, number);
        Ok(())
    }

    /// Never lets a later line follow a partial one: what a failed write left is taken back, and if
    /// that fails the session is broken.
    fn write(&self, core: &mut Core, line: &str) -> Result<(), AppendError> {
        if let Err(error) = core.live.file.append(line.as_bytes()) {
            let (path, len) = (self.path.clone(), core.live.len);
            return Err(match core.live.file.set_len(len) {
                Ok(()) => AppendError::Io {
                    path,
                    source: error,
                },
                Err(undo) => self.broken(
                    core,
                    format!("an append failed: {error}; taking it back failed: {undo}"),
                ),
            });
        }
        if self.durability == Durability::PowerLoss
            && let Err(error) = core.live.file.sync()
        {
            // The system may have dropped the pages it could not write, so no later sync can be
            // trusted for them.
            let len = core.live.len;
            let _ = core.live.file.set_len(len);
            return Err(self.broken(core, format!("a sync failed: {error}")));
        }
        core.live.len += line.len() as u64;
        core.live.lines += 1;
        Ok(())
    }

    fn broken(&self, core: &mut Core, cause: String) -> AppendError {
        core.standing = Standing::Broken(cause.clone());
        AppendError::Broken {
            path: self.path.clone(),
            cause,
        }
    }

    /// A panic of a caller's code cannot happen while the lock is held, so a poisoned lock still
    /// guards a consistent state.
    pub(super) fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let core = self.core();
        out.debug_struct("Session")
            .field("path", &self.path)
            .field("lines", &core.live.lines)
            .field(
                "messages",
                &core.live.state.replay.conversation().entries().len(),
            )
            .field("closed", &matches!(core.standing, Standing::Closed))
            .finish_non_exhaustive()
    }
}

fn check_run_context(record: &RunContextRecord) -> Result<(), AppendError> {
    let blank = |text: &str| text.trim().is_empty();
    let refused = |problem: String| Err(argument("append_run_context", problem));
    if blank(record.run_id.as_str()) {
        return refused("run-id is blank".into());
    }
    if blank(&record.digest) {
        return refused("digest is blank".into());
    }
    for (index, section) in record.sections.iter().enumerate() {
        for (key, value) in [("name", &section.name), ("digest", &section.digest)] {
            if blank(value) {
                return refused(format!("section {index} has no {key}"));
            }
        }
    }
    Ok(())
}

fn argument(operation: &'static str, problem: String) -> AppendError {
    AppendError::Argument { operation, problem }
}
