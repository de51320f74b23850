//! `sess diff`.

use std::path::PathBuf;

use clap::ValueHint;

use super::error::{Error, Result};
use super::exit::Exit;
use super::output::Output;

const EXAMPLES: &str = "\
Examples:
  sess diff good.jsonl bad.jsonl
  sess diff --stat good.jsonl bad.jsonl
  sess diff --replayed before.jsonl after.jsonl
  sess diff -U 0 --side-by-side good.jsonl bad.jsonl";

/// Compare two transcripts message by message
///
/// Messages are the same when role, content, tool and arguments are, whatever their ids and times
/// and however their JSON is written. The first difference is named on top; inside a changed
/// message the changed lines and words are marked. The exit status is 0 when both are the same
/// and 1 when they are not.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// One transcript; `-` reads standard input
    #[arg(value_name = "A", value_hint = ValueHint::FilePath)]
    pub left: PathBuf,
    /// The other
    #[arg(value_name = "B", value_hint = ValueHint::FilePath)]
    pub right: PathBuf,
    /// Compare what the model would be sent, not what was said
    #[arg(long)]
    pub replayed: bool,
    /// Show the counts only
    #[arg(long, conflicts_with = "side_by_side")]
    pub stat: bool,
    /// Show both in two columns
    #[arg(long)]
    pub side_by_side: bool,
    /// Show N same messages, and N same lines, around each difference
    #[arg(short = 'U', long = "unified", value_name = "N", default_value_t = 3)]
    pub context: usize,
    /// Ids, times and every further field count as well
    #[arg(long)]
    pub strict: bool,
}

pub fn run(_args: &Args, _out: &mut Output) -> Result<Exit> {
    Err(Error::not_built("diff"))
}
