//! What survives a compaction: the one answer that replay, the loop and every compactor share.
//!
//! A sticky message does. So does the whole of a call group of which one message is sticky, for
//! providers accept neither a call without its result nor a result without its call. A call group
//! is a turn that calls tools and the results that directly follow it.

use crate::{Message, Role};

/// What decides whether a message survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// It is sticky, or belongs to a call group that is.
    pub sticky: bool,
    bond: Bond,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bond {
    Alone,
    Calls,
    Answers,
}

impl Standing {
    /// Of a message with this role, that calls tools or does not, and is itself sticky or not.
    pub fn new(role: Role, calls: bool, sticky: bool) -> Self {
        let bond = match role {
            Role::Tool => Bond::Answers,
            Role::Assistant if calls => Bond::Calls,
            _ => Bond::Alone,
        };
        Self { sticky, bond }
    }

    /// Of a message that stands alone and is not sticky.
    pub fn alone() -> Self {
        Self {
            sticky: false,
            bond: Bond::Alone,
        }
    }
}

impl From<&Message> for Standing {
    fn from(message: &Message) -> Self {
        let calls = !message.tool_calls.is_empty();
        Self::new(message.role, calls, message.is_sticky())
    }
}

/// Makes the call group at the end of a conversation sticky as a whole if one of it is. To be
/// called after each message that is added.
pub fn settle_last_group<T>(messages: &mut [T], standing: impl Fn(&mut T) -> &mut Standing) {
    let mut start = messages.len();
    let mut sticky = false;
    loop {
        let Some(before) = start.checked_sub(1) else {
            return;
        };
        let Some(message) = messages.get_mut(before) else {
            return;
        };
        let standing = standing(message);
        sticky |= standing.sticky;
        start = before;
        match standing.bond {
            Bond::Answers => {}
            Bond::Calls => break,
            Bond::Alone => return,
        }
    }
    if sticky {
        for message in messages.iter_mut().skip(start) {
            standing(message).sticky = true;
        }
    }
}

/// Whether each message of a conversation survives a compaction that reaches it.
pub fn survivors<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Vec<bool> {
    let mut standings: Vec<Standing> = Vec::new();
    for message in messages {
        standings.push(message.into());
        settle_last_group(&mut standings, |standing| standing);
    }
    standings.iter().map(|standing| standing.sticky).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::ToolCall;

    fn turn() -> Message {
        Message::assistant("").with_call(ToolCall::default())
    }

    #[test]
    fn a_group_survives_as_a_whole_when_one_of_it_is_sticky() {
        let conversation = [
            Message::user("u").with_sticky(),
            turn(),
            Message::tool("a", "1").with_sticky(),
            Message::tool("b", "2"),
            Message::user("u"),
            turn().with_sticky(),
            Message::tool("a", "3"),
            turn(),
            Message::tool("a", "4"),
            Message::assistant("done").with_depth(0),
            Message::tool("x", "belongs to nothing"),
        ];
        assert_eq!(
            survivors(&conversation),
            [
                true, true, true, true, false, true, true, false, false, true, false
            ]
        );
    }
}
