//! One text as rows.

use super::Fold;
use super::json;
use crate::look::human::counted;
use crate::look::{visible, width};
use crate::view::styled::{Ink, Styled};

/// So many bytes of a text are shown at most; the whole is what `o` opens.
const MOST_BYTES: usize = 2 * 1024 * 1024;

/// What a text is, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Prose, as people and models write it.
    Prose,
    /// What a tool put out: logs, source code, JSON, diffs.
    Output,
    /// JSON, as arguments are.
    Json,
}

/// The rows of a text in this many columns, and a row that says how much is left out.
pub fn rows(text: &str, nature: Nature, columns: usize, fold: Fold) -> Vec<Styled> {
    let most = fold.most_rows();
    let text = text.trim_end().trim_start_matches(['\n', '\r']);
    if most == 0 || text.is_empty() {
        return Vec::new();
    }
    if nature != Nature::Prose
        && let Some(laid_out) = json::of_text(text)
    {
        return limited(
            laid_out.into_iter().flat_map(|row| wrapped(row, columns)),
            most,
            0,
        );
    }
    let head = &text[..text.floor_char_boundary(MOST_BYTES)];
    let left_out = text.len() - head.len();
    let is_diff = nature == Nature::Output && looks_like_diff(head);
    let all = head.split('\n').flat_map(|line| {
        let ink = if is_diff {
            ink_of_diff(line)
        } else {
            Ink::Plain
        };
        let line = line.strip_suffix('\r').unwrap_or(line);
        let safe = visible::lines(line).into_owned();
        wrapped(Styled::of(ink, safe), columns)
    });
    limited(all, most, left_out)
}

/// The first rows, and how many more there are.
fn limited(all: impl Iterator<Item = Styled>, most: usize, left_out: usize) -> Vec<Styled> {
    let mut all = all.peekable();
    let mut rows: Vec<Styled> = all.by_ref().take(most).collect();
    let more = all.count() as u64;
    if more > 0 {
        let more = counted(more, "more row", "more rows");
        rows.push(Styled::of(Ink::Dim, format!("… {more}")));
    } else if left_out > 0 {
        let more = crate::look::human::size(left_out as u64);
        rows.push(Styled::of(
            Ink::Dim,
            format!("… {more} more; o opens all of it"),
        ));
    }
    rows
}

/// A row in several, when it is too wide. What it means goes on.
fn wrapped(row: Styled, columns: usize) -> Vec<Styled> {
    if row.width() <= columns {
        return vec![row];
    }
    if let [span] = row.spans.as_slice() {
        let pieces = width::wrap(&span.text, columns);
        return pieces.map(|piece| Styled::of(span.ink, piece)).collect();
    }
    let text = row.text();
    let mut pieces = Vec::new();
    let mut at = 0;
    for piece in width::wrap(&text, columns) {
        let from = text[at..].find(piece).map_or(at, |skipped| at + skipped);
        at = from + piece.len();
        pieces.push(cut_out(&row, from, at));
    }
    pieces
}

/// A part of a row, by bytes of its text.
fn cut_out(row: &Styled, from: usize, to: usize) -> Styled {
    let mut part = Styled::default();
    let mut at = 0;
    for span in &row.spans {
        let end = at + span.text.len();
        if end > from && at < to {
            let text = span.text.get(from.max(at) - at..to.min(end) - at);
            part.push(span.ink, text.unwrap_or_default());
        }
        at = end;
    }
    part
}

/// A unified diff has a hunk line, or the head of one.
fn looks_like_diff(text: &str) -> bool {
    let mut lines = text.lines().take(40);
    lines.any(|line| line.starts_with("@@ -") || line.starts_with("diff --git "))
}

fn ink_of_diff(line: &str) -> Ink {
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
                "… 4 more rows"
            ]
        );
        assert_eq!(shown(text, Nature::Prose, 8, Fold::Line), [""; 0]);
        assert_eq!(shown(" \n", Nature::Prose, 8, Fold::Full), [""; 0]);
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
