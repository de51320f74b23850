//! Tools: what a model may call, and the answers it gets.
//!
//! A [`ToolProvider`] declares tools and executes batches of calls.

mod answer;
mod provider;

pub use answer::ToolAnswer;
pub use provider::{ToolError, ToolProvider};
