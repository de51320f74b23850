//! In what two items differ.

use std::fmt;

use super::item::{Call, Item, Kind};
use crate::canonical::{Json, write_string};

/// Nesting beyond this is not searched; the path ends there.
const DEEPEST: usize = 64;

/// One thing in which two items differ.
///
/// ```
/// use sess::Message;
/// use sess::look::diff::{Difference, Item};
/// use sess::message::ToolCall;
/// let reading = |path: &str| {
///     let arguments = format!(r#"{{"path":"{path}"}}"#);
///     let call = ToolCall { id: "c1".into(), name: "read".into(), arguments };
///     Item::of_message(&Message::assistant("").with_call(call), "m".into(), 2)
/// };
/// let differences = Difference::between(&reading("a"), &reading("b"));
/// let expected = Difference::Argument {
///     call: 0,
///     tool: "read".into(),
///     path: "arguments.path".into(),
///     left: Some(r#""a""#.into()),
///     right: Some(r#""b""#.into()),
/// };
/// assert_eq!(differences, [expected]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Another role, or another kind of entry. Nothing else is compared then.
    Kind {
        /// What stands left.
        left: Kind,
        /// What stands right.
        right: Kind,
    },
    /// The texts part here.
    Content(Position),
    /// Another tool is called, or there is a call on one side only.
    Tool {
        /// Which call of the turn, from 0.
        call: usize,
        /// The tool called left.
        left: Option<String>,
        /// The tool called right.
        right: Option<String>,
    },
    /// The same tool is called with other arguments.
    Argument {
        /// Which call of the turn, from 0.
        call: usize,
        /// The tool.
        tool: String,
        /// The first value that differs, such as `arguments.edits[2].path`; keys go in code point
        /// order. Just `arguments` where one side is no JSON.
        path: String,
        /// The value left, as canonical JSON; absent where the left side has none.
        left: Option<String>,
        /// The value right.
        right: Option<String>,
    },
    /// Tool messages answer for different tools.
    Answers {
        /// The tool left.
        left: Option<String>,
        /// The tool right.
        right: Option<String>,
    },
    /// All of the above agrees; what [`Item::strict`] adds does not.
    Strict {
        /// The first value that differs, such as `ts` or `payload.usage.cost`, where both sides are
        /// JSON objects; else empty.
        path: String,
        /// The value left, as JSON text; absent where the left side has none.
        left: Option<String>,
        /// The value right.
        right: Option<String>,
    },
}

/// A place in a text.
///
/// ```
/// use sess::look::diff::Position;
/// let parted = Position::of_difference("one\ntwo", "one\nten");
/// assert_eq!(parted, Some(Position { byte: 5, line: 2 }));
/// assert_eq!(Position::of_difference("one", "one"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Bytes before it.
    pub byte: usize,
    /// The number of its line, from 1.
    pub line: usize,
}

impl Difference {
    /// All differences of two items: kind, text, tools and arguments call by call, tool answered
    /// for. Empty when the items agree.
    pub fn between(left: &Item, right: &Item) -> Vec<Self> {
        if left.kind != right.kind {
            return vec![Self::Kind {
                left: left.kind.clone(),
                right: right.kind.clone(),
            }];
        }
        let mut all = Vec::new();
        all.extend(Position::of_difference(&left.content, &right.content).map(Self::Content));
        for call in 0..left.calls.len().max(right.calls.len()) {
            all.extend(of_calls(call, left.calls.get(call), right.calls.get(call)));
        }
        if left.answers != right.answers {
            all.push(Self::Answers {
                left: left.answers.clone(),
                right: right.answers.clone(),
            });
        }
        if all.is_empty() && left.strict != right.strict {
            all.push(of_strict(left.strict.as_deref(), right.strict.as_deref()));
        }
        all
    }
}

/// The field, in one word or path: `role`, `content`, `tool`, `arguments.path`, `ts`.
impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind {
                left: Kind::Message(_),
                right: Kind::Message(_),
            } => out.write_str("role"),
            Self::Kind { .. } => out.write_str("type"),
            Self::Content(_) => out.write_str("content"),
            Self::Tool { .. } | Self::Answers { .. } => out.write_str("tool"),
            Self::Strict { path, .. } if path.is_empty() => out.write_str("strict"),
            Self::Argument { path, .. } | Self::Strict { path, .. } => out.write_str(path),
        }
    }
}

impl Position {
    /// Where two texts part, at the start of a character in both.
    pub fn of_difference(left: &str, right: &str) -> Option<Self> {
        let byte = common_prefix(left, right);
        let part = byte < left.len() || byte < right.len();
        part.then(|| Self {
            byte,
            line: 1 + memchr::memchr_iter(b'\n', &left.as_bytes()[..byte]).count(),
        })
    }
}

/// How many leading bytes are the same, in whole characters.
pub(super) fn common_prefix(left: &str, right: &str) -> usize {
    let pairs = left.bytes().zip(right.bytes());
    let same = pairs.take_while(|(left, right)| left == right).count();
    left.floor_char_boundary(same)
        .min(right.floor_char_boundary(same))
}

fn of_calls(call: usize, left: Option<&Call>, right: Option<&Call>) -> Option<Difference> {
    match (left, right) {
        (Some(left), Some(right)) if left == right => None,
        (Some(left), Some(right)) if left.name == right.name => {
            let (path, values) = first_value("arguments", &left.arguments, &right.arguments);
            Some(Difference::Argument {
                call,
                tool: left.name.clone(),
                path,
                left: values.0,
                right: values.1,
            })
        }
        _ => Some(Difference::Tool {
            call,
            left: left.map(|call| call.name.clone()),
            right: right.map(|call| call.name.clone()),
        }),
    }
}

fn of_strict(left: Option<&str>, right: Option<&str>) -> Difference {
    let (path, (left, right)) = match (left, right) {
        (Some(left), Some(right)) => first_value("", left, right),
        _ => Default::default(),
    };
    Difference::Strict {
        path: path.trim_start_matches('.').to_owned(),
        left,
        right,
    }
}

type Values<T> = (Option<T>, Option<T>);

/// The first value in which two texts of sorted JSON differ, with the path to it from `root`.
fn first_value(root: &str, left: &str, right: &str) -> (String, Values<String>) {
    let mut path = String::from(root);
    let mut values = match (Json::parse(left), Json::parse(right)) {
        (Ok(left), Ok(right)) => (Some(left), Some(right)),
        _ => return (path, (Some(left.to_owned()), Some(right.to_owned()))),
    };
    for _ in 0..DEEPEST {
        let Some((step, inner)) = first_member(&values).or_else(|| first_item(&values)) else {
            break;
        };
        path.push_str(&step);
        values = inner;
    }
    let text = |json: Json| json.text().to_owned();
    (path, (values.0.map(text), values.1.map(text)))
}

/// The first member that differs between two objects whose keys are sorted.
fn first_member(values: &Values<Json>) -> Option<(String, Values<Json>)> {
    let (Some(left), Some(right)) = values else {
        return None;
    };
    let mut left = left.entries()?.into_iter().peekable();
    let mut right = right.entries()?.into_iter().peekable();
    loop {
        let key = match (left.peek(), right.peek()) {
            (Some((left, _)), Some((right, _))) => left.min(right).clone(),
            (Some((key, _)), None) | (None, Some((key, _))) => key.clone(),
            (None, None) => return None,
        };
        let value = |(_, value)| value;
        let inner = (
            left.next_if(|(other, _)| *other == key).map(value),
            right.next_if(|(other, _)| *other == key).map(value),
        );
        if !same_text(&inner) {
            return Some((member_step(&key), inner));
        }
    }
}

/// The first item that differs between two arrays.
fn first_item(values: &Values<Json>) -> Option<(String, Values<Json>)> {
    let (Some(left), Some(right)) = values else {
        return None;
    };
    let (mut left, mut right) = (left.items()?.into_iter(), right.items()?.into_iter());
    for index in 0.. {
        let inner = (left.next(), right.next());
        match inner {
            (None, None) => break,
            _ if same_text(&inner) => {}
            _ => return Some((format!("[{index}]"), inner)),
        }
    }
    None
}

fn same_text((left, right): &Values<Json>) -> bool {
    left.as_ref().map(Json::text) == right.as_ref().map(Json::text)
}

/// `.key` for a plain key, `["any key"]` for others.
fn member_step(key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(plain) {
        return format!(".{key}");
    }
    let mut step = String::from("[");
    write_string(&mut step, key);
    step.push(']');
    step
}
