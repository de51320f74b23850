//! What happens between the loop and its tools. The key of a call's story is its `id`.

use serde::{Deserialize, Serialize};

use super::words::AbandonReason;
use crate::Json;
use crate::context::Artifact;

/// The model asks for a call. All calls of a turn are announced before the first is dispatched.
///
/// ```
/// use sess::Json;
/// use sess::agent::event::{EventBody, ToolCall};
/// let body = EventBody::from(ToolCall {
///     id: "c1".into(),
///     name: "read".into(),
///     arguments: Some(Json::string(r#"{"path":"a"}"#)),
///     round: Some(1),
/// });
/// assert_eq!(body.kind(), "tool-call");
/// assert_eq!(
///     body.payload().compact(),
///     r#"{"arguments":"{\"path\":\"a\"}","id":"c1","name":"read","round":1}"#,
/// );
/// ```
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
///
/// ```
/// use sess::agent::event::{EventBody, ToolStarted};
/// let body = EventBody::from(ToolStarted {
///     id: "c1".into(),
///     name: "read".into(),
///     round: Some(1),
/// });
/// assert_eq!(body.kind(), "tool-started");
/// assert_eq!(body.payload().compact(), r#"{"id":"c1","name":"read","round":1}"#);
/// ```
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
///
/// ```
/// use sess::agent::event::{EventBody, ToolProgress};
/// let body = EventBody::from(ToolProgress {
///     id: "c1".into(),
///     progress: 2.5,
///     total: Some(10.0),
///     message: None,
///     round: Some(1),
/// });
/// assert_eq!(body.kind(), "tool-progress");
/// assert_eq!(
///     body.payload().text(),
///     r#"{"id":"c1","progress":2.5,"total":10.0,"round":1}"#,
/// );
/// ```
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
///
/// ```
/// use sess::agent::event::{EventBody, ToolResult};
/// let body = EventBody::from(ToolResult {
///     id: "c1".into(),
///     name: Some("read".into()),
///     content: "hello".into(),
///     is_error: false,
///     artifact: None,
///     round: Some(1),
/// });
/// assert_eq!(body.kind(), "tool-result");
/// assert_eq!(
///     body.payload().compact(),
///     r#"{"content":"hello","id":"c1","is-error":false,"name":"read","round":1}"#,
/// );
/// ```
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
///
/// ```
/// use sess::agent::event::{ArtifactNote, EventBody, ToolResult};
/// use sess::canonical::Sha256Hex;
/// let note = ArtifactNote {
///     file: "op-1.txt".into(),
///     digest: Sha256Hex::of(b"...").to_string(),
///     bytes: 20_000,
///     chars: 20_000,
///     elided_chars: 3_616,
/// };
/// let body = EventBody::from(ToolResult {
///     id: "c1".into(),
///     name: None,
///     content: "the beginning and the end".into(),
///     is_error: false,
///     artifact: Some(note),
///     round: None,
/// });
/// let artifact = body.payload().get("artifact").unwrap();
/// let keys: Vec<String> = artifact.entries().unwrap().into_iter().map(|(key, _)| key).collect();
/// assert_eq!(keys, ["file", "digest", "bytes", "chars", "elided-chars"]);
/// ```
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
///
/// ```
/// use sess::agent::event::{AbandonReason, EventBody, ToolAbandoned};
/// let body = EventBody::from(ToolAbandoned {
///     id: "c1".into(),
///     name: "read".into(),
///     reason: AbandonReason::Deadline,
///     dispatched: true,
///     round: Some(1),
/// });
/// assert_eq!(body.kind(), "tool-abandoned");
/// assert_eq!(
///     body.payload().compact(),
///     r#"{"dispatched":true,"id":"c1","name":"read","reason":"deadline","round":1}"#,
/// );
/// ```
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
///
/// ```
/// use sess::Json;
/// use sess::agent::event::{AskPending, EventBody};
/// let body = EventBody::from(AskPending {
///     request: Json::parse(r#"{"question":"Delete it?"}"#)?,
///     tool: Some("rm".into()),
/// });
/// assert_eq!(body.kind(), "ask-pending");
/// assert_eq!(body.payload().compact(), r#"{"request":{"question":"Delete it?"},"tool":"rm"}"#);
/// # Ok::<(), sess::canonical::JsonError>(())
/// ```
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
///
/// ```
/// use sess::Json;
/// use sess::agent::event::{AskAnswered, EventBody};
/// let body = EventBody::from(AskAnswered {
///     request: Json::parse(r#"{"question":"Delete it?"}"#)?,
///     answer: Some(Json::string("no")),
/// });
/// assert_eq!(body.kind(), "ask-answered");
/// assert_eq!(
///     body.payload().compact(),
///     r#"{"answer":"no","request":{"question":"Delete it?"}}"#,
/// );
/// # Ok::<(), sess::canonical::JsonError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AskAnswered {
    /// What was asked.
    pub request: Json,
    /// The answer: an object or a string; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Json>,
}
