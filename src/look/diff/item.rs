//! What is compared: one message, or another entry that stands between messages.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::canonical::canonical_arguments;
use crate::id::EnvelopeId;
use crate::message::{Message, Role};

/// One entry of a transcript, as far as a comparison is concerned.
///
/// ```
/// use sess::Message;
/// use sess::look::diff::Item;
/// let item = |id: &str, line| Item::of_message(&Message::user("Hi"), id.into(), line);
/// // Where it stands is not compared, unless the comparison is strict.
/// assert!(item("a", 2).agrees_with(&item("b", 7)));
/// assert!(!item("a", 2).with_strict("a").agrees_with(&item("b", 7).with_strict("b")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: Kind,
    /// Its text: of a message, of a compaction's summary.
    pub content: String,
    /// The tool calls of an assistant message.
    pub calls: Vec<Call>,
    /// The tool that a tool message answers for, where the call is known.
    pub answers: Option<String>,
    /// What must agree too. `None` on both sides in a comparison that is not strict.
    pub strict: Option<String>,
    /// The id of its line; not compared.
    pub id: EnvelopeId,
    /// The number of its line, from 1; not compared.
    pub line: u64,
}

/// What an item is.
///
/// ```
/// use sess::look::diff::{Item, Kind};
/// use sess::{Message, Role};
/// let said = Item::of_message(&Message::user("Hi"), "m".into(), 2);
/// assert_eq!(said.kind, Kind::Message(Role::User));
/// let summary = Item::new(Kind::Compaction, "They talked.", "s".into(), 5);
/// assert!(!summary.agrees_with(&said));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A message by this role.
    Message(Role),
    /// Messages were folded into a summary.
    Compaction,
    /// Results were replaced by stubs.
    Elision,
    /// An entry of this type.
    Other(String),
}

/// A tool call, as far as a comparison is concerned.
///
/// ```
/// use sess::Message;
/// use sess::look::diff::{Call, Item};
/// use sess::message::ToolCall;
/// let arguments = r#"{ "path": "a", "limit": 40 }"#.into();
/// let call = ToolCall { id: "c1".into(), name: "read".into(), arguments };
/// let item = Item::of_message(&Message::assistant("").with_call(call), "m".into(), 2);
/// // The id, the spacing and the order of keys are not compared.
/// let arguments = r#"{"limit":40,"path":"a"}"#.into();
/// assert_eq!(item.calls, [Call { name: "read".into(), arguments }]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// The tool's name.
    pub name: String,
    /// The arguments in [canonical form](canonical_arguments).
    pub arguments: String,
}

impl Item {
    /// An entry that is no message.
    pub fn new(kind: Kind, content: impl Into<String>, id: EnvelopeId, line: u64) -> Self {
        Self {
            kind,
            content: content.into(),
            calls: Vec::new(),
            answers: None,
            strict: None,
            id,
            line,
        }
    }

    /// A message by itself. A tool message does not name its tool: the messages before it do, see
    /// [`of_messages`](Self::of_messages).
    pub fn of_message(message: &Message, id: EnvelopeId, line: u64) -> Self {
        let calls = message.calls().map(|call| Call {
            arguments: canonical_arguments(&call.arguments),
            name: call.name,
        });
        Self {
            calls: calls.collect(),
            ..Self::new(
                Kind::Message(message.role),
                message.content.clone(),
                id,
                line,
            )
        }
    }

    /// The messages of a conversation, each with the id and the number of its line. A tool message
    /// answers the last call before it that has its call id, because models use ids again.
    pub fn of_messages<'a>(
        messages: impl IntoIterator<Item = (&'a Message, EnvelopeId, u64)>,
    ) -> Vec<Self> {
        let mut tools = Tools::default();
        let item = |(message, id, line)| tools.item(Cow::Borrowed(message), id, line);
        messages.into_iter().map(item).collect()
    }

    /// The same item, with something else that must agree.
    pub fn with_strict(mut self, strict: impl Into<String>) -> Self {
        self.strict = Some(strict.into());
        self
    }

    /// Whether a comparison takes the two for the same.
    pub fn agrees_with(&self, other: &Self) -> bool {
        self.key() == other.key()
    }

    pub(super) fn key(&self) -> Key<'_> {
        Key {
            shape: self.shape(),
            content: &self.content,
            calls: &self.calls,
            strict: self.strict.as_deref(),
        }
    }

    pub(super) fn shape(&self) -> Shape<'_> {
        Shape {
            kind: &self.kind,
            answers: self.answers.as_deref(),
            tools: self.calls.iter().map(|call| call.name.as_str()).collect(),
        }
    }
}

/// The tool that each call id stood for last, as messages are read in order.
#[derive(Debug, Default)]
pub(super) struct Tools(HashMap<String, String>);

impl Tools {
    /// The item of the next message. The text of an owned one is moved, not copied.
    pub(super) fn item(&mut self, message: Cow<'_, Message>, id: EnvelopeId, line: u64) -> Item {
        for call in message.calls() {
            self.0.insert(call.id, call.name);
        }
        let answered = message.tool_call_id.as_ref();
        let answers = answered.and_then(|id| self.0.get(id).cloned());
        let item = match message {
            Cow::Borrowed(message) => Item::of_message(message, id, line),
            Cow::Owned(mut message) => {
                let content = std::mem::take(&mut message.content);
                Item {
                    content,
                    ..Item::of_message(&message, id, line)
                }
            }
        };
        Item { answers, ..item }
    }
}

/// All that is compared.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Key<'a> {
    shape: Shape<'a>,
    content: &'a str,
    calls: &'a [Call],
    strict: Option<&'a str>,
}

/// What kind of turn this is: everything but its texts.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Shape<'a> {
    kind: &'a Kind,
    answers: Option<&'a str>,
    tools: Vec<&'a str>,
}
