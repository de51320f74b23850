//! Entries in full: a row, and below it everything that the line holds, indented.

use std::io::{self, Write};

use serde_json::value::RawValue;

use crate::canonical::{elements, members};
use crate::look::entry::{Entry, Text, What, calls_of};
use crate::look::{visible, width};
use crate::session::payload::MessageView;

use super::output::{Ink, Output};
use super::rows::Rows;

/// Columns in front of what an entry holds.
const MARGIN: usize = 5;
const STEP: usize = 2;
/// Values nested deeper than this are shown as JSON.
const DEEPEST: usize = 6;
/// Stands in the place of a key in front of the elements of a list.
const ITEM: &str = "-";
/// In front of each line of a text, so that no text can look like a key or a row.
const BAR: &str = "│";
/// Keys and the names of tools take at most so many columns.
const NAME: usize = 40;
/// The same of ids where no screen sets a limit.
const UNLIMITED: usize = 120;
/// On a narrow screen text still takes so many columns.
const LEAST: usize = 30;

/// Writes an entry and what it holds.
pub fn write(out: &mut Output, rows: &mut Rows, entry: &Entry<'_>) -> io::Result<()> {
    rows.write_bare(out, entry)?;
    Full::of(out, MARGIN).entry(entry)?;
    writeln!(out)
}

/// Writes the arguments of a call, one below the other behind so many columns.
pub fn arguments(out: &mut Output, margin: usize, arguments: &str) -> io::Result<()> {
    Full::of(out, margin).arguments(0, arguments)
}

struct Full<'o> {
    out: &'o mut Output,
    margin: usize,
    ink: Ink,
    columns: Option<usize>,
}

impl<'o> Full<'o> {
    fn of(out: &'o mut Output, margin: usize) -> Self {
        Self {
            ink: out.ink(),
            columns: out.columns(),
            margin,
            out,
        }
    }

    fn entry(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        let Some(envelope) = entry.envelope else {
            if let What::Damaged(damage) = &entry.what {
                self.field(0, "damage", &damage.to_string())?;
            }
            return self.block(0, &visible::bytes(entry.bytes));
        };
        if let What::Faulty(fault) = &entry.what {
            self.field(0, "not usable", &fault.to_string())?;
        }
        if let Some(id) = envelope.id() {
            self.field(0, "id", &id)?;
        }
        self.field(0, "ts", &envelope.ts())?;
        match (&entry.what, envelope.payload()) {
            (What::Message(view), Some(payload)) => self.message(view, payload),
            (_, Some(payload)) if payload.starts_with('{') => self.members(0, payload, &[]),
            (_, Some(payload)) => self.value(0, "payload", payload),
            (_, None) => self.members(0, envelope.text(), &["id"]),
        }
    }

    fn message(&mut self, view: &MessageView<'_>, payload: &str) -> io::Result<()> {
        let content = view.content();
        if !content.is_empty() {
            self.block(0, &content)?;
        }
        for call in calls_of(view) {
            let name = visible::excerpt(&call.name, NAME);
            let room = self
                .room(0)
                .map_or(UNLIMITED, |room| room.saturating_sub(NAME + 3));
            let id = visible::excerpt(&call.id, room);
            let ink = self.ink;
            self.indent(0)?;
            writeln!(self.out, "→ {} {}", ink.bold(&name), ink.dim(&id))?;
            self.arguments(1, &call.arguments.whole())?;
        }
        self.members(0, payload, &["role", "content", "tool-calls"])
    }

    /// Arguments are as a rule JSON inside a string.
    fn arguments(&mut self, level: usize, text: &str) -> io::Result<()> {
        match object(text) {
            Some(object) => self.members(level, object, &[]),
            None if text.is_empty() => Ok(()),
            None => self.block(level, text),
        }
    }

    fn members(&mut self, level: usize, object: &str, without: &[&str]) -> io::Result<()> {
        for (key, value) in members(object).into_iter().flatten() {
            let key = Text::Token(key).whole();
            if !without.contains(&key.as_ref()) {
                self.value(level, &key, value)?;
            }
        }
        Ok(())
    }

    fn value(&mut self, level: usize, key: &str, value: &str) -> io::Result<()> {
        let text = Text::of_json(value).whole();
        let inner = match value.starts_with('"') {
            true => object(&text).filter(|_| key == "arguments"),
            false => Some(value),
        };
        let is_nested = |text: &str| text.starts_with('{') || text.starts_with('[');
        match inner.filter(|inner| is_nested(inner) && level < DEEPEST && !is_flat(inner)) {
            None => self.field(level, key, &text),
            Some(inner) => {
                self.key(level, key)?;
                writeln!(self.out)?;
                if inner.starts_with('{') {
                    return self.members(level + 1, inner, &[]);
                }
                elements(inner)
                    .into_iter()
                    .flatten()
                    .try_for_each(|element| self.value(level + 1, ITEM, element))
            }
        }
    }

    /// A text behind its key, or below it when it has several lines or does not fit.
    fn field(&mut self, level: usize, key: &str, text: &str) -> io::Result<()> {
        let text = text.trim_end_matches('\n');
        let room = self
            .room(level)
            .map(|room| room.saturating_sub(key.len() + 2));
        let fits = room.is_none_or(|room| width::width(&visible::one_line(text)) <= room);
        self.key(level, key)?;
        if text.contains('\n') || !fits {
            writeln!(self.out)?;
            return self.block(level + 1, text);
        }
        writeln!(self.out, " {}", visible::one_line(text))
    }

    fn key(&mut self, level: usize, key: &str) -> io::Result<()> {
        self.indent(level)?;
        let colon = if key == ITEM { "" } else { ":" };
        let key = [&visible::excerpt(key, NAME), colon].concat();
        write!(self.out, "{}", self.ink.dim(&key))
    }

    /// Lines one below the other, each behind a bar.
    fn block(&mut self, level: usize, text: &str) -> io::Result<()> {
        let text = visible::lines(text.trim_end_matches('\n'));
        let rows: Box<dyn Iterator<Item = &str>> = match self.room(level) {
            Some(room) => Box::new(width::wrap(&text, room.saturating_sub(2))),
            None => Box::new(text.split('\n')),
        };
        let bar = self.ink.dim(BAR).to_string();
        for row in rows {
            self.indent(level)?;
            match row {
                "" => writeln!(self.out, "{bar}")?,
                row => writeln!(self.out, "{bar} {row}")?,
            }
        }
        Ok(())
    }

    fn indent(&mut self, level: usize) -> io::Result<()> {
        write!(self.out, "{:1$}", "", self.margin + level * STEP)
    }

    fn room(&self, level: usize) -> Option<usize> {
        let taken = self.margin + level * STEP;
        self.columns
            .map(|columns| columns.saturating_sub(taken).max(LEAST))
    }
}

/// The text, if it is a JSON object.
fn object(text: &str) -> Option<&str> {
    let text = text.trim_ascii();
    let is_json = || serde_json::from_str::<&RawValue>(text).is_ok();
    (text.starts_with('{') && is_json()).then_some(text)
}

/// Whether a value is said best as JSON in one line: a list without objects and lists in it, or
/// nothing at all.
fn is_flat(value: &str) -> bool {
    match elements(value) {
        Some(mut elements) => elements.all(|element| !element.starts_with(['{', '['])),
        None => members(value).is_none_or(|mut members| members.next().is_none()),
    }
}
