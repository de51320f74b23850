//! Messages of which only the place is kept until the end of the file is reached. Of a long run
//! nearly all have been folded away by then, and making them would be most of the work of loading.

use std::io::{self, Read};
use std::sync::Arc;

use memchr::memmem;

use super::disk::LogFile;
use super::envelope::Verdict;
use super::payload::{CompactionView, MessageView, Payload};
use super::read::{Line, LogReader};
use super::replay::Body;
use crate::message::Message;

/// What a load keeps of a message while it reads.
#[derive(Clone, Debug)]
pub(crate) enum Kept {
    Made(Arc<Message>),
    Unread(Place),
}

/// Where a message's line stands, in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    offset: u64,
    length: u64,
    /// What an elision has put in the place of its content.
    stub: Option<String>,
}

impl Kept {
    /// Of a message on this line, that is likely to be folded away.
    pub(crate) fn unread(line: Line<'_>) -> Self {
        Kept::Unread(Place {
            offset: line.offset,
            length: line.bytes.len() as u64,
            stub: None,
        })
    }

    /// The message, read from the file if it has not been.
    pub(crate) fn read(self, file: &dyn LogFile) -> io::Result<Arc<Message>> {
        match self {
            Kept::Made(message) => Ok(message),
            Kept::Unread(place) => place.read(file).map(Arc::new),
        }
    }
}

impl Place {
    fn read(self, file: &dyn LogFile) -> io::Result<Message> {
        let mut bytes = Vec::new();
        LogReader::new(file, self.offset, self.offset + self.length).read_to_end(&mut bytes)?;
        let Verdict::Object(envelope) = Verdict::of(&bytes) else {
            return Err(changed());
        };
        let Ok(Payload::Message(view)) = Payload::of(&envelope) else {
            return Err(changed());
        };
        let mut message = view.build();
        if let Some(stub) = self.stub {
            message.content = stub;
        }
        Ok(message)
    }
}

fn changed() -> io::Error {
    io::Error::other("the file was changed while it was read")
}

impl Body for Kept {
    fn of_message(view: &MessageView<'_>) -> Self {
        Kept::Made(Body::of_message(view))
    }

    fn of_summary(view: &CompactionView<'_>) -> Self {
        Kept::Made(Body::of_summary(view))
    }

    fn elide(&mut self, stub: &str) {
        match self {
            Kept::Made(message) => message.elide(stub),
            Kept::Unread(place) => place.stub = Some(stub.to_owned()),
        }
    }
}

/// How much of the end of a file is searched for a compaction. A file that has none further on has
/// most likely none at all: this is the text of many times what a model can be sent.
const SEARCHED: u64 = 16 * 1024 * 1024;

/// How much of it at once.
const BLOCK: u64 = 1024 * 1024;

/// Where the last line that has the look of a compaction ends, or before; 0 when there is none.
/// Messages before it are likely to be folded away. A wrong answer costs time and nothing else.
pub(crate) fn last_compaction(file: &dyn LogFile) -> io::Result<u64> {
    const MARK: &[u8] = b",\"type\":\"compaction\",\"v\":1}";
    let length = file.len()?;
    let mut end = length;
    let mut block = Vec::new();
    while end > length.saturating_sub(SEARCHED) {
        let start = end.saturating_sub(BLOCK);
        block.clear();
        // Also what would begin in this block and end in the one behind it.
        let limit = (end + MARK.len() as u64 - 1).min(length);
        LogReader::new(file, start, limit).read_to_end(&mut block)?;
        if let Some(found) = memmem::rfind(&block, MARK) {
            return Ok(start + found as u64);
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::super::disk::{Disk, FileSystem};
    use super::*;

    #[test]
    fn the_last_compaction_is_found_wherever_the_blocks_meet() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        let line = "{\"id\":\"c\",\"payload\":{},\"ts\":\"\",\"type\":\"compaction\",\"v\":1}\n";
        let mark = line.find(",\"type\"").unwrap();
        for behind in [
            0,
            1,
            20,
            BLOCK as usize - 40,
            BLOCK as usize - 20,
            BLOCK as usize,
        ] {
            let text = format!("{line}{line}{}", "x".repeat(behind));
            std::fs::write(&path, text).unwrap();
            let file = FileSystem::default().open(&path).unwrap();
            let expected = (line.len() + mark) as u64;
            assert_eq!(
                last_compaction(file.as_ref()).unwrap(),
                expected,
                "{behind}"
            );
        }
    }

    #[test]
    fn a_file_without_a_compaction_is_not_searched_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        for text in ["", "x", "{\"type\":\"compaction\"}\n"] {
            std::fs::write(&path, text).unwrap();
            let file = FileSystem::default().open(&path).unwrap();
            assert_eq!(last_compaction(file.as_ref()).unwrap(), 0);
        }
    }
}
