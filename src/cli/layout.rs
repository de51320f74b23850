//! Text in rows: indented, and wrapped where the output has a width.

use std::io::{self, Write};

use crate::look::{visible, width};

use super::output::{Output, Style};

/// A row gets at least this many columns, however narrow the terminal is.
const LEAST: usize = 20;

/// In front of each row of a text, so that no text can look like something else.
const BAR: &str = "│";

/// Writes `text` from a transcript, line by line, each row behind `indent` spaces and a bar.
pub fn block(out: &mut Output, indent: usize, text: &str) -> io::Result<()> {
    let text = visible::lines(text.strip_suffix('\n').unwrap_or(text));
    let bar = out.ink().dim(BAR).to_string();
    let rows: Box<dyn Iterator<Item = &str>> = match out.columns() {
        Some(_) => Box::new(width::wrap(&text, room(out, indent + 2))),
        None => Box::new(text.split('\n')),
    };
    for row in rows {
        match row {
            "" => writeln!(out, "{:indent$}{bar}", "")?,
            row => writeln!(out, "{:indent$}{bar} {row}", "")?,
        }
    }
    Ok(())
}

/// Writes one paragraph behind a label, its further rows below the first. Where the label takes
/// more than half of the columns, a paragraph that does not fit beside it stands below it. The
/// label is taken as it is; it may be painted, so its width is given.
pub fn hanging(
    out: &mut Output,
    label: &str,
    label_width: usize,
    text: &str,
    style: Option<Style>,
) -> io::Result<()> {
    let (ink, text) = (out.ink(), visible::one_line(text));
    let below = out.columns().is_some_and(|columns| {
        label_width > columns / 2 && label_width + width::width(&text) > columns
    });
    let indent = if below { BELOW } else { label_width };
    let rows: Box<dyn Iterator<Item = &str>> = match out.columns() {
        Some(_) => Box::new(width::wrap(&text, room(out, indent))),
        None => Box::new(std::iter::once(text.as_ref())),
    };
    match below {
        true => writeln!(out, "{}", label.trim_end())?,
        false => write!(out, "{label}")?,
    }
    for (number, row) in rows.enumerate() {
        if number > 0 || below {
            write!(out, "{:indent$}", "")?;
        }
        match style {
            Some(style) => writeln!(out, "{}", ink.paint(style, row))?,
            None => writeln!(out, "{row}")?,
        }
    }
    Ok(())
}

/// How far a paragraph below its label is indented.
const BELOW: usize = 8;

/// Writes short texts one after the other, as many in a row as fit.
pub fn facts(out: &mut Output, indent: usize, facts: &[String]) -> io::Result<()> {
    let (ink, room) = (out.ink(), room(out, indent));
    let mut rows: Vec<String> = Vec::new();
    for fact in facts {
        match rows.last_mut() {
            Some(row) if width::width(row) + SEPARATOR.len() + width::width(fact) <= room => {
                row.push_str(SEPARATOR);
                row.push_str(fact);
            }
            _ => rows.push(fact.clone()),
        }
    }
    for row in rows {
        writeln!(out, "{:indent$}{}", "", ink.dim(&row))?;
    }
    Ok(())
}

const SEPARATOR: &str = ", ";

/// Columns that are left behind an indentation; without a terminal no row ends before its line.
fn room(out: &Output, indent: usize) -> usize {
    out.columns().map_or(usize::MAX, |columns| {
        columns.saturating_sub(indent).max(LEAST)
    })
}
