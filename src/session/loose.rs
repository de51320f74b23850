//! What lax parsers take for JSON and this crate does not.

use serde_json::value::RawValue;

/// Whether the text becomes JSON when a byte order mark before it is skipped, raw control
/// characters in strings are taken for spaces, leading zeros are dropped and decimal digits of
/// other scripts are taken for ASCII digits.
pub(super) fn is_loose(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut strict = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for character in text.chars() {
        if in_string {
            match character {
                // The reference refuses raw tabs and line feeds as well, so these stay.
                '\t' | '\n' => strict.push(character),
                '\0'..='\x1f' => strict.push(' '),
                _ => strict.push(character),
            }
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
            continue;
        }
        in_string = character == '"';
        match character {
            '0'..='9' => push_digit(&mut strict, character),
            _ => match foreign_digit(character) {
                Some(digit) => push_digit(&mut strict, digit),
                None => strict.push(character),
            },
        }
    }
    serde_json::from_str::<&RawValue>(&strict).is_ok()
}

/// The zeros of the scripts that have decimal digits of their own (general category Nd of
/// Unicode 16). Nine digits follow each; the five sets of mathematical digits follow each other.
const ZEROS: [u32; 75] = [
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66,
    0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90,
    0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
    0x104A0, 0x10D30, 0x10D40, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0,
    0x11650, 0x116C0, 0x116D0, 0x116DA, 0x11730, 0x118E0, 0x11950, 0x11BF0, 0x11C50, 0x11D50,
    0x11DA0, 0x11F50, 0x16130, 0x16A60, 0x16AC0, 0x16B50, 0x16D70, 0x1CCF0, 0x1D7CE, 0x1D7D8,
    0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E5F1, 0x1E950, 0x1FBF0,
];

/// The ASCII digit of the same value as a decimal digit of another script.
fn foreign_digit(character: char) -> Option<char> {
    let code = u32::from(character);
    let zero = ZEROS[..ZEROS.partition_point(|zero| *zero <= code)].last()?;
    char::from_digit(code - zero, 10)
}

/// Appends a digit, dropping a zero that would lead the number.
fn push_digit(strict: &mut String, digit: char) {
    if strict.ends_with('0') {
        let before = strict.as_bytes().iter().rev().nth(1);
        let leads = before.is_none_or(|byte| {
            !byte.is_ascii_digit() && !matches!(byte, b'.' | b'+' | b'e' | b'E')
        });
        // After an exponent's minus a zero may stay; after a number's minus it leads.
        if leads {
            strict.pop();
        }
    }
    strict.push(digit);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_lax_parser_lets_through_is_loose() {
        for text in [
            "\u{feff}[007]",
            "[-00.5e-01]",
            "{\"a\u{1}\\\"\u{1f}\":[\u{660}1,\u{ff11}]}",
            "\"a\rb\u{0}\"",
        ] {
            assert!(is_loose(text), "{text:?}");
        }
        for text in [
            "[1\u{b2}]",
            "[\u{2163}]",
            "\"a\tb\"",
            "[1,]",
            "{\u{1}}",
            "[+1]",
        ] {
            assert!(!is_loose(text), "{text:?}");
        }
    }
}
