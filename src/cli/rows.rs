//! Entries as rows: one line each, in columns.
//!
//! ```text
//!    4 17:03:53           user       Release tally 0.4.0: changelog, release notes, upl…
//!    5 17:03:55  +2.4s    assistant  I'll see what went in since 0.3.2. → shell, read_f…
//! ```
//!
//! Line, time of day, time since the line before where it is a second or more (or the date, where
//! it changes), a mark, what the line is, and what it says.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use crate::look::check::Report;
use crate::look::entry::{Entry, Mark, What};
use crate::look::{visible, width};
use crate::message::Role;
use crate::session::operations::CallState;

use super::output::{Ink, Output, Style};
use super::time::counted;

/// How many columns the text of a row takes where no screen sets a limit.
const UNLIMITED: usize = 120;
/// Where less than this is left for the text, a row goes without its gap.
const ENOUGH: usize = 20;
/// So many columns of text are shown however narrow the screen is.
const LEAST: usize = 8;
const TIME: usize = 8;
const GAP: usize = 6;
const LABEL: usize = 10;

/// Writes rows, in file order.
pub struct Rows {
    remarks: Remarks,
    ink: Ink,
    numbers: usize,
    shows_gap: bool,
    text: usize,
    before: Option<DateTime<Utc>>,
    date: Option<NaiveDate>,
}

impl Rows {
    /// Rows for this output, whose line numbers are expected to take `digits` columns.
    pub fn new(out: &Output, digits: usize, remarks: Remarks) -> Self {
        let numbers = digits.max(4);
        let taken = numbers + 1 + TIME + 1 + 1 + 1 + LABEL + 1;
        let room = out.columns().map(|columns| columns.saturating_sub(taken));
        let shows_gap = room.is_none_or(|room| room > ENOUGH + GAP);
        let text = match room {
            Some(room) if shows_gap => room - GAP - 1,
            Some(room) => room.max(LEAST),
            None => UNLIMITED,
        };
        Self {
            remarks,
            ink: out.ink(),
            numbers,
            shows_gap,
            text,
            before: None,
            date: None,
        }
    }

    /// Takes note of an entry that is not shown.
    pub fn skip(&mut self, entry: &Entry<'_>) {
        self.before = entry.time.or(self.before);
    }

    /// Writes an entry's row.
    pub fn write(&mut self, out: &mut impl Write, entry: &Entry<'_>) -> io::Result<()> {
        self.write_with(out, entry, self.text)
    }

    /// Writes the row without what the entry says.
    pub fn write_bare(&mut self, out: &mut impl Write, entry: &Entry<'_>) -> io::Result<()> {
        self.write_with(out, entry, 0)
    }

    fn write_with(
        &mut self,
        out: &mut impl Write,
        entry: &Entry<'_>,
        columns: usize,
    ) -> io::Result<()> {
        let number = match entry.line {
            0 => format!("@{}", entry.offset),
            line => line.to_string(),
        };
        let number = width::pad_left(&number, self.numbers);
        let time = width::pad(&time_of(entry), TIME);
        let gap = match self.shows_gap {
            true => format!(" {}", width::pad_left(&self.gap(entry), GAP)),
            false => String::new(),
        };
        let mark = self.remarks.mark(entry);
        let glyph = mark.map_or(' ', Mark::glyph).to_string();
        let text = match columns {
            0 => String::new(),
            columns => self.text_of(entry, columns),
        };
        let label = visible::excerpt(&entry.label(), LABEL);
        let label = width::pad(&label, if text.is_empty() { 0 } else { LABEL });
        let ink = self.ink;
        let (style, weak) = style_of(entry, mark);
        write!(out, "{} ", ink.dim(&format!("{number} {time}{gap}")))?;
        match style {
            Some(style) if mark.is_none() => write!(out, "  {}", ink.paint(style, &label))?,
            Some(style) => write!(out, "{}", ink.paint(style, &[glyph, label].join(" ")))?,
            None => write!(out, "{glyph} {label}")?,
        }
        match text.as_str() {
            "" => writeln!(out),
            text if weak => writeln!(out, " {}", ink.dim(text)),
            text => writeln!(out, " {text}"),
        }
    }

    fn text_of(&self, entry: &Entry<'_>, columns: usize) -> String {
        match self.remarks.open.get(&entry.line) {
            None => entry.phrase(columns),
            Some(remark) => {
                let remark = visible::excerpt(remark, columns / 2);
                let room = columns.saturating_sub(width::width(&remark) + 3);
                format!("({remark}) {}", entry.phrase(room))
            }
        }
    }

    /// The date where it changes; otherwise the time since the line before.
    fn gap(&mut self, entry: &Entry<'_>) -> String {
        let Some(time) = entry.time else {
            return String::new();
        };
        let before = self.before.replace(time);
        let date = time.date_naive();
        if self.date.replace(date) != Some(date) {
            return time.format("%-d %b").to_string();
        }
        before.map_or_else(String::new, |before| {
            since(time.signed_duration_since(before))
        })
    }
}

/// What is known of lines beyond what they say themselves.
#[derive(Debug, Default)]
pub struct Remarks {
    open: HashMap<u64, String>,
    problems: HashSet<u64>,
}

impl Remarks {
    /// What a check has found out.
    pub fn of(report: &Report) -> Self {
        let mut remarks = Self::default();
        let mut turns: HashMap<u64, (CallState, u64)> = HashMap::new();
        for call in &report.open_calls {
            match call.operation {
                Some(_) => {
                    let state = in_words(call.state).to_owned();
                    remarks.open.insert(call.line, state);
                }
                None => turns.entry(call.line).or_insert((call.state, 0)).1 += 1,
            }
        }
        for (line, (state, calls)) in turns {
            let calls = counted(calls, "call", "calls");
            let remark = format!("{calls} {}", in_words(state));
            remarks.open.insert(line, remark);
        }
        let lines = report.problems.iter().map(|problem| problem.line);
        remarks.problems.extend(lines);
        remarks
    }

    fn mark(&self, entry: &Entry<'_>) -> Option<Mark> {
        if self.problems.contains(&entry.line) {
            return Some(Mark::Damaged);
        }
        let open = self.open.contains_key(&entry.line);
        entry.mark().or(open.then_some(Mark::Open))
    }
}

/// The state of a call, short enough for a row.
fn in_words(state: CallState) -> &'static str {
    match state {
        CallState::NeverDispatched => "never dispatched",
        CallState::WasRunning => "was running",
        CallState::FinishedNotSettled => "finished, not settled",
        CallState::Unrecorded => "without an answer",
    }
}

/// The time of day; a `ts` that is no time is shown as far as it goes.
fn time_of(entry: &Entry<'_>) -> String {
    match (entry.time, entry.envelope) {
        (Some(time), _) => time.format("%H:%M:%S").to_string(),
        (None, Some(envelope)) => visible::excerpt(&envelope.ts(), TIME),
        (None, None) => String::new(),
    }
}

/// In at most [`GAP`] columns; nothing below a second.
fn since(gap: TimeDelta) -> String {
    let sign = if gap < TimeDelta::zero() { '-' } else { '+' };
    let seconds = gap.num_seconds().unsigned_abs();
    let tenths = gap.num_milliseconds().unsigned_abs() / 100 % 10;
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match seconds {
        0 => String::new(),
        1..60 => format!("{sign}{seconds}.{tenths}s"),
        60..600 => format!("{sign}{minutes}m{:02}s", seconds % 60),
        600..3_600 => format!("{sign}{minutes}m"),
        3_600..36_000 => format!("{sign}{hours}h{:02}m", minutes % 60),
        36_000..86_400 => format!("{sign}{hours}h"),
        _ => format!("{sign}{days}d"),
    }
}

/// How the label is painted, and whether the text is of less interest. Lines that only keep books
/// stand back behind the conversation.
fn style_of(entry: &Entry<'_>, mark: Option<Mark>) -> (Option<Style>, bool) {
    let books = matches!(
        entry.what,
        What::Meta(_)
            | What::Grants(_)
            | What::Dispatched(_)
            | What::Settled(_)
            | What::RunContext(_)
            | What::Other(_)
    );
    match (mark, entry.role()) {
        (Some(Mark::Error | Mark::Damaged), _) => (Some(Style::Red), books),
        (Some(Mark::Open | Mark::OutcomeUnknown), _) => (Some(Style::Yellow), false),
        (Some(Mark::Folded), _) => (Some(Style::Green), false),
        (None, Some(Role::User)) => (Some(Style::Cyan), false),
        (None, Some(Role::Assistant)) => (Some(Style::Bold), false),
        (None, Some(Role::System)) => (Some(Style::Dim), true),
        (None, Some(Role::Tool)) => (None, false),
        (None, None) => (Some(Style::Dim), books),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_fits_its_column_and_a_short_one_is_not_shown() {
        let cases = [
            (999, ""),
            (1_000, "+1.0s"),
            (59_999, "+59.9s"),
            (61_000, "+1m01s"),
            (600_000, "+10m"),
            (3_720_000, "+1h02m"),
            (36_000_000, "+10h"),
            (90_000_000_000, "+1041d"),
            (-2_400, "-2.4s"),
            (-300, ""),
        ];
        for (millis, expected) in cases {
            assert_eq!(since(TimeDelta::milliseconds(millis)), expected, "{millis}");
            assert!(expected.len() <= GAP);
        }
    }
}
