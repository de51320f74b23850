//! A backend for every server that speaks OpenAI's language.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::body::{self, Delivery};
use super::chunk::Kind;
use super::dialect::{Dialect, Plain};
use super::exchange::Exchange;
use super::transport::Transport;
use super::{Body, Endpoint, Settings};
use crate::backend::{
    Backend, BackendError, Request, Response, ResponseHandle, ResponseStream, ResponseWriter,
};

/// A backend for a server that speaks OpenAI's language: OpenAI itself, llama.cpp, vLLM, Ollama,
/// LiteLLM and many more. Clones share their connections.
///
/// An answer is asked for by `POST {url}/chat/completions`. Giving it up closes its connection,
/// which makes most servers stop.
///
/// ```no_run
/// use sess::Message;
/// use sess::backend::http::{Endpoint, OpenAiBackend, Settings};
/// use sess::backend::{Backend, Request};
/// # async fn example() -> Result<(), sess::backend::BackendError> {
/// let endpoint = Endpoint::new("http://127.0.0.1:8080/v1");
/// let backend = OpenAiBackend::new(endpoint, Settings::new("smollm2", 4_096))?;
/// let mut answer = backend.stream(Request::new([Message::user("Hello!")])).await?;
/// while let Some(fragment) = answer.fragments.recv().await {
///     print!("{fragment}");
/// }
/// let response = answer.handle.settled().await;
/// assert!(response.is_success(), "{:?}", response.error());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct OpenAiBackend {
    shared: Arc<Shared>,
}

struct Shared {
    transport: Arc<Transport>,
    settings: Settings,
    dialect: Box<dyn Dialect>,
}

const HEADERS_TIMEOUT: Duration = Duration::from_secs(60);

impl OpenAiBackend {
    /// A backend for the server at `endpoint`.
    ///
    /// # Errors
    /// When the endpoint's address or headers are malformed, or when there is no TLS to be had.
    pub fn new(endpoint: Endpoint, settings: Settings) -> Result<Self, BackendError> {
        Self::with_dialect(endpoint, settings, Plain)
    }

    /// A backend for a server with specialities.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn with_dialect(
        endpoint: Endpoint,
        settings: Settings,
        dialect: impl Dialect,
    ) -> Result<Self, BackendError> {
        let transport = Transport::new(endpoint, HEADERS_TIMEOUT)?;
        Ok(Self::assemble(
            Arc::new(transport),
            settings,
            Box::new(dialect),
        ))
    }

    pub(super) fn assemble(
        transport: Arc<Transport>,
        settings: Settings,
        dialect: Box<dyn Dialect>,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                transport,
                settings,
                dialect,
            }),
        }
    }

    /// Asks for the continuation of a text, as it is made (`POST {url}/completions`). Must be
    /// called inside a tokio runtime.
    pub fn stream_text(&self, prompt: &str) -> ResponseStream {
        let body = body::text(&self.shared.settings, prompt, Delivery::Streaming);
        self.begin(Kind::Text, body)
    }

    /// Asks for the continuation of a text, as a whole.
    pub async fn complete_text(&self, prompt: &str) -> Response {
        let body = body::text(&self.shared.settings, prompt, Delivery::Whole);
        self.whole(Kind::Text, body).await
    }

    /// What is asked of the model besides the conversation.
    pub fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    pub(super) fn transport(&self) -> Arc<Transport> {
        Arc::clone(&self.shared.transport)
    }

    /// Makes the answer in a task of its own, which a cancel ends.
    fn begin(&self, kind: Kind, body: Body) -> ResponseStream {
        let (writer, stream) = ResponseHandle::open(next_id());
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            tokio::select! {
                biased;
                () = writer.cancelled() => (),
                () = shared.exchange(kind, Delivery::Streaming, body).run(&writer) => (),
            }
        });
        stream
    }

    async fn whole(&self, kind: Kind, body: Body) -> Response {
        let (writer, stream): (ResponseWriter, _) = ResponseHandle::open(next_id());
        let exchange = self.shared.exchange(kind, Delivery::Whole, body);
        exchange.run(&writer).await;
        stream.handle.snapshot()
    }
}

impl Backend for OpenAiBackend {
    fn model(&self) -> Option<String> {
        self.shared.settings.model.clone()
    }

    fn max_tokens(&self) -> Option<u64> {
        Some(self.shared.settings.max_tokens)
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<ResponseStream, BackendError>> {
        async move {
            let body = body::chat(&self.shared.settings, &request, Delivery::Streaming);
            Ok(self.begin(Kind::Chat, body))
        }
        .boxed()
    }

    fn complete(&self, request: Request) -> BoxFuture<'_, Response> {
        async move {
            let body = body::chat(&self.shared.settings, &request, Delivery::Whole);
            self.whole(Kind::Chat, body).await
        }
        .boxed()
    }
}

impl Shared {
    fn exchange(&self, kind: Kind, delivery: Delivery, body: Body) -> Exchange<'_> {
        Exchange {
            transport: &self.transport,
            dialect: &*self.dialect,
            kind,
            delivery,
            body,
        }
    }
}

/// Unique within the process.
fn next_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("http-{}", COUNT.fetch_add(1, Ordering::Relaxed) + 1)
}

impl std::fmt::Debug for OpenAiBackend {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("OpenAiBackend")
            .field("endpoint", self.shared.transport.endpoint())
            .field("settings", &self.shared.settings)
            .finish_non_exhaustive()
    }
}
