//! One text as rows.

use std::str::Split;

use super::Fold;
use super::ansi::Ansi;
use super::json;
use super::prose::{Prose, ink_of_diff};
use super::table;
use crate::look::human::{counted, size};
use crate::look::{visible, width};
use crate::view::styled::{Ink, Span, Styled};

/// So many bytes of a text are shown at most; the whole is what `o` opens.
const MOST_BYTES: usize = 2 * 1024 * 1024;

/// What a text is, as far as is known.
///
/// ```
/// use sess::view::body::{Fold, Nature, rows};
/// let text = "# Title";
/// let shown = |nature| rows(text, nature, 80, Fold::Full)[0].spans[0].ink;
/// // A heading to people, a comment to a shell.
/// assert_ne!(shown(Nature::Prose), shown(Nature::Output));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Prose, as people and models write it.
    Prose,
    /// What a tool put out: logs, source code, JSON, diffs.
    Output,
    /// JSON, as arguments are: strings are read.
    Json,
    /// JSON as it is stored, token by token.
    Stored,
}

/// The rows of a text in this many columns, and a row that says how much is left out.
pub fn rows(text: &str, nature: Nature, columns: usize, fold: Fold) -> Vec<Styled> {
    let most = fold.most_rows();
    let text = text.trim_end().trim_start_matches(['\n', '\r']);
    if most == 0 || text.is_empty() {
        return Vec::new();
    }
    if nature != Nature::Prose
        && let Some(laid_out) = json::of_text(text, nature != Nature::Stored)
    {
        let all = laid_out.into_iter().flat_map(|row| wrapped(row, columns));
        let mut rows: Vec<Styled> = all.collect();
        let more = rows.len().saturating_sub(most);
        rows.truncate(most);
        rows.extend(left_out(more, "row"));
        return rows;
    }
    let head = &text[..text.floor_char_boundary(MOST_BYTES)];
    let mut rows = Vec::new();
    let mut painter = Painter::of(head, nature);
    let mut lines = head.split('\n');
    while rows.len() < most {
        if let Some((table, count)) = painter.table(&lines, columns) {
            rows.extend(table);
            lines.nth(count - 1);
            continue;
        }
        let Some(line) = lines.next() else { break };
        let row = painter.line(line.strip_suffix('\r').unwrap_or(line));
        rows.extend(wrapped(row, columns));
    }
    // What is left is not laid out just to be counted.
    let cut = rows.len().saturating_sub(most);
    rows.truncate(most);
    match lines.count() {
        0 if cut > 0 => rows.extend(left_out(cut, "row")),
        0 if head.len() < text.len() => {
            let more = size((text.len() - head.len()) as u64);
            rows.push(Styled::of(
                Ink::Dim,
                format!("… {more} more; o opens all of it"),
            ));
        }
        more => rows.extend(left_out(more, "line")),
    }
    rows
}

/// `… 12 more lines`, where there are any.
fn left_out(count: usize, of: &str) -> Option<Styled> {
    let many = format!("more {of}s");
    let more = counted(count as u64, &format!("more {of}"), &many);
    (count > 0).then(|| Styled::of(Ink::Dim, format!("… {more}")))
}

/// Gives the lines of a text their meaning.
enum Painter {
    Prose(Prose),
    Diff,
    Ansi(Ansi),
}

impl Painter {
    fn of(text: &str, nature: Nature) -> Self {
        match nature {
            Nature::Prose => Painter::Prose(Prose::default()),
            Nature::Output if looks_like_diff(text) => Painter::Diff,
            Nature::Output | Nature::Json | Nature::Stored => Painter::Ansi(Ansi::default()),
        }
    }

    /// The table that begins here, and how many lines it has.
    fn table(&self, lines: &Split<'_, char>, columns: usize) -> Option<(Vec<Styled>, usize)> {
        match self {
            Painter::Prose(prose) if !prose.is_in_code() => table::at_start(lines.clone(), columns),
            _ => None,
        }
    }

    fn line(&mut self, line: &str) -> Styled {
        match self {
            Painter::Prose(prose) => prose.line(line),
            Painter::Diff => Styled::of(ink_of_diff(line), visible::lines(line).into_owned()),
            Painter::Ansi(ansi) => ansi.line(line),
        }
    }
}

/// A row in several, when it is too wide. What it means goes on.
pub fn wrapped(row: Styled, columns: usize) -> Vec<Styled> {
    if row.width() <= columns {
        return vec![row];
    }
    if let [span] = row.spans.as_slice() {
        let pieces = width::wrap(&span.text, columns);
        return pieces.map(|piece| Styled::of(span.ink, piece)).collect();
    }
    let text = row.text();
    let mut spans = Spans::of(row);
    let mut rows = Vec::new();
    let mut at = 0;
    for piece in width::wrap(&text, columns) {
        let from = text[at..].find(piece).map_or(at, |skipped| at + skipped);
        spans.take(from - at);
        rows.push(spans.take(piece.len()));
        at = from + piece.len();
    }
    rows
}

/// A row that is taken apart from its beginning.
struct Spans {
    rest: std::vec::IntoIter<Span>,
    /// What is left of the span that was taken from last.
    begun: Option<Span>,
}

impl Spans {
    fn of(row: Styled) -> Self {
        Self {
            rest: row.spans.into_iter(),
            begun: None,
        }
    }

    /// So many bytes of its text.
    fn take(&mut self, bytes: usize) -> Styled {
        let mut part = Styled::default();
        let mut left = bytes;
        while left > 0
            && let Some(mut span) = self.begun.take().or_else(|| self.rest.next())
        {
            if span.text.len() > left {
                let rest = span.text.split_off(span.text.floor_char_boundary(left));
                let ink = span.ink;
                self.begun = Some(Span { ink, text: rest });
                left = 0;
            } else {
                left -= span.text.len();
            }
            part.push(span.ink, span.text);
        }
        part
    }
}

/// A unified diff has a hunk line, or the head of one.
fn looks_like_diff(text: &str) -> bool {
    let mut lines = text.lines().take(40);
    lines.any(|line| line.starts_with("@@ -") || line.starts_with("diff --git "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, nature: Nature, columns: usize, fold: Fold) -> Vec<String> {
        let rows = rows(text, nature, columns, fold);
        rows.iter().map(Styled::text).collect()
    }

    #[test]
    fn a_text_is_wrapped_and_its_end_is_said() {
        let text = "one two three\n\nfour\x1b[31m\n5\n6\n7\n8\n9";
        assert_eq!(
            shown(text, Nature::Prose, 8, Fold::Excerpt),
            [
                "one two",
                "three",
                "",
                "four␛[31",
                "m",
                "5",
                "… 4 more lines"
            ]
        );
        assert_eq!(shown(text, Nature::Prose, 8, Fold::Line), [""; 0]);
        assert_eq!(shown(" \n", Nature::Prose, 8, Fold::Full), [""; 0]);
    }

    /// Of each sign that may begin something, very many that do not.
    #[test]
    fn a_long_line_of_signs_is_shown() {
        let signs = [
            "[",
            "[a](",
            "<",
            "`",
            "``",
            "*",
            "**",
            "`a` ",
            "http://",
            "|",
            "\x1b[",
            "\x1b[31ma",
            "~",
            "{",
            "#",
            "- ",
        ];
        for sign in signs {
            let text = sign.repeat(16 * 1024 / sign.len());
            let fenced = format!("```rust\n{text}\n```");
            for (text, nature) in [
                (&text, Nature::Prose),
                (&text, Nature::Output),
                (&fenced, Nature::Prose),
            ] {
                assert!(!rows(text, nature, 40, Fold::Full).is_empty());
            }
        }
    }

    #[test]
    fn the_lines_of_a_diff_say_what_they_are() {
        let text = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z";
        let rows = rows(text, Nature::Output, 20, Fold::Full);
        let inks: Vec<Ink> = rows.iter().map(|row| row.spans[0].ink).collect();
        use Ink::{Added, Folded, Plain, Removed, Strong};
        assert_eq!(inks, [Strong, Strong, Folded, Removed, Added, Plain]);
    }

    #[test]
    fn meaning_goes_on_over_a_break() {
        let mut row = Styled::of(Ink::Key, "key: ");
        row.push(Ink::Text, "a long value");
        let rows = wrapped(row, 9);
        let mut first = Styled::of(Ink::Key, "key: ");
        first.push(Ink::Text, "a");
        let second = Styled::of(Ink::Text, "long");
        assert_eq!(rows, [first, second, Styled::of(Ink::Text, "value")]);
    }
}
