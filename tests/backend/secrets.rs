//! Servers that repeat what they must not: no error tells it.

use sess::backend::BackendError;
use sess::backend::http::Endpoint;

use super::client::{backend, endpoint, streamed};
use crate::support::server::{Server, answer};

#[tokio::test]
async fn a_refused_key_is_not_repeated() {
    let body = r#"{"error":{"message":"Incorrect API key provided: sk-secret"}}"#;
    let server = Server::start([answer("401 Unauthorized", "", body)]).await;
    let backend = backend(endpoint(&server).with_key("sk-secret"));
    let response = streamed(&backend).await;
    let message = "HTTP 401 Unauthorized: Incorrect API key provided: [redacted]";
    assert_eq!(response.error(), Some(&BackendError::http(401, message)));
    let authorization = &server.requests()[0].headers["authorization"];
    assert_eq!(authorization, "Bearer sk-secret");
    assert!(!format!("{backend:?}{response:?}").contains("sk-secret"));
}

#[tokio::test]
async fn secrets_in_headers_and_addresses_are_not_repeated_either() {
    let echo = "GET /v1?api_key=q-secret with api-key: h-secret";
    for reply in [
        answer("401 Unauthorized", "", echo),
        answer("200 OK", "", echo),
        answer("200 OK", "", format!("{{\"error\":\"{echo}\"}}")),
    ] {
        let server = Server::start([reply]).await;
        let endpoint = Endpoint {
            url: format!("{}?api_key=q-secret", server.url()),
            ..endpoint(&server).with_header("api-key", "h-secret")
        };
        let response = streamed(&backend(endpoint)).await;
        let told = response.error_text().unwrap();
        assert!(
            told.contains("[redacted]") && !told.contains("-secret"),
            "{told}"
        );
        let line = &server.requests()[0].line;
        assert_eq!(line, "POST /v1/chat/completions?api_key=q-secret");
    }
}

// Where a text is cut, half a key would no longer be recognised as one.
#[tokio::test]
async fn no_part_of_the_key_is_told_where_a_text_is_cut() {
    let key = "sk-0123456789";
    for (filling, reply) in [
        (2_000, "401 Unauthorized"),
        (1_990 - "HTTP 401 Unauthorized: ".len(), "401 Unauthorized"),
        (190, "200 OK"),
    ] {
        let said = format!("{}{key}", "x".repeat(filling));
        let server = Server::start([answer(reply, "", &said)]).await;
        let response = streamed(&backend(endpoint(&server).with_key(key))).await;
        let told = response.error_text().unwrap();
        assert!(told.contains("xxx") && !told.contains("sk-"), "{told}");
    }
    let long = "é".repeat(2_001);
    let server = Server::start([answer("200 OK", "", format!("{{\"error\":\"{long}\"}}"))]).await;
    let response = streamed(&backend(endpoint(&server))).await;
    assert_eq!(
        response.error_text(),
        Some(&*format!("{}…", "é".repeat(2_000)))
    );
}
