//! `sess repair`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::look::visible;
use crate::session::{Plan, Repaired};
use crate::{Json, Session};

use super::error::{Error, Result, load_json};
use super::exit::Exit;
use super::output::Output;
use super::source::{TargetArg, on_disk};
use super::time;

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

pub fn run(args: &Args, out: &mut Output) -> Result<Exit> {
    let file = on_disk(&args.target.file)?;
    let repaired = match args.dry_run {
        true => Session::options().plan_repair(file),
        false => Session::options().repair(file),
    };
    match (repaired, out.json()) {
        (Ok(repaired), true) => out.json_line(repaired_json(file, &repaired).text())?,
        (Ok(repaired), false) => tell(file, &repaired, args.dry_run, out)?,
        (Err(error), json) => {
            if json {
                out.json_line(load_json(file, &error).text())?;
            }
            return Err(Error::load(file, &error));
        }
    }
    Ok(Exit::Yes)
}

fn tell(file: &Path, repaired: &Repaired, dry_run: bool, out: &mut Output) -> io::Result<()> {
    let name = visible::path(file);
    match repaired.plan {
        Plan::Nothing => writeln!(out, "{name}: nothing to repair"),
        Plan::AddNewline { .. } => {
            let added = if dry_run { "would add" } else { "added" };
            writeln!(out, "{name}: {added} the missing line break at the end")
        }
        Plan::CutTail { line, offset } => {
            let cut = if dry_run { "would cut" } else { "cut" };
            let bytes = time::counted(repaired.removed_bytes, "byte", "bytes");
            writeln!(
                out,
                "{name}: {cut} the torn last line: line {line}, {bytes} from byte {offset} on"
            )?;
            match &repaired.kept_at {
                Some(kept) => writeln!(out, "  kept in {}", visible::path(&nearer(kept))),
                None if dry_run => writeln!(out, "  they would be kept in a file beside it"),
                None => Ok(()),
            }
        }
    }
}

/// A path as seen from the folder that the command was called in.
fn nearer(path: &Path) -> PathBuf {
    let here = std::env::current_dir().and_then(fs::canonicalize);
    let inside = here.ok().and_then(|here| path.strip_prefix(here).ok());
    inside.unwrap_or(path).to_owned()
}

fn repaired_json(file: &Path, repaired: &Repaired) -> Json {
    let mut members = vec![("path", Json::string(&file.to_string_lossy()))];
    let action = match repaired.plan {
        Plan::Nothing => "none",
        Plan::AddNewline { .. } => "added-newline",
        Plan::CutTail { line, offset } => {
            members.push(("line", Json::from(line)));
            members.push(("offset", Json::from(offset)));
            members.push(("removed-bytes", Json::from(repaired.removed_bytes)));
            "cut-tail"
        }
    };
    members.push(("action", Json::string(action)));
    let kept_at = repaired.kept_at.as_ref();
    members.extend(kept_at.map(|kept| ("kept-at", Json::string(&kept.to_string_lossy()))));
    Json::object(members)
}
