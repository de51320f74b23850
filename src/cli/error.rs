//! What goes wrong, as a person reads it on standard error:
//!
//! ```text
//! sess: run.jsonl:17: the line is cut off
//! hint: `sess repair run.jsonl` removes it and keeps a copy
//! ```
//!
//! Errors of the library become an [`Error`] in this file: here is where hints are worded.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::Json;
use crate::look::visible;
use crate::session::{AppendError, LoadError};

use super::exit::Exit;
use super::refusal;
use super::source::is_piped;

/// Why a command ended early.
#[derive(Debug)]
pub enum Error {
    /// Nothing needs to be said: the reader of the output went away, or the person interrupted.
    Silent(Exit),
    /// This has to be said.
    Said(Box<Complaint>),
}

/// One thing that went wrong, where, and what can be done about it.
#[derive(Debug)]
pub struct Complaint {
    exit: Exit,
    kind: Option<&'static str>,
    file: Option<PathBuf>,
    line: Option<u64>,
    what: String,
    hints: Vec<String>,
}

/// What every command returns.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// `what` went wrong, without a full stop; `exit` is what the shell is told.
    pub fn new(exit: Exit, what: impl Into<String>) -> Self {
        Self::Said(Box::new(Complaint {
            exit,
            kind: None,
            file: None,
            line: None,
            what: what.into(),
            hints: Vec::new(),
        }))
    }

    /// The answer is no, or nothing matched.
    pub fn no(what: impl Into<String>) -> Self {
        Self::new(Exit::No, what)
    }

    /// The answer cannot be told.
    pub fn unknown(what: impl Into<String>) -> Self {
        Self::new(Exit::Unknown, what)
    }

    /// A transcript that the system does not give out.
    pub fn unreadable(file: &Path, error: &io::Error) -> Self {
        let (kind, what) = why_unreadable(error);
        let hint = way_out(file, &what);
        Self::unknown(what).kind(kind).at(file).hint(hint)
    }

    /// A transcript that cannot be loaded. It is called as it was `typed`, unless the trouble is
    /// with a file beside it.
    pub fn load(typed: &Path, error: &LoadError) -> Self {
        let exit = match error {
            LoadError::Locked { .. } | LoadError::StageBlocked { .. } => Exit::Refused,
            LoadError::NoFile { .. } | LoadError::Io { .. } => Exit::Unknown,
            error if error.is_not_a_transcript() => Exit::Unknown,
            _ => Exit::No,
        };
        let said = Self::new(exit, error.reason()).at(as_typed(typed, error.path()));
        let said = error.line().into_iter().fold(said, Self::line);
        match error {
            LoadError::NoFile { found, .. } => return said.hint(way_out(typed, found)),
            LoadError::Io { .. } => return said.hint(way_out(typed, "")),
            _ if exit == Exit::Unknown => return said.hint(refusal::hint_about(typed)),
            _ if exit != Exit::No => return said,
            _ => {}
        }
        let name = match is_piped(typed) {
            true => "-".to_owned(),
            false => visible::path(typed),
        };
        said.hint(format!(
            "`sess check {name}` lists everything that is wrong"
        ))
        .hint(format!("`sess peek {name}` shows what can be read"))
    }

    /// A line that could not be appended to a transcript.
    pub fn append(typed: &Path, error: &AppendError) -> Self {
        match error {
            AppendError::Refused(fault) => Self::no(fault.to_string()),
            AppendError::Io { source, .. } => Self::unknown(format!("cannot append: {source}")),
            other => Self::unknown(other.to_string()),
        }
        .at(typed)
    }

    /// Names the file it is about.
    pub fn at(mut self, file: impl Into<PathBuf>) -> Self {
        if let Self::Said(complaint) = &mut self {
            complaint.file = Some(file.into());
        }
        self
    }

    /// Names the line it is about, counted from 1.
    pub fn line(mut self, line: u64) -> Self {
        if let Self::Said(complaint) = &mut self {
            complaint.line = Some(line);
        }
        self
    }

    /// Adds one thing that the reader can do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        if let Self::Said(complaint) = &mut self {
            complaint.hints.push(hint.into());
        }
        self
    }

    /// The same, where there is nothing yet that the reader can do.
    pub fn or_hint(self, hint: impl Into<String>) -> Self {
        match &self {
            Self::Said(complaint) if complaint.hints.is_empty() => self.hint(hint),
            _ => self,
        }
    }

    /// Names what it is for machine output. Without this it goes by its exit status.
    pub fn kind(mut self, kind: &'static str) -> Self {
        if let Self::Said(complaint) = &mut self {
            complaint.kind = Some(kind);
        }
        self
    }

    /// What `--json` says of it: `{path?, error: {kind, message, line?}}`.
    pub fn json(&self) -> Option<Json> {
        let Self::Said(complaint) = self else {
            return None;
        };
        let by_exit = match complaint.exit {
            Exit::No => "nothing-matched",
            Exit::Refused => "refused",
            _ => "could-not-tell",
        };
        let mut members = vec![
            ("kind", Json::string(complaint.kind.unwrap_or(by_exit))),
            ("message", Json::string(&complaint.what)),
        ];
        members.extend(complaint.line.map(|line| ("line", Json::from(line))));
        let path = complaint.file.iter();
        let path = path.map(|file| ("path", Json::string(&file.to_string_lossy())));
        Some(Json::object(path.chain([("error", Json::object(members))])))
    }

    /// What the shell is told.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Silent(exit) => *exit,
            Self::Said(complaint) => complaint.exit,
        }
    }

    /// Says it. With `quiet` the hints are left out.
    pub fn report(&self, quiet: bool, err: &mut impl Write) -> io::Result<()> {
        let Self::Said(complaint) = self else {
            return Ok(());
        };
        err.write_all(b"sess: ")?;
        if let Some(file) = &complaint.file {
            write!(err, "{}:", visible::path(file))?;
            if let Some(line) = complaint.line {
                write!(err, "{line}:")?;
            }
            err.write_all(b" ")?;
        }
        writeln!(err, "{}", visible::one_line(&complaint.what))?;
        for hint in complaint.hints.iter().filter(|_| !quiet) {
            writeln!(err, "hint: {}", visible::one_line(hint))?;
        }
        Ok(())
    }
}

/// What can be done where a file cannot be opened, by what was `found` in its place.
pub fn way_out(file: &Path, found: &str) -> String {
    let path = visible::path(file);
    match found {
        "this is a folder" => format!("`ls {path}` shows what is in it"),
        "this is no regular file" => {
            format!("a pipe is read through standard input: `sess - < {path}`")
        }
        "no such file" | "the link leads nowhere" => {
            "check the path; `sess tail -f --wait` waits for a file to come".to_owned()
        }
        _ => "check the path, and who may use it with `ls -l`".to_owned(),
    }
}

/// Why a transcript cannot be read: the kind as machine output names it, and in words.
pub fn why_unreadable(error: &io::Error) -> (&'static str, String) {
    match error.kind() {
        io::ErrorKind::NotFound => ("no-file", "no such file".to_owned()),
        io::ErrorKind::IsADirectory => ("no-file", "this is a folder".to_owned()),
        io::ErrorKind::NotSeekable => ("no-file", "this is no regular file".to_owned()),
        _ => ("unreadable", format!("cannot read: {error}")),
    }
}

/// What `--json` says of a transcript that the system does not give out.
pub fn unreadable_json(typed: &Path, error: &io::Error) -> Json {
    let (kind, message) = why_unreadable(error);
    let members = [
        ("kind", Json::string(kind)),
        ("message", Json::string(&message)),
    ];
    Json::object([
        ("path", Json::string(&typed.to_string_lossy())),
        ("error", Json::object(members)),
    ])
}

/// What `--json` says of a transcript that cannot be loaded.
pub fn load_json(typed: &Path, error: &LoadError) -> Json {
    let mut members = vec![
        ("kind", Json::string(error.kind())),
        ("message", Json::string(&error.reason())),
    ];
    members.extend(error.line().map(|line| ("line", Json::from(line))));
    members.extend(error.offset().map(|offset| ("offset", Json::from(offset))));
    Json::object([
        ("path", Json::string(&typed.to_string_lossy())),
        ("error", Json::object(members)),
    ])
}

fn as_typed<'a>(typed: &'a Path, named: &'a Path) -> &'a Path {
    match fs::canonicalize(typed) {
        Ok(resolved) if resolved == named => typed,
        _ => named,
    }
}

/// Standard output failed; every other file has an error type that names its path.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Silent(Exit::Yes),
            _ => Self::unknown(format!("cannot write the output: {error}")),
        }
    }
}

/// What only the command does, such as writing manual pages, has no typed errors: its causes are
/// said one after the other.
impl From<anyhow::Error> for Error {
    fn from(error: anyhow::Error) -> Self {
        Self::unknown(format!("{error:#}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_report(error: &Error, quiet: bool, expected: &str) {
        let mut said = Vec::new();
        error.report(quiet, &mut said).unwrap();
        assert_eq!(String::from_utf8(said).unwrap(), expected);
    }

    #[test]
    fn an_error_names_file_line_and_what_to_do() {
        let error = Error::no("the line is cut off")
            .at("run.jsonl")
            .line(17)
            .hint("`sess repair run.jsonl` removes it");
        check_report(
            &error,
            false,
            "sess: run.jsonl:17: the line is cut off\nhint: `sess repair run.jsonl` removes it\n",
        );
        check_report(&error, true, "sess: run.jsonl:17: the line is cut off\n");
        check_report(&Error::unknown("no idea"), false, "sess: no idea\n");
        check_report(
            &Error::new(Exit::Refused, "locked").at("a b.jsonl"),
            false,
            "sess: a b.jsonl: locked\n",
        );
    }

    #[test]
    fn names_and_messages_cannot_drive_the_terminal() {
        let error = Error::no("bad type \x1b[2J\nsess: fine")
            .at("\x1b]0;x\x07.jsonl")
            .hint("call it \u{202e}");
        check_report(
            &error,
            false,
            "sess: ␛]0;x␇.jsonl: bad type ␛[2J⏎sess: fine\nhint: call it \\u{202e}\n",
        );
    }

    #[test]
    fn a_broken_pipe_is_silent_success() {
        let error = Error::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(error.exit(), Exit::Yes);
        check_report(&error, false, "");
    }

    #[test]
    fn a_full_disk_is_said() {
        let error = Error::from(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(error.exit(), Exit::Unknown);
        check_report(
            &error,
            false,
            "sess: cannot write the output: no storage space\n",
        );
    }
}
