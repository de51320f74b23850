//! `sess peek`.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use crate::look::entry::{Entries, Entry};

use crate::look::summary::{Summary, summarise};
use crate::session::envelope::Verdict;
use crate::session::peek;
use crate::session::read::Lines;

use super::error::Result;
use super::exit::Exit;
use super::filter::Filter;
use super::output::Output;
use super::rows::{Remarks, Rows};
use super::source::{FileArg, Source};
use super::time::{counted, now};
use super::{artifact, full, header, peek_json, refusal};

const EXAMPLES: &str = "\
Examples:
  sess run.jsonl                       the header and one line per entry
  sess peek -n 0 run.jsonl             the header alone
  sess peek run.jsonl --type compaction
  sess peek run.jsonl --tool fs_write --full
  sess peek run.jsonl --grep 'error|panic' --role tool
  sess peek --json - < run.jsonl | jq .messages
  sess peek run.jsonl --artifact 7f3a  the whole of a result that was cut for the model

Marks:
  ✗  a tool reported an error          ≡  a compaction or an elision
  ?  nobody knows how a call ended     !  damage, or a contradiction
  ○  a call without a known end";

/// Show what a transcript says, in the order of the file
///
/// First a header: what the run said about itself, how the file ends, first and last time, entries
/// by type, tokens, calls, open calls and damage. Then the entries, one line each: line, time of
/// day, time since the line before (or the date, where it changes), mark, role or type, and what it
/// says. Nothing in the file stops this: damage is shown where it is, and the entries after it
/// follow.
///
/// On a terminal lines are cut to its width; elsewhere the text of each is cut to 120 columns.
///
/// The filters choose entries, and then there is no header; several of one kind mean any of them,
/// different kinds mean all of them. They never change the order. With a filter that matches
/// nothing the exit status is 1. With --json they choose envelopes and messages.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    pub source: FileArg,
    /// Show at most N entries, the first ones
    #[arg(short = 'n', long, value_name = "N")]
    pub lines: Option<u64>,
    /// Show whole texts
    #[arg(long, conflicts_with = "raw")]
    pub full: bool,
    /// Show the stored lines themselves, byte for byte, without the header
    #[arg(long, conflicts_with = "json")]
    pub raw: bool,
    /// Print the whole text of an operation's result, kept in a file beside the transcript
    ///
    /// What the model saw of a very long result is an excerpt that names the operation. OP may be
    /// any unique prefix of its id. With --raw the bytes come as they are.
    #[arg(long, value_name = "OP", conflicts_with_all = ["lines", "full", "types", "roles", "tools", "grep"])]
    pub artifact: Option<String>,
    #[command(flatten)]
    pub filter: Filter,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit> {
    let source = Source::open(&args.source.file)?;
    if let Some(typed) = &args.artifact {
        return artifact::run(typed, args.raw, &source, out);
    }
    if out.json() {
        return peek_json::run(args, &source, out);
    }
    let mut file = peek::open(source.path()).map_err(|error| refusal::unseen(&source, &error))?;
    let unreadable = |error: io::Error| refusal::unreadable(&source, &error);
    let summary = summarise(&file).map_err(unreadable)?;
    if let Some(reason) = &summary.refusal
        && summary.counts.types.named().is_empty()
    {
        return Err(refusal::not_a_transcript(&source, &mut file, reason));
    }
    out.paged()?;
    let with_header = args.filter.is_empty() && !args.raw;
    if with_header {
        header::write(out, source.name(), &summary, now())?;
        if args.lines != Some(0) {
            writeln!(out)?;
        }
    }
    file.rewind().map_err(unreadable)?;
    let shown = entries(args, &source, &file, &summary, out)?;
    match &summary.refusal {
        Some(reason) => Err(refusal::not_a_transcript(&source, &mut file, reason)),
        None if shown == 0 && !args.filter.is_empty() && args.lines != Some(0) => {
            Err(refusal::no_entry(&source))
        }
        None => Ok(Exit::Yes),
    }
}

/// Writes the entries, and answers how many that were.
fn entries(
    args: &Args,
    source: &Source,
    file: &File,
    summary: &Summary,
    out: &mut Output,
) -> Result<u64> {
    let most = args.lines.unwrap_or(u64::MAX);
    let mut rows = Rows::new(
        out,
        summary.report.lines.to_string().len(),
        Remarks::of(&summary.report),
    );
    let mut shown = 0;
    // What has come since the header was made is not part of this.
    let mut lines = Lines::new(file.take(summary.report.size));
    let mut entries = Entries::of_writer(summary.records_dispatches());
    let unreadable = |error: io::Error| refusal::unreadable(source, &error);
    let mut more = false;
    while let Some(line) = lines.next_line().map_err(unreadable)? {
        let Some(entry) = entries.entry(line, &Verdict::of(line.bytes)) else {
            continue;
        };
        if !args.filter.lets_through(&entry) {
            rows.skip(&entry);
            continue;
        }
        if shown == most {
            more = true;
            break;
        }
        shown += 1;
        match (args.raw, args.full) {
            (true, _) => raw(out, &entry)?,
            (_, true) => full::write(out, &mut rows, &entry)?,
            _ => rows.write(out, &entry)?,
        }
    }
    if more && most > 0 {
        let more = match args.filter.is_empty() {
            true => counted(summary.counts.entries - shown, "more entry", "more entries"),
            false => "more entries match".to_owned(),
        };
        out.note(&format!(
            "{more}; `sess tail` shows the end of a transcript"
        ))?;
    }
    Ok(shown)
}

fn raw(out: &mut Output, entry: &Entry<'_>) -> io::Result<()> {
    out.stored(entry.bytes)?;
    out.write_all(entry.ending.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::args::{Command, parse};
    use super::super::terminal::Screen;
    use super::*;
    use crate::look::width;

    /// What a terminal of that many columns shows.
    fn shown(words: &str, columns: usize) -> String {
        let screen = Screen {
            terminal: true,
            colour: false,
            columns: Some(columns),
        };
        let words = words.split(' ').map(Into::into);
        let Ok(Command::Peek(args)) = parse(words, || false).map(|cli| cli.command) else {
            panic!("another command");
        };
        Output::captured(screen, false, |out| {
            run(&args, out).unwrap();
            Ok(())
        })
    }

    #[test]
    fn a_screen_of_eighty_columns_is_enough() {
        let found = shown("sess peek samples/sessions/interrupted.jsonl", 80);
        assert_eq!(
            found,
            include_str!("../../tests/cli/peek/interrupted-80.txt")
        );
    }

    #[test]
    fn no_line_is_wider_than_the_screen() {
        for name in ["hostile", "pending", "wide", "two-compactions"] {
            let full = [60, 80, 120].map(|columns| ("--full", columns));
            let rows = [40, 60, 80, 120].map(|columns| ("-n100", columns));
            for (option, columns) in full.into_iter().chain(rows) {
                let words = format!("sess peek {option} samples/sessions/{name}.jsonl");
                let found = shown(&words, columns);
                // The name of the file is never cut.
                let mut lines = found.lines().skip(1);
                let wide = lines.find(|line| width::width(line) > columns);
                assert_eq!(wide, None, "{words} {columns}");
            }
        }
    }
}
