//! Calls without a known end, as they are shown and as machine output has them.

use crate::Json;
use crate::clock::parse_utc;
use crate::look::visible;
use crate::session::OpenCall;
use crate::session::operations::{Answer, field_text};

use super::time;

/// What `sess resolve` takes: the operation, or the call where there is none.
pub fn key(call: &OpenCall) -> &str {
    match &call.operation {
        Some(operation) => operation.op_id.as_str(),
        None => call.call_id.as_str(),
    }
}

/// The members of a call in machine output. A call that was not dispatched has no `op-id` and no
/// `dispatched-at`; `asked-at` is then the time of the turn that asked for it.
pub fn members(call: &OpenCall) -> Vec<(&'static str, Json)> {
    let mut members = vec![
        ("call-id", Json::string(call.call_id.as_str())),
        ("tool", Json::string(&call.tool)),
        ("state", Json::string(call.state.as_str())),
    ];
    if !call.arguments.is_null() {
        members.push(("arguments", call.arguments.clone()));
    }
    let Some(operation) = &call.operation else {
        members.push(("asked-at", Json::string(&call.since)));
        return members;
    };
    members.push(("op-id", Json::string(operation.op_id.as_str())));
    members.push(("dispatched-at", Json::string(&operation.dispatched_at)));
    for (key, value) in [
        ("arguments-digest", &operation.arguments_digest),
        ("idempotency", &operation.idempotency),
        ("run-id", &operation.run_id),
        ("round", &operation.round),
    ] {
        members.extend(value.clone().map(|value| (key, value)));
    }
    members
}

/// The word for how a call's tool takes to being called again, as recorded.
pub fn class(call: &OpenCall) -> Option<String> {
    let operation = call.operation.as_ref()?;
    field_text(&operation.idempotency)
}

/// What else is known of a call, one short text each: call id, time, run, round, and how the call
/// was answered.
pub fn facts(call: &OpenCall) -> Vec<String> {
    let operation = call.operation.as_ref();
    let since = parse_utc(&call.since).map(time::stamp);
    let run = operation.and_then(|operation| field_text(&operation.run_id));
    let round = operation.and_then(|operation| field_text(&operation.round));
    let facts = [
        operation.map(|_| call.call_id.to_string()),
        Some(since.unwrap_or_else(|| call.since.clone())),
        run.map(|run| format!("run {}", shorten(&run, SHORT))),
        round.map(|round| format!("round {round}")),
        call.answer.as_ref().map(answered),
    ];
    let facts = facts.into_iter().flatten();
    facts
        .map(|fact| visible::excerpt(&fact, LONGEST_FACT))
        .filter(|fact| !fact.is_empty())
        .collect()
}

fn answered(answer: &Answer) -> String {
    let what = match (answer.is_result, answer.is_error) {
        (false, _) => "answered without a result",
        (true, true) => "answered with an error",
        (true, false) => "answered",
    };
    format!("{what} in line {}", answer.line)
}

/// Columns for one fact of a stranger's making.
const LONGEST_FACT: usize = 40;

/// How much of an id is shown: enough to tell those at hand apart.
const SHORT: usize = 8;

/// How many characters of each id are needed to tell all of them apart.
pub fn id_length<'a>(ids: impl Iterator<Item = &'a str>) -> usize {
    let mut sorted: Vec<&str> = ids.collect();
    sorted.sort_unstable();
    sorted.dedup();
    let shared = sorted.windows(2).map(|pair| match pair {
        [one, other] => one
            .chars()
            .zip(other.chars())
            .take_while(|(a, b)| a == b)
            .count(),
        _ => 0,
    });
    shared.max().map_or(SHORT, |shared| SHORT.max(shared + 1))
}

/// The first characters of an id.
pub fn shorten(id: &str, length: usize) -> &str {
    let end = id.char_indices().nth(length).map_or(id.len(), |(at, _)| at);
    id.get(..end).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_shown_as_long_as_it_takes_to_tell_them_apart() {
        let ids = ["0123456789a", "0123456789b", "0123456789b", "01"];
        assert_eq!(id_length(ids.into_iter()), 11);
        assert_eq!(id_length(["0123456789", "9876543210"].into_iter()), 8);
        assert_eq!(id_length(std::iter::empty()), 8);
        assert_eq!(shorten("äöü", 2), "äö");
    }
}
