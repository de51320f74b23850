//! `sess diff`.

mod columns;
mod json;
mod page;
#[cfg(feature = "view")]
mod screen;
mod top;
mod unified;

use std::io;
use std::path::{Path, PathBuf};

use clap::ValueHint;

use super::error::{Error, Result};
use super::exit::Exit;
use super::output::Output;
use super::refusal;
use super::source::{Source, is_stdin};
use crate::look::diff::{Diff, Item, Reading, Row, Side, SideError};
use crate::session::Warning;
use crate::session::peek;

const EXAMPLES: &str = "\
Examples:
  sess diff good.jsonl bad.jsonl
  sess diff --stat good.jsonl bad.jsonl
  sess diff --replayed before.jsonl after.jsonl
  sess diff -U 0 --side-by-side good.jsonl bad.jsonl
  sess diff --view good.jsonl bad.jsonl
  sess diff --json good.jsonl bad.jsonl | jq '.[\"first-divergence\"]'";

/// Compare two transcripts message by message
///
/// Messages are the same when role, content, tool and arguments are, whatever their ids and times
/// and however their JSON is written. The first difference is named on top; inside a changed
/// message the changed lines and words are marked. The exit status is 0 when both are the same
/// and 1 when they are not.
///
/// A line that starts with `-` is left only, one with `+` right only; `~` is a message that both
/// have in different versions. The numbers are lines of the files. In changed lines, `[-…-]` and
/// `{+…+}` are the words that differ. Damaged lines are skipped and named on standard error.
///
/// With `--json`: `left` and `right` are `{path, messages, warnings}`; `same` is true or false;
/// `first-divergence` is `{left?, right?, differences}`; `hunks` are `{left, right, rows}`, where
/// `left` and `right` are `{first, count}` and a row is `{state, left?, right?, differences?}` with
/// a state of `equal`, `changed`, `only-left` or `only-right`; `counts` has one number for each
/// state. A message is `{number, line, id, type, role?}` and, where it is not equal,
/// `{content, calls?, answers?}` too. A difference is `{field, line?, byte?, call?, tool?, left?,
/// right?}`: the field may be a path such as `arguments.path`, and left and right are both values.
/// All numbers count from 1, except bytes of a content.
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
    ///
    /// Compactions and elisions are applied on both sides. A summary that only one side has is
    /// shown as a compaction.
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
    /// Ids, times and every further field of a message count as well
    #[arg(long)]
    pub strict: bool,
    /// Read both on the whole screen, aligned and moving together
    ///
    /// `n` and `N` go from difference to difference, `<` and `>` open the left or the right entry
    /// in the viewer, `?` shows all keys. The exit status says the same as without it.
    #[cfg(feature = "view")]
    #[arg(long, conflicts_with_all = ["stat", "side_by_side", "context"])]
    pub view: bool,
}

/// One side with the name it was given.
pub struct Named {
    name: PathBuf,
    #[cfg(feature = "view")]
    source: Source,
    items: Vec<Item>,
    warnings: Vec<Warning>,
}

/// Both sides, compared.
pub struct Comparison {
    left: Named,
    right: Named,
    diff: Diff,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit> {
    if is_stdin(&args.left) && is_stdin(&args.right) {
        return Err(Error::unknown("standard input can be one side only")
            .hint("the other can be a pipe of its own: `sess diff - <(…)`"));
    }
    let reading = Reading {
        replayed: args.replayed,
        strict: args.strict,
    };
    #[cfg(feature = "view")]
    if args.view {
        return screen::show(args, reading, out);
    }
    let left = read(&args.left, reading)?;
    let right = read(&args.right, reading)?;
    let diff = Diff::between(&left.items, &right.items);
    let comparison = Comparison { left, right, diff };
    complain(out, &comparison)?;
    match out.json() {
        true => {
            let text = json::text(&comparison, args.context).map_err(io::Error::from)?;
            out.json_line(&text)?;
        }
        false => write(args, out, &comparison)?,
    }
    Ok(match comparison.diff.same() {
        true => Exit::Yes,
        false => Exit::No,
    })
}

fn read(name: &Path, reading: Reading) -> Result<Named> {
    let source = Source::open(name)?;
    let file = peek::open(source.path()).map_err(|error| refusal::unseen(&source, &error))?;
    let side = Side::read(file, reading).map_err(|error| match error {
        SideError::Unreadable(error) => refusal::unreadable(&source, &error),
        error => Error::unknown(error.to_string())
            .kind(refusal::NOT_A_TRANSCRIPT)
            .at(name)
            .hint(refusal::hint_about(name)),
    })?;
    Ok(Named {
        name: name.to_owned(),
        #[cfg(feature = "view")]
        source,
        items: side.items,
        warnings: side.warnings,
    })
}

fn complain(out: &mut Output, comparison: &Comparison) -> io::Result<()> {
    for side in [&comparison.left, &comparison.right] {
        for warning in &side.warnings {
            let error = Error::no(warning.message.as_str());
            out.complain(&error.at(&side.name).line(warning.line))?;
        }
    }
    Ok(())
}

fn write(args: &Args, out: &mut Output, comparison: &Comparison) -> io::Result<()> {
    let Some(divergence) = comparison.diff.first_divergence() else {
        return top::write_same(out, comparison);
    };
    out.paged()?;
    top::write_names(out, comparison)?;
    top::write_divergence(out, comparison, divergence)?;
    match (args.stat, args.side_by_side) {
        (true, _) => top::write_counts(out, comparison),
        (_, true) => columns::write(out, comparison, args.context),
        _ => unified::write(out, comparison, args.context),
    }
}

impl Comparison {
    fn left_of(&self, row: &Row) -> Option<&Item> {
        self.left.items.get(row.left()?)
    }

    fn right_of(&self, row: &Row) -> Option<&Item> {
        self.right.items.get(row.right()?)
    }

    /// How many digits the largest line number has.
    fn digits(&self) -> usize {
        let items = self.left.items.iter().chain(&self.right.items);
        let largest = items.map(|item| item.line).max().unwrap_or_default();
        largest.to_string().len()
    }
}
