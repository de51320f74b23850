//! `sess peek --artifact`: a long result that the transcript only names.

use serde_json::{Value, json};

use super::{Ran, TestEnv};

/// SHA-256 of `hello`, from the table of spec 8.
const OF_HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

/// A transcript in which one operation is settled with an artifact of this name.
fn transcript(env: &TestEnv, file: &str) {
    let artifact = json!({
        "bytes": 5, "chars": 5, "digest": OF_HELLO, "elided-chars": 2, "file": file
    });
    with_artifact(env, &artifact);
}

/// The same with anything in the artifact's place.
fn with_artifact(env: &TestEnv, artifact: &Value) {
    env.write(
        "run.jsonl",
        format!(
            r#"{{"id":"m0","payload":{{}},"ts":"2026-01-01T00:00:00.000000Z","type":"session-meta","v":1}}
{{"id":"op-77","payload":{{"arguments":"{{}}","call-id":"c1","tool":"shell"}},"ts":"2026-01-01T00:00:01.000000Z","type":"tool-dispatched","v":1}}
{{"id":"m1","payload":{{"content":"hel…","role":"tool","tool-call-id":"c1"}},"ts":"2026-01-01T00:00:02.000000Z","type":"message","v":1}}
{{"id":"s1","payload":{{"artifact":{artifact},"op-id":"op-77","outcome":"completed"}},"ts":"2026-01-01T00:00:02.000000Z","type":"tool-settled","v":1}}
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
    for name in ["../secret", "/etc/passwd", ".."] {
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
fn what_names_no_file_is_said_to_name_none() {
    let env = TestEnv::new();
    for artifact in [
        json!({"digest": OF_HELLO}),
        json!({"file": 3}),
        json!({"file": ""}),
        json!("op-77.txt"),
        json!([]),
    ] {
        with_artifact(&env, &artifact);
        let ran = env.sess(&["peek", "run.jsonl", "--artifact", "op-77"]);
        let none = "sess: run.jsonl:4: what is recorded as its artifact names no file\n\
                    hint: `sess peek --full run.jsonl` shows the excerpt that the model saw\n";
        assert_eq!(ran, Ran::new(2, "", none), "{artifact}");
    }
}

/// The document that `--json` writes when there is nothing to show, and the exit status.
fn refusal(env: &TestEnv, typed: &str) -> (Value, Option<i32>) {
    let ran = env.sess(&["peek", "--json", "run.jsonl", "--artifact", typed]);
    (serde_json::from_str(&ran.out).unwrap(), ran.code)
}

#[test]
fn json_says_on_standard_output_why_there_is_no_text() {
    let env = TestEnv::new();
    let error = |kind: &str, message: &str, line: Option<u64>| match line {
        Some(line) => {
            json!({"path": "run.jsonl", "error": {"kind": kind, "message": message, "line": line}})
        }
        None => json!({"path": "run.jsonl", "error": {"kind": kind, "message": message}}),
    };
    let none = "no such file; there is nothing to look at";
    assert_eq!(
        refusal(&env, "op-77"),
        (error("no-file", none, None), Some(2))
    );
    transcript(&env, "op-77.txt");
    let missing = "its file is missing: run.artifacts/op-77.txt";
    assert_eq!(
        refusal(&env, "op-77"),
        (error("missing", missing, Some(4)), Some(1))
    );
    let no_such = "no operation with an artifact starts with \"x\"";
    assert_eq!(
        refusal(&env, "x"),
        (error("no-operation", no_such, None), Some(1))
    );
    with_artifact(&env, &json!({}));
    let unnamed = "what is recorded as its artifact names no file";
    assert_eq!(
        refusal(&env, "op-77"),
        (error("names-no-file", unnamed, Some(4)), Some(2))
    );
}

#[test]
fn json_holds_bytes_that_are_no_text_as_base64_and_no_control_raw() {
    let env = TestEnv::new();
    transcript(&env, "op-77.txt");
    let shown = |env: &TestEnv| {
        env.sess(&["peek", "--json", "run.jsonl", "--artifact", "op-77"])
            .out
    };
    keep(&env, "op-77.txt", b"\xff\x00fo");
    assert_eq!(
        serde_json::from_str::<Value>(&shown(&env)).unwrap(),
        json!({
            "path": "run.jsonl", "op-id": "op-77", "line": 4, "file": "op-77.txt",
            "bytes": 4, "base64": "/wBmbw==", "intact": false
        })
    );
    keep(&env, "op-77.txt", "a\u{7f}\u{9b}2J é");
    let out = shown(&env);
    assert!(out.contains(r#""text":"a\u007f\u009b2J é""#), "{out}");
}

#[test]
fn a_long_text_comes_byte_for_byte_wherever_its_pieces_end() {
    let env = TestEnv::new();
    transcript(&env, "op-77.txt");
    for begin in 0..4 {
        let text = "x".repeat(begin) + &"日😀é".repeat(30_000);
        keep(&env, "op-77.txt", &text);
        let raw = env.sess(&["-q", "peek", "--raw", "run.jsonl", "--artifact", "op-77"]);
        assert_eq!((raw.code, raw.out == text), (Some(0), true), "{begin}");
    }
}

#[test]
fn of_an_operation_settled_twice_the_first_text_counts() {
    let env = TestEnv::new();
    transcript(&env, "op-77.txt");
    let again = r#"{"id":"s2","payload":{"artifact":{"file":"other.txt"},"op-id":"op-77","outcome":"failed"},"ts":"2026-01-01T00:00:03.000000Z","type":"tool-settled","v":1}"#;
    let lines = std::fs::read_to_string(env.path("run.jsonl")).unwrap();
    env.write("run.jsonl", format!("{lines}{again}\n"));
    keep(&env, "op-77.txt", "hello");
    keep(&env, "other.txt", "other");
    let ran = env.sess(&["peek", "run.jsonl", "--artifact", "op-77"]);
    assert_eq!(ran, Ran::new(0, "hello\n", ""));
}

#[cfg(unix)]
#[test]
fn a_linked_transcript_has_its_texts_beside_the_real_file_and_a_linked_folder_none() {
    use std::os::unix::fs::symlink;
    let env = TestEnv::new();
    transcript(&env, "op-77.txt");
    keep(&env, "op-77.txt", "hello");
    std::fs::create_dir(env.path("there")).unwrap();
    symlink("../run.jsonl", env.path("there/link.jsonl")).unwrap();
    let ran = env.sess(&["peek", "there/link.jsonl", "--artifact", "op-77"]);
    assert_eq!(ran, Ran::new(0, "hello\n", ""));

    let real = env.path("run.artifacts");
    std::fs::rename(&real, env.path("elsewhere")).unwrap();
    symlink(env.path("elsewhere"), &real).unwrap();
    let ran = env.sess(&["peek", "run.jsonl", "--artifact", "op-77"]);
    assert_eq!(
        ran,
        Ran::new(
            2,
            "",
            "sess: run.jsonl:4: the folder of its file is a link, which is not followed: \
             run.artifacts\n\
             hint: `sess peek --full run.jsonl` shows the excerpt that the model saw\n"
        )
    );
}

#[test]
fn an_operation_without_an_artifact_is_none_and_a_pipe_has_nothing_beside_it() {
    let env = TestEnv::new();
    transcript(&env, "op-77.txt");
    let ran = env.sess(&["peek", "run.jsonl", "--artifact", "c1"]);
    let none = "sess: run.jsonl: no operation with an artifact starts with \"c1\"\n\
                hint: one that has an artifact is op-77\n";
    assert_eq!(ran, Ran::new(1, "", none));
    let ran = env.sess_with_input(&["peek", "-", "--artifact", "op-77"], b"");
    let piped = "sess: -: what comes through a pipe has no artifacts beside it\n\
                 hint: name the transcript itself, beside which they are\n";
    assert_eq!(ran, Ran::new(2, "", piped));
    env.sample("healthy.jsonl");
    let ran = env.sess(&["peek", "healthy.jsonl", "--artifact", "c1"]);
    let none = "sess: healthy.jsonl: no operation with an artifact starts with \"c1\"\n\
                hint: no line names an artifact: what the tools answered stands whole in the \
                transcript\n";
    assert_eq!(ran, Ran::new(1, "", none));
}

#[test]
fn what_is_no_transcript_has_no_artifacts_and_is_told_apart() {
    let env = TestEnv::new();
    env.write("list.json", "[]\n");
    let ran = env.sess(&["peek", "list.json", "--artifact", "c1"]);
    let told = "sess: list.json: not a transcript: no line of it is an envelope\n\
                hint: it looks like one JSON array; a transcript has one JSON object per line\n";
    assert_eq!(ran, Ran::new(2, "", told));
}

#[cfg(all(unix, feature = "agent"))]
#[test]
fn what_a_session_keeps_is_found_by_either_name_of_its_transcript() {
    use sess::context::{ArtifactStore, FolderStore};
    let env = TestEnv::new();
    transcript(&env, "op-77.txt");
    std::fs::create_dir(env.path("there")).unwrap();
    std::os::unix::fs::symlink("../run.jsonl", env.path("there/link.jsonl")).unwrap();
    let session = sess::Session::load(env.path("there/link.jsonl")).unwrap();
    let store = FolderStore::beside(session.path());
    store.store("op-77", "hello").unwrap();
    for name in ["run.jsonl", "there/link.jsonl"] {
        let ran = env.sess(&["peek", name, "--artifact", "op-77"]);
        assert_eq!(ran, Ran::new(0, "hello\n", ""), "{name}");
    }
}
