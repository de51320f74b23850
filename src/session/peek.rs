//! Looks at a transcript, in whatever state it is, and never writes, locks or fails.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::damage::Damage;
use super::envelope::{Envelope, Verdict};
use super::error::Fault;
use super::live::Session;
use super::payload::MessageView;
use super::read::{Line, Lines};
use super::warning::{Warning, WarningKind};
use crate::canonical::{Json, members};
use crate::message::Message;

/// What a file says, in file order: no compaction, no elision and no check is applied.
///
/// ```
/// use sess::Session;
/// let peek = Session::peek("samples/sessions/mid-file-damage.jsonl");
/// assert!(peek.error.is_none());
/// assert_eq!((peek.warnings.len(), peek.warnings[0].line), (1, 15));
/// ```
#[derive(Clone, Debug)]
pub struct Peek {
    /// The path as given.
    pub path: PathBuf,
    /// The file's length in bytes before it was read.
    pub size: u64,
    /// The first session-meta payload that is not empty.
    pub meta: Json,
    /// Every envelope as stored.
    pub envelopes: Vec<Json>,
    /// Every message, compacted or not.
    pub messages: Vec<Message>,
    /// What could not be read, or not be taken for what it claims to be.
    pub warnings: Vec<Warning>,
    /// Why this is not what it should be. The rest holds what could be read all the same.
    pub error: Option<PeekError>,
}

/// Why a peek shows less than a transcript.
///
/// ```
/// use sess::Session;
/// let error = Session::peek("no/such/file.jsonl").error.unwrap();
/// assert_eq!(error.kind(), "no-file");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PeekError {
    /// Nothing to read stands at the path.
    #[error("{}: {found}; there is nothing to look at", path.display())]
    NoFile {
        /// Where.
        path: PathBuf,
        /// What stands there instead.
        found: &'static str,
    },
    /// The operating system refused.
    #[error("{}: cannot read: {reason}", path.display())]
    Unreadable {
        /// Where.
        path: PathBuf,
        /// The refusal.
        reason: String,
    },
    /// The first envelope is not a session-meta line, or there is no envelope.
    #[error("{}: not a transcript: {reason}", path.display())]
    NotTranscript {
        /// Where.
        path: PathBuf,
        /// What its first line is.
        reason: String,
    },
}

impl PeekError {
    /// The kind as machine output names it.
    pub fn kind(&self) -> &'static str {
        match self {
            PeekError::NoFile { .. } => "no-file",
            PeekError::Unreadable { .. } => "unreadable",
            PeekError::NotTranscript { .. } => "not-a-transcript",
        }
    }
}

impl Session {
    /// Looks at a transcript without writing, locking or failing; see [`Peek`]. It reads beside a
    /// writer, whose half line at the end is then a warning. Memory grows with the file; for a
    /// large one read [`Lines`] instead.
    pub fn peek(path: impl AsRef<Path>) -> Peek {
        let path = path.as_ref();
        let mut peek = Peek {
            path: path.to_owned(),
            size: 0,
            meta: Json::empty_object(),
            envelopes: Vec::new(),
            messages: Vec::new(),
            warnings: Vec::new(),
            error: None,
        };
        peek.error = peek.fill().err();
        peek
    }
}

impl Peek {
    fn fill(&mut self) -> Result<(), PeekError> {
        let file = open(&self.path)?;
        self.size = file
            .metadata()
            .map_err(|error| unreadable(&self.path, &error))?
            .len();
        let path = self.path.clone();
        let mut lines = Lines::new(file);
        let mut first = First::default();
        while let Some(line) = lines
            .next_line()
            .map_err(|error| unreadable(&path, &error))?
        {
            let verdict = Verdict::of(line.bytes);
            self.warnings.extend(warnings_of(line, &verdict));
            if let Verdict::Object(envelope) = verdict {
                self.envelope(&envelope, &mut first);
            }
        }
        first
            .verdict()
            .map_err(|reason| PeekError::NotTranscript { path, reason })
    }

    fn envelope(&mut self, envelope: &Envelope<'_>, first: &mut First) {
        let Some(type_name) = envelope.type_name() else {
            return;
        };
        first.see(envelope);
        self.envelopes
            .push(Json::from_valid(envelope.text().trim_ascii()));
        match type_name.as_ref() {
            "session-meta" => self.meta(envelope.payload()),
            "message" => {
                let view = MessageView::of(envelope).ok();
                self.messages.extend(view.map(|view| view.build()));
            }
            _ => {}
        }
    }

    fn meta(&mut self, payload: Option<&str>) {
        let payload = payload.filter(|payload| says_something(payload));
        if let Some(payload) = payload.filter(|_| !says_something(self.meta.text())) {
            self.meta = Json::from_valid(payload);
        }
    }
}

/// Whether a payload is an object with members.
pub fn says_something(payload: &str) -> bool {
    members(payload).is_some_and(|mut members| members.next().is_some())
}

/// What a line gives reason to warn of.
pub fn warnings_of(line: Line<'_>, verdict: &Verdict<'_>) -> Vec<Warning> {
    let envelope = match verdict {
        Verdict::Blank | Verdict::Value(_) => return Vec::new(),
        Verdict::Damaged(damage) => return vec![damaged(line, damage)],
        Verdict::Object(envelope) => envelope,
    };
    let Some(type_name) = envelope.type_name() else {
        return Vec::new();
    };
    let mut warnings = Vec::new();
    if let Some(at) = envelope.lone_surrogate() {
        let place = line.offset + at as u64;
        let message = format!("half of a surrogate pair at byte {place}, read as U+FFFD");
        warnings.push(warning(line, WarningKind::LoneSurrogate, message));
    }
    if type_name == "message"
        && let Err(fault) = MessageView::of(envelope)
    {
        warnings.push(warning(line, WarningKind::BadMessage, fault.to_string()));
    }
    warnings
}

/// The first envelope, which has to be session-meta.
///
/// ```
/// use sess::session::Verdict;
/// use sess::session::peek::First;
/// let line = br#"{"id":"m","payload":{},"ts":"","type":"message","v":1}"#;
/// let Verdict::Object(envelope) = Verdict::of(line) else { unreachable!() };
/// let mut first = First::default();
/// first.see(&envelope);
/// assert_eq!(
///     first.verdict().unwrap_err(),
///     r#"its first line is of type "message", not "session-meta""#,
/// );
/// ```
#[derive(Debug, Default)]
pub struct First {
    type_name: Option<String>,
    /// Its version as JSON text, when that is not the one this build reads.
    unsupported: Option<String>,
}

impl First {
    /// Notes an envelope. What has no type is none.
    pub fn see(&mut self, envelope: &Envelope<'_>) {
        let Some(type_name) = envelope.type_name().filter(|_| self.type_name.is_none()) else {
            return;
        };
        self.type_name = Some(type_name.into_owned());
        if !envelope.is_supported() {
            self.unsupported = Some(envelope.version().unwrap_or("none").to_owned());
        }
    }

    /// Says why the file is no transcript, if it is none.
    pub fn verdict(&self) -> Result<(), String> {
        match self.type_name.as_deref() {
            Some("session-meta") => Ok(()),
            Some(other) => Err(format!(
                "its first line is of type {other:?}, not \"session-meta\""
            )),
            None => Err("no line of it is an envelope".to_owned()),
        }
    }

    /// The same, also when it is one that this build does not read.
    pub fn strict_verdict(&self) -> Result<(), String> {
        self.verdict()?;
        match &self.unsupported {
            Some(found) => Err(Fault::BadVersion {
                found: found.clone(),
            }
            .to_string()),
            None => Ok(()),
        }
    }
}

/// Opens a regular file for reading only. A named pipe is not opened: that would wait for a writer.
pub fn open(path: &Path) -> Result<File, PeekError> {
    let no_file = |found| PeekError::NoFile {
        path: path.to_owned(),
        found,
    };
    match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(no_file(match path.symlink_metadata() {
                Ok(_) => "the link leads nowhere",
                Err(_) => "no such file",
            }));
        }
        Err(error) => return Err(unreadable(path, &error)),
        Ok(metadata) if metadata.is_dir() => return Err(no_file("this is a folder")),
        Ok(metadata) if !metadata.is_file() => return Err(no_file("this is no regular file")),
        Ok(_) => {}
    }
    File::open(path).map_err(|error| unreadable(path, &error))
}

/// The warning for a damaged line.
pub fn damaged(line: Line<'_>, damage: &Damage) -> Warning {
    Warning {
        raw: line.bytes.to_vec(),
        ..warning(
            line,
            WarningKind::Damaged(damage.kind),
            format!("{damage}; the line was skipped"),
        )
    }
}

/// A warning about a line.
pub fn warning(line: Line<'_>, kind: WarningKind, message: String) -> Warning {
    Warning {
        line: line.number,
        offset: line.offset,
        length: line.bytes.len() as u64,
        kind,
        message,
        raw: Vec::new(),
    }
}

fn unreadable(path: &Path, error: &io::Error) -> PeekError {
    PeekError::Unreadable {
        path: path.to_owned(),
        reason: error.to_string(),
    }
}
