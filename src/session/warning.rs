//! What a reader of a transcript should know, and that stopped nothing.

use super::damage::DamageKind;

/// Something about a transcript that its reader should know and that stopped nothing.
///
/// ```
/// use sess::Session;
/// use sess::session::{DamageKind, WarningKind};
/// let warning = &Session::peek("samples/sessions/mid-file-damage.jsonl").warnings[0];
/// assert_eq!(warning.kind, WarningKind::Damaged(DamageKind::Truncated));
/// assert_eq!(warning.raw.len() as u64, warning.length);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The line, counted from 1.
    pub line: u64,
    /// Where the line begins, in bytes from the start of the file.
    pub offset: u64,
    /// Length of the line in bytes, without its separator.
    pub length: u64,
    /// What it is about.
    pub kind: WarningKind,
    /// In words, for a person.
    pub message: String,
    /// The bytes of a line that could not be used; empty for one that could.
    pub raw: Vec<u8>,
}

/// What a warning is about.
///
/// ```
/// use sess::session::WarningKind;
/// assert_eq!(WarningKind::TornTail.as_str(), "torn-tail");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarningKind {
    /// The last line is torn; loading cuts it off.
    TornTail,
    /// The line is damaged and was skipped.
    Damaged(DamageKind),
    /// The line is whole, but no message can be made of it; it was skipped.
    BadMessage,
    /// Half of a surrogate pair, read as U+FFFD.
    LoneSurrogate,
    /// A second session-meta line; the last one counts.
    SecondMeta,
}

impl WarningKind {
    /// The kind as machine output names it.
    pub fn as_str(self) -> &'static str {
        match self {
            WarningKind::TornTail => "torn-tail",
            WarningKind::Damaged(kind) => kind.as_str(),
            WarningKind::BadMessage => "bad-message",
            WarningKind::LoneSurrogate => "lone-surrogate",
            WarningKind::SecondMeta => "second-meta",
        }
    }
}
