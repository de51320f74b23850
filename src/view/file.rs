//! The file behind the viewer: where its lines are, and their bytes.
//!
//! The last lines are found from behind, so that a file of any size opens at once; the index
//! ([`Blocks`]) grows from the start in steps until it holds them too. Meanwhile two stretches are
//! known, the beginning and the end, with a gap between. Plain reads, never a map: the file may
//! shrink.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::blocks::{Blocks, Change, Traits};
use crate::look::index::IndexedLine;
use crate::session::read::{Ending, Line, Lines};
use crate::session::tail::Backward;

/// How many lines are found from behind at a time, and about how many bytes at most.
const TAIL_LINES: usize = 120;
const TAIL_BYTES: u64 = 2 * 1024 * 1024;
/// The index grows by this many bytes in a step: a few milliseconds.
const STEP: u64 = 4 * 1024 * 1024;
/// Files up to this size are indexed before the first screen.
const SMALL: u64 = 8 * 1024 * 1024;
/// Of longer lines only the beginning is read, as bytes.
pub const LONGEST_LINE: u64 = 256 * 1024 * 1024;
const BEGINNING: u64 = 64 * 1024;

/// A transcript that may grow, shrink, be replaced or removed while it is looked at.
#[derive(Debug)]
pub struct Transcript {
    path: PathBuf,
    file: File,
    index: Blocks,
    /// The end of the file while the index has not come there, in file order.
    tail: Vec<IndexedLine>,
    size: u64,
}

/// What a look at the file found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// Nothing, or more lines.
    Grown,
    /// What was there is not there any more: every place in the file is void.
    Restarted,
}

impl Transcript {
    /// Opens the file and finds its last lines.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut transcript = Self {
            path: path.to_owned(),
            file: File::open(path)?,
            index: Blocks::default(),
            tail: Vec::new(),
            size: 0,
        };
        transcript.begin()?;
        Ok(transcript)
    }

    fn begin(&mut self) -> io::Result<()> {
        self.index = Blocks::default();
        self.tail.clear();
        self.size = self.file.metadata()?.len();
        if self.size <= SMALL {
            self.index.extend_by(&self.file, u64::MAX)?;
            self.size = self.size.max(self.index.end());
        } else {
            self.tail = self.lines_before(self.size)?;
        }
        Ok(())
    }

    /// The name it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its length in bytes, when it was last looked at.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// How many lines the index holds so far.
    pub fn count(&self) -> u64 {
        self.index.len()
    }

    /// How far the index has come, in bytes.
    pub fn indexed(&self) -> u64 {
        self.index.end()
    }

    /// The line of this number, counted from 1, if the index has come there.
    pub fn numbered(&self, number: u64) -> Option<IndexedLine> {
        self.index.line(&self.file, number)
    }

    /// The last line of the index that was not written later than this.
    pub fn last_at(&self, time: DateTime<Utc>) -> Option<IndexedLine> {
        self.index.last_at(&self.file, time)
    }

    /// A line from which to go on looking for one with some of these traits: the one given, or one
    /// further on where nothing between has any.
    pub fn leap(&self, offset: u64, forward: bool, traits: Traits) -> u64 {
        self.index.leap(&self.file, offset, forward, traits)
    }

    /// Whether the index holds the whole file.
    pub fn is_indexed(&self) -> bool {
        self.index.end() >= self.size
    }

    /// Takes the index one step further.
    pub fn step(&mut self) -> io::Result<Growth> {
        if self.is_indexed() {
            return Ok(Growth::Grown);
        }
        let before = self.index.end();
        let change = self.index.extend_by(&self.file, STEP)?;
        if change == Change::Restarted {
            self.begin()?;
            return Ok(Growth::Restarted);
        }
        if self.index.end() == before {
            self.size = before;
        }
        if self.is_indexed() {
            self.tail = Vec::new();
        }
        Ok(Growth::Grown)
    }

    /// Looks whether the file has changed. Lines that came are known afterwards.
    pub fn look(&mut self) -> io::Result<Growth> {
        let size = self.file.metadata()?.len();
        if size < self.size || (size == self.size && !self.is_same()?) {
            self.begin()?;
            return Ok(Growth::Restarted);
        }
        let was_indexed = self.is_indexed();
        self.size = size;
        match was_indexed {
            true if size > self.index.end() => self.step(),
            true => Ok(Growth::Grown),
            false => self.extend_tail().map(|()| Growth::Grown),
        }
    }

    /// Whether the last line is still where it was.
    fn is_same(&self) -> io::Result<bool> {
        let Some(last) = self.last() else {
            return Ok(true);
        };
        let bytes = self.read_at(last.offset, last.length.min(BEGINNING))?;
        let number = last.number;
        let line = Line {
            number,
            offset: last.offset,
            bytes: &bytes,
            ending: last.ending,
        };
        Ok(last.length > BEGINNING || IndexedLine::of(line) == last)
    }

    /// Opens what has the name by now.
    pub fn reopen(&mut self) -> io::Result<()> {
        self.file = File::open(&self.path)?;
        self.begin()
    }

    fn extend_tail(&mut self) -> io::Result<()> {
        if self
            .tail
            .last()
            .is_some_and(|line| line.ending == Ending::None)
        {
            self.tail.pop();
        }
        let from = self.tail.last().map_or(0, end_of);
        let mut file = &self.file;
        file.seek(SeekFrom::Start(from))?;
        let mut lines = Lines::resume(file.take(STEP), from, 0);
        while let Some(line) = lines.next_line()? {
            self.tail.push(unnumbered(line));
        }
        Ok(())
    }

    /// The lines that end before this place, some of them, in file order.
    fn lines_before(&self, end: u64) -> io::Result<Vec<IndexedLine>> {
        let mut backward = Backward::new(&self.file, end);
        let mut found = Vec::new();
        while found.len() < TAIL_LINES
            && let Some(line) = backward.next_line()?
        {
            let (bytes, ending) = match (line.terminated, line.bytes.strip_suffix(b"\r")) {
                (true, Some(bytes)) => (bytes, Ending::CrLf),
                (true, None) => (line.bytes.as_slice(), Ending::Lf),
                (false, _) => (line.bytes.as_slice(), Ending::None),
            };
            found.push(unnumbered(Line {
                number: 0,
                offset: line.offset,
                bytes,
                ending,
            }));
            if end - line.offset > TAIL_BYTES {
                break;
            }
        }
        found.reverse();
        Ok(found)
    }

    /// The line that begins here.
    pub fn line(&self, offset: u64) -> Option<IndexedLine> {
        let line = match offset < self.index.end() {
            true => self.index.line_at(&self.file, offset),
            false => self
                .tail_place(offset)
                .and_then(|at| self.tail.get(at).copied()),
        };
        line.filter(|line| line.offset == offset)
    }

    fn tail_place(&self, offset: u64) -> Option<usize> {
        self.tail
            .binary_search_by_key(&offset, |line| line.offset)
            .ok()
    }

    /// The first line.
    pub fn first(&self) -> Option<IndexedLine> {
        self.numbered(1).or_else(|| self.tail.first().copied())
    }

    /// The last line.
    pub fn last(&self) -> Option<IndexedLine> {
        let tail = self.tail.last().copied();
        tail.or_else(|| self.numbered(self.index.len()))
    }

    /// The line after the one that begins here; none at the end, and where nothing is known yet.
    pub fn after(&self, offset: u64) -> Option<IndexedLine> {
        let line = self.line(offset)?;
        if line.number > 0
            && let Some(next) = self.numbered(line.number + 1)
        {
            return Some(next);
        }
        let at = self.tail.partition_point(|known| known.offset <= offset);
        let next = self.tail.get(at).copied();
        next.filter(|next| next.offset == end_of(&line))
    }

    /// The line before the one that begins here.
    pub fn before(&mut self, offset: u64) -> Option<IndexedLine> {
        let line = self.line(offset)?;
        if line.number > 0 {
            return self.numbered(line.number - 1);
        }
        match self.tail_place(offset)? {
            0 => self.before_tail(offset),
            at => self.tail.get(at - 1).copied(),
        }
    }

    fn before_tail(&mut self, offset: u64) -> Option<IndexedLine> {
        if offset <= self.index.end() {
            return self.index.line_at(&self.file, offset.checked_sub(1)?);
        }
        let mut more = self.lines_before(offset).ok()?;
        let last = more.last().copied();
        more.append(&mut self.tail);
        self.tail = more;
        last
    }

    /// The bytes of a line, its separator left out; of a very long one only the beginning. Fewer
    /// where the file has become shorter.
    pub fn read(&self, line: &IndexedLine) -> io::Result<Vec<u8>> {
        let length = match line.length <= LONGEST_LINE {
            true => line.length,
            false => BEGINNING,
        };
        self.read_at(line.offset, length)
    }

    fn read_at(&self, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut file = &self.file;
        file.seek(SeekFrom::Start(offset))?;
        file.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The lines from this place on, for a pass that reads many of them. The place is the beginning
    /// of a line; `number` is that of the line before, 0 where it is not known.
    pub fn lines_from(&self, offset: u64, number: u64) -> io::Result<Lines<impl Read + use<'_>>> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(offset))?;
        let left = self.size.saturating_sub(offset);
        Ok(Lines::resume(file.take(left), offset, number))
    }
}

/// Where the line after this one begins.
pub fn end_of(line: &IndexedLine) -> u64 {
    line.offset + line.length + line.ending.as_bytes().len() as u64
}

/// A line whose number is not known has 0.
fn unnumbered(line: Line<'_>) -> IndexedLine {
    IndexedLine::of(Line { number: 0, ..line })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn meta(number: usize) -> String {
        format!(
            "{{\"id\":\"{number}\",\"payload\":{{}},\"ts\":\"\",\"type\":\"session-meta\",\"v\":1}}\n"
        )
    }

    #[test]
    fn a_large_file_is_known_from_both_ends_until_they_meet() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let line = meta(7);
        let count = SMALL as usize / line.len() + 1_000;
        file.write_all(line.repeat(count).as_bytes()).unwrap();
        let mut transcript = Transcript::open(file.path()).unwrap();
        assert!(!transcript.is_indexed());
        let last = transcript.last().unwrap();
        assert_eq!(end_of(&last), transcript.size());
        let mut at = last.offset;
        for _ in 0..200 {
            at = transcript.before(at).unwrap().offset;
        }
        assert_eq!(last.offset - at, 200 * line.len() as u64);
        while !transcript.is_indexed() {
            transcript.step().unwrap();
        }
        assert_eq!(transcript.last().unwrap().number, count as u64);
        assert_eq!(transcript.line(at).unwrap().number, count as u64 - 200);
    }

    #[test]
    fn growing_cutting_and_replacing_are_seen() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all((meta(1) + "{\"cut").as_bytes()).unwrap();
        let mut transcript = Transcript::open(file.path()).unwrap();
        assert_eq!(transcript.count(), 2);
        file.write_all(b"\":1}\n{}\n").unwrap();
        assert_eq!(transcript.look().unwrap(), Growth::Grown);
        assert_eq!(transcript.count(), 3);
        file.as_file().set_len(meta(1).len() as u64).unwrap();
        assert_eq!(transcript.look().unwrap(), Growth::Restarted);
        assert_eq!(transcript.count(), 1);
    }
}
