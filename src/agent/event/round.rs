//! What happens between a model and the loop: rounds, attempts, turns.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::words::{DiscardReason, Disposition};
use super::{class, usage, wire_message};
use crate::Message;
use crate::backend::{ErrorClass, Usage};
use crate::id::{EnvelopeId, RunId};

/// The run has begun.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TurnDiscarded {
    /// Why.
    pub reason: DiscardReason,
    /// The round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}
