//! What an open session answers.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::context::RecordedContext;
use super::live::{Session, Standing};
use super::operations::{OpenCall, PendingOperation};
use super::read::{Lines, LogReader};
use super::warning::Warning;
use crate::canonical::Json;
use crate::id::EnvelopeId;
use crate::message::Message;

/// Reading. Each answer is a snapshot and works after [`close`](Session::close) too.
impl Session {
    /// Where the transcript is, every link resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The object given to [`create`](Self::create).
    pub fn meta(&self) -> Json {
        self.core()
            .live
            .state
            .meta
            .clone()
            .unwrap_or_else(Json::empty_object)
    }

    /// The live conversation: what the model would be sent next.
    pub fn messages(&self) -> Vec<Arc<Message>> {
        let core = self.core();
        let entries = core.live.state.replay.conversation().entries();
        entries.iter().map(|entry| entry.body.clone()).collect()
    }

    /// The ids of the live conversation's entries, in the order of [`messages`](Self::messages).
    pub fn message_ids(&self) -> Vec<EnvelopeId> {
        let core = self.core();
        let entries = core.live.state.replay.conversation().entries();
        entries.iter().map(|entry| entry.id.clone()).collect()
    }

    /// Ids and messages of the live conversation, of one moment.
    pub fn conversation(&self) -> Vec<(EnvelopeId, Arc<Message>)> {
        let core = self.core();
        let entries = core.live.state.replay.conversation().entries();
        entries
            .iter()
            .map(|entry| (entry.id.clone(), entry.body.clone()))
            .collect()
    }

    /// Every stored envelope, unknown types included, byte for byte and in file order. They are
    /// read from the file; memory does not hold them.
    pub fn events(&self) -> io::Result<Vec<Json>> {
        let core = self.core();
        let mut lines = Lines::new(LogReader::new(core.live.file.as_ref(), 0, core.live.len));
        let mut events = Vec::new();
        while let Some(line) = lines.next_line()? {
            let text = std::str::from_utf8(line.bytes).map_err(io::Error::other)?;
            if !text.trim().is_empty() {
                events.push(Json::parse(text).map_err(io::Error::other)?);
            }
        }
        Ok(events)
    }

    /// How many envelopes there are, the meta line included.
    pub fn envelope_count(&self) -> u64 {
        self.core().live.state.envelopes
    }

    /// Physical lines in the file, blank ones included.
    pub fn line_count(&self) -> u64 {
        self.core().live.lines
    }

    /// The last recorded list of grants; empty before any.
    pub fn grants(&self) -> Vec<Json> {
        self.core().live.state.grants.clone()
    }

    /// What loading had to repair or read around. Appending adds nothing to it.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The recorded run contexts, in file order.
    pub fn run_contexts(&self) -> Vec<RecordedContext> {
        self.core().live.state.contexts.recorded().to_vec()
    }

    /// The last recorded run context.
    pub fn last_run_context(&self) -> Option<RecordedContext> {
        self.core().live.state.contexts.recorded().last().cloned()
    }

    /// The body of the section with this digest, when a line of this transcript carries it.
    pub fn run_context_section(&self, digest: &str) -> Option<String> {
        self.core()
            .live
            .state
            .contexts
            .body(digest)
            .map(str::to_owned)
    }

    /// Dispatched operations without a settle line, in the order of dispatch.
    pub fn pending_tool_operations(&self) -> Vec<PendingOperation> {
        self.core().live.state.replay.ledger().pending()
    }

    /// Every call without a known end and what may honestly be said of it, in file order: also the
    /// ones that were never dispatched.
    pub fn open_calls(&self) -> Vec<OpenCall> {
        self.core().live.state.replay.ledger().open_calls()
    }

    /// Whether appends are refused.
    pub fn is_closed(&self) -> bool {
        matches!(self.core().standing, Standing::Closed)
    }
}
