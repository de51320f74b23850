//! A backend of canned answers, for applications that want to run without a model.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::step::pause;
use super::{Backend, BackendError, CallKind, Request, Response, ResponseHandle, ResponseStream};
use super::{ResponseWriter, Usage};
use crate::clock::{Clock, SystemClock};
use crate::{Json, Message};

/// A backend that gives canned answers in order and then repeats the last, word by word with a
/// pause before the first.
///
/// What one call answers is found in this order: an error for it, what the responder says, the next
/// canned answer. Calls are counted from 0, whichever way they are made.
///
/// ```
/// use sess::Message;
/// use sess::backend::{Backend, MockBackend, Request};
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let backend = MockBackend::new(["Hello there.", "Goodbye."]);
/// for expected in ["Hello there.", "Goodbye.", "Goodbye."] {
///     let response = backend.complete(Request::new([Message::user("Hi")])).await;
///     assert_eq!(response.text, expected);
/// }
/// # });
/// ```
pub struct MockBackend {
    answers: Vec<String>,
    repeats: bool,
    usage: Usage,
    initial_delay: Duration,
    fragment_delay: Duration,
    split: Box<Splitter>,
    errors: Option<Box<ByIndex<BackendError>>>,
    finish_reasons: Option<Box<ByIndex<String>>>,
    responder: Option<Box<Responder>>,
    state: Mutex<State>,
}

type Splitter = dyn Fn(&str) -> Vec<String> + Send + Sync;
type ByIndex<T> = dyn Fn(usize) -> Option<T> + Send + Sync;
type Responder = dyn Fn(&[Arc<Message>]) -> Option<String> + Send + Sync;

/// One call a [`MockBackend`] answered.
///
/// ```
/// use sess::Message;
/// use sess::backend::{Backend, MockBackend, Request};
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let backend = MockBackend::new(["Hello there."]);
/// backend.complete(Request::new([Message::user("Hi")])).await;
/// assert_eq!(backend.recorded()[0].answer.as_deref(), Ok("Hello there."));
/// # });
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MockCall {
    /// How it was asked.
    pub kind: CallKind,
    /// The conversation.
    pub messages: Vec<Arc<Message>>,
    /// The tools on offer.
    pub tools: Vec<Json>,
    /// What it answered.
    pub answer: Result<String, BackendError>,
    /// When it was asked.
    pub time: SystemTime,
}

#[derive(Default)]
struct State {
    calls_made: usize,
    next: usize,
    recorded: Vec<MockCall>,
}

impl MockBackend {
    /// A backend of these answers.
    pub fn new<T: Into<String>>(answers: impl IntoIterator<Item = T>) -> Self {
        Self {
            answers: answers.into_iter().map(Into::into).collect(),
            repeats: true,
            usage: Usage::default(),
            initial_delay: Duration::from_millis(10),
            fragment_delay: Duration::ZERO,
            split: Box::new(after_spaces),
            errors: None,
            finish_reasons: None,
            responder: None,
            state: Mutex::default(),
        }
    }

    /// Fails where the answers have run out, instead of repeating the last.
    pub fn failing_when_exhausted(mut self) -> Self {
        self.repeats = false;
        self
    }

    /// Reports this as the cost of every answer.
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Waits before the first fragment and between fragments.
    pub fn with_delays(mut self, initial: Duration, between: Duration) -> Self {
        self.initial_delay = initial;
        self.fragment_delay = between;
        self
    }

    /// Splits an answer into fragments in another way than after white space.
    pub fn with_splitter(
        mut self,
        split: impl Fn(&str) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.split = Box::new(split);
        self
    }

    /// Fails the calls for which this gives an error. No canned answer is used up by that.
    pub fn with_errors(
        mut self,
        errors: impl Fn(usize) -> Option<BackendError> + Send + Sync + 'static,
    ) -> Self {
        self.errors = Some(Box::new(errors));
        self
    }

    /// Gives the calls that are not streaming another finish reason than `stop`. They succeed all
    /// the same.
    pub fn with_finish_reasons(
        mut self,
        reasons: impl Fn(usize) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.finish_reasons = Some(Box::new(reasons));
        self
    }

    /// Answers by the conversation. Where it has no answer, the next canned one is given.
    pub fn with_responder(
        mut self,
        responder: impl Fn(&[Arc<Message>]) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.responder = Some(Box::new(responder));
        self
    }

    /// How many calls were made.
    pub fn call_index(&self) -> usize {
        self.state().calls_made
    }

    /// The canned answer that comes next.
    pub fn peek_next(&self) -> Option<String> {
        let next = self.state().next;
        self.canned(next).cloned()
    }

    /// The calls so far.
    pub fn recorded(&self) -> Vec<MockCall> {
        self.state().recorded.clone()
    }

    /// Forgets the calls so far.
    pub fn clear_recorded(&self) {
        self.state().recorded.clear();
    }

    /// Begins again: with the first answer, the first call, and nothing recorded.
    pub fn reset(&self) {
        *self.state() = State::default();
    }

    fn canned(&self, next: usize) -> Option<&String> {
        let last = self.answers.last().filter(|_| self.repeats);
        self.answers.get(next).or(last)
    }

    /// The number of the call, and what it is answered.
    fn answer(&self, kind: CallKind, request: Request) -> (usize, Result<String, BackendError>) {
        let index = {
            let mut state = self.state();
            state.calls_made += 1;
            state.calls_made - 1
        };
        // What applications bring along runs without the lock.
        let error = self.errors.as_ref().and_then(|errors| errors(index));
        let answer = match (error, &self.responder) {
            (Some(error), _) => Err(error),
            (None, Some(respond)) => match respond(&request.messages) {
                Some(answer) => Ok(answer),
                None => self.next_canned(),
            },
            (None, None) => self.next_canned(),
        };
        self.state().recorded.push(MockCall {
            kind,
            messages: request.messages,
            tools: request.tools,
            answer: answer.clone(),
            time: SystemClock.now(),
        });
        (index, answer)
    }

    fn next_canned(&self) -> Result<String, BackendError> {
        let mut state = self.state();
        let canned = self.canned(state.next).cloned();
        state.next += 1;
        canned.ok_or_else(|| BackendError::unknown("The canned answers have run out"))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for MockBackend {
    fn model(&self) -> Option<String> {
        Some("mock".to_owned())
    }

    fn max_tokens(&self) -> Option<u64> {
        None
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<ResponseStream, BackendError>> {
        let (index, answer) = self.answer(CallKind::Stream, request);
        let (writer, stream) = ResponseHandle::open(format!("mock-{index}"));
        let fragments = answer.map(|text| (self.split)(&text));
        let usage = self.usage.clone();
        let (initial, between) = (self.initial_delay, self.fragment_delay);
        async move {
            tokio::spawn(async move {
                let told = tell(&writer, fragments, initial, between);
                tokio::select! {
                    told = told => {
                        writer.merge_usage(&usage);
                        settle(&writer, told, "stop");
                    }
                    () = writer.cancelled() => (),
                }
            });
            Ok(stream)
        }
        .boxed()
    }

    fn complete(&self, request: Request) -> BoxFuture<'_, Response> {
        let (index, answer) = self.answer(CallKind::Blocking, request);
        let (writer, stream) = ResponseHandle::open(format!("mock-{index}"));
        let reason = self
            .finish_reasons
            .as_ref()
            .and_then(|reasons| reasons(index));
        writer.merge_usage(&self.usage);
        let told = answer.map(|text| writer.push_text(text));
        settle(&writer, told, reason.as_deref().unwrap_or("stop"));
        async move { stream.handle.snapshot() }.boxed()
    }
}

async fn tell(
    writer: &ResponseWriter,
    fragments: Result<Vec<String>, BackendError>,
    initial: Duration,
    between: Duration,
) -> Result<(), BackendError> {
    pause(initial).await;
    for (index, fragment) in fragments?.into_iter().enumerate() {
        if index > 0 {
            pause(between).await;
        }
        writer.push_text(fragment);
    }
    Ok(())
}

fn settle(writer: &ResponseWriter, told: Result<(), BackendError>, reason: &str) {
    match told {
        Ok(()) => {
            writer.set_finish_reason(reason);
            writer.finish();
        }
        Err(error) => writer.fail(error),
    }
}

/// Pieces that end after white space; together they are the text.
fn after_spaces(text: &str) -> Vec<String> {
    text.split_inclusive(char::is_whitespace)
        .map(str::to_owned)
        .collect()
}

impl std::fmt::Debug for MockBackend {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("MockBackend")
            .field("answers", &self.answers)
            .field("calls_made", &self.state().calls_made)
            .finish_non_exhaustive()
    }
}
