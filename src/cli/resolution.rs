//! Which open calls are to be resolved, and what is written for each.

use std::path::Path;
use std::sync::Arc;

use crate::id::EnvelopeId;
use crate::look::visible;
use crate::session::{AppendError, CallState, Choice, OpenCall, Replayed, Resolution};
use crate::{Json, Message, Role, Session};

use super::error::{Error, Result};
use super::exit::Exit;
use super::resolve::Target;
use super::{calls, prefix, settled};

/// What was asked for.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub file: &'a Path,
    pub target: &'a Target,
    pub choice: Choice,
}

impl Request<'_> {
    /// What to write, in the order in which it is written.
    pub fn plan(&self, open: &Open) -> Result<Vec<Planned>> {
        let mut calls: Vec<&OpenCall> = match self.target {
            Target::All => open.calls.iter().collect(),
            Target::One(typed) => vec![self.find(typed, open)?],
        };
        calls.sort_by_key(|call| call.asked);
        let plans = calls.into_iter().map(|call| self.plan_of(call, open));
        let plans: Vec<Planned> = plans.collect::<Result<_>>()?;
        Ok(plans
            .into_iter()
            .filter(|plan| {
                plan.resolution.message.is_some() || plan.resolution.settlement.is_some()
            })
            .collect())
    }

    fn plan_of(&self, call: &OpenCall, open: &Open) -> Result<Planned> {
        let takes_outcome = call.operation.is_some() || *self.target != Target::All;
        let choice = Choice {
            outcome: self.choice.outcome.filter(|_| takes_outcome),
            ..self.choice.clone()
        };
        let resolution = Resolution::of(call, &choice)
            .map_err(|error| Error::unknown(error.to_string()).at(self.file))?;
        if *self.target != Target::All
            && resolution.message.is_none()
            && resolution.settlement.is_none()
        {
            let what = format!(
                "call {} was never dispatched: a message is all there is to write",
                call.call_id
            );
            return Err(Error::unknown(what)
                .at(self.file)
                .hint("leave out --no-message"));
        }
        Ok(Planned {
            call: call.clone(),
            out_of_place: resolution.message.is_some() && open.is_past(call),
            resolution,
            written: Vec::new(),
        })
    }

    fn not_found(&self, error: Error) -> Error {
        let name = visible::path(self.file);
        error
            .kind("no-operation")
            .at(self.file)
            .or_hint(format!("`sess pending {name}` lists what is open"))
    }

    fn find<'o>(&self, typed: &str, open: &'o Open) -> Result<&'o OpenCall> {
        let keys = open.calls.iter().map(calls::key);
        let found = match prefix::resolve("open operation or call", typed, keys) {
            Ok(found) => found,
            Err(error) if error.exit() == Exit::No => {
                return Err(self
                    .not_found(settled::explain(typed, self.file, &open.calls).unwrap_or(error)));
            }
            Err(error) => return Err(self.not_found(error)),
        };
        let mut named = open.calls.iter().filter(|call| calls::key(call) == found);
        match (named.next(), named.next()) {
            (Some(call), None) => Ok(call),
            _ => {
                let what = format!("more than one open call has the id {found:?}");
                Err(Error::unknown(what)
                    .at(self.file)
                    .hint("`--all` resolves every one of them"))
            }
        }
    }
}

/// Writes one resolution after the other. What could not be written is taken off the list. A call
/// that the session refuses to settle, such as one of two with the same id, does not stop the rest.
pub fn apply(
    planned: &mut Vec<Planned>,
    session: &Session,
) -> std::result::Result<(), AppendError> {
    let mut outcome = Ok(());
    planned.retain_mut(|plan| {
        if !matches!(outcome, Ok(()) | Err(AppendError::Refused(_))) {
            return false;
        }
        match plan.resolution.apply(session) {
            Ok(ids) => {
                plan.written = ids;
                true
            }
            Err(error) => {
                outcome = Err(error);
                false
            }
        }
    });
    outcome
}

/// The open calls of a transcript, and the conversation that they are part of.
pub struct Open {
    calls: Vec<OpenCall>,
    conversation: Vec<(EnvelopeId, Arc<Message>)>,
}

impl Open {
    pub fn of_replayed(replayed: &Replayed) -> Self {
        let entries = replayed.conversation().iter();
        Self {
            calls: replayed.open_calls(),
            conversation: entries
                .map(|entry| (entry.id.clone(), entry.body.clone()))
                .collect(),
        }
    }

    pub fn of_session(session: &Session) -> Self {
        Self {
            calls: session.open_calls(),
            conversation: session.conversation(),
        }
    }

    /// Whether the conversation goes on after the turn of a call with something else than answers
    /// to that turn.
    fn is_past(&self, call: &OpenCall) -> bool {
        let Some(turn) = &call.turn else {
            return false;
        };
        let conversation = self.conversation.iter();
        let mut rest = conversation
            .skip_while(|(id, _)| id != turn)
            .map(|(_, message)| message);
        let asked: Vec<String> = rest
            .next()
            .into_iter()
            .flat_map(|turn| turn.calls().map(|call| call.id))
            .collect();
        rest.any(|message| match &message.tool_call_id {
            Some(id) => message.role != Role::Tool || !asked.contains(id),
            None => true,
        })
    }
}

/// What is to be done for one call, and the ids of the lines that did it.
pub struct Planned {
    pub call: OpenCall,
    pub resolution: Resolution,
    /// The answer stands after messages that a provider expects it before.
    pub out_of_place: bool,
    written: Vec<EnvelopeId>,
}

impl Planned {
    pub fn members(&self) -> Vec<(&'static str, Json)> {
        let mut members = vec![
            ("call-id", Json::string(self.call.call_id.as_str())),
            ("tool", Json::string(&self.call.tool)),
        ];
        if let Some(settlement) = &self.resolution.settlement {
            members.push(("op-id", Json::string(settlement.op_id.as_str())));
            members.push(("outcome", Json::string(settlement.outcome.as_str())));
        }
        let keys = [
            self.resolution.message.as_ref().map(|_| "message-id"),
            self.resolution.settlement.as_ref().map(|_| "settle-id"),
        ];
        let ids = self.written.iter().map(|id| Json::string(id.as_str()));
        members.extend(keys.into_iter().flatten().zip(ids));
        members
    }

    pub fn outcome(&self) -> &'static str {
        match &self.resolution.settlement {
            Some(settlement) => settlement.outcome.as_str(),
            None if self.call.state == CallState::NeverDispatched => "never dispatched",
            None => "unrecorded",
        }
    }

    pub fn lines(&self) -> &'static str {
        match (&self.resolution.message, &self.resolution.settlement) {
            (Some(_), Some(_)) => "a message and a settle line",
            (Some(_), None) => "a message",
            (None, _) => "a settle line",
        }
    }
}
