//! What comes into a conversation from outside between two rounds.

use super::driver::Driver;
use super::end::Step;
use crate::agent::bus::{BusError, Completion, CompletionBus};
use crate::agent::event::BackgroundOpDelivered;
use crate::agent::shield::shielded;
use crate::agent::wording;
use crate::session::Extras;
use crate::{Json, Message};

impl Driver {
    /// Makes a message of the user from everything background work has brought.
    pub(super) fn deliver_completions(&mut self) -> Step {
        let completions = self.ask_bus("drain", |bus| bus.drain()).unwrap_or_default();
        for completion in completions {
            self.deliver(completion)?;
        }
        Ok(())
    }

    fn deliver(&mut self, completion: Completion) -> Step {
        let Completion {
            kind,
            seq,
            op_id,
            head,
            body,
            tail,
            mut extras,
        } = completion;
        let name = format!("background-{}-{seq}", self.run.id());
        let body = self.observe(&name, &kind, body);
        let parts: Vec<&str> = [&head, &body.content, &tail]
            .into_iter()
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        if parts.is_empty() {
            return Ok(());
        }
        let message = Message::user(parts.join("\n\n"));
        extras.insert("injected".to_owned(), Json::string(&kind));
        if let Some(op_id) = &op_id {
            extras.insert("op-id".to_owned(), Json::string(op_id));
        }
        if let Some(artifact) = &body.artifact {
            extras.insert("artifact".to_owned(), artifact.to_json());
        }
        let line = self.conversation.add(message, &extras)?;
        self.emit(BackgroundOpDelivered {
            op_kind: kind,
            op_id,
            message_id: line.map(String::from),
            round: Some(self.round + 1),
        });
        Ok(())
    }

    /// Makes a message from each thing the user has said meanwhile.
    pub(super) fn take_steers(&mut self) -> Step {
        let mut steers = std::mem::take(&mut self.stashed_steers);
        steers.extend(self.pull_steers().unwrap_or_default());
        for steer in steers {
            self.conversation
                .add(Message::user(steer), &Extras::new())?;
        }
        Ok(())
    }

    /// What the user has said; `None` when the source cannot say.
    pub(super) fn pull_steers(&self) -> Option<Vec<String>> {
        let Some(source) = &self.config().steer_source else {
            return Some(Vec::new());
        };
        let pulled = shielded(|| source.pull().map_err(|error| error.to_string()));
        match pulled.and_then(|pulled| pulled) {
            Ok(steers) => Some(steers),
            Err(error) => {
                let reason = wording::first_line(&error, "no reason given");
                self.log_text("error", &format!("steer source threw: {reason}"));
                None
            }
        }
    }

    /// Asks the bus. One that fails is told and counts as saying nothing.
    pub(super) fn ask_bus<T>(
        &self,
        operation: &str,
        call: impl FnOnce(&dyn CompletionBus) -> Result<T, BusError>,
    ) -> Option<T> {
        let bus = self.config().completion_bus.as_deref()?;
        let answered = shielded(|| call(bus).map_err(|error| error.to_string()));
        match answered.and_then(|answered| answered) {
            Ok(answer) => Some(answer),
            Err(error) => {
                self.log_record(
                    "error",
                    [
                        ("message", Json::string("the completion bus failed")),
                        ("operation", Json::string(operation)),
                        (
                            "error",
                            Json::string(&wording::first_line(&error, "no reason given")),
                        ),
                    ],
                );
                None
            }
        }
    }
}
