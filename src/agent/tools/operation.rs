//! One call on its way: proposed, then dispatched, then settled; or abandoned without being
//! dispatched. Each step takes the call by value, so none can be taken twice, a call that was
//! dispatched cannot be said not to have run, and an unknown outcome cannot become a failure.

use std::time::Duration;

use tokio::time::Instant;

use super::idempotency::Idempotency;
use crate::Json;
use crate::agent::event::{AbandonReason, ArtifactNote};
use crate::agent::wording;
use crate::canonical::{canonical_arguments, digest_of_text};
use crate::id::{OpId, RunId};
use crate::message::ToolCall;
use crate::session::{Arguments, Dispatch, Outcome, Settlement};

/// A call the model asked for.
#[derive(Clone, Debug)]
pub(in crate::agent) struct Proposed {
    /// The call as the model wrote it.
    pub(in crate::agent) raw: Json,
    /// The call as it is read.
    pub(in crate::agent) call: ToolCall,
    pub(in crate::agent) idempotency: Idempotency,
}

/// A call that has been handed to its tool.
#[derive(Debug)]
pub(in crate::agent) struct Dispatched {
    pub(in crate::agent) call: ToolCall,
    pub(in crate::agent) op_id: OpId,
    since: Instant,
}

impl Proposed {
    pub(in crate::agent) fn new(raw: Json, idempotency: Idempotency) -> Self {
        let call = ToolCall::from_json(&raw);
        Self {
            raw,
            call,
            idempotency,
        }
    }

    /// What the transcript records before the call runs.
    pub(in crate::agent) fn dispatch_record(&self, run_id: &RunId, round: u64) -> Dispatch {
        let arguments = canonical_arguments(&self.call.arguments);
        let digest = digest_of_text(&arguments).to_string();
        Dispatch {
            arguments_digest: Some(digest),
            idempotency: Some(self.idempotency.to_string()),
            run_id: Some(run_id.clone()),
            round: Some(round),
            ..Dispatch::new(
                self.call.id.as_str(),
                &self.call.name,
                Arguments::Text(arguments),
            )
        }
    }

    /// The call once it is dispatched, under the id of its line.
    pub(in crate::agent) fn dispatched(self, op_id: OpId) -> Dispatched {
        Dispatched {
            call: self.call,
            op_id,
            since: Instant::now(),
        }
    }
}

impl Dispatched {
    /// The call once it has an answer, and what the transcript records of that.
    pub(in crate::agent) fn answered(
        self,
        content: &str,
        is_error: bool,
        artifact: Option<&ArtifactNote>,
    ) -> (ToolCall, Settlement) {
        let outcome = if is_error {
            Outcome::Failed
        } else {
            Outcome::Completed
        };
        let settlement = Settlement {
            result_digest: Some(digest_of_text(content).to_string()),
            artifact: artifact.map(ArtifactNote::to_json),
            error: is_error.then(|| wording::error_line(content)).flatten(),
            ..self.settlement(outcome)
        };
        (self.call, settlement)
    }

    /// The call once it was given up on, and what the transcript records of that.
    pub(in crate::agent) fn unknown(self, reason: AbandonReason) -> (ToolCall, Settlement) {
        let settlement = Settlement {
            reason: Some(reason.to_string()),
            ..self.settlement(Outcome::OutcomeUnknown)
        };
        (self.call, settlement)
    }

    fn settlement(&self, outcome: Outcome) -> Settlement {
        Settlement {
            duration: Some(self.duration()),
            ..Settlement::new(self.op_id.clone(), outcome)
        }
    }

    /// Time since it was dispatched, questions included.
    fn duration(&self) -> Duration {
        self.since.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposed() -> Proposed {
        let call = ToolCall {
            id: "c1".into(),
            name: "fs_read".into(),
            arguments: r#" {"b":1, "a":2}"#.into(),
        };
        Proposed::new(call.to_json(), Idempotency::ReadOnly)
    }

    // 12.9-93. That it is settled once, also in a race, is a matter of types: settling takes it
    // away, and there is no second one.
    #[test]
    fn the_dispatch_record_holds_canonical_arguments_and_their_digest() {
        let record = proposed().dispatch_record(&RunId::from("r"), 3);
        let expected = Dispatch {
            arguments_digest: Some(digest_of_text(r#"{"a":2,"b":1}"#).to_string()),
            idempotency: Some("read-only".into()),
            run_id: Some("r".into()),
            round: Some(3),
            ..Dispatch::new("c1", "fs_read", Arguments::Text(r#"{"a":2,"b":1}"#.into()))
        };
        assert_eq!(record, expected);
    }

    #[tokio::test(start_paused = true)]
    async fn a_settlement_says_how_it_ended_and_how_long_it_took() {
        let [first, second] = [(); 2].map(|()| proposed().dispatched(OpId::from("op")));
        tokio::time::advance(Duration::from_millis(1_500)).await;
        let timed = |outcome| Settlement {
            duration: Some(Duration::from_millis(1_500)),
            ..Settlement::new("op", outcome)
        };
        let failed = Settlement {
            result_digest: Some(digest_of_text("\nno such file\n").to_string()),
            error: Some("no such file".into()),
            ..timed(Outcome::Failed)
        };
        assert_eq!(first.answered("\nno such file\n", true, None).1, failed);
        let unknown = Settlement {
            reason: Some("deadline".into()),
            ..timed(Outcome::OutcomeUnknown)
        };
        assert_eq!(second.unknown(AbandonReason::Deadline).1, unknown);
    }
}
