//! The `sess` command. Everything it does is `sess::cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    sess::cli::main(std::env::args_os())
}
