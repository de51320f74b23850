//! A text that lies undecoded in a line.

use std::borrow::Cow;

use memchr::memchr;

use crate::canonical;
use crate::look::{visible, width};

/// A text as it lies in a line; decoded when asked for, and no further than asked.
///
/// ```
/// use sess::look::entry::Text;
/// let stored = Text::of_json(r#""two\nlines""#);
/// assert_eq!(stored.whole(), "two\nlines");
/// assert_eq!(stored.excerpt(6), "two⏎l…");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text<'a> {
    /// A JSON string, quotes and escapes included.
    Token(&'a str),
    /// Text that stands for itself, such as another JSON value.
    Plain(&'a str),
    /// The bytes of a damaged line.
    Bytes(&'a [u8]),
}

impl<'a> Text<'a> {
    /// A JSON value: a string is its text, every other value its JSON.
    pub fn of_json(value: &'a str) -> Self {
        match value.starts_with('"') {
            true => Text::Token(value),
            false => Text::Plain(value),
        }
    }

    /// Whether there is nothing to read.
    pub fn is_empty(self) -> bool {
        match self {
            Text::Token(token) => inside(token).is_empty(),
            Text::Plain(text) => text.is_empty(),
            Text::Bytes(bytes) => bytes.is_empty(),
        }
    }

    /// All of it. Bytes that are not UTF-8 and halves of surrogate pairs read as U+FFFD.
    pub fn whole(self) -> Cow<'a, str> {
        match self {
            Text::Token(token) => canonical::unescape(token).text,
            Text::Plain(text) => Cow::Borrowed(text),
            Text::Bytes(bytes) => String::from_utf8_lossy(bytes),
        }
    }

    /// What the first `limit` bytes of its stored form say, and whether that is all of it.
    pub fn beginning(self, limit: usize) -> (Cow<'a, str>, bool) {
        match self {
            Text::Token(token) => {
                let inner = inside(token);
                let end = end_of_beginning(inner, limit);
                let text = canonical::unescape(&inner[..end]).text;
                (text, end == inner.len())
            }
            Text::Plain(text) => {
                let end = text.floor_char_boundary(limit);
                (Cow::Borrowed(&text[..end]), end == text.len())
            }
            Text::Bytes(bytes) => {
                let end = limit.min(bytes.len());
                let text = String::from_utf8_lossy(&bytes[..end]);
                (text, end == bytes.len())
            }
        }
    }

    /// The first `columns` columns for a place that has one line, with `…` where more was there.
    /// White space around the text is left out.
    pub fn excerpt(self, columns: usize) -> String {
        // An escaped pair takes twelve bytes, a byte that is not UTF-8 four columns.
        let limit = columns.saturating_mul(12).saturating_add(64);
        if let Text::Bytes(bytes) = self {
            let head = bytes.get(..limit).unwrap_or(bytes);
            let shown = visible::bytes(head.trim_ascii());
            return ended(shown, head.len() == bytes.len(), columns);
        }
        let (head, all) = self.beginning(limit);
        let head = head.trim_start();
        let head = if all { head.trim_end() } else { head };
        ended(visible::excerpt(head, columns), all, columns)
    }
}

/// `shown` within `columns`, with an ellipsis when it is not all there was.
fn ended(shown: String, all: bool, columns: usize) -> String {
    if all || shown.ends_with(width::ELLIPSIS) {
        width::truncate(&shown, columns).into_owned()
    } else {
        width::truncate(&(shown + width::ELLIPSIS), columns).into_owned()
    }
}

/// A string token without its quotes.
fn inside(token: &str) -> &str {
    let inner = token.strip_prefix('"').unwrap_or(token);
    inner.strip_suffix('"').unwrap_or(inner)
}

/// The last place up to `limit` that is neither inside a character nor inside an escape.
fn end_of_beginning(inner: &str, limit: usize) -> usize {
    if inner.len() <= limit {
        return inner.len();
    }
    let bytes = inner.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes.get(at..limit).and_then(|rest| memchr(b'\\', rest)) {
        let escape = at + found;
        at = escape + escape_length(&bytes[escape..]);
        if at > limit {
            return escape;
        }
    }
    inner.floor_char_boundary(limit)
}

/// How long the escape at the start is; the two halves of a pair are one.
fn escape_length(bytes: &[u8]) -> usize {
    let is_pair = bytes
        .get(2)
        .is_some_and(|digit| matches!(digit, b'd' | b'D'))
        && bytes
            .get(3)
            .is_some_and(|digit| matches!(digit, b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B'))
        && bytes.get(6..8) == Some(b"\\u");
    match bytes.get(1) {
        Some(b'u') if is_pair => 12,
        Some(b'u') => 6,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_never_ends_inside_a_character_or_an_escape() {
        let token = r#""aé\n\ud83d\ude00z""#;
        let cases = [
            (0, ""),
            (1, "a"),
            (2, "a"),
            (3, "aé"),
            (4, "aé"),
            (5, "aé\n"),
            (16, "aé\n"),
            (17, "aé\n😀"),
        ];
        for (limit, expected) in cases {
            let expected = (Cow::Borrowed(expected), false);
            assert_eq!(Text::Token(token).beginning(limit), expected, "{limit}");
        }
        assert_eq!(
            Text::Token(token).beginning(18),
            (Cow::Borrowed("aé\n😀z"), true)
        );
    }

    #[test]
    fn an_excerpt_is_safe_trimmed_and_says_when_it_is_cut() {
        assert_eq!(Text::Token(r#""\n one\ntwo\n""#).excerpt(20), "one⏎two");
        assert_eq!(Text::Token(r#""\u001b[2Jx""#).excerpt(20), "␛[2Jx");
        assert_eq!(Text::Plain("abcdef").excerpt(4), "abc…");
        assert_eq!(Text::Bytes(b"ok\xff\0").excerpt(20), "ok\\xff␀");
        assert_eq!(Text::Bytes(&[b'x'; 1000]).excerpt(3), "xx…");
        let marks = format!("\"{}\"", "\u{301}".repeat(5000));
        assert!(Text::Token(&marks).excerpt(5).ends_with('…'));
    }

    #[test]
    fn of_a_long_text_only_the_beginning_is_read() {
        let token = format!("\"{}\"", "\\u00e9".repeat(1_000_000));
        assert_eq!(Text::Token(&token).excerpt(5), "éééé…");
        assert_eq!(
            Text::Token(&token).beginning(60),
            ("é".repeat(10).into(), false)
        );
    }
}
