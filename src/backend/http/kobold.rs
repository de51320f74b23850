//! KoboldCpp: a local server that has to be told to stop.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::json;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::dialect::Dialect;
use super::endpoint::{below, split_query};
use super::transport::Transport;
use super::{Body, Endpoint, OpenAiBackend, Settings};
use crate::Json;
use crate::backend::{Backend, BackendError, Request, Response, ResponseHandle, ResponseStream};

/// A backend for [KoboldCpp](https://github.com/LostRuins/koboldcpp).
///
/// It is sent its native sampling fields besides OpenAI's, may take as long as it likes before it
/// begins to answer, and is told to stop when a response is cancelled.
///
/// ```no_run
/// use sess::backend::http::{Endpoint, KoboldBackend, Settings};
/// # fn example() -> Result<(), sess::backend::BackendError> {
/// let settings = Settings { max_context: 8_192, ..Settings::default() };
/// let backend = KoboldBackend::new(Endpoint::new("http://127.0.0.1:5001"), settings)?;
/// # let _ = backend;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct KoboldBackend {
    chat: OpenAiBackend,
    /// The runtime of the requests. A cancel may come from a thread that has none.
    runtime: OnceLock<Handle>,
    aborting: Mutex<Option<JoinHandle<()>>>,
}

/// How long an abort may take before it is given up.
const ABORT_TIMEOUT: Duration = Duration::from_secs(10);

struct Native {
    settings: Settings,
}

impl KoboldBackend {
    /// A backend for the server at `endpoint`, with or without `/v1`.
    ///
    /// # Errors
    /// As for [`OpenAiBackend::new`].
    pub fn new(endpoint: Endpoint, settings: Settings) -> Result<Self, BackendError> {
        let transport = Transport::new(endpoint, Duration::MAX)?;
        let native = Native {
            settings: settings.clone(),
        };
        Ok(Self {
            chat: OpenAiBackend::assemble(Arc::new(transport), settings, Box::new(native)),
            runtime: OnceLock::new(),
            aborting: Mutex::new(None),
        })
    }

    /// Asks for the continuation of a text, as [`OpenAiBackend::stream_text`] does.
    pub fn stream_text(&self, prompt: &str) -> ResponseStream {
        self.note_runtime();
        self.chat.stream_text(prompt)
    }

    /// Asks for the continuation of a text, as a whole.
    pub async fn complete_text(&self, prompt: &str) -> Response {
        self.chat.complete_text(prompt).await
    }

    /// The task that tells the server to stop, of the latest response that was cancelled. It never
    /// fails, and nobody has to wait for it.
    pub fn take_abort(&self) -> Option<JoinHandle<()>> {
        let mut aborting = self.aborting.lock().unwrap_or_else(PoisonError::into_inner);
        aborting.take()
    }

    fn note_runtime(&self) {
        if let Ok(runtime) = Handle::try_current() {
            self.runtime.get_or_init(|| runtime);
        }
    }

    fn abort(&self) {
        self.note_runtime();
        let Some(runtime) = self.runtime.get() else {
            return;
        };
        let transport = self.chat.transport();
        let url = below(&server_root(&transport.endpoint().url), "/api/extra/abort");
        let task = runtime.spawn(async move {
            let nothing = Json::empty_object();
            let told = transport.notify(&url, &nothing);
            // A server that cannot be told goes on; there is nothing more to be done about it.
            let _ = tokio::time::timeout(ABORT_TIMEOUT, told).await;
        });
        let mut aborting = self.aborting.lock().unwrap_or_else(PoisonError::into_inner);
        *aborting = Some(task);
    }
}

impl Backend for KoboldBackend {
    fn model(&self) -> Option<String> {
        self.chat.model()
    }

    fn max_tokens(&self) -> Option<u64> {
        self.chat.max_tokens()
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<ResponseStream, BackendError>> {
        self.note_runtime();
        self.chat.stream(request)
    }

    fn complete(&self, request: Request) -> BoxFuture<'_, Response> {
        self.note_runtime();
        self.chat.complete(request)
    }

    fn cancel(&self, response: &ResponseHandle) {
        // The server knows no ids: it stops whatever it does. So it is told only when this cancel
        // is what ended the response.
        if response.cancel() {
            self.abort();
        }
    }
}

impl Dialect for Native {
    fn finalise(&self, mut body: Body) -> Body {
        let settings = &self.settings;
        let mut put = |name: &str, value: serde_json::Value| {
            body.insert(name.to_owned(), Json::from(value));
        };
        if settings.max_tokens > 0 {
            put("max_length", json!(settings.max_tokens));
        }
        put("max_context_length", json!(settings.max_context));
        put("rep_pen", json!(settings.repetition_penalty));
        put("rep_pen_range", json!(settings.repetition_range));
        put("min_p", json!(settings.min_p));
        put("typical_p", json!(settings.typical_p));
        put("xtc_probability", json!(settings.xtc_probability));
        put("xtc_threshold", json!(settings.xtc_threshold));
        put("dry_multiplier", json!(settings.dry_multiplier));
        put("dry_base", json!(settings.dry_base));
        put("dry_allowed_length", json!(settings.dry_allowed_length));
        put(
            "dry_sequence_breakers",
            json!(settings.dry_sequence_breakers),
        );
        if let Some(schema) = &settings.json_schema {
            body.insert("json_schema".to_owned(), schema.clone());
        }
        body
    }
}

/// The server's address without its API's.
fn server_root(url: &str) -> String {
    let (base, query) = split_query(url);
    let base = base.trim_end_matches('/');
    let root = base.strip_suffix("/v1").unwrap_or(base);
    format!("{}{query}", root.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_of_a_server_has_no_version_and_no_slash() {
        for url in [
            "http://h",
            "http://h/",
            "http://h/v1",
            "http://h/v1/",
            "http://h//v1//",
        ] {
            assert_eq!(server_root(url), "http://h", "{url}");
        }
        assert_eq!(server_root("http://h/k/v1"), "http://h/k");
        assert_eq!(server_root("http://h/v1/?a=/v1"), "http://h?a=/v1");
    }
}
