//! What is wrong with a line that is not one whole JSON value, and whether a crash can explain it.

use std::fmt;

use serde_json::value::RawValue;

use super::loose::is_loose;

/// The kind of damage.
///
/// ```
/// use sess::session::DamageKind;
/// assert_eq!(DamageKind::NulRun.as_str(), "nul-run");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DamageKind {
    /// The JSON ends before it is whole: what a killed writer leaves.
    Truncated,
    /// A whole JSON value with more bytes behind it, such as two envelopes on one line.
    Glued,
    /// Bytes of zero: a block the file system had not written yet when power went.
    NulRun,
    /// Bytes that are not UTF-8.
    BadUtf8,
    /// Whole but for raw control characters in strings, leading zeros or digits of other scripts,
    /// which lax parsers let through and no writer of the format produces.
    LooseJson,
    /// A byte order mark, which may stand at the start of the file only, and behind it a whole JSON
    /// value or nothing.
    ByteOrderMark,
    /// Not JSON at all.
    NotJson,
}

impl DamageKind {
    /// The kind as machine output names it.
    pub fn as_str(self) -> &'static str {
        match self {
            DamageKind::Truncated => "truncated",
            DamageKind::Glued => "glued",
            DamageKind::NulRun => "nul-run",
            DamageKind::BadUtf8 => "bad-utf8",
            DamageKind::LooseJson => "loose-json",
            DamageKind::ByteOrderMark => "byte-order-mark",
            DamageKind::NotJson => "not-json",
        }
    }
}

impl fmt::Display for DamageKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// One damaged line.
///
/// ```
/// use sess::session::{DamageKind, Verdict};
/// let Verdict::Damaged(damage) = Verdict::of(br#"{"type":"mess"#) else { unreachable!() };
/// assert_eq!((damage.kind, damage.kind.as_str()), (DamageKind::Truncated, "truncated"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// What kind.
    pub kind: DamageKind,
    /// Where in the line the parser stopped, in bytes from its start.
    pub at: usize,
    /// In words, for a person.
    pub message: String,
    /// Whether all its bytes are UTF-8.
    pub is_text: bool,
}

impl Damage {
    /// Whether a crash in the middle of writing can have left this, so that a repair may cut it
    /// when it is the last line. A glued line holds whole records, and a loose one or one behind a
    /// byte order mark is a whole record; cutting either would take away what somebody wrote.
    pub fn is_torn_tail(&self) -> bool {
        !matches!(
            self.kind,
            DamageKind::Glued | DamageKind::LooseJson | DamageKind::ByteOrderMark
        )
    }

    /// Says what is wrong with bytes that are not blank and not one JSON value.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let (text, utf8) = readable_part(bytes);
        Self {
            is_text: utf8.is_none(),
            ..Self::of_parts(bytes, text, utf8)
        }
    }

    fn of_parts(bytes: &[u8], text: &str, utf8: Option<Option<usize>>) -> Self {
        if let Some(end) = first_value_end(text) {
            let more = bytes.len() - end;
            return Self::new(
                DamageKind::Glued,
                end,
                format!(
                    "a whole JSON value ends at byte {end} of the line and {more} more bytes follow"
                ),
            );
        }
        if bytes.last() == Some(&0) {
            let run = bytes.iter().rev().take_while(|byte| **byte == 0).count();
            let at = bytes.len() - run;
            return Self::new(
                DamageKind::NulRun,
                at,
                format!("{run} zero bytes from byte {at} of the line on"),
            );
        }
        match utf8 {
            Some(None) => {
                return Self::new(
                    DamageKind::Truncated,
                    text.len(),
                    "the line ends in the middle of a character".into(),
                );
            }
            Some(Some(_)) => {
                let at = text.len();
                return Self::new(
                    DamageKind::BadUtf8,
                    at,
                    format!("byte {at} of the line is not UTF-8"),
                );
            }
            None => {}
        }
        Self::of_text(text)
    }

    fn of_text(text: &str) -> Self {
        let Err(error) = serde_json::from_str::<&RawValue>(text) else {
            return Self::new(DamageKind::NotJson, 0, "not JSON".into());
        };
        let at = byte_of_column(text, &error);
        if error.is_eof() || ends_inside_number(text) {
            return Self::new(
                DamageKind::Truncated,
                text.len(),
                "the JSON ends before it is whole".into(),
            );
        }
        if let Some(text) = text.strip_prefix('\u{feff}')
            && (text.trim().is_empty() || serde_json::from_str::<&RawValue>(text).is_ok())
        {
            return Self::new(
                DamageKind::ByteOrderMark,
                0,
                "a byte order mark; it may stand at the start of the file only".into(),
            );
        }
        if is_loose(text) {
            return Self::new(
                DamageKind::LooseJson,
                at,
                format!("whole but not strict JSON: {}", reason(&error)),
            );
        }
        Self::new(
            DamageKind::NotJson,
            at,
            format!("not JSON: {}", reason(&error)),
        )
    }

    fn new(kind: DamageKind, at: usize, message: String) -> Self {
        Self {
            kind,
            at,
            message,
            is_text: true,
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

/// The part that is UTF-8, and if it is not all: the length of the bad sequence, or `None` within
/// when the bytes merely end too early.
fn readable_part(bytes: &[u8]) -> (&str, Option<Option<usize>>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let good = &bytes[..error.valid_up_to()];
            let text = std::str::from_utf8(good).unwrap_or_default();
            (text, Some(error.error_len()))
        }
    }
}

/// Where the first whole value ends.
fn first_value_end(text: &str) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    match values.next() {
        Some(Ok(_)) => Some(values.byte_offset()),
        _ => None,
    }
}

/// serde_json counts lines and columns; a line of a transcript may hold a lone CR but no LF. Its
/// column is that of the byte it refused, except for control characters, where it is one less.
fn byte_of_column(text: &str, error: &serde_json::Error) -> usize {
    let column = error.column();
    let at = match error.to_string().starts_with("control character") {
        true => column,
        false => column.saturating_sub(1),
    };
    at.min(text.len())
}

fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// A number that is cut after its sign, point or exponent mark is refused as a number, not as an
/// end: one more digit tells the two apart.
fn ends_inside_number(text: &str) -> bool {
    text.ends_with(['-', '+', '.', 'e', 'E'])
        && match serde_json::from_str::<&RawValue>(&format!("{text}0")) {
            Ok(_) => true,
            Err(error) => error.is_eof(),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_damage_is_named_for_what_it_is() {
        let cases: [(&[u8], DamageKind, usize); 18] = [
            (b"{\"a\":1", DamageKind::Truncated, 6),
            (b"{\"a\":-", DamageKind::Truncated, 6),
            (b"{\"a\":[0.5,1.", DamageKind::Truncated, 12),
            (b"{\"a\":1e-", DamageKind::Truncated, 8),
            (b"{\"a\":\"\xc3", DamageKind::Truncated, 6),
            (b"{\"a\":1}{\"b\":2}", DamageKind::Glued, 7),
            (b"{\"a\":1}\xff", DamageKind::Glued, 7),
            (b"\0\0\0", DamageKind::NulRun, 0),
            (b"{\"a\0\0", DamageKind::NulRun, 3),
            (b"{\"a\":\"\xff\"}", DamageKind::BadUtf8, 6),
            (b"{\"a\":\"\x01\"}", DamageKind::LooseJson, 6),
            (b"{\"a\":007}", DamageKind::LooseJson, 6),
            ("[\u{664}\u{ff10}]".as_bytes(), DamageKind::LooseJson, 1),
            ("[1\u{b2}]".as_bytes(), DamageKind::NotJson, 2),
            ("\u{feff}{}".as_bytes(), DamageKind::ByteOrderMark, 0),
            ("\u{feff} ".as_bytes(), DamageKind::ByteOrderMark, 0),
            (b"{\"a\":1,}", DamageKind::NotJson, 7),
            (b"hello", DamageKind::NotJson, 0),
        ];
        for (bytes, kind, at) in cases {
            let damage = Damage::of(bytes);
            assert_eq!(
                (damage.kind, damage.at),
                (kind, at),
                "{}",
                String::from_utf8_lossy(bytes)
            );
        }
    }
}
