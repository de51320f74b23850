//! Settles a call that a dead process left open, saying no more than is known.

use super::error::AppendError;
use super::live::Session;
use super::operations::{CallState, OpenCall, field_text};
use super::payload::Outcome;
use super::record::{Extras, Settlement};
use crate::canonical::Json;
use crate::id::EnvelopeId;
use crate::message::Message;

/// What a resolution writes: first the message, then the settle line.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::Session;
/// use sess::session::{Choice, Resolution};
/// std::fs::copy("samples/sessions/pending.jsonl", &path)?;
/// let session = Session::load(&path)?;
/// let mut calls = session.open_calls();
/// // A provider reads the answers of a turn in the order of its calls.
/// calls.sort_by_key(|call| call.asked);
/// for call in calls {
///     Resolution::of(&call, &Choice::default())?.apply(&session)?;
/// }
/// assert!(session.open_calls().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// The tool message that answers the call, with its extras, when none does yet.
    pub message: Option<(Message, Extras)>,
    /// The end of the operation, when it was dispatched.
    pub settlement: Option<Settlement>,
}

/// What was chosen where the state of the call leaves a choice.
///
/// ```
/// use sess::session::{Choice, Outcome};
/// let choice = Choice {
///     outcome: Some(Outcome::Completed),
///     reason: Some("the file is there".into()),
///     ..Choice::default()
/// };
/// assert!(!choice.no_message);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The outcome to record; by default the one its state implies.
    pub outcome: Option<Outcome>,
    /// Why, for the settle line; `resolved` when absent.
    pub reason: Option<String>,
    /// Leave the call without an answer in the conversation.
    pub no_message: bool,
}

/// Why a call cannot be resolved as chosen.
///
/// ```
/// use sess::Session;
/// use sess::session::{CallState, Choice, Outcome, Resolution, ResolveError};
/// let interrupted = Session::replay("samples/sessions/interrupted.jsonl")?;
/// let calls = interrupted.open_calls();
/// let call = calls.iter().find(|call| call.state == CallState::NeverDispatched).unwrap();
/// let choice = Choice { outcome: Some(Outcome::Completed), ..Choice::default() };
/// let refused = Resolution::of(call, &choice);
/// assert!(matches!(refused, Err(ResolveError::NoOutcome { .. })));
/// # Ok::<(), sess::session::LoadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// A call that never left the process has no operation, so it can have no outcome.
    #[error("call {call_id} was never dispatched, so it has no outcome; resolve it without one")]
    NoOutcome {
        /// The call.
        call_id: String,
    },
}

impl Resolution {
    /// Plans the resolution of a call.
    pub fn of(call: &OpenCall, choice: &Choice) -> Result<Self, ResolveError> {
        let Some(operation) = &call.operation else {
            if choice.outcome.is_some() {
                return Err(ResolveError::NoOutcome {
                    call_id: call.call_id.to_string(),
                });
            }
            return Ok(Self {
                message: answer(call, None, choice),
                settlement: None,
            });
        };
        let outcome = choice.outcome.unwrap_or_else(|| implied_outcome(call));
        let mut settlement = Settlement::new(operation.op_id.clone(), outcome);
        settlement.reason = Some(
            choice
                .reason
                .clone()
                .unwrap_or_else(|| "resolved".to_owned()),
        );
        Ok(Self {
            message: answer(call, Some(outcome), choice),
            settlement: Some(settlement),
        })
    }

    /// Writes it. If the process dies in between, the call is *finished but not settled*, or still
    /// *was running*, and can be resolved again.
    pub fn apply(&self, session: &Session) -> Result<Vec<EnvelopeId>, AppendError> {
        let mut written = Vec::new();
        if let Some((message, extras)) = &self.message {
            written.push(session.append_message_with(message.clone(), extras)?);
        }
        if let Some(settlement) = &self.settlement {
            written.push(session.append_tool_settled(settlement)?);
        }
        Ok(written)
    }
}

/// A recorded answer says how the call ended. Without one nothing does.
fn implied_outcome(call: &OpenCall) -> Outcome {
    match &call.answer {
        Some(answer) if call.state == CallState::FinishedNotSettled => match answer.is_error {
            true => Outcome::Failed,
            false => Outcome::Completed,
        },
        _ => Outcome::OutcomeUnknown,
    }
}

fn answer(call: &OpenCall, outcome: Option<Outcome>, choice: &Choice) -> Option<(Message, Extras)> {
    if choice.no_message || !call.needs_answer() {
        return None;
    }
    let message = Message::tool(call.call_id.as_str(), wording(call, outcome));
    let mut extras = Extras::new();
    let mut mark = |key: &str| extras.insert(key.to_owned(), Json::from(true));
    match outcome {
        None if call.state == CallState::NeverDispatched => mark("abandoned"),
        None | Some(Outcome::OutcomeUnknown) => mark("outcome-unknown"),
        Some(Outcome::Failed) => mark("is-error"),
        Some(Outcome::Completed) => None,
    };
    Some((message, extras))
}

/// What the model is told. It must convey what is known and what is not, and nothing more.
fn wording(call: &OpenCall, outcome: Option<Outcome>) -> String {
    match outcome {
        Some(Outcome::Completed) => "This call completed, as was established later by hand. Its result was not recorded.".to_owned(),
        Some(Outcome::Failed) => "This call failed, as was established later by hand. Its error was not recorded.".to_owned(),
        Some(Outcome::OutcomeUnknown) => unknown_wording(call),
        None if call.state == CallState::NeverDispatched => {
            "This call was never handed to its tool: the run was interrupted before. Nothing was executed for it. It can be made again.".to_owned()
        }
        None => "The run was interrupted, and no record says whether this call was handed to its tool. It may or may not have been executed. Check before making it again.".to_owned(),
    }
}

fn unknown_wording(call: &OpenCall) -> String {
    const START: &str = "The run was interrupted while this call was out. It may have been executed or not, wholly or in part, and no result was recorded.";
    let class = call
        .operation
        .as_ref()
        .and_then(|operation| field_text(&operation.idempotency));
    let advice = match class.as_deref() {
        Some("destructive") => {
            " The tool is configured as destructive: its effect may already have happened. Find out before making the call again."
        }
        Some("read-only") => {
            " The tool is configured as read-only, so making the call again is harmless."
        }
        Some("idempotent") => {
            " The tool is configured as idempotent, so making the call again has the same effect as making it once."
        }
        _ => " Find out what happened before making the call again.",
    };
    format!("{START}{advice}")
}
