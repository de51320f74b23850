//! One message of a conversation, as a provider and a transcript know it.

use std::fmt;
use std::str::FromStr;

use crate::canonical::{self, Json, Sha256Hex};

/// Who speaks. A closed set: providers refuse others, and so does the transcript.
///
/// ```
/// use sess::Role;
/// assert_eq!(Role::Assistant.as_str(), "assistant");
/// assert!("model".parse::<Role>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Standing instructions.
    System,
    /// The person, or whatever speaks in their place.
    User,
    /// The model.
    Assistant,
    /// The answer to one tool call.
    Tool,
}

impl Role {
    /// The word on the wire and in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        match text {
            "system" => Ok(Role::System),
            "user" => Ok(Role::User),
            "assistant" => Ok(Role::Assistant),
            "tool" => Ok(Role::Tool),
            other => Err(UnknownRole(other.to_owned())),
        }
    }
}

/// A role outside the set of four.
///
/// ```
/// use sess::Role;
/// assert_eq!(
///     "model".parse::<Role>().unwrap_err().to_string(),
///     r#""model" is not a role; it is one of system, user, assistant, tool"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a role; it is one of system, user, assistant, tool")]
pub struct UnknownRole(pub String);

/// One message.
///
/// ```
/// use sess::Message;
/// let question = Message::user("What is in Cargo.toml?");
/// assert!(!question.is_sticky());
/// let rule = Message::system("Be brief.").with_sticky();
/// assert!(rule.is_sticky());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text; empty for a turn that only calls tools.
    pub content: String,
    /// The calls of an assistant turn in wire shape
    /// (`{"id":…,"type":"function","function":{"name":…,"arguments":"…"}}`), untouched.
    pub tool_calls: Vec<Json>,
    /// Which call a tool message answers. An empty string counts as set.
    pub tool_call_id: Option<String>,
    /// Survives every compaction.
    pub sticky: bool,
    /// Is the system prompt (and therefore sticky).
    pub sysprompt: bool,
    /// Is inserted this many messages from the end of a request (and therefore sticky).
    pub depth: Option<i64>,
}

impl Message {
    /// A message with this role and text, and nothing else.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            tool_calls: Vec::new(),
            tool_call_id: None,
            sticky: false,
            sysprompt: false,
            depth: None,
        }
    }

    /// A message from the user.
    pub fn user(content: impl Into<String>) -> Self {
        Self::new(Role::User, content)
    }

    /// A standing instruction.
    pub fn system(content: impl Into<String>) -> Self {
        Self::new(Role::System, content)
    }

    /// A turn of the model.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::new(Role::Assistant, content)
    }

    /// The answer to the call `call_id`.
    pub fn tool(call_id: impl Into<String>, content: impl Into<String>) -> Self {
        Self {
            tool_call_id: Some(call_id.into()),
            ..Self::new(Role::Tool, content)
        }
    }

    /// The same message with one more tool call.
    pub fn with_call(mut self, call: ToolCall) -> Self {
        self.tool_calls.push(call.to_json());
        self
    }

    /// The same message, kept by every compaction.
    pub fn with_sticky(mut self) -> Self {
        self.sticky = true;
        self
    }

    /// The same message, marked as the system prompt.
    pub fn with_sysprompt(mut self) -> Self {
        self.sysprompt = true;
        self
    }

    /// The same message, inserted `depth` messages from the end of a request.
    pub fn with_depth(mut self, depth: i64) -> Self {
        self.depth = Some(depth);
        self
    }

    /// Whether a compaction must keep this message.
    pub fn is_sticky(&self) -> bool {
        self.sticky || self.sysprompt || self.depth.is_some()
    }

    /// The tool calls of this turn, read from their wire shape. What a call lacks reads as empty.
    pub fn calls(&self) -> impl Iterator<Item = ToolCall> + '_ {
        self.tool_calls.iter().map(ToolCall::from_json)
    }

    /// SHA-256 of the canonical form of everything that makes this message what it is: role,
    /// content, flags, depth, call id and calls. Extras beside a message are not part of it.
    pub fn digest(&self) -> Sha256Hex {
        let mut text = String::with_capacity(self.content.len() + 96);
        text.push_str("{\"content\":");
        canonical::write_string(&mut text, &self.content);
        if let Some(depth) = self.depth {
            text.push_str(",\"depth\":");
            text.push_str(&depth.to_string());
        }
        text.push_str(",\"role\":\"");
        text.push_str(self.role.as_str());
        text.push_str("\",\"sticky\":");
        text.push_str(if self.sticky { "true" } else { "false" });
        text.push_str(",\"sysprompt\":");
        text.push_str(if self.sysprompt { "true" } else { "false" });
        if let Some(id) = &self.tool_call_id {
            text.push_str(",\"tool-call-id\":");
            canonical::write_string(&mut text, id);
        }
        if !self.tool_calls.is_empty() {
            text.push_str(",\"tool-calls\":[");
            for (index, call) in self.tool_calls.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&call.canonical());
            }
            text.push(']');
        }
        text.push('}');
        Sha256Hex::of(text.as_bytes())
    }
}

/// SHA-256 of the messages' digests joined by a line feed; of no bytes for no messages.
pub fn conversation_digest(messages: &[Message]) -> Sha256Hex {
    let digests: Vec<String> = messages
        .iter()
        .map(|message| message.digest().to_string())
        .collect();
    Sha256Hex::of(digests.join("\n").as_bytes())
}

/// A tool call as the model made it.
///
/// ```
/// use sess::message::ToolCall;
/// let call = ToolCall { id: "c1".into(), name: "read".into(), arguments: "{}".into() };
/// assert_eq!(
///     call.to_json().compact(),
///     r#"{"function":{"arguments":"{}","name":"read"},"id":"c1","type":"function"}"#,
/// );
/// assert_eq!(ToolCall::from_json(&call.to_json()), call);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// The model's id for the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as the model wrote them: usually a JSON object, but nothing promises it.
    pub arguments: String,
}

impl ToolCall {
    /// Reads the wire shape. A field that is missing or of another type reads as empty, except
    /// that arguments given as a document are read as its text.
    pub fn from_json(call: &Json) -> Self {
        let function = call.get("function");
        let field = |name: &str| function.as_ref().and_then(|function| function.get(name));
        let arguments = field("arguments").map(|json| match json.as_str() {
            Some(text) => text.into_owned(),
            None if json.is_null() => String::new(),
            None => json.text().to_owned(),
        });
        Self {
            id: call.get_str("id").unwrap_or_default(),
            name: function
                .as_ref()
                .and_then(|function| function.get_str("name"))
                .unwrap_or_default(),
            arguments: arguments.unwrap_or_default(),
        }
    }

    /// The wire shape, keys sorted.
    pub fn to_json(&self) -> Json {
        let mut text = String::from("{\"function\":{\"arguments\":");
        canonical::write_string(&mut text, &self.arguments);
        text.push_str(",\"name\":");
        canonical::write_string(&mut text, &self.name);
        text.push_str("},\"id\":");
        canonical::write_string(&mut text, &self.id);
        text.push_str(",\"type\":\"function\"}");
        Json::from_sorted(text)
    }
}
