//! JSON strings, written and read.

use std::borrow::Cow;

use memchr::memchr;

/// Appends `text` as a JSON string, quotes included.
///
/// `"` and `\` are escaped with a backslash; line feed, carriage return and tab are written `\n`,
/// `\r`, `\t`; other characters below U+0020 as `\u00xx` in lower case; characters above U+FFFF as
/// an upper-case surrogate pair (`\uD83D\uDE00`). Everything else stands as it is.
///
/// ```
/// let mut line = String::new();
/// sess::canonical::write_string(&mut line, "a/\"b\"\n\u{1b}é😀");
/// assert_eq!(line, r#""a/\"b\"\n\u001bé\uD83D\uDE00""#);
/// ```
pub fn write_string(out: &mut String, text: &str) {
    // Room for the escapes of common text too, so that the line is not moved for them.
    out.reserve(text.len() + text.len() / 16 + 2);
    out.push('"');
    let mut rest = text;
    while !rest.is_empty() {
        let (plain, special) = rest.split_at(plain_length(rest));
        out.push_str(plain);
        let mut characters = special.chars();
        if let Some(character) = characters.next() {
            push_escaped(out, character);
        }
        rest = characters.as_str();
    }
    out.push('"');
}

/// What a JSON string token says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unescaped<'a> {
    /// The text, with U+FFFD in the place of each surrogate without its partner.
    pub text: Cow<'a, str>,
    /// Whether there was such a surrogate.
    pub lone_surrogates: bool,
}

/// Reads a valid JSON string token, quotes included. Borrows when there is nothing to unescape.
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
        text: String::with_capacity(inner.len()),
        lone_surrogates: false,
    };
    let (plain, mut rest) = inner.split_at(first);
    reader.text.push_str(plain);
    while !rest.is_empty() {
        rest = reader.escape(rest);
        let (plain, after) = rest.split_at(until_backslash(rest.as_bytes()));
        reader.text.push_str(plain);
        rest = after;
    }
    Unescaped {
        text: Cow::Owned(reader.text),
        lone_surrogates: reader.lone_surrogates,
    }
}

/// How many bytes at the start of `text` stand as they are. Escapes are often close together, so
/// the first words are searched for the place; after that, whole blocks are judged at once.
fn plain_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (near, far) = bytes.split_at(bytes.len().min(NEAR));
    let length = until_special(near);
    if length < near.len() {
        return length;
    }
    let (blocks, _) = far.as_chunks::<BLOCK>();
    let plain = blocks.iter().take_while(|block| !has_special(block));
    let whole = near.len() + BLOCK * plain.count();
    whole + until_special(bytes.get(whole..).unwrap_or_default())
}

/// How far escapes are taken to be close.
const NEAR: usize = 64;

/// The width of a vector register of every common processor, in bytes.
const BLOCK: usize = 16;

/// Whether any byte is special. There is no branch inside, and the flags are bytes and not truth
/// values, so that this compiles to vector instructions.
fn has_special(block: &[u8; BLOCK]) -> bool {
    let flags = block.iter().map(|byte| u8::from(is_special(*byte)));
    flags.fold(0, |any, flag| any | flag) != 0
}

/// Whether the character that begins with this byte cannot stand as it is.
fn is_special(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\') | (byte >= 0xF0)
}

/// How many bytes come before the first backslash. Where there is one there are often more close
/// by, and a call to search for each costs more than a look at the next few words.
fn until_backslash(bytes: &[u8]) -> usize {
    let (words, _) = bytes[..bytes.len().min(NEAR)].as_chunks();
    let near = first_flagged(words, |word| equal_bytes(word, b'\\'));
    near.unwrap_or_else(|| {
        let searched = 8 * words.len();
        let rest = &bytes[searched..];
        searched + memchr(b'\\', rest).unwrap_or(rest.len())
    })
}

/// How many bytes come before the first special one.
fn until_special(bytes: &[u8]) -> usize {
    let (words, tail) = bytes.as_chunks();
    first_flagged(words, specials).unwrap_or_else(|| {
        let special = tail.iter().position(|byte| is_special(*byte));
        8 * words.len() + special.unwrap_or(tail.len())
    })
}

/// The place of the first byte that is flagged, word by word.
fn first_flagged(words: &[[u8; 8]], flags_of: impl Fn(u64) -> u64) -> Option<usize> {
    words.iter().enumerate().find_map(|(index, word)| {
        let flags = flags_of(u64::from_le_bytes(*word));
        (flags != 0).then(|| 8 * index + (flags.trailing_zeros() / 8) as usize)
    })
}

/// Eight bytes at once: the top bit of the first special one, and of none before it, is set. What
/// stands behind the first is not to be relied on, for subtracting borrows from there.
fn specials(word: u64) -> u64 {
    let at_least_f0 = word & (word << 1) & (word << 2) & (word << 3);
    let controls = bytes_below(word, 0x20);
    (controls | equal_bytes(word, b'"') | equal_bytes(word, b'\\') | at_least_f0) & (EACH << 7)
}

/// A one in each byte.
const EACH: u64 = u64::MAX / 0xFF;

/// Flags the bytes below a limit, as [`specials`] flags what is special.
fn bytes_below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(EACH * u64::from(limit)) & !word & (EACH << 7)
}

/// Flags the bytes that are this one, in the same way.
fn equal_bytes(word: u64, byte: u8) -> u64 {
    bytes_below(word ^ (EACH * u64::from(byte)), 1)
}

fn push_escaped(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        control if control < ' ' => push_unit(out, u32::from(control), b"0123456789abcdef"),
        other => {
            for unit in other.encode_utf16(&mut [0; 2]) {
                push_unit(out, u32::from(*unit), b"0123456789ABCDEF");
            }
        }
    }
}

fn push_unit(out: &mut String, unit: u32, digits: &[u8; 16]) {
    out.push_str("\\u");
    for shift in [12, 8, 4, 0] {
        out.push(char::from(digits[(unit >> shift & 0xF) as usize]));
    }
}

struct Reader {
    text: String,
    lone_surrogates: bool,
}

impl Reader {
    /// Reads the escape `rest` begins with and answers what follows it.
    fn escape<'a>(&mut self, rest: &'a str) -> &'a str {
        let spelled = match rest.as_bytes().get(1) {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'u') => match unit(rest) {
                Some((unit, after)) => return self.code_unit(unit, after),
                None => 'u',
            },
            // A quotation mark, a backslash or a slash: a valid token holds no other escape.
            Some(itself) => char::from(*itself),
            None => return "",
        };
        self.text.push(spelled);
        rest.get(2..).unwrap_or_default()
    }

    fn code_unit<'a>(&mut self, first: u16, after: &'a str) -> &'a str {
        if matches!(first, 0xD800..=0xDBFF)
            && let Some((second, after)) = unit(after)
            && let Some(Ok(pair)) = char::decode_utf16([first, second]).next()
        {
            self.text.push(pair);
            return after;
        }
        match char::from_u32(u32::from(first)) {
            Some(character) => self.text.push(character),
            None => {
                self.lone_surrogates = true;
                self.text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        after
    }
}

/// The code unit of the `\uXXXX` escape `rest` begins with, and what follows it.
fn unit(rest: &str) -> Option<(u16, &str)> {
    let digits = rest.strip_prefix("\\u")?;
    let mut unit = 0;
    for digit in digits.get(..4)?.bytes() {
        unit = unit << 4 | char::from(digit).to_digit(16)? as u16;
    }
    Some((unit, digits.get(4..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut out = String::new();
        write_string(&mut out, text);
        out
    }

    #[test]
    fn each_character_has_one_spelling() {
        assert_eq!(
            written("\u{8}\u{c}\u{1b}\u{0}\n\r\t\"\\/\u{7f}\u{9f}é\u{2028}\u{ffff}\u{1F600}"),
            "\"\\u0008\\u000c\\u001b\\u0000\\n\\r\\t\\\"\\\\/\u{7f}\u{9f}é\u{2028}\u{ffff}\\uD83D\\uDE00\""
        );
    }

    #[test]
    fn a_character_is_escaped_wherever_it_stands() {
        for before in 0..100 {
            for (character, escaped) in [("\"", "\\\""), ("\n", "\\n"), ("😀", "\\uD83D\\uDE00")]
            {
                let (before, after) = ("x".repeat(before), "é".repeat(20));
                assert_eq!(
                    written(&format!("{before}{character}{after}")),
                    format!("\"{before}{escaped}{after}\"")
                );
            }
        }
    }

    #[test]
    fn a_word_is_searched_as_its_bytes_are() {
        for byte in 0..=u8::MAX {
            for place in 0..8 {
                for other in [b'a', 0x7F, 0x80, 0xEF] {
                    let mut word = [other; 8];
                    word[place] = byte;
                    let first = word.iter().position(|byte| is_special(*byte));
                    assert_eq!(until_special(&word), first.unwrap_or(8), "{word:?}");
                }
            }
        }
    }

    #[test]
    fn a_backslash_is_found_wherever_it_stands() {
        for length in 0..100 {
            assert_eq!(until_backslash(&vec![b'x'; length]), length);
            for place in 0..length {
                let mut bytes = vec![b'x'; length];
                bytes[place] = b'\\';
                assert_eq!(until_backslash(&bytes), place, "{length}");
            }
        }
    }

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
