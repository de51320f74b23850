//! The sample transcripts: they are what their program makes, and of the form they promise.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use sess::Json;
use sess::session::{CallState, Session};

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
    let made = made();
    let names = |files: &pack::Files| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&committed), names(made));
    for (name, bytes) in made {
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
        let text = std::str::from_utf8(bytes).expect("a sample is UTF-8");
        for line in text.lines() {
            let json = Json::parse(line).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(json.compact(), line, "{name}");
        }
    }
}

#[test]
fn every_line_of_the_hostile_samples_is_json() {
    for name in ["hostile.jsonl", "hostile-replay.jsonl"] {
        let text = std::str::from_utf8(&made()[name]).expect("a sample is UTF-8");
        for line in text.split_terminator('\n') {
            assert!(Json::parse(line).is_ok(), "{name}: {line:?}");
        }
    }
}

#[test]
fn loading_a_sample_does_what_its_page_says() {
    let expected = [
        ("crlf.jsonl", "15 messages"),
        ("diff-left.jsonl", "7 messages"),
        ("diff-right.jsonl", "9 messages"),
        ("diff-same.jsonl", "7 messages"),
        ("glued.jsonl", "refused: glued"),
        ("healthy.jsonl", "15 messages"),
        (
            "hostile-replay.jsonl",
            "8 messages, 1 was-running, 1 finished-but-not-settled, 1 never-dispatched",
        ),
        ("hostile.jsonl", "refused: message-bad-role"),
        ("huge-line.jsonl", "4 messages"),
        (
            "interrupted.jsonl",
            "9 messages, 175 bytes cut, 1 was-running, 1 finished-but-not-settled, 1 never-dispatched",
        ),
        ("mid-file-damage.jsonl", "refused: malformed-mid"),
        ("no-final-newline.jsonl", "15 messages, 1 bytes added"),
        ("nul-run.jsonl", "14 messages, 656 bytes cut"),
        (
            "pending.jsonl",
            "10 messages, 7 was-running, 2 finished-but-not-settled, 2 never-dispatched",
        ),
        ("torn-tail.jsonl", "14 messages, 393 bytes cut"),
        ("two-compactions.jsonl", "6 messages"),
        ("wide.jsonl", "11 messages"),
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let samples = made();
    let outcome = |name: &String| outcome_of_loading(&folder.path().join(name), &samples[name]);
    let loaded: BTreeMap<&str, String> = samples
        .keys()
        .map(|name| (name.as_str(), outcome(name)))
        .collect();
    assert_eq!(
        loaded,
        expected
            .map(|(name, outcome)| (name, outcome.to_owned()))
            .into()
    );
}

/// Loads a file with these bytes: how many messages, what changed at its end, and how many calls
/// are open in which state; or the kind of the refusal.
fn outcome_of_loading(path: &Path, bytes: &[u8]) -> String {
    fs::write(path, bytes).expect("a writable folder");
    let loaded = Session::load(path);
    let after = fs::read(path).expect("the file is still there");
    let session = match loaded {
        Ok(session) => session,
        Err(error) => {
            assert!(
                after == bytes,
                "{}: a refused file is left alone",
                path.display()
            );
            return format!("refused: {}", error.kind());
        }
    };
    let mut outcome = format!("{} messages", session.messages().len());
    if after.len() < bytes.len() {
        outcome += &format!(", {} bytes cut", bytes.len() - after.len());
    } else if after.len() > bytes.len() {
        outcome += &format!(", {} bytes added", after.len() - bytes.len());
    }
    let mut states = BTreeMap::new();
    for call in session.open_calls() {
        *states.entry(call.state).or_insert(0) += 1;
    }
    for state in [
        CallState::WasRunning,
        CallState::FinishedNotSettled,
        CallState::NeverDispatched,
    ] {
        if let Some(count) = states.get(&state) {
            outcome += &format!(", {count} {state}", state = state.as_str());
        }
    }
    outcome
}

fn made() -> &'static BTreeMap<String, Vec<u8>> {
    static MADE: OnceLock<BTreeMap<String, Vec<u8>>> = OnceLock::new();
    MADE.get_or_init(|| {
        let samples = maker::samples().into_iter();
        samples
            .map(|(name, bytes)| (name.to_owned(), bytes))
            .collect()
    })
}
