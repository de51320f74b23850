//! Why an operation or call that somebody names is not among the open ones.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;

use crate::clock::parse_utc;
use crate::look::visible;
use crate::session::OpenCall;
use crate::session::envelope::{Envelope, Verdict};
use crate::session::judge::each_line;
use crate::session::payload::Payload;

use super::error::Error;
use super::{calls, time};

/// What became of the operation or call whose id starts so, when the transcript tells.
pub fn explain(typed: &str, file: &Path, open: &[OpenCall]) -> Option<Error> {
    let dispatched =
        |call: &&OpenCall| call.operation.is_some() && call.call_id.as_str().starts_with(typed);
    if let Some(call) = open.iter().find(dispatched) {
        let what = format!(
            "call {} was dispatched, so it goes by its operation",
            call.call_id
        );
        return Some(Error::no(what).hint(format!("the operation is {}", calls::key(call))));
    }
    let mut past = Past::default();
    let read = each_line(File::open(file).ok()?, |_, verdict| {
        if let Verdict::Object(envelope) = verdict {
            past.line(typed, &envelope);
        }
        ControlFlow::<()>::Continue(())
    });
    read.ok()?;
    let what = past.settled.said().or(past.answered.said())?;
    let hint = format!("`sess pending {}` lists what is open", visible::path(file));
    Some(Error::no(what).hint(hint))
}

/// What the lines say of ids that start so.
#[derive(Default)]
struct Past {
    settled: Found,
    answered: Found,
}

impl Past {
    fn line(&mut self, typed: &str, envelope: &Envelope<'_>) {
        let when = || {
            let ts = envelope.ts();
            parse_utc(&ts).map_or_else(|| ts.into_owned(), time::stamp)
        };
        match Payload::of(envelope) {
            // Of an operation settled twice the first word counts.
            Ok(Payload::ToolSettled(view)) if self.settled.id != view.op_id => {
                self.settled.take(typed, &view.op_id, |id| {
                    let outcome = view.outcome.as_str();
                    format!("operation {id} is settled already: {outcome}, {}", when())
                });
            }
            Ok(Payload::Message(view)) => {
                if let Some(call) = view.tool_call_id() {
                    let said = |id: &str| format!("call {id} is answered already, {}", when());
                    self.answered.take(typed, &call, said);
                }
            }
            _ => {}
        }
    }
}

/// The one id that starts so, and what there is to say of it.
#[derive(Default)]
struct Found {
    id: String,
    said: String,
    several: bool,
}

impl Found {
    /// The whole id wins over longer ones; of one id the last word counts.
    fn take(&mut self, typed: &str, id: &str, say: impl FnOnce(&str) -> String) {
        if !id.starts_with(typed) || (self.id == typed && id != typed) {
            return;
        }
        self.several = id != typed && (self.several || (!self.id.is_empty() && self.id != id));
        id.clone_into(&mut self.id);
        self.said = say(id);
    }

    fn said(self) -> Option<String> {
        (!self.said.is_empty() && !self.several).then_some(self.said)
    }
}
