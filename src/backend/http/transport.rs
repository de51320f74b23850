//! Requests and the bodies of their answers, over HTTP.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method};

use super::Endpoint;
use super::classify::{self, Phase};
use super::frames::BodyBytes;
use super::secrets::Secrets;
use super::wire::{Note, WireLog};
use crate::Json;
use crate::backend::{BackendError, ErrorClass};

/// The way to one server.
pub(super) struct Transport {
    client: Client,
    endpoint: Endpoint,
    secrets: Secrets,
    headers: HeaderMap,
    headers_timeout: Duration,
    wire: Option<Arc<WireLog>>,
}

/// What a request accepts as an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accept {
    Events,
    Document,
}

/// The most characters of a failure's text that are kept.
const FAILURE_CHARS: usize = 2_000;
/// Enough of an error body to find its message.
const MAX_ERROR_BYTES: usize = 256 << 10;

impl Transport {
    /// A way to `endpoint` that waits for the head of an answer for `headers_timeout`, unless the
    /// endpoint says otherwise.
    ///
    /// # Errors
    /// When the address or a header is malformed, or no TLS is to be had.
    pub(super) fn new(endpoint: Endpoint, headers_timeout: Duration) -> Result<Self, BackendError> {
        let url = reqwest::Url::parse(&endpoint.url)
            .map_err(|error| BackendError::unknown(format!("The server's address: {error}")))?;
        let mut client = Client::builder()
            .connect_timeout(endpoint.timeouts.connect)
            .user_agent(concat!("sess/", env!("CARGO_PKG_VERSION")))
            // A redirected request would lose its method or carry the key elsewhere.
            .redirect(reqwest::redirect::Policy::none())
            // Giving up an answer then closes its connection, which stops most servers.
            .http1_only();
        install_crypto();
        if url.scheme() == "http" {
            // Without TLS the machine's certificates need not be read, nor be there.
            client = client.tls_certs_only([]);
        }
        let client = client
            .build()
            .map_err(|error| classify::of_transport(error, Phase::Headers))?;
        Ok(Self {
            client,
            headers: headers_of(&endpoint)?,
            secrets: Secrets::of(&endpoint),
            headers_timeout: endpoint.timeouts.headers.unwrap_or(headers_timeout),
            wire: WireLog::from_environment(&endpoint).map(Arc::new),
            endpoint,
        })
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub(super) fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Posts a document to a path below the base.
    ///
    /// # Errors
    /// When there is no answer in time, or one with an error status.
    pub(super) async fn post(
        &self,
        path: &str,
        body: &Json,
        accept: Accept,
    ) -> Result<BodyBytes<'static>, BackendError> {
        let url = self.endpoint.address(path);
        let sent = self.send(Method::POST, &url, Some(body), accept).await;
        sent.map_err(|error| self.presentable(error))
    }

    /// Gets the document at an address.
    ///
    /// # Errors
    /// When there is no answer in time, one with an error status, or one that is no document.
    pub(super) async fn get(&self, url: &str) -> Result<Json, BackendError> {
        let answer = self.send(Method::GET, url, None, Accept::Document).await?;
        let text = read_text(answer, self.endpoint.max_answer_bytes).await?;
        Json::parse(text).map_err(|error| BackendError::unknown(error.to_string()))
    }

    /// Posts a document to an address, and does not look at the answer.
    ///
    /// # Errors
    /// When there is no answer in time, or one with an error status.
    pub(super) async fn notify(&self, url: &str, body: &Json) -> Result<(), BackendError> {
        let sent = self.send(Method::POST, url, Some(body), Accept::Document);
        sent.await.map(drop)
    }

    /// The same failure, of a sane length and without any secret, should a server have repeated it.
    /// The secrets go first: half of one would no longer be recognised.
    pub(super) fn presentable(&self, error: BackendError) -> BackendError {
        let mut message = self.secrets.scrub(error.message);
        if let Some((end, _)) = message.char_indices().nth(FAILURE_CHARS) {
            message.truncate(end);
            message.push('…');
        }
        BackendError { message, ..error }
    }

    async fn send(
        &self,
        method: Method,
        url: &str,
        body: Option<&Json>,
        accept: Accept,
    ) -> Result<BodyBytes<'static>, BackendError> {
        let mut headers = self.headers.clone();
        headers.insert(ACCEPT, HeaderValue::from_static(accept.media_type()));
        let mut request = self.client.request(method, url);
        if let Some(body) = body {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            request = request.body(body.text().to_owned());
        }
        let note = self.wire.as_ref();
        let mut note = note.map(|log| WireLog::begin(log, url, &headers, body));
        let sent = within(self.headers_timeout, Phase::Headers, async {
            let sent = request.headers(headers).send().await;
            sent.map_err(|error| classify::of_transport(error, Phase::Headers))
        });
        let response = match sent.await {
            Ok(response) => response,
            Err(error) => {
                if let Some(note) = &mut note {
                    note.failure(&error.message);
                }
                return Err(error);
            }
        };
        let status = response.status();
        let head = response.headers().clone();
        if let Some(note) = &note {
            note.response(status.as_u16(), &head);
        }
        let body = body_of(response, note);
        if status.is_success() {
            return Ok(body);
        }
        let text = within(self.headers_timeout, Phase::Body, async {
            Ok(read_prefix(body, MAX_ERROR_BYTES).await)
        });
        let text = text.await.unwrap_or_default();
        Err(classify::of_status(status, &head, &text))
    }
}

/// The bytes of a body, which are noted as they pass.
fn body_of(response: reqwest::Response, mut note: Option<Note>) -> BodyBytes<'static> {
    let bytes = response.bytes_stream();
    bytes
        .map(move |chunk| {
            let chunk = chunk.map_err(|error| classify::of_transport(error, Phase::Body));
            match (&mut note, &chunk) {
                (None, _) => (),
                (Some(note), Ok(bytes)) => note.bytes(bytes),
                (Some(note), Err(error)) => note.failure(&error.message),
            }
            chunk
        })
        .boxed()
}

impl Accept {
    fn media_type(self) -> &'static str {
        match self {
            Accept::Events => "text/event-stream",
            Accept::Document => "application/json",
        }
    }
}

/// The whole body as text: UTF-8, else Latin-1, whatever the server declares.
///
/// # Errors
/// When it breaks off or is longer than `limit` bytes.
pub(super) async fn read_text(
    mut body: BodyBytes<'_>,
    limit: usize,
) -> Result<String, BackendError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = body.next().await {
        bytes.extend_from_slice(&chunk?);
        if bytes.len() > limit {
            return Err(too_long(limit));
        }
    }
    Ok(decoded(bytes))
}

/// An answer of more than `limit` bytes.
pub(super) fn too_long(limit: usize) -> BackendError {
    BackendError::response(format!("The answer is longer than {limit} bytes"))
}

/// The beginning of a body as text, as far as it arrives.
async fn read_prefix(mut body: BodyBytes<'_>, limit: usize) -> String {
    let mut bytes = Vec::new();
    while let Some(Ok(chunk)) = body.next().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() >= limit {
            bytes.truncate(limit);
            break;
        }
    }
    decoded(bytes)
}

fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let latin1 = error.into_bytes();
        latin1.into_iter().map(char::from).collect()
    })
}

/// The outcome of `work`, or the failure of a phase that took longer than `limit`.
///
/// # Errors
/// Those of `work`, and the time-out.
pub(super) async fn within<T>(
    limit: Duration,
    phase: Phase,
    work: impl Future<Output = Result<T, BackendError>>,
) -> Result<T, BackendError> {
    match tokio::time::timeout(limit, work).await {
        Ok(outcome) => outcome,
        Err(_) => Err(classify::of_timeout(phase, limit)),
    }
}

fn headers_of(endpoint: &Endpoint) -> Result<HeaderMap, BackendError> {
    let mut headers = HeaderMap::new();
    if let Some(key) = &endpoint.key {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", key.reveal()))
            .map_err(|_| malformed("key"))?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    for (name, value) in &endpoint.headers {
        let parsed = (
            HeaderName::from_bytes(name.as_bytes()),
            HeaderValue::from_str(value),
        );
        let (Ok(key), Ok(value)) = parsed else {
            return Err(malformed(name));
        };
        headers.insert(key, value);
    }
    Ok(headers)
}

/// The value stays unsaid: it may be a secret.
fn malformed(name: &str) -> BackendError {
    BackendError::new(
        ErrorClass::Unknown,
        format!("The {name} cannot be sent as a header"),
    )
}

/// The HTTP client takes the process's provider of cryptography; one that is there already stays.
fn install_crypto() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Somebody else may have been faster, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}
