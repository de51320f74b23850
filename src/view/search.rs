//! A regular expression looked for in everything the file holds, in steps.
//!
//! The file is read from the cursor to its end, then from its start to the cursor, so that the next
//! match is found first.

use std::collections::BTreeSet;
use std::io;

use memchr::memmem;
use regex::Regex;

use super::file::Transcript;
use crate::look::entry::Entries;
use crate::session::envelope::Verdict;
use crate::session::read::{Ending, Line};

/// A step reads about this many bytes.
const STEP: u64 = 4 * 1024 * 1024;
/// So many matches are remembered; further ones are only counted.
const MOST: usize = 500_000;

/// A search under way, or done.
#[derive(Debug)]
pub struct Search {
    text: String,
    pattern: Regex,
    /// What a line must hold as it is stored, unless it is spelled with escapes.
    literal: Option<memmem::Finder<'static>>,
    /// Where the search began.
    start: u64,
    /// Up to where the part from there on was read, and the part before it.
    after: u64,
    before: u64,
    /// Where a half line at the end begins: it is read again when it has grown.
    half: Option<u64>,
    found: BTreeSet<u64>,
    uncounted: u64,
}

impl Search {
    /// Begins where a line begins.
    pub fn new(text: &str, pattern: Regex, start: u64) -> Self {
        Self {
            literal: literal(text).map(|text| memmem::Finder::new(text).into_owned()),
            text: text.to_owned(),
            pattern,
            start,
            after: start,
            before: 0,
            half: None,
            found: BTreeSet::new(),
            uncounted: 0,
        }
    }

    /// As it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What marks matches on the screen.
    pub fn pattern(&self) -> &Regex {
        &self.pattern
    }

    /// How many lines match, as far as is known.
    pub fn count(&self) -> u64 {
        self.found.len() as u64 + self.uncounted
    }

    /// The place of a line among the matches, counted from 1.
    pub fn place(&self, offset: u64) -> Option<u64> {
        self.found
            .contains(&offset)
            .then(|| self.found.range(..=offset).count() as u64)
    }

    /// Whether everything was read.
    pub fn is_done(&self, file: &Transcript) -> bool {
        self.after >= file.size() && self.before >= self.start
    }

    /// How much was read, in percent.
    pub fn percent(&self, file: &Transcript) -> u64 {
        let read = self.after - self.start + self.before;
        (read * 100).checked_div(file.size()).unwrap_or(100)
    }

    /// The next match behind a line.
    pub fn next(&self, offset: u64) -> Option<u64> {
        self.found.range(offset + 1..).next().copied()
    }

    /// The next match before a line.
    pub fn previous(&self, offset: u64) -> Option<u64> {
        self.found.range(..offset).next_back().copied()
    }

    /// The first match, and the last.
    pub fn ends(&self) -> Option<(u64, u64)> {
        Some((*self.found.first()?, *self.found.last()?))
    }

    /// Reads on.
    pub fn step(&mut self, file: &Transcript) -> io::Result<()> {
        if self.after < file.size() {
            let from = self.half.take().unwrap_or(self.after);
            let size = file.size();
            self.after = self.read(file, from, size)?;
        } else if self.before < self.start {
            let (from, start) = (self.before, self.start);
            self.before = self.read(file, from, start)?;
        }
        Ok(())
    }

    /// Reads a step's worth of the lines between two places; returns where the next begins.
    fn read(&mut self, file: &Transcript, from: u64, to: u64) -> io::Result<u64> {
        let mut lines = file.lines_from(from, 0)?;
        let stop = to.min(from + STEP);
        let mut at = from;
        while at < stop {
            let Some(line) = lines.next_line()? else {
                return Ok(to);
            };
            at = line.offset + (line.bytes.len() + line.ending.as_bytes().len()) as u64;
            if self.is_match(line) {
                match self.found.len() < MOST {
                    true => drop(self.found.insert(line.offset)),
                    false => self.uncounted += 1,
                }
            }
            if line.ending == Ending::None {
                self.half = Some(line.offset);
                return Ok(to);
            }
        }
        Ok(at)
    }

    fn is_match(&self, line: Line<'_>) -> bool {
        if let Some(literal) = &self.literal
            && literal.find(line.bytes).is_none()
            && memmem::find(line.bytes, b"\\u").is_none()
        {
            return false;
        }
        let entry = Entries::default().entry(line, &Verdict::of(line.bytes));
        entry.is_some_and(|entry| entry.texts().iter().any(|text| self.pattern.is_match(text)))
    }
}

/// The text itself, where it is stored as it is read and case counts.
fn literal(text: &str) -> Option<&str> {
    let is_plain = |mark: char| mark.is_ascii_alphanumeric() || " _-:,;=<>@#%&".contains(mark);
    let any_capital = text.chars().any(char::is_uppercase);
    let no_letters = !text.chars().any(char::is_alphabetic);
    (text.chars().all(is_plain) && (any_capital || no_letters)).then_some(text)
}
