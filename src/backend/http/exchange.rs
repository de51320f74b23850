//! One answer over HTTP, from the request to the settled response.

use std::pin::Pin;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::Peekable;

use super::Body;
use super::body::Delivery;
use super::chunk::Kind;
use super::classify::Phase;
use super::dialect::Dialect;
use super::frames::{BodyBytes, Frame, Frames};
use super::reader::Reader;
use super::transport::{Accept, Transport, read_text, within};
use crate::Json;
use crate::backend::{BackendError, ErrorClass, ResponseWriter};

/// What is asked, and of whom.
pub(super) struct Exchange<'a> {
    pub(super) transport: &'a Transport,
    pub(super) dialect: &'a dyn Dialect,
    pub(super) kind: Kind,
    pub(super) delivery: Delivery,
    pub(super) body: Body,
}

/// Whether more is to be read.
#[derive(PartialEq)]
enum Flow {
    Go,
    Done,
}

impl Exchange<'_> {
    /// Makes the request and writes the answer, until it has settled.
    pub(super) async fn run(self, writer: &ResponseWriter) {
        let endpoint = self.transport.endpoint();
        let mut reader = Reader::new(writer, self.dialect, self.kind, endpoint);
        let answer = self.answer(&mut reader, writer);
        let outcome = within(endpoint.timeouts.total, Phase::Body, answer).await;
        reader.hand_over_calls();
        match outcome {
            Ok(()) => {
                self.dialect.completed(writer).await;
                writer.finish();
            }
            Err(error) => writer.fail(self.transport.presentable(error)),
        }
    }

    async fn answer(
        &self,
        reader: &mut Reader<'_>,
        writer: &ResponseWriter,
    ) -> Result<(), BackendError> {
        let path = match self.kind {
            Kind::Chat => "/chat/completions",
            Kind::Text => "/completions",
        };
        let accept = match self.delivery {
            Delivery::Streaming => Accept::Events,
            Delivery::Whole => Accept::Document,
        };
        let body = Json::object(self.dialect.finalise(self.body.clone()));
        let answer = self.transport.post(path, &body, accept).await?;
        writer.data();
        let answer: BodyBytes<'_> = answer.inspect(|_| writer.activity()).boxed();
        if self.delivery == Delivery::Whole {
            return self.whole(answer, reader).await;
        }
        let mut answer = answer.peekable();
        match begins_a_document(&mut answer).await {
            false => self.stream(answer.boxed(), reader).await,
            // Not every server streams when asked to.
            true => {
                self.whole(answer.boxed(), reader).await?;
                reader.check_finish_reason()
            }
        }
    }

    /// Reads an answer that is one document.
    async fn whole(
        &self,
        answer: BodyBytes<'_>,
        reader: &mut Reader<'_>,
    ) -> Result<(), BackendError> {
        let limit = self.transport.endpoint().max_answer_bytes;
        let text = read_text(answer, limit).await?;
        let document = text.trim_start().trim_start_matches('\u{feff}');
        let document = Json::parse(document).map_err(|error| {
            let message = format!("The answer is not JSON: {error}");
            BackendError::unknown(self.quoting(message, text.clone()))
        })?;
        reader.take_whole(&document)
    }

    async fn stream(
        &self,
        answer: BodyBytes<'_>,
        reader: &mut Reader<'_>,
    ) -> Result<(), BackendError> {
        let endpoint = self.transport.endpoint();
        let mut frames = Frames::new(answer, endpoint.max_answer_bytes);
        let done_seen = loop {
            match next_event(&mut frames, self.patience(reader)).await {
                None => break false,
                // The model has said its last word; only the bill may have been lost.
                Some(Err(error))
                    if error.class == ErrorClass::Connection && reader.has_finished_well() =>
                {
                    break false;
                }
                Some(Err(error)) => return Err(error),
                Some(Ok(event)) => {
                    if self.take(event, reader)? == Flow::Done {
                        break true;
                    }
                }
            }
        };
        let end = reader.check_end(done_seen);
        end.map_err(|error| match reader.has_begun() {
            true => error,
            // Whatever this was, it was no event stream.
            false => BackendError {
                message: self.quoting(error.message, frames.beginning()),
                ..error
            },
        })
    }

    /// How long the next event is waited for: as long as the whole answer may take, unless what
    /// follows is of little use.
    fn patience(&self, reader: &Reader<'_>) -> Option<Duration> {
        let timeouts = &self.transport.endpoint().timeouts;
        match (reader.is_lost(), reader.has_finished()) {
            (true, _) => Some(timeouts.drain),
            (false, true) => Some(timeouts.linger),
            (false, false) => None,
        }
    }

    /// A message, with the beginning of what was read in place of what was expected.
    fn quoting(&self, message: String, read: String) -> String {
        const ENOUGH: usize = 200;
        // The whole of a secret has to be seen to be recognised.
        let read = self.transport.secrets().scrub(read);
        let beginning: String = read.trim().chars().take(ENOUGH).collect();
        match beginning.is_empty() {
            true => message,
            false => format!("{message}; the answer begins with: {beginning}"),
        }
    }

    fn take(&self, event: Vec<Frame>, reader: &mut Reader<'_>) -> Result<Flow, BackendError> {
        for frame in event {
            match frame {
                Frame::Document(document) => reader.take(&document)?,
                Frame::Failure(text) => return Err(BackendError::response(text)),
                Frame::Broken => reader.lose(),
                Frame::Done => return Ok(Flow::Done),
            }
            // The continuation of a text has nothing after its end.
            if self.kind == Kind::Text && reader.has_finished_well() {
                return Ok(Flow::Done);
            }
        }
        Ok(Flow::Go)
    }
}

/// The next event; or the end, when none comes for as long as one is waited for.
async fn next_event(
    frames: &mut Frames<'_>,
    patience: Option<Duration>,
) -> Option<Result<Vec<Frame>, BackendError>> {
    match patience {
        None => frames.next().await,
        Some(limit) => {
            let next = tokio::time::timeout(limit, frames.next());
            next.await.unwrap_or_default()
        }
    }
}

/// Whether a body is one JSON document. No event stream begins with a bracket. Blank chunks, with
/// which some servers keep a connection alive, mean nothing and are dropped.
async fn begins_a_document(body: &mut Peekable<BodyBytes<'_>>) -> bool {
    while let Some(Ok(chunk)) = Pin::new(&mut *body).peek().await {
        match without_margin(chunk).first() {
            Some(byte) => return matches!(byte, b'{' | b'['),
            None => drop(body.next().await),
        }
    }
    false
}

/// Bytes without white space and byte order mark before them.
fn without_margin(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.trim_ascii_start();
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    bytes.trim_ascii_start()
}
