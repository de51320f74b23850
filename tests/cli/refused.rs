//! What every refusal has in common: a document for programs, and a way on for people.

use serde_json::{Value, json};

use super::TestEnv;

/// Commands that have one document to give, each asked for what is not there.
const REFUSED: [(&[&str], i32, &str); 12] = [
    (&["replay", "healthy.jsonl", "--step", "9"], 1, "no-step"),
    (&["replay", "healthy.jsonl", "--at", "900"], 1, "no-place"),
    (&["replay", "healthy.jsonl", "--at", "zz"], 1, "no-place"),
    (&["replay", "gone.jsonl"], 2, "no-file"),
    (
        &["peek", "healthy.jsonl", "--artifact", "zz"],
        1,
        "no-operation",
    ),
    (&["peek", "-", "--artifact", "zz"], 2, "piped"),
    (
        &["peek", "notes.txt", "--artifact", "zz"],
        2,
        "not-a-transcript",
    ),
    (
        &["diff", "healthy.jsonl", "notes.txt"],
        2,
        "not-a-transcript",
    ),
    (&["diff", "gone.jsonl", "healthy.jsonl"], 2, "no-file"),
    (&["resolve", "zz", "pending.jsonl"], 1, "no-operation"),
    (&["resolve", "call_1", "pending.jsonl"], 2, "no-operation"),
    (&["repair", "-"], 2, "piped"),
];

#[test]
fn a_refusal_is_a_document_too_and_always_says_what_can_be_done() {
    let env = TestEnv::new();
    env.sample("healthy.jsonl");
    env.sample("pending.jsonl");
    env.write("notes.txt", "milk\n");
    for (words, code, kind) in REFUSED {
        let people = env.sess_with_input(words, b"");
        assert_eq!((people.code, people.out.as_str()), (Some(code), ""));
        let mut said = people.err.lines();
        assert!(said.next().is_some_and(|line| line.starts_with("sess: ")));
        assert!(said.next().is_some_and(|line| line.starts_with("hint: ")));

        let programs = env.sess_with_input(&[words, &["--json"]].concat(), b"");
        assert_eq!(programs.code, Some(code), "{words:?}");
        let document: Value = serde_json::from_str(&programs.out).unwrap();
        assert_eq!(document["error"]["kind"], json!(kind), "{words:?}");
        assert!(document["error"]["message"].is_string(), "{words:?}");
    }
}

#[test]
fn what_goes_wrong_after_the_document_adds_no_second_one() {
    let env = TestEnv::new();
    env.sample("healthy.jsonl");
    let ran = env.sess(&["peek", "--json", "healthy.jsonl", "--tool", "nothing"]);
    assert_eq!(ran.code, Some(1));
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["envelopes"], json!([]));
}

#[test]
fn a_transcript_from_a_pipe_that_cannot_be_loaded_has_a_way_on() {
    let env = TestEnv::new();
    let damaged = std::fs::read(env.sample("mid-file-damage.jsonl")).unwrap();
    let ran = env.sess_with_input(&["replay", "-"], &damaged);
    assert_eq!(ran.code, Some(1));
    let hints = "hint: `sess check -` lists everything that is wrong\n\
                 hint: `sess peek -` shows what can be read\n";
    assert!(ran.err.ends_with(hints), "{}", ran.err);
}
