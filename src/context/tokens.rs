//! Exact counts: a conversation rendered as the model reads it, and cut into the model's tokens.

use std::sync::Arc;

use super::template::{ChatTemplate, TemplateError, wire};
use super::{RequestView, TokenCounter};
use crate::{Json, Message};

/// Cuts texts into tokens.
///
/// ```
/// use std::sync::Arc;
/// use sess::Message;
/// use sess::context::{Layout, TemplateCounter, TokenCounter, Tokenizer};
///
/// /// A token a word.
/// struct Words;
///
/// impl Tokenizer for Words {
///     fn count(&self, text: &str) -> u64 {
///         text.split_whitespace().count() as u64
///     }
/// }
/// let counter = TemplateCounter::new(Words, Layout::ChatMl);
/// // <|im_start|>user / hello / world / <|im_end|>
/// assert_eq!(counter.count_messages(&[Arc::new(Message::user("hello world"))]), 4);
/// ```
pub trait Tokenizer: Send + Sync {
    /// How many tokens a text has. Special tokens that the text spells out count as one each; none
    /// are added.
    fn count(&self, text: &str) -> u64;
}

/// OpenAI's encodings.
///
/// ```
/// use sess::context::{Tiktoken, Tokenizer};
/// assert_eq!(Tiktoken::cl100k().count("hello world"), 2);
/// assert!(Tiktoken::of_model("no-such-model").is_none());
/// ```
#[derive(Clone, Copy)]
pub struct Tiktoken(&'static tiktoken_rs::CoreBPE);

impl Tiktoken {
    /// The encoding of GPT-4o and later.
    pub fn o200k() -> Self {
        Self(tiktoken_rs::o200k_base_singleton())
    }

    /// The encoding of GPT-4 and GPT-3.5.
    pub fn cl100k() -> Self {
        Self(tiktoken_rs::cl100k_base_singleton())
    }

    /// The encoding of a model, where its name is known.
    pub fn of_model(model: &str) -> Option<Self> {
        tiktoken_rs::bpe_for_model(model).ok().map(Self)
    }
}

impl Tokenizer for Tiktoken {
    fn count(&self, text: &str) -> u64 {
        self.0.count_with_special_tokens(text) as u64
    }
}

/// Counts with a tokenizer what a chat template makes of a request: the whole of it, on every call.
///
/// ```
/// use std::sync::Arc;
/// use sess::Message;
/// use sess::context::{Layout, TemplateCounter, Tiktoken, TokenCounter};
///
/// let counter = TemplateCounter::new(Tiktoken::o200k(), Layout::ChatMl);
/// let tokens = counter.count_messages(&[Arc::new(Message::user("hello world"))]);
/// assert!(tokens > 2);
/// ```
#[derive(Clone, Debug)]
pub struct TemplateCounter<T, C> {
    tokenizer: T,
    template: C,
    continuation: bool,
}

impl<T: Tokenizer, C: ChatTemplate> TemplateCounter<T, C> {
    /// A counter of requests for a turn of their own.
    pub fn new(tokenizer: T, template: C) -> Self {
        Self {
            tokenizer,
            template,
            continuation: false,
        }
    }

    /// A counter of requests that have their last message continued.
    pub fn continuing(mut self) -> Self {
        self.continuation = true;
        self
    }

    /// Tokens of a complete request.
    ///
    /// # Errors
    /// When the template refuses it.
    pub fn try_count(&self, request: &RequestView<'_>) -> Result<u64, TemplateError> {
        let half = |text: Option<&str>| text.map(|text| wire(&Message::system(text)));
        let messages: Vec<Json> = half(request.head)
            .into_iter()
            .chain(request.messages.iter().map(|message| wire(message)))
            .chain(half(request.tail))
            .collect();
        let text = self
            .template
            .render(&messages, request.tools, self.continuation)?;
        Ok(self.tokenizer.count(&text))
    }

    /// What a request weighs when its template refuses it: its JSON, which is more than the
    /// template would make of it.
    fn json(&self, request: &RequestView<'_>) -> u64 {
        let messages = request.messages.iter().map(|message| wire(message));
        let parts = messages.chain(request.tools.iter().cloned());
        let halves = [request.head, request.tail].into_iter().flatten();
        let text = Json::array(parts.chain(halves.map(Json::string))).compact();
        self.tokenizer.count(&text)
    }
}

impl<T: Tokenizer, C: ChatTemplate> TokenCounter for TemplateCounter<T, C> {
    fn count_messages(&self, messages: &[Arc<Message>]) -> u64 {
        self.count_request(&RequestView {
            messages,
            ..RequestView::default()
        })
    }

    fn count_request(&self, request: &RequestView<'_>) -> u64 {
        let counted = self.try_count(request);
        counted.unwrap_or_else(|_| self.json(request))
    }
}
