//! The transcript of one run: an append-only JSONL file that is complete after every line.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("run.jsonl");
//! use std::fs::OpenOptions;
//! use std::io::Write;
//! use sess::{Json, Message, Session};
//!
//! let session = Session::create(&path, Json::parse(r#"{"model":"small"}"#)?)?;
//! session.append_message(Message::user("Hello"))?;
//! session.close();
//! // A process that dies in the middle of a line leaves half of it.
//! OpenOptions::new().append(true).open(&path)?.write_all(br#"{"id":"5c1"#)?;
//!
//! // Looking changes nothing; loading mends the end and goes on from there.
//! assert_eq!(Session::replay(&path)?.conversation().len(), 1);
//! let session = Session::load(&path)?;
//! session.append_message(Message::assistant("Hello!"))?;
//! assert_eq!(session.messages().len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Session::create`] and [`Session::load`] open for writing, [`Session::options`] says how.
//! [`Session::replay`] answers what a load would without touching the file, and [`Session::peek`]
//! shows what is there in whatever state it is. After a load, [`Session::open_calls`] tells which
//! tool calls have no known end, and [`resolve`] settles them.
//!
//! # The format
//!
//! A file is a list of lines, each ending in one line feed. A line is a JSON object with five keys,
//! sorted at every depth, without white space outside strings:
//!
//! ```text
//! {"id":"…","payload":{…},"ts":"2026-01-02T03:04:05.000006Z","type":"message","v":1}
//! ```
//!
//! | key | what |
//! |---|---|
//! | `id` | UUID version 4, fresh for each line; read as opaque text |
//! | `payload` | an object, by type |
//! | `ts` | UTC with six fractional digits and `Z`; file order wins over it |
//! | `type` | `session-meta` (the first line), `message`, `grants`, `compaction`, `elision`, `tool-dispatched`, `tool-settled`, `run-context`, or any other name, which readers keep and skip |
//! | `v` | the number 1, see [`FORMAT_VERSION`] |
//!
//! Whatever a reader does not know it leaves alone: extra keys, other types. Stored bytes are never
//! rewritten; [`Session::events`] and every copy give them back as they are.
//!
//! # What may be relied on
//!
//! - When an append returns, its line is whole in the file. What a crash leaves is at most one torn
//!   line at the very end, which [`Session::load`] cuts off and keeps in a file beside.
//! - [`Session::load`] changes nothing unless it succeeds.
//! - [`Session::peek`], [`Session::replay`] and everything in [`crate::look`] only read; they need no
//!   lock and never wait.
//! - There is one writer: [`Session`] holds an advisory lock on the file until it is closed.
//! - A live session and a load of its file give the same answers, for both fold the same lines
//!   ([`replay`]).
//!
//! # The rooms
//!
//! A line: [`envelope`], [`payload`], [`damage`]. Reading: [`read`] forward, [`judge`] forward with
//! every line checked, [`tail`] backward, [`peek`]. The fold: [`conversation`] and who is one of its
//! [`survivors`], [`operations`] and the [`ledger`] they are kept in, [`context`], [`replay`].
//! Opening: [`open`], [`repair`], [`disk`]. Appending: [`live`], [`record`], [`resolve`]. What can
//! go wrong: [`error`].

mod artifacts;
pub mod context;
pub mod conversation;
pub mod damage;
pub mod disk;
mod elision;
pub mod envelope;
pub mod error;
pub mod judge;
pub mod ledger;
pub mod live;
mod lock;
mod loose;
pub mod open;
pub mod operations;
pub mod payload;
pub mod peek;
pub mod read;
mod readers;
pub mod record;
pub mod repair;
pub mod replay;
mod replayed;
pub mod resolve;
mod shape;
mod state;
mod survey;
pub mod survivors;
pub mod tail;
mod text;
mod unread;
mod warning;
mod write;

pub use artifacts::artifact_folder;
pub use context::{RecordedContext, RecordedSection};
pub use damage::{Damage, DamageKind};
pub use envelope::{Envelope, FORMAT_VERSION, Verdict};
pub use error::{AppendError, CreateError, Fault, LoadError};
pub use live::Session;
pub use open::{Durability, Options};
pub use operations::{CallState, OpenCall, PendingOperation};
pub use payload::{BUILT_IN_TYPES, Outcome};
pub use peek::{Peek, PeekError};
pub use record::{
    Arguments, Compaction, Dispatch, Elision, Extras, RESERVED_KEYS, RunContextRecord,
    SectionRecord, Settlement,
};
pub use repair::{Plan, Repaired};
pub use replayed::Replayed;
pub use resolve::{Choice, Resolution, ResolveError};
pub use warning::{Warning, WarningKind};
