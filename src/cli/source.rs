//! The transcript that a command names: a file, or standard input.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::ValueHint;
use tempfile::TempPath;

use super::error::{Error, Result};

/// The variable that stands for FILE where it is left out.
pub const FILE_VARIABLE: &str = "SESS_FILE";

/// One transcript to read.
#[derive(Clone, Debug, clap::Args)]
pub struct FileArg {
    /// The transcript; `-` reads standard input
    #[arg(value_name = "FILE", env = FILE_VARIABLE, hide_env_values = true)]
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
}

/// Several transcripts to read.
#[derive(Clone, Debug, clap::Args)]
pub struct FilesArg {
    /// The transcripts; `-` reads standard input
    #[arg(value_name = "FILE", env = FILE_VARIABLE, hide_env_values = true)]
    #[arg(value_hint = ValueHint::FilePath, required = true)]
    pub files: Vec<PathBuf>,
}

/// One transcript to change.
#[derive(Clone, Debug, clap::Args)]
pub struct TargetArg {
    /// The transcript
    #[arg(value_name = "FILE", env = FILE_VARIABLE, hide_env_values = true)]
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
}

/// A transcript to read, as a file on the disk. What comes through a pipe is copied into a temporary
/// file, which only its owner can read and which goes away with this value.
#[derive(Debug)]
pub struct Source {
    name: PathBuf,
    copy: Option<TempPath>,
}

impl Source {
    /// `named` on the command line. Only a pipe is read here; a file is not touched.
    pub fn open(named: &Path) -> Result<Self> {
        let copy = match is_piped(named) {
            true => {
                let copy = stream(named).and_then(|mut pipe| copied(&mut pipe));
                let failed = |error| Error::unknown(format!("cannot read it: {error}")).at(named);
                Some(copy.map_err(failed)?)
            }
            false => None,
        };
        Ok(Self {
            name: named.to_owned(),
            copy,
        })
    }

    /// Where its bytes are.
    pub fn path(&self) -> &Path {
        self.copy.as_deref().unwrap_or(&self.name)
    }

    /// What it is called in messages and in `--json`: as typed, so `-` for standard input.
    pub fn name(&self) -> &Path {
        &self.name
    }
}

/// `named` for one pass over its bytes. A pipe is read as it comes, not copied.
pub fn stream(named: &Path) -> io::Result<Box<dyn Read>> {
    Ok(match is_piped(named) {
        true if is_stdin(named) => Box::new(io::stdin().lock()),
        true => Box::new(File::open(named)?),
        false => Box::new(regular(named)?),
    })
}

/// Whether `named` can be read once and names nothing to another command: standard input, or a pipe
/// that this process was started with, as a shell's `<(…)` is.
pub fn is_piped(named: &Path) -> bool {
    let inherited = named.starts_with("/dev/fd") || named.starts_with("/proc/self/fd");
    is_stdin(named) || inherited && fs::metadata(named).is_ok_and(|it| is_fifo(&it))
}

#[cfg(unix)]
fn is_fifo(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type())
}

#[cfg(not(unix))]
fn is_fifo(_: &fs::Metadata) -> bool {
    false
}

/// Opens a file that has a beginning and an end. A pipe may have neither, and to open one waits
/// for a writer.
pub fn regular(path: &Path) -> io::Result<File> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::ErrorKind::NotSeekable.into());
    }
    File::open(path)
}

/// Whether `named` stands for standard input.
pub fn is_stdin(named: &Path) -> bool {
    named == Path::new("-")
}

/// `named` for a command that needs the file itself, to change it or to wait for more of it.
pub fn on_disk(named: &Path) -> Result<&Path> {
    match is_piped(named) {
        false => Ok(named),
        true if is_stdin(named) => Err(Error::unknown(
            "standard input will not do, a file is needed",
        )
        .kind("piped")
        .hint("a file of that name is `./-`")),
        true => Err(Error::unknown("a pipe will not do, a file is needed")
            .kind("piped")
            .at(named)
            .hint("keep what comes through it in a file, and name that")),
    }
}

fn copied(input: &mut impl Read) -> io::Result<TempPath> {
    let mut file = tempfile::Builder::new()
        .prefix("sess-stdin-")
        .suffix(".jsonl")
        .tempfile()?;
    io::copy(input, &mut file)?;
    Ok(file.into_temp_path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_piped_in_is_a_file_while_it_is_needed() {
        let copy = copied(&mut &b"{}\n"[..]).unwrap();
        let path = copy.to_path_buf();
        assert_eq!(std::fs::read(&path).unwrap(), b"{}\n");
        drop(copy);
        assert!(!path.exists());
    }

    #[test]
    fn a_file_keeps_its_name_and_is_not_touched() {
        let source = Source::open(Path::new("no/such.jsonl")).unwrap();
        assert_eq!(source.path(), Path::new("no/such.jsonl"));
        assert_eq!(source.name(), source.path());
    }

    #[test]
    fn standard_input_cannot_be_changed() {
        assert!(on_disk(Path::new("-")).is_err());
        assert_eq!(on_disk(Path::new("./-")).unwrap(), Path::new("./-"));
    }
}
