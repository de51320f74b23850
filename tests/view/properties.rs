//! Any file, any keys: no panic, and nothing on the screen that drives a terminal.

use std::fs;
use std::io::Write;

use proptest::prelude::*;
use sess::view::action::FileEvent;

use super::kit::{Viewer, sample};

const KEYS: &[&str] = &[
    "j",
    "k",
    "g",
    "G",
    "e",
    "E",
    "t",
    "T",
    "u",
    "c",
    "C",
    "p",
    "P",
    "s",
    "a",
    "1",
    "2",
    "3",
    "l",
    "h",
    "r",
    "i",
    "?",
    "q",
    "y",
    "n",
    "N",
    "F",
    "<Enter>",
    "<Esc>",
    "<PgDn>",
    "<PgUp>",
    "<C-d>",
    "<C-u>",
    "/a<Enter>",
    "/\\x1b|.<Enter>",
    "/(<Esc>",
    "fis:error<Enter>",
    "ftool:shell x<Enter>",
    "f<C-u><Enter>",
    ":3<Enter>",
    ":a<Enter>",
    ":2026-03-14<Enter>",
];

/// The lines of the samples, whole or cut, and what is no line of a transcript.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let names = [
        "healthy",
        "hostile",
        "wide",
        "pending",
        "two-compactions",
        "glued",
    ];
    let lines: Vec<Vec<u8>> = names
        .iter()
        .flat_map(|name| {
            let bytes = fs::read(sample(&format!("{name}.jsonl"))).unwrap();
            let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec);
            lines.collect::<Vec<_>>()
        })
        .collect();
    let stored = prop::sample::select(lines);
    prop_oneof![
        8 => stored.clone(),
        1 => (stored, any::<prop::sample::Index>()).prop_map(|(line, at)| {
            line[..at.index(line.len() + 1)].to_vec()
        }),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ]
}

fn file() -> impl Strategy<Value = Vec<u8>> {
    let ends = prop::sample::select(vec!["\n", "\n", "\n", "\r\n", "\n\n"]);
    let lines = prop::collection::vec((line(), ends), 0..30);
    (lines, any::<bool>()).prop_map(|(lines, is_torn)| {
        let mut bytes: Vec<u8> = lines
            .into_iter()
            .flat_map(|(line, end)| [line, end.into()].concat())
            .collect();
        if is_torn {
            bytes.pop();
        }
        bytes
    })
}

fn is_danger(mark: char) -> bool {
    mark.is_control() || matches!(mark, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_file_and_no_keys_break_the_viewer_or_reach_the_screen(
        before in file(),
        after in file(),
        keys in prop::collection::vec(prop::sample::select(KEYS), 0..16),
        (columns, rows) in (1_u16..120, 1_u16..40),
    ) {
        let mut on_disk = tempfile::NamedTempFile::new().unwrap();
        on_disk.write_all(&before).unwrap();
        let mut viewer = Viewer::open(on_disk.path(), columns, rows);
        for (at, key) in keys.iter().enumerate() {
            viewer.type_in(key);
            let screen = viewer.screen().concat();
            prop_assert!(!screen.contains(is_danger), "{:?}", screen);
            if at == 5 {
                fs::write(on_disk.path(), &after).unwrap();
                viewer.app.file_event(FileEvent::Grown);
                viewer.app.settle();
            }
        }
    }
}
