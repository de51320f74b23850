//! Which messages a summary replaces, and what the conversation is then.

use std::sync::Arc;

use super::wording::SUMMARY_HEADER;
use crate::session::survivors::survivors;
use crate::{Message, Role};

/// A conversation and which of its messages survive.
pub(super) struct Middle<'a> {
    messages: &'a [Arc<Message>],
    kept: Vec<bool>,
    /// The last message that a summary may replace.
    cut: usize,
}

impl<'a> Middle<'a> {
    /// Everything ahead of the last `keep_recent` messages; a window that would open on a result
    /// grows back to the turn that called for it. `None` when there is nothing to replace.
    pub(super) fn of(messages: &'a [Arc<Message>], keep_recent: usize) -> Option<Self> {
        let mut start = messages.len().saturating_sub(keep_recent);
        let is_result = |index: usize| {
            let message = messages.get(index);
            message.is_some_and(|message| message.role == Role::Tool)
        };
        while start > 0 && is_result(start) {
            start -= 1;
        }
        let middle = Self {
            messages,
            kept: survivors(messages.iter().map(Arc::as_ref)),
            cut: start.checked_sub(1)?,
        };
        (middle.dropped(middle.cut) > 0).then_some(middle)
    }

    /// The same middle of the conversation with stubs in it.
    pub(super) fn with<'b>(&self, messages: &'b [Arc<Message>]) -> Middle<'b> {
        Middle {
            messages,
            kept: self.kept.clone(),
            cut: self.cut,
        }
    }

    pub(super) fn cut(&self) -> usize {
        self.cut
    }

    /// The conversation it is the middle of.
    pub(super) fn whole(&self) -> &'a [Arc<Message>] {
        self.messages
    }

    /// What a summary of all of it stands for.
    pub(super) fn messages(&self) -> impl Iterator<Item = &'a Message> {
        let through = self.messages.iter().zip(&self.kept).take(self.cut + 1);
        through
            .filter(|(_, kept)| !**kept)
            .map(|(message, _)| message.as_ref())
    }

    /// How many messages a cut behind `end` replaces.
    pub(super) fn dropped(&self, end: usize) -> usize {
        self.kept
            .iter()
            .take(end + 1)
            .filter(|kept| !**kept)
            .count()
    }

    /// Where a smaller cut may fall, ascending: behind each replaceable message and the results
    /// that follow it, so never inside a call group.
    pub(super) fn candidates(&self) -> Vec<usize> {
        let mut candidates = Vec::new();
        for index in (0..=self.cut).filter(|index| self.kept.get(*index) == Some(&false)) {
            let results = self.messages.iter().take(self.cut + 1).skip(index + 1);
            let results = results
                .take_while(|message| message.role == Role::Tool)
                .count();
            let end = index + results;
            if candidates.last().is_none_or(|last| end > *last) {
                candidates.push(end);
            }
        }
        candidates
    }

    /// The conversation when everything through `end` is replaced by this text: what survives,
    /// the text, the rest.
    pub(super) fn assemble(&self, end: usize, summary: &str) -> Vec<Arc<Message>> {
        let (through, rest) = self.messages.split_at((end + 1).min(self.messages.len()));
        let kept = through.iter().zip(&self.kept).filter(|(_, kept)| **kept);
        let kept = kept.map(|(message, _)| Arc::clone(message));
        let summary = Arc::new(Message::user(summary));
        kept.chain([summary]).chain(rest.iter().cloned()).collect()
    }
}

/// A summary under its header, as it stands in the conversation.
pub(super) fn headed(text: &str) -> String {
    format!("{SUMMARY_HEADER}\n{text}")
}
