//! Where the last entries of a transcript begin, without reading what comes before them.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use memchr::memchr_iter;

use crate::session::envelope::Verdict;
use crate::session::tail::{Backward, BackwardLine};

/// Offsets in bytes from the start of the file, where lines begin.
///
/// ```
/// use std::fs::File;
/// use sess::look::last::{last, lines_before};
/// let file = File::open("samples/sessions/healthy.jsonl")?;
/// let place = last(&file, 2)?;
/// assert_eq!(lines_before(&file, place.entries)?, 30);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Last {
    /// Of the first of the last entries; of the half line at the end, or the end of the file, when
    /// there are none.
    pub entries: u64,
    /// Of a line some way before that: read from here, the tools are known of which those entries
    /// give the answers.
    pub lead: u64,
}

/// How far back the lead goes, in lines and about in bytes.
const LEAD_LINES: usize = 64;
const LEAD_BYTES: u64 = 1024 * 1024;

/// Finds the last `count` entries. Blank lines are none, and neither is half a line at the end.
pub fn last(file: &File, count: usize) -> io::Result<Last> {
    let size = file.metadata()?.len();
    let mut lines = Backward::new(file, size);
    let mut found = 0;
    let mut entries = size;
    // Half a line is left out even when nothing is asked for, so one line is always looked at.
    while let Some(line) = lines.next_line()? {
        let counts = is_entry(&line);
        if found == count && (counts || line.terminated) {
            return Ok(Last {
                entries,
                lead: lead(&mut lines, line.offset, entries)?,
            });
        }
        entries = line.offset;
        found += usize::from(counts);
    }
    Ok(Last {
        entries,
        lead: entries,
    })
}

fn lead(lines: &mut Backward<'_>, from: u64, entries: u64) -> io::Result<u64> {
    let mut lead = from;
    for _ in 0..LEAD_LINES {
        match lines.next_line()? {
            Some(line) if entries - line.offset <= LEAD_BYTES => lead = line.offset,
            _ => break,
        }
    }
    Ok(lead)
}

fn is_entry(line: &BackwardLine) -> bool {
    let verdict = Verdict::of(&line.bytes);
    match line.terminated {
        true => !matches!(verdict, Verdict::Blank),
        false => matches!(verdict, Verdict::Object(_) | Verdict::Value(_)),
    }
}

/// How many lines end before `offset`. Reads that far, at the speed of the disk.
pub fn lines_before(file: &File, offset: u64) -> io::Result<u64> {
    let mut file = file;
    file.seek(SeekFrom::Start(0))?;
    let mut rest = file.take(offset);
    let mut block = vec![0; 256 * 1024];
    let mut lines = 0;
    loop {
        match rest.read(&mut block) {
            Ok(0) => return Ok(lines),
            Ok(count) => {
                let read = block.get(..count).unwrap_or_default();
                lines += memchr_iter(b'\n', read).count() as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    #[track_caller]
    fn check(bytes: &[u8], count: usize, entries: u64, lead: u64) {
        let found = last(&file(bytes), count).unwrap();
        assert_eq!(found, Last { entries, lead }, "{count}");
    }

    #[test]
    fn the_last_entries_are_found_from_behind() {
        let bytes = b"{}\n[1]\n\n \n{}\n";
        check(bytes, 0, 13, 0);
        check(bytes, 1, 10, 0);
        check(bytes, 2, 3, 0);
        check(bytes, 3, 0, 0);
        check(bytes, 9, 0, 0);
        check(b"", 3, 0, 0);
    }

    #[test]
    fn half_a_line_is_no_entry_and_a_whole_one_without_its_end_is() {
        check(b"{}\n[1]\n{\"a", 0, 7, 0);
        check(b"{}\n[1]\n{\"a", 1, 3, 0);
        check(b"{}\n[1]\n{}", 1, 7, 0);
        check(b"{}\n[1]\n{}", 0, 9, 0);
        check(b"{\"a", 1, 0, 0);
    }

    #[test]
    fn the_lead_ends_where_it_would_grow_long() {
        let bytes = "{}\n".repeat(200);
        check(
            bytes.as_bytes(),
            10,
            190 * 3,
            (190 - 1 - LEAD_LINES as u64) * 3,
        );
        let long = format!("{}\n{{}}\n{{}}\n", "x".repeat(2 * LEAD_BYTES as usize));
        check(long.as_bytes(), 1, 2 * LEAD_BYTES + 4, 2 * LEAD_BYTES + 1);
    }

    #[test]
    fn lines_before_a_place_are_counted() {
        let file = file(&b"a\nbb\n".repeat(100_000));
        assert_eq!(lines_before(&file, 0).unwrap(), 0);
        assert_eq!(lines_before(&file, 5).unwrap(), 2);
        assert_eq!(lines_before(&file, 500_000).unwrap(), 200_000);
    }
}
