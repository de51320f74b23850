//! What happens between a model and the loop: rounds, attempts, turns.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::words::{DiscardReason, Disposition};
use super::{class, usage, wire_message};
use crate::Message;
use crate::backend::{ErrorClass, Usage};
use crate::id::{EnvelopeId, RunId};

/// The run has begun.
///
/// ```
/// use sess::agent::event::{EventBody, RunStarted};
/// let body = EventBody::from(RunStarted {
///     run_id: "r1".into(),
///     message_count: 2,
///     context_digest: None,
/// });
/// assert_eq!(body.kind(), "run-started");
/// assert_eq!(body.payload().compact(), r#"{"message-count":2,"run-id":"r1"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RunStarted {
    /// The run.
    #[serde(with = "super::run_id")]
    pub run_id: RunId,
    /// Messages of the conversation it starts from, without the context around them.
    pub message_count: u64,
    /// Digest of the run context, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_digest: Option<String>,
}

/// A round begins: one reply of the model and the calls it asks for.
///
/// ```
/// use sess::agent::event::{EventBody, RoundStarted};
/// let body = EventBody::from(RoundStarted { round: 1, tokens: Some(120) });
/// assert_eq!(body.kind(), "round-started");
/// assert_eq!(body.payload().compact(), r#"{"round":1,"tokens":120}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RoundStarted {
    /// Counted from 1.
    pub round: u64,
    /// Tokens of the conversation, when anything limits them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// A request goes out. Tokens that follow belong to it.
///
/// ```
/// use sess::agent::event::{AttemptStarted, EventBody};
/// let body = EventBody::from(AttemptStarted {
///     round: 1,
///     attempt: 1,
///     backend_index: 0,
///     model: "m".into(),
/// });
/// assert_eq!(body.kind(), "attempt-started");
/// assert_eq!(
///     body.payload().compact(),
///     r#"{"attempt":1,"backend-index":0,"model":"m","round":1}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AttemptStarted {
    /// The round.
    pub round: u64,
    /// Counted from 1 within the round.
    pub attempt: u64,
    /// The backend's place in the chain, counted from 0.
    pub backend_index: usize,
    /// Its model, or `unknown`.
    pub model: String,
}

/// A fragment of the answer as it arrives.
///
/// ```
/// use sess::agent::event::{EventBody, Token};
/// let body = EventBody::from(Token { text: "Hi".into(), round: Some(1), attempt: Some(1) });
/// assert_eq!(body.kind(), "token");
/// assert_eq!(body.payload().compact(), r#"{"attempt":1,"round":1,"text":"Hi"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Token {
    /// The fragment; never empty.
    pub text: String,
    /// The round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
    /// The attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u64>,
}

/// An attempt failed, and with it every token since it started is taken back.
///
/// ```
/// use sess::agent::event::{AttemptFailed, Disposition, EventBody};
/// use sess::backend::{ErrorClass, Usage};
/// let body = EventBody::from(AttemptFailed {
///     round: 1,
///     attempt: 1,
///     backend_index: 0,
///     model: None,
///     error: "service unavailable".into(),
///     error_class: Some(ErrorClass::Http),
///     error_status: Some(503),
///     disposition: Disposition::RetrySame { backoff: 1.5 },
///     usage: Usage::default(),
/// });
/// assert_eq!(body.kind(), "attempt-failed");
/// assert_eq!(
///     body.payload().compact(),
///     r#"{"attempt":1,"backend-index":0,"backoff":1.5,"disposition":"retry-same","error":"service unavailable","error-class":"http","error-status":503,"round":1}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AttemptFailed {
    /// The round.
    pub round: u64,
    /// The attempt.
    pub attempt: u64,
    /// The backend's place in the chain.
    pub backend_index: usize,
    /// Its model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What happened.
    pub error: String,
    /// What kind of failure the response said it was.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "class")]
    pub error_class: Option<ErrorClass>,
    /// The HTTP status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_status: Option<u16>,
    /// What the loop does next.
    #[serde(flatten)]
    pub disposition: Disposition,
    /// What the attempt cost all the same.
    #[serde(default, skip_serializing_if = "Usage::is_empty", with = "usage")]
    pub usage: Usage,
}

/// A whole answer arrived.
///
/// ```
/// use sess::agent::event::{AttemptSucceeded, EventBody};
/// use sess::backend::Usage;
/// let body = EventBody::from(AttemptSucceeded {
///     round: 1,
///     attempt: 1,
///     backend_index: 0,
///     model_used: None,
///     finish_reason: Some("stop".into()),
///     usage: Usage { completion_tokens: Some(7), ..Usage::default() },
///     latency_ms: Some(640),
/// });
/// assert_eq!(body.kind(), "attempt-succeeded");
/// assert_eq!(
///     body.payload().compact(),
///     r#"{"attempt":1,"backend-index":0,"finish-reason":"stop","latency-ms":640,"round":1,"usage":{"completion-tokens":7}}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AttemptSucceeded {
    /// The round.
    pub round: u64,
    /// The attempt.
    pub attempt: u64,
    /// The backend's place in the chain.
    pub backend_index: usize,
    /// The model that answered, as the provider names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_used: Option<String>,
    /// Why the model stopped, as the provider says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// What it cost, as far as reported.
    #[serde(with = "usage")]
    pub usage: Usage,
    /// Milliseconds from request to end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
}

/// A turn of the model is part of the conversation. This is the text that counts.
///
/// ```
/// use sess::Message;
/// use sess::agent::event::{AssistantMessage, EventBody};
/// let body = EventBody::from(AssistantMessage {
///     message: Message::assistant("Hi").into(),
///     reasoning: None,
///     round: Some(1),
/// });
/// assert_eq!(body.kind(), "assistant-message");
/// assert_eq!(
///     body.payload().compact(),
///     r#"{"message":{"content":"Hi","role":"assistant"},"round":1}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AssistantMessage {
    /// The turn.
    #[serde(with = "wire_message")]
    pub message: Arc<Message>,
    /// What the model thought, when it said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}

/// The turn is recorded.
///
/// ```
/// use sess::agent::event::{EventBody, TurnCommitted};
/// let body = EventBody::from(TurnCommitted { message_id: Some("e7".into()), round: Some(1) });
/// assert_eq!(body.kind(), "turn-committed");
/// assert_eq!(body.payload().compact(), r#"{"message-id":"e7","round":1}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TurnCommitted {
    /// Its line, when there is a transcript.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "super::line_id"
    )]
    pub message_id: Option<EnvelopeId>,
    /// The round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}

/// What the round has streamed will never be committed.
///
/// ```
/// use sess::agent::event::{DiscardReason, EventBody, TurnDiscarded};
/// let body = EventBody::from(TurnDiscarded { reason: DiscardReason::Limit, round: Some(1) });
/// assert_eq!(body.kind(), "turn-discarded");
/// assert_eq!(body.payload().compact(), r#"{"reason":"limit","round":1}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TurnDiscarded {
    /// Why.
    pub reason: DiscardReason,
    /// The round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}
