//! `sess check`.

use std::io::{self, Write};
use std::path::Path;

use crate::Json;
use crate::look::check::{Health, Problem, Report, check};
use crate::look::{visible, width};

use super::error::{Error, Result, why_unreadable};
use super::exit::Exit;
use super::layout;
use super::output::{Output, Style};
use super::source::{FilesArg, is_piped, stream};
use super::time;

const EXAMPLES: &str = "\
Examples:
  sess check run.jsonl
  sess check runs/*.jsonl
  sess check --json runs/*.jsonl | jq -r 'select(.verdict != \"healthy\") | .path'";

/// Say whether transcripts are whole
///
/// A verdict per file: healthy, a torn last line, a missing last line feed, damaged (with line,
/// byte offset and kind), inconsistent, or not a transcript. Nothing is written, and a bad file
/// does not stop the others. The exit status is that of the worst file.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    pub sources: FilesArg,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit> {
    out.paged()?;
    let names = args.sources.files.iter();
    let widths = names.map(|file| width::width(&visible::path(file)));
    let column = widths.filter(|width| *width <= LONGEST_NAME).max();
    let mut worst = Exit::Yes;
    for file in &args.sources.files {
        let exit = match stream(file).and_then(check) {
            Ok(report) => {
                tell(file, column.unwrap_or(0), &report, out)?;
                exit_of(report.health)
            }
            Err(error) => {
                if out.json() {
                    out.json_line(unreadable_json(file, &error).text())?;
                }
                out.complain(&Error::unreadable(file, &error))?;
                Exit::Unknown
            }
        };
        worst = worst.max(exit);
    }
    Ok(worst)
}

/// A longer name does not move the verdicts of the others to the right.
const LONGEST_NAME: usize = 48;

fn exit_of(health: Health) -> Exit {
    match health {
        Health::Healthy => Exit::Yes,
        Health::MissingNewline | Health::TornTail | Health::Inconsistent | Health::Damaged => {
            Exit::No
        }
        Health::NotTranscript => Exit::Unknown,
    }
}

fn tell(file: &Path, column: usize, report: &Report, out: &mut Output) -> io::Result<()> {
    if out.json() {
        return out.json_line(report_json(file, report).text());
    }
    verdict(file, column, report, out)?;
    let shown = match report.health {
        Health::NotTranscript => 1,
        _ => usize::MAX,
    };
    let columns = Columns::of(&report.problems);
    for problem in report.problems.iter().take(shown) {
        columns.row(problem, out)?;
    }
    if !out.quiet() {
        notes(file, report, out)?;
    }
    Ok(())
}

fn verdict(file: &Path, column: usize, report: &Report, out: &mut Output) -> io::Result<()> {
    let name = width::pad(&visible::path(file), column);
    let style = match report.health {
        Health::Healthy => Style::Green,
        Health::MissingNewline | Health::TornTail => Style::Yellow,
        Health::Inconsistent | Health::Damaged | Health::NotTranscript => Style::Red,
    };
    let verdict = width::pad(&report.health.to_string(), LONGEST_VERDICT);
    let lines = time::counted(report.lines, "line", "lines");
    let extent = format!("{lines}, {}", time::size(report.size));
    let ink = out.ink();
    let verdict = ink.paint(style, &verdict);
    writeln!(out, "{name}  {verdict}  {}", ink.dim(&extent))
}

/// The columns of `missing last newline`.
const LONGEST_VERDICT: usize = 20;

/// How wide the columns of a list of problems are.
struct Columns {
    line: usize,
    offset: usize,
    kind: usize,
}

impl Columns {
    fn of(problems: &[Problem]) -> Self {
        let widest = |width_of: fn(&Problem) -> usize| problems.iter().map(width_of).max();
        Self {
            line: widest(|problem| digits(problem.line)).unwrap_or(0),
            offset: widest(|problem| digits(problem.offset)).unwrap_or(0),
            kind: widest(|problem| problem.kind.len()).unwrap_or(0),
        }
    }

    fn row(&self, problem: &Problem, out: &mut Output) -> io::Result<()> {
        let line = width::pad_left(&problem.line.to_string(), self.line);
        let offset = width::pad_left(&problem.offset.to_string(), self.offset);
        let place = format!("    line {line}  byte {offset}");
        let kind = width::pad(problem.kind, self.kind);
        let label_width = place.len() + kind.len() + 4;
        let label = format!("{}  {kind}  ", out.ink().dim(&place));
        layout::hanging(out, &label, label_width, &problem.message, None)
    }
}

fn digits(number: u64) -> usize {
    number.to_string().len()
}

fn notes(file: &Path, report: &Report, out: &mut Output) -> io::Result<()> {
    for note in &report.notes {
        let (line, offset) = (note.line, note.offset);
        remark(
            out,
            &format!("line {line}, byte {offset}: {}", note.message),
        )?;
    }
    let left_out = report.left_out;
    if left_out > 0 {
        let problems = time::counted(left_out, "more problem", "more problems");
        remark(out, &format!("{problems} are not listed"))?;
    }
    let name = visible::path(file);
    // What came through a pipe cannot be named to another command.
    let piped = is_piped(file);
    let open = report.open_calls.len() as u64;
    if open > 0 {
        let are = if open == 1 { "is" } else { "are" };
        let calls = time::counted(open, "call", "calls");
        let see = if piped {
            String::new()
        } else {
            format!(": see `sess pending {name}`")
        };
        remark(out, &format!("{calls} {are} open{see}"))?;
    }
    let repair = match report.health {
        Health::TornTail if !piped => "cuts the torn line off and keeps its bytes",
        Health::MissingNewline if !piped => "adds it",
        _ => return Ok(()),
    };
    remark(out, &format!("`sess repair {name}` {repair}"))
}

fn remark(out: &mut Output, text: &str) -> io::Result<()> {
    layout::hanging(out, "    note: ", 10, text, Some(Style::Dim))
}

fn report_json(file: &Path, report: &Report) -> Json {
    let mut members = vec![
        ("path", Json::string(&file.to_string_lossy())),
        ("verdict", Json::string(report.health.as_str())),
        ("problems", problems_json(&report.problems)),
        ("lines", Json::from(report.lines)),
        ("size", Json::from(report.size)),
    ];
    if !report.notes.is_empty() {
        members.push(("notes", problems_json(&report.notes)));
    }
    if report.left_out > 0 {
        members.push(("left-out", Json::from(report.left_out)));
    }
    Json::object(members)
}

fn problems_json(problems: &[Problem]) -> Json {
    Json::array(problems.iter().map(|problem| {
        Json::object([
            ("line", Json::from(problem.line)),
            ("offset", Json::from(problem.offset)),
            ("length", Json::from(problem.length)),
            ("kind", Json::string(problem.kind)),
            ("message", Json::string(&problem.message)),
        ])
    }))
}

fn unreadable_json(file: &Path, error: &io::Error) -> Json {
    let (kind, message) = why_unreadable(error);
    let error = Json::object([
        ("kind", Json::string(kind)),
        ("message", Json::string(&message)),
    ]);
    Json::object([
        ("path", Json::string(&file.to_string_lossy())),
        ("verdict", Json::string("unreadable")),
        ("error", error),
    ])
}
