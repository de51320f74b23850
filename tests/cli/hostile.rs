//! No command lets a transcript drive the screen.

use super::{Ran, TestEnv};

/// Every way to show the hostile samples as text, but for those of `peek`, `tail` and `diff`.
const RUNS: [&[&str]; 12] = [
    &["check", "hostile.jsonl", "hostile-replay.jsonl"],
    &["check", "-"],
    &["repair", "--dry-run", "hostile.jsonl"],
    &["repair", "hostile-replay.jsonl"],
    &["pending", "hostile.jsonl", "hostile-replay.jsonl"],
    &["replay", "hostile.jsonl"],
    &["replay", "hostile-replay.jsonl"],
    &["replay", "hostile-replay.jsonl", "--steps"],
    &["replay", "hostile-replay.jsonl", "--step", "1"],
    &["replay", "hostile-replay.jsonl", "--step", "2"],
    &["resolve", "--all", "--dry-run", "hostile-replay.jsonl"],
    &["resolve", "--all", "hostile-replay.jsonl"],
];

/// Controls but the line feed, separators of lines, and what turns the direction of writing or has
/// no shape.
fn is_danger(mark: char) -> bool {
    matches!(
        mark,
        '\0'..='\u{9}'
            | '\u{b}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
    )
}

#[track_caller]
fn assert_harmless(words: &[&str], ran: &Ran) {
    for text in [&ran.out, &ran.err] {
        let danger = text.chars().find(|mark| is_danger(*mark));
        assert_eq!(danger, None, "{words:?}: {text:?}");
    }
}

#[test]
fn nothing_that_drives_a_screen_is_written_as_text() {
    let env = TestEnv::new();
    let input = std::fs::read(env.sample("hostile.jsonl")).unwrap();
    env.sample("hostile-replay.jsonl");
    for words in RUNS {
        let ran = env.sess_with_input(words, &input);
        assert_harmless(words, &ran);
        assert!(!ran.out.is_empty() || !ran.err.is_empty(), "{words:?}");
    }
}

#[test]
fn colour_is_the_only_escape_sequence() {
    let env = TestEnv::new();
    env.sample("hostile-replay.jsonl");
    for command in ["check", "pending", "replay"] {
        let mut ran = env.sess(&[command, "--color", "always", "hostile-replay.jsonl"]);
        for code in [0, 1, 2, 31, 32, 33, 36] {
            ran.out = ran.out.replace(&format!("\x1b[{code}m"), "");
        }
        assert_harmless(&[command], &ran);
    }
}

#[test]
fn complaints_beside_json_are_harmless_too() {
    let env = TestEnv::new();
    env.sample("hostile.jsonl");
    env.sample("hostile-replay.jsonl");
    for command in ["check", "pending", "replay", "repair"] {
        for file in ["hostile.jsonl", "hostile-replay.jsonl"] {
            let mut ran = env.sess(&[command, "--json", file]);
            serde_json::from_str::<serde_json::Value>(&ran.out).unwrap();
            ran.out.clear();
            assert_harmless(&[command, file], &ran);
        }
    }
}

#[test]
fn words_that_are_quoted_as_wrong_usage_are_harmless_too() {
    let env = TestEnv::new();
    let word = "x\u{9b}31m\x1b[31m\u{202e}\u{2028}\r";
    let option = format!("--{word}");
    let runs: [&[&str]; 6] = [
        &[word],
        &[word, "run.jsonl"],
        &["peek", "run.jsonl", word],
        &["peek", &option],
        &["peek", "run.jsonl", "--role", word],
        &["tail", "-n", word, "run.jsonl"],
    ];
    for words in runs {
        let ran = env.sess(words);
        assert_eq!(ran.code, Some(2), "{words:?}");
        assert_harmless(words, &ran);
    }
}
