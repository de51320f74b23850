//! The calls whose end is still to come.

use std::collections::VecDeque;

/// A call that was made or dispatched, and is not over.
#[derive(Clone, Debug, Default)]
pub struct OpenCall {
    pub call_id: String,
    pub op_id: Option<String>,
    pub tool: String,
    /// The place of its round, where its turn is in the file.
    pub round: Option<usize>,
    /// Its place among the spans of the round, where it has one.
    pub span: Option<usize>,
    pub answered: bool,
    pub settled: bool,
    /// Whether a bad end was counted.
    pub counted: bool,
}

/// The latest of them. What falls out is left as it stands: open.
#[derive(Clone, Debug, Default)]
pub struct OpenCalls {
    calls: VecDeque<OpenCall>,
}

/// More calls than this are never under way at once in practice.
const MOST: usize = 1_024;
/// Calls with longer ids and names are not followed, so that memory does not grow with them.
const LONGEST: usize = 1_024;

impl OpenCalls {
    pub fn push(&mut self, call: OpenCall) {
        if call.call_id.len() > LONGEST || call.tool.len() > LONGEST {
            return;
        }
        if self.calls.len() == MOST {
            self.calls.pop_front();
        }
        self.calls.push_back(call);
    }

    /// The call that a dispatch with this call id is of.
    pub fn undispatched(&mut self, call_id: &str) -> Option<&mut OpenCall> {
        self.meant(call_id, |call| call.op_id.is_none() && !call.answered)
    }

    /// The call that an answer with this call id is to.
    pub fn unanswered(&mut self, call_id: &str) -> Option<&mut OpenCall> {
        self.meant(call_id, |call| !call.answered)
    }

    /// The latest that waits for such a line; of several in one round the first, since calls are
    /// handed out and answered in order.
    fn meant(&mut self, call_id: &str, waits: impl Fn(&OpenCall) -> bool) -> Option<&mut OpenCall> {
        let fits = |call: &OpenCall| call.call_id == call_id && waits(call);
        let round = self.calls.iter().rfind(|call| fits(call))?.round;
        let in_round = |call: &OpenCall| fits(call) && call.round == round;
        match round {
            Some(_) => self.calls.iter_mut().find(|call| in_round(call)),
            None => self.calls.iter_mut().rfind(|call| in_round(call)),
        }
    }

    /// The call of this operation.
    pub fn of_operation(&mut self, op_id: &str) -> Option<&mut OpenCall> {
        let mut calls = self.calls.iter_mut().rev();
        calls.find(|call| call.op_id.as_deref() == Some(op_id))
    }

    /// Rounds were merged in pairs.
    pub fn halve_rounds(&mut self) {
        for call in &mut self.calls {
            call.round = call.round.map(|place| place / 2);
            call.span = None;
        }
    }

    /// Lets go of the calls of which nothing more is to come.
    pub fn forget_ended(&mut self) {
        let is_over = |call: &OpenCall| call.answered && (call.settled || call.op_id.is_none());
        self.calls.retain(|call| !is_over(call));
    }
}
