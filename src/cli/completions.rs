//! `sess completions`.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use super::args::Cli;
use super::error::Result;
use super::exit::Exit;
use super::output::Output;

const EXAMPLES: &str = "\
Examples:
  sess completions bash > ~/.local/share/bash-completion/completions/sess
  sess completions zsh > ~/.zfunc/_sess
  sess completions fish > ~/.config/fish/completions/sess.fish";

/// Print the script that completes `sess` in a shell
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit> {
    // The generator panics where it cannot write, so it gets a buffer.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "sess", &mut script);
    out.write_all(&script)?;
    Ok(Exit::Yes)
}
