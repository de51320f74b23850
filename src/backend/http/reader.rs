//! From the documents of a stream to a response: what is passed on, and how the stream may end.

use super::Endpoint;
use super::chunk::{self, Chunk, Kind, Thread};
use super::delta::Calls;
use super::dialect::Dialect;
use super::transport::too_long;
use crate::Json;
use crate::backend::{BackendError, ResponseWriter};

/// Reads the documents of one stream into a response.
pub(super) struct Reader<'a> {
    writer: &'a ResponseWriter,
    dialect: &'a dyn Dialect,
    kind: Kind,
    endpoint: &'a Endpoint,
    thread: Thread,
    calls: Calls,
    finish_reason: Option<String>,
    broken: u64,
    spoke: bool,
    /// Bytes of text, reasoning and calls so far.
    said: usize,
}

impl<'a> Reader<'a> {
    /// A reader at the beginning of what a server at `endpoint` says.
    pub(super) fn new(
        writer: &'a ResponseWriter,
        dialect: &'a dyn Dialect,
        kind: Kind,
        endpoint: &'a Endpoint,
    ) -> Self {
        Self {
            writer,
            dialect,
            kind,
            endpoint,
            thread: Thread::default(),
            calls: Calls::default(),
            finish_reason: None,
            broken: 0,
            spoke: false,
            said: 0,
        }
    }

    /// Takes in one document of a stream.
    ///
    /// # Errors
    /// When the document is the server's report of a failure, or one too many.
    pub(super) fn take(&mut self, document: &Json) -> Result<(), BackendError> {
        let chunk = chunk::of_stream(document, self.kind, &mut self.thread);
        self.measure(&chunk)?;
        for fragment in &chunk.calls {
            self.calls.add(fragment);
        }
        self.pass_on(document, chunk)
    }

    /// Takes in the one document of a server that answered as a whole.
    ///
    /// # Errors
    /// When the document is the server's report of a failure, or no answer.
    pub(super) fn take_whole(&mut self, document: &Json) -> Result<(), BackendError> {
        let mut chunk = chunk::of_whole(document, self.kind);
        let calls = std::mem::take(&mut chunk.calls);
        let has_choice = chunk.has_choice;
        self.pass_on(document, chunk)?;
        self.writer.set_tool_calls(calls);
        match has_choice {
            true => Ok(()),
            false => Err(BackendError::unknown("The answer has no choices")),
        }
    }

    /// A stream of short frames may be endless, and all it says is held.
    fn measure(&mut self, chunk: &Chunk) -> Result<(), BackendError> {
        let calls: usize = chunk.calls.iter().map(|call| call.text().len()).sum();
        self.said += chunk.text.len() + chunk.reasoning.len() + calls;
        let limit = self.endpoint.max_answer_bytes;
        match self.said > limit {
            true => Err(too_long(limit)),
            false => Ok(()),
        }
    }

    fn pass_on(&mut self, document: &Json, chunk: Chunk) -> Result<(), BackendError> {
        self.spoke = true;
        self.writer.data();
        self.writer.merge_usage(&chunk.usage);
        self.writer.merge_usage(&self.dialect.lift(document));
        if let Some(model) = chunk.model {
            self.writer.set_model(model);
        }
        self.writer.push_reasoning(&chunk.reasoning);
        self.writer.push_text(chunk.text);
        if let Some(reason) = chunk.finish_reason {
            self.writer.set_finish_reason(reason.as_str());
            self.finish_reason = Some(reason);
        }
        match chunk.error {
            Some(text) => Err(BackendError::response(text)),
            None => Ok(()),
        }
    }

    /// Counts a frame that could not be read.
    pub(super) fn lose(&mut self) {
        self.spoke = true;
        self.broken += 1;
        self.writer.data();
        self.writer.dropped_frame();
    }

    /// Whether the answer has failed already, by a frame that could not be read.
    pub(super) fn is_lost(&self) -> bool {
        self.broken > 0 && !self.endpoint.tolerate_broken_frames
    }

    /// Whether any document came, readable or not.
    pub(super) fn has_begun(&self) -> bool {
        self.spoke
    }

    /// Whether the model said why it stopped. Only figures may follow.
    pub(super) fn has_finished(&self) -> bool {
        self.finish_reason.is_some()
    }

    /// Whether the model said that it stopped as it should.
    pub(super) fn has_finished_well(&self) -> bool {
        matches!(self.finish_reason.as_deref(), Some("stop" | "tool_calls"))
    }

    /// Hands over the calls assembled so far. They are readable on a failed response, too.
    pub(super) fn hand_over_calls(&self) {
        if !self.calls.is_empty() {
            self.writer.set_tool_calls(self.calls.to_json());
        }
    }

    /// What is wrong with the reason the model gave, if any.
    ///
    /// # Errors
    /// When the answer was cut or blocked, or the reason is none that is known.
    pub(super) fn check_finish_reason(&self) -> Result<(), BackendError> {
        let message = match self.finish_reason.as_deref() {
            None | Some("stop" | "tool_calls") => return Ok(()),
            Some("length") => "Hit max tokens".to_owned(),
            Some("content_filter") => "Blocked by content filter".to_owned(),
            Some(other) => format!("Unknown finish reason: {other}"),
        };
        Err(BackendError::response(message))
    }

    /// Whether the stream that ended here, after `[DONE]` or without it, is a whole answer.
    ///
    /// # Errors
    /// When it is not.
    pub(super) fn check_end(&self, done_seen: bool) -> Result<(), BackendError> {
        self.check_finish_reason()?;
        let lost = self.broken;
        if lost > 0 && !self.calls.is_empty() {
            return Err(BackendError::response(format!(
                "{lost} unreadable frame(s) in the stream while assembling tool calls"
            )));
        }
        if self.is_lost() {
            return Err(BackendError::response(format!(
                "{lost} unreadable frame(s) in the stream, so the text has holes"
            )));
        }
        if !done_seen && !self.has_finished_well() {
            return Err(BackendError::response(
                "Stream closed without [DONE] or a finish reason",
            ));
        }
        Ok(())
    }
}
