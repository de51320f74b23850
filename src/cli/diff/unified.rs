//! Both sides in one column.

use std::io;
use std::ops::Range;

use crate::cli::output::{Output, Style};
use crate::look::diff::{Body, BodyLine, Difference, Hunk, Item, Row, Standing, words};
use crate::look::visible;

use super::Comparison;
use super::page::{Span, sign, write_line};

/// What is shown of an item that is the same on both sides, in columns; less where a terminal is
/// narrow.
const EXCERPT: usize = 72;

/// Writes all hunks.
pub fn write(out: &mut Output, comparison: &Comparison, context: usize) -> io::Result<()> {
    let digits = comparison.digits();
    for hunk in comparison.diff.hunks(context) {
        write_line(out, ("", None), "", Vec::new())?;
        let title = Span::new(Some(Style::Cyan), &title(&hunk));
        write_line(out, ("", None), "", vec![title])?;
        for row in hunk.rows {
            write_item(out, comparison, row, digits)?;
            for line in body(comparison, row, context) {
                write_body(out, &line, digits)?;
            }
        }
    }
    Ok(())
}

/// `@@ left 2-7, right 2-9 @@`
pub fn title(hunk: &Hunk<'_>) -> String {
    format!(
        "@@ left {}, right {} @@",
        numbers(&hunk.left),
        numbers(&hunk.right)
    )
}

/// What is inside a row that differs.
pub fn body(comparison: &Comparison, row: &Row, context: usize) -> Vec<BodyLine> {
    match (row, comparison.left_of(row), comparison.right_of(row)) {
        (Row::Changed { .. }, Some(left), Some(right)) => Body::of_change(left, right, context),
        (Row::OnlyLeft { .. }, Some(item), _) => Body::of_one(item, Standing::Left),
        (Row::OnlyRight { .. }, _, Some(item)) => Body::of_one(item, Standing::Right),
        _ => Vec::new(),
    }
}

/// The sign of a row: `-` and `+` for items of one side, `~` for two versions of one.
pub fn sign_of(row: &Row) -> (&'static str, Option<Style>) {
    match row {
        Row::Equal { .. } => sign(Standing::Both),
        Row::Changed { .. } => ("~", Some(Style::Yellow)),
        Row::OnlyLeft { .. } => sign(Standing::Left),
        Row::OnlyRight { .. } => sign(Standing::Right),
    }
}

/// What a row is about: an item with its beginning, or with the fields that differ.
pub fn headline(row: &Row, left: Option<&Item>, right: Option<&Item>, columns: usize) -> Vec<Span> {
    let Some(item) = left.or(right) else {
        return Vec::new();
    };
    let label = words::label(item);
    match (row, left, right) {
        (Row::Equal { .. }, ..) => {
            let text = match item.content.trim_start() {
                "" => label,
                // The excerpt looks no further than it has to.
                content => format!("{label}: {}", visible::excerpt(content, columns)),
            };
            vec![Span {
                style: Some(Style::Dim),
                text: visible::excerpt(&text, columns),
            }]
        }
        (Row::Changed { .. }, Some(left), Some(right)) => {
            let fields = Difference::between(left, right);
            let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
            vec![
                Span::new(Some(Style::Bold), &label),
                Span::new(None, &format!(": {}", fields.join(", "))),
            ]
        }
        _ => vec![Span::new(sign_of(row).1, &label)],
    }
}

/// The line numbers of a row, then two spaces.
fn write_item(
    out: &mut Output,
    comparison: &Comparison,
    row: &Row,
    digits: usize,
) -> io::Result<()> {
    let (left, right) = (comparison.left_of(row), comparison.right_of(row));
    let number = |item: Option<&Item>| item.map(|item| item.line.to_string()).unwrap_or_default();
    let gutter = format!(" {:>digits$} {:>digits$}  ", number(left), number(right));
    let room = out.columns().map_or(EXCERPT, |columns| {
        EXCERPT.min(columns.saturating_sub(gutter.len() + 1))
    });
    write_line(out, sign_of(row), &gutter, headline(row, left, right, room))
}

fn write_body(out: &mut Output, line: &BodyLine, digits: usize) -> io::Result<()> {
    let gutter = " ".repeat(2 * digits + 4);
    match line {
        BodyLine::Text { standing, pieces } => {
            let spans = Span::of_pieces(*standing, pieces, out.columns());
            write_line(out, sign(*standing), &gutter, spans)
        }
        BodyLine::Gap(count) => {
            let text = words::gap(*count);
            write_line(
                out,
                (" ", None),
                &gutter,
                vec![Span::new(Some(Style::Dim), &text)],
            )
        }
    }
}

/// Places of items, counted from 1.
fn numbers(range: &Range<usize>) -> String {
    match range.len() {
        0 => format!("after {}", range.start),
        1 => range.end.to_string(),
        _ => format!("{}-{}", range.start + 1, range.end),
    }
}
