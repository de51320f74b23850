//! `sess check`: verdicts of the samples, as text and as JSON, and the exit status.

use serde_json::{Value, json};

use super::{Ran, TestEnv};

#[test]
fn every_sample_gets_the_verdict_its_page_promises() {
    let env = TestEnv::new();
    let expected = [
        ("crlf.jsonl", "healthy", 0),
        ("glued.jsonl", "damaged", 1),
        ("healthy.jsonl", "healthy", 0),
        ("hostile.jsonl", "damaged", 1),
        ("hostile-replay.jsonl", "inconsistent", 1),
        ("huge-line.jsonl", "healthy", 0),
        ("interrupted.jsonl", "torn-tail", 1),
        ("mid-file-damage.jsonl", "damaged", 1),
        ("no-final-newline.jsonl", "missing-last-newline", 1),
        ("nul-run.jsonl", "torn-tail", 1),
        ("pending.jsonl", "healthy", 0),
        ("torn-tail.jsonl", "torn-tail", 1),
        ("two-compactions.jsonl", "healthy", 0),
        ("wide.jsonl", "healthy", 0),
    ];
    let mut words = vec!["check", "--json"];
    for (name, verdict, code) in expected {
        env.sample(name);
        let ran = env.sess(&["check", "--json", name]);
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(
            (ran.code, &report["verdict"]),
            (Some(code), &json!(verdict)),
            "{name}"
        );
        words.push(name);
    }
    let ran = env.sess(&words);
    assert_eq!(
        (ran.code, ran.out.lines().count()),
        (Some(1), expected.len())
    );
}

#[test]
fn verdicts_line_up_and_problems_stand_below_theirs() {
    let env = TestEnv::new();
    for name in [
        "healthy.jsonl",
        "interrupted.jsonl",
        "mid-file-damage.jsonl",
    ] {
        env.sample(name);
    }
    let ran = env.sess(&[
        "check",
        "healthy.jsonl",
        "interrupted.jsonl",
        "mid-file-damage.jsonl",
    ]);
    let expected = "\
healthy.jsonl          healthy               32 lines, 14.6 kB
interrupted.jsonl      torn tail             20 lines, 8.2 kB
    line 20  byte 8032  truncated  the JSON ends before it is whole
    note: 3 calls are open: see `sess pending interrupted.jsonl`
    note: `sess repair interrupted.jsonl` cuts the torn line off and keeps its bytes
mid-file-damage.jsonl  damaged               32 lines, 14.2 kB
    line 14  byte 5069  unanswered-call  call \"call_03\" of \"read_file\" has no answer, and the conversation goes on after it
    line 15  byte 5442  truncated        the JSON ends before it is whole
";
    assert_eq!(ran, Ran::new(1, expected, ""));
}

#[test]
fn the_report_of_a_damaged_file_names_line_offset_and_kind() {
    let env = TestEnv::new();
    env.sample("glued.jsonl");
    let ran = env.sess(&["check", "--json", "glued.jsonl"]);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let expected = json!({
        "path": "glued.jsonl",
        "verdict": "damaged",
        "lines": 31,
        "size": 14664,
        "problems": [{
            "line": 31,
            "offset": 13721,
            "length": 942,
            "kind": "glued",
            "message": "a whole JSON value ends at byte 287 of the line and 655 more bytes follow",
        }],
    });
    assert_eq!((ran.code, report), (Some(1), expected));
}

#[test]
fn what_is_no_transcript_or_unreadable_does_not_stop_the_others() {
    let env = TestEnv::new();
    env.sample("healthy.jsonl");
    env.write("notes.txt", "one\ntwo\n");
    env.write("empty.jsonl", "");
    let files = [
        "notes.txt",
        "nosuch.jsonl",
        ".",
        "empty.jsonl",
        "healthy.jsonl",
    ];
    let ran = env.sess(&[&["check", "-q"], &files[..]].concat());
    let expected = "\
notes.txt      not a transcript      2 lines, 8 B
    line 1  byte 0  not-json  not JSON: expected value
empty.jsonl    not a transcript      0 lines, 0 B
    line 1  byte 0  empty  the file is empty; the first line of a transcript has to be session-meta
healthy.jsonl  healthy               32 lines, 14.6 kB
";
    let complaints = "sess: nosuch.jsonl: no such file\nsess: .: this is a folder\n";
    assert_eq!(ran, Ran::new(2, expected, complaints));

    let ran = env.sess(&[&["check", "--json"], &files[..]].concat());
    let verdicts: Vec<Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["verdict"].take())
        .collect();
    let expected = [
        "not-a-transcript",
        "unreadable",
        "unreadable",
        "not-a-transcript",
        "healthy",
    ];
    assert_eq!(
        (ran.code, verdicts),
        (Some(2), expected.map(Value::from).to_vec())
    );
}

#[test]
fn standard_input_is_checked_too() {
    let env = TestEnv::new();
    let input = std::fs::read(env.sample("torn-tail.jsonl")).unwrap();
    let ran = env.sess_with_input(&["check", "-"], &input);
    let expected = "\
-  torn tail             32 lines, 14.4 kB
    line 32  byte 14009  truncated  the JSON ends before it is whole
";
    assert_eq!(ran, Ran::new(1, expected, ""));
}
