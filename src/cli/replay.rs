//! `sess replay`.

use super::at::At;
use super::error::{Error, Result};
use super::exit::Exit;
use super::output::Output;
use super::source::FileArg;

const EXAMPLES: &str = "\
Examples:
  sess replay run.jsonl
  sess replay run.jsonl --at 120               as of line 120
  sess replay run.jsonl --at 7f3a              as of the line whose id starts so
  sess replay run.jsonl --at '2026-01-02 14:03'
  sess replay run.jsonl --steps
  sess replay run.jsonl --step 2
  sess replay --json run.jsonl | jq '.messages | length'";

/// Show the conversation that the model would be sent next
///
/// That is what loading the transcript answers: compactions and elisions are applied, and what
/// they took away is not shown. The file is not touched. When it could not be loaded, this says
/// why; the exit status is then 1, or 2 when the file is no transcript.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    pub source: FileArg,
    /// As of a line number, a line's id or a time in UTC
    #[arg(long, value_name = "LINE|ID|TIME")]
    pub at: Option<At>,
    /// List every compaction and elision, with messages and tokens before and after
    #[arg(long, conflicts_with = "step")]
    pub steps: bool,
    /// Show both sides of one of them, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub step: Option<u64>,
}

pub fn run(_args: &Args, _out: &mut Output) -> Result<Exit> {
    Err(Error::not_built("replay"))
}
