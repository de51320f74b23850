//! [`Dialect`]: where servers that speak the same language differ.

use futures_util::future::BoxFuture;

use super::Body;
use crate::Json;
use crate::backend::{ResponseWriter, Usage};

/// What is special about a server. Every method has a default that changes nothing.
///
/// ```
/// use sess::Json;
/// use sess::backend::http::{Body, Dialect, Endpoint, OpenAiBackend, Settings};
///
/// /// Newer models of OpenAI want the cap under another name, and no `top_k`.
/// struct Newer;
///
/// impl Dialect for Newer {
///     fn finalise(&self, mut body: Body) -> Body {
///         body.remove("top_k");
///         if let Some(cap) = body.remove("max_tokens") {
///             body.insert("max_completion_tokens".to_owned(), cap);
///         }
///         body
///     }
/// }
///
/// let endpoint = Endpoint::new("https://api.openai.com/v1").with_key("sk-…");
/// let backend = OpenAiBackend::with_dialect(endpoint, Settings::new("gpt-5", 8_192), Newer)?;
/// # Ok::<(), sess::backend::BackendError>(())
/// ```
pub trait Dialect: Send + Sync + 'static {
    /// The last word on the body of every request: chat and text, streaming and not.
    fn finalise(&self, body: Body) -> Body {
        body
    }

    /// What a document of an answer says about cost beyond the usual fields.
    fn lift(&self, document: &Json) -> Usage {
        let _ = document;
        Usage::default()
    }

    /// Runs once when an answer is whole, just before it settles as done; never for one that
    /// failed. What it finds out it writes to the answer.
    fn completed<'a>(&'a self, answer: &'a ResponseWriter) -> BoxFuture<'a, ()> {
        let _ = answer;
        Box::pin(std::future::ready(()))
    }
}

/// A server without specialities.
///
/// ```
/// use sess::Json;
/// use sess::backend::Usage;
/// use sess::backend::http::{Dialect, Plain};
/// assert_eq!(Plain.lift(&Json::empty_object()), Usage::default());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Dialect for Plain {}
