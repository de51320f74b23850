//! The `sess` command: arguments, output, exit codes.
//!
//! One file per subcommand, each with its arguments (whose doc comment is the manual) on top and
//! its `run` below. The rest is the frame they stand in:
//!
//! - [`main`] parses the words, runs one command and turns its outcome into an exit status;
//! - `args` holds what was typed, `source` the transcript it names;
//! - `output` is the only way to standard output: terminal or not, colour, width, pager;
//! - `error` is the only way to standard error, `exit` the meaning of the status;
//! - `layout` puts text into rows;
//! - `calls` shows calls without a known end;
//! - `time` and `prefix` are words that several commands need.
//!
//! Nothing in here is promised to other programs; what the command promises is its arguments,
//! its output with `--json` and its exit status.

#![expect(
    dead_code,
    reason = "the commands that use the whole frame are not built"
)]

mod args;
mod at;
mod calls;
mod entry;
mod error;
mod exit;
mod layout;
mod output;
mod pager;
mod prefix;
mod signal;
mod source;
mod terminal;
mod time;

mod check;
mod completions;
mod diff;
mod man;
mod peek;
mod pending;
mod repair;
mod replay;
mod resolve;
mod tail;

pub use entry::main;
