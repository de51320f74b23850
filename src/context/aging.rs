//! Old tool results give way to stubs: the same message with another content. The full text stays
//! in the transcript, and the model can run the call again.

use std::collections::HashMap;
use std::sync::Arc;

use super::counter::length;
use super::wording::STUB_PREFIX;
use crate::canonical::canonical_arguments;
use crate::session::survivors::survivors;
use crate::{Message, Role};

/// When a result is old. Lengths are in characters (Unicode scalar values).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Age {
    /// A result longer than this may go…
    pub(super) min_chars: u64,
    /// …once this much text has come after it.
    pub(super) reclaim_min: u64,
}

/// The stub of a result of so many characters.
///
/// ```
/// use sess::context::stub;
/// assert_eq!(
///     stub(500, Some("fs_read")),
///     "[elided by the harness: 500-char fs_read result; re-run the call if you need it again]",
/// );
/// ```
pub fn stub(chars: u64, tool: Option<&str>) -> String {
    let tool = tool.map(|tool| format!("{tool} ")).unwrap_or_default();
    format!("{STUB_PREFIX}{chars}-char {tool}result; re-run the call if you need it again]")
}

/// The results up to and including `cut` that may give way, in order, with their stubs.
pub(super) fn elisions(messages: &[Arc<Message>], cut: usize, age: Age) -> Vec<(usize, String)> {
    let results = Results::of(messages);
    let kept = survivors(messages.iter().map(Arc::as_ref));
    let mut behind = total(messages);
    let mut found = Vec::new();
    for (index, message) in messages.iter().enumerate().take(cut.saturating_add(1)) {
        let chars = length(&message.content);
        behind -= chars;
        let is_result = message.role == Role::Tool && !kept.get(index).copied().unwrap_or(true);
        if !is_result || message.content.starts_with(STUB_PREFIX) {
            continue;
        }
        let old = chars > age.min_chars && behind >= age.reclaim_min;
        let goes = match results.issue(index) {
            Issue::Newest => false,
            Issue::Older => true,
            Issue::Only => old,
        };
        let stub = stub(chars, results.tool(index));
        if goes && length(&stub) < chars {
            found.push((index, stub));
        }
    }
    found
}

/// The conversation with stubs in place.
pub(super) fn aged(messages: &[Arc<Message>], elisions: &[(usize, String)]) -> Vec<Arc<Message>> {
    let mut aged = messages.to_vec();
    for (index, stub) in elisions {
        if let Some(message) = aged.get_mut(*index) {
            Arc::make_mut(message).content.clone_from(stub);
        }
    }
    aged
}

/// How much text would give way.
pub(super) fn pool(messages: &[Arc<Message>], elisions: &[(usize, String)]) -> u64 {
    let going = elisions
        .iter()
        .filter_map(|(index, _)| messages.get(*index));
    going.map(|message| length(&message.content)).sum()
}

fn total(messages: &[Arc<Message>]) -> u64 {
    messages
        .iter()
        .map(|message| length(&message.content))
        .sum()
}

/// Which of the results of one and the same call a result is.
enum Issue {
    Only,
    Older,
    Newest,
}

/// The results of a conversation, joined to their calls.
#[derive(Default)]
struct Results {
    /// By the result's index: the tool, and its arguments in one spelling.
    calls: HashMap<usize, CallKey>,
    /// By call: how many results it has, and the newest.
    census: HashMap<CallKey, (usize, usize)>,
}

type CallKey = Arc<(String, String)>;

impl Results {
    /// A result belongs to the nearest turn before it that made a call of its id: providers may
    /// number the calls of each turn anew.
    fn of(messages: &[Arc<Message>]) -> Self {
        let mut origins: HashMap<String, CallKey> = HashMap::new();
        let mut results = Self::default();
        for (index, message) in messages.iter().enumerate() {
            for call in message.calls().filter(|call| !call.id.is_empty()) {
                let key = (call.name, canonical_arguments(&call.arguments));
                origins.insert(call.id, Arc::new(key));
            }
            if message.role != Role::Tool {
                continue;
            }
            let id = message.tool_call_id.as_deref().unwrap_or_default();
            let Some(key) = origins.get(id) else {
                continue;
            };
            let entry = results.census.entry(Arc::clone(key)).or_default();
            *entry = (entry.0 + 1, index);
            results.calls.insert(index, Arc::clone(key));
        }
        results
    }

    fn tool(&self, index: usize) -> Option<&str> {
        let tool = self.calls.get(&index)?.0.as_str();
        (!tool.is_empty()).then_some(tool)
    }

    fn issue(&self, index: usize) -> Issue {
        let call = self.calls.get(&index);
        match call.and_then(|call| self.census.get(call)) {
            Some((count, newest)) if *count > 1 && *newest == index => Issue::Newest,
            Some((count, _)) if *count > 1 => Issue::Older,
            _ => Issue::Only,
        }
    }
}
