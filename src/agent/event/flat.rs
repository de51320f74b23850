//! One event with its envelope, and its flattened form.

use std::time::SystemTime;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::body::EventBody;
use crate::Json;
use crate::clock::{Clock, SystemClock, format_utc, parse_utc};
use crate::id::RunId;

/// Something that happened in a run.
///
/// The flattened form is what sinks and logs carry: `{"kind", "ts", "run-id"?, "seq"?, …payload}`.
///
/// ```
/// use sess::agent::event::{Event, EventBody, Token};
///
/// let event = Event::new(Token { text: "Hi".into(), round: Some(1), attempt: Some(1) });
/// assert_eq!(event.kind(), "token");
/// let back = Event::from_json(&event.to_json())?;
/// assert!(matches!(back.body, EventBody::Token(Token { text, .. }) if text == "Hi"));
/// # Ok::<(), sess::agent::event::EventError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When it was made.
    pub at: SystemTime,
    /// The run that published it.
    pub run_id: Option<RunId>,
    /// Its place among the run's events, from 0 and without gaps, in the order of publication.
    pub seq: Option<u64>,
    /// What happened.
    pub body: EventBody,
}

impl Event {
    /// An event of this moment that no run has published.
    pub fn new(body: impl Into<EventBody>) -> Self {
        Self {
            at: SystemClock.now(),
            run_id: None,
            seq: None,
            body: body.into(),
        }
    }

    /// The wire name of its kind.
    pub fn kind(&self) -> &str {
        self.body.kind()
    }

    /// Whether it ends the run.
    pub fn is_terminal(&self) -> bool {
        self.body.is_terminal()
    }

    /// The flattened form.
    pub fn to_json(&self) -> Json {
        let mut fields = self.body.payload().entries().unwrap_or_default();
        let mut put = |key: &str, value: Json| fields.push((key.to_owned(), value));
        put("kind", Json::string(self.kind()));
        put("ts", Json::string(&format_utc(self.at)));
        if let Some(run_id) = &self.run_id {
            put("run-id", Json::string(run_id.as_str()));
        }
        if let Some(seq) = self.seq {
            put("seq", Json::from(seq));
        }
        Json::object(fields)
    }

    /// Reads the flattened form. A kind this build does not know is kept as it is.
    ///
    /// # Errors
    /// When the form has no kind or no time, or when the payload is not what its kind says.
    pub fn from_json(flat: &Json) -> Result<Self, EventError> {
        let kind = flat.get_str("kind").ok_or(EventError::NoKind)?;
        let ts = flat.get_str("ts").unwrap_or_default();
        let at = parse_utc(&ts).ok_or(EventError::BadTime { ts })?;
        Ok(Self {
            at: at.into(),
            run_id: flat.get_str("run-id").map(RunId::from),
            seq: flat
                .get("seq")
                .and_then(|seq| seq.as_i64()?.try_into().ok()),
            body: EventBody::read(&kind, flat)?,
        })
    }
}

/// Why a document is no event.
///
/// ```
/// use sess::Json;
/// use sess::agent::event::{Event, EventError};
/// let read = |flat: &str| Event::from_json(&Json::parse(flat).unwrap());
/// assert_eq!(read(r#"{"text":"Hi"}"#), Err(EventError::NoKind));
/// assert_eq!(
///     read(r#"{"kind":"token","text":"Hi","ts":"noon"}"#),
///     Err(EventError::BadTime { ts: "noon".into() }),
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// There is no `kind`.
    #[error("an event needs a kind")]
    NoKind,
    /// `ts` is no time.
    #[error("the event's ts {ts:?} is not an ISO-8601 time in UTC")]
    BadTime {
        /// What it is.
        ts: String,
    },
    /// The payload is not what its kind says.
    #[error("a {kind} event does not look like this: {problem}")]
    BadPayload {
        /// The kind.
        kind: String,
        /// What is wrong.
        problem: String,
    },
}

pub(in crate::agent) fn payload<T: Serialize>(body: &T) -> Json {
    // Every payload is a struct of strings, numbers and valid JSON, which always serialises.
    serde_json::to_string(body)
        .ok()
        .and_then(|text| Json::parse(text).ok())
        .unwrap_or_else(Json::empty_object)
}

pub(super) fn read<T: DeserializeOwned>(kind: &str, flat: &Json) -> Result<T, EventError> {
    serde_json::from_str(flat.text()).map_err(|error| EventError::BadPayload {
        kind: kind.to_owned(),
        problem: error.to_string(),
    })
}
