//! Colours in a tool's output: those of the sixteen are shown as meanings of ours, everything else
//! that drives a terminal in visible form.

use crate::look::visible;
use crate::view::styled::{Ink, Styled};

/// The ink goes on from line to line, as on a terminal.
#[derive(Debug, Default)]
pub struct Ansi {
    ink: Ink,
}

impl Ansi {
    /// A line without its line feed.
    pub fn line(&mut self, line: &str) -> Styled {
        let mut row = Styled::default();
        let mut rest = line;
        while let Some((before, behind)) = next_colour(rest) {
            row.push(self.ink, visible::lines(before).into_owned());
            let (codes, after) = behind;
            self.ink = ink_after(self.ink, codes);
            rest = after;
        }
        row.push(self.ink, visible::lines(rest).into_owned());
        row
    }
}

/// The text before the next sequence that sets colours; its codes, and the text behind it.
fn next_colour(text: &str) -> Option<(&str, (&str, &str))> {
    const BEGINNING: &str = "\x1b[";
    let mut from = 0;
    while let Some(found) = text[from..].find(BEGINNING) {
        let at = from + found;
        let inside = &text[at + BEGINNING.len()..];
        let is_code = |mark: char| mark.is_ascii_digit() || mark == ';';
        let length = inside.find(|mark| !is_code(mark)).unwrap_or(inside.len());
        if let Some(after) = inside[length..].strip_prefix('m') {
            return Some((&text[..at], (&inside[..length], after)));
        }
        from = at + BEGINNING.len();
    }
    None
}

fn ink_after(before: Ink, codes: &str) -> Ink {
    let mut ink = before;
    let codes = codes.split(';');
    for code in codes {
        ink = match code {
            "" | "0" | "39" => Ink::Plain,
            "1" if ink == Ink::Plain => Ink::Strong,
            "2" | "90" => Ink::Dim,
            "22" if matches!(ink, Ink::Strong | Ink::Dim) => Ink::Plain,
            "31" | "91" => Ink::Removed,
            "32" | "92" => Ink::Added,
            "33" | "93" => Ink::Number,
            "34" | "94" => Ink::User,
            "35" | "95" => Ink::Folded,
            "36" | "96" => Ink::Key,
            "30" | "37" | "97" => Ink::Plain,
            // A colour of 256 or of millions: its numbers are no codes.
            "38" | "48" => return Ink::Plain,
            _ => ink,
        };
    }
    ink
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &[&str]) -> Vec<(Ink, String)> {
        let mut ansi = Ansi::default();
        let rows = lines.iter().flat_map(|line| ansi.line(line).spans);
        rows.map(|span| (span.ink, span.text)).collect()
    }

    #[track_caller]
    fn check(lines: &[&str], expected: &[(Ink, &str)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|(ink, text)| (*ink, (*text).to_owned()))
            .collect();
        assert_eq!(told(lines), expected);
    }

    #[test]
    fn colours_become_meanings_and_go_on() {
        check(
            &[
                "\x1b[1m\x1b[33mwarning\x1b[0m: unused",
                "\x1b[32m+ a",
                "b\x1b[m",
            ],
            &[
                (Ink::Number, "warning"),
                (Ink::Plain, ": unused"),
                (Ink::Added, "+ a"),
                (Ink::Added, "b"),
            ],
        );
        check(&["\x1b[38;5;196mx"], &[(Ink::Plain, "x")]);
    }

    #[test]
    fn everything_else_is_shown() {
        check(
            &["\x1b[2J\x1b[31;", "\x1b]0;t\x07\x1b[31mred\u{9b}0m"],
            &[
                (Ink::Plain, "␛[2J␛[31;"),
                (Ink::Plain, "␛]0;t␇"),
                (Ink::Removed, "red\\u{9b}0m"),
            ],
        );
    }
}
