//! Streams of real servers, as recorded: each gives what an independent reading of its bytes says.

use serde_json::Value;
use sess::Json;
use sess::backend::{ErrorClass, Response, Usage};

use super::client::{backend, endpoint, streamed, streamed_from};
use crate::support::reference::{self, Recording};
use crate::support::server::{Act, Reply, Server, answer, events, unfinished_events};

/// How a recording is to end.
fn ending(recording: &Recording) -> Result<(), ErrorClass> {
    let expected = &recording.expected;
    let refused = expected["status"]
        .as_u64()
        .is_some_and(|status| status >= 400);
    let whole = expected["done_seen"] == true && expected["unparseable_frames"] == 0;
    match (recording.name.as_str(), expected["finish_reason"].as_str()) {
        _ if refused => Err(ErrorClass::Http),
        ("llmock_disconnect", _) => Err(ErrorClass::Connection),
        (_, Some("stop" | "tool_calls")) if whole => Ok(()),
        _ => Err(ErrorClass::Response),
    }
}

/// The recording as its server sent it, in chunks of `size` bytes.
fn replayed(recording: &Recording, size: usize) -> Reply {
    let head = recording.headers.as_deref().unwrap_or_default();
    match &recording.expected["body"] {
        Value::Null if recording.name == "llmock_disconnect" => {
            unfinished_events(&recording.body, size)
        }
        Value::Null => events(&recording.body, size),
        _ => {
            let status = head.lines().next().unwrap().trim_start_matches("HTTP/1.1 ");
            let after: String = head
                .lines()
                .filter(|line| line.starts_with("retry-after"))
                .map(|line| format!("{line}\r\n"))
                .collect();
            answer(status, &after, &recording.body)
        }
    }
}

fn usage(expected: &Value) -> Usage {
    let usage = &expected["usage"];
    Usage {
        prompt_tokens: usage["prompt_tokens"].as_u64(),
        completion_tokens: usage["completion_tokens"].as_u64(),
        total_tokens: usage["total_tokens"].as_u64(),
        cached_prompt_tokens: usage["prompt_tokens_details"]["cached_tokens"].as_u64(),
        ..Usage::default()
    }
}

fn calls(expected: &Value) -> Vec<Json> {
    let calls = expected["tool_calls"].as_array().unwrap();
    calls
        .iter()
        .map(|call| {
            Json::from(serde_json::json!({
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": call["arguments"]},
            }))
        })
        .collect()
}

#[track_caller]
fn check(recording: &Recording, response: &Response, size: usize) {
    let (name, expected) = (&recording.name, &recording.expected);
    let class = response.error_class().map_or(Ok(()), Err);
    assert_eq!(class, ending(recording), "{name} by {size}: {response:?}");
    if let Some(message) = expected["body"]["error"]["message"].as_str() {
        let error = response.error().unwrap();
        assert_eq!(
            error.status.map(u64::from),
            expected["status"].as_u64(),
            "{name}"
        );
        assert!(error.message.contains(message), "{name}: {}", error.message);
        return;
    }
    let got = (
        response.text.as_str(),
        response.reasoning.as_deref(),
        response.finish_reason.as_deref(),
        response.dropped_frames,
    );
    let wanted = (
        expected["content"].as_str().unwrap(),
        expected["reasoning"].as_str(),
        expected["finish_reason"].as_str(),
        expected["unparseable_frames"].as_u64().unwrap(),
    );
    assert_eq!(got, wanted, "{name} by {size}");
    assert_eq!(response.tool_calls, calls(expected), "{name} by {size}");
    assert_eq!(response.usage, usage(expected), "{name} by {size}");
}

#[tokio::test]
async fn every_recording_gives_what_is_in_it_whatever_the_chunks() {
    let recordings = reference::sse();
    assert_eq!(recordings.len(), 15);
    for recording in &recordings {
        for size in [1, 2, 3, 5, 7, 4_096, usize::MAX] {
            let response = streamed_from(replayed(recording, size)).await;
            check(recording, &response, size);
        }
    }
}

#[tokio::test]
async fn every_recording_survives_random_chunks() {
    let mut random = fastrand::Rng::with_seed(7);
    for recording in &reference::sse() {
        let size = random.usize(8..300);
        check(
            recording,
            &streamed_from(replayed(recording, size)).await,
            size,
        );
    }
}

#[tokio::test]
async fn the_wait_a_server_asks_for_is_typed() {
    let recordings = reference::sse();
    let limited = recordings
        .iter()
        .find(|recording| recording.name == "llmock_429")
        .unwrap();
    let response = streamed_from(replayed(limited, 1)).await;
    let asked = response.error().unwrap().retry_after;
    assert_eq!(asked, Some(std::time::Duration::from_secs(2)));
}

#[tokio::test]
async fn a_recording_cut_anywhere_before_its_finish_is_a_failure() {
    let recordings = reference::sse();
    let plain = recordings
        .iter()
        .find(|recording| recording.name == "llmock_tool")
        .unwrap();
    let finish = b"\"finish_reason\":\"tool_calls\"}";
    let finish = plain
        .body
        .windows(finish.len())
        .position(|window| window == finish);
    for cut in (0..finish.unwrap()).step_by(13) {
        let ended = streamed_from(events(&plain.body[..cut], 64)).await;
        assert_eq!(
            ended.error_class(),
            Some(ErrorClass::Response),
            "ended at {cut}"
        );
        let mut torn = unfinished_events(&plain.body[..cut], 64);
        torn.push(Act::Send(b"40\r\ndata".to_vec()));
        let torn = streamed_from(torn).await;
        assert_eq!(
            torn.error_class(),
            Some(ErrorClass::Connection),
            "torn at {cut}"
        );
    }
}

/// Cuts of a recording: every 61st byte; every one, when `SESS_CUTS` is set.
fn cuts(length: usize) -> impl Iterator<Item = usize> {
    let all = std::env::var_os("SESS_CUTS").is_some();
    (0..length).filter(move |cut| all || cut % 61 == 0)
}

/// The answers to a body that is cut there and properly ended, and to one that is torn off.
fn cut_at(body: &[u8], cut: usize) -> [Reply; 2] {
    let mut torn = unfinished_events(&body[..cut], 64);
    torn.push(Act::Send(b"40\r\ndata".to_vec()));
    [events(&body[..cut], 64), torn]
}

#[tokio::test]
async fn no_recording_that_is_cut_gives_less_than_all_of_it_as_a_success() {
    for recording in reference::sse() {
        let whole = streamed_from(events(&recording.body, 1 << 20)).await;
        let cuts: Vec<usize> = cuts(recording.body.len()).collect();
        // A server for each of them would use up the ports of the machine.
        for cuts in cuts.chunks(100) {
            let replies = cuts.iter().flat_map(|&cut| cut_at(&recording.body, cut));
            let server = Server::start(replies).await;
            let backend = backend(endpoint(&server));
            for cut in cuts.iter().flat_map(|cut| [cut; 2]) {
                let answer = streamed(&backend).await;
                check_cut(&answer, &whole, &format!("{} at {cut}", recording.name));
            }
        }
    }
}

fn check_cut(answer: &Response, whole: &Response, place: &str) {
    assert!(whole.text.starts_with(&answer.text), "{place}");
    if answer.is_success() {
        assert!(whole.is_success(), "{place}");
        assert_eq!(answer.text, whole.text, "{place}");
        assert_eq!(answer.reasoning, whole.reasoning, "{place}");
        assert_eq!(answer.tool_calls, whole.tool_calls, "{place}");
    }
}
