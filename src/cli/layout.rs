//! Text in rows: indented, and wrapped where the output has a width.

use std::io::{self, Write};

use crate::look::{visible, width};

use super::output::{Output, Style};

/// A row gets at least this many columns, however narrow the terminal is.
const LEAST: usize = 20;

/// Writes `text` from a transcript, line by line, each row behind `indent` spaces.
pub fn block(out: &mut Output, indent: usize, text: &str) -> io::Result<()> {
    let room = room(out, indent);
    for row in width::wrap(&visible::lines(text), room) {
        match row.is_empty() {
            true => writeln!(out)?,
            false => writeln!(out, "{:indent$}{row}", "")?,
        }
    }
    Ok(())
}

/// Writes one paragraph behind a label, its further rows below the first. The label is taken as it
/// is; it may be painted, so its width is given.
pub fn hanging(
    out: &mut Output,
    label: impl std::fmt::Display,
    label_width: usize,
    text: &str,
    style: Option<Style>,
) -> io::Result<()> {
    let (ink, room) = (out.ink(), room(out, label_width));
    for (number, row) in width::wrap(&visible::one_line(text), room).enumerate() {
        match number {
            0 => write!(out, "{label}")?,
            _ => write!(out, "{:label_width$}", "")?,
        }
        match style {
            Some(style) => writeln!(out, "{}", ink.paint(style, row))?,
            None => writeln!(out, "{row}")?,
        }
    }
    Ok(())
}

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
