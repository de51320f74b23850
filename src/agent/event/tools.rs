//! What happens between the loop and its tools. The key of a call's story is its `id`.

use serde::{Deserialize, Serialize};

use super::words::AbandonReason;
use crate::Json;
use crate::context::Artifact;

/// The model asks for a call. All calls of a turn are announced before the first is dispatched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ToolCall {
    /// The model's id for the call; may be empty.
    pub id: String,
    /// The tool; may be empty.
    pub name: String,
    /// The arguments as the model wrote them: usually a string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Json>,
    /// The round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}

/// The call is handed to its tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ToolStarted {
    /// The call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}

/// A tool tells how far it has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ToolProgress {
    /// The call.
    pub id: String,
    /// How far, in the tool's own unit.
    pub progress: f64,
    /// Of how much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// In words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}

/// The call has an answer, and the answer is recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ToolResult {
    /// The call.
    pub id: String,
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the model sees.
    pub content: String,
    /// Whether the call failed.
    pub is_error: bool,
    /// Where the full text is, when the model sees an excerpt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<ArtifactNote>,
    /// The round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}

/// A text kept in full, and how much of it the model does not see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ArtifactNote {
    /// The file's name, without its folder.
    pub file: String,
    /// SHA-256 of its bytes.
    pub digest: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its length in characters.
    pub chars: u64,
    /// Characters the model does not see.
    pub elided_chars: u64,
}

impl ArtifactNote {
    pub(in crate::agent) fn new(artifact: Artifact, elided_chars: usize) -> Self {
        Self {
            file: artifact.file,
            digest: artifact.digest,
            bytes: artifact.bytes,
            chars: artifact.chars,
            elided_chars: elided_chars as u64,
        }
    }

    pub(in crate::agent) fn to_json(&self) -> Json {
        super::flat::payload(self)
    }
}

/// No answer to the call will come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ToolAbandoned {
    /// The call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Why.
    pub reason: AbandonReason,
    /// Whether it was handed to its tool. If so its outcome is unknown; if not, it did not run.
    pub dispatched: bool,
    /// The round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}

/// Somebody is asked something while a call runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AskPending {
    /// What is asked; an object.
    pub request: Json,
    /// The tool that asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

/// The question is over. It may never come when the run ends first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AskAnswered {
    /// What was asked.
    pub request: Json,
    /// The answer: an object or a string; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Json>,
}
