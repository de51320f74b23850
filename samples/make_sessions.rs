//! Writes the transcripts of `samples/sessions`:
//!
//! ```text
//! cargo run --example make_sessions            # into samples/sessions
//! cargo run --example make_sessions -- FOLDER
//! ```
//!
//! They never change: ids and times are fixed, and a test compares the files with this program.

#[path = "maker/mod.rs"]
mod maker;

use std::path::PathBuf;
use std::{fs, io};

fn main() -> io::Result<()> {
    let given = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = given.unwrap_or_else(|| PathBuf::from("samples/sessions"));
    fs::create_dir_all(&folder)?;
    for (name, bytes) in maker::samples() {
        fs::write(folder.join(name), &bytes)?;
        println!("{:>9} {name}", bytes.len());
    }
    Ok(())
}
