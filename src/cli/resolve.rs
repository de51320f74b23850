//! `sess resolve`.

use std::path::PathBuf;

use clap::{ValueEnum, ValueHint};

use super::error::{Error, Result};
use super::exit::Exit;
use super::output::Output;
use super::source::{FILE_VARIABLE, on_disk};

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

pub fn run(args: &Args, _out: &mut Output) -> Result<Exit> {
    let (_target, _file) = args.target()?;
    Err(Error::not_built("resolve"))
}

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
