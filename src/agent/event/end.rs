//! How a run ends. Exactly one of these is published, and nothing after it.

use serde::{Deserialize, Serialize};

use super::usage;
use super::words::{CancelStage, FailReason};
use crate::backend::Usage;

/// The model answered without asking for anything more.
///
/// ```
/// use sess::agent::event::{EventBody, RunCompleted};
/// let body = EventBody::RunCompleted(RunCompleted {
///     final_text: "Done.".into(),
///     rounds: Some(2),
///     message_count: Some(5),
/// });
/// assert_eq!(body.kind(), "run-completed");
/// assert_eq!(body.payload().compact(), r#"{"final":"Done.","message-count":5,"rounds":2}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RunCompleted {
    /// Its last turn; may be empty.
    #[serde(rename = "final")]
    pub final_text: String,
    /// Rounds played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u64>,
    /// Messages of the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_count: Option<u64>,
}

/// The run could not go on.
///
/// ```
/// use sess::agent::event::{EventBody, FailReason, RunFailed};
/// let body = EventBody::RunFailed(RunFailed {
///     error: "too much was spent".into(),
///     attempts: vec![],
///     round: Some(3),
///     reason: Some(FailReason::BudgetExhausted),
/// });
/// assert_eq!(body.kind(), "run-failed");
/// assert_eq!(
///     body.payload().compact(),
///     r#"{"attempts":[],"error":"too much was spent","reason":"budget-exhausted","round":3}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RunFailed {
    /// Why, in words.
    pub error: String,
    /// Every failed attempt of the run.
    pub attempts: Vec<AttemptRecord>,
    /// The round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
    /// Why, where the way of failing has a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<FailReason>,
}

/// Somebody cancelled the run.
///
/// ```
/// use sess::agent::event::{CancelStage, EventBody, RunCancelled};
/// let body = EventBody::RunCancelled(RunCancelled { stage: Some(CancelStage::Tools), round: Some(1) });
/// assert_eq!(body.kind(), "run-cancelled");
/// assert_eq!(body.payload().compact(), r#"{"round":1,"stage":"tools"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RunCancelled {
    /// Where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<CancelStage>,
    /// The round; absent before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}

/// A request that failed, or that was never sent because it would not have fitted.
///
/// ```
/// use sess::agent::event::{AttemptRecord, EventBody, RunFailed};
/// use sess::backend::Usage;
/// let attempt = AttemptRecord {
///     backend_index: 0,
///     model: "m".into(),
///     error: "connection reset".into(),
///     raw_text: Some("The ans".into()),
///     usage: Usage::default(),
///     disposition: None,
/// };
/// let body = EventBody::RunFailed(RunFailed {
///     error: "every backend failed".into(),
///     attempts: vec![attempt],
///     round: None,
///     reason: None,
/// });
/// assert_eq!(
///     body.payload().get("attempts").unwrap().compact(),
///     r#"[{"backend-index":0,"error":"connection reset","model":"m","raw-text":"The ans"}]"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AttemptRecord {
    /// The backend's place in the chain.
    pub backend_index: usize,
    /// Its model.
    pub model: String,
    /// What happened.
    pub error: String,
    /// What had arrived until then, where something had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_text: Option<String>,
    /// What it cost all the same.
    #[serde(default, skip_serializing_if = "Usage::is_empty", with = "usage")]
    pub usage: Usage,
    /// `advance` for a request that was never sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disposition: Option<String>,
}
