//! The sample transcripts: they are what their program makes, and of the form they promise.

use std::collections::BTreeMap;
use std::path::Path;

use sess::Json;

use crate::support::pack;

#[path = "../samples/maker/mod.rs"]
mod maker;

#[test]
fn the_committed_samples_are_what_the_program_makes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sessions");
    let mut committed = pack::read_folder(&folder);
    let guide = committed
        .remove("README.md")
        .expect("a page about the samples");
    let guide = String::from_utf8(guide).expect("the page is UTF-8");
    let made: BTreeMap<String, Vec<u8>> = made();
    let names = |files: &pack::Files| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&committed), names(&made));
    for (name, bytes) in &made {
        assert!(
            committed[name] == *bytes,
            "{name} differs; run `cargo run --example make_sessions`"
        );
        assert!(
            guide.contains(&format!("`{name}`")),
            "the page does not mention {name}"
        );
    }
}

#[test]
fn lines_of_undamaged_samples_have_sorted_keys_and_no_white_space() {
    let damaged = [
        "glued",
        "interrupted",
        "mid-file-damage",
        "nul-run",
        "torn-tail",
    ];
    let foreign = ["hostile", "hostile-replay"];
    for (name, bytes) in made() {
        let stem = name.trim_end_matches(".jsonl");
        if damaged.contains(&stem) || foreign.contains(&stem) {
            continue;
        }
        let text = String::from_utf8(bytes).expect("a sample is UTF-8");
        for line in text.lines() {
            let json = Json::parse(line).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(json.compact(), line, "{name}");
        }
    }
}

#[test]
fn every_line_of_the_hostile_samples_is_json() {
    for name in ["hostile.jsonl", "hostile-replay.jsonl"] {
        let text = String::from_utf8(made()[name].clone()).expect("a sample is UTF-8");
        for line in text.split_terminator('\n') {
            assert!(Json::parse(line).is_ok(), "{name}: {line:?}");
        }
    }
}

fn made() -> BTreeMap<String, Vec<u8>> {
    let samples = maker::samples().into_iter();
    samples
        .map(|(name, bytes)| (name.to_owned(), bytes))
        .collect()
}
