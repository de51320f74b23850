//! How streams end: which answers are good, and who is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::BoxFuture;
use sess::Json;
use sess::backend::http::{Body, Dialect, Endpoint, OpenAiBackend, Settings};
use sess::backend::{BackendError, ResponseWriter, Settled, Usage};

use super::client::{backend, endpoint, settled, streamed};
use super::frames::*;
use crate::support::server::{Server, events};

// 12.17-194
#[tokio::test]
async fn every_good_ending_is_a_success() {
    let prose = content("Hel") + &content("lo");
    for end in [
        finish("stop"),
        finish("stop") + DONE,
        DONE.to_owned(),
        finish("tool_calls"),
    ] {
        let response = of_events(prose.clone() + &end).await;
        assert_eq!(response.settled, Settled::Done, "{end}");
        assert_eq!(response.text, "Hello");
    }
    let turn = delta(CALL) + &delta(CALL_REST) + &finish("tool_calls");
    let response = of_events(turn).await;
    assert_eq!(response.settled, Settled::Done);
    assert_eq!(response.tool_calls, the_call("{\"a\":1}"));
    assert_eq!(response.finish_reason.as_deref(), Some("tool_calls"));
}

// 12.17-195
#[tokio::test]
async fn a_close_without_a_reason_is_a_failure() {
    let expected = BackendError::response("Stream closed without [DONE] or a finish reason");
    assert_eq!(failure(&of_events(content("Hel")).await), &expected);
    let server = Server::start([events(frame("{\"choices\":[{\"text\":\"Hel\"}]}"), 9)]).await;
    let stream = backend(endpoint(&server)).stream_text("Once");
    let response = settled(stream.handle.settled()).await;
    assert_eq!(failure(&response), &expected);
    assert_eq!(response.text, "Hel");
}

struct Counting {
    completed: Arc<AtomicUsize>,
}

impl Dialect for Counting {
    fn finalise(&self, mut body: Body) -> Body {
        body.insert("added".to_owned(), Json::from(true));
        body.remove("top_k");
        body
    }

    fn lift(&self, document: &Json) -> Usage {
        Usage {
            provider_name: document.get_str("provider"),
            ..Usage::default()
        }
    }

    fn completed<'a>(&'a self, answer: &'a ResponseWriter) -> BoxFuture<'a, ()> {
        assert!(!answer.is_settled());
        self.completed.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            answer.merge_usage(&Usage {
                cost: Some(0.5),
                ..Usage::default()
            });
        })
    }
}

pub fn counting(server: &Server) -> (OpenAiBackend, Arc<AtomicUsize>) {
    let completed = Arc::<AtomicUsize>::default();
    let dialect = Counting {
        completed: Arc::clone(&completed),
    };
    let backend = OpenAiBackend::with_dialect(endpoint(server), Settings::default(), dialect);
    (backend.unwrap(), completed)
}

// 12.17-196
#[tokio::test]
async fn the_completion_hook_runs_once_and_only_for_good_answers() {
    let provider = frame("{\"provider\":\"P\",\"choices\":[]}");
    let bodies = [
        (provider.clone() + &finish("stop") + DONE, 1),
        (provider.clone() + DONE + DONE, 1),
        (provider + &finish("stop"), 1),
        (content("a"), 0),
        (finish("length") + DONE, 0),
        (frame("{\"error\":\"no\"}") + DONE, 0),
    ];
    for (body, times) in bodies {
        let server = Server::start([events(body.clone(), 40)]).await;
        let (backend, completed) = counting(&server);
        let response = streamed(&backend).await;
        assert_eq!(completed.load(Ordering::SeqCst), times, "{body}");
        if times == 1 {
            let expected = Usage {
                cost: Some(0.5),
                provider_name: Some("P".to_owned()),
                ..Usage::default()
            };
            assert_eq!(response.usage, expected);
        }
    }
}

// 12.17-197
#[tokio::test]
async fn an_answer_that_was_cut_or_blocked_is_a_failure_with_its_bill() {
    let bill = frame("{\"choices\":[],\"usage\":{\"completion_tokens\":9}}");
    for (reason, message) in [
        ("length", "Hit max tokens"),
        ("content_filter", "Blocked by content filter"),
        ("tired", "Unknown finish reason: tired"),
    ] {
        for end in ["", DONE] {
            let response = of_events(content("part") + &finish(reason) + &bill + end).await;
            assert_eq!(failure(&response), &BackendError::response(message));
            assert_eq!(response.finish_reason.as_deref(), Some(reason));
            assert_eq!(response.text, "part");
            assert_eq!(response.usage.completion_tokens, Some(9));
        }
    }
    let text = frame("{\"choices\":[{\"text\":\"part\",\"finish_reason\":\"length\"}]}");
    let server = Server::start([events(text, 40)]).await;
    let stream = backend(endpoint(&server)).stream_text("Once");
    let response = settled(stream.handle.settled()).await;
    assert_eq!(
        failure(&response),
        &BackendError::response("Hit max tokens")
    );
    assert_eq!(server.requests()[0].line, "POST /v1/completions");
    assert_eq!(server.body().get_str("prompt").as_deref(), Some("Once"));
}

// 12.17-198
#[tokio::test]
async fn a_hole_while_assembling_calls_is_a_failure() {
    for end in [finish("tool_calls") + DONE, String::new()] {
        let response = of_events(delta(CALL) + BROKEN + &delta(CALL_REST) + &end).await;
        let message = "1 unreadable frame(s) in the stream while assembling tool calls";
        assert_eq!(failure(&response), &BackendError::response(message));
        assert_eq!(response.tool_calls, the_call("{\"a\":1}"));
        assert_eq!(response.dropped_frames, 1);
    }
}

// 12.17-198, but for the default: a text with holes is a failure unless it is tolerated.
#[tokio::test]
async fn a_hole_in_prose_passes_only_where_it_is_tolerated() {
    let beats = ": beat\n\ndata:\n\ndata: null\n\nevent: x\n\n";
    for (holes, ending) in [(0, Settled::Done), (1, Settled::Done), (3, Settled::Done)] {
        let body = content("a") + beats + &BROKEN.repeat(holes) + &content("b") + DONE;
        let server = Server::start([events(body, 40)]).await;
        let strict = streamed(&backend(endpoint(&server))).await;
        let tolerant = Endpoint {
            tolerate_broken_frames: true,
            ..endpoint(&server)
        };
        let tolerant = streamed(&backend(tolerant)).await;
        assert_eq!(tolerant.settled, ending);
        assert_eq!(
            (tolerant.text.as_str(), tolerant.dropped_frames),
            ("ab", holes as u64)
        );
        assert_eq!(strict.is_success(), holes == 0);
        assert_eq!(
            (strict.text.as_str(), strict.dropped_frames),
            ("ab", holes as u64)
        );
    }
}
