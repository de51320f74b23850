//! `sess repair`.

use super::error::{Error, Result};
use super::exit::Exit;
use super::output::Output;
use super::source::{TargetArg, on_disk};

const EXAMPLES: &str = "\
Examples:
  sess repair --dry-run run.jsonl
  sess repair run.jsonl";

/// Mend the end of a transcript as loading it would
///
/// Removes a torn last line and keeps a copy of what was removed beside the transcript, or adds
/// the missing last line feed, and says what it did. Damage anywhere else is not touched; the exit
/// status is then 1. A writer that has the transcript makes this a refusal (3).
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    pub target: TargetArg,
    /// Say what would be done, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

pub fn run(args: &Args, _out: &mut Output) -> Result<Exit> {
    on_disk(&args.target.file)?;
    Err(Error::not_built("repair"))
}
