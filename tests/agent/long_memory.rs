//! How much memory a long run takes. Not run by itself, for it takes a while:
//!
//! ```text
//! cargo test --release --test main agent::long_memory -- --ignored --nocapture
//! ```
//!
//! The run is in a process of its own, with a model and a summariser that remember nothing, so that
//! what is measured is the loop, the compactor and the session.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sess::agent::{Agent, BackendSummariser};
use sess::backend::{
    Backend, BackendError, Request, Response, ResponseStream, ScriptedBackend, Step,
};
use sess::context::{CompactorOptions, SummarisingCompactor};
use sess::tool::Tools;
use sess::{Json, Message, Session};

use super::kit::{by_character, call_with};

/// Characters, which are tokens here, that the conversation may have.
const BUDGET: u64 = 64 * 1024;
/// Bytes of each tool result.
const RESULT: usize = 8 * 1024;

const FILE: &str = "SESS_LONG_FILE";
const ROUNDS: &str = "SESS_LONG_ROUNDS";
const MARK: &str = "told: ";

#[test]
#[ignore = "a run of two thousand rounds takes a while"]
fn a_long_run_tells_how_much_memory_it_took() {
    for rounds in [20, 200, 2_000] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        let output = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "agent::long_memory::another_process",
                "--nocapture",
            ])
            .env(FILE, &path)
            .env(ROUNDS, rounds.to_string())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}");
        let told = said.lines().find_map(|line| line.split_once(MARK));
        let peak = told.map_or("not known here", |(_, peak)| peak);
        let size = std::fs::metadata(&path).unwrap().len();
        println!("{rounds} rounds, a transcript of {size} bytes: peak resident {peak}");
        check_bounds(&path, rounds);
    }
}

/// What is held is what the window takes, however long the run was.
fn check_bounds(path: &Path, rounds: usize) {
    let session = Session::load(path).unwrap();
    let messages = session.messages();
    let size = by_character().count_messages(&messages);
    assert!(size <= BUDGET, "{size}");
    let dispatched = session.events().unwrap().into_iter();
    let dispatched =
        dispatched.filter(|line| line.get_str("type").as_deref() == Some("tool-dispatched"));
    assert_eq!(dispatched.count(), rounds);
    assert!(session.open_calls().is_empty());
}

/// Does nothing unless it is started by the test above.
#[tokio::test]
async fn another_process() {
    let Some(path) = std::env::var_os(FILE) else {
        return;
    };
    let rounds: usize = std::env::var(ROUNDS).unwrap().parse().unwrap();
    let session = Session::create(path, Json::empty_object()).unwrap();
    let read = |_: Json| async { "r".repeat(RESULT) };
    let options = CompactorOptions {
        keep_recent: 4,
        age_observations: true,
        age_reclaim_min: 3 * RESULT as u64,
        ..CompactorOptions::new(BUDGET)
    };
    let summariser = BackendSummariser::new(Arc::new(Forgetful::new(0)));
    let compactor = SummarisingCompactor::new(Arc::new(summariser), by_character(), options);
    let agent = Agent::builder()
        .backend(Forgetful::new(rounds))
        .counter(by_character())
        .provider(Tools::new().with("read", "Reads a page.", Json::empty_object(), read))
        .session(session)
        .compactor(compactor.unwrap())
        .max_tool_rounds(rounds as u64 + 1)
        .max_tool_calls(rounds as u64 + 1)
        .build()
        .unwrap();
    let mut run = agent.run([Message::user("Go.")]).unwrap();
    while run.next_event().await.is_some() {}
    assert_eq!(run.result().await.text(), "Done.");
    println!("{MARK}{}", peak_resident());
}

/// As the system counts it, where it does.
fn peak_resident() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.map_or("not known here", str::trim).to_owned()
}

/// Asks for so many pages, then is done; keeps nothing of what it was asked.
struct Forgetful {
    rounds: usize,
    asked: AtomicUsize,
}

impl Forgetful {
    fn new(rounds: usize) -> Self {
        Self {
            rounds,
            asked: AtomicUsize::new(0),
        }
    }

    fn next(&self) -> ScriptedBackend {
        let page = self.asked.fetch_add(1, Ordering::Relaxed);
        let call = || {
            call_with(
                &format!("c{page}"),
                "read",
                &format!(r#"{{"page":{page}}}"#),
            )
        };
        let step = match page < self.rounds {
            true => Step::chunks(["m".repeat(500)]).with_calls([call()]),
            false => Step::text("Done."),
        };
        ScriptedBackend::new([step])
    }
}

impl Backend for Forgetful {
    fn model(&self) -> Option<String> {
        None
    }

    fn max_tokens(&self) -> Option<u64> {
        None
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<ResponseStream, BackendError>> {
        let one = self.next();
        let stream = async move {
            // A model takes its time, in which the events of the round before are read.
            tokio::task::yield_now().await;
            one.stream(request).await
        };
        stream.boxed()
    }

    fn complete(&self, request: Request) -> BoxFuture<'_, Response> {
        let one = self.next();
        async move { one.complete(request).await }.boxed()
    }
}
