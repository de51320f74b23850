//! A transcript that comes through a pipe the command was started with, as from a shell's `<(…)`.

use super::{Ran, TestEnv};

/// The name of a pipe that is already open; here the one on standard input.
const PIPE: &str = "/dev/fd/0";

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(TestEnv::new().sample(name)).unwrap()
}

#[test]
fn a_pipe_is_read_like_a_file() {
    let env = TestEnv::new();
    env.sample("torn-tail.jsonl");
    for words in [
        &["check", "torn-tail.jsonl"][..],
        &["peek", "--full", "torn-tail.jsonl"],
        &["peek", "--json", "torn-tail.jsonl"],
        &["replay", "--json", "torn-tail.jsonl"],
        &["pending", "torn-tail.jsonl"],
        &["tail", "--json", "torn-tail.jsonl"],
    ] {
        let piped: Vec<&str> = words
            .iter()
            .map(|word| if word.ends_with(".jsonl") { PIPE } else { word })
            .collect();
        let file = env.sess(words);
        let pipe = env.sess_with_input(&piped, &sample("torn-tail.jsonl"));
        assert_eq!(pipe.code, file.code, "{words:?}");
        // What can be done about a file cannot be done about a pipe.
        let same = |text: &str, name| -> Vec<String> {
            let told = |line: &&str| !line.contains("hint:") && !line.contains("sess ");
            let lines = text.lines().filter(told);
            lines
                .map(|line| line.replace(name, "").split_whitespace().collect())
                .collect()
        };
        assert_eq!(
            same(&pipe.out, PIPE),
            same(&file.out, "torn-tail.jsonl"),
            "{words:?}"
        );
    }
}

#[test]
fn a_pipe_can_be_one_side_of_a_diff() {
    let env = TestEnv::new();
    env.sample("healthy.jsonl");
    let ran = env.sess_with_input(
        &["diff", "--stat", PIPE, "healthy.jsonl"],
        &sample("healthy.jsonl"),
    );
    assert_eq!(ran, Ran::new(0, "same: 15 messages\n", ""));
}

#[test]
fn a_pipe_is_neither_changed_nor_followed() {
    let env = TestEnv::new();
    let refused = "sess: /dev/fd/0: a pipe will not do, a file is needed\n\
                   hint: keep what comes through it in a file, and name that\n";
    for words in [
        &["repair", PIPE][..],
        &["resolve", "7f3a", PIPE],
        &["tail", "-f", PIPE],
    ] {
        let ran = env.sess_with_input(words, &sample("healthy.jsonl"));
        assert_eq!(ran, Ran::new(2, "", refused), "{words:?}");
    }
}
