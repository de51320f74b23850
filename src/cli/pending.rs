//! `sess pending`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use crate::Json;
use crate::look::check::{Health, Report, check};
use crate::look::{visible, width};
use crate::session::{CallState, OpenCall};

use super::error::{Error, Result};
use super::exit::Exit;
use super::output::{Output, Style};
use super::source::{FilesArg, is_piped, stream};
use super::{calls, layout, refusal, time};

const EXAMPLES: &str = "\
Examples:
  sess pending run.jsonl
  sess pending --exit-code runs/*.jsonl || echo something is open
  sess pending --json run.jsonl | jq -r '.[].tool'";

/// List the tool calls without a known end
///
/// Each in its honest state: never dispatched, was running, or finished but not settled; with
/// tool, arguments, idempotency, time, run and round. `sess resolve` settles them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    pub sources: FilesArg,
    /// Exit with 1 when there is one
    #[arg(long)]
    pub exit_code: bool,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit> {
    out.paged()?;
    let mut listed = Listed::default();
    let mut worst = Exit::Yes;
    for file in &args.sources.files {
        match stream(file).and_then(check) {
            Err(error) => {
                out.complain(&Error::unreadable(file, &error))?;
                worst = worst.max(Exit::Unknown);
            }
            Ok(report) => {
                warn(file, &report, out)?;
                worst = worst.max(listed.file(file, &report, args.exit_code, out)?);
            }
        }
    }
    if out.json() {
        out.write_all(if listed.calls == 0 { b"[]\n" } else { b"]\n" })?;
    }
    Ok(worst)
}

/// Says which lines were not taken into account.
fn warn(file: &Path, report: &Report, out: &mut Output) -> io::Result<()> {
    if report.health == Health::NotTranscript {
        let error = Error::unknown(report.why_none()).at(file);
        return out.complain(&error.hint(refusal::hint_about(file)));
    }
    let skipped = report
        .problems
        .iter()
        .filter(|problem| !["unanswered-call", "missing-last-newline"].contains(&problem.kind));
    for problem in skipped {
        let what = format!("the line is skipped: {}", problem.message);
        out.complain(&Error::no(what).at(file).line(problem.line))?;
    }
    Ok(())
}

/// What has been written so far.
#[derive(Default)]
struct Listed {
    files: usize,
    calls: usize,
}

impl Listed {
    fn file(
        &mut self,
        file: &Path,
        report: &Report,
        exit_code: bool,
        out: &mut Output,
    ) -> io::Result<Exit> {
        if report.health == Health::NotTranscript {
            return Ok(Exit::Unknown);
        }
        let calls = &report.open_calls;
        match out.json() {
            true => self.documents(file, calls, out)?,
            false => {
                if self.files > 0 {
                    writeln!(out)?;
                }
                tell(file, calls, out)?;
            }
        }
        self.files += 1;
        self.calls += calls.len();
        Ok(match exit_code && !calls.is_empty() {
            true => Exit::No,
            false => Exit::Yes,
        })
    }

    fn documents(&self, file: &Path, calls: &[OpenCall], out: &mut Output) -> io::Result<()> {
        for (place, call) in calls.iter().enumerate() {
            let mut members = calls::members(call);
            members.push(("path", Json::string(&file.to_string_lossy())));
            let first = self.calls + place == 0;
            out.write_all(if first { b"[" } else { b",\n" })?;
            out.json_text(Json::object(members).text())?;
        }
        Ok(())
    }
}

fn tell(file: &Path, open: &[OpenCall], out: &mut Output) -> io::Result<()> {
    let name = visible::path(file);
    if open.is_empty() {
        return writeln!(out, "{name}: nothing is pending");
    }
    let ink = out.ink();
    let count = time::counted(open.len() as u64, "call", "calls");
    writeln!(
        out,
        "{}",
        ink.bold(&format!("{name}: {count} without a known end"))
    )?;
    let columns = Columns::of(open);
    let mut groups: BTreeMap<Group, Vec<&OpenCall>> = BTreeMap::new();
    for call in open {
        groups.entry(Group::of(call)).or_default().push(call);
    }
    let mut state = None;
    for (group, calls) in groups {
        if state.replace(group.state()) != Some(group.state()) {
            writeln!(out, "\n{}", ink.yellow(group.state()))?;
            layout::hanging(out, "  ", 2, group.advice(), None)?;
        }
        if let Group::Running(class) = &group {
            layout::hanging(out, "\n  ", 2, &class.advice(), None)?;
        }
        for call in calls {
            columns.call(call, out)?;
        }
    }
    match out.quiet() || is_piped(file) {
        true => Ok(()),
        false => {
            let hint = format!(
                "`sess resolve ID {name}` settles one of them, `sess resolve --all {name}` all"
            );
            writeln!(out)?;
            layout::hanging(out, "hint: ", 6, &hint, Some(Style::Dim))
        }
    }
}

/// Calls of which the same can be said, the most worrying first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Running(Class),
    Finished,
    NeverDispatched,
    Unrecorded,
}

/// How the tool takes to being called again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Destructive,
    /// Nothing recorded, `unknown`, or a word of another writer.
    Unknown(Option<String>),
    Idempotent,
    ReadOnly,
}

impl Group {
    fn of(call: &OpenCall) -> Self {
        match call.state {
            CallState::WasRunning => Self::Running(Class::of(call)),
            CallState::FinishedNotSettled => Self::Finished,
            CallState::NeverDispatched => Self::NeverDispatched,
            CallState::Unrecorded => Self::Unrecorded,
        }
    }

    fn state(&self) -> &'static str {
        match self {
            Self::Running(_) => "was running",
            Self::Finished => "finished but not settled",
            Self::NeverDispatched => "never dispatched",
            Self::Unrecorded => "unrecorded",
        }
    }

    /// What may honestly be said of all of them, and nothing more.
    fn advice(&self) -> &'static str {
        match self {
            Self::Running(_) => {
                "May have been handed over, and may have taken effect. How it ended is not known: that is neither \"failed\" nor \"did not run\"."
            }
            Self::Finished => {
                "The answer is recorded, and it is the real one. Only the line that settles the call is missing."
            }
            Self::NeverDispatched => {
                "Never left the process, so nothing was executed for it. (Unless power was lost: the record of a dispatch may have gone with it.)"
            }
            Self::Unrecorded => {
                "Has no answer, and this transcript records no dispatches: nothing more is known."
            }
        }
    }
}

impl Class {
    fn of(call: &OpenCall) -> Self {
        match calls::class(call) {
            Some(word) if word == "destructive" => Self::Destructive,
            Some(word) if word == "idempotent" => Self::Idempotent,
            Some(word) if word == "read-only" => Self::ReadOnly,
            Some(word) if word == "unknown" => Self::Unknown(None),
            other => Self::Unknown(other),
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::Destructive => "Configured as destructive: the effect may be there already. Find out before making the call again.".to_owned(),
            Self::Idempotent => "Configured as idempotent: making the call again has the effect of making it once.".to_owned(),
            Self::ReadOnly => "Configured as read-only: making the call again is harmless.".to_owned(),
            Self::Unknown(None) => "Nothing is recorded of what calling it again would do.".to_owned(),
            Self::Unknown(Some(word)) => format!("Recorded as {word:?}, which says nothing here of what calling it again would do."),
        }
    }
}

/// How wide the columns are.
struct Columns {
    id: usize,
    tool: usize,
}

/// A longer name, or a longer id, is cut.
const LONGEST_NAME: usize = 28;
/// Columns of a row where no terminal says how many there are.
const PLAIN_COLUMNS: usize = 160;

impl Columns {
    fn of(open: &[OpenCall]) -> Self {
        let tools = open
            .iter()
            .map(|call| width::width(&visible::one_line(&call.tool)));
        Self {
            id: calls::id_length(open.iter().map(calls::key)),
            tool: tools.max().unwrap_or(0).min(LONGEST_NAME),
        }
    }

    fn call(&self, call: &OpenCall, out: &mut Output) -> io::Result<()> {
        let ink = out.ink();
        let id = visible::excerpt(calls::shorten(calls::key(call), self.id), LONGEST_NAME);
        let id = width::pad(&id, self.id.min(LONGEST_NAME));
        let tool = width::pad(&visible::excerpt(&call.tool, self.tool), self.tool);
        let used = 4 + width::width(&id) + 2 + self.tool + 2;
        let room = out
            .columns()
            .unwrap_or(PLAIN_COLUMNS)
            .saturating_sub(used)
            .max(10);
        let arguments = call
            .arguments
            .as_str()
            .unwrap_or(call.arguments.text().into());
        let arguments = visible::excerpt(&arguments, room);
        writeln!(
            out,
            "    {}  {}  {arguments}",
            ink.cyan(&id),
            ink.bold(&tool)
        )?;
        let mut facts = calls::facts(call);
        if call.state != CallState::WasRunning {
            facts.extend(calls::class(call));
        }
        let indent = 4 + width::width(&id) + 2;
        layout::facts(out, indent, &facts)
    }
}
