//! OpenRouter: a gateway that reports prices, and caches what is marked.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::chunk::whole;
use super::dialect::Dialect;
use super::transport::Transport;
use super::{Body, Endpoint, OpenAiBackend, ReasoningEffort, Settings};
use crate::Json;
use crate::backend::{BackendError, ResponseWriter, Usage};

/// A backend for [OpenRouter](https://openrouter.ai).
///
/// It reports what an answer cost, under which id and by whom it was made. Once an answer is whole
/// it asks once more for the exact figures; should that fail, nothing changes.
///
/// ```
/// use sess::backend::http::{OpenRouter, Settings};
/// let settings = Settings::new("anthropic/claude-sonnet-4.5", 8_192);
/// let backend = OpenRouter::new("sk-or-…").backend(settings)?;
/// # Ok::<(), sess::backend::BackendError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpenRouter {
    /// Where it is and how it is spoken to.
    pub endpoint: Endpoint,
    /// The address of the application, shown in OpenRouter's rankings (`HTTP-Referer`).
    pub referer: Option<String>,
    /// The name of the application (`X-Title`).
    pub title: Option<String>,
    /// Whether the head of the conversation and its last two turns are marked for caching.
    pub cache_breakpoints: bool,
}

/// The base of its API.
const URL: &str = "https://openrouter.ai/api/v1";
const HEADERS_TIMEOUT: Duration = Duration::from_secs(60);
/// How long an answer may be held back for its exact figures.
const FIGURES_TIMEOUT: Duration = Duration::from_secs(10);
/// How many turns at the end of a conversation are marked. With its head that makes three of the
/// four marks a request may have.
const MARKED_TURNS: usize = 2;

struct Gateway {
    transport: Arc<Transport>,
    effort: Option<ReasoningEffort>,
    cache_breakpoints: bool,
}

impl OpenRouter {
    /// The public gateway, with this key.
    pub fn new(key: &str) -> Self {
        Self::at(Endpoint::new(URL).with_key(key))
    }

    /// A gateway elsewhere.
    pub fn at(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            referer: None,
            title: None,
            cache_breakpoints: true,
        }
    }

    /// The backend.
    ///
    /// # Errors
    /// As for [`OpenAiBackend::new`].
    pub fn backend(self, settings: Settings) -> Result<OpenAiBackend, BackendError> {
        let mut endpoint = self.endpoint;
        let named = [("HTTP-Referer", self.referer), ("X-Title", self.title)];
        for (name, value) in named {
            endpoint
                .headers
                .extend(value.map(|value| (name.to_owned(), value)));
        }
        let transport = Arc::new(Transport::new(endpoint, HEADERS_TIMEOUT)?);
        let gateway = Gateway {
            transport: Arc::clone(&transport),
            effort: settings.reasoning_effort,
            cache_breakpoints: self.cache_breakpoints,
        };
        Ok(OpenAiBackend::assemble(
            transport,
            settings,
            Box::new(gateway),
        ))
    }
}

impl Dialect for Gateway {
    fn finalise(&self, mut body: Body) -> Body {
        let reasons = self.effort.is_some();
        // The gateway reports usage unasked.
        body.remove("stream_options");
        body.insert("include_reasoning".to_owned(), Json::from(reasons));
        if let Some(effort) = self.effort {
            let reasoning = Json::object([("effort", Json::string(effort.as_str()))]);
            body.insert("reasoning".to_owned(), reasoning);
        }
        let messages = body.get("messages").and_then(Json::items);
        if let Some(messages) = messages.filter(|_| self.cache_breakpoints) {
            body.insert("messages".to_owned(), with_breakpoints(messages));
        }
        body
    }

    fn lift(&self, document: &Json) -> Usage {
        let usage = document.get("usage");
        let of_usage = |name: &str| usage.as_ref()?.get(name);
        Usage {
            cost: of_usage("cost").and_then(|cost| number(&cost)),
            is_byok: of_usage("is_byok").and_then(|byok| byok.as_bool()),
            generation_id: filled(document, "id"),
            provider_name: filled(document, "provider"),
            ..Usage::default()
        }
    }

    fn completed<'a>(&'a self, answer: &'a ResponseWriter) -> BoxFuture<'a, ()> {
        async move {
            let reported = answer.snapshot().usage;
            let Some(id) = &reported.generation_id else {
                return;
            };
            let url = self.transport.endpoint().address("/generation");
            let Ok(url) = reqwest::Url::parse_with_params(&url, [("id", id)]) else {
                return;
            };
            let asked = self.transport.get(url.as_str());
            if let Ok(Ok(document)) = tokio::time::timeout(FIGURES_TIMEOUT, asked).await {
                let figures = document.get("data").unwrap_or_else(Json::null);
                answer.merge_usage(&exact(&figures, &reported));
            }
        }
        .boxed()
    }
}

/// What the gateway's own figures add: price and provider in any case, tokens where the answer
/// itself reported none.
fn exact(figures: &Json, reported: &Usage) -> Usage {
    let count = |name: &str| figures.get(name).and_then(|number| whole(&number));
    let details = figures.get("prompt_tokens_details");
    let cached = count("native_tokens_cached")
        .or_else(|| count("tokens_cached"))
        .or_else(|| whole(&details?.get("cached_tokens")?));
    let unless = |known: Option<u64>, figure: Option<u64>| match known {
        Some(_) => None,
        None => figure,
    };
    Usage {
        cost: figures.get("total_cost").and_then(|cost| number(&cost)),
        provider_name: filled(figures, "provider_name"),
        prompt_tokens: unless(reported.prompt_tokens, count("tokens_prompt")),
        completion_tokens: unless(reported.completion_tokens, count("tokens_completion")),
        cached_prompt_tokens: unless(reported.cached_prompt_tokens, cached),
        ..Usage::default()
    }
}

/// Marks the first message and the last turns of plain text. Results of tools and turns that call
/// them are stepped over.
fn with_breakpoints(mut messages: Vec<Json>) -> Json {
    let turns = messages.iter().enumerate().rev();
    let mut marked: BTreeSet<usize> = turns
        .filter(|(_, message)| is_plain_turn(message))
        .map(|(place, _)| place)
        .take(MARKED_TURNS)
        .collect();
    if messages.first().is_some_and(has_text) {
        marked.insert(0);
    }
    for place in marked {
        if let Some(message) = messages.get_mut(place) {
            *message = marked_message(message);
        }
    }
    Json::array(messages)
}

fn is_plain_turn(message: &Json) -> bool {
    let role = message.get_str("role");
    let speaks = matches!(role.as_deref(), Some("user" | "assistant"));
    speaks && message.get("tool_calls").is_none() && has_text(message)
}

fn has_text(message: &Json) -> bool {
    filled(message, "content").is_some()
}

fn marked_message(message: &Json) -> Json {
    let part = Json::object([
        ("type", Json::string("text")),
        ("text", message.get("content").unwrap_or_else(Json::null)),
        (
            "cache_control",
            Json::object([("type", Json::string("ephemeral"))]),
        ),
    ]);
    let mut members: Body = message.entries().unwrap_or_default().into_iter().collect();
    members.insert("content".to_owned(), Json::array([part]));
    Json::object(members)
}

fn filled(document: &Json, name: &str) -> Option<String> {
    document.get_str(name).filter(|text| !text.is_empty())
}

fn number(json: &Json) -> Option<f64> {
    let number = json.is_number().then(|| json.text().parse().ok())?;
    number.filter(|number: &f64| number.is_finite())
}
