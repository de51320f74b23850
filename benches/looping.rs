//! What the loop costs beyond the model and the tools.
//!
//! The target: less than 5 µs for each token. A token through the loop is compared with one through
//! a bare channel; the difference to the backend alone is the loop's own. A tool round that is
//! recorded is compared with bare appends of its four lines.

use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sess::agent::Agent;
use sess::backend::{Backend, BackendError, Request, Response, ResponseHandle, ResponseStream};
use sess::backend::{ScriptedBackend, Step};
use sess::message::ToolCall;
use sess::session::{Arguments, Dispatch, Outcome, Settlement};
use sess::tool::Tools;
use sess::{Json, Message, Role, Session};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use crate::measure::{Unit, compare, is_quick, subject};

const TOKEN: &str = " token";

/// Measures and prints.
pub fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    tokens(&runtime);
    rounds(&runtime);
}

fn tokens(runtime: &Runtime) {
    let count = if is_quick() { 1_000 } else { 1_000_000 };
    let model = Arc::new(Talker { tokens: count });
    let agent = Agent::builder().shared_backend(model.clone()).build();
    let agent = agent.expect("an agent");
    let subjects = vec![
        subject("a channel alone", count, || {
            runtime.block_on(channel(count));
        }),
        subject("the backend alone", count, || {
            runtime.block_on(async {
                let request = Request::new([Message::user("Talk.")]);
                let mut stream = model.stream(request).await.expect("a stream");
                let mut read = 0;
                while stream.fragments.recv().await.is_some() {
                    read += 1;
                }
                assert_eq!(read, count);
            });
        }),
        subject("the loop", count, || {
            runtime.block_on(play(&agent, count));
        }),
    ];
    compare(
        &format!("{count} tokens of one answer"),
        Unit::Each,
        subjects,
    );
}

async fn channel(count: u64) {
    let (sender, mut fragments) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for index in 0..count {
            sender.send(TOKEN.to_owned()).expect("a reader");
            pause(index).await;
        }
    });
    let mut read = 0;
    while fragments.recv().await.is_some() {
        read += 1;
    }
    assert_eq!(read, count);
}

/// Lets the reader read now and then, as a network would.
async fn pause(index: u64) {
    if index.is_multiple_of(16) {
        tokio::task::yield_now().await;
    }
}

/// Runs the agent; it publishes at least so many events.
async fn play(agent: &Agent, at_least: u64) {
    let mut run = agent.run([Message::user("Talk.")]).expect("a free agent");
    let mut events = 0;
    while run.next_event().await.is_some() {
        events += 1;
    }
    run.drained().await;
    assert!(run.result().await.is_completed() && events >= at_least);
}

/// A model that says one word again and again.
struct Talker {
    tokens: u64,
}

impl Backend for Talker {
    fn model(&self) -> Option<String> {
        None
    }

    fn max_tokens(&self) -> Option<u64> {
        None
    }

    fn stream(&self, _: Request) -> BoxFuture<'_, Result<ResponseStream, BackendError>> {
        let tokens = self.tokens;
        async move {
            let (writer, stream) = ResponseHandle::open("talk");
            tokio::spawn(async move {
                for index in 0..tokens {
                    writer.push_text(TOKEN);
                    pause(index).await;
                }
                writer.set_finish_reason("stop");
                writer.finish();
            });
            Ok(stream)
        }
        .boxed()
    }

    fn complete(&self, _: Request) -> BoxFuture<'_, Response> {
        async { Response::default() }.boxed()
    }
}

fn rounds(runtime: &Runtime) {
    let count = if is_quick() { 3 } else { 200 };
    let folder = tempfile::tempdir().expect("a folder for the transcripts");
    let path = folder.path().join("run.jsonl");
    let subjects = vec![
        subject("four appends", count, || {
            let session = fresh(&path);
            (0..count).for_each(|round| append(&session, round));
        }),
        subject("the loop", count, || {
            runtime.block_on(play(&caller(&path, count), count));
        }),
        subject("the loop without a transcript", count, || {
            let agent = builder(count).build().expect("an agent");
            runtime.block_on(play(&agent, count));
        }),
    ];
    compare(
        &format!("{count} tool rounds of one run"),
        Unit::Each,
        subjects,
    );
}

fn caller(path: &Path, rounds: u64) -> Agent {
    let agent = builder(rounds).session(fresh(path)).build();
    agent.expect("an agent")
}

/// An agent whose model calls a tool that does nothing, round after round.
fn builder(rounds: u64) -> sess::agent::AgentBuilder {
    let calls = (0..rounds).map(|round| Step::calls([call(round)]));
    let script = calls.chain([Step::text("Done.")]);
    let nothing = |_: Json| async { "Nothing." };
    Agent::builder()
        .backend(ScriptedBackend::new(script))
        .provider(Tools::new().with("nothing", "Does nothing.", Json::empty_object(), nothing))
}

fn call(round: u64) -> Json {
    let call = ToolCall {
        id: format!("call-{round}"),
        name: "nothing".into(),
        arguments: arguments(round),
    };
    call.to_json()
}

fn arguments(round: u64) -> String {
    format!(r#"{{"round":{round}}}"#)
}

fn fresh(path: &Path) -> Session {
    let _ = std::fs::remove_file(path);
    Session::create(path, Json::empty_object()).expect("a session")
}

/// The lines of a round, without the loop.
fn append(session: &Session, round: u64) {
    let id = format!("call-{round}");
    let turn = Message {
        tool_calls: vec![call(round)],
        ..Message::new(Role::Assistant, "")
    };
    session.append_message(turn).expect("space");
    let text = Arguments::Text(arguments(round));
    let dispatch = Dispatch::new(id.as_str(), "nothing", text);
    let operation = session.append_tool_dispatched(&dispatch).expect("space");
    let answer = Message::tool(id, "Nothing.");
    session.append_message(answer).expect("space");
    let settlement = Settlement::new(operation, Outcome::Completed);
    session.append_tool_settled(&settlement).expect("space");
}
