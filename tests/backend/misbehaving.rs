//! Servers that misbehave. Whatever they do, the response settles with a typed failure.

use std::time::Duration;

use sess::backend::http::{Endpoint, OpenAiBackend, Settings, Timeouts};
use sess::backend::{Backend, BackendError, ErrorClass, Response, Settled, Silence};

use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use super::client::{ask, backend, completed_from, endpoint, settled, streamed, streamed_from};
use crate::support::server::{Act, EVENTS_HEAD, Reply, Server, answer, events, unfinished_events};

const MOMENT: Duration = Duration::from_millis(150);

/// Half an answer.
const HALF: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n";
/// The rest of it.
const REST: &str =
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

fn hanging(bytes: impl Into<Vec<u8>>) -> Reply {
    vec![Act::Send(bytes.into()), Act::Hang]
}

/// A client that gives a server hardly any time.
fn impatient(server: &Server) -> Endpoint {
    endpoint(server).with_timeouts(Timeouts {
        headers: Some(MOMENT),
        total: 4 * MOMENT,
        ..Timeouts::default()
    })
}

fn class(response: &Response) -> ErrorClass {
    response.error().expect("a failure").class
}

#[tokio::test]
async fn a_refused_connection_is_one() {
    let server = Server::start([]).await;
    // Nobody listens on a port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let endpoint = Endpoint {
        url: format!("http://{address}/v1"),
        ..endpoint(&server)
    };
    let response = streamed(&backend(endpoint)).await;
    assert_eq!(class(&response), ErrorClass::Connection);
}

#[tokio::test]
async fn a_server_without_tls_is_no_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/v1", listener.local_addr().unwrap());
    let plain = tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.unwrap();
        connection
            .write_all(b"HTTP/1.1 200 OK\r\n\r\n")
            .await
            .unwrap();
        connection
    });
    // Without the machine's certificates there is no client to begin with.
    if let Ok(backend) = OpenAiBackend::new(Endpoint::new(url), Settings::default()) {
        let response = streamed(&backend).await;
        assert_eq!(class(&response), ErrorClass::Connection);
        drop(plain.await.unwrap());
    }
}

#[tokio::test]
async fn silence_before_the_head_is_a_timeout() {
    let server = Server::start([vec![Act::Hang]]).await;
    let backend = backend(impatient(&server));
    let response = streamed(&backend).await;
    let message = "The server did not begin to answer within 0.15 s";
    let expected = BackendError::new(ErrorClass::Timeout, message);
    assert_eq!(response.error(), Some(&expected));
    assert_eq!(backend.complete(ask()).await.error(), Some(&expected));
    server.hung_up(2).await;
}

#[tokio::test]
async fn silence_after_the_head_or_within_a_frame_is_a_timeout() {
    let half_a_frame = format!("{EVENTS_HEAD}100\r\n{}", &HALF[..20]);
    for bytes in [EVENTS_HEAD.to_owned(), half_a_frame] {
        let server = Server::start([hanging(bytes)]).await;
        let response = streamed(&backend(impatient(&server))).await;
        let message = "The answer was not complete within 0.6 s";
        let expected = BackendError::new(ErrorClass::Timeout, message);
        assert_eq!(response.error(), Some(&expected));
        server.hung_up(1).await;
    }
}

#[tokio::test]
async fn a_server_that_sent_nonsense_and_goes_on_is_hung_up_on() {
    let nonsense = "data: {\"choices\":[{\"del\n\n";
    let chunk = format!("{HALF}{nonsense}{HALF}");
    let sent = format!("{EVENTS_HEAD}{:x}\r\n{chunk}\r\n", chunk.len());
    let server = Server::start([hanging(sent)]).await;
    let response = streamed(&backend(impatient(&server))).await;
    let message = "1 unreadable frame(s) in the stream, so the text has holes";
    assert_eq!(response.error(), Some(&BackendError::response(message)));
    // What had arrived with it is taken in.
    assert_eq!(response.text, "halfhalf");
    server.hung_up(1).await;
}

#[tokio::test]
async fn a_stream_cut_within_a_character_is_cut() {
    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"é";
    let cut = &text.as_bytes()[..text.len() - 1];
    let ended = streamed_from(events(cut, 9)).await;
    assert_eq!(class(&ended), ErrorClass::Response);
    let torn = streamed_from(unfinished_events(cut, 9)).await;
    assert_eq!(class(&torn), ErrorClass::Connection);
}

#[tokio::test]
async fn bytes_that_are_no_text_are_an_unknown_failure() {
    let broken = b"data: {\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}\n\n";
    let response = streamed_from(events([HALF.as_bytes(), broken].concat(), 9)).await;
    assert_eq!(class(&response), ErrorClass::Unknown);
    assert_eq!(response.text, "half");
}

#[tokio::test]
async fn a_page_of_html_is_no_answer() {
    let page = answer(
        "200 OK",
        "content-type: text/html\r\n",
        "<html>Log in</html>",
    );
    let streamed = streamed_from(page.clone()).await;
    let message = "Stream closed without [DONE] or a finish reason; \
                   the answer begins with: <html>Log in</html>";
    assert_eq!(streamed.error(), Some(&BackendError::response(message)));
    let whole = completed_from(page).await;
    assert_eq!(class(&whole), ErrorClass::Unknown);
    assert!(
        whole
            .error_text()
            .unwrap()
            .ends_with("begins with: <html>Log in</html>")
    );
}

// 12.17-208
#[tokio::test]
async fn a_refusal_is_told_in_the_servers_words() {
    let body = r#"{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}"#;
    let expected = BackendError::http(
        400,
        "HTTP 400 Bad Request: This model's maximum context length is 8192 tokens \
         (context_length_exceeded)",
    );
    let refusal = answer("400 Bad Request", "", body);
    assert_eq!(
        streamed_from(refusal.clone()).await.error(),
        Some(&expected)
    );
    assert_eq!(completed_from(refusal).await.error(), Some(&expected));
}

#[tokio::test]
async fn a_limit_tells_when_to_come_back() {
    for (header, seconds) in [
        ("retry-after: 3\r\n", Some(3)),
        (
            "retry-after: 1000000000000000000\r\n",
            Some(1_000_000_000_000_000_000),
        ),
        ("retry-after: 1e300\r\n", None),
        ("retry-after: -1\r\n", None),
        ("retry-after: nan\r\n", None),
        ("", None),
    ] {
        let response = streamed_from(answer("429 Too Many Requests", header, "{}")).await;
        let expected = BackendError {
            retry_after: seconds.map(Duration::from_secs),
            ..BackendError::http(429, "HTTP 429 Too Many Requests: {}")
        };
        assert_eq!(response.error(), Some(&expected));
    }
}

#[tokio::test]
async fn each_request_stands_alone() {
    let down = answer("500 Internal Server Error", "", "down");
    let good = events(format!("{HALF}{REST}"), 50);
    let server = Server::start([down.clone(), down, good]).await;
    let backend = backend(endpoint(&server));
    let expected = BackendError::http(500, "HTTP 500 Internal Server Error: down");
    assert_eq!(streamed(&backend).await.error(), Some(&expected));
    assert_eq!(streamed(&backend).await.error(), Some(&expected));
    assert_eq!(streamed(&backend).await.settled, Settled::Done);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let server =
        Server::start([answer("307 Temporary Redirect", "location: /other\r\n", "")]).await;
    let response = streamed(&backend(endpoint(&server))).await;
    let expected = BackendError::http(307, "HTTP 307 Temporary Redirect");
    assert_eq!(response.error(), Some(&expected));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_error_within_a_stream_is_a_failure() {
    for error in [
        "data: {\"error\":{\"message\":\"overloaded\",\"code\":502},\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}\n\n",
        "data: {\"error\":\"overloaded\"}\n\n",
        "event: error\ndata: {\"message\":\"overloaded\"}\n\n",
    ] {
        let response = streamed_from(events(format!("{HALF}{error}{REST}"), 50)).await;
        let expected = BackendError::response("overloaded");
        assert_eq!(response.error(), Some(&expected), "{error}");
        assert_eq!(response.text, "half");
    }
    let alone = "{\"error\":{\"message\":\"overloaded\"}}";
    let expected = BackendError::response("overloaded");
    let reply = answer("200 OK", "content-type: text/event-stream\r\n", alone);
    assert_eq!(streamed_from(reply.clone()).await.error(), Some(&expected));
    assert_eq!(completed_from(reply).await.error(), Some(&expected));
}

#[tokio::test]
async fn heartbeats_alone_are_life_without_data() {
    let mut reply = vec![Act::Send(EVENTS_HEAD.as_bytes().to_vec())];
    for _ in 0..200 {
        reply.extend([
            Act::Pause(Duration::from_millis(20)),
            Act::Send(b"8\r\n: beat\n\n\r\n".to_vec()),
        ]);
    }
    let server = Server::start([reply]).await;
    let backend = backend(endpoint(&server));
    let stream = backend.stream(ask()).await.unwrap();
    let silence = settled(stream.handle.silent(Duration::from_secs(20), 3 * MOMENT)).await;
    assert_eq!(silence, Silence::Data);
    assert!(stream.handle.last_activity() > stream.handle.last_data());
    backend.cancel(&stream.handle);
    assert!(stream.handle.snapshot().is_cancelled());
}

#[tokio::test]
async fn a_length_that_is_wrong_does_not_make_an_answer() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
    let too_long = format!("{head}content-length: 5000\r\n\r\n{HALF}");
    let response = streamed_from(vec![Act::Send(too_long.into_bytes())]).await;
    assert_eq!(class(&response), ErrorClass::Connection);
    assert_eq!(response.text, "half");

    let too_short = format!("{head}content-length: {}\r\n\r\n{HALF}{REST}", HALF.len());
    let response = streamed_from(vec![Act::Send(too_short.into_bytes())]).await;
    assert_eq!(class(&response), ErrorClass::Response);

    // What counts is the end that the server announced within the stream.
    let whole = format!("{head}content-length: 5000\r\n\r\n{HALF}{REST}");
    let response = streamed_from(vec![Act::Send(whole.into_bytes())]).await;
    assert_eq!(response.settled, Settled::Done);
}

#[tokio::test]
async fn a_huge_frame_is_refused_before_it_is_held() {
    let megabyte = [b"100000\r\n".as_slice(), &vec![b'x'; 1 << 20], b"\r\n"].concat();
    let reply = vec![
        Act::Send(EVENTS_HEAD.as_bytes().to_vec()),
        Act::Send(b"6\r\ndata: \r\n".to_vec()),
        Act::Repeat(megabyte, 100),
        Act::Hang,
    ];
    let server = Server::start([reply]).await;
    let response = streamed(&backend(endpoint(&server))).await;
    let message = "A frame of the stream is longer than 33554432 bytes";
    assert_eq!(response.error(), Some(&BackendError::response(message)));
    server.hung_up(1).await;
}

#[tokio::test]
async fn a_stream_that_never_ends_is_refused_before_it_is_held() {
    let call =
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"xxxx"}}]}}]}"#;
    let thought = r#"{"choices":[{"delta":{"reasoning":"hm, hm, hm"}}]}"#;
    for frame in [
        HALF,
        &format!("data: {call}\n\n"),
        &format!("data: {thought}\n\n"),
    ] {
        let chunk = format!("{:x}\r\n{frame}\r\n", frame.len()).into_bytes();
        let reply = vec![
            Act::Send(EVENTS_HEAD.as_bytes().to_vec()),
            Act::Repeat(chunk, 10_000),
            Act::Hang,
        ];
        let server = Server::start([reply]).await;
        let mut endpoint = endpoint(&server);
        endpoint.max_answer_bytes = 1_000;
        let response = streamed(&backend(endpoint)).await;
        let message = "The answer is longer than 1000 bytes";
        assert_eq!(response.error(), Some(&BackendError::response(message)));
        assert!(response.text.len() <= 1_000);
    }
}

#[tokio::test]
async fn a_head_that_never_ends_is_refused_before_it_is_held() {
    let reply = vec![
        Act::Send(b"HTTP/1.1 200 OK\r\n".to_vec()),
        Act::Repeat(b"x-more: and more\r\n".to_vec(), 10_000_000),
        Act::Hang,
    ];
    let server = Server::start([reply]).await;
    let response = streamed(&backend(endpoint(&server))).await;
    assert_ne!(class(&response), ErrorClass::Timeout, "{response:?}");
}

#[tokio::test]
async fn a_huge_document_is_refused() {
    let mut endpoint = endpoint(&Server::start([answer("200 OK", "", " ".repeat(2_000))]).await);
    endpoint.max_answer_bytes = 1_000;
    let response = settled(backend(endpoint).complete(ask())).await;
    let message = "The answer is longer than 1000 bytes";
    assert_eq!(response.error(), Some(&BackendError::response(message)));
}

#[tokio::test]
async fn a_cancel_settles_at_once_and_closes_the_connection() {
    let begun = format!("{EVENTS_HEAD}{:x}\r\n{HALF}\r\n", HALF.len());
    let server = Server::start([hanging(begun), vec![Act::Hang]]).await;
    let backend = backend(endpoint(&server));
    let mut stream = backend.stream(ask()).await.unwrap();
    assert_eq!(stream.fragments.recv().await.as_deref(), Some("half"));
    backend.cancel(&stream.handle);
    let response = stream.handle.snapshot();
    assert_eq!(
        (response.settled, response.text.as_str()),
        (Settled::Cancelled, "half")
    );
    server.hung_up(1).await;

    // A whole answer is given up by dropping it.
    let waiting = tokio::time::timeout(2 * MOMENT, backend.complete(ask()));
    assert!(waiting.await.is_err());
    server.hung_up(2).await;
}

#[test]
fn what_cannot_be_a_server_is_refused_at_once() {
    for endpoint in [
        Endpoint::new("no address"),
        Endpoint::new("http://host").with_key("a\nb"),
        Endpoint::new("http://host").with_header("bad name", "x"),
    ] {
        let error = OpenAiBackend::new(endpoint, Settings::default()).unwrap_err();
        assert_eq!(error.class, ErrorClass::Unknown);
        assert!(!error.message.contains("a\nb"));
    }
}
