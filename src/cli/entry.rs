//! From the words to the exit status.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::look::visible;

use super::args::{self, Cli, Command};
use super::error::{Error, Result};
use super::exit::Exit;
use super::output::Output;
#[cfg(feature = "view")]
use super::view;
use super::{check, completions, diff, export, man, peek, pending, repair, replay, resolve, tail};

/// Runs the command with the words it was called with, the program's name first.
pub fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    match args::parse(words, is_viewable) {
        Ok(cli) => run(&cli).into(),
        Err(error) => explain(&error).into(),
    }
}

/// Whether a file alone opens the viewer.
fn is_viewable() -> bool {
    #[cfg(feature = "view")]
    return view::is_possible();
    #[cfg(not(feature = "view"))]
    return false;
}

fn run(cli: &Cli) -> Exit {
    let mut out = Output::standard(&cli.global);
    let outcome = dispatch(&cli.command, &mut out);
    let outcome = match outcome {
        Err(error) if cli.command.answers_in_one_document() => Err(documented(error, &mut out)),
        other => other,
    };
    // Complaints come after the output, and after the pager.
    let written = out.finish().map_err(Error::from);
    match outcome.and_then(|exit| written.map(|()| exit)) {
        Ok(exit) => exit,
        Err(error) => {
            // Nobody is left to tell that standard error does not work.
            let _ = error.report(cli.global.quiet, &mut io::stderr().lock());
            error.exit()
        }
    }
}

/// With `--json` a document is answered in any case: where there is none of what was asked for, one
/// that says why.
fn documented(error: Error, out: &mut Output) -> Error {
    let is_due = out.json() && !out.has_written();
    let document = error.json().filter(|_| is_due);
    let written = document.map_or(Ok(()), |document| out.json_line(document.text()));
    written.err().map_or(error, Error::from)
}

fn dispatch(command: &Command, out: &mut Output) -> Result<Exit> {
    match command {
        Command::Peek(args) => peek::run(args, out),
        Command::Tail(args) => tail::run(args, out),
        Command::Replay(args) => replay::run(args, out),
        Command::Diff(args) => diff::run(args, out),
        Command::Pending(args) => pending::run(args, out),
        Command::Resolve(args) => resolve::run(args, out),
        Command::Check(args) => check::run(args, out),
        Command::Repair(args) => repair::run(args, out),
        Command::Completions(args) => completions::run(args, out),
        Command::Man(args) => man::run(args, out),
        #[cfg(feature = "view")]
        Command::View(args) => view::run(args, out),
        Command::Export(args) => export::run(args, out),
    }
}

/// Prints what clap has to say: help and version on standard output, wrong usage on standard error.
/// Wrong usage quotes words, and a word may be a file name that a shell put there.
fn explain(error: &clap::Error) -> Exit {
    // A broken pipe is success here too.
    if error.exit_code() == 0 {
        let _ = error.print();
        return Exit::Yes;
    }
    let said = error.render().to_string();
    let _ = io::stderr().write_all(visible::lines(&said).as_bytes());
    Exit::Unknown
}
