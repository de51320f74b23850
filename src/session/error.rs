//! What can go wrong, one type per operation, each with path, line and byte offset.

use std::io;
use std::path::{Path, PathBuf};

use super::damage::Damage;
use super::envelope::FORMAT_VERSION;

/// What a whole line does wrong. The same checks stand before an append and during a load.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::session::{AppendError, Compaction};
/// use sess::{Json, Session};
/// let session = Session::create(&path, Json::empty_object())?;
/// let unknown = Compaction::new("A summary.", "no-such-id");
/// let Err(AppendError::Refused(fault)) = session.append_compaction(&unknown) else { unreachable!() };
/// assert!(fault.to_string().contains("no-such-id"), "{fault}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The line is JSON, but not an object.
    #[error("the line is {found}, not an object")]
    NotObject {
        /// The JSON kind found.
        found: &'static str,
    },
    /// `v` is missing or is not a number equal to [`FORMAT_VERSION`].
    #[error("unsupported version {found}; this build reads version {FORMAT_VERSION}")]
    BadVersion {
        /// The value found, or `none`.
        found: String,
    },
    /// `type` is missing or not a string.
    #[error("the line has no type")]
    NoType,
    /// The first line is of another type.
    #[error("the first line is of type {found:?}; it has to be \"session-meta\"")]
    FirstNotMeta {
        /// The type found.
        found: String,
    },
    /// A line whose id others may name has none.
    #[error("a {type_name} line needs an id that is a non-empty string")]
    NoId {
        /// The type of the line.
        type_name: &'static str,
    },
    /// A message line cannot be turned into a message.
    #[error("the message's {field} is {found}; it has to be {expected}")]
    BadMessage {
        /// Which key of the payload, or `payload` itself.
        field: &'static str,
        /// What it has to be.
        expected: &'static str,
        /// What it is, shortened.
        found: String,
    },
    /// A compaction whose `summary` is no text.
    #[error("the compaction's summary is {found}; it has to be a string")]
    BadSummary {
        /// What it is, shortened.
        found: String,
    },
    /// A compaction without `replaces-through-id`.
    #[error("the compaction has no replaces-through-id")]
    CompactionNoTarget,
    /// A compaction that names no live entry.
    #[error(
        "the compaction replaces through {id:?}, but no live entry has that id: it is absent altogether, or only written further down"
    )]
    CompactionUnknownTarget {
        /// The id named.
        id: String,
    },
    /// An elision without an `items` array.
    #[error("the elision has no items list")]
    ElisionNoItems,
    /// An elision item that is not an object.
    #[error("elision item {index} is {found}; it has to be an object with id and stub")]
    ElisionItemNotObject {
        /// Counted from 0.
        index: usize,
        /// The JSON kind found.
        found: &'static str,
    },
    /// An elision item without an id.
    #[error("elision item {index} has no id")]
    ElisionItemNoId {
        /// Counted from 0.
        index: usize,
    },
    /// An elision item without a stub.
    #[error("elision item {index} has no stub")]
    ElisionItemNoStub {
        /// Counted from 0.
        index: usize,
    },
    /// An elision that names no live entry.
    #[error(
        "the elision names {id:?}, but no live entry has that id: it is absent altogether, or a compaction has already folded it away"
    )]
    ElisionUnknownTarget {
        /// The id named.
        id: String,
    },
    /// A settle line without `op-id`.
    #[error("the settle line has no op-id")]
    SettleNoOperation,
    /// A settle line with an outcome outside the set.
    #[error("the outcome is {found}; it has to be one of completed, failed, outcome-unknown")]
    SettleBadOutcome {
        /// The outcome found, quoted, or `none`.
        found: String,
    },
    /// A settle line for an operation nobody dispatched.
    #[error(
        "operation {id:?} is settled, but no dispatch line with that id comes before: it is absent altogether, or only written further down"
    )]
    SettleUnknownOperation {
        /// The operation named.
        id: String,
    },
    /// A second settle line for one operation.
    #[error("operation {id:?} has been settled before; an operation has a single outcome")]
    SettleTwice {
        /// The operation named.
        id: String,
    },
}

impl Fault {
    /// The kind as machine output names it.
    pub fn kind(&self) -> &'static str {
        match self {
            Fault::NotObject { .. } => "not-object",
            Fault::BadVersion { .. } => "bad-version",
            Fault::NoType => "no-type",
            Fault::FirstNotMeta { .. } => "first-not-meta",
            Fault::NoId { .. } => "no-id",
            Fault::BadMessage { field: "role", .. } => "message-bad-role",
            Fault::BadMessage { field: "depth", .. } => "message-bad-depth",
            Fault::BadMessage {
                field: "content", ..
            } => "message-bad-content",
            Fault::BadMessage { .. } => "message-bad-field",
            Fault::BadSummary { .. } => "compaction-bad-summary",
            Fault::CompactionNoTarget => "compaction-no-target",
            Fault::CompactionUnknownTarget { .. } => "compaction-unknown-target",
            Fault::ElisionNoItems => "elision-no-items",
            Fault::ElisionItemNotObject { .. } => "elision-item-not-object",
            Fault::ElisionItemNoId { .. } => "elision-item-no-id",
            Fault::ElisionItemNoStub { .. } => "elision-item-no-stub",
            Fault::ElisionUnknownTarget { .. } => "elision-unknown-target",
            Fault::SettleNoOperation => "settle-no-op",
            Fault::SettleBadOutcome { .. } => "settle-bad-outcome",
            Fault::SettleUnknownOperation { .. } => "settle-unknown-op",
            Fault::SettleTwice { .. } => "settle-twice",
        }
    }

    /// Whether the line is an envelope at all: if not, a first line like this makes the whole file
    /// something else than a transcript.
    pub fn is_wrong_envelope(&self) -> bool {
        matches!(
            self,
            Fault::NotObject { .. }
                | Fault::BadVersion { .. }
                | Fault::NoType
                | Fault::FirstNotMeta { .. }
        )
    }
}

/// Why a file cannot be loaded. The file is as it was, byte for byte; only when power-loss durability
/// was asked for and the device does not confirm a finished repair, it is the repaired one.
///
/// ```
/// use sess::Session;
/// let error = Session::load("samples/sessions/README.md").unwrap_err();
/// assert!(error.is_not_a_transcript());
/// assert_eq!(error.path().file_name().unwrap(), "README.md");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Nothing stands at the path, or a directory, or a link to nothing.
    #[error("{}: {found}; there is nothing to load", path.display())]
    NoFile {
        /// Where.
        path: PathBuf,
        /// What stands there instead.
        found: &'static str,
    },
    /// Another session has the file open for writing.
    #[error("{}: another session is writing this transcript; `sess peek` and `sess tail` read it without waiting", path.display())]
    Locked {
        /// Where.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// The refusal.
        source: io::Error,
    },
    /// No line, or only blank ones.
    #[error("{}: the file is empty; the first line of a transcript has to be session-meta", path.display())]
    Empty {
        /// Where.
        path: PathBuf,
    },
    /// The first line is not JSON, and nothing after it looks like a transcript.
    #[error("{}:{line}: this is not a transcript: {damage}", path.display())]
    NotTranscript {
        /// Where.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// In bytes from the start of the file.
        offset: u64,
        /// What is wrong with it.
        damage: Damage,
    },
    /// The only line is the beginning of one: a writer was killed while it created the transcript.
    #[error("{}:{line}: the session-meta line was cut off while it was written; nothing was recorded, create the transcript again", path.display())]
    TruncatedMeta {
        /// Where.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// In bytes from the start of the file.
        offset: u64,
    },
    /// The last two lines are both broken.
    #[error("{}:{line}: the last two lines are both broken; a crash explains one broken line at the very end, two point to other damage", path.display())]
    TwoBadTail {
        /// Where.
        path: PathBuf,
        /// The earlier of the two, counted from 1.
        line: u64,
        /// Its place in bytes from the start of the file.
        offset: u64,
    },
    /// Several lines before the end are broken.
    #[error("{}:{line}: {count} lines are broken, this is the first; only a broken line at the very end is forgiven", path.display())]
    ManyMalformed {
        /// Where.
        path: PathBuf,
        /// The first of them, counted from 1.
        line: u64,
        /// Its place in bytes from the start of the file.
        offset: u64,
        /// How many.
        count: u64,
    },
    /// One line is broken in a way no crash at the end of the file explains.
    #[error("{}:{line}: line {line} of {total} is broken: {damage}; only a line torn at the very end is forgiven", path.display())]
    Malformed {
        /// Where.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// In bytes from the start of the file.
        offset: u64,
        /// How many lines the file has.
        total: u64,
        /// What is wrong with it.
        damage: Damage,
    },
    /// A whole line that cannot stand where it stands.
    #[error("{}:{line}: {fault}", path.display())]
    Line {
        /// Where.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// In bytes from the start of the file.
        offset: u64,
        /// What it does wrong.
        fault: Fault,
        /// Whether it is the first line, so that the file is no transcript of this version.
        first: bool,
    },
    /// Something that a crashed repair cannot have left stands where the repaired file is staged.
    #[error("{}: {found} stands where a repair would be staged; move it away", path.display())]
    StageBlocked {
        /// The staging path.
        path: PathBuf,
        /// What stands there.
        found: &'static str,
    },
}

impl LoadError {
    /// The kind as machine output names it.
    pub fn kind(&self) -> &'static str {
        use super::damage::DamageKind;
        match self {
            LoadError::NoFile { .. } => "no-file",
            LoadError::Locked { .. } => "locked",
            LoadError::Io { .. } => "io",
            LoadError::Empty { .. } => "empty",
            LoadError::NotTranscript { .. } => "not-a-transcript",
            LoadError::TruncatedMeta { .. } => "truncated-meta",
            LoadError::TwoBadTail { .. } => "two-bad-tail",
            LoadError::ManyMalformed { .. } => "many-malformed",
            LoadError::Malformed {
                line,
                total,
                damage,
                ..
            } => match damage.kind {
                DamageKind::Glued if line == total => "glued",
                DamageKind::LooseJson => "loose-json",
                _ if !damage.is_text => "invalid-utf8",
                _ => "malformed-mid",
            },
            LoadError::Line { fault, .. } => fault.kind(),
            LoadError::StageBlocked { .. } => "stage-blocked",
        }
    }

    /// What happened, without the place that the whole message begins with.
    pub fn reason(&self) -> String {
        let path = self.path().display();
        let place = match self.line() {
            Some(line) => format!("{path}:{line}: "),
            None => format!("{path}: "),
        };
        let message = self.to_string();
        message.strip_prefix(&place).unwrap_or(&message).to_owned()
    }

    /// The file it is about: the transcript, or one beside it that a repair needs.
    pub fn path(&self) -> &Path {
        match self {
            LoadError::NoFile { path, .. }
            | LoadError::Locked { path }
            | LoadError::Io { path, .. }
            | LoadError::Empty { path }
            | LoadError::NotTranscript { path, .. }
            | LoadError::TruncatedMeta { path, .. }
            | LoadError::TwoBadTail { path, .. }
            | LoadError::ManyMalformed { path, .. }
            | LoadError::Malformed { path, .. }
            | LoadError::Line { path, .. }
            | LoadError::StageBlocked { path, .. } => path,
        }
    }

    /// The line it is about, counted from 1.
    pub fn line(&self) -> Option<u64> {
        self.place().map(|(line, _)| line)
    }

    /// Where that line begins, in bytes from the start of the file.
    pub fn offset(&self) -> Option<u64> {
        self.place().map(|(_, offset)| offset)
    }

    /// Whether the file is no transcript, or none this build can read, rather than a damaged one.
    pub fn is_not_a_transcript(&self) -> bool {
        match self {
            LoadError::Empty { .. }
            | LoadError::NotTranscript { .. }
            | LoadError::TruncatedMeta { .. } => true,
            LoadError::Line { first, fault, .. } => *first && fault.is_wrong_envelope(),
            _ => false,
        }
    }

    fn place(&self) -> Option<(u64, u64)> {
        match self {
            LoadError::NotTranscript { line, offset, .. }
            | LoadError::TruncatedMeta { line, offset, .. }
            | LoadError::TwoBadTail { line, offset, .. }
            | LoadError::ManyMalformed { line, offset, .. }
            | LoadError::Malformed { line, offset, .. }
            | LoadError::Line { line, offset, .. } => Some((*line, *offset)),
            LoadError::NoFile { .. }
            | LoadError::Locked { .. }
            | LoadError::Io { .. }
            | LoadError::Empty { .. }
            | LoadError::StageBlocked { .. } => None,
        }
    }
}

/// Why a transcript cannot be created.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::session::CreateError;
/// use sess::{Json, Session};
/// Session::create(&path, Json::empty_object())?.close();
/// // What is there is never overwritten.
/// assert!(Session::create(&path, Json::empty_object()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateError {
    /// Something with content stands at the path.
    #[error("{}: {found}; creating would overwrite history: load it, or choose a different path", path.display())]
    NotEmpty {
        /// Where.
        path: PathBuf,
        /// What stands there.
        found: &'static str,
    },
    /// Another session has the file open for writing.
    #[error("{}: another session is writing this transcript; `sess peek` and `sess tail` read it without waiting", path.display())]
    Locked {
        /// Where.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// The refusal.
        source: io::Error,
    },
    /// The meta document is not an object.
    #[error("the meta of a transcript has to be a JSON object, not {found}")]
    BadMeta {
        /// The JSON kind found.
        found: &'static str,
    },
}

/// Why a line was not appended. Unless it says otherwise, file and memory are as they were.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::{Json, Message, Session};
/// let session = Session::create(&path, Json::empty_object())?;
/// session.close();
/// assert!(session.append_message(Message::user("Hello")).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// The session has been closed.
    #[error("{}: the session is closed", path.display())]
    Closed {
        /// The transcript.
        path: PathBuf,
    },
    /// An earlier append failed and what it left could not be taken back, or power-loss durability
    /// could not be had. Load the transcript again; what was acknowledged is in it.
    #[error("{}: the session is broken ({cause}); load the transcript again", path.display())]
    Broken {
        /// The transcript.
        path: PathBuf,
        /// What broke it.
        cause: String,
    },
    /// The line may not stand here.
    #[error("this session: {0}")]
    Refused(#[from] Fault),
    /// An argument is not what the operation takes.
    #[error("{operation}: {problem}")]
    Argument {
        /// The append operation.
        operation: &'static str,
        /// Which argument, and what is wrong with it.
        problem: String,
    },
    /// The operating system refused. The bytes written so far were taken back.
    #[error("{}: cannot append: {source}", path.display())]
    Io {
        /// The transcript.
        path: PathBuf,
        /// The refusal.
        source: io::Error,
    },
}
