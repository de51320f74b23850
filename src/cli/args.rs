//! The words of the command line: what every command has in common, and which commands there are.

use std::ffi::{OsStr, OsString};
use std::path::{MAIN_SEPARATOR, Path};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand};

use super::source::{FILE_VARIABLE, is_stdin};
use super::terminal::Color;
#[cfg(feature = "view")]
use super::view;
use super::{
    check, completions, diff, exit, export, man, peek, pending, repair, replay, resolve, tail,
};

/// Look at agent transcripts, and mend them when told to
///
/// A transcript is an append-only file of JSON lines, one run of an agent per file. Every command
/// but `resolve` and `repair` only reads, takes no lock and never waits for a writer.
///
/// `sess FILE` opens the viewer on a terminal, and is short for `sess peek FILE` elsewhere; a file
/// that has the name of a command is written `./NAME`. `-` reads standard input where reading makes
/// sense, and the variable SESS_FILE stands for FILE where it is left out. Lines, operations and calls may be named by the start of their
/// id, as long as only one starts so. Times are in UTC.
#[derive(Debug, Parser)]
#[command(name = "sess", version, after_help = exit::HELP, max_term_width = 100)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    subcommand_value_name = "COMMAND",
    subcommand_help_heading = "Commands"
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Options that every command takes.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Write JSON for other programs
    #[arg(long, global = true)]
    pub json: bool,
    /// When to use colour
    ///
    /// NO_COLOR and CLICOLOR_FORCE are honoured where this is `auto`.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        value_enum
    )]
    pub color: Color,
    /// Leave out notes and hints
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Do not send long output through a pager
    ///
    /// On a terminal it goes through SESS_PAGER, else PAGER, else `less -FRX`. An empty name or
    /// `cat` means none.
    #[arg(long, global = true)]
    pub no_pager: bool,
}

/// The commands, in the order in which the help lists them.
#[derive(Debug, Subcommand)]
pub enum Command {
    #[cfg(feature = "view")]
    View(view::Args),
    Peek(peek::Args),
    Tail(tail::Args),
    Replay(replay::Args),
    Diff(diff::Args),
    Pending(pending::Args),
    Resolve(resolve::Args),
    Check(check::Args),
    Repair(repair::Args),
    Export(export::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Command {
    /// Whether it has one JSON document to give. The others give lines or a list, which may be
    /// empty, or no JSON at all.
    pub fn answers_in_one_document(&self) -> bool {
        matches!(
            self,
            Command::Peek(_)
                | Command::Replay(_)
                | Command::Diff(_)
                | Command::Resolve(_)
                | Command::Repair(_)
                | Command::Export(_)
        )
    }
}

/// The commands for which a file alone stands: the first one on a terminal, as far as its options
/// allow, the second one anywhere.
const DEFAULT_COMMANDS: [&str; 2] = ["view", "peek"];

/// Parses the words of a command line, the program's name first. The error is also how help and
/// version are asked for.
pub fn parse(
    words: impl Iterator<Item = OsString>,
    on_terminal: impl Fn() -> bool,
) -> Result<Cli, clap::Error> {
    let mut words: Vec<OsString> = words.collect();
    let error = match Cli::try_parse_from(&words) {
        Ok(cli) => return Ok(cli),
        Err(error) => error,
    };
    let has_file_variable = || std::env::var_os(FILE_VARIABLE).is_some_and(|file| !file.is_empty());
    match place_of_command(&words, &error, has_file_variable) {
        Some(place) => {
            let [viewer, anywhere] = DEFAULT_COMMANDS;
            words.insert(place, viewer.into());
            if on_terminal()
                && let Ok(cli) = Cli::try_parse_from(&words)
                && !cli.global.json
            {
                return Ok(cli);
            }
            words[place] = anywhere.into();
            Cli::try_parse_from(&words)
        }
        None => Err(error),
    }
}

/// Where the command was left out, if it was: in front of a word that names a file, or at the end
/// when the environment names one.
fn place_of_command(
    words: &[OsString],
    error: &clap::Error,
    has_file_variable: impl Fn() -> bool,
) -> Option<usize> {
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand)
            else {
                return None;
            };
            let is_it = |word: &OsString| word.to_string_lossy() == unknown.as_str();
            let place = 1 + words.iter().skip(1).position(is_it)?;
            let asks_for_help = words.iter().take(place).any(|word| word == "help");
            let file = words.get(place).filter(|word| names_a_file(word));
            file.filter(|_| !asks_for_help).map(|_| place)
        }
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            has_file_variable().then_some(words.len())
        }
        _ => None,
    }
}

/// A word that is no command may be a misspelt one. It is a file when it exists or looks like one.
fn names_a_file(word: &OsStr) -> bool {
    let path = Path::new(word);
    let spelt = word.to_string_lossy();
    is_stdin(path) || spelt.contains(['.', '/', MAIN_SEPARATOR]) || path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parsed(line: &str) -> Result<Cli, ErrorKind> {
        parsed_on(false, line)
    }

    fn parsed_on(terminal: bool, line: &str) -> Result<Cli, ErrorKind> {
        parse(line.split(' ').map(OsString::from), || terminal).map_err(|error| error.kind())
    }

    #[test]
    fn the_definitions_are_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_file_alone_is_peeked_at() {
        for line in [
            "sess run.jsonl",
            "sess ./check",
            "sess -",
            "sess --json run.jsonl",
            "sess --color never run.jsonl -n 5 --role tool",
        ] {
            let command = parsed(line).map(|cli| cli.command);
            assert!(
                matches!(command, Ok(Command::Peek(_))),
                "{line}: {command:?}"
            );
        }
    }

    #[test]
    #[cfg(feature = "view")]
    fn a_file_alone_on_a_terminal_is_viewed_unless_its_options_are_those_of_peek() {
        for line in ["sess run.jsonl", "sess --color never run.jsonl", "sess -"] {
            let command = parsed_on(true, line).map(|cli| cli.command);
            assert!(
                matches!(command, Ok(Command::View(_))),
                "{line}: {command:?}"
            );
        }
        for line in ["sess --json run.jsonl", "sess run.jsonl -n 5"] {
            let command = parsed_on(true, line).map(|cli| cli.command);
            assert!(
                matches!(command, Ok(Command::Peek(_))),
                "{line}: {command:?}"
            );
        }
    }

    #[test]
    fn a_misspelt_command_is_not_taken_for_a_file() {
        assert_eq!(
            parsed("sess pek run.jsonl").err(),
            Some(ErrorKind::InvalidSubcommand)
        );
        assert_eq!(
            parsed("sess help run.jsonl").err(),
            Some(ErrorKind::InvalidSubcommand)
        );
    }

    #[test]
    fn global_options_stand_before_or_after_the_command() {
        for line in ["sess --json -q peek a.jsonl", "sess peek a.jsonl --json -q"] {
            let global = parsed(line).unwrap().global;
            assert!(global.json && global.quiet, "{line}");
        }
    }

    #[test]
    fn nothing_at_all_asks_for_help() {
        assert_eq!(
            place_of_command(
                &["sess".into()],
                &Cli::try_parse_from(["sess"]).unwrap_err(),
                || false
            ),
            None
        );
    }

    #[test]
    fn the_variable_makes_up_for_a_missing_file() {
        for words in [vec!["sess"], vec!["sess", "--json"]] {
            let error = Cli::try_parse_from(&words).unwrap_err();
            let count = words.len();
            let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
            assert_eq!(place_of_command(&words, &error, || true), Some(count));
        }
    }
}
