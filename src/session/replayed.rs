//! What loading a transcript would answer, without loading it.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::context::RecordedContext;
use super::conversation::Entry;
use super::error::LoadError;
use super::live::Session;
use super::open::{load_io, resolve};
use super::operations::OpenCall;
use super::repair::Plan;
use super::survey::{Survey, survey, survey_to_line};
use super::warning::{Warning, WarningKind};
use crate::canonical::Json;
use crate::id::EnvelopeId;
use crate::message::Message;

/// A transcript replayed in memory: what a [`Session`] would hold after [`Session::load`]. Nothing
/// is locked, repaired or kept open, so it can be had beside a writer, and of bytes that are in no
/// file.
///
/// ```
/// use sess::Session;
/// let healthy = Session::replay("samples/sessions/healthy.jsonl")?;
/// assert_eq!((healthy.line_count(), healthy.open_calls().len()), (32, 0));
/// let last = healthy.conversation().last().unwrap();
/// assert_eq!(last.body.role, sess::Role::Assistant);
/// # Ok::<(), sess::session::LoadError>(())
/// ```
#[derive(Debug)]
pub struct Replayed {
    survey: Survey,
}

impl Session {
    /// Replays a transcript without touching it. It fails when and as [`load`](Self::load) would,
    /// apart from what concerns the lock and the writing.
    pub fn replay(path: impl AsRef<Path>) -> Result<Replayed, LoadError> {
        let path = resolve(path.as_ref())?;
        let file = File::open(&path).map_err(|source| load_io(&path, "open", source))?;
        Replayed::read(&path, file)
    }
}

impl Replayed {
    /// Replays everything that the source yields. `name` is what errors call it.
    pub fn read(name: &Path, source: impl Read) -> Result<Self, LoadError> {
        survey(name, source).map(Self::of)
    }

    /// Replays the source as if it ended with this line, counted from 1: what loading answered when
    /// that line was the last. What comes after it is not looked at.
    pub fn read_to_line(name: &Path, source: impl Read, last: u64) -> Result<Self, LoadError> {
        survey_to_line(name, source, last).map(Self::of)
    }

    fn of(mut survey: Survey) -> Self {
        for warning in &mut survey.warnings {
            if warning.kind == WarningKind::TornTail {
                warning.message.push_str("; loading cuts it off");
            }
        }
        Self { survey }
    }

    /// The live conversation: what the model would be sent next.
    pub fn conversation(&self) -> &[Entry<EnvelopeId, Arc<Message>>] {
        self.survey.state.replay.conversation().entries()
    }

    /// The object given to [`Session::create`].
    pub fn meta(&self) -> Json {
        let meta = self.survey.state.meta.clone();
        meta.unwrap_or_else(Json::empty_object)
    }

    /// The last recorded list of grants; empty before any.
    pub fn grants(&self) -> &[Json] {
        &self.survey.state.grants
    }

    /// The recorded run contexts, in file order.
    pub fn run_contexts(&self) -> &[RecordedContext] {
        self.survey.state.contexts.recorded()
    }

    /// Every call without a known end, in file order.
    pub fn open_calls(&self) -> Vec<OpenCall> {
        self.survey.state.replay.ledger().open_calls()
    }

    /// What loading would have to repair or read around.
    pub fn warnings(&self) -> &[Warning] {
        &self.survey.warnings
    }

    /// Physical lines that loading would leave, blank ones included.
    pub fn line_count(&self) -> u64 {
        self.survey.lines
    }

    /// What loading would do to the end of the file.
    pub fn plan(&self) -> Plan {
        self.survey.plan
    }
}
