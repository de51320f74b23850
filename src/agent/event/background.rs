//! What happens beside the run: agents below this one, work in the background, and waiting for it.

use serde::{Deserialize, Serialize};

use super::words::ResumeReason;
use crate::Json;

/// An event of an agent below this one. Never the end of this run, whatever it holds.
///
/// ```
/// use sess::agent::event::{Event, EventBody, RunCancelled, Subagent, Terminal};
/// let child = Event::new(Terminal::RunCancelled(RunCancelled { stage: None, round: None }));
/// let body = EventBody::from(Subagent {
///     agent_id: "a1".into(),
///     agent_type: "survey".into(),
///     label: None,
///     call_id: Some("c1".into()),
///     inner: child.to_json(),
/// });
/// assert_eq!(body.kind(), "subagent");
/// // The end of the child is not the end of its parent.
/// assert!(child.is_terminal() && !body.is_terminal());
/// let inner = body.payload().get("inner").unwrap();
/// assert_eq!(Event::from_json(&inner)?.kind(), "run-cancelled");
/// # Ok::<(), sess::agent::event::EventError>(())
/// ```
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
///
/// ```
/// use sess::agent::event::{BackgroundOpStarted, EventBody};
/// let body = EventBody::from(BackgroundOpStarted {
///     op_id: "o1".into(),
///     op_kind: "build".into(),
///     label: Some("nightly".into()),
///     call_id: None,
///     round: Some(1),
/// });
/// assert_eq!(body.kind(), "background-op-started");
/// assert_eq!(
///     body.payload().compact(),
///     r#"{"label":"nightly","op-id":"o1","op-kind":"build","round":1}"#,
/// );
/// ```
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
///
/// ```
/// use sess::agent::event::{BackgroundOpSettled, EventBody};
/// let body = EventBody::from(BackgroundOpSettled {
///     op_id: "o1".into(),
///     op_kind: "build".into(),
///     collected: false,
///     round: None,
/// });
/// assert_eq!(body.kind(), "background-op-settled");
/// assert_eq!(body.payload().compact(), r#"{"collected":false,"op-id":"o1","op-kind":"build"}"#);
/// ```
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
///
/// ```
/// use sess::agent::event::{BackgroundOpDelivered, EventBody};
/// let body = EventBody::from(BackgroundOpDelivered {
///     op_kind: "build".into(),
///     op_id: Some("o1".into()),
///     message_id: Some("e9".into()),
///     round: Some(2),
/// });
/// assert_eq!(body.kind(), "background-op-delivered");
/// assert_eq!(
///     body.payload().compact(),
///     r#"{"message-id":"e9","op-id":"o1","op-kind":"build","round":2}"#,
/// );
/// ```
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
///
/// ```
/// use sess::agent::event::{EventBody, RunParked};
/// let body = EventBody::from(RunParked { outstanding: 0, ops: vec![], round: Some(1) });
/// assert_eq!(body.kind(), "run-parked");
/// assert_eq!(body.payload().compact(), r#"{"ops":[],"outstanding":0,"round":1}"#);
/// ```
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
///
/// ```
/// use sess::Json;
/// use sess::agent::event::{EventBody, OutstandingOp, RunParked};
/// let op = OutstandingOp {
///     op_id: "o1".into(),
///     kind: "build".into(),
///     label: None,
///     meta: Json::empty_object(),
/// };
/// let body = EventBody::from(RunParked { outstanding: 1, ops: vec![op], round: None });
/// assert_eq!(
///     body.payload().get("ops").unwrap().compact(),
///     r#"[{"kind":"build","meta":{},"op-id":"o1"}]"#,
/// );
/// ```
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
///
/// ```
/// use sess::agent::event::{EventBody, ResumeReason, RunResumed};
/// let body = EventBody::from(RunResumed {
///     reason: ResumeReason::Completion,
///     parked_seconds: Some(1.5),
///     round: Some(1),
/// });
/// assert_eq!(body.kind(), "run-resumed");
/// assert_eq!(
///     body.payload().compact(),
///     r#"{"parked-seconds":1.5,"reason":"completion","round":1}"#,
/// );
/// ```
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
