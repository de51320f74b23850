//! Markdown as models write it, line by line: every character stays where it is, and gets the
//! meaning that Markdown gives it.

use crate::look::visible;
use crate::view::styled::{Ink, Styled};

/// What goes on from line to line: a block of code.
#[derive(Debug, Default)]
pub struct Prose {
    fence: Option<Fence>,
}

#[derive(Clone, Copy, Debug)]
struct Fence {
    mark: char,
    length: usize,
    is_diff: bool,
}

impl Prose {
    /// A line without its line feed.
    pub fn line(&mut self, line: &str) -> Styled {
        let safe = visible::lines(line).into_owned();
        let text = safe.trim_start();
        let fence = Fence::at(text);
        match (self.fence, fence) {
            (Some(open), Some(fence)) if fence.closes(open, text) => {
                self.fence = None;
                Styled::of(Ink::Dim, safe)
            }
            (Some(open), _) if open.is_diff => Styled::of(ink_of_diff(text), safe),
            (Some(_), _) => Styled::of(Ink::Code, safe),
            (None, Some(fence)) => {
                self.fence = Some(fence);
                Styled::of(Ink::Dim, safe)
            }
            (None, None) if is_heading(text) => Styled::of(Ink::Strong, safe),
            (None, None) => inline(&safe),
        }
    }
}

impl Fence {
    fn at(text: &str) -> Option<Self> {
        let mark = text
            .chars()
            .next()
            .filter(|mark| matches!(mark, '`' | '~'))?;
        let length = text.chars().take_while(|next| *next == mark).count();
        let info = &text[length..];
        let is_fence = length >= 3 && !info.contains('`');
        is_fence.then(|| Self {
            mark,
            length,
            is_diff: info.trim() == "diff",
        })
    }

    fn closes(self, open: Self, text: &str) -> bool {
        let is_bare = text.trim_end().chars().all(|mark| mark == self.mark);
        self.mark == open.mark && self.length >= open.length && is_bare
    }
}

fn is_heading(text: &str) -> bool {
    let level = text.bytes().take_while(|byte| *byte == b'#').count();
    (1..=6).contains(&level) && text[level..].starts_with(' ')
}

/// What a line of a unified diff means.
pub fn ink_of_diff(line: &str) -> Ink {
    match line.as_bytes() {
        [b'@', b'@', ..] => Ink::Folded,
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => Ink::Strong,
        [b'+', ..] => Ink::Added,
        [b'-', ..] => Ink::Removed,
        _ => Ink::Plain,
    }
}

/// The mark of a list or a quotation, then text with code and emphasis in it.
fn inline(line: &str) -> Styled {
    let mut row = Styled::default();
    let mark = length_of_mark(line);
    row.push(Ink::Key, &line[..mark]);
    let mut rest = &line[mark..];
    while let Some(at) = rest.find(['`', '*']) {
        let sign = if rest[at..].starts_with('`') {
            "`"
        } else {
            "**"
        };
        let inside = rest[at..].strip_prefix(sign);
        let closed = inside
            .and_then(|inside| inside.find(sign))
            .filter(|length| *length > 0);
        let Some(length) = closed else {
            let next = at + 1;
            row.push(Ink::Plain, &rest[..next]);
            rest = &rest[next..];
            continue;
        };
        let end = at + length + 2 * sign.len();
        let ink = if sign == "`" { Ink::Code } else { Ink::Strong };
        row.push(Ink::Plain, &rest[..at]);
        row.push(ink, &rest[at..end]);
        rest = &rest[end..];
    }
    row.push(Ink::Plain, rest);
    row
}

/// `- `, `* `, `12. `, `> `, with the blanks before it.
fn length_of_mark(line: &str) -> usize {
    let text = line.trim_start();
    let before = line.len() - text.len();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_number = (1..=9).contains(&digits) && text[digits..].starts_with(". ");
    match ["- ", "* ", "+ ", "> "]
        .iter()
        .any(|mark| text.starts_with(mark))
    {
        true => before + 1,
        false if is_number => before + digits + 1,
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<Vec<(Ink, String)>> {
        let mut prose = Prose::default();
        let rows = text.lines().map(|line| prose.line(line).spans);
        rows.map(|spans| {
            spans
                .into_iter()
                .map(|span| (span.ink, span.text))
                .collect()
        })
        .collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[&[(Ink, &str)]]) {
        let owned = |row: &&[(Ink, &str)]| -> Vec<(Ink, String)> {
            row.iter()
                .map(|(ink, text)| (*ink, (*text).to_owned()))
                .collect()
        };
        assert_eq!(told(text), expected.iter().map(owned).collect::<Vec<_>>());
    }

    #[test]
    fn headings_lists_code_and_emphasis_are_told() {
        check(
            "# Head\n- a `b` **c** d*\n12. x\n> said\nplain",
            &[
                &[(Ink::Strong, "# Head")],
                &[
                    (Ink::Key, "-"),
                    (Ink::Plain, " a "),
                    (Ink::Code, "`b`"),
                    (Ink::Plain, " "),
                    (Ink::Strong, "**c**"),
                    (Ink::Plain, " d*"),
                ],
                &[(Ink::Key, "12."), (Ink::Plain, " x")],
                &[(Ink::Key, ">"), (Ink::Plain, " said")],
                &[(Ink::Plain, "plain")],
            ],
        );
    }

    #[test]
    fn a_fence_is_closed_by_its_like_only() {
        check(
            "````rust\n# code\n```\n````\n~~~diff\n+a\n-b\n~~~\n#not",
            &[
                &[(Ink::Dim, "````rust")],
                &[(Ink::Code, "# code")],
                &[(Ink::Code, "```")],
                &[(Ink::Dim, "````")],
                &[(Ink::Dim, "~~~diff")],
                &[(Ink::Added, "+a")],
                &[(Ink::Removed, "-b")],
                &[(Ink::Dim, "~~~")],
                &[(Ink::Plain, "#not")],
            ],
        );
    }

    #[test]
    fn no_character_is_lost() {
        for text in ["a ** b", "`", "``", "**", "x `y", "***z***", "1. ", "-"] {
            let row = Prose::default().line(text);
            assert_eq!(row.text(), text);
        }
    }
}
