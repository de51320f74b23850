//! `sess view` where there is no terminal.

use std::process::{Command, Stdio};

fn sess(words: &[&str]) -> (Option<i32>, String) {
    let ran = Command::new(env!("CARGO_BIN_EXE_sess"))
        .args(words)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(ran.stdout.is_empty());
    (ran.status.code(), String::from_utf8(ran.stderr).unwrap())
}

#[test]
fn without_a_terminal_it_names_the_command_that_needs_none() {
    let said =
        "sess: the viewer needs a terminal\nhint: `sess peek` writes what it shows to anywhere\n";
    assert_eq!(sess(&["view", "run.jsonl"]), (Some(2), said.to_owned()));
}

#[test]
fn it_writes_no_json() {
    let said =
        "sess: the viewer shows a screen, it writes no JSON\nhint: `sess peek --json` does\n";
    assert_eq!(
        sess(&["view", "--json", "run.jsonl"]),
        (Some(2), said.to_owned())
    );
}

#[test]
fn a_comparison_needs_a_terminal_too() {
    let said = "sess: the viewer needs a terminal\nhint: `sess diff` without `--view` writes to anywhere\n";
    let words = ["diff", "--view", "a.jsonl", "b.jsonl"];
    assert_eq!(sess(&words), (Some(2), said.to_owned()));
}

/// A refusal of `sess diff --json` is a document as well.
#[test]
fn a_comparison_on_the_screen_writes_no_json() {
    let ran = Command::new(env!("CARGO_BIN_EXE_sess"))
        .args(["diff", "--view", "--json", "a.jsonl", "b.jsonl"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = "sess: the viewer shows a screen, it writes no JSON\nhint: `sess diff --json` without `--view` does\n";
    let document = "{\"error\":{\"kind\":\"could-not-tell\",\"message\":\"the viewer shows a screen, it writes no JSON\"}}\n";
    assert_eq!(String::from_utf8(ran.stderr).unwrap(), said);
    assert_eq!(String::from_utf8(ran.stdout).unwrap(), document);
    assert_eq!(ran.status.code(), Some(2));
}
