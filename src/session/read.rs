//! Reads a transcript forward, one physical line at a time, and never writes.
//!
//! Bytes are read in blocks of whole lines; a line is borrowed from its block together with its
//! number and its byte offset. Lines end at `LF`; one `CR` before it belongs to the separator. A
//! byte order mark at offset 0 is skipped.

use std::io::{self, Read};

use memchr::{memchr, memrchr};

use super::disk::LogFile;

/// A block grows beyond this only when one line does.
pub(crate) const BLOCK: usize = 1024 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How a line ends.
///
/// ```
/// use sess::session::read::Ending;
/// assert_eq!(Ending::CrLf.as_bytes(), b"\r\n");
/// assert_eq!(Ending::None.as_bytes(), b"");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// One line feed.
    Lf,
    /// Carriage return and line feed.
    CrLf,
    /// The file ends first.
    None,
}

impl Ending {
    /// The bytes of the separator.
    pub fn as_bytes(self) -> &'static [u8] {
        match self {
            Ending::Lf => b"\n",
            Ending::CrLf => b"\r\n",
            Ending::None => b"",
        }
    }
}

/// One physical line.
///
/// ```
/// use sess::session::read::Lines;
/// let mut lines = Lines::new("\none\n".as_bytes());
/// // Blank lines are lines.
/// assert_eq!(lines.next_line()?.map(|line| line.bytes.len()), Some(0));
/// let line = lines.next_line()?.unwrap();
/// assert_eq!((line.number, line.offset, line.bytes), (2, 1, b"one".as_slice()));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Counted from 1, blank lines included.
    pub number: u64,
    /// Where its first byte stands in the file.
    pub offset: u64,
    /// Its bytes without the separator.
    pub bytes: &'a [u8],
    /// Its separator.
    pub ending: Ending,
}

/// Splits a byte stream into lines. See the module's page for the rules.
///
/// ```
/// use sess::session::read::{Ending, Lines};
/// let mut lines = Lines::new("one\r\ntwo".as_bytes());
/// let mut seen = Vec::new();
/// while let Some(line) = lines.next_line()? {
///     seen.push((line.number, line.offset, line.bytes.to_vec(), line.ending));
/// }
/// assert_eq!(seen, [(1, 0, b"one".to_vec(), Ending::CrLf), (2, 5, b"two".to_vec(), Ending::None)]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Lines<R> {
    blocks: Blocks<R>,
    block: Block,
    /// The place of the next line.
    next: Place,
}

/// Where a line begins.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Within the block.
    at: usize,
    /// The number of the line before.
    number: u64,
}

impl<R: Read> Lines<R> {
    /// Lines of everything the source yields, which is taken to be at offset 0.
    pub fn new(source: R) -> Self {
        let block = Block::default();
        let next = Place {
            at: block.filled,
            number: 0,
        };
        Self {
            blocks: Blocks::new(source),
            block,
            next,
        }
    }

    /// Lines of a source that stands at this offset of a file, where a line begins. `number` is that
    /// of the line before.
    pub fn resume(source: R, offset: u64, number: u64) -> Self {
        let mut lines = Self::new(source);
        lines.blocks.offset = offset;
        lines.block.offset = offset;
        lines.next.number = number;
        lines
    }

    /// The next line, or `None` at the end. A file that ends in a separator has no line after it.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        if self.next.at == self.block.filled {
            let used = std::mem::take(&mut self.block);
            match self.blocks.next_block(used)? {
                Some(block) => self.block = block,
                None => return Ok(None),
            }
            self.next.at = self.block.start;
        }
        Ok(self.block.line_at(&mut self.next))
    }

    /// How many bytes have been given out as lines: the file's length once `next_line` is `None`.
    pub fn offset(&self) -> u64 {
        self.block.offset + self.next.at as u64
    }
}

/// Whole lines, as read; only the last block of a file may end without a separator.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Kept at its full length, so that reading into it again needs no clearing. Empty when the
    /// block has been found to be text.
    bytes: Vec<u8>,
    text: String,
    filled: usize,
    /// Where the first line begins: behind a byte order mark.
    start: usize,
    /// Where the block begins, in bytes from the start of the file.
    offset: u64,
}

impl Block {
    /// Checks whether the block is UTF-8, so that its lines need not be.
    pub(crate) fn decode(&mut self) {
        self.bytes.truncate(self.filled);
        match String::from_utf8(std::mem::take(&mut self.bytes)) {
            Ok(text) => self.text = text,
            Err(error) => self.bytes = error.into_bytes(),
        }
    }

    /// The lines of the block, each as text when the whole block has been found to be.
    pub(crate) fn lines_as_text(
        &self,
        before: u64,
    ) -> impl Iterator<Item = (Line<'_>, Option<&str>)> {
        self.lines(before).map(|line| {
            let start = (line.offset - self.offset) as usize;
            (line, self.text.get(start..start + line.bytes.len()))
        })
    }

    /// Its memory, to be read into again.
    fn into_memory(self) -> Vec<u8> {
        let mut memory = match self.text.is_empty() {
            true => self.bytes,
            false => self.text.into_bytes(),
        };
        memory.resize(memory.capacity(), 0);
        memory
    }

    fn filled(&self) -> &[u8] {
        match self.text.is_empty() {
            true => &self.bytes[..self.filled],
            false => self.text.as_bytes(),
        }
    }

    /// The lines of the block. `before` is the number of the line before the first.
    pub(crate) fn lines(&self, before: u64) -> impl Iterator<Item = Line<'_>> {
        let mut next = Place {
            at: self.start,
            number: before,
        };
        std::iter::from_fn(move || self.line_at(&mut next))
    }

    fn line_at(&self, next: &mut Place) -> Option<Line<'_>> {
        let rest = &self.filled()[next.at..];
        if rest.is_empty() {
            return None;
        }
        let (length, ending) = match memchr(b'\n', rest) {
            None => (rest.len(), Ending::None),
            Some(end) if end > 0 && rest[end - 1] == b'\r' => (end - 1, Ending::CrLf),
            Some(end) => (end, Ending::Lf),
        };
        let offset = self.offset + next.at as u64;
        next.at += length + ending.as_bytes().len();
        next.number += 1;
        Some(Line {
            number: next.number,
            offset,
            bytes: &rest[..length],
            ending,
        })
    }
}

/// Cuts a byte stream into blocks of whole lines.
#[derive(Debug)]
pub(crate) struct Blocks<R> {
    source: R,
    /// The beginning of a line whose end has not been read.
    carry: Vec<u8>,
    offset: u64,
    ended: bool,
}

impl<R: Read> Blocks<R> {
    pub(crate) fn new(source: R) -> Self {
        Self {
            source,
            carry: Vec::new(),
            offset: 0,
            ended: false,
        }
    }

    /// The next block, read into the memory of one that is done with.
    pub(crate) fn next_block(&mut self, used: Block) -> io::Result<Option<Block>> {
        if self.ended && self.carry.is_empty() {
            return Ok(None);
        }
        let mut bytes = used.into_memory();
        let mut filled = self.carry.len();
        let want = BLOCK.max(filled * 2);
        if bytes.len() < want {
            // Memory asked for in zeros costs nothing until it is written.
            bytes = vec![0; want];
        }
        bytes[..filled].copy_from_slice(&self.carry);
        self.carry.clear();
        let end = loop {
            let searched = filled;
            while !self.ended && filled < bytes.len() {
                let got = self.read(&mut bytes[filled..])?;
                filled += got;
                self.ended = got == 0;
            }
            if self.offset == 0 && !may_begin_a_transcript(&bytes[..filled]) {
                self.ended = true;
            }
            if self.ended {
                break filled;
            }
            if let Some(last) = memrchr(b'\n', &bytes[searched..filled]) {
                break searched + last + 1;
            }
            bytes.resize(bytes.len() * 2, 0);
        };
        self.carry.extend_from_slice(&bytes[end..filled]);
        let start = match self.offset == 0 && bytes[..end].starts_with(BYTE_ORDER_MARK) {
            true => BYTE_ORDER_MARK.len(),
            false => 0,
        };
        let block = Block {
            bytes,
            text: String::new(),
            filled: end,
            start,
            offset: self.offset,
        };
        self.offset += end as u64;
        Ok((end > start).then_some(block))
    }

    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.source.read(out) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }
}

/// A first line that fills a block without beginning like an object is given out unfinished, and is
/// the last: no transcript begins so, and memory must not grow to find that out.
fn may_begin_a_transcript(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let first = text.trim_ascii_start().first();
    first.is_none_or(|byte| *byte == b'{') || bytes.len() < BLOCK || memchr(b'\n', bytes).is_some()
}

/// A log file as a stream, from an offset on, up to a limit that the file may outgrow.
pub(crate) struct LogReader<'a> {
    file: &'a dyn LogFile,
    at: u64,
    limit: u64,
}

impl<'a> LogReader<'a> {
    /// Reads the bytes `from..limit`.
    pub(crate) fn new(file: &'a dyn LogFile, from: u64, limit: u64) -> Self {
        Self {
            file,
            at: from,
            limit,
        }
    }
}

impl Read for LogReader<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.limit.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let want = out.len().min(left);
        let got = self.file.read_at(&mut out[..want], self.at)?;
        self.at += got as u64;
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(bytes: &[u8]) -> Vec<(u64, u64, Vec<u8>, Ending)> {
        let mut lines = Lines::new(bytes);
        let mut found = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            found.push((line.number, line.offset, line.bytes.to_vec(), line.ending));
        }
        found
    }

    #[test]
    fn lines_carry_number_offset_and_separator() {
        assert_eq!(
            split(b"\xef\xbb\xbfa\r\n\nb\rc\nd"),
            [
                (1, 3, b"a".to_vec(), Ending::CrLf),
                (2, 6, b"".to_vec(), Ending::Lf),
                (3, 7, b"b\rc".to_vec(), Ending::Lf),
                (4, 11, b"d".to_vec(), Ending::None),
            ]
        );
        assert_eq!(split(b""), []);
        assert_eq!(split(b"\xef\xbb\xbf"), []);
    }

    #[test]
    fn lines_longer_than_a_block_come_whole() {
        let long = vec![b'{'; BLOCK * 3 + 7];
        let bytes = [
            b"{}\r\n",
            long.as_slice(),
            b"\r\n",
            long.as_slice(),
            b"\ny\n",
        ]
        .concat();
        let second = 4 + long.len() as u64 + 2;
        assert_eq!(
            split(&bytes),
            [
                (1, 0, b"{}".to_vec(), Ending::CrLf),
                (2, 4, long.clone(), Ending::CrLf),
                (3, second, long.clone(), Ending::Lf),
                (4, second + long.len() as u64 + 1, b"y".to_vec(), Ending::Lf),
            ]
        );
    }

    #[test]
    fn a_source_that_gives_one_byte_at_a_time_gives_the_same_lines() {
        struct Drip<'a>(&'a [u8]);
        impl Read for Drip<'_> {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                let count = self.0.len().min(1).min(out.len());
                out[..count].copy_from_slice(&self.0[..count]);
                self.0 = &self.0[count..];
                Ok(count)
            }
        }
        let mut lines = Lines::new(Drip(b"{\"a\":1}\r\n\r\nx"));
        let mut found = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            found.push(line.bytes.to_vec());
        }
        assert_eq!(found, [b"{\"a\":1}".to_vec(), b"".to_vec(), b"x".to_vec()]);
    }

    #[test]
    fn a_file_that_cannot_be_a_transcript_is_not_read_to_its_end() {
        let mut lines = Lines::new(std::io::repeat(0));
        let first = lines.next_line().unwrap().map(|line| line.bytes.len());
        assert_eq!(first, Some(BLOCK));
        assert!(lines.next_line().unwrap().is_none());
    }
}
