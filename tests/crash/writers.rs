//! One writer, however many try.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use sess::session::disk::FileSystem;
use sess::session::{CreateError, DamageKind, LoadError, Session, WarningKind};
use sess::{Json, Message};

use super::child;
use super::place::fast_folder;

#[test]
fn a_second_process_is_told_that_the_transcript_is_being_written() {
    let folder = fast_folder();
    let path = folder.path().join("run.jsonl");
    let holder = Holder::start(&path);
    let stored = fs::read(&path).unwrap();
    assert!(matches!(
        Session::load(&path),
        Err(LoadError::Locked { .. })
    ));
    assert!(matches!(
        Session::options().repair(&path),
        Err(LoadError::Locked { .. })
    ));
    let created = Session::create(&path, Json::empty_object());
    assert!(
        matches!(created, Err(CreateError::Locked { .. })),
        "{created:?}"
    );
    assert_eq!(fs::read(&path).unwrap(), stored);
    holder.let_go();
    Session::load(&path).unwrap();
}

#[test]
fn a_torn_tail_is_not_touched_while_a_writer_is_there() {
    let folder = fast_folder();
    let path = folder.path().join("run.jsonl");
    let holder = Holder::start(&path);
    let mut half_written = fs::OpenOptions::new().append(true).open(&path).unwrap();
    half_written.write_all(b"{\"id\":\"half").unwrap();
    let stored = fs::read(&path).unwrap();
    assert!(matches!(
        Session::load(&path),
        Err(LoadError::Locked { .. })
    ));
    assert_eq!(fs::read(&path).unwrap(), stored);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    holder.let_go();
}

#[test]
fn a_repaired_transcript_is_still_locked() {
    let folder = fast_folder();
    let path = folder.path().join("run.jsonl");
    drop(Session::create(&path, Json::empty_object()).unwrap());
    let torn = fs::read_to_string(&path).unwrap() + "{\"id\":";
    fs::write(&path, torn).unwrap();
    let session = Session::load(&path).unwrap();
    assert_eq!(session.warnings()[0].kind, WarningKind::TornTail);
    assert!(matches!(
        Session::load(&path),
        Err(LoadError::Locked { .. })
    ));
    drop(session);
    Session::load(&path).unwrap();
}

/// As on Windows, where a lock on the transcript itself would keep readers out.
#[test]
fn a_lock_beside_the_transcript_does_the_same_and_outlives_a_repair() {
    let folder = fast_folder();
    let path = folder.path().join("run.jsonl");
    let options = || Session::options().disk(FileSystem { lock_beside: true });
    let locked = || matches!(options().load(&path), Err(LoadError::Locked { .. }));
    let session = options().create(&path, Json::empty_object()).unwrap();
    assert!(locked());
    assert!(folder.path().join("run.jsonl.lock").is_file());
    session.close();
    let torn = fs::read_to_string(&path).unwrap() + "{\"id\":";
    fs::write(&path, torn).unwrap();
    let session = options().load(&path).unwrap();
    assert_eq!(session.warnings()[0].kind, WarningKind::TornTail);
    assert!(locked());
    drop(session);
    assert!(!locked());
}

#[test]
fn of_several_threads_that_create_one_transcript_one_succeeds() {
    const THREADS: usize = 4;
    let folder = fast_folder();
    for round in 0..200 {
        let path = folder.path().join(format!("{round}.jsonl"));
        let start = Barrier::new(THREADS);
        let created: Vec<_> = thread::scope(|scope| {
            let create = || {
                start.wait();
                Session::create(&path, Json::empty_object())
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(create)).collect();
            threads.into_iter().map(|it| it.join().unwrap()).collect()
        });
        for refused in created.iter().filter_map(|it| it.as_ref().err()) {
            let typed = matches!(
                refused,
                CreateError::Locked { .. } | CreateError::NotEmpty { .. }
            );
            assert!(typed, "{refused}");
        }
        assert_eq!(created.iter().filter(|it| it.is_ok()).count(), 1);
        drop(created);
        assert_eq!(Session::load(&path).unwrap().envelope_count(), 1);
    }
}

#[test]
fn of_several_processes_that_create_one_transcript_one_succeeds() {
    let folder = fast_folder();
    for round in 0..8 {
        let path = folder.path().join(format!("{round}.jsonl"));
        let mut processes: Vec<Child> = (0..3)
            .map(|_| child::command("create", &path).spawn().unwrap())
            .collect();
        for process in &mut processes {
            wait_for(process, "ready");
        }
        let mut answers = Vec::new();
        // All of them run on when their standard input ends.
        for process in &mut processes {
            drop(process.stdin.take());
        }
        for process in processes {
            let output = process.wait_with_output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            answers.extend(text.lines().filter_map(child::told).map(str::to_owned));
        }
        answers.sort();
        assert_eq!(answers.len(), 3);
        assert_eq!(
            answers.iter().filter(|it| *it == "created").count(),
            1,
            "{answers:?}"
        );
        assert_eq!(Session::load(&path).unwrap().envelope_count(), 1);
    }
}

/// A child process between fork and exec holds copies of all open files, and with them the locks.
#[test]
fn the_lock_is_given_back_while_other_threads_start_processes() {
    let folder = fast_folder();
    let path = folder.path().join("run.jsonl");
    drop(Session::create(&path, Json::empty_object()).unwrap());
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    Command::new("true").status().unwrap();
                }
            });
        }
        let loads: Vec<_> = (0..2000).map(|_| Session::load(&path).map(drop)).collect();
        done.store(true, Ordering::Relaxed);
        for load in loads {
            load.unwrap();
        }
    });
}

#[test]
fn a_peek_beside_a_writer_warns_of_nothing_but_the_line_being_written() {
    let folder = fast_folder();
    let path = folder.path().join("run.jsonl");
    let session = Session::create(&path, Json::parse(r#"{"k":1}"#).unwrap()).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..150 {
                let content = "é".repeat((number % 7) * 20_000);
                session.append_message(Message::user(content)).unwrap();
            }
            done.store(true, Ordering::Relaxed);
        });
        let mut seen = 0;
        loop {
            let last = done.load(Ordering::Relaxed);
            let peek = Session::peek(&path);
            assert_eq!(peek.error, None);
            let lines = peek.envelopes.len();
            assert!(lines >= seen, "{lines} after {seen}");
            assert!(peek.warnings.len() <= 1, "{:?}", peek.warnings);
            for warning in &peek.warnings {
                assert_eq!(warning.kind, WarningKind::Damaged(DamageKind::Truncated));
                assert_eq!(warning.line, lines as u64 + 1);
            }
            seen = lines;
            if last {
                break;
            }
        }
        assert_eq!(seen, 151);
    });
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// A process that has a transcript open.
struct Holder(Child);

impl Holder {
    fn start(path: &Path) -> Self {
        let mut process = child::command("hold", path).spawn().unwrap();
        wait_for(&mut process, "holding");
        Self(process)
    }

    fn let_go(mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().unwrap().success());
    }
}

fn wait_for(process: &mut Child, what: &str) {
    let mut out = BufReader::with_capacity(1, process.stdout.as_mut().unwrap());
    let mut line = String::new();
    while child::told(&line) != Some(&format!("{what}\n")) {
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0, "{what} was not told");
    }
}

/// The role: creates a transcript and keeps it open until its standard input ends.
pub fn hold(path: &Path) {
    let session = Session::create(path, Json::empty_object()).unwrap();
    child::tell("holding");
    wait_for_the_end();
    drop(session);
}

/// The role: creates a transcript when its standard input ends, and says how that went.
pub fn create(path: &Path) {
    child::tell("ready");
    wait_for_the_end();
    let created = Session::create(path, Json::empty_object());
    child::tell(match &created {
        Ok(_) => "created",
        Err(CreateError::Locked { .. }) => "locked",
        Err(CreateError::NotEmpty { .. }) => "not empty",
        Err(error) => panic!("{error}"),
    });
}

fn wait_for_the_end() {
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}
