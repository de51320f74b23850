//! The sides beside each other.

use std::io::{self, Write};

use crate::cli::output::{Output, Style};
use crate::look::diff::{BodyLine, Item, Row, Standing, words};
use crate::look::visible;

use super::Comparison;
use super::page::{Span, fold, width_of, write_row};
use super::unified;

/// The width of the output where no terminal tells one.
const COLUMNS: usize = 132;
/// A column is not made narrower than this.
const NARROWEST: usize = 16;
/// In front of what is inside an item.
const INDENT: &str = "  ";
/// A space, a sign and a space stand between the columns.
const BETWEEN: usize = 3;

/// Writes all hunks.
pub fn write(out: &mut Output, comparison: &Comparison, context: usize) -> io::Result<()> {
    let columns = out.columns().unwrap_or(COLUMNS);
    let column = (columns.saturating_sub(BETWEEN) / 2).max(NARROWEST);
    let mut page = Page { out, column };
    for hunk in comparison.diff.hunks(context) {
        writeln!(page.out)?;
        let title = Span::new(Some(Style::Cyan), &unified::title(&hunk));
        write_row(page.out, &[title])?;
        writeln!(page.out)?;
        for row in hunk.rows {
            let (left, right) = (comparison.left_of(row), comparison.right_of(row));
            let mark = unified::sign_of(row);
            page.pair(page.headline(row, left), mark, page.headline(row, right))?;
            page.body(&unified::body(comparison, row, context))?;
        }
    }
    Ok(())
}

/// A sign and how it is painted.
type Mark = (&'static str, Option<Style>);

struct Page<'a> {
    out: &'a mut Output,
    column: usize,
}

impl Page<'_> {
    fn headline(&self, row: &Row, item: Option<&Item>) -> Vec<Span> {
        let Some(item) = item else {
            return Vec::new();
        };
        let label = format!("{} {}", item.line, words::label(item));
        let (text, style) = match row {
            Row::Equal { .. } => {
                let content = visible::excerpt(item.content.trim_start(), self.column);
                (format!("{label}: {content}"), Style::Dim)
            }
            _ => (label, Style::Bold),
        };
        let text = visible::excerpt(text.trim_end_matches(": "), self.column);
        vec![Span::new(Some(style), &text)]
    }

    /// Lines of both sides stand beside themselves; a run of left lines beside the right lines
    /// that follow it.
    fn body(&mut self, lines: &[BodyLine]) -> io::Result<()> {
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        for line in lines {
            match line {
                BodyLine::Text {
                    standing: Standing::Left,
                    pieces,
                } => {
                    if !rights.is_empty() {
                        self.beside(&mut lefts, &mut rights)?;
                    }
                    lefts.push(self.spans(Standing::Left, pieces));
                }
                BodyLine::Text {
                    standing: Standing::Right,
                    pieces,
                } => rights.push(self.spans(Standing::Right, pieces)),
                BodyLine::Text { pieces, .. } => {
                    self.beside(&mut lefts, &mut rights)?;
                    let spans = self.spans(Standing::Both, pieces);
                    self.pair(spans.clone(), (" ", None), spans)?;
                }
                BodyLine::Gap(count) => {
                    self.beside(&mut lefts, &mut rights)?;
                    let gap = Span::new(Some(Style::Dim), &words::gap(*count));
                    let gap = vec![Span::new(None, INDENT), gap];
                    self.pair(gap.clone(), (" ", None), gap)?;
                }
            }
        }
        self.beside(&mut lefts, &mut rights)
    }

    fn spans(&self, standing: Standing, pieces: &[(bool, String)]) -> Vec<Span> {
        let columns = self.out.is_terminal().then_some(self.column);
        let mut spans = Span::of_pieces(standing, pieces, columns);
        if !spans.is_empty() {
            spans.insert(0, Span::new(None, INDENT));
        }
        spans
    }

    fn beside(
        &mut self,
        lefts: &mut Vec<Vec<Span>>,
        rights: &mut Vec<Vec<Span>>,
    ) -> io::Result<()> {
        let (mut left, mut right) = (lefts.drain(..), rights.drain(..));
        loop {
            match (left.next(), right.next()) {
                (None, None) => return Ok(()),
                (left, None) => self.pair(
                    left.unwrap_or_default(),
                    ("-", Some(Style::Red)),
                    Vec::new(),
                )?,
                (None, right) => self.pair(
                    Vec::new(),
                    ("+", Some(Style::Green)),
                    right.unwrap_or_default(),
                )?,
                (Some(left), Some(right)) => {
                    self.pair(left, ("~", Some(Style::Yellow)), right)?;
                }
            }
        }
    }

    fn pair(&mut self, left: Vec<Span>, mark: Mark, right: Vec<Span>) -> io::Result<()> {
        let mut lefts = fold(left, Some(self.column)).into_iter();
        let mut rights = fold(right, Some(self.column)).into_iter();
        loop {
            let (left, right) = match (lefts.next(), rights.next()) {
                (None, None) => return Ok(()),
                (left, right) => (left.unwrap_or_default(), right.unwrap_or_default()),
            };
            write_row(self.out, &left)?;
            if !right.is_empty() || mark.0 != " " {
                let fill = self.column.saturating_sub(width_of(&left)) + 1;
                write!(self.out, "{}", " ".repeat(fill))?;
                write_row(self.out, &[Span::new(mark.1, mark.0)])?;
            }
            if !right.is_empty() {
                write!(self.out, " ")?;
                write_row(self.out, &right)?;
            }
            writeln!(self.out)?;
        }
    }
}
