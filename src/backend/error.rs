//! Why an answer failed.

use std::fmt;
use std::time::Duration;

/// The kind of a failure, which decides whether asking again makes sense.
///
/// ```
/// use sess::backend::{BackendError, ErrorClass};
/// assert_eq!(BackendError::http(429, "slow down").class, ErrorClass::Http);
/// assert_eq!(ErrorClass::Timeout.as_str(), "timeout");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The server answered with an error status.
    Http,
    /// The server was reached and did not answer in time.
    Timeout,
    /// The server was not reached, or the connection broke.
    Connection,
    /// The answer came and is not acceptable: cut off, blocked, too long, an error in its midst.
    Response,
    /// Anything else.
    Unknown,
}

impl ErrorClass {
    /// The word in events and transcripts.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorClass::Http => "http",
            ErrorClass::Timeout => "timeout",
            ErrorClass::Connection => "connection",
            ErrorClass::Response => "response",
            ErrorClass::Unknown => "unknown",
        }
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A failed answer.
///
/// ```
/// use sess::backend::{BackendError, ErrorClass};
/// let error = BackendError::http(503, "HTTP 503: overloaded");
/// assert_eq!((error.class, error.status), (ErrorClass::Http, Some(503)));
/// assert_eq!(error.to_string(), "HTTP 503: overloaded");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BackendError {
    /// The kind of failure.
    pub class: ErrorClass,
    /// The HTTP status; only with [`ErrorClass::Http`].
    pub status: Option<u16>,
    /// What happened, with the server's own words where it gave some.
    pub message: String,
    /// How long the server asks to be left alone.
    pub retry_after: Option<Duration>,
}

impl BackendError {
    /// A failure without status.
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        Self {
            class,
            status: None,
            message: message.into(),
            retry_after: None,
        }
    }

    /// An answer with an error status.
    pub fn http(status: u16, message: impl Into<String>) -> Self {
        Self {
            status: Some(status),
            ..Self::new(ErrorClass::Http, message)
        }
    }

    /// An answer that came and is not acceptable.
    pub fn response(message: impl Into<String>) -> Self {
        Self::new(ErrorClass::Response, message)
    }

    /// A failure of no known kind.
    pub fn unknown(message: impl Into<String>) -> Self {
        Self::new(ErrorClass::Unknown, message)
    }
}
