//! One line, as the index keeps it and as it gives it out.

use chrono::{DateTime, Utc};

use crate::look::entry::Mark;
use crate::message::Role;
use crate::session::read::{Ending, Line};

/// What a line is.
///
/// ```
/// use sess::look::index::{IndexedLine, Kind};
/// use sess::session::read::Lines;
/// let mut lines = Lines::new("{\"id\":\"a\",\"ty".as_bytes());
/// assert_eq!(IndexedLine::of(lines.next_line()?.unwrap()).kind, Kind::Damaged);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Only white space.
    Blank,
    /// Not one whole JSON value.
    Damaged,
    /// JSON that is no envelope: no object, or an object without a type.
    NoEnvelope,
    /// Who and what the run is.
    Meta,
    /// A message.
    Message,
    /// The list of grants.
    Grants,
    /// A summary that stands for the conversation before it.
    Compaction,
    /// Contents replaced by stubs.
    Elision,
    /// A call is about to be handed to its tool.
    Dispatched,
    /// A call has ended.
    Settled,
    /// What surrounded a run.
    RunContext,
    /// An envelope of another type.
    Other,
}

impl Kind {
    pub(super) fn of_type(name: &str) -> Self {
        match name {
            "session-meta" => Kind::Meta,
            "message" => Kind::Message,
            "grants" => Kind::Grants,
            "compaction" => Kind::Compaction,
            "elision" => Kind::Elision,
            "tool-dispatched" => Kind::Dispatched,
            "tool-settled" => Kind::Settled,
            "run-context" => Kind::RunContext,
            _ => Kind::Other,
        }
    }
}

/// One line of a transcript.
///
/// ```
/// use sess::look::index::{IndexedLine, Kind};
/// use sess::session::read::Lines;
/// let line = r#"{"id":"a","payload":{"content":"Hi","role":"user"},"ts":"","type":"message","v":1}"#;
/// let mut lines = Lines::new(line.as_bytes());
/// let indexed = IndexedLine::of(lines.next_line()?.unwrap());
/// assert_eq!((indexed.kind, indexed.role), (Kind::Message, Some(sess::Role::User)));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexedLine {
    /// Counted from 1, blank lines included.
    pub number: u64,
    /// Where it begins, in bytes from the start of the file.
    pub offset: u64,
    /// Its length in bytes, without the separator.
    pub length: u64,
    /// The separator. A last line without one may still be growing.
    pub ending: Ending,
    /// What it is.
    pub kind: Kind,
    /// Who speaks, in a message of a known role.
    pub role: Option<Role>,
    /// Whether it stands out, as far as that shows without reading what the payload says.
    pub mark: Option<Mark>,
    /// When it was written, if its `ts` is a time.
    pub time: Option<DateTime<Utc>>,
}

impl IndexedLine {
    /// A line by itself, as an [`Index`](super::Index) would show it.
    pub fn of(line: Line<'_>) -> Self {
        let length = line.bytes.len() as u64;
        let record = Record::new(line.offset, length, line.ending, Facts::of(line.bytes));
        record.line(line.number, Some(length))
    }

    /// The line itself, with the bytes that were read for it.
    pub fn with<'a>(&self, bytes: &'a [u8]) -> Line<'a> {
        Line {
            number: self.number,
            offset: self.offset,
            bytes,
            ending: self.ending,
        }
    }
}

/// A line in 24 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    offset: u64,
    /// Since 1970, or [`NO_TIME`].
    micros: i64,
    /// Or [`LONG`], and the length is kept elsewhere.
    length: u32,
    kind: Kind,
    role: Option<Role>,
    trouble: Trouble,
    ending: Ending,
}

const _: () = assert!(size_of::<Record>() == 24);

const LONG: u32 = u32::MAX;
const NO_TIME: i64 = i64::MIN;

/// What a line reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Trouble {
    #[default]
    None,
    Error,
    OutcomeUnknown,
}

/// What is known of a line beside where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub kind: Kind,
    pub role: Option<Role>,
    pub trouble: Trouble,
    pub micros: Option<i64>,
}

impl Record {
    pub fn new(offset: u64, length: u64, ending: Ending, facts: Facts) -> Self {
        Self {
            offset,
            micros: facts.micros.unwrap_or(NO_TIME),
            length: u32::try_from(length).unwrap_or(LONG),
            kind: facts.kind,
            role: facts.role,
            trouble: facts.trouble,
            ending,
        }
    }

    pub fn offset(&self) -> u64 {
        self.offset
    }

    pub fn ending(&self) -> Ending {
        self.ending
    }

    pub fn micros(&self) -> Option<i64> {
        (self.micros != NO_TIME).then_some(self.micros)
    }

    /// Whether the length stands elsewhere.
    pub fn is_long(&self) -> bool {
        self.length == LONG
    }

    /// `long` is the length of a line for which [`is_long`](Self::is_long) holds.
    pub fn line(&self, number: u64, long: Option<u64>) -> IndexedLine {
        IndexedLine {
            number,
            offset: self.offset,
            length: long.unwrap_or(u64::from(self.length)),
            ending: self.ending,
            kind: self.kind,
            role: self.role,
            mark: self.mark(),
            time: self.micros().and_then(DateTime::from_timestamp_micros),
        }
    }

    fn mark(&self) -> Option<Mark> {
        match (self.trouble, self.kind) {
            (Trouble::OutcomeUnknown, _) => Some(Mark::OutcomeUnknown),
            (Trouble::Error, _) => Some(Mark::Error),
            (_, Kind::Compaction | Kind::Elision) => Some(Mark::Folded),
            (_, Kind::Damaged | Kind::NoEnvelope) => Some(Mark::Damaged),
            _ => None,
        }
    }
}
