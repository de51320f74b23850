//! `sess tail`.

use super::error::{Error, Result};
use super::exit::Exit;
use super::output::Output;
use super::source::FileArg;

const EXAMPLES: &str = "\
Examples:
  sess tail run.jsonl
  sess tail -n 3 run.jsonl
  sess tail -f run.jsonl               until Ctrl-C
  sess tail -f --wait next.jsonl       before the run has started
  sess tail -f --json run.jsonl | jq -r .type";

/// Show the last entries of a transcript, and those to come
///
/// Following is strictly read-only and takes no lock. It goes on when the file is cut, replaced
/// by another of the same name or deleted, and says so. Half a line at the end waits for the rest
/// of it. With `--json` the stored lines are written, byte for byte.
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

pub fn run(_args: &Args, _out: &mut Output) -> Result<Exit> {
    Err(Error::not_built("tail"))
}
