//! Agent transcripts that survive: one append-only JSONL file per run, complete after every line.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("run.jsonl");
//! use sess::{Json, Message, Session};
//!
//! let session = Session::create(&path, Json::parse(r#"{"model":"small"}"#)?)?;
//! session.append_message(Message::user("What is in Cargo.toml?"))?;
//! session.close();
//!
//! // The next process goes on where this one stopped, however it stopped.
//! let session = Session::load(&path)?;
//! assert_eq!(session.messages()[0].content, "What is in Cargo.toml?");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Who has a loop already begins with [`session`] and needs no feature; who wants one begins with
//! [`agent`]; who has transcripts to look at, with [`look`].
//!
//! # Floors
//!
//! The crate is read from the bottom up; each floor uses only the floors below it.
//!
//! 1. [`message`], [`canonical`], [`id`], [`clock`]: the words everything else is written in.
//! 2. [`session`]: the transcript itself: create, load, peek, append, repair, replay.
//! 3. [`look`]: read-only analysis of transcripts of any size: check, index, follow, diff.
//!    [`backend`]: models, and the answers they give. [`tool`]: what a model may call.
//!    [`context`]: how large a request is, and what surrounds it.
//! 4. [`agent`]: the loop that asks a model, runs the tools it calls, and records both.
//! 5. [`view`]: the viewer of the command, on a whole screen.
//! 6. [`cli`]: the `sess` command.
//!
//! # Features
//!
//! Floors 1, 2 and [`look`] are always there and need no feature; with `default-features = false`
//! they bring no async runtime, no HTTP client and no terminal library. All of these only add to them:
//!
//! - `agent` (on by default): [`backend`], [`tool`], [`context`] and [`agent`], with tokio;
//! - `http` (on by default): the backends that speak HTTP, with reqwest and rustls;
//! - `export`: transcripts as Markdown and HTML, with maud;
//! - `tokens`: exact token counts and chat templates, with tiktoken-rs and minijinja;
//! - `tokenizers`: the same for models that come with a `tokenizer.json`;
//! - `cli` (on by default): the `sess` command, with clap and crossterm;
//! - `view` (on by default): the viewer, with ratatui and crossterm.

pub mod canonical;
pub mod clock;
pub mod id;
pub mod message;

pub mod session;

pub mod look;

#[cfg(feature = "agent")]
pub mod backend;
#[cfg(feature = "agent")]
pub mod context;
#[cfg(feature = "agent")]
pub mod tool;

#[cfg(feature = "agent")]
pub mod agent;

#[cfg(feature = "view")]
pub mod view;

#[cfg(feature = "cli")]
pub mod cli;

pub use canonical::Json;
pub use message::{Message, Role};
pub use session::Session;

/// The README's examples are tested like those of the documentation.
#[cfg(all(doctest, feature = "agent"))]
#[doc = include_str!("../README.md")]
struct Readme;
