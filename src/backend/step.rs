//! [`Step`]: what a scripted backend does with one call.

use std::time::Duration;

use super::{BackendError, ErrorClass, ResponseWriter, Usage};
use crate::Json;

/// What a [`ScriptedBackend`](super::ScriptedBackend) does with one call, streaming or not.
///
/// The default is an empty answer that succeeds.
///
/// ```
/// use sess::backend::{ErrorClass, Step, Usage};
/// let answers = Step::text("Four.").with_usage(Usage {
///     completion_tokens: Some(2),
///     ..Usage::default()
/// });
/// let breaks = Step::chunks(["Fo", "ur", "."]).fail_after(2);
/// let refuses = Step::http(429, "slow down");
/// assert_eq!(refuses.error_class, Some(ErrorClass::Http));
/// # let _ = (answers, breaks);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// The fragments of text, in order.
    pub chunks: Vec<String>,
    /// The reasoning that comes before the text.
    pub reasoning: Option<String>,
    /// Calls in wire shape. On a step that succeeds they imply the finish reason `tool_calls`.
    pub tool_calls: Vec<Json>,
    /// Why the model stopped. A step that succeeds has `stop` or `tool_calls` by default, one that
    /// fails has none.
    pub finish_reason: Option<String>,
    /// What is reported as cost, by failing steps too.
    pub usage: Usage,
    /// Which model is reported; by default the backend's own.
    pub model: Option<String>,
    /// How many frames are counted as lost.
    pub dropped_frames: u64,
    /// Fail with this text, after the fragments.
    pub error: Option<String>,
    /// The class of the failure; `unknown` by default. Implies a failure.
    pub error_class: Option<ErrorClass>,
    /// The status of the failure. Implies a failure.
    pub error_status: Option<u16>,
    /// How long the failed server asks to be left alone.
    pub retry_after: Option<Duration>,
    /// Emit only this many fragments, then fail.
    pub fail_after_chunks: Option<usize>,
    /// How long the first fragment takes.
    pub delay: Duration,
    /// How long each further fragment takes.
    pub chunk_delay: Duration,
    /// Emit the fragments and then neither succeed nor fail, until cancelled. A call that is not
    /// streaming fails at once instead.
    pub stall: bool,
}

impl Step {
    /// An answer of one fragment.
    pub fn text(content: impl Into<String>) -> Self {
        Self::chunks([content])
    }

    /// An answer of several fragments.
    pub fn chunks<T: Into<String>>(chunks: impl IntoIterator<Item = T>) -> Self {
        Self {
            chunks: chunks.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// A turn that calls tools.
    pub fn calls(tool_calls: impl IntoIterator<Item = Json>) -> Self {
        Self {
            tool_calls: tool_calls.into_iter().collect(),
            ..Self::default()
        }
    }

    /// A failure of this class.
    pub fn error(class: ErrorClass, message: impl Into<String>) -> Self {
        Self {
            error: Some(message.into()),
            error_class: Some(class),
            ..Self::default()
        }
    }

    /// An answer with an error status.
    pub fn http(status: u16, message: impl Into<String>) -> Self {
        Self {
            error_status: Some(status),
            ..Self::error(ErrorClass::Http, message)
        }
    }

    /// An answer that was cut because it grew too long, as a backend reports it.
    pub fn length(content: impl Into<String>) -> Self {
        Self {
            chunks: vec![content.into()],
            finish_reason: Some("length".to_owned()),
            ..Self::error(ErrorClass::Response, "Hit max tokens")
        }
    }

    /// An answer that never ends, after these fragments.
    pub fn stall<T: Into<String>>(chunks: impl IntoIterator<Item = T>) -> Self {
        Self {
            stall: true,
            ..Self::chunks(chunks)
        }
    }

    /// The same step with these calls.
    pub fn with_calls(mut self, tool_calls: impl IntoIterator<Item = Json>) -> Self {
        self.tool_calls = tool_calls.into_iter().collect();
        self
    }

    /// The same step with this finish reason.
    pub fn with_finish_reason(mut self, reason: impl Into<String>) -> Self {
        self.finish_reason = Some(reason.into());
        self
    }

    /// The same step with this cost.
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// The same step with reasoning before its text.
    pub fn with_reasoning(mut self, reasoning: impl Into<String>) -> Self {
        self.reasoning = Some(reasoning.into());
        self
    }

    /// The same step, answered by this model.
    pub fn with_model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// The same step, failing after `chunks` fragments.
    pub fn fail_after(mut self, chunks: usize) -> Self {
        self.fail_after_chunks = Some(chunks);
        self
    }

    /// The same step, its first fragment late by `delay`, each further one by `chunk_delay`.
    pub fn slow(mut self, delay: Duration, chunk_delay: Duration) -> Self {
        self.delay = delay;
        self.chunk_delay = chunk_delay;
        self
    }

    /// How this step fails; `None` for one that succeeds or stalls.
    pub(super) fn failure(&self) -> Option<BackendError> {
        let fails = self.error.is_some()
            || self.error_class.is_some()
            || self.error_status.is_some()
            || self.fail_after_chunks.is_some();
        let message = self.error.as_deref().unwrap_or("The scripted step failed");
        fails.then(|| BackendError {
            class: self.error_class.unwrap_or(ErrorClass::Unknown),
            status: self.error_status,
            message: message.to_owned(),
            retry_after: self.retry_after,
        })
    }

    /// Writes the whole answer, with its delays. Gives it back unsettled when it stalls.
    pub(super) async fn play(&self, backend_model: Option<&str>, writer: &ResponseWriter) {
        pause(self.delay).await;
        writer.push_reasoning(self.reasoning.as_deref().unwrap_or_default());
        let emitted = self.fail_after_chunks.unwrap_or(self.chunks.len());
        for (index, chunk) in self.chunks.iter().take(emitted).enumerate() {
            if index > 0 {
                pause(self.chunk_delay).await;
            }
            writer.push_text(chunk.as_str());
        }
        if !self.stall {
            self.end(backend_model, writer);
        }
    }

    fn end(&self, backend_model: Option<&str>, writer: &ResponseWriter) {
        let failure = self.failure();
        writer.set_tool_calls(self.tool_calls.clone());
        let implied = match (&failure, self.tool_calls.is_empty()) {
            (Some(_), _) => None,
            (None, true) => Some("stop"),
            (None, false) => Some("tool_calls"),
        };
        if let Some(reason) = self.finish_reason.as_deref().or(implied) {
            writer.set_finish_reason(reason);
        }
        writer.merge_usage(&self.usage);
        if let Some(model) = self.model.as_deref().or(backend_model) {
            writer.set_model(model);
        }
        for _ in 0..self.dropped_frames {
            writer.dropped_frame();
        }
        match failure {
            Some(error) => writer.fail(error),
            None => writer.finish(),
        }
    }
}

/// Sleeps, and does not touch the clock for no time at all.
pub(super) async fn pause(time: Duration) {
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
}
