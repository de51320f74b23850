//! Lines by place, by time, by id; and their bytes.

use std::io::{self, Read, Seek, SeekFrom};

use chrono::{DateTime, Utc};
use memchr::memmem;

use super::build::Index;
use super::record::IndexedLine;
use crate::session::envelope::Verdict;
use crate::session::read::Lines;

impl Index {
    /// The line that holds this byte of the file, its separator included.
    pub fn line_at(&self, offset: u64) -> Option<IndexedLine> {
        if offset >= self.end() {
            return None;
        }
        let after = self
            .records()
            .partition_point(|record| record.offset() <= offset);
        self.line(after as u64)
    }

    /// The last line in file order that was not written later than this. Times may go back where a
    /// clock was set; the order of the file is what counts.
    pub fn last_at(&self, time: DateTime<Utc>) -> Option<IndexedLine> {
        let micros = time.timestamp_micros();
        let is_past = |then: Option<i64>| then.is_some_and(|then| then <= micros);
        let mut records = self.records().iter();
        let place = records.rposition(|record| is_past(record.micros()))?;
        self.line(place as u64 + 1)
    }

    /// The envelopes whose id begins so, at most `most` of them. Reads the file again.
    pub fn find_ids(
        &self,
        source: &mut (impl Read + Seek),
        prefix: &str,
        most: usize,
    ) -> io::Result<Vec<IndexedLine>> {
        let quoted = format!("\"{prefix}");
        let finder = memmem::Finder::new(&quoted);
        source.seek(SeekFrom::Start(0))?;
        let mut lines = Lines::new(source);
        let mut found = Vec::new();
        while found.len() < most
            && let Some(line) = lines.next_line()?
        {
            // An id may be spelled with escapes; then it does not begin as ids are written.
            let may_match = finder.find(line.bytes).is_some() || !has_plain_id(line.bytes);
            if may_match && has_id(line.bytes, prefix) {
                found.extend(self.line(line.number));
            }
        }
        Ok(found)
    }

    /// The bytes of a line, its separator left out; fewer where the file has become shorter.
    pub fn read(&self, source: &mut (impl Read + Seek), line: &IndexedLine) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        source.seek(SeekFrom::Start(line.offset))?;
        source.by_ref().take(line.length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

fn has_plain_id(line: &[u8]) -> bool {
    let id = line.strip_prefix(b"{\"id\":\"");
    id.is_some_and(|id| {
        let mut until_end = id.iter().take_while(|byte| **byte != b'"');
        !until_end.any(|byte| *byte == b'\\')
    })
}

fn has_id(line: &[u8], prefix: &str) -> bool {
    match Verdict::of(line) {
        Verdict::Object(envelope) => {
            let is_envelope = envelope.type_name().is_some();
            is_envelope && envelope.id().is_some_and(|id| id.starts_with(prefix))
        }
        _ => false,
    }
}
