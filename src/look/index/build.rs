//! The index and how it grows.

use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom};

use super::record::{Facts, IndexedLine, Record};
use crate::session::read::{Ending, Line, Lines};

/// Where every line of a transcript is and what it is.
///
/// ```
/// use std::io::Cursor;
/// use sess::look::index::{Index, Kind};
/// let file = "{\"id\":\"a\",\"payload\":{},\"ts\":\"\",\"type\":\"session-meta\",\"v\":1}\n\n{\"cut";
/// let index = Index::of(&mut Cursor::new(file))?;
/// let kinds: Vec<Kind> = index.lines().map(|line| line.kind).collect();
/// assert_eq!(kinds, [Kind::Meta, Kind::Blank, Kind::Damaged]);
/// assert_eq!(index.line(3).map(|line| line.offset), Some(61));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Index {
    records: Vec<Record>,
    /// Lengths of the lines that are too long for a record, by line number.
    long: HashMap<u64, u64>,
    /// Where the first line begins whose end has not been seen.
    resume: u64,
    /// What stands before `resume`: the proof that a file is the one that was indexed.
    evidence: Vec<u8>,
    /// Up to where lines were read.
    end: u64,
}

/// What an extension found.
///
/// ```
/// use std::io::Cursor;
/// use sess::look::index::{Change, Index};
/// let mut index = Index::of(&mut Cursor::new("{}\n{}\n"))?;
/// let change = index.extend(&mut Cursor::new("{}\n{}\n{}\n"))?;
/// assert_eq!(change, Change::Grown { from: 3 });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The lines from this number on are new, or longer than before. There may be none.
    Grown {
        /// Counted from 1.
        from: u64,
    },
    /// What had been indexed is not there any more: the index was begun again.
    Restarted,
}

/// How much of the text before it is read again to know a file by.
const EVIDENCE: u64 = 64;

impl Index {
    /// An index of all that the source holds.
    pub fn of(source: &mut (impl Read + Seek)) -> io::Result<Self> {
        let mut index = Self::default();
        index.extend(source)?;
        Ok(index)
    }

    /// Goes on to the end of the source, which holds what it held before and more. If it does not,
    /// as far as the end of what was indexed shows, or is shorter, the index begins again.
    pub fn extend(&mut self, source: &mut (impl Read + Seek)) -> io::Result<Change> {
        self.extend_by(source, u64::MAX)
    }

    /// The same, but stops after about so many bytes; [`end`](Self::end) tells how far it came. For
    /// somebody who wants to show the first lines while the others are read.
    pub fn extend_by(&mut self, source: &mut (impl Read + Seek), bytes: u64) -> io::Result<Change> {
        let is_same = self.is_known(source)?;
        if !is_same {
            self.clear();
        }
        self.drop_unfinished();
        let from = self.len() + 1;
        source.seek(SeekFrom::Start(self.resume))?;
        let stop = self.resume.saturating_add(bytes);
        let mut lines = Lines::resume(&mut *source, self.resume, self.len());
        while self.end < stop
            && let Some(line) = lines.next_line()?
        {
            self.push(line);
        }
        self.evidence = evidence(source, self.resume)?;
        Ok(match is_same {
            true => Change::Grown { from },
            false => Change::Restarted,
        })
    }

    /// Forgets all lines, for a file that is known to be another.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// How many lines there are, blank and unfinished ones included.
    pub fn len(&self) -> u64 {
        self.records.len() as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Up to where the source was read, in bytes.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The line of this number, counted from 1.
    pub fn line(&self, number: u64) -> Option<IndexedLine> {
        let place = usize::try_from(number.checked_sub(1)?).ok()?;
        let record = self.records.get(place)?;
        Some(self.show(number, record))
    }

    /// All lines in file order.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = IndexedLine> + ExactSizeIterator {
        let records = self.records.iter().enumerate();
        records.map(|(place, record)| self.show(place as u64 + 1, record))
    }

    pub(super) fn records(&self) -> &[Record] {
        &self.records
    }

    fn show(&self, number: u64, record: &Record) -> IndexedLine {
        let long = record.is_long().then(|| self.long.get(&number).copied());
        record.line(number, long.flatten())
    }

    fn push(&mut self, line: Line<'_>) {
        let length = line.bytes.len() as u64;
        let record = Record::new(line.offset, length, line.ending, Facts::of(line.bytes));
        if record.is_long() {
            self.long.insert(line.number, length);
        }
        self.records.push(record);
        self.end = line.offset + length + line.ending.as_bytes().len() as u64;
        if line.ending != Ending::None {
            self.resume = self.end;
        }
    }

    /// A last line without its end is read again, as a whole.
    fn drop_unfinished(&mut self) {
        let last = self.records.last();
        if last.is_some_and(|record| record.ending() == Ending::None) {
            self.long.remove(&self.len());
            self.records.pop();
            self.end = self.resume;
        }
    }

    /// Whether the source still holds what stood before the place to go on from.
    fn is_known(&self, source: &mut (impl Read + Seek)) -> io::Result<bool> {
        Ok(evidence(source, self.resume)? == self.evidence)
    }
}

/// The bytes before this offset; fewer where the source is shorter.
fn evidence(source: &mut (impl Read + Seek), offset: u64) -> io::Result<Vec<u8>> {
    let length = offset.min(EVIDENCE);
    let mut bytes = Vec::new();
    source.seek(SeekFrom::Start(offset - length))?;
    source.by_ref().take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}
