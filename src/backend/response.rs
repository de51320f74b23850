//! An answer as it stands at one moment.

use super::{BackendError, ErrorClass, Usage};
use crate::Json;

/// Everything known about an answer.
///
/// ```
/// use sess::backend::{BackendError, Response, Settled};
/// let response = Response {
///     text: "Fo".into(),
///     settled: Settled::Failed(BackendError::response("cut off")),
///     ..Response::default()
/// };
/// assert!(response.is_done() && !response.is_success());
/// assert_eq!(response.error_text(), Some("cut off"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    /// Names this response; unique within its backend.
    pub id: String,
    /// The text so far. It stays when the response fails.
    pub text: String,
    /// Whether, and how, it ended.
    pub settled: Settled,
    /// Why the model stopped, in the provider's word.
    pub finish_reason: Option<String>,
    /// The assembled calls in wire shape
    /// (`{"id":…,"type":"function","function":{"name":…,"arguments":"…"}}`). Those of a failed
    /// response are for looking at only.
    pub tool_calls: Vec<Json>,
    /// What it cost, as far as reported.
    pub usage: Usage,
    /// Which model answered, where the server said.
    pub model_used: Option<String>,
    /// The model's reasoning; absent when none came.
    pub reasoning: Option<String>,
    /// How many frames of the stream could not be read.
    pub dropped_frames: u64,
}

/// Whether, and how, a response ended.
///
/// ```
/// use sess::backend::{ResponseHandle, Settled};
/// let (writer, stream) = ResponseHandle::open("r1");
/// assert_eq!(stream.handle.snapshot().settled, Settled::Pending);
/// stream.handle.cancel();
/// writer.finish();
/// // The first end stands.
/// assert_eq!(stream.handle.snapshot().settled, Settled::Cancelled);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Settled {
    /// Not yet.
    #[default]
    Pending,
    /// As it should.
    Done,
    /// It failed.
    Failed(BackendError),
    /// Somebody cancelled it. This has no error class.
    Cancelled,
}

impl Response {
    /// Whether it has ended, in any way.
    pub fn is_done(&self) -> bool {
        self.settled != Settled::Pending
    }

    /// Whether it ended as it should.
    pub fn is_success(&self) -> bool {
        self.settled == Settled::Done
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.settled == Settled::Cancelled
    }

    /// The failure; `None` also for a cancelled response.
    pub fn error(&self) -> Option<&BackendError> {
        match &self.settled {
            Settled::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// Why there is no good answer, in words: the failure's message, or that it was cancelled.
    pub fn error_text(&self) -> Option<&str> {
        match &self.settled {
            Settled::Failed(error) => Some(&error.message),
            Settled::Cancelled => Some("Cancelled by user"),
            Settled::Pending | Settled::Done => None,
        }
    }

    /// The kind of the failure; `None` also for a cancelled response.
    pub fn error_class(&self) -> Option<ErrorClass> {
        self.error().map(|error| error.class)
    }
}
