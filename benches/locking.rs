//! How long a second writer waits to be told that a transcript is being written.
//!
//! The target: under 100 ms. The transcript's size must not count, so it has one of many lines.

use std::fs::File;
use std::hint::black_box;
use std::path::Path;

use crate::measure::{Unit, compare, is_quick, subject};
use sess::session::{CreateError, LoadError};
use sess::{Json, Message, Session};

/// Measures and prints.
pub fn main() {
    let folder = tempfile::tempdir().expect("a folder for the transcript");
    let path = folder.path().join("run.jsonl");
    let _writer = written(&path);
    let count = if is_quick() { 10 } else { 2_000 };
    let subjects = vec![
        subject("open(2)", count, || {
            for _ in 0..count {
                black_box(File::open(&path).expect("the file"));
            }
        }),
        subject("Session::load refused", count, || {
            for _ in 0..count {
                let refused = Session::load(&path);
                assert!(matches!(refused, Err(LoadError::Locked { .. })));
            }
        }),
        subject("Session::create refused", count, || {
            for _ in 0..count {
                let refused = Session::create(&path, Json::empty_object());
                assert!(matches!(refused, Err(CreateError::Locked { .. })));
            }
        }),
    ];
    compare("Refusals to a second writer", Unit::Each, subjects);
}

fn written(path: &Path) -> Session {
    let session = Session::create(path, Json::empty_object()).expect("a session");
    for _ in 0..if is_quick() { 10 } else { 20_000 } {
        let message = Message::user("x".repeat(1_000));
        session.append_message(message).expect("space for a line");
    }
    session
}
