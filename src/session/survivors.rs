//! What survives a compaction: the one answer that replay, the loop and every compactor share.
//!
//! A sticky message does. So does the whole of a call group of which one message is sticky, for
//! providers accept neither a call without its result nor a result without its call. A call group
//! is a turn that calls tools and the results that directly follow it.

use crate::{Message, Role};

/// What decides whether a message survives.
///
/// ```
/// use sess::Message;
/// use sess::session::survivors::Standing;
/// assert!(Standing::from(&Message::system("Be brief.").with_sticky()).sticky);
/// assert_eq!(Standing::from(&Message::user("Hi")), Standing::alone());
/// ```
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
    /// A result. In a call group when it has been settled.
    Answers,
    /// A result that follows no turn that calls tools.
    Stray,
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

    /// What a result becomes when the turn it answers is folded away; `false`, and nothing changes,
    /// for any other message.
    pub(crate) fn stray(&mut self) -> bool {
        let answers = matches!(self.bond, Bond::Answers | Bond::Stray);
        if answers {
            self.bond = Bond::Stray;
        }
        answers
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
/// called after each message that is added, so that of a group at most the last differs.
pub fn settle_last_group<T>(messages: &mut [T], standing: impl Fn(&mut T) -> &mut Standing) {
    let Some((last, earlier)) = messages.split_last_mut() else {
        return;
    };
    let last = standing(last);
    if last.bond != Bond::Answers {
        return;
    }
    let before = earlier.last_mut().map(|message| *standing(message));
    match before {
        Some(before) if matches!(before.bond, Bond::Calls | Bond::Answers) => {
            let spreads = last.sticky && !before.sticky;
            last.sticky |= before.sticky;
            if spreads {
                make_group_sticky(earlier, standing);
            }
        }
        _ => last.bond = Bond::Stray,
    }
}

fn make_group_sticky<T>(messages: &mut [T], standing: impl Fn(&mut T) -> &mut Standing) {
    for message in messages.iter_mut().rev() {
        let standing = standing(message);
        standing.sticky = true;
        if standing.bond == Bond::Calls {
            return;
        }
    }
}

/// Whether each message of a conversation survives a compaction that reaches it.
///
/// ```
/// use sess::Message;
/// use sess::session::survivors::survivors;
/// let messages = [Message::system("Be brief.").with_sticky(), Message::user("Hello")];
/// assert_eq!(survivors(&messages), [true, false]);
/// ```
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

    #[test]
    fn a_result_that_answers_nothing_is_in_no_group() {
        let conversation = [
            Message::tool("a", "1"),
            Message::tool("b", "2").with_sticky(),
            Message::tool("c", "3"),
            Message::user("u"),
            Message::tool("d", "4").with_sticky(),
            Message::tool("e", "5"),
        ];
        assert_eq!(
            survivors(&conversation),
            [false, true, false, false, true, false]
        );
    }

    #[test]
    fn a_group_of_many_results_is_settled_in_one_pass() {
        let mut conversation = vec![Message::tool("a", "1"); 300_000];
        conversation.insert(0, turn());
        conversation.push(Message::tool("a", "2").with_sticky());
        assert!(survivors(&conversation).iter().all(|sticky| *sticky));
    }
}
