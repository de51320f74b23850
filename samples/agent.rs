//! An agent: two tools, a transcript, and a model.
//!
//! ```text
//! cargo run --example agent -- "What is in this folder?"
//! cargo run --example agent -- --base-url http://127.0.0.1:8080/v1 --model smollm2 "…"
//! cargo run --example agent -- --resume run.jsonl "And what is the largest?"
//! ```
//!
//! Without `--base-url` a scripted model answers, a fragment every `--pace` milliseconds (0). It
//! notes what it did, in a file beside the transcript that ends in `.notes`. The key of a real one is taken from
//! `OPENAI_API_KEY`. The answer goes to standard output, everything else to standard error. The
//! exit code is 0 for a completed run, 1 for a failed one, 130 for a cancelled one.

#[path = "agent/options.rs"]
mod options;

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use options::Options;
use sess::agent::{Agent, Console, Idempotency, Outcome};
use sess::look::visible;
use sess::session::{Choice, LoadError, Resolution};
use sess::tool::Tools;
use sess::{Json, Message, Session};
use tokio::runtime::Runtime;

fn main() -> ExitCode {
    let ended = Runtime::new().map_err(Into::into).and_then(|runtime| {
        let ended = runtime.block_on(run());
        // A tool that was given up on may be at it for ever; nobody waits for it.
        runtime.shutdown_background();
        ended
    });
    ended.unwrap_or_else(|error| {
        let _ = writeln!(
            io::stderr(),
            "agent: {}",
            visible::one_line(&error.to_string())
        );
        ExitCode::FAILURE
    })
}

async fn run() -> Result<ExitCode, Box<dyn Error>> {
    let options = Options::from_args(std::env::args().skip(1))?;
    let backend = options.backend()?;
    let session = Arc::new(open(&options)?);
    let agent = Agent::builder()
        .shared_backend(backend)
        .provider(tools(session.path().with_extension("notes"))?)
        .idempotency("list_files", Idempotency::ReadOnly)
        .idempotency("add_note", Idempotency::Destructive)
        .session(session.clone())
        .build()?;

    let mut messages = session.messages();
    messages.push(Arc::new(Message::user(options.prompt)));
    let mut run = agent.run(messages)?;

    let handle = run.handle();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            handle.cancel();
        }
    });
    let mut console = Console::new(io::stderr());
    while let Some(event) = run.next_event().await {
        // Nobody may be looking; the run goes on all the same.
        let _ = console.show(&event);
    }
    tell(&run.result().await.outcome)
}

/// Two tools made of closures: one that only looks, and one whose effect stays, a line in `notes`.
fn tools(notes: PathBuf) -> Result<Tools, Box<dyn Error>> {
    let one_text = |name: &str| {
        Json::parse(format!(
            r#"{{"type":"object","properties":{{"{name}":{{"type":"string"}}}},"required":["{name}"]}}"#
        ))
    };
    let list = |arguments: Json| async move {
        aside(move || {
            let mut names = Vec::new();
            for entry in fs::read_dir(path_of(&arguments))? {
                names.push(entry?.file_name().to_string_lossy().into_owned());
            }
            names.sort();
            Ok(names.join("\n"))
        })
        .await
    };
    let note = move |arguments: Json| {
        let notes = notes.clone();
        aside(move || {
            let text = arguments.get_str("text").unwrap_or_default();
            let mut file = File::options().append(true).create(true).open(notes)?;
            file.write_all(format!("{text}\n").as_bytes())?;
            Ok("Noted.".to_owned())
        })
    };
    Ok(Tools::new()
        .with(
            "list_files",
            "Lists the names in a folder.",
            one_text("path")?,
            list,
        )
        .with(
            "add_note",
            "Notes a line for later.",
            one_text("text")?,
            note,
        ))
}

/// Does what may block on a thread where that stops nobody.
async fn aside(work: impl FnOnce() -> io::Result<String> + Send + 'static) -> io::Result<String> {
    tokio::task::spawn_blocking(work).await?
}

fn path_of(arguments: &Json) -> String {
    arguments.get_str("path").unwrap_or_else(|| ".".to_owned())
}

/// Starts a transcript, or picks one up: what a dead process left open is settled first, saying
/// no more than is known.
fn open(options: &Options) -> Result<Session, Box<dyn Error>> {
    let meta = Json::object([("program", Json::string("samples/agent"))]);
    let session = match &options.resume {
        None => Session::create(&options.session, meta)?,
        Some(path) => match Session::load(path) {
            // Its process died before it had recorded anything.
            Err(LoadError::Empty { .. }) => Session::create(path, meta)?,
            loaded => loaded?,
        },
    };
    let mut calls = session.open_calls();
    calls.sort_by_key(|call| call.asked);
    for call in calls {
        eprintln!(
            "settling {}: {}",
            visible::one_line(&call.tool),
            call.state.as_str()
        );
        Resolution::of(&call, &Choice::default())?.apply(&session)?;
    }
    eprintln!("transcript: {}", visible::path(session.path()));
    Ok(session)
}

/// Prints the answer, unless it has been seen on this very terminal. A model's text drives no
/// terminal, also not one at the end of a pipe; its bytes are in the transcript.
fn tell(outcome: &Outcome) -> Result<ExitCode, Box<dyn Error>> {
    let text = match outcome {
        Outcome::Completed { text } => text,
        Outcome::Failed { .. } => return Ok(ExitCode::FAILURE),
        Outcome::Cancelled { .. } => return Ok(ExitCode::from(130)),
    };
    if io::stdout().is_terminal() && io::stderr().is_terminal() {
        return Ok(ExitCode::SUCCESS);
    }
    match writeln!(io::stdout(), "{}", visible::lines(text)) {
        // Who reads no further has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}
