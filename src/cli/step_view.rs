//! `sess replay --steps` and `--step N`.

use std::io::{self, Write};
use std::path::Path;

use crate::Json;
use crate::clock::parse_utc;
use crate::look::steps::{Change, Extent, FullEntry, Sides, Step, StepKind, Tokens};
use crate::look::{human, visible, width};

use super::conversation::{self, Reader};
use super::output::Output;

/// Writes the list.
pub fn list(file: &Path, steps: &[Step], out: &mut Output) -> io::Result<()> {
    if out.json() {
        let steps = steps.iter().map(|step| Json::object(members(step)));
        let path = Json::string(&file.to_string_lossy());
        let document = Json::object([("path", path), ("steps", Json::array(steps))]);
        return out.json_line(document.text());
    }
    let name = visible::path(file);
    if steps.is_empty() {
        return writeln!(out, "{name}: no compaction and no elision");
    }
    let ink = out.ink();
    let title = HEADER.map(str::to_owned);
    let messages = changes(steps, |extent| human::count(extent.messages));
    let tokens = changes(steps, |extent| tokens(extent.tokens));
    let cells = steps.iter().zip(messages).zip(tokens);
    let rows: Vec<[String; COLUMNS]> = cells
        .map(|((step, messages), tokens)| {
            let (number, line) = (step.number.to_string(), step.line.to_string());
            [number, line, when(step), what(step), messages, tokens]
        })
        .collect();
    let widest = |column: usize| {
        let cells = rows
            .iter()
            .chain([&title])
            .filter_map(|row| row.get(column));
        cells.map(|cell| width::width(cell)).max().unwrap_or(0)
    };
    let widths: [usize; COLUMNS] = std::array::from_fn(widest);
    writeln!(out, "{}", ink.bold(line(&title, &widths).trim_end()))?;
    for row in &rows {
        writeln!(out, "{}", line(row, &widths).trim_end())?;
    }
    Ok(())
}

const COLUMNS: usize = 6;
const HEADER: [&str; COLUMNS] = ["step", "line", "time", "what", "messages", "tokens"];

/// Numbers to the right, words to the left.
fn line(cells: &[String; COLUMNS], widths: &[usize; COLUMNS]) -> String {
    let cells = cells.iter().zip(widths).enumerate();
    let padded = cells.map(|(column, (cell, width))| match column {
        0 | 1 => width::pad_left(cell, *width),
        _ => width::pad(cell, *width),
    });
    padded.collect::<Vec<_>>().join("  ")
}

/// `8 → 3` for each step, the numbers below each other.
fn changes(steps: &[Step], show: impl Fn(Extent) -> String) -> Vec<String> {
    let sides = steps
        .iter()
        .map(|step| (show(step.before), show(step.after)));
    let sides: Vec<(String, String)> = sides.collect();
    let widest =
        |side: fn(&(String, String)) -> &String| sides.iter().map(|pair| side(pair).len()).max();
    let (before, after) = (widest(|pair| &pair.0), widest(|pair| &pair.1));
    let aligned = sides.iter().map(|pair| {
        let before = width::pad_left(&pair.0, before.unwrap_or(0));
        let after = width::pad_left(&pair.1, after.unwrap_or(0));
        change(&before, &after)
    });
    aligned.collect()
}

fn when(step: &Step) -> String {
    parse_utc(&step.ts).map_or_else(|| visible::excerpt(&step.ts, 20), human::stamp)
}

fn what(step: &Step) -> String {
    match step.kind {
        StepKind::Compaction { fallback: false } => "compaction".to_owned(),
        StepKind::Compaction { fallback: true } => "compaction, a fallback".to_owned(),
        StepKind::Elision { contents } => {
            format!(
                "elision of {}",
                human::counted(contents, "content", "contents")
            )
        }
    }
}

fn change(before: &str, after: &str) -> String {
    format!("{before} → {after}")
}

/// An estimate says that it is one.
fn tokens(tokens: Tokens) -> String {
    match tokens {
        Tokens::Recorded(count) => human::count(count),
        Tokens::Estimated(count) => format!("~{}", human::count(count)),
    }
}

/// Writes both sides of one step.
pub fn show(file: &Path, sides: &Sides, out: &mut Output) -> io::Result<()> {
    if out.json() {
        return out.json_line(sides_json(file, sides).text());
    }
    let step = &sides.step;
    let ink = out.ink();
    let title = format!(
        "step {} of {}: {}",
        step.number,
        visible::path(file),
        what(step)
    );
    writeln!(out, "{}", ink.bold(&title))?;
    writeln!(
        out,
        "line {}, {}; messages {}, tokens {}",
        step.line,
        when(step),
        change(
            &human::count(step.before.messages),
            &human::count(step.after.messages)
        ),
        change(&tokens(step.before.tokens), &tokens(step.after.tokens)),
    )?;
    match &sides.change {
        Change::Folded {
            gone,
            kept,
            summary,
        } => {
            part("folded away", gone, out)?;
            part("kept, because it is sticky", kept, out)?;
            part("stands instead", std::slice::from_ref(summary), out)
        }
        Change::Elided(pairs) => {
            let (before, after): (Vec<_>, Vec<_>) = pairs.iter().cloned().unzip();
            part("was there", &before, out)?;
            part("stands instead", &after, out)
        }
    }
}

fn part(title: &str, entries: &[FullEntry], out: &mut Output) -> io::Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let count = human::counted(entries.len() as u64, "message", "messages");
    let ink = out.ink();
    writeln!(out, "\n{}", ink.bold(&format!("── {title}: {count} ──")))?;
    let mut reader = Reader::of(entries);
    for entry in entries {
        writeln!(out)?;
        reader.entry(entry, out)?;
    }
    Ok(())
}

fn members(step: &Step) -> Vec<(&'static str, Json)> {
    let is_estimate = |tokens| matches!(tokens, Tokens::Estimated(_));
    let mut members = vec![
        ("step", Json::from(step.number)),
        ("line", Json::from(step.line)),
        ("id", Json::string(step.id.as_str())),
        ("ts", Json::string(&step.ts)),
        ("messages-before", Json::from(step.before.messages)),
        ("messages-after", Json::from(step.after.messages)),
        ("tokens-before", Json::from(step.before.tokens.count())),
        ("tokens-after", Json::from(step.after.tokens.count())),
    ];
    match step.kind {
        StepKind::Compaction { fallback } => {
            members.push(("kind", Json::string("compaction")));
            members.push(("fallback", Json::from(fallback)));
        }
        StepKind::Elision { contents } => {
            members.push(("kind", Json::string("elision")));
            members.push(("contents", Json::from(contents)));
        }
    }
    let sides = [
        ("tokens-before-estimated", step.before.tokens),
        ("tokens-after-estimated", step.after.tokens),
    ];
    let estimates = sides.into_iter().filter(|(_, tokens)| is_estimate(*tokens));
    members.extend(estimates.map(|(key, _)| (key, Json::from(true))));
    members
}

fn sides_json(file: &Path, sides: &Sides) -> Json {
    let list =
        |entries: &[FullEntry]| Json::array(entries.iter().map(conversation::json_with_line));
    let mut members = members(&sides.step);
    members.push(("path", Json::string(&file.to_string_lossy())));
    match &sides.change {
        Change::Folded {
            gone,
            kept,
            summary,
        } => {
            members.push(("gone", list(gone)));
            members.push(("kept", list(kept)));
            members.push(("instead", list(std::slice::from_ref(summary))));
        }
        Change::Elided(pairs) => {
            let (before, after): (Vec<_>, Vec<_>) = pairs.iter().cloned().unzip();
            members.push(("gone", list(&before)));
            members.push(("instead", list(&after)));
        }
    }
    Json::object(members)
}
