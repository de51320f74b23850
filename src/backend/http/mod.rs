//! Backends that speak HTTP to a model server.
//!
//! [`OpenAiBackend`] speaks the language of OpenAI's chat completions, as nearly every server does.
//! What is special about one is its [`Dialect`]; [`OpenRouter`]
//! and [`KoboldBackend`] are two that are known.
//!
//! A stream is a good answer only when the server said that it ended: by `[DONE]`, or by a finish
//! reason that is `stop` or `tool_calls`. One that is cut off, blocked, longer than allowed,
//! reports an error in its midst or has frames that cannot be read is a failed answer. It keeps
//! the text and the usage that had come.
//!
//! Everything that goes over the wire can be written to a file; see [`WIRE_LOG`].

mod balance;
mod body;
mod calls;
mod chunk;
mod classify;
mod delta;
mod dialect;
mod endpoint;
mod exchange;
mod frames;
mod halves;
mod kobold;
mod openai;
mod openrouter;
mod reader;
mod secrets;
mod settings;
mod transport;
mod wire;

pub use body::Body;
pub use dialect::{Dialect, Plain};
pub use endpoint::{Endpoint, Secret, Timeouts};
pub use kobold::KoboldBackend;
pub use openai::OpenAiBackend;
pub use openrouter::OpenRouter;
pub use settings::{ReasoningEffort, Settings};
pub use wire::WIRE_LOG;
