//! Asking a server of the tests.

use std::time::Duration;

use sess::Message;
use sess::backend::http::{Endpoint, OpenAiBackend, Settings, Timeouts};
use sess::backend::{Backend, Request, Response};

use crate::support::server::{Reply, Server};

/// Long enough for a loaded machine; a test that takes it has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// The request of all tests.
pub fn ask() -> Request {
    Request::new([Message::user("Hi")])
}

/// A client of `server` with the defaults, except that it waits no longer than the tests do.
pub fn endpoint(server: &Server) -> Endpoint {
    Endpoint::new(server.url()).with_timeouts(Timeouts {
        total: PATIENCE,
        // What is sent in pieces is awaited, however slow the machine.
        drain: PATIENCE,
        ..Timeouts::default()
    })
}

pub fn backend(endpoint: Endpoint) -> OpenAiBackend {
    OpenAiBackend::new(endpoint, Settings::new("m", 100)).unwrap()
}

/// The answer as it settles, whose fragments were its text.
pub async fn streamed(backend: &dyn Backend) -> Response {
    let mut stream = backend.stream(ask()).await.unwrap();
    let mut text = String::new();
    while let Some(fragment) = stream.fragments.recv().await {
        assert!(!fragment.is_empty());
        text.push_str(&fragment);
    }
    let response = settled(stream.handle.settled()).await;
    assert_eq!(text, response.text);
    response
}

/// What a stream of chat becomes whose server replies so.
pub async fn streamed_from(reply: Reply) -> Response {
    let server = Server::start([reply]).await;
    streamed(&backend(endpoint(&server))).await
}

/// What a whole answer becomes whose server replies so.
pub async fn completed_from(reply: Reply) -> Response {
    let server = Server::start([reply]).await;
    settled(backend(endpoint(&server)).complete(ask())).await
}

/// The outcome, which must come.
pub async fn settled<T>(outcome: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(PATIENCE, outcome).await;
    waited.expect("the response never settled")
}
