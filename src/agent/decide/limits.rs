//! What a model may ask for.

use std::collections::HashMap;

use crate::agent::event::{LimitKind, LimitReached};
use crate::canonical::{ToolPattern, canonical_arguments};
use crate::message::ToolCall;

/// How much a model may ask for in one run.
///
/// ```
/// use sess::agent::decide::limits::{Limits, Tallies};
/// use sess::agent::event::LimitKind;
/// use sess::canonical::ToolPattern;
/// use sess::message::ToolCall;
///
/// let limits = Limits {
///     tool_rounds: 10,
///     tool_calls: 10,
///     identical_calls: 1,
///     identical_exempt: vec![ToolPattern::new("poll_*")?],
/// };
/// let call = |name: &str| ToolCall { name: name.into(), ..ToolCall::default() };
/// let twice = |name: &str| [call(name), call(name)];
/// assert!(Tallies::default().check(&twice("poll_job"), &limits).is_none());
/// let reached = Tallies::default().check(&twice("read"), &limits).unwrap();
/// assert_eq!(reached.limit, LimitKind::IdenticalCalls);
/// # Ok::<(), sess::canonical::EmptyPattern>(())
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    /// Rounds with tool calls.
    pub tool_rounds: u64,
    /// Calls.
    pub tool_calls: u64,
    /// Calls of one tool with the same arguments.
    pub identical_calls: u64,
    /// Tools the last limit does not look at.
    pub identical_exempt: Vec<ToolPattern>,
}

/// What a model has had in this run. Calls that were never dispatched do not count.
///
/// ```
/// use sess::agent::decide::limits::{Limits, Tallies};
/// use sess::message::ToolCall;
///
/// let limits = Limits { tool_rounds: 10, tool_calls: 10, identical_calls: 1, identical_exempt: vec![] };
/// let call = ToolCall { id: "c1".into(), name: "read".into(), arguments: "{}".into() };
/// let mut tallies = Tallies::default();
/// assert!(tallies.check(&[call.clone()], &limits).is_none());
/// tallies.count(&call);
/// assert!(tallies.check(&[call], &limits).is_some());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tallies {
    /// Rounds whose calls were processed.
    pub tool_rounds: u64,
    /// Calls that were settled.
    pub calls: u64,
    by_signature: HashMap<Signature, u64>,
}

/// What makes two calls identical: the tool and the canonical arguments.
///
/// ```
/// use sess::agent::decide::limits::Signature;
/// use sess::message::ToolCall;
/// let call = |arguments: &str| ToolCall { id: "c1".into(), name: "read".into(), arguments: arguments.into() };
/// assert_eq!(Signature::of(&call(r#"{"a":1,"b":2}"#)), Signature::of(&call(r#"{ "b": 2, "a": 1 }"#)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    tool: String,
    arguments: String,
}

impl Signature {
    /// The signature of a call.
    pub fn of(call: &ToolCall) -> Self {
        Self {
            tool: call.name.clone(),
            arguments: canonical_arguments(&call.arguments),
        }
    }
}

impl Tallies {
    /// Counts a settled call.
    pub fn count(&mut self, call: &ToolCall) {
        self.calls += 1;
        *self.by_signature.entry(Signature::of(call)).or_default() += 1;
    }

    /// The first limit a turn with these calls goes beyond.
    pub fn check(&self, calls: &[ToolCall], limits: &Limits) -> Option<LimitReached> {
        let reached = |limit, count, max| {
            Some(LimitReached {
                limit,
                count: Some(count),
                max: Some(max),
            })
        };
        if calls.is_empty() {
            return None;
        }
        if self.tool_rounds >= limits.tool_rounds {
            return reached(LimitKind::ToolRounds, self.tool_rounds, limits.tool_rounds);
        }
        let total = self.calls + calls.len() as u64;
        if total > limits.tool_calls {
            return reached(LimitKind::ToolCalls, total, limits.tool_calls);
        }
        let repeated = self.first_repeated(calls, limits)?;
        reached(LimitKind::IdenticalCalls, repeated, limits.identical_calls)
    }

    /// How often the first call beyond the limit on identical calls would have been made.
    fn first_repeated(&self, calls: &[ToolCall], limits: &Limits) -> Option<u64> {
        let mut in_turn: HashMap<Signature, u64> = HashMap::new();
        let exempt = |tool: &str| {
            limits
                .identical_exempt
                .iter()
                .any(|pattern| pattern.matches(tool))
        };
        calls
            .iter()
            .filter(|call| !exempt(&call.name))
            .map(|call| {
                let signature = Signature::of(call);
                let before = self.by_signature.get(&signature).copied().unwrap_or(0);
                let here = in_turn.entry(signature).or_default();
                *here += 1;
                before + *here
            })
            .find(|count| *count > limits.identical_calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        Limits {
            tool_rounds: 10,
            tool_calls: 10,
            identical_calls: 2,
            identical_exempt: vec![ToolPattern::new("task_*").unwrap()],
        }
    }

    fn call(name: &str, arguments: &str) -> ToolCall {
        ToolCall {
            id: "c".into(),
            name: name.into(),
            arguments: arguments.into(),
        }
    }

    fn check(tallies: &Tallies, calls: &[ToolCall]) -> Option<(LimitKind, u64)> {
        let reached = tallies.check(calls, &limits())?;
        Some((reached.limit, reached.count?))
    }

    #[test]
    fn a_turn_without_calls_reaches_nothing() {
        let tallies = Tallies {
            tool_rounds: 99,
            ..Tallies::default()
        };
        assert_eq!(check(&tallies, &[]), None);
        let any = [call("a", "")];
        assert_eq!(check(&tallies, &any), Some((LimitKind::ToolRounds, 99)));
    }

    #[test]
    fn the_calls_of_the_turn_count_before_they_run() {
        let tallies = Tallies {
            calls: 8,
            ..Tallies::default()
        };
        let [a, b, c] = ["1", "2", "3"].map(|arguments| call("a", arguments));
        assert_eq!(check(&tallies, &[a.clone(), b.clone()]), None);
        assert_eq!(
            check(&tallies, &[a, b, c]),
            Some((LimitKind::ToolCalls, 11))
        );
    }

    #[test]
    fn identical_is_the_same_tool_with_the_same_canonical_arguments() {
        let mut tallies = Tallies::default();
        tallies.count(&call("a", r#"{"x":1,"y":2}"#));
        let same = call("a", r#" { "y": 2, "x": 1 } "#);
        assert_eq!(check(&tallies, std::slice::from_ref(&same)), None);
        let twice = [same.clone(), call("b", ""), same];
        assert_eq!(
            check(&tallies, &twice),
            Some((LimitKind::IdenticalCalls, 3))
        );
        let others = [
            call("a", "{}"),
            call("a", "[]"),
            call("b", r#"{"x":1,"y":2}"#),
        ];
        assert_eq!(check(&tallies, &others), None);
    }

    #[test]
    fn exempt_tools_neither_trip_nor_count() {
        let mut turn = vec![call("task_wait", "{}"); 5];
        assert_eq!(check(&Tallies::default(), &turn), None);
        turn.extend(vec![call("read", "{}"); 3]);
        assert_eq!(
            check(&Tallies::default(), &turn),
            Some((LimitKind::IdenticalCalls, 3))
        );
    }
}
