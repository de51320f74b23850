//! `sess check`.

use super::error::{Error, Result};
use super::exit::Exit;
use super::output::Output;
use super::source::FilesArg;

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

pub fn run(_args: &Args, _out: &mut Output) -> Result<Exit> {
    Err(Error::not_built("check"))
}
