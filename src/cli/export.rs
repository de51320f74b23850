//! `sess export`.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::look::entry::Entries;
use crate::look::export::{Export, Format};
use crate::look::summary::{Summary, summarise};
use crate::look::visible;
use crate::session::envelope::Verdict;
use crate::session::peek;
use crate::session::read::Lines;

use super::error::{Error, Result};
use super::exit::Exit;
use super::filter::Filter;
use super::output::Output;
use super::source::{FileArg, Source};
use super::{peek as peeking, refusal};

const EXAMPLES: &str = "\
Examples:
  sess export run.jsonl -o run.html
  sess export --md run.jsonl | less
  sess export --html --role assistant --tool shell run.jsonl > shell.html
  sess export --json run.jsonl -o run.json";

/// Write a transcript as a document for people who have no sess
///
/// HTML is one file with its style and without a script; Markdown has everything that is not prose
/// in fenced code. With --json it is the document of `sess peek --json`. The kind may be left out
/// where the name behind -o tells it. Control characters are shown, and nothing in the transcript
/// becomes markup that does anything.
///
/// The filters choose entries and never change their order.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    pub source: FileArg,
    /// Write HTML
    #[arg(long, conflicts_with = "md")]
    html: bool,
    /// Write Markdown
    #[arg(long)]
    md: bool,
    /// Write to a file, which appears when it is whole, in place of standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    #[command(flatten)]
    filter: Filter,
}

/// What is to be written.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Document(Format),
    Json,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit> {
    let kind = kind(args, out.json())?;
    let source = Source::open(&args.source.file)?;
    let Some(path) = &args.output else {
        return match kind {
            Kind::Json => peeking::run(&as_peek(args), out),
            Kind::Document(format) => document(args, &source, format, out),
        };
    };
    spare_the_transcript(&source, path)?;
    let unwritable = |error: io::Error| {
        let said = Error::unknown(format!("cannot write {}: {error}", visible::path(path)));
        said.hint("check that the folder exists and may be written to")
    };
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let staged = NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).map_err(unwritable)?;
    let exit = match kind {
        Kind::Document(format) => document(args, &source, format, BufWriter::new(&staged))?,
        Kind::Json => {
            let mut inner = Output::to_file(staged.reopen().map_err(unwritable)?);
            let exit = peeking::run(&as_peek(args), &mut inner)?;
            inner.finish().map_err(unwritable)?;
            exit
        }
    };
    staged
        .persist(path)
        .map_err(|error| unwritable(error.error))?;
    out.note(&format!("written to {}", visible::path(path)))?;
    Ok(exit)
}

fn kind(args: &Args, json: bool) -> Result<Kind> {
    let extension = args.output.as_ref().and_then(|path| path.extension());
    let told = match (args.html, args.md, json) {
        (true, _, false) => Some(Kind::Document(Format::Html)),
        (_, true, false) => Some(Kind::Document(Format::Markdown)),
        (false, false, true) => Some(Kind::Json),
        (false, false, false) => match extension.and_then(|extension| extension.to_str()) {
            Some("html" | "htm") => Some(Kind::Document(Format::Html)),
            Some("md" | "markdown") => Some(Kind::Document(Format::Markdown)),
            Some("json") => Some(Kind::Json),
            _ => None,
        },
        _ => {
            return Err(Error::unknown(
                "only one of --html, --md and --json can be written",
            ));
        }
    };
    told.ok_or_else(|| {
        Error::unknown("what to write is not said").hint("one of --html, --md and --json")
    })
}

fn as_peek(args: &Args) -> peeking::Args {
    peeking::Args {
        source: args.source.clone(),
        lines: None,
        full: false,
        raw: false,
        artifact: None,
        filter: args.filter.clone(),
    }
}

/// A transcript is never written over, under whatever name.
fn spare_the_transcript(source: &Source, path: &Path) -> Result<()> {
    let same = match (source.path().canonicalize(), path.canonicalize()) {
        (Ok(transcript), Ok(target)) => transcript == target,
        _ => false,
    };
    match same {
        false => Ok(()),
        true => Err(Error::new(Exit::Refused, "this is the transcript itself")
            .at(path)
            .hint("choose another name behind -o")),
    }
}

fn document(args: &Args, source: &Source, format: Format, out: impl Write) -> Result<Exit> {
    let mut file = peek::open(source.path()).map_err(|error| refusal::unseen(source, &error))?;
    let unreadable = |error: io::Error| refusal::unreadable(source, &error);
    let summary = summarise(&file).map_err(unreadable)?;
    if let Some(reason) = &summary.refusal {
        return Err(refusal::not_a_transcript(source, &mut file, reason));
    }
    file.rewind().map_err(unreadable)?;
    let shown = entries(args, source, &file, &summary, format, out)?;
    match shown == 0 && !args.filter.is_empty() {
        true => Err(refusal::no_entry(source)),
        false => Ok(Exit::Yes),
    }
}

fn entries(
    args: &Args,
    source: &Source,
    file: &File,
    summary: &Summary,
    format: Format,
    out: impl Write,
) -> Result<u64> {
    let name = source.name().to_string_lossy();
    let mut export = Export::begin(format, out, &name, summary)?;
    let mut lines = Lines::new(file.take(summary.report.size));
    let mut entries = Entries::of_writer(summary.records_dispatches());
    let unreadable = |error: io::Error| refusal::unreadable(source, &error);
    let mut shown = 0;
    while let Some(line) = lines.next_line().map_err(unreadable)? {
        let Some(entry) = entries.entry(line, &Verdict::of(line.bytes)) else {
            continue;
        };
        if args.filter.lets_through(&entry) {
            export.entry(&entry)?;
            shown += 1;
        }
    }
    export.finish()?;
    Ok(shown)
}
