//! `sess peek --artifact`: a long result that the transcript only names.

use serde_json::{Value, json};

use super::{Ran, TestEnv};

/// SHA-256 of `hello`, from the table of spec 8.
const OF_HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

/// A transcript in which one operation is settled with an artifact of this name.
fn transcript(env: &TestEnv, file: &str) {
    let file = json!(file);
    env.write(
        "run.jsonl",
        format!(
            r#"{{"id":"m0","payload":{{}},"ts":"2026-01-01T00:00:00.000000Z","type":"session-meta","v":1}}
{{"id":"op-77","payload":{{"arguments":"{{}}","call-id":"c1","tool":"shell"}},"ts":"2026-01-01T00:00:01.000000Z","type":"tool-dispatched","v":1}}
{{"id":"m1","payload":{{"content":"hel…","role":"tool","tool-call-id":"c1"}},"ts":"2026-01-01T00:00:02.000000Z","type":"message","v":1}}
{{"id":"s1","payload":{{"artifact":{{"bytes":5,"chars":5,"digest":"{OF_HELLO}","elided-chars":2,"file":{file}}},"op-id":"op-77","outcome":"completed"}},"ts":"2026-01-01T00:00:02.000000Z","type":"tool-settled","v":1}}
"#
        ),
    );
}

fn keep(env: &TestEnv, name: &str, text: impl AsRef<[u8]>) {
    std::fs::create_dir_all(env.path("run.artifacts")).unwrap();
    env.write(&format!("run.artifacts/{name}"), text);
}

#[test]
fn the_whole_text_is_printed_by_any_prefix_of_its_operation() {
    let env = TestEnv::new();
    transcript(&env, "op-77.txt");
    keep(&env, "op-77.txt", "hello");
    let ran = env.sess(&["peek", "run.jsonl", "--artifact", "op-7"]);
    assert_eq!(ran, Ran::new(0, "hello\n", ""));
    let raw = env.sess(&["peek", "--raw", "run.jsonl", "--artifact", "op-77"]);
    assert_eq!(raw, Ran::new(0, "hello", ""));
    let ran = env.sess(&["peek", "--json", "run.jsonl", "--artifact", "op-77"]);
    assert_eq!(
        serde_json::from_str::<Value>(&ran.out).unwrap(),
        json!({
            "path": "run.jsonl", "op-id": "op-77", "line": 4, "file": "op-77.txt",
            "bytes": 5, "text": "hello", "intact": true
        })
    );
}

#[test]
fn control_bytes_are_shown_and_a_changed_text_is_told() {
    let env = TestEnv::new();
    transcript(&env, "op-77.txt");
    keep(&env, "op-77.txt", "a\u{1b}[2Jb\n\u{202e}c\n");
    assert_eq!(
        env.sess(&["peek", "run.jsonl", "--artifact", "op-77"]),
        Ran::new(
            0,
            "a␛[2Jb\n\\u{202e}c\n",
            "note: op-77.txt is not what was kept: its SHA-256 differs from the one in line 4\n"
        )
    );
}

#[test]
fn bytes_that_are_no_text_are_shown_one_by_one() {
    let env = TestEnv::new();
    transcript(&env, "op-77.txt");
    for (kept, shown) in [
        (&b"ok\n\xff\x1b\n\nend"[..], "ok\n\\xff␛\n\nend\n"),
        (b"", ""),
        (b"\n", "\n"),
    ] {
        keep(&env, "op-77.txt", kept);
        let ran = env.sess(&["-q", "peek", "run.jsonl", "--artifact", "op-77"]);
        assert_eq!(ran, Ran::new(0, shown, ""));
    }
}

#[test]
fn a_missing_text_is_told_and_the_transcript_stays_readable() {
    let env = TestEnv::new();
    transcript(&env, "op-77.txt");
    assert_eq!(
        env.sess(&["peek", "run.jsonl", "--artifact", "op-77"]),
        Ran::new(
            1,
            "",
            "sess: run.jsonl:4: its file is missing: run.artifacts/op-77.txt\n\
             hint: `sess peek --full run.jsonl` shows the excerpt that the model saw\n"
        )
    );
    for command in ["peek", "check", "replay"] {
        assert_eq!(env.sess(&[command, "run.jsonl"]).code, Some(0), "{command}");
    }
}

#[test]
fn a_name_that_leads_elsewhere_is_not_opened() {
    let env = TestEnv::new();
    env.write("secret", "secret");
    for name in ["../secret", "/etc/passwd", "..", ""] {
        transcript(&env, name);
        keep(&env, "op-77.txt", "hello");
        let ran = env.sess(&["peek", "run.jsonl", "--artifact", "op-77"]);
        let refused = format!(
            "sess: run.jsonl:4: {name:?} is recorded as its file, which is not the plain name of \
             one; it is not opened\n\
             hint: `sess peek --full run.jsonl` shows the excerpt that the model saw\n"
        );
        assert_eq!(ran, Ran::new(2, "", &refused), "{name:?}");
    }
}

#[test]
fn an_operation_without_an_artifact_is_none_and_a_pipe_has_nothing_beside_it() {
    let env = TestEnv::new();
    transcript(&env, "op-77.txt");
    let ran = env.sess(&["peek", "run.jsonl", "--artifact", "c1"]);
    let none = "sess: run.jsonl: no operation with an artifact starts with \"c1\"\n";
    assert_eq!(ran, Ran::new(1, "", none));
    let ran = env.sess_with_input(&["peek", "-", "--artifact", "op-77"], b"");
    let piped = "sess: -: what comes through a pipe has no artifacts beside it\n";
    assert_eq!(ran, Ran::new(2, "", piped));
}
