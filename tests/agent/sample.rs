//! The sample agent, as a program: where its output goes, and its exit codes.

use std::path::PathBuf;
use std::process::{Command, Output};

use sess::Session;

/// The built sample; `None`, and the reason on standard error, where only the tests were built.
pub fn sample() -> Option<Command> {
    let test = std::env::current_exe().unwrap();
    let path: PathBuf = test.parent()?.parent()?.join("examples").join("agent");
    if !path.exists() {
        eprintln!(
            "skipped: {} is not built; `cargo test` builds it",
            path.display()
        );
        return None;
    }
    let mut command = Command::new(path);
    command.env_remove("OPENAI_API_KEY");
    Some(command)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_answer_goes_to_standard_output_and_the_rest_beside_it() {
    let Some(mut first) = sample() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let run =
        |command: &mut Command| -> Output { command.current_dir(folder.path()).output().unwrap() };
    let output = run(first.args(["--session", "run.jsonl", "What is here?"]));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), "Those are the files here.\n");
    let told = text(&output.stderr);
    assert!(
        told.contains("transcript: ")
            && told.contains("[-> list_files")
            && told.contains("run.jsonl"),
        "{told}"
    );

    let output = run(sample()
        .unwrap()
        .args(["--resume", "run.jsonl", "And now?"]));
    assert_eq!(output.status.code(), Some(0));
    let messages = Session::load(&path).unwrap().messages();
    assert_eq!(messages.len(), 10);
    assert_eq!(messages[5].content, "And now?");
    let notes = std::fs::read_to_string(folder.path().join("run.notes")).unwrap();
    assert_eq!(notes.matches("Looked around").count(), 2);
}

#[test]
fn what_cannot_be_done_is_said_and_fails() {
    let Some(mut unknown) = sample() else { return };
    let output = unknown.arg("--what").output().unwrap();
    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(1), String::new())
    );
    assert!(text(&output.stderr).contains("usage: agent"));
    let output = sample()
        .unwrap()
        .args(["--resume", "/nowhere/at/all.jsonl"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let nobody = [
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--model",
        "m",
        "--session",
    ];
    let folder = tempfile::tempdir().unwrap();
    let session = folder.path().join("run.jsonl");
    let output = sample()
        .unwrap()
        .env("OPENAI_API_KEY", "sk-secret")
        .args(nobody)
        .arg(&session)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stored = std::fs::read_to_string(session).unwrap();
    assert!(!stored.contains("sk-secret") && !text(&output.stderr).contains("sk-secret"));
}
