//! The bytes read and not yet forgotten.
//!
//! ```text
//! base              start                       end      offsets in the file
//!  | lines given     | the half line             |
//!  | (at most KEEP)  | (as long as it is)        |
//! ```
//!
//! What is kept of the lines given is the proof that a file is the one they were read from.

use std::io;

use super::event::{Ending, Line};
use super::file::Opened;

/// How much of the lines given is kept. A repair that cuts off more than this repeats the file.
const KEEP: usize = 64 * 1024;
/// How much each look reads again. The time of a line stands in its last bytes.
const OVERLAP: usize = 4 * 1024;
/// How much each look reads beyond that.
const CHUNK: usize = 256 * 1024;
/// How many bytes in the middle of a file must agree to count as the same text.
const EVIDENCE: usize = 64;

pub(super) struct Window {
    base: u64,
    buffer: Vec<u8>,
    /// Index of the first byte of the line that comes next.
    start: usize,
    /// Index up to which no newline stands behind `start`, so that no byte is searched twice.
    searched: usize,
    scratch: Vec<u8>,
}

/// What one look at the file found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// More bytes.
    Grown,
    /// The file ends where it did.
    End,
    /// The last bytes read are not there any more.
    Changed,
}

impl Window {
    /// A window that begins to read at `offset`.
    pub fn at(offset: u64) -> Self {
        Self {
            base: offset,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            scratch: vec![0; OVERLAP + CHUNK],
        }
    }

    /// A window that begins to read at `offset` and knows what stands before it.
    pub fn behind(offset: u64, file: &Opened) -> io::Result<Self> {
        let length = offset.min(KEEP as u64);
        let kept = file.bytes_at(offset - length, length as usize)?;
        let mut window = Self::at(offset);
        // With fewer bytes the file ends before `offset`, and the first look will say so.
        if kept.len() as u64 == length {
            window.base = offset - length;
            window.start = kept.len();
            window.searched = kept.len();
            window.buffer = kept;
        }
        Ok(window)
    }

    /// Where the line that comes next begins.
    pub fn start(&self) -> u64 {
        self.base + self.start as u64
    }

    /// Up to where the file is read.
    pub fn end(&self) -> u64 {
        self.base + self.buffer.len() as u64
    }

    /// The bytes of the line that comes next, as far as they are read.
    pub fn pending(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// The next line, if its newline is there.
    pub fn take_line(&mut self) -> Option<Line> {
        let unsearched = self.buffer.get(self.searched..)?;
        let Some(at) = memchr::memchr(b'\n', unsearched) else {
            self.searched = self.buffer.len();
            return None;
        };
        let newline = self.searched + at;
        let offset = self.start();
        let text = self.buffer.get(self.start..newline)?;
        let (text, ending) = match text.strip_suffix(b"\r") {
            Some(text) => (text, Ending::CrLf),
            None => (text, Ending::Lf),
        };
        let bytes = text.to_vec();
        self.start = newline + 1;
        self.searched = self.start;
        Some(Line {
            bytes,
            offset,
            ending,
        })
    }

    /// Reads on, after making sure that the last bytes read are still there.
    pub fn fill(&mut self, file: &Opened) -> io::Result<Fill> {
        self.forget();
        let overlap = self.buffer.len().min(OVERLAP);
        let end = self.end();
        let count = file.read_at(&mut self.scratch, end - overlap as u64)?;
        let read = self.scratch.get(..count).unwrap_or_default();
        let known = self.buffer.get(self.buffer.len() - overlap..);
        match (known, read.get(..overlap), read.get(overlap..)) {
            // Nothing known before an offset means that the file never reached it.
            (Some([]), ..) if end > 0 => Ok(Fill::Changed),
            (Some(known), Some(again), Some(more)) if known == again => {
                self.buffer.extend_from_slice(more);
                Ok(if more.is_empty() {
                    Fill::End
                } else {
                    Fill::Grown
                })
            }
            _ => Ok(Fill::Changed),
        }
    }

    /// Goes back to the end of the last line given that stands in `file` too, and returns where
    /// that is: [`start`](Self::start) if all do, 0 if none is known to.
    pub fn go_back(&mut self, file: &Opened) -> io::Result<u64> {
        let kept = self.buffer.get(..self.start).unwrap_or_default();
        let there = file.bytes_at(self.base, kept.len())?;
        let same = common_prefix(kept, &there);
        let lines = kept
            .get(..same)
            .and_then(|same| memchr::memrchr(b'\n', same))
            .map_or(0, |newline| newline + 1);
        if self.base > 0 && lines < EVIDENCE {
            self.base = 0;
            self.buffer.clear();
        } else {
            self.buffer.truncate(lines);
        }
        self.start = self.buffer.len();
        self.searched = self.start;
        Ok(self.start())
    }

    /// Lets go of the lines given, except for the last `KEEP` bytes, and of the room that a long
    /// line took.
    fn forget(&mut self) {
        if self.start < KEEP + CHUNK {
            return;
        }
        let gone = self.start - KEEP;
        self.buffer.drain(..gone);
        self.base += gone as u64;
        self.start -= gone;
        self.searched -= gone;
        if self.buffer.len() <= KEEP + CHUNK {
            self.buffer.shrink_to(2 * (KEEP + CHUNK));
        }
    }
}

fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    left.iter()
        .zip(right)
        .take_while(|(left, right)| left == right)
        .count()
}
