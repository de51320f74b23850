//! `sess peek`.

use regex::Regex;

use crate::Role;

use super::error::{Error, Result};
use super::exit::Exit;
use super::output::Output;
use super::source::FileArg;

const EXAMPLES: &str = "\
Examples:
  sess run.jsonl                       the header and one line per entry
  sess peek run.jsonl --type compaction
  sess peek run.jsonl --tool fs_write --full
  sess peek run.jsonl --grep 'error|panic' --role tool
  sess peek --json - < run.jsonl | jq .messages";

/// Show what a transcript says, in the order of the file
///
/// First a header: what the run said about itself, size, entries by type, first and last time,
/// tokens, open operations and damage. Then the entries, one line each. Nothing in the file stops
/// this: damage is shown where it is, and the entries after it follow.
///
/// The filters choose entries; several of one kind mean any of them, different kinds mean all of
/// them. They never change the order. With a filter that matches nothing the exit status is 1.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    pub source: FileArg,
    /// Show at most N entries
    #[arg(short = 'n', long, value_name = "N")]
    pub lines: Option<usize>,
    /// Only entries of this type, such as `message` or `compaction`
    #[arg(long = "type", value_name = "TYPE")]
    pub types: Vec<String>,
    /// Only messages of this role: system, user, assistant or tool
    #[arg(long = "role", value_name = "ROLE")]
    pub roles: Vec<Role>,
    /// Only calls of this tool and their answers
    #[arg(long = "tool", value_name = "NAME")]
    pub tools: Vec<String>,
    /// Only entries whose text matches this regular expression
    #[arg(long, value_name = "REGEX")]
    pub grep: Option<Regex>,
    /// Show whole texts
    #[arg(long, conflicts_with = "raw")]
    pub full: bool,
    /// Show the stored lines themselves, byte for byte, without the header
    #[arg(long, conflicts_with = "json")]
    pub raw: bool,
}

pub fn run(_args: &Args, _out: &mut Output) -> Result<Exit> {
    Err(Error::not_built("peek"))
}
