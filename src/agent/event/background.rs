//! What happens beside the run: agents below this one, work in the background, and waiting for it.

use serde::{Deserialize, Serialize};

use super::words::ResumeReason;
use crate::Json;

/// An event of an agent below this one. Never the end of this run, whatever it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Subagent {
    /// The agent.
    pub agent_id: String,
    /// Its type.
    pub agent_type: String,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The call that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Its event in flattened form.
    pub inner: Json,
}

/// Work goes on in the background.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BackgroundOpStarted {
    /// The operation.
    pub op_id: String,
    /// The kind of work.
    pub op_kind: String,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The call that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}

/// Work in the background has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BackgroundOpSettled {
    /// The operation.
    pub op_id: String,
    /// The kind of work.
    pub op_kind: String,
    /// Whether the model has its answer already, so that no delivery follows.
    pub collected: bool,
    /// The round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}

/// The outcome of background work is part of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BackgroundOpDelivered {
    /// The kind of work.
    pub op_kind: String,
    /// The operation; absent for news nobody kept track of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op_id: Option<String>,
    /// The line of the message that carries it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The round it is delivered to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}

/// The run waits for background work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RunParked {
    /// How many operations are out.
    pub outstanding: u64,
    /// Which, oldest first.
    pub ops: Vec<OutstandingOp>,
    /// The round that went quiet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}

/// A background operation that has not ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct OutstandingOp {
    /// The operation.
    pub op_id: String,
    /// The kind of work.
    pub kind: String,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Whatever its owner keeps with it; an object.
    pub meta: Json,
}

/// The wait is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RunResumed {
    /// What ended it.
    pub reason: ResumeReason,
    /// How long it lasted, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parked_seconds: Option<f64>,
    /// The round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}
