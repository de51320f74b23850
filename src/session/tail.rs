//! Reads a transcript backward from its end, so that the last lines of a large file cost no more
//! than those of a small one.

use std::fs::File;
use std::io;

use memchr::memrchr;

use super::disk::read_at;

const BLOCK: usize = 64 * 1024;

/// Lines from the last to the first. Numbers are not known, offsets are.
///
/// ```
/// use std::fs::File;
/// use sess::session::tail::Backward;
/// let file = File::open("samples/sessions/healthy.jsonl")?;
/// let end = file.metadata()?.len();
/// let last = Backward::new(&file, end).next_line()?.unwrap();
/// assert_eq!(last.offset + last.bytes.len() as u64 + 1, end);
/// assert!(last.terminated);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Backward<'f> {
    file: &'f File,
    /// Bytes of the file from `start` on that have not been given out.
    buffer: Vec<u8>,
    start: u64,
    /// How much at the end of the buffer is known to hold no separator.
    searched: usize,
    first: bool,
}

/// One line found from behind.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("torn.jsonl");
/// use std::fs::{self, File};
/// use sess::session::tail::{Backward, BackwardLine};
/// fs::write(&path, "one\ntw")?;
/// let file = File::open(&path)?;
/// let last = Backward::new(&file, 6).next_line()?;
/// assert_eq!(last, Some(BackwardLine { offset: 4, bytes: b"tw".to_vec(), terminated: false }));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackwardLine {
    /// Where it begins, in bytes from the start of the file.
    pub offset: u64,
    /// Its bytes without the separator.
    pub bytes: Vec<u8>,
    /// Whether a line feed ends it. Only the last line of a file may lack one.
    pub terminated: bool,
}

impl<'f> Backward<'f> {
    /// Starts at `end`, in bytes from the start of the file.
    pub fn new(file: &'f File, end: u64) -> Self {
        Self {
            file,
            buffer: Vec::new(),
            start: end,
            searched: 0,
            first: true,
        }
    }

    /// The line before, or `None` at the start of the file.
    pub fn next_line(&mut self) -> io::Result<Option<BackwardLine>> {
        if self.buffer.is_empty() && !self.fill()? {
            return Ok(None);
        }
        let terminated = self.take_separator();
        loop {
            let unsearched = self.buffer.len() - self.searched;
            if let Some(found) = memrchr(b'\n', &self.buffer[..unsearched]) {
                return Ok(Some(self.take_from(found + 1, terminated)));
            }
            self.searched = self.buffer.len();
            if !self.fill()? {
                return Ok(Some(self.take_from(0, terminated)));
            }
        }
    }

    /// Drops the line feed (and the carriage return before it) that ends the line to come.
    fn take_separator(&mut self) -> bool {
        let at_end = std::mem::take(&mut self.first);
        match self.buffer.last() {
            Some(b'\n') => {
                self.buffer.pop();
                true
            }
            _ => !at_end,
        }
    }

    fn take_from(&mut self, from: usize, terminated: bool) -> BackwardLine {
        let mut bytes = self.buffer.split_off(from);
        self.searched = 0;
        if terminated && bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        BackwardLine {
            offset: self.start + from as u64,
            bytes,
            terminated,
        }
    }

    /// Puts the block before the buffer in front of it. Blocks grow with the line, so that a long
    /// one is not moved again and again.
    fn fill(&mut self) -> io::Result<bool> {
        if self.start == 0 {
            return Ok(false);
        }
        let want = BLOCK.max(self.buffer.len()) as u64;
        let from = self.start.saturating_sub(want);
        let mut block = vec![0; (self.start - from) as usize];
        let mut got = 0;
        while got < block.len() {
            match read_at(self.file, &mut block[got..], from + got as u64)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => got += count,
            }
        }
        block.append(&mut self.buffer);
        self.buffer = block;
        self.start = from;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn backward(bytes: &[u8]) -> Vec<(u64, Vec<u8>, bool)> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let mut lines = Backward::new(&file, bytes.len() as u64);
        let mut found = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            found.push((line.offset, line.bytes, line.terminated));
        }
        found
    }

    #[test]
    fn lines_come_from_the_last_to_the_first() {
        assert_eq!(
            backward(b"a\r\n\nbb\nc"),
            [
                (7, b"c".to_vec(), false),
                (4, b"bb".to_vec(), true),
                (3, b"".to_vec(), true),
                (0, b"a".to_vec(), true),
            ]
        );
        assert_eq!(backward(b""), []);
        assert_eq!(backward(b"\n"), [(0, b"".to_vec(), true)]);
    }

    #[test]
    fn a_line_longer_than_a_block_comes_whole() {
        let long = vec![b'x'; BLOCK * 5 + 3];
        let bytes = [b"a\n", long.as_slice(), b"\nz\n"].concat();
        assert_eq!(
            backward(&bytes),
            [
                (2 + long.len() as u64 + 1, b"z".to_vec(), true),
                (2, long, true),
                (0, b"a".to_vec(), true),
            ]
        );
    }
}
