//! `sess view`.

use std::io::{self, IsTerminal};

use crate::session::peek::open;
use crate::view;

use super::error::{Error, Result};
use super::exit::Exit;
use super::output::Output;
use super::refusal;
use super::source::{FileArg, Source, is_piped};
use super::tail;

const EXAMPLES: &str = "\
Examples:
  sess run.jsonl                       on a terminal
  sess view run.jsonl
  zstd -dc run.jsonl.zst | sess view -

Keys:
  ? shows all of them; j k move, Enter unfolds, e E go to errors, p to calls
  without an end, s shows what the model saw there, / searches, f filters, q quits";

/// Read a transcript on the whole screen
///
/// The end is shown at once, whatever the size of the file, and followed as long as the cursor
/// stands on it. Nothing is ever written to the file. `sess FILE` on a terminal does the same.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    pub source: FileArg,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit> {
    if out.json() {
        return Err(
            Error::unknown("the viewer shows a screen, it writes no JSON")
                .hint("`sess peek --json` does"),
        );
    }
    if !is_possible() {
        return Err(Error::unknown("the viewer needs a terminal")
            .hint("`sess peek` writes what it shows to anywhere"));
    }
    let source = Source::open(&args.source.file)?;
    let mut file = open(source.path()).map_err(|error| refusal::unseen(&source, &error))?;
    let unreadable = |error: io::Error| refusal::unreadable(&source, &error);
    if let Some(reason) = tail::refused(&file, true).map_err(unreadable)? {
        return Err(refusal::not_a_transcript(&source, &mut file, &reason.text));
    }
    let options = view::Options {
        colour: out.ink().is_coloured(),
        follow: !is_piped(source.name()),
    };
    view::run(source.path(), options).map_err(unreadable)?;
    Ok(Exit::Yes)
}

/// Whether somebody looks, and can press keys.
pub fn is_possible() -> bool {
    io::stdout().is_terminal() && (io::stdin().is_terminal() || has_terminal())
}

/// Whether keys can be had though standard input is something else.
fn has_terminal() -> bool {
    cfg!(unix) && std::fs::File::open("/dev/tty").is_ok()
}
