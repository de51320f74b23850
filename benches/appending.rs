//! What an append costs beyond the one `write(2)` it cannot do without.
//!
//! The target: within 1.3 times of writing the same bytes. An append takes its message over, so the
//! messages are made beforehand; that the session goes on holding them is part of what is measured.

use std::fs::{File, OpenOptions};
use std::hint::black_box;
use std::io::Write;
use std::path::Path;

use crate::measure::{Unit, compare, is_quick, prepared};
use sess::{Json, Message, Session};

/// An envelope around an empty content.
const AROUND: usize = 150;

/// Measures and prints.
pub fn main() {
    let folder = tempfile::tempdir().expect("a folder for the transcripts");
    for size in [200, 1_000, 4_000, 8_000] {
        one_size(folder.path(), size);
    }
}

fn one_size(folder: &Path, size: usize) {
    let count = if is_quick() { 10 } else { 20_000 };
    let line = [vec![b'x'; size - 1], b"\n".to_vec()].concat();
    let content = prose(size - AROUND);
    let path = folder.join("run.jsonl");
    let messages = || vec![Message::user(content.as_str()); count as usize];
    let subjects = vec![
        prepared(
            "write(2)",
            count,
            || fresh(&path),
            |mut file| {
                for _ in 0..count {
                    file.write_all(black_box(&line)).expect("space for a line");
                }
                file
            },
        ),
        prepared(
            "append_message",
            count,
            || (new_session(&path), messages()),
            |(session, messages)| {
                for message in messages {
                    session.append_message(message).expect("space for a line");
                }
                session
            },
        ),
    ];
    compare(
        &format!("{count} lines of about {size} bytes"),
        Unit::Each,
        subjects,
    );
}

/// Text as models write it: now and then a line break or a quotation mark.
fn prose(length: usize) -> String {
    let text = "The table has twelve rows, and \"size\" is in the third.\nSo is the größe. ";
    text.chars().cycle().take(length).collect()
}

fn fresh(path: &Path) -> File {
    let _ = std::fs::remove_file(path);
    let mut options = OpenOptions::new();
    options.append(true).create_new(true);
    options.open(path).expect("a file")
}

fn new_session(path: &Path) -> Session {
    let _ = std::fs::remove_file(path);
    Session::create(path, Json::empty_object()).expect("a session")
}
