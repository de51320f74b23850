//! `sess pending`.

use super::error::{Error, Result};
use super::exit::Exit;
use super::output::Output;
use super::source::FilesArg;

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

pub fn run(_args: &Args, _out: &mut Output) -> Result<Exit> {
    Err(Error::not_built("pending"))
}
