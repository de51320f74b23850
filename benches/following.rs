//! How long after an append a follower has the line.
//!
//! The target: under 20 ms.

use std::thread;
use std::time::{Duration, Instant};

use crate::measure::is_quick;
use sess::look::follow::{Event, Follower, Start, Wait};
use sess::{Json, Message, Session};

/// Measures and prints.
pub fn main() {
    let count = if is_quick() { 3 } else { 200 };
    let folder = tempfile::tempdir().expect("a folder for the transcript");
    let path = folder.path().join("run.jsonl");
    let session = Session::create(&path, Json::empty_object()).expect("a session");
    let mut follower = Follower::open(&path, Start::End, Wait::No).expect("a follower");
    let mut delays: Vec<Duration> = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut seen = Vec::new();
            while seen.len() < count {
                if let Ok(Event::Line(_)) = follower.next(None) {
                    seen.push(Instant::now());
                }
            }
            seen
        });
        let written: Vec<Instant> = (0..count)
            .map(|_| {
                thread::sleep(Duration::from_millis(10));
                let before = Instant::now();
                session
                    .append_message(Message::user("hello"))
                    .expect("space for a line");
                before
            })
            .collect();
        let seen = reader.join().expect("the reader ends");
        let pairs = seen.into_iter().zip(written);
        pairs
            .map(|(seen, written)| seen.saturating_duration_since(written))
            .collect()
    });
    delays.sort();
    let at = |part: f64| delays[((delays.len() - 1) as f64 * part) as usize];
    println!("\nfrom append to follower, {count} lines");
    println!(
        "  median {:?}, 99 in 100 within {:?}, longest {:?}",
        at(0.5),
        at(0.99),
        at(1.0)
    );
}
