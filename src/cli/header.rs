//! What a transcript amounts to, on top of its entries: what happened, and is it finished?

use std::io::{self, Write};
use std::path::Path;

use chrono::{DateTime, Utc};

use crate::Json;
use crate::look::check::{Health, Problem};
use crate::look::entry::{Mark, Text};

use crate::look::summary::{Progress, Summary, Tally, Tokens, ToolUse};
use crate::look::{visible, width};
use crate::session::operations::{CallState, OpenCall};

use super::output::{Ink, Output, Style};
use super::source::is_piped;
use super::time::{count, counted, duration, moment, size, stamp};

/// How many open calls, and how many problems, are listed.
const LISTED: usize = 12;
/// The columns of the names on the left, and the space around them.
const MARGIN: usize = 11;
/// Where lines are broken when no screen says where.
const UNLIMITED: usize = 100;

/// Writes the header. `path` is what the file is called, `now` is the present moment.
pub fn write(
    out: &mut Output,
    path: &Path,
    summary: &Summary,
    now: DateTime<Utc>,
) -> io::Result<()> {
    let mut header = Header {
        ink: out.ink(),
        columns: out.columns().unwrap_or(UNLIMITED),
        out,
    };
    let report = &summary.report;
    let lines = counted(report.lines, "line", "lines");
    let ink = header.ink;
    let name = visible::path(path);
    writeln!(
        header.out,
        "{}  {}, {lines}",
        ink.bold(&name),
        size(report.size)
    )?;
    header.meta(&summary.meta)?;
    writeln!(header.out)?;
    header.painted("state", style_of(summary), &state(summary, now))?;
    header.time(summary, now)?;
    header.counts(summary)?;
    header.tokens(&summary.counts.tokens)?;
    header.list("tools", tools(&summary.counts.tools))?;
    header.open(&report.open_calls)?;
    header.problems("damage", Style::Red, &report.problems)?;
    header.problems("note", Style::Yellow, &report.notes)?;
    match header.out.quiet() {
        true => Ok(()),
        false => header.next(path, summary),
    }
}

struct Header<'o> {
    out: &'o mut Output,
    ink: Ink,
    columns: usize,
}

impl Header<'_> {
    /// A name on the left, and text that goes on below itself.
    fn row(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.rows(name, None, text)
    }

    /// Items that are not torn apart where the list is broken.
    fn list(&mut self, name: &str, items: Vec<String>) -> io::Result<()> {
        let room = self.room();
        let mut rows: Vec<String> = Vec::new();
        for (place, item) in items.iter().enumerate() {
            let comma = if place + 1 < items.len() { "," } else { "" };
            let item = [item, comma].concat();
            match rows.last_mut() {
                Some(row) if width::width(row) + 1 + width::width(&item) <= room => {
                    row.push(' ');
                    row.push_str(&item);
                }
                _ => rows.push(item),
            }
        }
        let mut name = name;
        for row in rows {
            self.row(name, &row)?;
            name = "";
        }
        Ok(())
    }

    fn room(&self) -> usize {
        self.columns.saturating_sub(MARGIN).max(20)
    }

    fn painted(&mut self, name: &str, style: Style, text: &str) -> io::Result<()> {
        self.rows(name, Some(style), text)
    }

    fn rows(&mut self, name: &str, style: Option<Style>, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let text = visible::one_line(text);
        let mut name = name;
        for row in width::wrap(&text, self.room()) {
            let left = width::pad(name, MARGIN - 2);
            write!(self.out, "  {}", self.ink.dim(&left))?;
            match style {
                Some(style) => writeln!(self.out, "{}", self.ink.paint(style, row))?,
                None => writeln!(self.out, "{row}")?,
            }
            name = "";
        }
        Ok(())
    }

    /// What the run says about itself: who and where first, then what else is short.
    fn meta(&mut self, meta: &Json) -> io::Result<()> {
        let mut parts: Vec<String> = Vec::new();
        let entries = meta.entries().unwrap_or_default();
        let known = ["agent", "model", "cwd"];
        for key in known {
            let value = entries.iter().find(|(name, _)| name == key);
            parts.extend(value.map(|(_, value)| Text::of_json(value.text()).excerpt(self.columns)));
        }
        let rest = entries
            .iter()
            .filter(|(name, _)| !known.contains(&name.as_str()));
        for (name, value) in rest.take(LISTED) {
            let value = Text::of_json(value.text()).excerpt(30);
            parts.push(format!("{}: {value}", Text::Plain(name).excerpt(30)));
        }
        let line = parts.join(" · ");
        if line.is_empty() {
            return Ok(());
        }
        writeln!(
            self.out,
            "{}",
            self.ink.dim(&width::truncate(&line, self.columns))
        )
    }

    fn time(&mut self, summary: &Summary, now: DateTime<Utc>) -> io::Result<()> {
        let Some((first, last)) = summary.counts.span else {
            return Ok(());
        };
        let mut text = stamp(first);
        if first != last {
            let end = stamp(last);
            let same_day = first.date_naive() == last.date_naive();
            let end = if same_day {
                last.format("%H:%M:%SZ").to_string()
            } else {
                end
            };
            text = format!("{text} to {end}");
            if let Ok(lasted) = (last - first).to_std() {
                text = format!("{text}, {}", duration(lasted));
            }
        }
        let age = now.signed_duration_since(last);
        if age.num_hours() < 1 && age.num_seconds() >= 0 {
            text = format!("{text}; last entry {}", moment(last, now));
        }
        self.row("time", &text)
    }

    fn counts(&mut self, summary: &Summary) -> io::Result<()> {
        let counts = &summary.counts;
        let item = |name: &str, number: u64| format!("{name} {}", count(number));
        let named = counts.types.named().iter();
        let mut types: Vec<String> = named
            .map(|(name, number)| item(&Text::Plain(name).excerpt(30), *number))
            .collect();
        types.extend(counts.types.others().map(|others| item("others", *others)));
        self.list("entries", types)?;
        let roles = ["system", "user", "assistant", "tool"]
            .into_iter()
            .zip(counts.roles);
        let roles = roles.filter(|(_, number)| *number > 0);
        self.list(
            "messages",
            roles.map(|(role, number)| item(role, number)).collect(),
        )
    }

    fn tokens(&mut self, tokens: &Tokens) -> io::Result<()> {
        let mut parts = Vec::new();
        if let Some(prompt) = tokens.prompt {
            let cached = tokens
                .cached
                .map(|cached| format!(" ({} cached)", count(cached)));
            parts.push(format!(
                "{} prompt{}",
                count(prompt),
                cached.unwrap_or_default()
            ));
        }
        parts.extend(
            tokens
                .completion
                .map(|number| format!("{} completion", count(number))),
        );
        parts.extend(tokens.cost.map(|cost| format!("cost {}", money(cost))));
        self.row("tokens", &parts.join(", "))
    }

    fn open(&mut self, calls: &[OpenCall]) -> io::Result<()> {
        let listed = || calls.iter().take(LISTED);
        let widest = listed().map(|call| width::width(&tool_of(call))).max();
        let mut name = "open";
        for call in listed() {
            let tool = width::pad(&tool_of(call), widest.unwrap_or_default());
            let text = format!(
                "{} line {:<4} {tool}  {}",
                Mark::Open.glyph(),
                call.line,
                what_is_known(call.state)
            );
            self.painted(name, Style::Yellow, &text)?;
            name = "";
        }
        self.unlisted(calls.len(), "pending")
    }

    fn problems(&mut self, name: &str, style: Style, problems: &[Problem]) -> io::Result<()> {
        let mut sorted: Vec<&Problem> = problems.iter().collect();
        sorted.sort_by_key(|problem| problem.line);
        let mut name = name;
        for problem in sorted.into_iter().take(LISTED) {
            let (glyph, kind) = (Mark::Damaged.glyph(), problem.kind);
            let what = Text::Plain(&problem.message).excerpt(200);
            let text = format!("{glyph} line {:<4} {kind}: {what}", problem.line);
            self.painted(name, style, &text)?;
            name = "";
        }
        self.unlisted(problems.len(), "check")
    }

    fn unlisted(&mut self, all: usize, command: &str) -> io::Result<()> {
        match all.checked_sub(LISTED) {
            None | Some(0) => Ok(()),
            Some(more) => self.row("", &format!("and {more} more; `sess {command}` lists them")),
        }
    }

    /// What can be done about it.
    fn next(&mut self, name: &Path, summary: &Summary) -> io::Result<()> {
        let file = spelt(name);
        let mut next = Vec::new();
        if !summary.report.open_calls.is_empty() {
            next.push((
                format!("sess pending {file}"),
                "what is known of the open calls",
            ));
        }
        match summary.report.health {
            Health::TornTail => {
                next.push((
                    format!("sess repair {file}"),
                    "cuts off the torn line, keeps a copy",
                ));
            }
            Health::MissingNewline => next.push((format!("sess repair {file}"), "adds it")),
            Health::Damaged => {
                next.push((format!("sess check {file}"), "what is wrong, and where"))
            }
            _ => {}
        }
        let widest = next.iter().map(|(command, _)| command.len()).max();
        let mut name = "next";
        for (command, comment) in next {
            let command = width::pad(&command, widest.unwrap_or_default());
            self.row(name, &format!("{command}  # {comment}"))?;
            name = "";
        }
        Ok(())
    }
}

/// A file's name as it may be typed into a shell, or a word that stands for it.
fn spelt(name: &Path) -> &str {
    let plain = |mark: char| mark.is_ascii_alphanumeric() || "._-/+,:@".contains(mark);
    let typed = name.to_str().filter(|name| name.chars().all(plain));
    typed.filter(|_| !is_piped(name)).unwrap_or("FILE")
}

/// How the file ends. Whether its writer still runs is not in it, but a fresh end is a sign.
fn state(summary: &Summary, now: DateTime<Utc>) -> String {
    let verdict = summary.verdict();
    let on_the_way = summary.report.health == Health::TornTail
        || matches!(
            summary.progress(),
            Progress::Nothing | Progress::Unanswered | Progress::InTheMiddle
        );
    let age = summary
        .counts
        .span
        .map(|(_, last)| (now - last).num_minutes());
    match age {
        Some(0..10) if on_the_way => format!("{verdict}; it may still be running"),
        _ => verdict,
    }
}

fn style_of(summary: &Summary) -> Style {
    match (summary.progress(), summary.report.health) {
        (Progress::NotTranscript, _) => Style::Red,
        (_, Health::Damaged | Health::Inconsistent) => Style::Red,
        (Progress::Finished, Health::Healthy) => Style::Green,
        _ => Style::Yellow,
    }
}

fn tool_of(call: &OpenCall) -> String {
    visible::excerpt(&call.tool, 24)
}

/// What may honestly be said of an open call.
fn what_is_known(state: CallState) -> &'static str {
    match state {
        CallState::NeverDispatched => "never dispatched: nothing was executed",
        CallState::WasRunning => "was running: it may have taken effect",
        CallState::FinishedNotSettled => "finished: only its settle line is missing",
        CallState::Unrecorded => "no answer; dispatches are not recorded",
    }
}

fn tools(tools: &Tally<ToolUse>) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for (name, uses) in tools.named() {
        parts.push(format!(
            "{} {}",
            Text::Plain(name).excerpt(30),
            uses_of(uses)
        ));
    }
    parts.extend(
        tools
            .others()
            .map(|uses| format!("others {}", uses_of(uses))),
    );
    parts
}

fn uses_of(uses: &ToolUse) -> String {
    let mut ill = Vec::new();
    if uses.failed > 0 {
        ill.push(format!("{} failed", count(uses.failed)));
    }
    if uses.unknown > 0 {
        ill.push(format!("{} outcome unknown", count(uses.unknown)));
    }
    match ill.is_empty() {
        true => count(uses.calls),
        false => format!("{} ({})", count(uses.calls), ill.join(", ")),
    }
}

/// Enough digits to tell small sums apart.
fn money(cost: f64) -> String {
    match cost.abs() {
        large if large >= 1.0 => format!("{cost:.2}"),
        small if small >= 0.01 => format!("{cost:.4}"),
        _ => format!("{cost:.6}"),
    }
}
