//! A file that is larger than memory should be. Not run by itself, for it writes 5 GiB:
//!
//! ```text
//! cargo test --release --test main view::large -- --ignored --nocapture
//! ```
//!
//! `SESS_LARGE=FILE` looks at a file that is there already.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::pty::Terminal;

#[path = "../../samples/make_big.rs"]
#[allow(dead_code, reason = "of the program only the part that writes is used")]
mod make_big;

/// The viewer may have so much of its own at any time, in KiB.
const MEMORY: u64 = 64 * 1024;

#[test]
#[ignore = "writes 5 GiB"]
fn a_file_of_any_size_opens_at_once_and_takes_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = std::env::var_os("SESS_LARGE")
        .map(PathBuf::from)
        .unwrap_or_else(|| {
            let path = folder.path().join("large.jsonl");
            let options = make_big::Options {
                size: 5 << 30,
                file: path.display().to_string(),
                ..make_big::Options::default()
            };
            make_big::write(&options).unwrap();
            path
        });
    let begun = Instant::now();
    let mut terminal = Terminal::view(&path);
    terminal.wait_for("? help");
    println!("first screen after {:?}", begun.elapsed());
    terminal.wait_for("reading");
    for (key, what) in [
        ("g", "▌     1 "),
        ("G", "following"),
        ("/", "/▏"),
        ("E0308\r", "/E0308: "),
    ] {
        let begun = Instant::now();
        terminal.press(key);
        terminal.wait_for(what);
        println!("{what:?} after {:?}", begun.elapsed());
    }
    let mut most = 0;
    let begun = Instant::now();
    while terminal.text().contains(" %") {
        most = most.max(resident(&terminal));
        std::thread::sleep(Duration::from_millis(100));
        assert!(begun.elapsed() < Duration::from_secs(600));
    }
    println!(
        "all read after {:?}, at most {most} KiB resident",
        begun.elapsed()
    );
    assert!(most < MEMORY, "{most} KiB");
    terminal.press("q");
    assert_eq!(terminal.ended().0, 0);
}

fn resident(terminal: &Terminal) -> u64 {
    let status = format!("/proc/{}/status", terminal.pid().as_raw_nonzero());
    let status = fs::read_to_string(status).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
