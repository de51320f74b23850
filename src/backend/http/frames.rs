//! The frames of an event stream.
//!
//! [`sse_stream`] reads the events; this adds what it leaves open: a limit on the length of one
//! event, and the last event of a body that ends without the blank line.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use sse_stream::{Sse, SseByteStream};

use super::classify;
use crate::Json;
use crate::backend::BackendError;

/// The bytes of a body as they arrive.
pub(super) type BodyBytes<'a> = BoxStream<'a, Result<Bytes, BackendError>>;

/// One frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Frame {
    /// A document.
    Document(Json),
    /// A document that is an error by the name of its event.
    Failure(String),
    /// Data that is no JSON.
    Broken,
    /// `[DONE]`.
    Done,
}

/// Reads the frames of a body.
pub(super) struct Frames<'a> {
    events: SseByteStream<BodyBytes<'a>>,
    gauge: Arc<Gauge>,
}

/// How much of a body is remembered for [`Frames::beginning`].
const BEGINNING_BYTES: usize = 2 << 10;

/// What is known about the bytes between body and events.
#[derive(Default)]
struct Gauge {
    /// Bytes that came in since an event went out.
    pending: AtomicUsize,
    ended: AtomicBool,
    beginning: Mutex<Vec<u8>>,
}

impl<'a> Frames<'a> {
    /// The frames of `body`, none of them longer than `limit` bytes by more than the last chunk of
    /// the body.
    pub(super) fn new(body: BodyBytes<'a>, limit: usize) -> Self {
        let gauge = Arc::<Gauge>::default();
        let measured = body.map({
            let gauge = Arc::clone(&gauge);
            move |chunk| gauge.let_in(chunk?, limit)
        });
        // A last event without its blank line is whole all the same when its document is.
        let end = stream::once({
            let gauge = Arc::clone(&gauge);
            async move {
                gauge.ended.store(true, Ordering::Relaxed);
                Ok(Bytes::from_static(b"\n\n"))
            }
        });
        Self {
            events: SseByteStream::new(measured.chain(end).boxed()),
            gauge,
        }
    }

    /// The frames of the next event that has any; `None` at the end of the body.
    ///
    /// # Errors
    /// When the body breaks off, an event is too long, or its text is not UTF-8.
    pub(super) async fn next(&mut self) -> Option<Result<Vec<Frame>, BackendError>> {
        loop {
            let event = self.events.next().await?;
            let at_end = self.gauge.ended.load(Ordering::Relaxed);
            match event {
                Ok(event) => {
                    self.gauge.pending.store(0, Ordering::Relaxed);
                    let frames = frames_of(&event, at_end);
                    if !frames.is_empty() {
                        return Some(Ok(frames));
                    }
                }
                // A character cut by the end of the body is a part of a frame that never came.
                Err(sse_stream::Error::Utf8Parse(_)) if at_end => return None,
                Err(error) => return Some(Err(failure(error))),
            }
        }
    }

    /// The first bytes of the body, as text.
    pub(super) fn beginning(&self) -> String {
        String::from_utf8_lossy(&self.gauge.beginning()).into_owned()
    }
}

impl Gauge {
    fn let_in(&self, chunk: Bytes, limit: usize) -> Result<Bytes, BackendError> {
        let mut beginning = self.beginning();
        let wanted = BEGINNING_BYTES.saturating_sub(beginning.len());
        beginning.extend(chunk.iter().take(wanted));
        drop(beginning);
        // The chunk itself may hold any number of short events.
        if self.pending.fetch_add(chunk.len(), Ordering::Relaxed) > limit {
            return Err(BackendError::response(format!(
                "A frame of the stream is longer than {limit} bytes"
            )));
        }
        Ok(chunk)
    }

    fn beginning(&self) -> MutexGuard<'_, Vec<u8>> {
        self.beginning
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Every line of data is a document of its own, unless only all of them together are one.
fn frames_of(event: &Sse, at_end: bool) -> Vec<Frame> {
    let data = event.data.as_deref().unwrap_or_default();
    let lines = data.lines().map(str::trim).filter(|line| !line.is_empty());
    let failed = event.event.as_deref() == Some("error");
    let mut frames: Vec<Frame> = lines.map(|line| frame_of(line, failed)).collect();
    if frames.len() > 1 && frames.contains(&Frame::Broken) {
        let whole = frame_of(data, failed);
        if whole != Frame::Broken {
            return vec![whole];
        }
    }
    if at_end && frames.last() == Some(&Frame::Broken) {
        frames.pop();
    }
    frames
}

fn frame_of(text: &str, failed: bool) -> Frame {
    if text == "[DONE]" {
        return Frame::Done;
    }
    match Json::parse(text) {
        Ok(document) if failed => {
            let said = classify::error_text(&document);
            Frame::Failure(said.unwrap_or_else(|| document.text().to_owned()))
        }
        Ok(document) => Frame::Document(document),
        Err(_) if failed => Frame::Failure(classify::error_text_of_body(text)),
        Err(_) => Frame::Broken,
    }
}

fn failure(error: sse_stream::Error) -> BackendError {
    match error {
        sse_stream::Error::Body(error) => match error.downcast::<BackendError>() {
            Ok(error) => *error,
            Err(error) => BackendError::unknown(error.to_string()),
        },
        error => BackendError::unknown(format!("The stream is not an event stream: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::ErrorClass;
    use futures_util::FutureExt;
    use proptest::prelude::*;

    /// The frames of a body that arrives in chunks of `size` bytes.
    fn read(body: &[u8], size: usize, limit: usize) -> Result<Vec<Frame>, BackendError> {
        let chunks: Vec<_> = body
            .chunks(size)
            .map(|chunk| Ok(Bytes::copy_from_slice(chunk)))
            .collect();
        let mut frames = Frames::new(stream::iter(chunks).boxed(), limit);
        let mut all = Vec::new();
        while let Some(next) = frames.next().now_or_never().expect("the body is ready") {
            all.extend(next?);
        }
        Ok(all)
    }

    fn document(text: &str) -> Frame {
        Frame::Document(Json::parse(text).unwrap())
    }

    #[track_caller]
    fn check(body: &str, expected: &[Frame]) {
        for size in [1, 2, 3, 5, 7, 1_000] {
            assert_eq!(
                read(body.as_bytes(), size, 1_000).unwrap(),
                expected,
                "{size}"
            );
        }
    }

    #[test]
    fn every_framing_gives_the_same() {
        let expected = [document("{\"a\":\"é\"}"), document("2"), Frame::Done];
        check(
            "data: {\"a\":\"é\"}\n\ndata: 2\n\ndata: [DONE]\n\n",
            &expected,
        );
        check(
            "data:{\"a\":\"é\"}\r\n\r\ndata:2\r\n\r\ndata:[DONE]\r\n\r\n",
            &expected,
        );
        check(
            "data: {\"a\":\"é\"}\r\rdata: 2\r\rdata: [DONE]\r\r",
            &expected,
        );
        check(
            "\u{feff}data: {\"a\":\"é\"}\n\ndata: 2\n\ndata: [DONE]",
            &expected,
        );
        check(
            ": hello\n\nevent: x\nid: 7\nretry: 9\ndata: {\"a\":\"é\"}\n\n:\n\ndata:\n\ndata: \n\ndata: 2 \nother: 1\n\ndata: [DONE]\n\n",
            &expected,
        );
    }

    #[test]
    fn lines_of_one_event_are_documents_of_their_own() {
        check(
            "data: 1\ndata: 2\ndata: [DONE]\n\n",
            &[document("1"), document("2"), Frame::Done],
        );
        check("data: 1\ndata: {\n\n", &[document("1"), Frame::Broken]);
    }

    #[test]
    fn a_document_over_several_lines_is_one() {
        check(
            "data: {\ndata:  \"a\": 1\ndata: }\n\n",
            &[document("{\"a\":1}")],
        );
    }

    #[test]
    fn a_frame_that_is_no_json_is_broken() {
        check(
            "data: {\"a\":\n\ndata: null\n\n",
            &[Frame::Broken, document("null")],
        );
    }

    #[test]
    fn the_unfinished_rest_of_a_body_counts_when_it_is_whole() {
        check("data: 1\n\ndata: 2", &[document("1"), document("2")]);
        check("data: 1\n\ndata: 2\n", &[document("1"), document("2")]);
        check("data: 1\n\ndata: {\"a\"", &[document("1")]);
        check("data: 1\ndata: {\"a\"", &[document("1")]);
        check("data: 1\n\ndat", &[document("1")]);
        let cut = "data: 1\n\ndata: \"é".as_bytes();
        let cut = &cut[..cut.len() - 1];
        assert_eq!(read(cut, 4, 1_000).unwrap(), [document("1")]);
    }

    #[test]
    fn an_error_event_is_a_failure_in_any_shape() {
        let failed = |text: &str| [Frame::Failure(text.to_owned())];
        check(
            "event: error\ndata: {\"error\":{\"message\":\"no\"}}\n\n",
            &failed("no"),
        );
        check(
            "event: error\ndata: {\"message\":\"no\"}\n\n",
            &failed("no"),
        );
        check("event: error\ndata: [1]\n\n", &failed("[1]"));
        check("event: error\ndata: no\n\n", &failed("no"));
    }

    #[test]
    fn bytes_that_are_no_utf8_fail() {
        let error = read(b"data: \"\xff\"\n\ndata: 1\n\n", 3, 1_000).unwrap_err();
        assert_eq!(error.class, ErrorClass::Unknown);
    }

    #[test]
    fn a_frame_too_long_fails_and_many_short_ones_do_not() {
        let many = "data: 1\n\n".repeat(100);
        for size in [1, 9, 1_000] {
            assert_eq!(read(many.as_bytes(), size, 20).unwrap().len(), 100);
        }
        for long in [format!("data: {}\n\n", "1".repeat(30)), "x".repeat(30)] {
            let error = read(long.as_bytes(), 9, 20).unwrap_err();
            let expected = BackendError::response("A frame of the stream is longer than 20 bytes");
            assert_eq!(error, expected);
        }
    }

    proptest! {
        // 13.4-4
        #[test]
        fn the_boundaries_of_chunks_do_not_show(
            lines in prop::collection::vec(prop_oneof![
                "data: ?(\\{\"a\":\"[é👍x]{0,3}\"\\}|[0-9]|\\[DONE\\]|no)",
                Just(String::new()),
                Just(": a comment".to_owned()),
                Just("event: error".to_owned()),
                "[a-z]{0,4}",
            ], 0..12),
            end in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
            size in 1_usize..20,
        ) {
            let body = lines.join(end);
            let whole = read(body.as_bytes(), body.len().max(1), 10_000);
            prop_assert_eq!(read(body.as_bytes(), size, 10_000), whole);
        }
    }
}
