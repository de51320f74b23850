//! How fast a transcript is read: every line against counting newlines, on one core and on all.
//!
//! The targets: judging every line at 1.3 GB/s or more on one core, and faster on two; loading at
//! 200 times the 6.4 MB/s of LLM::Agent 0.6.

use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::make_big;
use crate::measure::{Unit, compare, is_quick, subject};
use sess::session::judge::each_line;
use sess::session::read::Lines;
use sess::session::{Session, Verdict};

/// What LLM::Agent 0.6 loads in a second, on an idle machine of the kind this was written on.
const REFERENCE_BYTES_A_SECOND: f64 = 6.4e6;

/// Measures and prints.
pub fn main() {
    let folder = tempfile::tempdir().expect("a folder for the inputs");
    let path = folder.path().join("big.jsonl");
    let size: u64 = if is_quick() { 1 << 20 } else { 200_000_000 };
    make_big::write(&make_big::Options {
        size,
        file: path.display().to_string(),
        ..make_big::Options::default()
    })
    .expect("an input");
    let bytes = std::fs::read(&path).expect("the input");
    in_memory(&bytes);
    from_the_page_cache(&path, bytes.len() as u64);
    beside_jq(&path, bytes.len() as u64);
}

fn in_memory(bytes: &[u8]) {
    let size = bytes.len() as u64;
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let subjects = vec![
        subject("count newlines", size, || {
            black_box(memchr::memchr_iter(b'\n', black_box(bytes)).count());
        }),
        subject("lines, borrowed", size, || {
            let mut lines = Lines::new(bytes);
            while let Ok(Some(line)) = lines.next_line() {
                black_box(line);
            }
        }),
        subject("serde_json: IgnoredAny per line", size, || {
            for line in &lines {
                let _ = black_box(serde_json::from_slice::<serde::de::IgnoredAny>(line));
            }
        }),
        subject("judge every line, one core", size, || {
            for line in &lines {
                black_box(Verdict::of(line));
            }
        }),
        subject("judge every line, all cores", size, || judge(bytes)),
    ];
    compare("in memory", Unit::Bytes, subjects);
}

fn judge(source: impl Read) {
    let judged = each_line(source, |line, verdict| {
        black_box((line.number, matches!(verdict, Verdict::Object(_))));
        ControlFlow::<()>::Continue(())
    });
    judged.expect("the input is readable");
}

fn from_the_page_cache(path: &Path, size: u64) {
    let open = || File::open(path).expect("the input");
    let subjects = vec![
        subject("count newlines, one buffer", size, || {
            let mut buffer = vec![0; 1 << 20];
            let mut file = open();
            while let Ok(got @ 1..) = file.read(&mut buffer) {
                black_box(memchr::memchr_iter(b'\n', &buffer[..got]).count());
            }
        }),
        subject("count newlines, mapped", size, || {
            black_box(memchr::memchr_iter(b'\n', &mapped(&open())).count());
        }),
        subject("look::Index: list every line", size, || {
            black_box(sess::look::index::Index::of(&mut open()).expect("the input is readable"));
        }),
        subject("judge every line, all cores", size, || judge(open())),
        subject("look::check", size, || {
            black_box(sess::look::check::check(open()).expect("the input is readable"));
        }),
        subject("Session::load", size, || {
            black_box(Session::load(path).expect("the input loads"));
        }),
    ];
    compare("from the page cache", Unit::Bytes, subjects);
    let clock = std::time::Instant::now();
    drop(Session::load(path).expect("the input loads"));
    let speed = size as f64 / clock.elapsed().as_secs_f64();
    println!(
        "  one more load: {:.0} times LLM::Agent 0.6",
        speed / REFERENCE_BYTES_A_SECOND
    );
}

/// The crate reads files and does not map them. A map counts newlines somewhat faster, but beside
/// judging lines the difference is lost, and a file that shrinks under a map kills the process.
#[expect(
    unsafe_code,
    reason = "the input is ours alone, so nobody shrinks it while it is mapped"
)]
fn mapped(file: &File) -> memmap2::Mmap {
    // SAFETY: as above.
    unsafe { memmap2::Mmap::map(file) }.expect("a regular file")
}

/// The usual tool for such files, asked for the type of every line.
fn beside_jq(path: &Path, size: u64) {
    let jq = || {
        let mut jq = Command::new("jq");
        jq.args(["-c", ".type"])
            .arg(path)
            .stdout(Stdio::null())
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        jq.status()
    };
    if let Err(error) = jq() {
        println!("\nnot compared with jq: {error}");
        return;
    }
    // The processor time is that of this process, so only the clock says something about jq.
    let subjects = vec![
        subject("jq -c .type", size, || {
            black_box(jq().expect("jq was there before"));
        }),
        subject("look::check", size, || {
            let file = File::open(path).expect("the input");
            black_box(sess::look::check::check(file).expect("the input is readable"));
        }),
    ];
    compare("beside jq", Unit::Bytes, subjects);
}
