//! `sess replay`.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::Json;
use crate::look::{human, steps, visible};
use crate::session::{LoadError, Replayed};

use super::at::At;
use super::conversation::Reader;
use super::error::{Error, Result, load_json, unreadable_json};
use super::exit::Exit;
use super::output::Output;
use super::source::{FileArg, Source, is_piped, regular};
use super::{replay_json, step_view};

const EXAMPLES: &str = "\
Examples:
  sess replay run.jsonl
  sess replay run.jsonl --at 120               as of line 120
  sess replay run.jsonl --at 7f3a              as of the line whose id starts so
  sess replay run.jsonl --at '2026-01-02 14:03'
  sess replay run.jsonl --steps
  sess replay run.jsonl --step 2
  sess replay --json run.jsonl | jq '.messages | length'";

/// Show the conversation that the model would be sent next
///
/// That is what loading the transcript answers: compactions and elisions are applied, and what
/// they took away is not shown. The file is not touched. When it could not be loaded, this says
/// why; the exit status is then 1, or 2 when the file is no transcript.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    pub source: FileArg,
    /// As of a line number, a line's id or a time in UTC
    #[arg(long, value_name = "LINE|ID|TIME")]
    pub at: Option<At>,
    /// List every compaction and elision, with messages and tokens before and after
    #[arg(long, conflicts_with = "step")]
    pub steps: bool,
    /// Show both sides of one of them, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub step: Option<u64>,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit> {
    out.paged()?;
    let source = Source::open(&args.source.file)?;
    let (last, replayed) = replay(args.at.as_ref(), &source, out)?;
    if args.steps {
        let steps = pass(&source, |file| steps::steps(file, last))?;
        step_view::list(source.name(), &steps, out)?;
    } else if let Some(number) = args.step {
        let sides = pass(&source, |file| steps::sides(file, last, number))?;
        let sides = sides.ok_or_else(|| no_such_step(number, &source))?;
        step_view::show(source.name(), &sides, out)?;
    } else if out.json() {
        replay_json::write(source.name(), &replayed, out)?;
    } else {
        read(source.name(), &replayed, args.at.is_some(), out)?;
    }
    Ok(Exit::Yes)
}

/// Replays the source, and says up to which line.
fn replay(at: Option<&At>, source: &Source, out: &mut Output) -> Result<(u64, Replayed)> {
    let name = source.name();
    let file = match regular(source.path()) {
        Ok(file) => file,
        Err(error) => return unreadable(name, &error, out),
    };
    let last = at.map_or(Ok(u64::MAX), |at| at.line_in(source))?;
    match Replayed::read_to_line(name, file, last) {
        Ok(replayed) => Ok((last, replayed)),
        Err(LoadError::Io { source, .. }) => unreadable(name, &source, out),
        Err(error) => {
            say(&load_json(name, &error), out)?;
            Err(Error::load(name, &error))
        }
    }
}

fn unreadable<T>(name: &Path, error: &io::Error, out: &mut Output) -> Result<T> {
    say(&unreadable_json(name, error), out)?;
    Err(Error::unreadable(name, error))
}

fn say(document: &Json, out: &mut Output) -> io::Result<()> {
    match out.json() {
        true => out.json_line(document.text()),
        false => Ok(()),
    }
}

/// Reads the source once more.
fn pass<T>(source: &Source, read: impl FnOnce(File) -> io::Result<T>) -> Result<T> {
    let read = File::open(source.path()).and_then(read);
    read.map_err(|error| Error::unreadable(source.name(), &error))
}

fn no_such_step(number: u64, source: &Source) -> Error {
    let name = visible::path(source.name());
    Error::no(format!("there is no step {number}"))
        .kind("no-step")
        .at(source.name())
        .hint(format!("`sess replay --steps {name}` lists them"))
}

/// Writes the conversation for a person, and what else is to be known as notes.
fn read(file: &Path, replayed: &Replayed, is_past: bool, out: &mut Output) -> io::Result<()> {
    let entries = replayed.conversation();
    let name = visible::path(file);
    let messages = human::counted(entries.len() as u64, "message", "messages");
    let lines = human::counted(replayed.line_count(), "line", "lines");
    let ink = out.ink();
    let title = format!("{name}: {messages} after {lines}");
    writeln!(out, "{}", ink.bold(&title))?;
    let mut reader = Reader::of(entries);
    for entry in entries {
        writeln!(out)?;
        reader.entry(entry, out)?;
    }
    let open = replayed.open_calls().len() as u64;
    if open > 0 {
        let calls = human::counted(open, "call", "calls");
        out.note(&match (is_past || is_piped(file), open) {
            (true, 1) => format!("{calls} is open at this point"),
            (true, _) => format!("{calls} are open at this point"),
            (false, 1) => format!("{calls} is open: see `sess pending {name}`"),
            (false, _) => format!("{calls} are open: see `sess pending {name}`"),
        })?;
    }
    for warning in replayed.warnings() {
        out.note(&format!("{name}:{}: {}", warning.line, warning.message))?;
    }
    Ok(())
}
