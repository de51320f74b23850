//! Transcripts whose lines cannot be written: what ends a run, and what is merely told (40, 11.2).

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sess::backend::Step;
use sess::context::RunContext;
use sess::session::disk::{Access, Disk, FileSystem, LogFile};
use sess::tool::ScriptedGrants;
use sess::{Json, Session};

use super::kit::*;

/// A disk that refuses lines of one type, the first `times` of them.
#[derive(Clone)]
struct Picky {
    type_name: &'static str,
    times: Arc<AtomicUsize>,
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
        let wanted = format!("\"type\":\"{}\"", self.1.type_name);
        let is_wanted = String::from_utf8_lossy(bytes).contains(&wanted);
        let left = |times: usize| times.checked_sub(1);
        if is_wanted
            && self
                .1
                .times
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, left)
                .is_ok()
        {
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
    let folder = tempfile::tempdir().unwrap();
    let picky = Picky {
        type_name,
        times: Arc::new(AtomicUsize::new(times)),
    };
    let session = Session::options()
        .disk(picky)
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
