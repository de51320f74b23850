//! The commands that look never write: nothing in the folder changes, the writer's lock is neither
//! taken nor waited for, and no system call opens anything for writing.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use sess::{Json, Message, Session};

use super::TestEnv;

/// Every command that only looks, with its ways of looking.
const LOOKING: &[&[&str]] = &[
    &["peek", "run.jsonl"],
    &["peek", "--json", "run.jsonl"],
    &["peek", "--full", "run.jsonl"],
    &["tail", "run.jsonl"],
    &["check", "run.jsonl"],
    &["replay", "run.jsonl"],
    &["replay", "--json", "run.jsonl"],
    &["replay", "--steps", "run.jsonl"],
    &["diff", "run.jsonl", "run.jsonl"],
    &["diff", "--replayed", "run.jsonl", "run.jsonl"],
    &["pending", "run.jsonl"],
    &["repair", "--dry-run", "run.jsonl"],
    &["resolve", "--all", "--dry-run", "run.jsonl"],
];

#[test]
fn looking_changes_nothing_and_leaves_nothing_behind() {
    for sample in ["interrupted.jsonl", "no-final-newline.jsonl", "glued.jsonl"] {
        let env = with_sample(sample);
        let before = state_of(env.folder());
        for words in LOOKING {
            env.sess(words);
            assert_eq!(state_of(env.folder()), before, "{words:?} on {sample}");
        }
    }
}

#[test]
fn looking_works_beside_a_writer() {
    let env = TestEnv::new();
    let session = Session::create(env.path("run.jsonl"), Json::empty_object()).unwrap();
    session.append_message(Message::user("hello")).unwrap();
    for words in LOOKING {
        let ran = env.sess(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
    }
    session
        .append_message(Message::user("still writing"))
        .unwrap();
}

#[test]
fn looking_opens_nothing_for_writing() {
    if Command::new("strace")
        .arg("-V")
        .stdout(Stdio::null())
        .status()
        .is_err()
    {
        println!("skipped: strace is not installed");
        return;
    }
    let env = with_sample("interrupted.jsonl");
    for words in LOOKING {
        let trace = env.path("trace");
        let mut command = traced(&env, &trace, words);
        assert!(command.status().unwrap().code().is_some());
        assert_opens_nothing(&trace, words);
    }
}

#[test]
fn following_opens_nothing_for_writing() {
    if Command::new("strace")
        .arg("-V")
        .stdout(Stdio::null())
        .status()
        .is_err()
    {
        println!("skipped: strace is not installed");
        return;
    }
    let env = with_sample("healthy.jsonl");
    let trace = env.path("trace");
    let words = ["tail", "-f", "-n", "1", "run.jsonl"];
    let mut child = traced(&env, &trace, &words)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    assert!(out.read(&mut [0; 1]).unwrap() > 0, "the last line is shown");
    // With nobody reading any more, the follower ends by itself.
    drop(out);
    child.wait().unwrap();
    assert_opens_nothing(&trace, &words);
}

fn with_sample(name: &str) -> TestEnv {
    let env = TestEnv::new();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("samples/sessions")
        .join(name);
    env.write("run.jsonl", fs::read(sample).unwrap());
    env
}

/// Names, contents and times of everything in a folder.
fn state_of(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| {
            let path = entry.unwrap().path();
            let modified = fs::metadata(&path).unwrap().modified().unwrap();
            (path.clone(), (fs::read(&path).unwrap(), modified))
        })
        .collect()
}

/// The command, with every system call that names a file written to `trace`.
fn traced(env: &TestEnv, trace: &Path, words: &[&str]) -> Command {
    let plain = env.command(words);
    let mut command = Command::new("strace");
    command.args(["-f", "-e", "trace=file", "-o"]).arg(trace);
    command.arg(plain.get_program()).args(plain.get_args());
    command.current_dir(env.folder()).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The null device and the terminal may be opened for writing; nothing may be made or renamed.
fn assert_opens_nothing(trace: &Path, words: &[&str]) {
    const WRITING: &[&str] = &[
        "O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "creat(", "rename", "unlink", "link(", "mkdir",
        "truncate", "chmod", "chown", "utime",
    ];
    let trace = fs::read_to_string(trace).unwrap();
    assert!(trace.contains("run.jsonl"), "{words:?} was traced");
    for call in trace.lines() {
        let harmless = call.contains("\"/dev/null\"")
            || call.contains("\"/dev/tty\"")
            || call.contains("readlink");
        let writes = WRITING.iter().any(|sign| call.contains(sign));
        assert!(harmless || !writes, "{words:?}: {call}");
    }
}
