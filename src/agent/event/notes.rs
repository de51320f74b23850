//! Remarks of the loop on itself: logs, limits, compactions.

use serde::{Deserialize, Serialize};

use super::words::LimitKind;
use crate::Json;

/// Something worth knowing that changes nothing.
///
/// ```
/// use sess::agent::event::{EventBody, Log, LogData};
/// let body = EventBody::from(Log {
///     level: "info".into(),
///     logger: None,
///     data: LogData::Text("the index is being built".into()),
/// });
/// assert_eq!(body.kind(), "log");
/// assert_eq!(body.payload().compact(), r#"{"data":"the index is being built","level":"info"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Log {
    /// How serious: `debug`, `info`, `warning`, `error`, or another word of its author.
    pub level: String,
    /// Who says it; `llm-agent.loop` for the loop itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logger: Option<String>,
    /// What.
    pub data: LogData,
}

/// What a log says: a text or a record, and nothing else.
///
/// ```
/// use sess::Json;
/// use sess::agent::event::LogData;
/// let record = Json::parse(r#"{"files":3}"#)?;
/// assert_eq!(LogData::of(record.clone()), LogData::Record(record));
/// assert_eq!(LogData::of(Json::string("ready")), LogData::Text("ready".into()));
/// assert_eq!(LogData::of(Json::parse("[1,2]")?), LogData::Text("[1,2]".into()));
/// # Ok::<(), sess::canonical::JsonError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum LogData {
    /// In words.
    Text(String),
    /// A JSON object.
    Record(Json),
}

impl LogData {
    /// An object as a record, a string as its text, anything else as its JSON text.
    pub fn of(data: Json) -> Self {
        match data.as_str() {
            _ if data.is_object() => LogData::Record(data),
            Some(text) => LogData::Text(text.into_owned()),
            None => LogData::Text(data.text().to_owned()),
        }
    }
}

impl Serialize for LogData {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            LogData::Text(text) => text.serialize(serializer),
            LogData::Record(record) => record.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for LogData {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let data = Json::deserialize(deserializer)?;
        match data.is_object() || data.is_string() {
            true => Ok(LogData::of(data)),
            false => Err(serde::de::Error::custom(
                "the data of a log is a text or a record",
            )),
        }
    }
}

/// The model asked for more than it may. Not the end: tools are switched off and it is told so.
///
/// ```
/// use sess::agent::event::{EventBody, LimitKind, LimitReached};
/// let body = EventBody::from(LimitReached {
///     limit: LimitKind::ToolCalls,
///     count: Some(11),
///     max: Some(10),
/// });
/// assert_eq!(body.kind(), "limit-reached");
/// assert_eq!(body.payload().compact(), r#"{"count":11,"limit":"tool-calls","max":10}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LimitReached {
    /// Which limit.
    pub limit: LimitKind,
    /// What would have been reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// What is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
}

/// The conversation is being made smaller.
///
/// ```
/// use sess::agent::event::{CompactionStarted, EventBody};
/// let body = EventBody::from(CompactionStarted {
///     tokens_before: Some(7_000),
///     budget: Some(6_000),
///     message_count: Some(40),
///     round: Some(2),
/// });
/// assert_eq!(body.kind(), "compaction-started");
/// assert_eq!(
///     body.payload().compact(),
///     r#"{"budget":6000,"message-count":40,"round":2,"tokens-before":7000}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CompactionStarted {
    /// Its tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_before: Option<u64>,
    /// What it may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// Its messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_count: Option<u64>,
    /// The round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}

/// The pass is over and recorded.
///
/// ```
/// use sess::agent::event::{CompactionDone, EventBody};
/// let body = EventBody::from(CompactionDone {
///     tokens_before: Some(7_000),
///     tokens_after: Some(5_500),
///     dropped: Some(0),
///     summary: None,
///     fallback: false,
///     round: Some(2),
/// });
/// assert_eq!(body.kind(), "compaction-done");
/// // Nothing was dropped and yet it is smaller: results of old calls were replaced by stubs.
/// assert_eq!(
///     body.payload().compact(),
///     r#"{"dropped":0,"fallback":false,"round":2,"tokens-after":5500,"tokens-before":7000}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CompactionDone {
    /// Tokens before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_before: Option<u64>,
    /// Tokens after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_after: Option<u64>,
    /// Messages a summary stands for. With 0 and fewer tokens, contents were replaced by stubs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<u64>,
    /// The summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Whether the middle was cut hard, for want of a summary.
    pub fallback: bool,
    /// The round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}
