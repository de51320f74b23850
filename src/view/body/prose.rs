//! Markdown as models write it, line by line: every line stays where it is, and its parts get the
//! meaning that Markdown gives them.

use super::code::Code;
use super::inline::inline;
use crate::look::visible;
use crate::view::styled::{Ink, Styled};

/// What goes on from line to line: a block of code.
#[derive(Debug, Default)]
pub struct Prose {
    fence: Option<Fence>,
}

#[derive(Clone, Debug)]
struct Fence {
    mark: char,
    length: usize,
    inside: Inside,
}

/// What a block of code holds.
#[derive(Clone, Debug)]
enum Inside {
    Diff,
    Code(Box<Code>),
    Unknown,
}

impl Prose {
    /// A line without its line feed.
    pub fn line(&mut self, line: &str) -> Styled {
        let safe = visible::lines(line).into_owned();
        let text = safe.trim_start();
        let fence = Fence::at(text);
        match (&mut self.fence, fence) {
            (Some(open), Some(fence)) if fence.closes(open, text) => {
                self.fence = None;
                Styled::of(Ink::Dim, safe)
            }
            (Some(open), _) => match &mut open.inside {
                Inside::Diff => Styled::of(ink_of_diff(text), safe),
                Inside::Code(code) => code.line(&safe),
                Inside::Unknown => Styled::of(Ink::Code, safe),
            },
            (None, Some(fence)) => {
                self.fence = Some(fence);
                Styled::of(Ink::Dim, safe)
            }
            (None, None) if is_heading(text) => Styled::of(Ink::Strong, safe),
            (None, None) => inline(&safe),
        }
    }

    /// Whether lines are code.
    pub fn is_in_code(&self) -> bool {
        self.fence.is_some()
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
            inside: match (info.trim(), Code::named(info)) {
                ("diff" | "patch", _) => Inside::Diff,
                (_, Some(code)) => Inside::Code(Box::new(code)),
                _ => Inside::Unknown,
            },
        })
    }

    fn closes(&self, open: &Self, text: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&[(Ink, &str)]]) {
        let mut prose = Prose::default();
        let found: Vec<Styled> = text.lines().map(|line| prose.line(line)).collect();
        let row = |parts: &&[(Ink, &str)]| {
            let mut row = Styled::default();
            for (ink, text) in *parts {
                row.push(*ink, *text);
            }
            row
        };
        assert_eq!(found, expected.iter().map(row).collect::<Vec<_>>());
    }

    #[test]
    fn a_heading_stands_out() {
        check("# Head", &[&[(Ink::Strong, "# Head")]]);
        check("#not", &[&[(Ink::Plain, "#not")]]);
    }

    #[test]
    fn a_fence_is_closed_by_its_like_only() {
        check(
            "````text\n# code\n```\n````\n~~~diff\n+a\n-b\n~~~\n#not",
            &[
                &[(Ink::Dim, "````text")],
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
    fn code_is_told_by_its_language() {
        check(
            "  ```rust\n  let x = 1;\x1b\n  ```",
            &[
                &[(Ink::Dim, "  ```rust")],
                &[
                    (Ink::Plain, "  "),
                    (Ink::Keyword, "let"),
                    (Ink::Plain, " x = "),
                    (Ink::Number, "1"),
                    (Ink::Plain, ";␛"),
                ],
                &[(Ink::Dim, "  ```")],
            ],
        );
    }
}
