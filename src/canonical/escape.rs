//! JSON strings, written.

use super::block::{Block, MOST};

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
    out.reserve(text.len() + text.len() / 16 + RUN + 2);
    out.push('"');
    let bytes = text.as_bytes();
    let mut done = 0;
    if bytes.len() > Block::<1>::LENGTH || specials(&Block::<1>::at(bytes, 0)) != 0 {
        for base in (0..bytes.len()).step_by(Block::<MOST>::LENGTH) {
            let mut specials = specials(&Block::<MOST>::at(bytes, base));
            while specials != 0 {
                let at = base + specials.trailing_zeros() as usize;
                specials &= specials - 1;
                push_run(out, text, done, at);
                done = push_escaped(out, text, at);
            }
        }
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out.push('"');
}

/// The first bytes of the characters that cannot stand as they are.
fn specials<const N: usize>(block: &Block<N>) -> u64 {
    block.equal(b'"') | block.equal(b'\\') | block.at_most(0x1F) | block.at_least(0xF0)
}

/// The runs of text between two escapes are short. Copying this many bytes and dropping what is
/// too many is faster than copying as many as there are.
pub(super) const RUN: usize = 32;

/// Appends a part of a text, which begins and ends between characters.
#[inline]
pub(super) fn push_run(out: &mut String, text: &str, start: usize, end: usize) {
    match text.get(start..start + RUN) {
        Some(piece) if end <= start + RUN => {
            let length = out.len() + end - start;
            out.push_str(piece);
            out.truncate(length);
        }
        _ => out.push_str(text.get(start..end).unwrap_or_default()),
    }
}

/// Appends the escape of the character at a place, and answers where it ends.
fn push_escaped(out: &mut String, text: &str, at: usize) -> usize {
    let byte = text.as_bytes().get(at).copied().unwrap_or_default();
    let letter = LETTERS[usize::from(byte)];
    if letter != 0 {
        out.push('\\');
        out.push(char::from(letter));
        return at + 1;
    }
    if byte < 0x20 {
        push_unit(out, u16::from(byte), b"0123456789abcdef");
        return at + 1;
    }
    let character = text.get(at..).and_then(|rest| rest.chars().next());
    let character = character.unwrap_or_default();
    for unit in character.encode_utf16(&mut [0; 2]) {
        push_unit(out, *unit, b"0123456789ABCDEF");
    }
    at + character.len_utf8()
}

/// What stands behind the backslash of a character that has a short escape; 0 for the others.
const LETTERS: [u8; 256] = {
    let mut letters = [0; 256];
    letters[b'"' as usize] = b'"';
    letters[b'\\' as usize] = b'\\';
    letters[b'\n' as usize] = b'n';
    letters[b'\r' as usize] = b'r';
    letters[b'\t' as usize] = b't';
    letters
};

fn push_unit(out: &mut String, unit: u16, digits: &[u8; 16]) {
    out.push_str("\\u");
    for shift in [12, 8, 4, 0] {
        out.push(char::from(digits[usize::from(unit >> shift & 0xF)]));
    }
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
}
