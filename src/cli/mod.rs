//! The `sess` command: arguments, output, exit codes.
//!
//! One file per subcommand, each with its arguments (whose doc comment is the manual) on top and
//! its `run` below. The rest is the frame they stand in:
//!
//! - [`main`] parses the words, runs one command and turns its outcome into an exit status;
//! - `args` holds what was typed, `source` the transcript it names;
//! - `output` is the only way to standard output: terminal or not, colour, width, pager;
//! - `error` is the only way to standard error, `exit` the meaning of the status;
//! - `rows` shows entries one per line, `full` all they hold, `header` what a transcript amounts to,
//!   `calls` calls without a known end; `layout` puts text into rows;
//! - `filter` chooses entries, `refusal` says why a file cannot be looked at;
//! - `at` and `prefix` are words that several commands need; `time` is how
//!   [`look::human`](crate::look::human) is called here.
//!
//! Nothing in here is promised to other programs; what the command promises is its arguments,
//! its output with `--json` and its exit status.

mod args;
mod artifact;
mod at;
mod calls;
mod entry;
mod error;
mod exit;
mod filter;
mod full;
mod header;
mod layout;
mod output;
mod pager;
mod prefix;
mod reader;
mod refusal;
mod rows;
mod signal;
mod source;
mod terminal;

mod check;
mod completions;
mod conversation;
mod diff;
mod export;
mod man;
mod peek;
mod peek_json;
mod pending;
mod repair;
mod replay;
mod replay_json;
mod resolution;
mod resolve;
mod settled;
mod step_view;
mod tail;
#[cfg(feature = "view")]
mod view;

pub use entry::main;

use crate::look::human as time;
