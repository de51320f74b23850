//! Answers that are no stream, and streams that say nothing more.

use sess::backend::http::Timeouts;
use sess::backend::{Backend, BackendError, ErrorClass, Response, Settled, Usage};

use super::client::{ask, backend, completed_from, endpoint, settled, streamed, streamed_from};
use super::endings::counting;
use super::frames::*;
use crate::support::server::{Act, EVENTS_HEAD, Server, document, events};

#[tokio::test]
async fn a_stream_that_lingers_after_its_finish_has_ended() {
    for (reason, ending) in [
        ("stop", Settled::Done),
        (
            "length",
            Settled::Failed(BackendError::response("Hit max tokens")),
        ),
    ] {
        let body = content("a") + &finish(reason);
        let reply = vec![
            Act::Send(format!("{EVENTS_HEAD}{:x}\r\n{body}\r\n", body.len()).into_bytes()),
            Act::Hang,
        ];
        let server = Server::start([reply]).await;
        let mut endpoint = endpoint(&server);
        endpoint.timeouts = Timeouts {
            linger: std::time::Duration::from_millis(50),
            ..endpoint.timeouts
        };
        assert_eq!(streamed(&backend(endpoint)).await.settled, ending);
        server.hung_up(1).await;
    }
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let whole = "{\"choices\":[{\"message\":{\"content\":\"All.\"},\"finish_reason\":\"REASON\"}],\"usage\":{\"total_tokens\":5}}";
    let response = streamed_from(document(&whole.replace("REASON", "stop"))).await;
    assert_eq!(
        (response.text.as_str(), response.is_success()),
        ("All.", true)
    );
    assert_eq!(response.usage.total_tokens, Some(5));
    let cut = streamed_from(document(&whole.replace("REASON", "length"))).await;
    assert_eq!(failure(&cut), &BackendError::response("Hit max tokens"));
}

// 12.17-202
#[tokio::test]
async fn what_stands_before_a_whole_answer_means_nothing() {
    let whole = "{\"choices\":[{\"message\":{\"content\":\"All.\"},\"finish_reason\":\"stop\"}]}";
    for (body, size) in [
        (format!("\n\r\n  {whole}"), 1),
        (format!("\u{feff}{whole}\n"), 4_096),
        (format!("\n\u{feff}\n{whole}"), 4_096),
    ] {
        let response = streamed_from(events(body, size)).await;
        assert_eq!(response.text, "All.");
        assert!(response.is_success());
    }
    let listed = streamed_from(document("[{\"error\":{\"message\":\"boom\"}}]")).await;
    assert_eq!(listed.error_text(), Some("boom"));
}

#[tokio::test]
async fn a_whole_answer_is_read_whatever_it_claims_to_be() {
    use crate::support::server::answer;
    let body = "{\"model\":\"m-1\",\"choices\":[{\"message\":{\"content\":\"naïve é\",\"reasoning\":\"hm\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"read\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":1}}";
    let latin1: Vec<u8> = body.chars().map(|letter| letter as u8).collect();
    for (kind, bytes) in [
        ("content-type: text/plain\r\n", body.as_bytes().to_vec()),
        ("", body.as_bytes().to_vec()),
        ("content-type: application/json\r\n", latin1),
    ] {
        let response = completed_from(answer("200 OK", kind, bytes)).await;
        let expected = Response {
            id: response.id.clone(),
            text: "naïve é".to_owned(),
            settled: Settled::Done,
            finish_reason: Some("tool_calls".to_owned()),
            tool_calls: the_call("{}"),
            usage: Usage {
                prompt_tokens: Some(1),
                ..Usage::default()
            },
            model_used: Some("m-1".to_owned()),
            reasoning: Some("hm".to_owned()),
            dropped_frames: 0,
        };
        assert_eq!(response, expected);
    }
}

// 12.17-202
#[tokio::test]
async fn a_whole_answer_that_is_none_is_an_unknown_failure() {
    for body in [
        "",
        "{\"choices\":[{\"mess",
        "{\"usage\":{\"prompt_tokens\":4}}",
        "[]",
    ] {
        let response = completed_from(document(body)).await;
        assert_eq!(failure(&response).class, ErrorClass::Unknown, "{body}");
    }
    let billed = completed_from(document("{\"usage\":{\"prompt_tokens\":4}}")).await;
    assert_eq!(billed.usage.prompt_tokens, Some(4));
}

#[tokio::test]
async fn a_whole_answer_that_was_cut_is_a_success() {
    let body = "{\"choices\":[{\"message\":{\"content\":\"par\"},\"finish_reason\":\"length\"}]}";
    let response = completed_from(document(body)).await;
    assert_eq!(
        (response.text.as_str(), response.is_success()),
        ("par", true)
    );
    assert_eq!(response.finish_reason.as_deref(), Some("length"));
}

// 12.17-203
#[tokio::test]
async fn the_finaliser_has_the_last_word_on_every_path() {
    let whole = document("{\"choices\":[{\"text\":\"a\",\"message\":{\"content\":\"a\"}}]}");
    let server = Server::start([events(DONE, 9), events(DONE, 9), whole]).await;
    let (backend, _) = counting(&server);
    streamed(&backend).await;
    settled(backend.stream_text("Once").handle.settled()).await;
    assert!(settled(backend.complete(ask())).await.is_success());
    assert!(settled(backend.complete_text("Once")).await.is_success());

    let common = "\"added\":true,\"frequency_penalty\":0.0,\"max_tokens\":256";
    let chat = format!(
        "{{{common},\"messages\":[{{\"content\":\"Hi\",\"role\":\"user\"}}],\"presence_penalty\":0.0,\"stop\":[]"
    );
    let text = format!("{{{common},\"presence_penalty\":0.0,\"prompt\":\"Once\",\"stop\":[]");
    let end = "\"temperature\":1.0,\"top_p\":1.0}";
    let seen: Vec<_> = server
        .requests()
        .iter()
        .map(|request| (request.line.clone(), request.body.compact()))
        .collect();
    let expected = [
        (
            "POST /v1/chat/completions",
            format!("{chat},\"stream\":true,{end}"),
        ),
        (
            "POST /v1/completions",
            format!("{text},\"stream\":true,{end}"),
        ),
        ("POST /v1/chat/completions", format!("{chat},{end}")),
        ("POST /v1/completions", format!("{text},{end}")),
    ]
    .map(|(line, body)| (line.to_owned(), body));
    assert_eq!(seen, expected);
}
