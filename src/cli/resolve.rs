//! `sess resolve`.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{ValueEnum, ValueHint};

use crate::look::{visible, width};
use crate::session::{self, Choice, LoadError, Plan, Warning, WarningKind};
use crate::{Json, Session};

use super::error::{Error, Result, load_json};
use super::exit::Exit;
use super::output::{Output, Style};
use super::resolution::{Open, Planned, Request, apply};
use super::source::{FILE_VARIABLE, on_disk};
use super::{calls, layout, time};

const EXAMPLES: &str = "\
Examples:
  sess resolve 7f3a run.jsonl
  sess resolve 7f3a run.jsonl --outcome failed --reason 'the disk was full'
  sess resolve call_2 run.jsonl        a call that was never dispatched
  sess resolve --all run.jsonl --dry-run";

/// Settle a tool call whose end is not known
///
/// OP is an operation, or the call id of a call that was never dispatched; `sess pending` lists
/// both. When no tool message answers the call, one is appended that says plainly what is known
/// and what is not; then the operation is settled. A call that was never dispatched gets its
/// message only.
///
/// Without --outcome the state decides: `outcome-unknown` when it was running, `completed` or
/// `failed` as its tool message says when that is there. The transcript is locked meanwhile, and
/// a writer that has it makes this a refusal (3).
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
pub struct Args {
    /// The operation or call, by the start of its id
    #[arg(value_name = "OP", required_unless_present = "all")]
    op: Option<String>,
    /// The transcript, or SESS_FILE
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: Option<PathBuf>,
    /// Everything that is open
    #[arg(long)]
    all: bool,
    /// How it ended
    #[arg(long, value_name = "OUTCOME")]
    pub outcome: Option<Outcome>,
    /// Why, for the record
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Append no tool message
    #[arg(long)]
    pub no_message: bool,
    /// Say what would be done, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

const USAGE: &str = "sess resolve [OPTIONS] OP [FILE]\n       sess resolve [OPTIONS] --all [FILE]";

/// How an operation ended, as it is written in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Outcome {
    /// It did what it was asked for
    Completed,
    /// It did not
    Failed,
    /// Nobody knows
    #[value(name = "outcome-unknown")]
    Unknown,
}

impl From<Outcome> for session::Outcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Completed => Self::Completed,
            Outcome::Failed => Self::Failed,
            Outcome::Unknown => Self::OutcomeUnknown,
        }
    }
}

/// What is to be settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Everything that is open.
    All,
    /// The operation or call whose id starts so.
    One(String),
}

impl Args {
    /// What to settle, and where. With `--all` the only word is the file.
    pub fn target(&self) -> Result<(Target, PathBuf)> {
        self.target_or(|| std::env::var_os(FILE_VARIABLE).map(PathBuf::from))
    }

    fn choice(&self) -> Choice {
        Choice {
            outcome: self.outcome.map(Into::into),
            reason: self.reason.clone(),
            no_message: self.no_message,
        }
    }

    fn target_or(&self, variable: impl Fn() -> Option<PathBuf>) -> Result<(Target, PathBuf)> {
        let (target, file) = match (&self.op, &self.file) {
            (Some(_), Some(_)) if self.all => {
                return Err(Error::unknown("with --all there is no OP, only FILE"));
            }
            (word, _) if self.all => (Target::All, word.as_ref().map(PathBuf::from)),
            (Some(op), file) => (Target::One(op.clone()), file.clone()),
            (None, _) => return Err(Error::unknown("no OP is given, and no --all")),
        };
        let file = file
            .or_else(variable)
            .filter(|file| !file.as_os_str().is_empty());
        let file = file.ok_or_else(|| {
            Error::unknown("no FILE is given").hint("the variable SESS_FILE can name one")
        })?;
        Ok((target, on_disk(&file)?.to_owned()))
    }
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit> {
    let (target, file) = args.target()?;
    let job = Job {
        dry_run: args.dry_run,
        file: &file,
    };
    let request = Request {
        file: &file,
        target: &target,
        choice: args.choice(),
    };
    let before = match Session::replay(&file) {
        Ok(before) => before,
        Err(error) => return Err(job.cannot_load(&error, out)?),
    };
    // Whatever is refused is refused before a repair changes the file.
    let planned = request.plan(&Open::of_replayed(&before))?;
    if args.dry_run {
        job.warn(&planned, before.warnings(), before.plan(), out)?;
        job.tell(&planned, out)?;
        return Ok(Exit::Yes);
    }
    let session = match Session::load(&file) {
        Ok(session) => session,
        Err(error) => return Err(job.cannot_load(&error, out)?),
    };
    let mut planned = request.plan(&Open::of_session(&session))?;
    job.warn(&planned, session.warnings(), before.plan(), out)?;
    let written = apply(&mut planned, &session);
    if written.is_ok() || !planned.is_empty() || out.json() {
        job.tell(&planned, out)?;
    }
    match written {
        Ok(()) => Ok(Exit::Yes),
        Err(error) => Err(Error::append(&file, &error)),
    }
}

/// What all that is said is about.
struct Job<'a> {
    file: &'a Path,
    dry_run: bool,
}

impl Job<'_> {
    fn cannot_load(&self, error: &LoadError, out: &mut Output) -> Result<Error> {
        if out.json() {
            out.json_line(load_json(self.file, error).text())?;
        }
        Ok(Error::load(self.file, error))
    }

    /// Says what a repair does to the file, and what a provider may not like.
    fn warn(
        &self,
        planned: &[Planned],
        warnings: &[Warning],
        plan: Plan,
        out: &mut Output,
    ) -> Result<()> {
        let name = visible::path(self.file);
        for warning in warnings
            .iter()
            .filter(|warning| warning.kind == WarningKind::TornTail)
        {
            out.note(&format!("{name}:{}: {}", warning.line, warning.message))?;
        }
        if matches!(plan, Plan::AddNewline { .. }) {
            let added = if self.dry_run { "would be" } else { "was" };
            out.note(&format!(
                "{name}: the missing line break at the end {added} added"
            ))?;
        }
        for plan in planned.iter().filter(|plan| plan.out_of_place) {
            let what = format!(
                "other messages follow the turn of call {}, so its answer is out of place; a provider may refuse the conversation",
                plan.call.call_id
            );
            out.complain(&Error::no(what).at(self.file))?;
        }
        Ok(())
    }

    fn tell(&self, planned: &[Planned], out: &mut Output) -> Result<()> {
        if out.json() {
            let resolved = planned.iter().map(|plan| Json::object(plan.members()));
            let document = Json::object([
                ("path", Json::string(&self.file.to_string_lossy())),
                ("resolved", Json::array(resolved)),
            ]);
            return Ok(out.json_line(document.text())?);
        }
        let name = visible::path(self.file);
        if planned.is_empty() {
            return Ok(writeln!(out, "{name}: nothing to resolve")?);
        }
        let count = time::counted(planned.len() as u64, "call", "calls");
        let done = if self.dry_run {
            "would be resolved"
        } else {
            "resolved"
        };
        writeln!(out, "{name}: {count} {done}")?;
        self.rows(planned, out)
    }

    fn rows(&self, planned: &[Planned], out: &mut Output) -> Result<()> {
        let id_length = calls::id_length(planned.iter().map(|plan| calls::key(&plan.call)));
        let shown = |plan: &Planned| {
            [
                visible::excerpt(
                    calls::shorten(calls::key(&plan.call), id_length),
                    LONGEST_NAME,
                ),
                visible::excerpt(&plan.call.tool, LONGEST_NAME),
                plan.outcome().to_owned(),
            ]
        };
        let cells: Vec<[String; 3]> = planned.iter().map(shown).collect();
        let widest = |column: usize| cells.iter().map(|row| width::width(&row[column])).max();
        let widths = [0, 1, 2].map(|column| widest(column).unwrap_or(0));
        let ink = out.ink();
        for (plan, row) in planned.iter().zip(&cells) {
            let [id, tool, outcome] = [0, 1, 2].map(|at| width::pad(&row[at], widths[at]));
            writeln!(
                out,
                "  {}  {}  {}  {}",
                ink.cyan(&id),
                ink.bold(&tool),
                ink.yellow(&outcome),
                plan.lines()
            )?;
            if let (true, Some((message, _))) = (self.dry_run, &plan.resolution.message) {
                let indent = 2 + widths[0] + 2;
                let label = " ".repeat(indent);
                layout::hanging(out, &label, indent, &message.content, Some(Style::Dim))?;
            }
        }
        Ok(())
    }
}

/// A longer name, or a longer id, is cut.
const LONGEST_NAME: usize = 28;

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn target(words: &[&str], variable: Option<&str>) -> Option<(Target, PathBuf)> {
        let line = Line::try_parse_from([&["resolve"], words].concat()).ok()?;
        line.args.target_or(|| variable.map(PathBuf::from)).ok()
    }

    #[test]
    fn the_file_comes_after_the_operation_or_alone_or_from_the_variable() {
        let one = Some((Target::One("7f".to_owned()), PathBuf::from("a.jsonl")));
        let all = Some((Target::All, PathBuf::from("a.jsonl")));
        assert_eq!(target(&["7f", "a.jsonl"], Some("b.jsonl")), one);
        assert_eq!(target(&["7f"], Some("a.jsonl")), one);
        assert_eq!(target(&["--all", "a.jsonl"], Some("b.jsonl")), all);
        assert_eq!(target(&["--all"], Some("a.jsonl")), all);
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        assert_eq!(target(&[], Some("a.jsonl")), None);
        assert_eq!(target(&["7f"], None), None);
        assert_eq!(target(&["7f"], Some("")), None);
        assert_eq!(target(&["7f", "-"], None), None);
        assert_eq!(target(&["--all", "7f", "a.jsonl"], None), None);
    }
}
