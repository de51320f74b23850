//! JSON strings, read.

use std::borrow::Cow;

use memchr::memchr;

use super::block::{Block, MOST};
use super::escape::{RUN, push_run};
use super::quoted::{UNIT, unit_at};

/// What a JSON string token says.
///
/// ```
/// use sess::canonical::unescape;
/// // Half of a pair, as a program leaves it that cuts text in the middle of one.
/// let half = unescape(r#""cut \ud83d""#);
/// assert_eq!((half.text.as_ref(), half.lone_surrogates), ("cut \u{fffd}", true));
/// assert!(!unescape(r#""\ud83d\ude00""#).lone_surrogates);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unescaped<'a> {
    /// The text, with U+FFFD in the place of each surrogate without its partner.
    pub text: Cow<'a, str>,
    /// Whether there was such a surrogate.
    pub lone_surrogates: bool,
}

/// Reads a valid JSON string token, quotes included. Borrows when there is nothing to unescape.
///
/// ```
/// use sess::canonical::unescape;
/// assert_eq!(unescape(r#""two\nlines""#).text, "two\nlines");
/// ```
pub fn unescape(token: &str) -> Unescaped<'_> {
    let inner = token.strip_prefix('"').unwrap_or(token);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let Some(first) = memchr(b'\\', inner.as_bytes()) else {
        return Unescaped {
            text: Cow::Borrowed(inner),
            lone_surrogates: false,
        };
    };
    let mut reader = Reader {
        token: inner,
        done: 0,
        text: String::with_capacity(inner.len() + RUN),
        lone_surrogates: false,
    };
    reader.read_from(first);
    Unescaped {
        text: Cow::Owned(reader.text),
        lone_surrogates: reader.lone_surrogates,
    }
}

struct Reader<'a> {
    token: &'a str,
    /// How much of the token has been read.
    done: usize,
    text: String,
    lone_surrogates: bool,
}

impl Reader<'_> {
    /// Reads everything; the first escape is known to be at this place.
    fn read_from(&mut self, first: usize) {
        let mut base = first;
        while base < self.token.len() {
            let mut backslashes = Block::<MOST>::at(self.token.as_bytes(), base).equal(b'\\');
            while backslashes != 0 {
                let at = base + backslashes.trailing_zeros() as usize;
                push_run(&mut self.text, self.token, self.done, at);
                self.done = self.escape(at);
                let read = (self.done - base) as u32;
                backslashes &= u64::MAX.checked_shl(read).unwrap_or_default();
            }
            base = self.done.max(base + Block::<MOST>::LENGTH);
        }
        self.text
            .push_str(self.token.get(self.done..).unwrap_or_default());
    }

    /// Reads the escape at this place and answers where it ends.
    fn escape(&mut self, at: usize) -> usize {
        let letter = self.token.as_bytes().get(at + 1).copied();
        let spelled = match letter {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'u') => match unit_at(self.token.as_bytes(), at) {
                Some(unit) => return self.code_unit(unit, at + UNIT),
                None => 'u',
            },
            // A quotation mark, a backslash or a slash: a valid token holds no other escape.
            Some(itself) if itself.is_ascii() => char::from(itself),
            _ => return at + 1,
        };
        self.text.push(spelled);
        at + 2
    }

    /// Adds what a unit stands for that ends at this place, and answers where its escape ends: behind
    /// that of its partner where it has one.
    fn code_unit(&mut self, first: u16, end: usize) -> usize {
        if matches!(first, 0xD800..=0xDBFF)
            && let Some(second) = unit_at(self.token.as_bytes(), end)
            && let Some(Ok(pair)) = char::decode_utf16([first, second]).next()
        {
            self.text.push(pair);
            return end + UNIT;
        }
        let character = char::from_u32(u32::from(first));
        self.lone_surrogates |= character.is_none();
        self.text
            .push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_without_escapes_is_borrowed() {
        assert!(matches!(
            unescape("\"plain é\"").text,
            Cow::Borrowed("plain é")
        ));
        assert_eq!(unescape("\"\"").text, "");
    }

    #[test]
    fn every_escape_is_read() {
        let read = unescape(r#""a\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\uDE00z""#);
        assert_eq!(read.text, "a\"\\/\u{8}\u{c}\n\r\tAé😀z");
        assert!(!read.lone_surrogates);
    }

    #[test]
    fn a_surrogate_without_its_partner_reads_as_a_replacement_character() {
        for (token, text) in [
            (r#""x\ud83dy""#, "x\u{FFFD}y"),
            (r#""\ud83d""#, "\u{FFFD}"),
            (r#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"),
            (r#""\ud83d\u0041""#, "\u{FFFD}A"),
            (r#""\ud83d\n""#, "\u{FFFD}\n"),
        ] {
            let read = unescape(token);
            assert_eq!(
                (read.text.as_ref(), read.lone_surrogates),
                (text, true),
                "{token}"
            );
        }
    }
}
