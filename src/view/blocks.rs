//! Where lines are, in 32 bytes for a block of lines.
//!
//! A block holds what was found of its lines together: kinds, roles, troubles. Which line is which
//! is found by reading the block again, a megabyte at most or one long line; the blocks read last
//! are kept. So a file of any size is known in little memory, and a jump passes over the blocks that
//! hold nothing of what it looks for.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

use chrono::{DateTime, Utc};

use super::file::end_of;
use crate::look::entry::Mark;
use crate::look::index::{IndexedLine, Kind};
use crate::message::Role;
use crate::session::read::{Ending, Lines};

const LINES: usize = 256;
const BYTES: u64 = 1024 * 1024;
/// So many blocks are kept as lines.
const KEPT: usize = 16;
/// How much of the text before it is read again to know a file by.
const EVIDENCE: u64 = 64;

/// What lines may be, as one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits(u32);

impl Traits {
    /// Of one line.
    pub fn of(line: &IndexedLine) -> Self {
        let role = line.role.map_or(0, |role| 1 << (16 + role as u32));
        let trouble = match line.mark {
            Some(Mark::Error | Mark::OutcomeUnknown | Mark::Damaged) => Self::trouble().0,
            _ => 0,
        };
        Self(Self::kind(line.kind).0 | role | trouble)
    }

    /// Of a kind.
    pub fn kind(kind: Kind) -> Self {
        Self(1 << kind as u32)
    }

    /// Said by somebody.
    pub fn role(role: Role) -> Self {
        Self(1 << (16 + role as u32))
    }

    /// An error, an unknown outcome, damage.
    pub fn trouble() -> Self {
        Self(1 << 31)
    }

    /// These and those.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Some lines.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// The number of the first line.
    number: u64,
    /// Where that begins.
    offset: u64,
    /// The earliest time in it, in microseconds since 1970.
    earliest: i64,
    traits: Traits,
}

const _: () = assert!(size_of::<Block>() == 32);

/// What an extension found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// More lines, or none.
    Grown,
    /// What was there is not there any more.
    Restarted,
}

/// The blocks of a file, from its start as far as it was read.
#[derive(Debug, Default)]
pub struct Blocks {
    blocks: Vec<Block>,
    /// The lines behind the last block.
    open: Vec<IndexedLine>,
    len: u64,
    end: u64,
    /// Where the first line begins whose end has not been seen, and what stands before it.
    resume: u64,
    evidence: Vec<u8>,
    kept: RefCell<VecDeque<(usize, Rc<[IndexedLine]>)>>,
}

impl Blocks {
    /// Reads on, about so many bytes.
    pub fn extend_by(&mut self, file: &File, bytes: u64) -> io::Result<Change> {
        if evidence(file, self.resume)? != self.evidence {
            *self = Self::default();
            return Ok(Change::Restarted);
        }
        if self
            .open
            .last()
            .is_some_and(|line| line.ending == Ending::None)
        {
            self.open.pop();
            self.len -= 1;
            self.end = self.resume;
        }
        let stop = self.resume.saturating_add(bytes);
        let mut source = file;
        source.seek(SeekFrom::Start(self.resume))?;
        let mut lines = Lines::resume(source, self.resume, self.len);
        while self.end < stop
            && let Some(line) = lines.next_line()?
        {
            self.push(IndexedLine::of(line));
        }
        self.evidence = evidence(file, self.resume)?;
        Ok(Change::Grown)
    }

    fn push(&mut self, line: IndexedLine) {
        self.len += 1;
        self.end = end_of(&line);
        self.open.push(line);
        if line.ending == Ending::None {
            return;
        }
        self.resume = self.end;
        let is_full = self.open.len() == LINES
            || self
                .open
                .first()
                .is_some_and(|first| self.end - first.offset >= BYTES);
        if is_full && let Some(first) = self.open.first() {
            let times = self.open.iter().filter_map(|line| line.time);
            let traits = self.open.iter().map(Traits::of);
            self.blocks.push(Block {
                number: first.number,
                offset: first.offset,
                earliest: times
                    .map(|time| time.timestamp_micros())
                    .min()
                    .unwrap_or(i64::MAX),
                traits: traits.fold(Traits::default(), Traits::and),
            });
            self.open.clear();
        }
    }

    /// How many lines are known.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Up to where the file was read.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The line of this number, counted from 1.
    pub fn line(&self, file: &File, number: u64) -> Option<IndexedLine> {
        let place = self.place(number, |block| block.number, |line| line.number)?;
        self.look(file, place, |lines| {
            let first = lines.first()?.number;
            lines
                .get(usize::try_from(number.checked_sub(first)?).ok()?)
                .copied()
        })
    }

    /// The line that holds this byte.
    pub fn line_at(&self, file: &File, offset: u64) -> Option<IndexedLine> {
        if offset >= self.end {
            return None;
        }
        let place = self.place(offset, |block| block.offset, |line| line.offset)?;
        self.look(file, place, |lines| {
            let after = lines.partition_point(|line| line.offset <= offset);
            lines.get(after.checked_sub(1)?).copied()
        })
    }

    /// The last line in file order that was not written later than this.
    pub fn last_at(&self, file: &File, time: DateTime<Utc>) -> Option<IndexedLine> {
        let is_past = |line: &&IndexedLine| line.time.is_some_and(|then| then <= time);
        if let Some(line) = self.open.iter().rfind(is_past) {
            return Some(*line);
        }
        let micros = time.timestamp_micros();
        let place = self
            .blocks
            .iter()
            .rposition(|block| block.earliest <= micros)?;
        self.look(file, place, |lines| lines.iter().rfind(is_past).copied())
    }

    /// From a line, over the blocks that have none of these traits, to the last line before one that
    /// may have; backward to the first line after one. The line itself, where that leads nowhere.
    pub fn leap(&self, file: &File, offset: u64, forward: bool, traits: Traits) -> u64 {
        let Some(here) = self.place(offset, |block| block.offset, |line| line.offset) else {
            return offset;
        };
        let over = |block: &&Block| !block.traits.meets(traits);
        if forward {
            let behind = self.blocks.iter().skip(here + 1).take_while(over).count();
            let last_of = |place| self.look(file, place, |lines| lines.last().copied());
            let is_last = behind > 0 && last_of(here).is_some_and(|line| line.offset == offset);
            let last = if is_last {
                last_of(here + behind)
            } else {
                None
            };
            return last.map_or(offset, |line| line.offset);
        }
        let is_first = match self.blocks.get(here) {
            Some(block) => block.offset == offset,
            None => self.open.first().is_some_and(|line| line.offset == offset),
        };
        let before = self.blocks.get(..here).unwrap_or_default();
        let count = before.iter().rev().take_while(over).count();
        match self.blocks.get(here - count) {
            Some(block) if is_first => block.offset,
            _ => offset,
        }
    }

    /// The block that a number or an offset lies in; behind the last block the lines that are in
    /// none.
    fn place(
        &self,
        key: u64,
        of_block: impl Fn(&Block) -> u64,
        of_line: impl Fn(&IndexedLine) -> u64,
    ) -> Option<usize> {
        if self.open.first().is_some_and(|line| of_line(line) <= key) {
            return Some(self.blocks.len());
        }
        self.blocks
            .partition_point(|block| of_block(block) <= key)
            .checked_sub(1)
    }

    /// Looks at the lines of a block.
    fn look<T>(
        &self,
        file: &File,
        place: usize,
        look: impl Fn(&[IndexedLine]) -> Option<T>,
    ) -> Option<T> {
        let Some(block) = self.blocks.get(place) else {
            return look(&self.open);
        };
        let known = self
            .kept
            .borrow()
            .iter()
            .find(|(kept, _)| *kept == place)
            .cloned();
        if let Some((_, lines)) = known {
            return look(&lines);
        }
        let open = self.open.first().map_or(self.end, |line| line.offset);
        let end = self.blocks.get(place + 1).map_or(open, |next| next.offset);
        // Lines that cannot be read are not there.
        let lines: Rc<[IndexedLine]> = read(file, block, end).ok()?.into();
        let mut kept = self.kept.borrow_mut();
        kept.truncate(KEPT - 1);
        kept.push_front((place, Rc::clone(&lines)));
        look(&lines)
    }
}

fn read(mut file: &File, block: &Block, end: u64) -> io::Result<Vec<IndexedLine>> {
    file.seek(SeekFrom::Start(block.offset))?;
    let source = file.take(end.saturating_sub(block.offset));
    let mut lines = Lines::resume(source, block.offset, block.number - 1);
    let mut found = Vec::with_capacity(LINES);
    while let Some(line) = lines.next_line()? {
        found.push(IndexedLine::of(line));
    }
    Ok(found)
}

/// The bytes before this offset; fewer where the file is shorter.
fn evidence(mut file: &File, offset: u64) -> io::Result<Vec<u8>> {
    let length = offset.min(EVIDENCE);
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset - length))?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn line(number: u64) -> String {
        let role = if number == 700 { "user" } else { "assistant" };
        let ts = format!(
            "2026-01-01T00:{:02}:{:02}.000000Z",
            number / 60,
            number % 60
        );
        format!(
            "{{\"id\":\"{number}\",\"payload\":{{\"role\":\"{role}\"}},\"ts\":\"{ts}\",\"type\":\"message\",\"v\":1}}\n"
        )
    }

    fn file(lines: u64) -> (File, Blocks) {
        let mut file = tempfile::tempfile().unwrap();
        let text: String = (1..=lines).map(line).collect();
        file.write_all(text.as_bytes()).unwrap();
        let mut blocks = Blocks::default();
        while blocks.end() < text.len() as u64 {
            assert_eq!(blocks.extend_by(&file, 10_000).unwrap(), Change::Grown);
        }
        (file, blocks)
    }

    #[test]
    fn every_line_is_found_by_number_by_place_and_by_time() {
        let (file, blocks) = file(1_000);
        assert_eq!((blocks.len(), blocks.blocks.len()), (1_000, 3));
        let mut offset = 0;
        for number in 1..=1_000 {
            let found = blocks.line(&file, number).unwrap();
            assert_eq!((found.number, found.offset), (number, offset));
            assert_eq!(blocks.line_at(&file, end_of(&found) - 1), Some(found));
            assert_eq!(blocks.last_at(&file, found.time.unwrap()), Some(found));
            offset = end_of(&found);
        }
        assert_eq!(blocks.line(&file, 0), None);
        assert_eq!(blocks.line(&file, 1_001), None);
        assert_eq!(blocks.line_at(&file, offset), None);
    }

    #[test]
    fn blocks_without_what_is_looked_for_are_passed_over() {
        let (file, blocks) = file(1_000);
        let offset = |number| blocks.line(&file, number).unwrap().offset;
        let user = Traits::role(Role::User);
        let check = |from, forward, to| {
            assert_eq!(
                blocks.leap(&file, offset(from), forward, user),
                offset(to),
                "{from}"
            );
        };
        check(100, true, 100);
        check(256, true, 512);
        check(512, true, 512);
        check(1_000, false, 1_000);
        check(769, false, 769);
        check(513, false, 1);
    }

    #[test]
    fn a_half_line_is_read_again_and_another_file_is_told() {
        let (mut file, mut blocks) = file(3);
        file.seek(SeekFrom::End(0)).unwrap();
        file.write_all(b"{\"half").unwrap();
        blocks.extend_by(&file, 1 << 20).unwrap();
        assert_eq!(blocks.line(&file, 4).unwrap().ending, Ending::None);
        file.seek(SeekFrom::End(0)).unwrap();
        file.write_all(b"\":1}\n").unwrap();
        blocks.extend_by(&file, 1 << 20).unwrap();
        assert_eq!(
            (blocks.len(), blocks.line(&file, 4).unwrap().length),
            (4, 10)
        );
        file.set_len(5).unwrap();
        assert_eq!(blocks.extend_by(&file, 1 << 20).unwrap(), Change::Restarted);
        assert_eq!(blocks.len(), 0);
    }
}
