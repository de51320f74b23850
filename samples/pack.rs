//! Packs a folder into the one-file form that `tests/data` uses:
//!
//! ```text
//! cargo run --release --example pack -- FOLDER FILE.pack
//! ```
//!
//! Only programs that have the unpacked folder need this; the tests read the packs.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a tool for developers stops at the first surprise"
)]

#[path = "../tests/support/pack.rs"]
mod pack;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [folder, target] = arguments.as_slice() else {
        eprintln!("usage: pack FOLDER FILE.pack");
        return ExitCode::from(2);
    };
    let files = pack::read_folder(folder);
    let packed = pack::pack(&files);
    assert!(
        pack::unpack(&packed) == files,
        "a pack gives back what went in"
    );
    fs::write(target, &packed).expect("a writable target");
    let plain: usize = files.values().map(Vec::len).sum();
    println!(
        "{} files, {plain} bytes, packed into {}",
        files.len(),
        packed.len()
    );
    ExitCode::SUCCESS
}
