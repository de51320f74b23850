//! `sess man`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Command, CommandFactory, ValueHint};
use clap_mangen::Man;

use super::args::Cli;
use super::error::Result;
use super::exit::{self, Exit};
use super::output::Output;

const EXAMPLES: &str = "\
Examples:
  sess man ~/.local/share/man/man1";

/// Write the manual pages, one per command
///
/// The pages say the same as `sess help` and are made from the same definitions. The folder is
/// made if it is not there; pages that are there are replaced.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Where to
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit> {
    fs::create_dir_all(&args.folder).with_context(|| writing(&args.folder))?;
    let mut sess = Cli::command().disable_help_subcommand(true);
    sess.build();
    write_page(&sess, &args.folder)?;
    for command in sess.get_subcommands() {
        write_page(command, &args.folder)?;
    }
    let pages = 1 + sess.get_subcommands().count();
    out.note(&format!("{pages} pages written"))?;
    Ok(Exit::Yes)
}

fn write_page(command: &Command, folder: &Path) -> Result<()> {
    let man = Man::new(command.clone());
    let path = folder.join(man.get_filename());
    let page = page(command, &man).with_context(|| writing(&path))?;
    fs::write(&path, page).with_context(|| writing(&path))?;
    Ok(())
}

/// The sections of clap_mangen, with those that follow the help under their usual names.
fn page(command: &Command, man: &Man) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let after = command.get_after_help().map(|text| text.to_string());
    for section in after.iter().flat_map(|text| text.split("\n\n")) {
        write_section(section, &mut page)?;
    }
    if !after.is_some_and(|text| text.contains(exit::HELP)) {
        write_section(exit::HELP, &mut page)?;
    }
    Ok(page)
}

/// A heading with a colon and lines under it, as they are.
fn write_section(text: &str, page: &mut impl Write) -> io::Result<()> {
    let (heading, lines) = text.split_once(":\n").unwrap_or(("Notes", text));
    writeln!(page, ".SH \"{}\"\n.nf", heading.to_uppercase())?;
    for line in lines.lines() {
        // `\&` keeps a leading point or quote from being a request.
        writeln!(page, "\\&{}", line.replace('\\', "\\e").replace('-', "\\-"))?;
    }
    writeln!(page, ".fi")
}

fn writing(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
