//! `sess tail`.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::look::entry::Entries;
use crate::look::follow::{Ending, Event, FollowError, Follower, Line, Start, Wait};
use crate::look::last::{Last, last, lines_before};
use crate::session::PeekError;
use crate::session::envelope::Verdict;
use crate::session::peek::{First, open};
use crate::session::read::{self, Lines};

use super::error::{Error, Result};
use super::exit::Exit;
use super::output::Output;
use super::rows::{Remarks, Rows};
use super::signal::Interrupt;
use super::source::{FileArg, Source, on_disk};
use super::{reader, refusal};

const EXAMPLES: &str = "\
Examples:
  sess tail run.jsonl
  sess tail -n 3 run.jsonl
  sess tail -f run.jsonl               until Ctrl-C
  sess tail -f --wait next.jsonl       before the run has started
  sess tail -f --json run.jsonl | jq -r .type";

/// Show the last entries of a transcript, and those to come
///
/// The rows are those of `sess peek`. Following is strictly read-only and takes no lock. It goes on
/// when the file is cut, replaced by another of the same name or deleted, and says so on standard
/// error. Half a line at the end waits for the rest of it. Ctrl-C ends it with status 130; when the
/// reader of the output goes away it ends with 0.
///
/// With --json the stored lines are written, byte for byte. In a file of which more than 256 MiB
/// come before the last entries, lines are not counted; rows then show byte offsets, as @1234.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    pub source: FileArg,
    /// Start with the last N entries
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub lines: usize,
    /// Go on with every entry that is appended
    #[arg(short, long)]
    pub follow: bool,
    /// With --follow, wait for a file that is not there yet
    #[arg(long, requires = "follow")]
    pub wait: bool,
}

/// So many bytes are read to count the lines in them: a tenth of a second from memory.
const COUNTED: u64 = 256 * 1024 * 1024;

pub fn run(args: &Args, out: &mut Output) -> Result<Exit> {
    if args.follow {
        on_disk(&args.source.file)?;
    }
    let source = Source::open(&args.source.file)?;
    let mut file = match open(source.path()) {
        Ok(file) => Some(file),
        Err(PeekError::NoFile { .. }) if args.wait && !source.path().exists() => None,
        Err(error) => return Err(refusal::unseen(&source, &error)),
    };
    let unreadable = |error: io::Error| refusal::unreadable(&source, &error);
    let refused = match &file {
        Some(file) => refused(file, args.follow).map_err(unreadable)?,
        None => None,
    };
    let begin = match &file {
        Some(file) => last(file, args.lines).map_err(unreadable)?,
        None => Last {
            entries: 0,
            lead: 0,
        },
    };
    let mut tail = Tail::new(&source, out, file.as_ref(), begin).map_err(unreadable)?;
    let wait = if args.wait { Wait::Yes } else { Wait::No };
    let start = Start::Offset(begin.lead);
    let mut follower =
        Follower::open(source.path(), start, wait).map_err(|error| unfollowed(&source, error))?;
    if file.is_none() {
        tail.out.note("no such file yet; waiting for it")?;
    }
    match (refused, &mut file) {
        (Some(reason), Some(file)) => {
            if reason.any_envelope {
                tail.show_rest(&mut follower)?;
            }
            Err(refusal::not_a_transcript(&source, file, &reason.text))
        }
        _ if args.follow => tail.follow(&mut follower),
        _ => tail.show_rest(&mut follower).map(|()| Exit::Yes),
    }
}

/// Why a file is no transcript.
pub(super) struct Refused {
    pub text: String,
    any_envelope: bool,
}

/// Reads up to the first envelope, which is as a rule the first line. While a file that is followed
/// has no whole line, nothing is held against it.
pub(super) fn refused(file: &File, follow: bool) -> io::Result<Option<Refused>> {
    let mut lines = Lines::new(file);
    let mut first = First::default();
    let mut any_whole = false;
    while let Some(line) = lines.next_line()? {
        any_whole |= line.ending != read::Ending::None;
        if let Verdict::Object(envelope) = Verdict::of(line.bytes)
            && envelope.type_name().is_some()
        {
            first.see(&envelope);
            return Ok(first.strict_verdict().err().map(|text| Refused {
                text,
                any_envelope: true,
            }));
        }
    }
    let text = first.verdict().err().filter(|_| any_whole || !follow);
    Ok(text.map(|text| Refused {
        text,
        any_envelope: false,
    }))
}

struct Tail<'t> {
    source: &'t Source,
    out: &'t mut Output,
    entries: Entries,
    rows: Rows,
    /// The number of the line before the next; none when it is not known.
    number: Option<u64>,
    /// Lines that begin before this place are read, but not shown.
    shown_from: u64,
}

impl<'t> Tail<'t> {
    fn new(
        source: &'t Source,
        out: &'t mut Output,
        file: Option<&File>,
        begin: Last,
    ) -> io::Result<Self> {
        let number = match file {
            Some(file) => count(file, begin.lead)?,
            None => Some(0),
        };
        // Numbers of lines to come are as a rule no longer than that of the next thousandth.
        let widest = match number {
            Some(number) => (number + 1_000).to_string().len(),
            None => begin.entries.to_string().len() + 1,
        };
        Ok(Self {
            source,
            rows: Rows::new(out, widest, Remarks::default()),
            out,
            entries: Entries::default(),
            number,
            shown_from: begin.entries,
        })
    }

    /// Shows what is there.
    fn show_rest(&mut self, follower: &mut Follower) -> Result<()> {
        loop {
            match self.next(follower, Some(Duration::ZERO))? {
                Event::Line(line) => self.line(&line)?,
                Event::Idle => break,
                _ => {}
            }
        }
        self.half_line(follower.pending(), follower.offset())
    }

    /// Shows what comes, until it is interrupted or nobody reads any more.
    fn follow(&mut self, follower: &mut Follower) -> Result<Exit> {
        let waker = follower.waker();
        let interrupt = Interrupt::watch(move || waker.wake())?;
        let alone = Arc::new(AtomicBool::new(false));
        let (waker, gone) = (follower.waker(), Arc::clone(&alone));
        reader::watch(move || {
            gone.store(true, Ordering::Relaxed);
            waker.wake();
        })?;
        loop {
            let event = match self.next(follower, Some(Duration::ZERO))? {
                Event::Idle => {
                    self.out.flush()?;
                    self.next(follower, None)?
                }
                event => event,
            };
            match event {
                Event::Line(line) => self.line(&line)?,
                Event::Woken if interrupt.is_raised() => return Ok(Exit::Interrupted),
                Event::Woken if alone.load(Ordering::Relaxed) => return Ok(Exit::Yes),
                Event::Woken | Event::Idle => {}
                other => self.changed(&other)?,
            }
        }
    }

    fn next(&self, follower: &mut Follower, timeout: Option<Duration>) -> Result<Event> {
        follower
            .next(timeout)
            .map_err(|error| unfollowed(self.source, error))
    }

    fn line(&mut self, line: &Line) -> Result<()> {
        self.number = self.number.map(|number| number + 1);
        let ending = match line.ending {
            Ending::Lf => read::Ending::Lf,
            Ending::CrLf => read::Ending::CrLf,
        };
        self.show(line.offset, &line.bytes, ending)
    }

    fn show(&mut self, offset: u64, bytes: &[u8], ending: read::Ending) -> Result<()> {
        let line = read::Line {
            number: self.number.unwrap_or(0),
            offset,
            bytes,
            ending,
        };
        let Some(entry) = self.entries.entry(line, &Verdict::of(bytes)) else {
            return Ok(());
        };
        if offset < self.shown_from {
            self.rows.skip(&entry);
        } else if self.out.json() {
            self.out.stored(bytes)?;
            self.out.write_all(ending.as_bytes())?;
        } else {
            self.rows.write(self.out, &entry)?;
        }
        Ok(())
    }

    /// What follows the last line feed: a whole line that lacks its own, or half of one.
    fn half_line(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        match Verdict::of(bytes) {
            Verdict::Blank => {}
            Verdict::Object(_) | Verdict::Value(_) => {
                self.number = self.number.map(|number| number + 1);
                self.show(offset, bytes, read::Ending::None)?;
            }
            Verdict::Damaged(_) => {
                let length = bytes.len();
                let what = "it is being written, or it was torn";
                self.out
                    .note(&format!("{length} bytes of half a line follow: {what}"))?;
            }
        }
        Ok(())
    }

    /// Says what happened to the file, and goes on where reading goes on.
    fn changed(&mut self, event: &Event) -> Result<()> {
        let (what, offset) = match event {
            Event::Truncated { offset } => ("the file was cut", Some(*offset)),
            Event::Replaced { offset } => ("another file took the name", Some(*offset)),
            Event::Appeared { offset } => ("the file is there", Some(*offset)),
            Event::Removed => ("the file was removed; waiting for it to come back", None),
            _ => return Ok(()),
        };
        let Some(offset) = offset else {
            return Ok(self.out.note(what)?);
        };
        self.shown_from = 0;
        self.number = match open(self.source.path()) {
            Ok(file) => count(&file, offset).unwrap_or(None),
            Err(_) => None,
        };
        if offset == 0 {
            self.entries = Entries::default();
            return Ok(self.out.note(&format!("{what}; reading from its start"))?);
        }
        let place = match self.number {
            Some(number) => format!("line {}", number + 1),
            None => format!("byte {offset}"),
        };
        Ok(self.out.note(&format!("{what}; going on with {place}"))?)
    }
}

/// How many lines come before, where counting them takes no time.
fn count(file: &File, offset: u64) -> io::Result<Option<u64>> {
    match offset {
        0..=COUNTED => lines_before(file, offset).map(Some),
        _ => Ok(None),
    }
}

fn unfollowed(source: &Source, error: FollowError) -> Error {
    let path: &Path = source.name();
    let (found, reason) = match error {
        FollowError::NotFound(_) => (Some("no such file"), String::new()),
        FollowError::NotAFile(_) => (Some("this is no regular file"), String::new()),
        FollowError::Io { source, .. } => (None, source.to_string()),
    };
    let path = path.to_owned();
    let error = match found {
        Some(found) => PeekError::NoFile { path, found },
        None => PeekError::Unreadable { path, reason },
    };
    refusal::unseen(source, &error)
}
