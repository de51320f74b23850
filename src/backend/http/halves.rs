//! Characters that a server cut in two.

use crate::Json;
use crate::canonical::unescape;

/// Joins the fragments of one text.
///
/// A server that cuts its text by UTF-16 units sends one half of a surrogate pair at the end of a
/// fragment (`"\ud83d"`) and the other at the beginning of the next. The first is held back until
/// its partner comes.
#[derive(Debug, Default)]
pub(super) struct Halves {
    /// The escape of a first half, or nothing.
    held: String,
}

/// `\ud83d`
const ESCAPE_BYTES: usize = 6;

impl Halves {
    /// The text of the next fragment, a JSON string; `None` for anything else.
    pub(super) fn add(&mut self, fragment: &Json) -> Option<String> {
        let token = fragment.text();
        let inner = token.strip_prefix('"')?.strip_suffix('"')?;
        // Nothing to say is no reason to give up waiting.
        if inner.is_empty() {
            return Some(String::new());
        }
        let (whole, half) = without_first_half(inner);
        let joined = format!("\"{}{whole}\"", self.held);
        self.held = half.to_owned();
        Some(unescape(&joined).text.into_owned())
    }
}

/// The inside of a string token, without an escape for the first half of a pair at its end.
fn without_first_half(inner: &str) -> (&str, &str) {
    let escape = inner.len().saturating_sub(ESCAPE_BYTES);
    let Some((before, escape)) = inner.split_at_checked(escape) else {
        return (inner, "");
    };
    let unit = escape
        .strip_prefix("\\u")
        .and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let is_first_half = unit.is_some_and(|unit| (0xd800..0xdc00).contains(&unit));
    let backslashes = before.bytes().rev().take_while(|&byte| byte == b'\\');
    let is_escaped = backslashes.count() % 2 == 1;
    match is_first_half && !is_escaped {
        true => (before, escape),
        false => (inner, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(fragments: &[&str]) -> Vec<String> {
        let mut halves = Halves::default();
        fragments
            .iter()
            .map(|inner| {
                halves
                    .add(&Json::parse(format!("\"{inner}\"")).unwrap())
                    .unwrap()
            })
            .collect()
    }

    #[test]
    fn two_halves_are_one_character() {
        assert_eq!(joined(&[r"a\ud83e", r"\udd80b"]), ["a", "🦀b"]);
        assert_eq!(joined(&[r"\uD83E", "", r"\uDD80"]), ["", "", "🦀"]);
        assert_eq!(joined(&[r"\ud83e\udd80", "b"]), ["🦀", "b"]);
    }

    #[test]
    fn a_half_without_its_partner_is_replaced() {
        assert_eq!(joined(&[r"a\ud83e", "b"]), ["a", "\u{fffd}b"]);
        assert_eq!(
            joined(&[r"\ud83e", r"\ud83e", r"\udd80"]),
            ["", "\u{fffd}", "🦀"]
        );
        assert_eq!(joined(&[r"\udd80", "b"]), ["\u{fffd}", "b"]);
    }

    #[test]
    fn what_only_looks_like_a_half_is_none() {
        assert_eq!(joined(&[r"\\ud83e", r"\udd80"]), [r"\ud83e", "\u{fffd}"]);
        assert_eq!(joined(&[r"\\\ud83e", r"\udd80"]), ["\\", "🦀"]);
        assert_eq!(joined(&["éééé", "ud83e"]), ["éééé", "ud83e"]);
        assert_eq!(Halves::default().add(&Json::null()), None);
    }
}
