//! What leaves the viewer: the clipboard, files, other programs.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

use super::action::Effect;
use super::app::App;
use super::scroll::Scroll;
use crate::look::base64::base64;
use crate::look::entry::Entries;
use crate::look::export::{Export, Format};
use crate::look::summary::summarise;
use crate::look::visible;
use crate::session::envelope::Verdict;

/// Terminals drop longer ones.
const LONGEST_COPY: usize = 70_000;
/// Writing larger files as a page would keep keys waiting.
const LARGEST_EXPORT: u64 = 256 * 1024 * 1024;

/// A pager that is done so soon was read by nobody.
const AT_ONCE: Duration = Duration::from_millis(300);

/// A program to open a text in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// `SESS_PAGER`, `PAGER` or `less`.
    Pager,
    /// `VISUAL`, `EDITOR` or `vi`.
    Editor,
}

impl App {
    /// Hands on the texts of the entry under the cursor, as far as they drive no terminal.
    pub(super) fn copy(&mut self, effect: impl FnOnce(String) -> Effect) -> Effect {
        match self.text_of(self.stand.cursor) {
            Some(text) => effect(text),
            None => Effect::None,
        }
    }

    /// Writes the rows that are there to a file of its own, and says where.
    pub(super) fn export(&mut self, format: Format) {
        if self.file.size() > LARGEST_EXPORT {
            return self.say("too large for here; `sess export` writes files of any size");
        }
        let kept = self.exported(format);
        self.say(told(kept));
    }

    fn exported(&mut self, format: Format) -> io::Result<PathBuf> {
        let suffix = match format {
            Format::Html => ".html",
            Format::Markdown => ".md",
        };
        let summary = summarise(File::open(self.file.path())?)?;
        let file = private_file(suffix)?;
        let name = self.file.path().to_string_lossy().into_owned();
        let mut export = Export::begin(format, BufWriter::new(&file), &name, &summary)?;
        let mut entries = Entries::of_writer(summary.records_dispatches());
        let mut at = self.first_row();
        while let Some(row) = at {
            if let Some(line) = self.line_of(row) {
                let bytes = self.file.read(&line)?;
                if let Some(entry) = entries.entry(line.with(&bytes), &Verdict::of(&bytes)) {
                    export.entry(&entry)?;
                }
            }
            at = self.row_after(row);
        }
        export.finish()?;
        kept(file)
    }

    fn text_of(&self, row: u64) -> Option<String> {
        let line = self.line_of(row)?;
        let bytes = self.file.read(&line).ok()?;
        let entry = Entries::default().entry(line.with(&bytes), &Verdict::of(&bytes))?;
        let texts: Vec<String> = entry
            .texts()
            .iter()
            .filter(|text| !text.is_empty())
            .map(|text| harmless(text))
            .collect();
        Some(texts.join("\n\n") + "\n")
    }
}

/// What is said of a file that was to be written.
fn told(kept: io::Result<PathBuf>) -> String {
    match kept {
        Ok(path) => format!("written to {}", visible::path(&path)),
        Err(error) => format!("cannot write a file: {error}"),
    }
}

/// Text with line feeds and tabs, and everything else that drives a terminal in visible form.
pub(super) fn harmless(text: &str) -> String {
    let between_tabs = text.split('\t').map(visible::lines);
    between_tabs.collect::<Vec<_>>().join("\t")
}

/// The sequence that asks a terminal to put a text on the clipboard (OSC 52). None for a text that
/// is too long for it.
pub fn clipboard(text: &str) -> Option<String> {
    let fits = text.len() <= LONGEST_COPY;
    fits.then(|| format!("\x1b]52;c;{}\x07", base64(text.as_bytes())))
}

/// Writes a text to a file that only its owner can read; says where.
pub fn save(text: &str) -> String {
    told(private(text).and_then(kept))
}

/// A file that stays.
fn kept(file: NamedTempFile) -> io::Result<PathBuf> {
    let (_, path) = file.keep().map_err(|error| error.error)?;
    Ok(path)
}

fn private_file(suffix: &str) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("sess-").suffix(suffix).tempfile()
}

fn private(text: &str) -> io::Result<NamedTempFile> {
    let mut file = private_file(".txt")?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    Ok(file)
}

/// Opens a private copy of a text in a program and waits for it; says what went wrong. What a pager
/// that does not wait has written stands until Enter is pressed.
pub fn open(text: &str, program: Program) -> String {
    let begun = Instant::now();
    let said = run(text, program);
    if program == Program::Pager && said.is_empty() && begun.elapsed() < AT_ONCE {
        wait_for_enter();
    }
    said
}

/// Where nobody can be asked, it goes on.
fn wait_for_enter() {
    let mut out = io::stdout();
    let _ = out
        .write_all(b"(Enter goes back)")
        .and_then(|()| out.flush());
    let mut line = String::new();
    let _ = match io::stdin().is_terminal() {
        true => io::stdin().read_line(&mut line),
        false => File::open("/dev/tty").and_then(|keys| BufReader::new(keys).read_line(&mut line)),
    };
}

fn run(text: &str, program: Program) -> String {
    let words = words_of(program);
    let Some((name, rest)) = words.split_first() else {
        return "no program is set".to_owned();
    };
    let ran = private(text).and_then(|file| {
        Command::new(name)
            .args(rest)
            .arg(file.path())
            .stdin(Stdio::inherit())
            .status()
    });
    match ran {
        Ok(status) if status.success() => String::new(),
        Ok(status) => format!("{}: {status}", visible::one_line(name)),
        Err(error) => format!("cannot run {}: {error}", visible::one_line(name)),
    }
}

fn words_of(program: Program) -> Vec<String> {
    let (variables, otherwise) = match program {
        Program::Pager => (["SESS_PAGER", "PAGER"], "less"),
        Program::Editor => (["VISUAL", "EDITOR"], "vi"),
    };
    let set = variables.iter().filter_map(|name| std::env::var(name).ok());
    let set = set
        .map(|value| value.trim().to_owned())
        .find(|value| !value.is_empty());
    let command = set.unwrap_or_else(|| otherwise.to_owned());
    command.split_whitespace().map(str::to_owned).collect()
}

/// Stops the process until the shell wakes it.
pub fn stop() {
    #[cfg(unix)]
    {
        use signal_hook::consts::SIGTSTP;
        // Where it cannot be stopped it goes on at once.
        let _ = signal_hook::low_level::emulate_default_handler(SIGTSTP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_keeps_tabs_and_drives_no_terminal() {
        assert_eq!(harmless("a\tb\n\x1b[2J"), "a\tb\n␛[2J");
    }
}
