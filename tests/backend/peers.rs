//! Other people's servers, for whoever has one running. Without the environment variables that
//! name them, these tests say so and pass.

use std::time::Duration;

use sess::Json;
use sess::backend::http::{Endpoint, OpenAiBackend, Settings};
use sess::backend::{Backend, ErrorClass, Request, Response};
use sess::tool::declaration;

use super::client::ask;

/// The base of an API whose server answers anything, such as `http://127.0.0.1:8187/v1`.
const MODEL_URL: &str = "SESS_MODEL_URL";
/// The model there; by default `gpt-4o`, which mocks know.
const MODEL: &str = "SESS_MODEL";
/// The root of an `llmock`, such as `http://127.0.0.1:8184`.
const LLMOCK_URL: &str = "SESS_LLMOCK_URL";

fn named_by(variable: &str) -> Option<String> {
    let url = std::env::var(variable).ok();
    if url.is_none() {
        println!("skipped: {variable} names no server");
    }
    url
}

/// A real model on a loaded machine takes its time.
const PATIENCE: Duration = Duration::from_secs(600);

async fn settled(outcome: impl Future<Output = Response>) -> Response {
    let waited = tokio::time::timeout(PATIENCE, outcome).await;
    waited.expect("the response never settled")
}

fn backend(url: String) -> OpenAiBackend {
    let model = std::env::var(MODEL).unwrap_or_else(|_| "gpt-4o".to_owned());
    let endpoint = Endpoint::new(url).with_key("sk-test");
    OpenAiBackend::new(endpoint, Settings::new(model, 64)).unwrap()
}

async fn streamed(backend: &OpenAiBackend, request: Request) -> Response {
    let stream = backend.stream(request).await.unwrap();
    settled(stream.handle.settled()).await
}

#[tokio::test]
async fn a_model_answers_both_ways() {
    let Some(url) = named_by(MODEL_URL) else {
        return;
    };
    let backend = backend(url);
    for response in [
        streamed(&backend, ask()).await,
        settled(backend.complete(ask())).await,
    ] {
        println!("{response:#?}");
        let good = response.is_success() || response.finish_reason.as_deref() == Some("length");
        assert!(good && !response.text.is_empty(), "{response:?}");
    }
}

/// What `llmock` is told to do, and what must come of it.
const FAULTS: [(&str, Result<(), ErrorClass>); 10] = [
    (r#"{"type":"reply","text":"Fine."}"#, Ok(())),
    (
        r#"{"type":"fail","status":429,"retry_after":2,"times":1}"#,
        Err(ErrorClass::Http),
    ),
    (
        r#"{"type":"fail","status":503,"times":1}"#,
        Err(ErrorClass::Http),
    ),
    (
        r#"{"type":"fail","status":401,"times":1}"#,
        Err(ErrorClass::Http),
    ),
    (
        r#"{"type":"stream_fault","kind":"truncate","after_chunks":3}"#,
        Err(ErrorClass::Response),
    ),
    (
        r#"{"type":"stream_fault","kind":"disconnect","after_chunks":3}"#,
        Err(ErrorClass::Connection),
    ),
    (
        r#"{"type":"stream_fault","kind":"malformed","after_chunks":3}"#,
        Err(ErrorClass::Response),
    ),
    (
        r#"{"type":"stream_fault","kind":"stall","after_chunks":3,"stall_seconds":1}"#,
        Ok(()),
    ),
    (
        r#"{"type":"tool_fault","kind":"malformed_arguments"}"#,
        Ok(()),
    ),
    (
        r#"{"type":"reply","tool_calls":[{"name":"read","arguments":{"path":"a"}}]}"#,
        Ok(()),
    ),
];

#[tokio::test]
async fn every_fault_of_llmock_is_what_it_is() {
    let Some(root) = named_by(LLMOCK_URL) else {
        return;
    };
    let backend = backend(format!("{root}/v1"));
    let control = reqwest::Client::new();
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"}}}"#;
    let tool = declaration("read", "Reads a file.", Json::parse(schema).unwrap());
    for (behaviour, expected) in FAULTS {
        let told = control
            .post(format!("{root}/_llmock/scenario"))
            .header("content-type", "application/json")
            .body(format!("{{\"behaviors\":[{behaviour}]}}"))
            .send();
        assert!(told.await.unwrap().status().is_success(), "{behaviour}");
        let request = match behaviour.contains("tool") {
            true => ask().with_tools(vec![tool.clone()]),
            false => ask(),
        };
        let response = streamed(&backend, request).await;
        println!("{behaviour}: {response:?}");
        let outcome = response.error_class().map_or(Ok(()), Err);
        assert_eq!(outcome, expected, "{behaviour}: {response:?}");
        assert_eq!(behaviour.contains("tool"), !response.tool_calls.is_empty());
        if behaviour.contains("retry_after") {
            let asked = response.error().unwrap().retry_after;
            assert_eq!(asked, Some(Duration::from_secs(2)));
        }
    }
}
