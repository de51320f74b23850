//! One call that a message makes.

use std::borrow::Cow;

use super::text::Text;
use crate::session::envelope::{present, string};
use crate::session::payload::MessageView;

/// A tool call as the model made it, its arguments not decoded. What is missing or of another kind
/// reads as empty.
///
/// ```
/// use sess::look::entry::calls_of;
/// use sess::session::Verdict;
/// use sess::session::payload::Payload;
/// let line = br#"{"id":"a","payload":{"role":"assistant","tool-calls":[{"function":{"arguments":"{\"path\":\"a\"}","name":"read"},"id":"c1","type":"function"}]},"ts":"","type":"message","v":1}"#;
/// let Verdict::Object(envelope) = Verdict::of(line) else { unreachable!() };
/// let Payload::Message(view) = Payload::of(&envelope)? else { unreachable!() };
/// let call = calls_of(&view).next().unwrap();
/// assert_eq!((call.id.as_ref(), call.name.as_ref()), ("c1", "read"));
/// assert_eq!(call.arguments.whole(), r#"{"path":"a"}"#);
/// # Ok::<(), sess::session::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct CallView<'a> {
    /// The model's id for the call.
    pub id: Cow<'a, str>,
    /// The tool.
    pub name: Cow<'a, str>,
    /// What it was called with: as a rule a JSON string that holds JSON.
    pub arguments: Text<'a>,
}

impl<'a> CallView<'a> {
    fn of(call: &'a str) -> Self {
        let function = present(call, "function").unwrap_or("{}");
        let text = |object, key| present(object, key).and_then(string).unwrap_or_default();
        Self {
            id: text(call, "id"),
            name: text(function, "name"),
            arguments: Text::of_json(present(function, "arguments").unwrap_or("\"\"")),
        }
    }
}

/// The calls that a message makes.
pub fn calls_of<'a>(view: &MessageView<'a>) -> impl Iterator<Item = CallView<'a>> + use<'a> {
    view.tool_calls().map(CallView::of)
}
