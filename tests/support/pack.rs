//! A folder as one compressed file.
//!
//! Brotli (quality 11, 16 MiB window) over a plain sequence of files in path order, each
//! `<path> <length in decimal>\n` and then that many bytes. Paths are relative, with `/` between
//! folders. `samples/pack.rs` writes such files.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;

/// Relative path to content.
pub type Files = BTreeMap<String, Vec<u8>>;

/// All files of a pack.
pub fn unpack(packed: &[u8]) -> Files {
    let mut plain = Vec::new();
    brotli::Decompressor::new(packed, 1 << 16)
        .read_to_end(&mut plain)
        .expect("a pack is a brotli stream");
    let mut files = Files::new();
    let mut rest = plain.as_slice();
    while !rest.is_empty() {
        let line_end = rest
            .iter()
            .position(|&byte| byte == b'\n')
            .expect("a file heading");
        let heading = std::str::from_utf8(&rest[..line_end]).expect("a path is UTF-8");
        let (path, length) = heading.rsplit_once(' ').expect("a path, a space, a length");
        let start = line_end + 1;
        let end = start + length.parse::<usize>().expect("a length in decimal");
        files.insert(path.to_owned(), rest[start..end].to_vec());
        rest = &rest[end..];
    }
    files
}

/// The pack of these files; the same bytes for the same files.
pub fn pack(files: &Files) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut out = brotli::CompressorWriter::new(&mut packed, 1 << 16, 11, 24);
    for (path, bytes) in files {
        writeln!(out, "{path} {}", bytes.len()).expect("a Vec takes every byte");
        out.write_all(bytes).expect("a Vec takes every byte");
    }
    drop(out);
    packed
}

/// Every file below `folder`, by its path from there.
pub fn read_folder(folder: &Path) -> Files {
    let mut files = Files::new();
    add_folder(folder, "", &mut files);
    files
}

fn add_folder(folder: &Path, prefix: &str, files: &mut Files) {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let entry = entry.expect("a folder entry");
        let name = entry
            .file_name()
            .into_string()
            .expect("a file name is UTF-8");
        let path = format!("{prefix}{name}");
        if entry.path().is_dir() {
            add_folder(&entry.path(), &format!("{path}/"), files);
        } else {
            files.insert(path, fs::read(entry.path()).expect("a readable file"));
        }
    }
}

#[test]
fn a_pack_gives_back_what_went_in() {
    let files = [("a b", "1 2\n"), ("c/d", ""), ("e", "\u{0}\u{ff}")];
    let files: Files = files
        .map(|(path, text)| (path.to_owned(), text.into()))
        .into();
    assert_eq!(unpack(&pack(&files)), files);
}
