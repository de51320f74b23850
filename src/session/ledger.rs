//! The calls that are open while a transcript is read, found by what the next line says of them.

use std::collections::{BTreeMap, BTreeSet};

use super::operations::{Answer, CallState, OpenCall, PendingOperation};
use super::payload::{DispatchView, MessageView};
use crate::canonical::Json;
use crate::id::{CallId, EnvelopeId, OpId};
use crate::message::{Role, ToolCall};

/// Keeps the calls that are open as a transcript is read in file order. What it holds grows with
/// the open calls, not with the file, and no line but a compaction walks over all of them.
///
/// ```
/// use sess::session::Verdict;
/// use sess::session::payload::Payload;
/// use sess::session::replay::{Replay, ShortKey};
/// let line = br#"{"id":"d","payload":{"call-id":"c1","tool":"read"},"ts":"","type":"tool-dispatched","v":1}"#;
/// let Verdict::Object(envelope) = Verdict::of(line) else { unreachable!() };
/// let mut replay = Replay::<ShortKey, ()>::default();
/// replay.apply(&envelope, &Payload::of(&envelope)?, 1);
/// let ledger = replay.ledger();
/// assert_eq!(ledger.pending()[0].tool, "read");
/// // No turn of the conversation asked for it, so none is left without an answer.
/// assert_eq!(ledger.unanswered().count(), 0);
/// # Ok::<(), sess::session::Fault>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// In the order of the lines that asked for them or, later, dispatched them.
    calls: BTreeMap<Place, OpenCall>,
    to_dispatch: Waiting,
    to_answer: Waiting,
    to_settle: BTreeSet<(OpId, Place)>,
    /// The place of the next call.
    next: Place,
    any_dispatch: bool,
    /// Calls so far.
    asked: u64,
    /// The last line that carries the conversation past the calls before it.
    moved_on: u64,
}

type Place = u64;

impl Ledger {
    /// Calls without a known end, in file order, each with its state.
    pub fn open_calls(&self) -> Vec<OpenCall> {
        let open = self.calls.values().filter(|call| !call.settled);
        open.cloned()
            .map(|call| OpenCall {
                state: call.judge(self.any_dispatch),
                ..call
            })
            .collect()
    }

    /// Dispatched operations that were never settled, in the order of dispatch.
    pub fn pending(&self) -> Vec<PendingOperation> {
        let mut pending: Vec<_> = self
            .calls
            .values()
            .filter_map(|call| Some((call.line, call.unsettled()?)))
            .collect();
        pending.sort_by_key(|(line, _)| *line);
        pending
            .into_iter()
            .map(|(_, operation)| operation.clone())
            .collect()
    }

    /// Calls of the live conversation that the conversation has left behind without an answer,
    /// or that were settled without one. A provider refuses to go on from either.
    pub fn unanswered(&self) -> impl Iterator<Item = &OpenCall> {
        self.calls
            .values()
            .filter(|call| call.is_left_open() && (call.settled || call.line < self.moved_on))
    }

    pub(crate) fn message(&mut self, view: &MessageView<'_>, id: &str, ts: &str, line: u64) {
        let answer = Answer {
            is_error: view.is_error,
            is_result: view.is_result,
            line,
        };
        self.text_message(view.role, view.tool_call_id().as_deref(), answer);
        if view.role == Role::Assistant {
            for call in view.tool_calls() {
                self.propose(&ToolCall::from_json(&Json::from_valid(call)), id, ts, line);
            }
        }
    }

    /// A message that makes no calls. `as_answer` is what it is if it answers one.
    pub(crate) fn text_message(&mut self, role: Role, call_id: Option<&str>, as_answer: Answer) {
        match (role, call_id) {
            (Role::Tool, Some(call_id)) => self.answer(call_id, as_answer),
            (Role::Tool, None) => {}
            (Role::Assistant | Role::User | Role::System, _) => self.moved_on = as_answer.line,
        }
    }

    fn propose(&mut self, call: &ToolCall, turn: &str, ts: &str, line: u64) {
        self.asked += 1;
        self.push(OpenCall {
            call_id: CallId::from(call.id.as_str()),
            tool: call.name.clone(),
            arguments: Json::string(&call.arguments),
            operation: None,
            answer: None,
            turn: Some(EnvelopeId::from(turn)),
            turn_is_live: true,
            since: ts.to_owned(),
            line,
            state: CallState::NeverDispatched,
            asked: self.asked,
            settled: false,
            superseded: false,
        });
    }

    fn answer(&mut self, call_id: &str, answer: Answer) {
        if let Some(place) = self.to_answer.meant(&CallId::from(call_id)) {
            self.change(place, |call| call.answer = Some(answer));
        }
    }

    pub(crate) fn dispatched(&mut self, view: &DispatchView<'_>, id: &str, ts: &str, line: u64) {
        self.any_dispatch = true;
        let json = |key| view.get(key).map(Json::from_valid);
        let operation = PendingOperation {
            op_id: OpId::from(id),
            call_id: CallId::from(view.call_id()),
            tool: view.tool(),
            arguments: json("arguments").unwrap_or_else(Json::null),
            arguments_digest: json("arguments-digest"),
            idempotency: json("idempotency"),
            run_id: json("run-id"),
            round: json("round"),
            dispatched_at: ts.to_owned(),
        };
        let asked = self.to_dispatch.meant(&operation.call_id);
        let mut call = match asked.and_then(|place| self.take(place)) {
            Some(call) => call,
            None => {
                self.asked += 1;
                let (turn, turn_is_live) = self.supersede(&operation.call_id);
                OpenCall {
                    call_id: operation.call_id.clone(),
                    tool: String::new(),
                    arguments: Json::null(),
                    operation: None,
                    answer: None,
                    turn,
                    turn_is_live,
                    since: String::new(),
                    line,
                    state: CallState::WasRunning,
                    asked: self.asked,
                    settled: false,
                    superseded: false,
                }
            }
        };
        call.tool.clone_from(&operation.tool);
        call.arguments = operation.arguments.clone();
        call.since = ts.to_owned();
        call.line = line;
        call.operation = Some(operation);
        self.push(call);
    }

    /// The turn of a call that was dispatched before and is dispatched again without an answer in
    /// between. The earlier dispatch no longer waits for one.
    fn supersede(&mut self, call_id: &CallId) -> (Option<EnvelopeId>, bool) {
        let before = self.to_answer.last_of_a_turn(call_id);
        let Some((place, call)) = before.and_then(|place| self.calls.get_key_value(&place)) else {
            return (None, false);
        };
        let turn = (call.turn.clone(), call.turn_is_live);
        self.change(*place, |call| call.superseded = true);
        turn
    }

    pub(crate) fn settled(&mut self, op_id: &str) {
        let op_id = OpId::from(op_id);
        let all = (op_id.clone(), Place::MIN)..=(op_id, Place::MAX);
        if let Some((_, place)) = self.to_settle.range(all).next_back() {
            self.change(*place, |call| call.settled = true);
        }
    }

    /// Marks the calls whose turn a compaction has folded away.
    pub(crate) fn folded(&mut self, mut is_live: impl FnMut(&str) -> bool) {
        let mut is_gone = |call: &OpenCall| {
            let turn = call.turn.as_ref().filter(|_| call.turn_is_live);
            turn.is_some_and(|turn| !is_live(turn.as_str()))
        };
        let gone: Vec<Place> = self
            .calls
            .iter()
            .filter_map(|(place, call)| is_gone(call).then_some(*place))
            .collect();
        for place in gone {
            self.change(place, |call| call.turn_is_live = false);
        }
    }

    fn push(&mut self, call: OpenCall) {
        let place = self.next;
        self.next += 1;
        self.put(place, call);
    }

    /// Changes a call, which is forgotten when nothing about it is open any more.
    fn change(&mut self, place: Place, change: impl FnOnce(&mut OpenCall)) {
        if let Some(mut call) = self.take(place) {
            change(&mut call);
            self.put(place, call);
        }
    }

    fn take(&mut self, place: Place) -> Option<OpenCall> {
        let call = self.calls.remove(&place)?;
        self.to_dispatch.remove(place, &call);
        self.to_answer.remove(place, &call);
        if let Some(operation) = &call.operation {
            self.to_settle.remove(&(operation.op_id.clone(), place));
        }
        Some(call)
    }

    fn put(&mut self, place: Place, call: OpenCall) {
        if !call.is_open() {
            return;
        }
        if call.is_undispatched() {
            self.to_dispatch.insert(place, &call);
        }
        if call.waits() {
            self.to_answer.insert(place, &call);
        }
        if let Some(operation) = call.unsettled() {
            self.to_settle.insert((operation.op_id.clone(), place));
        }
        self.calls.insert(place, call);
    }
}

/// Calls that wait for a line of some kind, by their call id. Models reuse those.
#[derive(Clone, Debug, Default)]
struct Waiting {
    /// Calls that a turn of the file asked for, with that turn.
    of_turns: BTreeMap<(CallId, Place), EnvelopeId>,
    /// The same, turn by turn.
    by_turn: BTreeSet<(CallId, EnvelopeId, Place)>,
    /// Calls that no turn of the file asked for.
    of_none: BTreeMap<(CallId, Place), ()>,
}

impl Waiting {
    /// The call that a line with this call id is about: the latest; of several in one turn the
    /// first, since calls are handed out and answered in order.
    fn meant(&self, call_id: &CallId) -> Option<Place> {
        let of_none = last(&self.of_none, call_id).map(|(place, ())| place);
        let Some((latest, turn)) = last(&self.of_turns, call_id) else {
            return of_none;
        };
        if of_none > Some(latest) {
            return of_none;
        }
        let from = (call_id.clone(), turn.clone(), Place::MIN);
        self.by_turn
            .range(from..)
            .next()
            .map(|(_, _, place)| *place)
    }

    /// The latest call with this id that a turn of the file asked for.
    fn last_of_a_turn(&self, call_id: &CallId) -> Option<Place> {
        last(&self.of_turns, call_id).map(|(place, _)| place)
    }

    fn insert(&mut self, place: Place, call: &OpenCall) {
        let id = call.call_id.clone();
        match call.turn.clone() {
            Some(turn) => {
                self.by_turn.insert((id.clone(), turn.clone(), place));
                self.of_turns.insert((id, place), turn);
            }
            None => drop(self.of_none.insert((id, place), ())),
        }
    }

    fn remove(&mut self, place: Place, call: &OpenCall) {
        let id = call.call_id.clone();
        match call.turn.clone() {
            Some(turn) => {
                self.of_turns.remove(&(id.clone(), place));
                self.by_turn.remove(&(id, turn, place));
            }
            None => drop(self.of_none.remove(&(id, place))),
        }
    }
}

/// The last entry of a call id.
fn last<'a, V>(
    calls: &'a BTreeMap<(CallId, Place), V>,
    call_id: &CallId,
) -> Option<(Place, &'a V)> {
    let all = (call_id.clone(), Place::MIN)..=(call_id.clone(), Place::MAX);
    let ((_, place), value) = calls.range(all).next_back()?;
    Some((*place, value))
}

#[cfg(test)]
mod tests {
    use super::super::envelope::Verdict;
    use super::super::payload::Payload;
    use super::super::replay::{Replay, ShortKey};
    use super::*;

    fn after(lines: impl IntoIterator<Item = String>) -> Ledger {
        let mut replay = Replay::<ShortKey, ()>::default();
        for (number, line) in (1..).zip(lines) {
            let Verdict::Object(envelope) = Verdict::of(line.as_bytes()) else {
                panic!("{line}");
            };
            replay.apply(&envelope, &Payload::of(&envelope).unwrap(), number);
        }
        replay.ledger().clone()
    }

    fn line(id: &str, type_name: &str, payload: &str) -> String {
        format!(r#"{{"id":"{id}","payload":{payload},"ts":"","type":"{type_name}","v":1}}"#)
    }

    fn turn(id: &str, call_ids: &[&str]) -> String {
        let call = |id: &&str| format!(r#"{{"id":"{id}","function":{{"name":"x"}}}}"#);
        let calls: Vec<String> = call_ids.iter().map(call).collect();
        let calls = calls.join(",");
        let payload = format!(r#"{{"role":"assistant","tool-calls":[{calls}]}}"#);
        line(id, "message", &payload)
    }

    fn answer(call_id: &str) -> String {
        let payload = format!(r#"{{"role":"tool","tool-call-id":"{call_id}"}}"#);
        line("t", "message", &payload)
    }

    fn dispatch(id: &str, call_id: &str) -> String {
        let payload = format!(r#"{{"call-id":"{call_id}","tool":"x"}}"#);
        line(id, "tool-dispatched", &payload)
    }

    fn settle(op_id: &str) -> String {
        let payload = format!(r#"{{"op-id":"{op_id}","outcome":"completed"}}"#);
        line("s", "tool-settled", &payload)
    }

    /// Of each open call its operation, and the line that answered it.
    fn open(ledger: &Ledger) -> Vec<(Option<String>, Option<u64>)> {
        let calls = ledger.open_calls();
        let operation = |call: &OpenCall| call.operation.as_ref().map(|it| it.op_id.to_string());
        let answer = |call: &OpenCall| call.answer.as_ref().map(|it| it.line);
        calls.iter().map(|it| (operation(it), answer(it))).collect()
    }

    #[test]
    fn of_calls_with_one_id_the_latest_turn_is_meant_and_in_it_the_first() {
        let lines = [turn("a", &["c", "c"]), turn("b", &["c", "c"])];
        let mut ledger = after(
            lines
                .clone()
                .into_iter()
                .chain([dispatch("o1", "c"), answer("c")]),
        );
        let turns: Vec<String> = ledger
            .calls
            .values()
            .map(|call| {
                call.turn
                    .as_ref()
                    .map(ToString::to_string)
                    .unwrap_or_default()
            })
            .collect();
        // The dispatched one stands last; the one beside it was asked for first and is answered.
        assert_eq!(turns, ["a", "a", "b"]);
        assert_eq!(
            open(&ledger),
            [(None, None), (None, None), (Some("o1".into()), None)]
        );
        ledger.folded(|turn| turn == "b");
        assert_eq!(open(&ledger), [(Some("o1".into()), None)]);
    }

    #[test]
    fn many_open_calls_are_told_apart_in_time_that_does_not_grow_with_their_square() {
        const MANY: usize = 4_000;
        let ids = || (0..MANY).map(|n| n.to_string());
        let unlike = ids().map(|id| turn(&id, &[&format!("c{id}")]));
        let alike = ids().map(|id| turn(&format!("t{id}"), &["c"]));
        let dispatched = ids().map(|id| dispatch(&format!("o{id}"), &format!("c{id}")));
        let stray = ids().map(|id| dispatch(&format!("p{id}"), "nobody's"));
        let answered = ids().map(|id| answer(&format!("c{id}")));
        let settled = ids().map(|id| settle(&format!("o{id}")));
        let all = unlike.chain(alike).chain(dispatched).chain(stray);
        let ledger = after(all.chain(answered).chain(settled));
        assert_eq!(ledger.open_calls().len(), 2 * MANY);
        assert_eq!(ledger.pending().len(), MANY);
    }
}
