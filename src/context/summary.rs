//! [`Summariser`]: whoever condenses a transcript, and what they are given.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::Spent;
use super::counter::length;
use super::excerpt::boundary_within;
use super::wording::{INSTRUCTION, TIGHTEN};
use crate::{Message, Role};

/// Condenses the middle of a conversation.
///
/// ```
/// use futures_util::future::BoxFuture;
/// use sess::context::{Spent, Summariser, Summary, SummaryRequest};
///
/// /// Says how much there was.
/// struct Counting;
///
/// impl Summariser for Counting {
///     fn summarise(&self, request: SummaryRequest) -> BoxFuture<'_, Summary> {
///         let text = format!("{} characters", request.messages[1].content.len());
///         Box::pin(async { Summary { answer: Ok(text), spent: Spent::default() } })
///     }
/// }
/// ```
pub trait Summariser: Send + Sync {
    /// Answers one request. Dropping the future gives it up.
    fn summarise(&self, request: SummaryRequest) -> BoxFuture<'_, Summary>;
}

/// What a summariser is asked.
///
/// ```
/// use std::num::NonZeroU32;
/// use std::sync::Arc;
/// use sess::context::SummaryRequest;
/// use sess::{Message, Role};
/// let [instruction, transcript] =
///     [Message::system("Condense this."), Message::user("<transcript>…</transcript>")];
/// let request = SummaryRequest {
///     messages: [Arc::new(instruction), Arc::new(transcript)],
///     attempt: NonZeroU32::MIN,
/// };
/// assert_eq!(request.messages[0].role, Role::System);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryRequest {
    /// An instruction and the transcript to condense.
    pub messages: [Arc<Message>; 2],
    /// How often this has been asked within the pass, this time included.
    pub attempt: NonZeroU32,
}

/// What a summariser answers.
///
/// ```
/// use sess::context::{Spent, Summary};
/// let summary = Summary { answer: Ok("They talked.".into()), spent: Spent::default() };
/// assert_eq!(summary.answer.as_deref(), Ok("They talked."));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The summary. One of nothing but white space is taken as a failure.
    pub answer: Result<String, SummaryFailure>,
    /// What it cost.
    pub spent: Spent,
}

/// Why there is no summary.
///
/// ```
/// use std::time::Duration;
/// use sess::context::{Spent, Summary, SummaryFailure};
/// let busy = SummaryFailure { message: "busy".into(), again_after: Some(Duration::from_secs(2)) };
/// let answer = Summary { answer: Err(busy), spent: Spent::default() };
/// assert_eq!(answer.answer.unwrap_err().to_string(), "busy");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SummaryFailure {
    /// In words.
    pub message: String,
    /// How long to wait before asking again; `None` when that would not help.
    pub again_after: Option<Duration>,
}

/// The request for a summary of these messages. `cap` is how many characters of a tool result, and
/// of a call's arguments, are shown.
pub(super) fn request<'a>(
    messages: impl Iterator<Item = &'a Message>,
    cap: usize,
    attempt: NonZeroU32,
) -> SummaryRequest {
    let transcript = transcript(messages, cap);
    let messages = [Message::system(INSTRUCTION), Message::user(transcript)].map(Arc::new);
    SummaryRequest { messages, attempt }
}

impl SummaryRequest {
    /// The same request after an answer that saved nothing.
    pub(super) fn tightened(&self) -> Self {
        let [_, transcript] = &self.messages;
        let instruction = Message::system(format!("{INSTRUCTION}\n\n{TIGHTEN}"));
        Self {
            messages: [Arc::new(instruction), Arc::clone(transcript)],
            attempt: NonZeroU32::MIN,
        }
    }
}

fn transcript<'a>(messages: impl Iterator<Item = &'a Message>, cap: usize) -> String {
    let rendered: Vec<String> = messages.map(|message| render(message, cap)).collect();
    format!("<transcript>\n{}\n</transcript>", rendered.join("\n\n"))
}

fn render(message: &Message, cap: usize) -> String {
    let mut lines = vec![format!("[{}]", message.role)];
    match message.role {
        _ if message.content.is_empty() => {}
        Role::Tool => lines.push(capped(&message.content, cap, "tool output")),
        _ => lines.push(message.content.clone()),
    }
    let well_formed = message.tool_calls.iter().zip(message.calls());
    for (_, call) in well_formed.filter(|(json, _)| json.get("function").is_some()) {
        let name = match call.name.as_str() {
            "" => "unknown",
            name => name,
        };
        let arguments = capped(&call.arguments, cap, "tool-call arguments");
        lines.push(format!("-> calls {name}({arguments})"));
    }
    lines.join("\n")
}

/// As much of a text as is shown, and how much is not. No grapheme cluster is cut in two.
fn capped(text: &str, cap: usize, what: &str) -> String {
    if length(text) <= cap as u64 {
        return text.to_owned();
    }
    let (shown, hidden) = text.split_at(boundary_within(text, cap));
    let removed = length(hidden);
    format!("{shown}\n... [{removed} more characters of {what}, truncated for summarization]")
}
