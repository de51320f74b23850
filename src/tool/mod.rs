//! Tools: what a model may call, and the answers it gets.
//!
//! A [`ToolProvider`] declares tools and executes batches of calls. [`Tools`] is one made of async
//! closures. [`ScriptedProvider`] is for tests: it answers as a script says and records what it
//! was asked.

mod answer;
mod gate;
mod provider;
mod scripted;
mod tools;

pub use answer::ToolAnswer;
pub use gate::Gate;
pub use provider::{ToolError, ToolProvider};
pub use scripted::{ScriptedGrants, ScriptedProvider};
pub use tools::{IntoAnswer, Tools, declaration};
