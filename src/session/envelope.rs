//! One line of a transcript: what it is, and the five keys of its envelope.

use std::borrow::Cow;

use super::damage::Damage;
use super::shape::{Part, Shape};
use super::text::text_of;
use crate::canonical;

/// The version every line carries as `v`.
///
/// History: 1 is the only one there has been. Types and payload keys may be added under it, since
/// readers skip what they do not know; a change that an old reader would misread takes a new number.
pub const FORMAT_VERSION: u64 = 1;

/// What one line holds.
///
/// ```
/// use sess::session::Verdict;
/// assert!(matches!(Verdict::of(b" "), Verdict::Blank));
/// assert!(matches!(Verdict::of(b"[1]"), Verdict::Value("array")));
/// assert!(matches!(Verdict::of(br#"{"type":"note"}"#), Verdict::Object(_)));
/// assert!(matches!(Verdict::of(br#"{"type""#), Verdict::Damaged(_)));
/// ```
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one at a time, and nearly all are objects"
)]
pub enum Verdict<'a> {
    /// Only white space (by Unicode's notion): ignored, but counted.
    Blank,
    /// A JSON object. It is an envelope when its `type` is a string.
    Object(Envelope<'a>),
    /// Another JSON value, named by its kind: `array`, `string`, `number`, `boolean`, `null`.
    Value(&'static str),
    /// Neither blank nor one whole JSON value in UTF-8.
    Damaged(Damage),
}

impl<'a> Verdict<'a> {
    /// Judges a line's bytes, its separator left out. Every byte is checked.
    pub fn of(bytes: &'a [u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::of_text(text),
            Err(_) => Verdict::Damaged(Damage::of(bytes)),
        }
    }

    /// Judges a line that is known to be UTF-8.
    pub(crate) fn of_text(text: &'a str) -> Self {
        if let Some(shape) = Shape::of(text) {
            return match kind_of(text) {
                "object" => Verdict::Object(Envelope::of_shape(text, shape)),
                kind => Verdict::Value(kind),
            };
        }
        if text.trim().is_empty() {
            return Verdict::Blank;
        }
        Verdict::Damaged(Damage::of(text.as_bytes()))
    }
}

/// The kind of a JSON value, by its first character.
pub(crate) fn kind_of(text: &str) -> &'static str {
    match text.trim_ascii_start().as_bytes().first() {
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b'"') => "string",
        Some(b't' | b'f') => "boolean",
        Some(b'n') => "null",
        _ => "number",
    }
}

/// A line that is a JSON object, borrowed. The values are JSON text; where a key stands twice the
/// last one counts.
///
/// ```
/// use sess::session::Verdict;
/// let line = br#"{"id":"a","payload":{"n":1},"ts":"2026-01-02T03:04:05.000006Z","type":"note","v":1}"#;
/// let Verdict::Object(envelope) = Verdict::of(line) else { unreachable!() };
/// assert_eq!(envelope.type_name().as_deref(), Some("note"));
/// assert_eq!(envelope.payload(), Some(r#"{"n":1}"#));
/// assert!(envelope.is_supported());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Envelope<'a> {
    text: &'a str,
    shape: Shape,
}

impl<'a> Envelope<'a> {
    /// Splits text that is known to be a JSON object.
    pub(crate) fn split(text: &'a str) -> Self {
        Self::of_shape(text, Shape::of(text).unwrap_or_default())
    }

    /// Of text whose shape is known.
    pub(crate) fn of_shape(text: &'a str, shape: Shape) -> Self {
        Self { text, shape }
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// A part of the line as JSON text.
    pub(crate) fn part(&self, part: Part) -> Option<&'a str> {
        self.shape.part(self.text, part)
    }

    /// See [`Shape::payload_around`].
    pub(crate) fn payload_around(&self, part: Part) -> (&'a str, &'a str) {
        self.shape.payload_around(self.text, part)
    }

    /// Where in the line an escape like `\ud83d` stands without its partner, in bytes.
    ///
    /// Such a line is whole JSON, written by a program that cut text in the middle of a pair. The
    /// typed view reads U+FFFD there.
    pub(crate) fn lone_surrogate(&self) -> Option<usize> {
        self.shape.lone_surrogate()
    }

    /// The stored line, byte for byte.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The id, when it is a string.
    pub fn id(&self) -> Option<Cow<'a, str>> {
        self.part(Part::Id).and_then(string)
    }

    /// The time stamp as it stands, empty when there is none. It is never trusted for order.
    pub fn ts(&self) -> Cow<'a, str> {
        self.part(Part::Ts)
            .map(|token| string(token).unwrap_or_else(|| text_of(token).into()))
            .unwrap_or_default()
    }

    /// The type, when it is a string. Without one the object is no envelope.
    pub fn type_name(&self) -> Option<Cow<'a, str>> {
        self.part(Part::Type).and_then(string)
    }

    /// The payload as JSON text, whatever its kind.
    pub fn payload(&self) -> Option<&'a str> {
        self.part(Part::Payload)
    }

    /// The version as JSON text.
    pub fn version(&self) -> Option<&'a str> {
        self.part(Part::Version)
    }

    /// Whether the version is a JSON number equal to [`FORMAT_VERSION`].
    pub fn is_supported(&self) -> bool {
        self.version()
            .is_some_and(|token| match token.split_once('.') {
                _ if kind_of(token) != "number" => false,
                _ if token.contains(['e', 'E']) => token.parse() == Ok(FORMAT_VERSION as f64),
                Some((whole, fraction)) => {
                    whole.parse() == Ok(FORMAT_VERSION)
                        && fraction.bytes().all(|digit| digit == b'0')
                }
                None => token.parse() == Ok(FORMAT_VERSION),
            })
    }
}

/// A JSON string's text; `None` for another kind of value.
pub(crate) fn string(token: &str) -> Option<Cow<'_, str>> {
    token
        .starts_with('"')
        .then(|| canonical::unescape(token).text)
}

/// The member of a payload that is not `null`, since `null` counts as absent.
pub(crate) fn present<'a>(payload: &'a str, key: &str) -> Option<&'a str> {
    canonical::member(payload, key).filter(|value| *value != "null")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope(text: &str) -> Envelope<'_> {
        match Verdict::of(text.as_bytes()) {
            Verdict::Object(envelope) => envelope,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_last_of_two_equal_keys_counts_and_escaped_keys_are_keys() {
        let line =
            envelope(r#"{"id":"a","id":"b","\u0074ype":"x","v":1e0,"payload":{"k":1},"extra":[]}"#);
        assert_eq!(line.id().as_deref(), Some("b"));
        assert_eq!(line.type_name().as_deref(), Some("x"));
        assert_eq!(line.payload(), Some(r#"{"k":1}"#));
        assert_eq!(line.ts(), "");
        assert!(line.is_supported());
    }

    #[test]
    fn only_a_number_equal_to_one_is_the_version() {
        for (token, supported) in [
            ("1", true),
            ("1.0", true),
            ("10e-1", true),
            ("1.00000000000000000001", false),
            ("0.99999999999999999999", false),
            ("2", false),
            ("\"1\"", false),
            ("true", false),
            ("[1]", false),
            ("null", false),
        ] {
            let line = format!("{{\"v\":{token}}}");
            assert_eq!(envelope(&line).is_supported(), supported, "{token}");
        }
    }

    #[test]
    fn blank_lines_and_other_values_are_told_apart() {
        assert!(matches!(
            Verdict::of("\u{3000} \u{85}\t".as_bytes()),
            Verdict::Blank
        ));
        assert!(matches!(Verdict::of(b""), Verdict::Blank));
        assert!(matches!(Verdict::of(b" null "), Verdict::Value("null")));
        assert!(matches!(
            Verdict::of("\u{feff}".as_bytes()),
            Verdict::Damaged(_)
        ));
    }
}
