//! Lines of styled text, in the width there is.

use std::io::{self, Write};

use unicode_segmentation::UnicodeSegmentation;

use crate::cli::output::{Output, Style};
use crate::cli::time;
use crate::look::diff::Standing;
use crate::look::visible;
use crate::look::width;

/// A piece of a line in visible form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// How it is painted, where there is colour.
    pub style: Option<Style>,
    /// Its text.
    pub text: String,
}

/// On a terminal, of a piece that is far longer than this many rows the middle is left out.
const LONGEST_PIECE: usize = 4;

impl Span {
    /// Text that passes [`visible::one_line`] here.
    pub fn new(style: Option<Style>, text: &str) -> Self {
        Self {
            style,
            text: visible::one_line(text).into_owned(),
        }
    }

    /// The pieces of a line of text. What makes it different stands in `[-…-]` or `{+…+}`, and is
    /// what is painted; without such a part all of a line of one side is.
    pub fn of_pieces(
        standing: Standing,
        pieces: &[(bool, String)],
        columns: Option<usize>,
    ) -> Vec<Self> {
        let (style, open, close) = match standing {
            Standing::Both => (None, "", ""),
            Standing::Left => (Some(Style::Red), "[-", "-]"),
            Standing::Right => (Some(Style::Green), "{+", "+}"),
        };
        let any_emphasised = pieces.iter().any(|(emphasised, _)| *emphasised);
        let span = |(emphasised, text): &(bool, String)| {
            let text = clipped(text, columns);
            match emphasised {
                true => Self::new(style, &format!("{open}{text}{close}")),
                false => Self::new(style.filter(|_| !any_emphasised), &text),
            }
        };
        let pieces = pieces.iter().filter(|(_, text)| !text.is_empty());
        pieces.map(span).collect()
    }
}

/// The sign of a line that one side has, or both.
pub fn sign(standing: Standing) -> (&'static str, Option<Style>) {
    match standing {
        Standing::Both => (" ", None),
        Standing::Left => ("-", Some(Style::Red)),
        Standing::Right => ("+", Some(Style::Green)),
    }
}

fn clipped(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns else {
        return text.to_owned();
    };
    let longest = columns * LONGEST_PIECE;
    if text.len() <= 2 * longest {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(longest / 2);
    let tail = text.ceil_char_boundary(text.len() - longest / 2);
    let left_out = time::size((tail - head) as u64);
    format!("{} … {left_out} … {}", &text[..head], &text[tail..])
}

/// Breaks a line into rows of at most so many columns, between clusters. An empty line is one row.
pub fn fold(spans: Vec<Span>, columns: Option<usize>) -> Vec<Vec<Span>> {
    let Some(columns) = columns else {
        return vec![spans];
    };
    let mut rows = vec![Vec::new()];
    let mut used = 0;
    for span in spans {
        let mut start = 0;
        for (at, cluster) in span.text.grapheme_indices(true) {
            let wide = width::width(cluster);
            if used + wide > columns && used > 0 {
                push(&mut rows, span.style, &span.text[start..at]);
                rows.push(Vec::new());
                (start, used) = (at, 0);
            }
            used += wide;
        }
        push(&mut rows, span.style, &span.text[start..]);
    }
    rows
}

fn push(rows: &mut [Vec<Span>], style: Option<Style>, text: &str) {
    if let Some(row) = rows.last_mut().filter(|_| !text.is_empty()) {
        row.push(Span {
            style,
            text: text.to_owned(),
        });
    }
}

/// How many columns the spans of a row take.
pub fn width_of(row: &[Span]) -> usize {
    row.iter().map(|span| width::width(&span.text)).sum()
}

/// Writes the spans of a row, without a line feed.
pub fn write_row(out: &mut Output, row: &[Span]) -> io::Result<()> {
    let ink = out.ink();
    for span in row {
        match span.style {
            Some(style) => write!(out, "{}", ink.paint(style, &span.text))?,
            None => out.write_all(span.text.as_bytes())?,
        }
    }
    Ok(())
}

/// Writes a line with a sign in the first column and `gutter` behind it. What does not fit goes on
/// below, with the same sign, as far in as the first row.
pub fn write_line(
    out: &mut Output,
    (sign, style): (&str, Option<Style>),
    gutter: &str,
    spans: Vec<Span>,
) -> io::Result<()> {
    let taken = 1 + width::width(gutter);
    let room = out
        .columns()
        .map(|columns| columns.saturating_sub(taken).max(8));
    let blank = " ".repeat(taken - 1);
    for (index, row) in fold(spans, room).into_iter().enumerate() {
        let gutter = if index == 0 { gutter } else { &blank };
        let front = format!("{sign}{gutter}");
        // A line without text has no white space at its end.
        let front = match row.is_empty() {
            true => front.trim_end(),
            false => &front,
        };
        write_row(out, &[Span::new(style, front)])?;
        write_row(out, &row)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &[(bool, &str)]) -> Vec<(bool, String)> {
        let owned = text
            .iter()
            .map(|(emphasised, text)| (*emphasised, (*text).to_owned()));
        owned.collect()
    }

    fn span(style: Option<Style>, text: &str) -> Span {
        let text = text.to_owned();
        Span { style, text }
    }

    #[test]
    fn what_makes_a_line_different_is_marked_without_colour_too() {
        let line = pieces(&[(false, "a "), (true, "b\x1b"), (false, "")]);
        assert_eq!(
            Span::of_pieces(Standing::Right, &line, None),
            [span(None, "a "), span(Some(Style::Green), "{+b␛+}")]
        );
        let whole = pieces(&[(false, "all")]);
        assert_eq!(
            Span::of_pieces(Standing::Left, &whole, None),
            [span(Some(Style::Red), "all")]
        );
    }

    #[test]
    fn a_long_line_goes_on_below_between_clusters() {
        let spans = || vec![span(None, "ab日"), span(Some(Style::Red), "👩‍👩‍👧‍👦cd")];
        let red = Some(Style::Red);
        assert_eq!(
            fold(spans(), Some(4)),
            [vec![span(None, "ab日")], vec![span(red, "👩‍👩‍👧‍👦cd")],]
        );
        assert_eq!(
            fold(spans(), Some(3)),
            [
                vec![span(None, "ab")],
                vec![span(None, "日")],
                vec![span(red, "👩‍👩‍👧‍👦c")],
                vec![span(red, "d")],
            ]
        );
        assert_eq!(fold(spans(), None), [spans()]);
        assert_eq!(fold(Vec::new(), Some(4)), [Vec::<Span>::new()]);
    }

    #[test]
    fn of_a_piece_of_many_rows_a_terminal_shows_the_ends() {
        let text = format!("{}{}", "a".repeat(1_000), "é".repeat(1_000));
        assert_eq!(clipped(&text, None), text);
        assert_eq!(
            clipped(&text, Some(10)),
            format!("{} … 2.9 kB … {}", "a".repeat(20), "é".repeat(10))
        );
    }
}
