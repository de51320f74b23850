//! The only way to standard output.

use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Write};

use crate::look::visible;

use super::args::Global;
use super::error::Error;
use super::pager::Pager;
use super::terminal::Screen;

/// Standard output, locked and buffered, with what is known about who reads it.
///
/// It is written to with [`write!`] and flushed by [`finish`](Self::finish); a command that waits
/// for more (`tail --follow`) flushes before each wait. Text from a transcript goes through
/// [`visible`] or an [`Ink`] first; stored bytes through [`stored`](Self::stored).
pub struct Output {
    sink: Option<BufWriter<Box<dyn Write>>>,
    pager: Option<Pager>,
    may_page: bool,
    screen: Screen,
    json: bool,
    quiet: bool,
    written: bool,
}

impl Output {
    /// The output that the global options ask for.
    pub fn standard(global: &Global) -> Self {
        Self {
            sink: Some(BufWriter::new(Box::new(io::stdout().lock()))),
            pager: None,
            may_page: !global.no_pager,
            screen: Screen::of_stdout(global.color),
            json: global.json,
            quiet: global.quiet,
            written: false,
        }
    }

    /// The same, to a file that programs read.
    pub fn to_file(file: std::fs::File) -> Self {
        Self {
            sink: Some(BufWriter::new(Box::new(file))),
            pager: None,
            may_page: false,
            screen: Screen::default(),
            json: true,
            quiet: true,
            written: false,
        }
    }

    /// Whether machine output is wanted.
    pub fn json(&self) -> bool {
        self.json
    }

    /// Whether anything has been written to it.
    pub fn has_written(&self) -> bool {
        self.written
    }

    /// Whether hints and notes are unwanted.
    pub fn quiet(&self) -> bool {
        self.quiet
    }

    /// Whether a person reads this.
    pub fn is_terminal(&self) -> bool {
        self.screen.terminal
    }

    /// How many columns a line may take; `None` when lines are not to be cut, because another
    /// program reads them.
    pub fn columns(&self) -> Option<usize> {
        self.screen.columns
    }

    /// What styled text is made with.
    pub fn ink(&self) -> Ink {
        Ink {
            colour: self.screen.colour,
        }
    }

    /// From here on the output goes through the pager, if a person reads it. For commands whose
    /// output may be long and has an end.
    pub fn paged(&mut self) -> io::Result<()> {
        if !self.may_page || !self.screen.terminal || self.pager.is_some() {
            return Ok(());
        }
        self.flush()?;
        if let Some((pager, input)) = Pager::start() {
            self.pager = Some(pager);
            self.sink = Some(BufWriter::new(Box::new(input)));
        }
        Ok(())
    }

    /// Writes stored bytes: as they are, except that a terminal gets them as
    /// [`visible::json_for_terminal`] shows them.
    pub fn stored(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.screen.terminal {
            self.write_all(&visible::json_for_terminal(bytes))
        } else {
            self.write_all(bytes)
        }
    }

    /// Writes JSON of ours, or a piece of it that is whole characters. DEL and C1 controls, which
    /// JSON allows in a string, are written as escapes of the same value; a terminal gets it with
    /// the care of [`stored`](Self::stored).
    pub fn json_text(&mut self, json: &str) -> io::Result<()> {
        if self.screen.terminal {
            self.stored(json.as_bytes())
        } else {
            self.write_all(visible::json_controls(json).as_bytes())
        }
    }

    /// Writes one JSON text as [`json_text`](Self::json_text) does, and a line feed.
    pub fn json_line(&mut self, json: &str) -> io::Result<()> {
        self.json_text(json)?;
        self.write_all(b"\n")
    }

    /// Says that something is wrong and lets the command go on, for example with the next file.
    pub fn complain(&mut self, error: &Error) -> io::Result<()> {
        let quiet = self.quiet;
        self.aside(|err| error.report(quiet, err))
    }

    /// Says something that is good to know on standard error, unless `--quiet`.
    pub fn note(&mut self, what: &str) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        self.aside(|err| writeln!(err, "note: {}", visible::one_line(what)))
    }

    /// Flushes, and waits for the pager where there is one.
    pub fn finish(mut self) -> io::Result<()> {
        self.close()
    }

    /// Writes to standard error in the order of things; where both are the same terminal and a
    /// pager has it, through the pager.
    fn aside(&mut self, say: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> io::Result<()> {
        let mut said = Vec::new();
        say(&mut said)?;
        if self.pager.is_some() && io::stderr().is_terminal() {
            return self.write_all(&said);
        }
        self.flush()?;
        // Nobody is left to tell that standard error does not work.
        let _ = io::stderr().write_all(&said);
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        let flushed = self.flush();
        // The pager ends its reading when its input is closed.
        self.sink = None;
        if let Some(pager) = self.pager.take() {
            pager.wait();
        }
        flushed
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written |= !bytes.is_empty();
        match &mut self.sink {
            Some(sink) => sink.write(bytes),
            None => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // Only after an error, which is what gets reported.
        let _ = self.close();
    }
}

/// The whole palette: what it adds is never the only sign of a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Of less interest.
    Dim,
    /// A heading, a name.
    Bold,
    /// Wrong, removed.
    Red,
    /// Right, added.
    Green,
    /// Open, uncertain.
    Yellow,
    /// An id, a position.
    Cyan,
}

/// Paints text, if the output is in colour.
#[derive(Clone, Copy, Debug)]
pub struct Ink {
    colour: bool,
}

impl Ink {
    /// Whether it paints at all.
    #[cfg(feature = "view")]
    pub fn is_coloured(&self) -> bool {
        self.colour
    }

    /// `text` in that style, for `{}`. It passes [`visible::one_line`] on the way. Padding goes
    /// into the text before it is painted.
    pub fn paint(self, style: Style, text: &str) -> Painted<'_> {
        Painted {
            text,
            style: self.colour.then_some(style),
        }
    }

    /// Less interesting text.
    pub fn dim(self, text: &str) -> Painted<'_> {
        self.paint(Style::Dim, text)
    }

    /// A heading or a name.
    pub fn bold(self, text: &str) -> Painted<'_> {
        self.paint(Style::Bold, text)
    }

    /// What is open or uncertain.
    pub fn yellow(self, text: &str) -> Painted<'_> {
        self.paint(Style::Yellow, text)
    }

    /// An id or a position.
    pub fn cyan(self, text: &str) -> Painted<'_> {
        self.paint(Style::Cyan, text)
    }
}

/// A text with its style, ready to be written.
#[derive(Clone, Copy, Debug)]
pub struct Painted<'a> {
    text: &'a str,
    style: Option<Style>,
}

impl fmt::Display for Painted<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = visible::one_line(self.text);
        let code = match self.style {
            None => return out.write_str(&text),
            Some(Style::Dim) => 2,
            Some(Style::Bold) => 1,
            Some(Style::Red) => 31,
            Some(Style::Green) => 32,
            Some(Style::Yellow) => 33,
            Some(Style::Cyan) => 36,
        };
        write!(out, "\x1b[{code}m{text}\x1b[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    /// What was written, kept where a test can see it.
    #[derive(Clone, Default)]
    struct Kept(Rc<RefCell<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Output {
        /// What `write` writes to an output of that kind.
        pub fn captured(
            screen: Screen,
            json: bool,
            write: impl FnOnce(&mut Output) -> io::Result<()>,
        ) -> String {
            let kept = Kept::default();
            let mut out = Output {
                sink: Some(BufWriter::new(Box::new(kept.clone()))),
                pager: None,
                may_page: false,
                screen,
                json,
                quiet: true,
                written: false,
            };
            write(&mut out).unwrap();
            out.finish().unwrap();
            String::from_utf8(kept.0.take()).unwrap()
        }
    }

    const PIPE: Screen = Screen {
        terminal: false,
        colour: false,
        columns: None,
    };
    const TERMINAL: Screen = Screen {
        terminal: true,
        colour: true,
        columns: Some(80),
    };

    #[test]
    fn stored_bytes_are_untouched_in_a_pipe_and_safe_on_a_terminal() {
        let stored = "{\"a\":\"\u{9b}2J\"}\n";
        let write = |out: &mut Output| out.stored(stored.as_bytes());
        assert_eq!(Output::captured(PIPE, true, write), stored);
        assert_eq!(
            Output::captured(TERMINAL, true, write),
            "{\"a\":\"\\u009b2J\"}\n"
        );
    }

    #[test]
    fn json_of_ours_holds_no_control_anywhere() {
        let write = |out: &mut Output| out.json_line("[\"\u{7f}\u{85}é\u{202e}\"]");
        assert_eq!(
            Output::captured(PIPE, true, write),
            "[\"\\u007f\\u0085é\u{202e}\"]\n"
        );
        assert_eq!(
            Output::captured(TERMINAL, true, write),
            "[\"\\u007f\\u0085é\\u202e\"]\n"
        );
    }

    #[test]
    fn paint_is_for_colour_only_and_never_lets_a_control_through() {
        let write = |out: &mut Output| {
            let ink = out.ink();
            writeln!(
                out,
                "{} {}",
                ink.paint(Style::Red, "bad\x1b[2J"),
                ink.dim("x")
            )
        };
        assert_eq!(Output::captured(PIPE, false, write), "bad␛[2J x\n");
        assert_eq!(
            Output::captured(TERMINAL, false, write),
            "\x1b[31mbad␛[2J\x1b[0m \x1b[2mx\x1b[0m\n"
        );
    }

    #[test]
    fn a_lost_reader_ends_the_command_in_silence() {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut out = Output {
            sink: Some(BufWriter::new(Box::new(Gone))),
            pager: None,
            may_page: false,
            screen: PIPE,
            json: false,
            quiet: false,
            written: false,
        };
        out.write_all(b"x").unwrap();
        let error = Error::from(out.finish().unwrap_err());
        assert!(matches!(
            error,
            Error::Silent(super::super::exit::Exit::Yes)
        ));
    }
}
