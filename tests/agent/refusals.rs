//! Transcripts whose lines cannot be written: what ends a run, and what is merely told (40, 11.2).

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sess::backend::Step;
use sess::context::RunContext;
use sess::session::disk::{Access, Disk, FileSystem, LogFile};
use sess::session::{Choice, Resolution};
use sess::tool::{Gate, ScriptedGrants};
use sess::{Json, Message, Session};

use super::cancel::check_resumable;
use super::kit::*;

/// A disk that refuses some lines.
#[derive(Clone)]
struct Picky {
    refuses: Arc<dyn Fn(&str) -> bool + Send + Sync>,
}

struct PickyFile(Box<dyn LogFile>, Picky);

impl Disk for Picky {
    fn open(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        FileSystem::default().open(path)
    }
    fn create_new(&self, path: &Path, access: Option<&Access>) -> io::Result<Box<dyn LogFile>> {
        let file = FileSystem::default().create_new(path, access)?;
        Ok(Box::new(PickyFile(file, self.clone())))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        FileSystem::default().rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        FileSystem::default().remove(path)
    }
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        FileSystem::default().sync_folder(folder)
    }
}

impl LogFile for PickyFile {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(out, offset)
    }
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if (self.1.refuses)(&String::from_utf8_lossy(bytes)) {
            // Half of it is there already.
            self.0.append(&bytes[..bytes.len() / 2])?;
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no space left"));
        }
        self.0.append(bytes)
    }
    fn sync(&mut self) -> io::Result<()> {
        self.0.sync()
    }
    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }
    fn try_lock(&self) -> io::Result<bool> {
        self.0.try_lock()
    }
    fn unlock(&self) -> io::Result<()> {
        self.0.unlock()
    }
    fn is_at(&self, path: &Path) -> io::Result<bool> {
        self.0.is_at(path)
    }
    fn access(&self) -> io::Result<Access> {
        self.0.access()
    }
}

/// A transcript that refuses the first `times` lines of a type.
fn refusing(type_name: &'static str, times: usize) -> Transcript {
    let wanted = format!("\"type\":\"{type_name}\"");
    let times = AtomicUsize::new(times);
    on_picky(move |line| line.contains(&wanted) && take_one(&times))
}

/// A transcript whose disk is full after its first line and `lines` more, until there is room again.
fn full_after(lines: usize, has_room: &Gate) -> Transcript {
    let (lines, has_room) = (AtomicUsize::new(lines), has_room.clone());
    let is_first = |line: &str| line.contains("\"type\":\"session-meta\"");
    on_picky(move |line| !has_room.is_open() && !is_first(line) && !take_one(&lines))
}

fn take_one(left: &AtomicUsize) -> bool {
    left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
        left.checked_sub(1)
    })
    .is_ok()
}

fn on_picky(refuses: impl Fn(&str) -> bool + Send + Sync + 'static) -> Transcript {
    let folder = tempfile::tempdir().unwrap();
    let refuses = Arc::new(refuses);
    let session = Session::options()
        .disk(Picky { refuses })
        .create(folder.path().join("run.jsonl"), Json::empty_object());
    Transcript {
        session: Arc::new(session.unwrap()),
        folder,
    }
}

// 40
#[tokio::test(start_paused = true)]
async fn a_context_that_cannot_be_recorded_is_told() {
    let transcript = refusing("run-context", 1);
    let agent = agent_on([&backend([Step::text("Hi")])])
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let context = RunContext::default().fact("Day", "Monday").unwrap();
    let run = agent.run_with_context(question(), context).unwrap();
    let played = finish(run, Vec::new()).await;
    assert_eq!(played.result.text(), "Hi");
    let logs = played.of("log");
    assert_eq!(
        (logs.len(), text_of(&logs[0], "level")),
        (1, "error".to_owned())
    );
    assert!(text_of(&logs[0], "data").contains("no space left"));
    assert_eq!(
        transcript.types(),
        ["session-meta", "message(user)", "message(assistant)"]
    );
}

// 8.7: what could not be written is written at the next opportunity.
#[tokio::test(start_paused = true)]
async fn grants_that_cannot_be_recorded_are_told_and_tried_again() {
    let transcript = refusing("grants", 1);
    let tools = ScriptedGrants::new(provider(&["read"]));
    let backend = backend([
        calls("c1", "read"),
        calls("c2", "read"),
        Step::text("Done."),
    ]);
    let agent = agent_on([&backend])
        .provider(tools.clone())
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let run = agent.run(question()).unwrap();
    tools.add_grant(Json::string("read"));
    let played = finish(run, Vec::new()).await;
    assert!(played.result.is_completed());
    assert_eq!((played.count("log"), transcript.of("grants").len()), (1, 1));
}

// 11.2
#[tokio::test(start_paused = true)]
async fn a_run_that_cannot_be_recorded_does_not_go_on() {
    for (type_name, written) in [
        ("message", vec!["session-meta"]),
        (
            "tool-dispatched",
            vec!["session-meta", "message(user)", "message(assistant)"],
        ),
        (
            "tool-settled",
            vec![
                "session-meta",
                "message(user)",
                "message(assistant)",
                "tool-dispatched",
                "message(tool)",
            ],
        ),
        (
            "compaction",
            vec!["session-meta", "message(user)", "message(user)"],
        ),
    ] {
        let transcript = refusing(type_name, 1);
        let tools = provider(&["read"]);
        let mut builder = agent_on([&backend([calls("c1", "read")])])
            .provider(tools.clone())
            .counter(by_character())
            .session(transcript.session.clone());
        let mut messages = question();
        if type_name == "compaction" {
            builder = builder.compactor(Shrinker::new(1_000, 10));
            messages.insert(0, sess::Message::user("A question of some length."));
        }
        let played = play(&builder.build().unwrap(), messages).await;
        assert!(
            played.error().starts_with("the run died: ")
                && played.error().contains("no space left"),
            "{}",
            played.error()
        );
        assert_eq!(played.reason(), None);
        assert_eq!(transcript.types(), written);
        check_contract(&played.events);
        if type_name == "tool-dispatched" {
            assert!(
                tools.calls().is_empty(),
                "what is not recorded does not run"
            );
        }
        let reloaded = transcript.reload().messages();
        let recorded = reloaded.len();
        assert_eq!(reloaded, played.result.messages[..recorded]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_disk_that_fills_up_at_any_line_leaves_what_can_be_settled_and_gone_on_from() {
    for lines in 0.. {
        let has_room = Gate::new();
        let transcript = full_after(lines, &has_room);
        let turn = Step::calls(["c1", "c2", "c3"].map(|id| call(id, "read")));
        let backend = backend([turn, calls("c4", "read"), Step::text("Done.")]);
        let agent = agent_on([&backend])
            .provider(provider(&["read"]))
            .concurrent_tools(["read"])
            .session(transcript.session.clone())
            .build()
            .unwrap();
        let played = ask(&agent).await;
        check_contract(&played.events);
        if played.result.is_completed() {
            // Question, turn, three starts, three answers with their ends, turn, one call, turn.
            assert_eq!(lines, 16);
            return;
        }
        has_room.open();
        let mut left_open = transcript.session.open_calls();
        left_open.sort_by_key(|call| call.asked);
        let settles = left_open.iter().any(|call| call.needs_answer());
        if settles {
            let recorded = transcript.lines().len();
            let refused = play(&agent, one_more(&transcript)).await;
            assert!(refused.error().contains("settle it first"), "{lines}");
            assert_eq!(transcript.lines().len(), recorded);
        }
        for call in left_open {
            let resolution = Resolution::of(&call, &Choice::default()).unwrap();
            resolution.apply(&transcript.session).unwrap();
        }
        backend.push(Step::text("Done."));
        let played = play(&agent, one_more(&transcript)).await;
        assert!(played.result.is_completed(), "{lines}");
        check_resumable(&transcript, &played);
    }
}

/// The recorded conversation and one more question.
fn one_more(transcript: &Transcript) -> Vec<Message> {
    let recorded = transcript.session.messages();
    let recorded = recorded.iter().map(|message| Message::clone(message));
    recorded.chain([Message::user("Go on.")]).collect()
}
