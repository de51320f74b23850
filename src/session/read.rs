//! Reads a transcript forward, one physical line at a time, and never writes.
//!
//! One buffer is reused for the whole file; a line is borrowed from it together with its number
//! and its byte offset. Lines end at `LF`; one `CR` before it belongs to the separator. A byte
//! order mark at offset 0 is skipped.

use std::io::{self, Read};

use memchr::memchr;

use super::disk::LogFile;

const FIRST_BUFFER: usize = 256 * 1024;
/// A first line longer than this that does not begin like an object is given out unfinished, and is
/// the last: no transcript begins so, and memory must not grow to find that out.
const IMPLAUSIBLE: usize = 1024 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How a line ends.
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
#[derive(Debug)]
pub struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    /// The unread part of the buffer is `start..end`.
    start: usize,
    end: usize,
    /// File offset of `buffer[start]`.
    offset: u64,
    number: u64,
    ended: bool,
}

impl<R: Read> Lines<R> {
    /// Lines of everything the source yields, which is taken to be at offset 0.
    pub fn new(source: R) -> Self {
        Self {
            source,
            buffer: vec![0; FIRST_BUFFER],
            start: 0,
            end: 0,
            offset: 0,
            number: 0,
            ended: false,
        }
    }

    /// The next line, or `None` at the end. A file that ends in a separator has no line after it.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        if self.number == 0 {
            self.skip_byte_order_mark()?;
        }
        let Some((length, ending)) = self.find_end()? else {
            return Ok(None);
        };
        let (offset, start) = (self.offset, self.start);
        self.number += 1;
        self.start += length + ending.as_bytes().len();
        self.offset += (self.start - start) as u64;
        Ok(Some(Line {
            number: self.number,
            offset,
            bytes: &self.buffer[start..start + length],
            ending,
        }))
    }

    /// How many bytes have been given out as lines: the file's length once `next_line` is `None`.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Length without separator, and separator, of the line at `start`.
    fn find_end(&mut self) -> io::Result<Option<(usize, Ending)>> {
        let mut searched = 0;
        loop {
            let unread = &self.buffer[self.start..self.end];
            if let Some(found) = memchr(b'\n', &unread[searched..]) {
                let length = searched + found;
                return Ok(Some(match unread[..length].last() {
                    Some(b'\r') => (length - 1, Ending::CrLf),
                    _ => (length, Ending::Lf),
                }));
            }
            searched = unread.len();
            if self.number == 0 && searched >= IMPLAUSIBLE && !begins_like_an_object(unread) {
                self.ended = true;
            }
            if self.ended {
                return Ok((searched > 0).then_some((searched, Ending::None)));
            }
            self.fill()?;
        }
    }

    fn skip_byte_order_mark(&mut self) -> io::Result<()> {
        while !self.ended && self.end - self.start < BYTE_ORDER_MARK.len() {
            self.fill()?;
        }
        if self.buffer[self.start..self.end].starts_with(BYTE_ORDER_MARK) {
            self.start += BYTE_ORDER_MARK.len();
            self.offset += BYTE_ORDER_MARK.len() as u64;
        }
        Ok(())
    }

    /// Reads once more. The buffer grows only when one line fills it.
    fn fill(&mut self) -> io::Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let got = loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.end += got;
        self.ended = got == 0;
        Ok(())
    }
}

fn begins_like_an_object(bytes: &[u8]) -> bool {
    bytes
        .trim_ascii_start()
        .first()
        .is_none_or(|byte| *byte == b'{')
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
        assert_eq!(lines.offset(), bytes.len() as u64);
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
    }

    #[test]
    fn a_file_that_cannot_be_a_transcript_is_not_read_to_its_end() {
        let mut lines = Lines::new(std::io::repeat(0));
        assert_eq!(
            lines.next_line().unwrap().map(|line| line.bytes.len()),
            Some(IMPLAUSIBLE)
        );
        assert!(lines.next_line().unwrap().is_none());
    }

    #[test]
    fn a_line_longer_than_the_buffer_comes_whole() {
        let mut bytes = vec![b'x'; FIRST_BUFFER * 3 + 7];
        bytes.extend(b"\ny\n");
        let found = split(&bytes);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].2.len(), FIRST_BUFFER * 3 + 7);
        assert_eq!(found[1].2, b"y");
    }
}
