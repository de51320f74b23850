//! Which tool a call was of, as a transcript is read in file order.

use std::collections::VecDeque;

/// The latest calls and operations with their tools. What falls out is only not named.
///
/// ```
/// use sess::look::entry::Calls;
/// let mut calls = Calls::default();
/// calls.asked("c1", "read");
/// assert_eq!(calls.tool_of_call("c1"), Some("read"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Calls {
    calls: Latest,
    operations: Latest,
}

impl Calls {
    /// Notes that the model asked for `tool` under this call id.
    pub fn asked(&mut self, call_id: &str, tool: &str) {
        self.calls.note(call_id, tool);
    }

    /// Notes that an operation of `tool` began.
    pub fn dispatched(&mut self, op_id: &str, tool: &str) {
        self.operations.note(op_id, tool);
    }

    /// The tool of the call that was last asked for under this id.
    pub fn tool_of_call(&self, call_id: &str) -> Option<&str> {
        self.calls.find(call_id)
    }

    /// The tool of an operation.
    pub fn tool_of_operation(&self, op_id: &str) -> Option<&str> {
        self.operations.find(op_id)
    }
}

/// How many are remembered. More calls than this are never under way at once in practice.
const MOST: usize = 256;
/// Longer ids and names are not remembered, so that memory does not grow with them.
const LONGEST: usize = 1_024;

#[derive(Clone, Debug, Default)]
struct Latest {
    pairs: VecDeque<(Box<str>, Box<str>)>,
}

impl Latest {
    fn note(&mut self, id: &str, tool: &str) {
        if id.len() > LONGEST || tool.len() > LONGEST {
            return;
        }
        if self.pairs.len() == MOST {
            self.pairs.pop_front();
        }
        self.pairs.push_back((id.into(), tool.into()));
    }

    /// The latest wins, for models use call ids again.
    fn find(&self, id: &str) -> Option<&str> {
        let known = self.pairs.iter().rev().find(|(known, _)| **known == *id);
        known.map(|(_, tool)| tool.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_of_two_equal_ids_counts_and_the_oldest_is_forgotten() {
        let mut calls = Calls::default();
        calls.asked("a", "read");
        calls.asked("b", "shell");
        calls.asked("a", "write");
        assert_eq!(calls.tool_of_call("a"), Some("write"));
        assert_eq!(calls.tool_of_operation("a"), None);
        for number in 0..MOST - 1 {
            calls.asked(&number.to_string(), "x");
        }
        assert_eq!(calls.tool_of_call("a"), Some("write"));
        assert_eq!(calls.tool_of_call("b"), None);
    }
}
