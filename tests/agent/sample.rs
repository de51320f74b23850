//! The sample agent, as a program: where its output goes, and its exit codes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use sess::Session;

use crate::support::server::{Reply, Server, events};

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
fn a_transcript_that_its_process_left_empty_is_begun_on_resuming() {
    let Some(mut resumed) = sample() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    std::fs::write(&path, "").unwrap();
    let output = resumed
        .current_dir(folder.path())
        .args(["--resume", "run.jsonl", "What is here?"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let session = Session::load(&path).unwrap();
    assert_eq!(
        session.meta().get_str("program").as_deref(),
        Some("samples/agent")
    );
    assert_eq!(session.messages()[0].content, "What is here?");
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

/// The sample, asked against a server that gives these replies.
async fn asked(replies: Vec<Reply>, folder: &Path) -> Option<Command> {
    let mut command = sample()?;
    let server = Server::start(replies).await;
    command.current_dir(folder).stdin(Stdio::null());
    command.args(["--model", "m", "--session", "run.jsonl", "--base-url"]);
    command.arg(server.url()).arg("Go.");
    Some(command)
}

fn stream(deltas: &[&str], reason: &str) -> Reply {
    let chunk = |delta: &&str| format!("data: {{\"choices\":[{{\"delta\":{delta}}}]}}\n\n");
    let body: String = deltas.iter().map(chunk).collect();
    let end =
        format!("data: {{\"choices\":[{{\"finish_reason\":\"{reason}\"}}]}}\n\ndata: [DONE]\n\n");
    events(body + &end, 4_096)
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_a_model_says_drives_a_terminal() {
    let evil = r"\u001b[2J\u202eevil\u009b31m\u0000";
    let content = format!("{{\"content\":\"{evil}\"}}");
    let call = format!(
        "{{\"tool_calls\":[{{\"index\":0,\"id\":\"{evil}\",\"function\":{{\"name\":\"{evil}\",\"arguments\":\"{evil}\"}}}}]}}"
    );
    let folder = tempfile::tempdir().unwrap();
    let replies = vec![
        stream(&[&content, &call], "tool_calls"),
        stream(&[&content], "stop"),
    ];
    let Some(mut command) = asked(replies, folder.path()).await else {
        return;
    };
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let told = text(&output.stderr) + &text(&output.stdout);
    assert!(told.contains("␛[2J\\u{202e}evil"), "{told}");
    let drives = |shown: char| shown != '\n' && (shown.is_control() || shown == '\u{202e}');
    assert!(!told.contains(drives), "{told:?}");
    // The transcript has it as it was said.
    let messages = Session::load(folder.path().join("run.jsonl"))
        .unwrap()
        .messages();
    assert_eq!(messages[1].content, "\u{1b}[2J\u{202e}evil\u{9b}31m\0");
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_cannot_be_written_fails_and_one_nobody_reads_does_not() {
    use std::io::Read;

    let folder = tempfile::tempdir().unwrap();
    let long = format!("{{\"content\":\"{}\"}}", "x".repeat(1 << 20));
    let Some(mut command) = asked(vec![stream(&[&long], "stop")], folder.path()).await else {
        return;
    };
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = command.stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("agent: "));

    std::fs::remove_file(folder.path().join("run.jsonl")).unwrap();
    let unread = command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = unread.spawn().unwrap();
    let mut first = [0];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_a_run_whose_tool_never_returns() {
    use std::io::{BufRead, BufReader};

    let folder = tempfile::tempdir().unwrap();
    let run = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        let status = command.args(args).current_dir(folder.path()).status();
        status.is_ok_and(|status| status.success())
    };
    assert!(run("mkfifo", &["run.notes"]));
    let call = |id: &str, tool: &str| {
        format!(
            r#"{{"tool_calls":[{{"id":"{id}","function":{{"name":"{tool}","arguments":"{{\"text\":\"x\"}}"}}}}]}}"#
        )
    };
    let calls = [call("a", "add_note"), call("b", "list_files")];
    let reply = stream(&[&calls[0], &calls[1]], "tool_calls");
    let Some(mut command) = asked(vec![reply], folder.path()).await else {
        return;
    };
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(told.any(|line| line.unwrap().contains("list_files")));
    assert!(run("kill", &["-INT", &child.id().to_string()]));
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let messages = Session::load(folder.path().join("run.jsonl"))
        .unwrap()
        .messages();
    let answered: Vec<Option<&str>> = messages
        .iter()
        .skip(2)
        .map(|message| message.tool_call_id.as_deref())
        .collect();
    assert_eq!(answered, [Some("a"), Some("b")]);
}
