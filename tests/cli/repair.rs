//! `sess repair`: what it says, what it changes, and what it leaves alone.

use std::fs;

use serde_json::{Value, json};
use sess::Session;

use super::{Ran, TestEnv};

fn names_in(env: &TestEnv) -> Vec<String> {
    let entries = fs::read_dir(env.folder()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_torn_tail_is_cut_off_and_kept() {
    let env = TestEnv::new();
    let path = env.sample("torn-tail.jsonl");
    let before = fs::read(&path).unwrap();
    let whole = before.iter().rposition(|byte| *byte == b'\n').unwrap() + 1;

    let ran = env.sess(&["repair", "torn-tail.jsonl"]);
    let names = names_in(&env);
    let kept = names[1].as_str();
    assert!(kept.starts_with("torn-tail.jsonl.cut-"), "{names:?}");
    let expected = format!(
        "torn-tail.jsonl: cut the torn last line: line 32, 393 bytes from byte 14009 on\n  kept in {kept}\n"
    );
    assert_eq!(ran, Ran::new(0, &expected, ""));
    assert_eq!(names.len(), 2);
    assert_eq!(fs::read(&path).unwrap(), before[..whole]);
    assert_eq!(fs::read(env.path(kept)).unwrap(), before[whole..]);

    let again = env.sess(&["repair", "torn-tail.jsonl"]);
    assert_eq!(
        again,
        Ran::new(0, "torn-tail.jsonl: nothing to repair\n", "")
    );
}

#[test]
fn a_dry_run_says_the_same_and_changes_nothing() {
    let env = TestEnv::new();
    let cases = [
        (
            "torn-tail.jsonl",
            "torn-tail.jsonl: would cut the torn last line: line 32, 393 bytes from byte 14009 on\n  \
             they would be kept in a file beside it\n",
            json!({"path": "torn-tail.jsonl", "action": "cut-tail", "line": 32, "offset": 14009, "removed-bytes": 393}),
        ),
        (
            "no-final-newline.jsonl",
            "no-final-newline.jsonl: would add the missing line break at the end\n",
            json!({"path": "no-final-newline.jsonl", "action": "added-newline"}),
        ),
        (
            "healthy.jsonl",
            "healthy.jsonl: nothing to repair\n",
            json!({"path": "healthy.jsonl", "action": "none"}),
        ),
    ];
    for (name, text, document) in cases {
        let path = env.sample(name);
        let before = fs::read(&path).unwrap();
        assert_eq!(
            env.sess(&["repair", "--dry-run", name]),
            Ran::new(0, text, "")
        );
        let ran = env.sess(&["repair", "--dry-run", "--json", name]);
        let found: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((ran.code, found), (Some(0), document));
        assert_eq!(fs::read(&path).unwrap(), before, "{name}");
    }
    assert_eq!(names_in(&env).len(), 3);
}

#[test]
fn the_document_says_where_the_cut_bytes_are() {
    let env = TestEnv::new();
    env.sample("nul-run.jsonl");
    let ran = env.sess(&["repair", "--json", "nul-run.jsonl"]);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    let kept = fs::canonicalize(env.path(&names_in(&env)[1])).unwrap();
    let expected = json!({
        "path": "nul-run.jsonl",
        "action": "cut-tail",
        "line": 32,
        "offset": 14009,
        "removed-bytes": 656,
        "kept-at": kept.to_str().unwrap(),
    });
    assert_eq!((ran.code, found), (Some(0), expected));
}

#[test]
fn a_missing_line_break_is_added() {
    let env = TestEnv::new();
    let path = env.sample("no-final-newline.jsonl");
    let before = fs::read(&path).unwrap();
    let ran = env.sess(&["repair", "no-final-newline.jsonl"]);
    let expected = "no-final-newline.jsonl: added the missing line break at the end\n";
    assert_eq!(ran, Ran::new(0, expected, ""));
    assert_eq!(fs::read(&path).unwrap(), [&before[..], b"\n"].concat());
}

#[test]
fn other_damage_is_explained_and_left_alone() {
    let env = TestEnv::new();
    let path = env.sample("mid-file-damage.jsonl");
    let before = fs::read(&path).unwrap();
    let ran = env.sess(&["repair", "mid-file-damage.jsonl"]);
    let expected = "\
sess: mid-file-damage.jsonl:15: line 15 of 32 is broken: the JSON ends before it is whole; only a line torn at the very end is forgiven
hint: `sess check mid-file-damage.jsonl` lists everything that is wrong
hint: `sess peek mid-file-damage.jsonl` shows what can be read
";
    assert_eq!(ran, Ran::new(1, "", expected));
    let ran = env.sess(&["repair", "-q", "--json", "mid-file-damage.jsonl"]);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    let document = json!({
        "path": "mid-file-damage.jsonl",
        "error": {
            "kind": "malformed-mid",
            "message": "line 15 of 32 is broken: the JSON ends before it is whole; only a line torn at the very end is forgiven",
            "line": 15,
            "offset": 5442,
        },
    });
    assert_eq!((ran.code, found), (Some(1), document));
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(names_in(&env).len(), 1);
}

#[test]
fn what_is_no_transcript_is_left_alone() {
    let env = TestEnv::new();
    let path = env.write("notes.txt", "milk\neggs");
    let ran = env.sess(&["repair", "-q", "notes.txt"]);
    let expected = "sess: notes.txt:1: this is not a transcript: not JSON: expected value\n";
    assert_eq!(ran, Ran::new(2, "", expected));
    assert_eq!(fs::read(path).unwrap(), b"milk\neggs");
    let ran = env.sess(&["repair", "-q", "nosuch"]);
    let expected = "sess: nosuch: no such file; there is nothing to load\n";
    assert_eq!(ran, Ran::new(2, "", expected));
}

#[test]
fn a_writer_that_has_the_file_makes_it_a_refusal() {
    let env = TestEnv::new();
    let session = Session::load(env.sample("healthy.jsonl")).unwrap();
    let ran = env.sess(&["repair", "healthy.jsonl"]);
    let expected = "sess: healthy.jsonl: another session is writing this transcript; \
                    `sess peek` and `sess tail` read it without waiting\n";
    assert_eq!(ran, Ran::new(3, "", expected));
    drop(session);
    assert_eq!(env.sess(&["repair", "healthy.jsonl"]).code, Some(0));
}
