//! Remarks of the loop on itself: logs, limits, compactions.

use serde::{Deserialize, Serialize};

use super::words::LimitKind;
use crate::Json;

/// Something worth knowing that changes nothing.
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
