//! A backend that does what a script says, for tests of anything that uses backends.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::{Backend, BackendError, Request, Response, ResponseHandle, ResponseStream};
use super::{ResponseWriter, Step};
use crate::{Json, Message};

/// A backend that takes one [`Step`] for each call, streaming or not, and records what it was
/// asked. The script may be extended while it is used; a call for which no step is left fails.
///
/// Delays are waited for on tokio's clock, so a test that pauses it takes no time.
///
/// ```
/// use sess::Message;
/// use sess::backend::{Backend, Request, ScriptedBackend, Step};
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let backend = ScriptedBackend::new([Step::text("Hello.")]);
/// let request = Request::new([Message::user("Hi")]);
/// let response = backend.stream(request).await.unwrap().handle.settled().await;
/// assert_eq!(response.text, "Hello.");
/// assert_eq!(backend.calls()[0].messages[0].content, "Hi");
/// # });
/// ```
#[derive(Debug)]
pub struct ScriptedBackend {
    model: Option<String>,
    max_tokens: Option<u64>,
    state: Mutex<State>,
}

/// How an answer was asked for.
///
/// ```
/// use sess::Message;
/// use sess::backend::{Backend, CallKind, Request, ScriptedBackend, Step};
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let backend = ScriptedBackend::new([Step::text("Hello.")]);
/// backend.stream(Request::new([Message::user("Hi")])).await.unwrap().handle.settled().await;
/// assert_eq!(backend.calls()[0].kind, CallKind::Stream);
/// # });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// Fragment by fragment.
    Stream,
    /// As a whole.
    Blocking,
}

/// What a [`ScriptedBackend`] was asked.
///
/// ```
/// use sess::Message;
/// use sess::backend::{Backend, CallKind, Request, ScriptedBackend, Step};
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let backend = ScriptedBackend::new([Step::text("Hello.")]);
/// backend.complete(Request::new([Message::user("Hi")])).await;
/// let call = &backend.calls()[0];
/// assert_eq!((call.kind, call.messages.len()), (CallKind::Blocking, 1));
/// # });
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedCall {
    /// The conversation.
    pub messages: Vec<Arc<Message>>,
    /// The tools on offer.
    pub tools: Vec<Json>,
    /// What it did; `None` when the script had ended.
    pub step: Option<Step>,
    /// How it was asked.
    pub kind: CallKind,
    /// The id of its response: `scripted-stream-1`, `scripted-blocking-2`, …
    pub response_id: String,
}

#[derive(Debug, Default)]
struct State {
    steps: VecDeque<Step>,
    calls: Vec<RecordedCall>,
    cancelled: Vec<String>,
}

impl ScriptedBackend {
    /// A backend of this script, called `scripted-model`, with the default cap of 256 tokens.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            model: Some("scripted-model".to_owned()),
            max_tokens: Some(256),
            state: Mutex::new(State {
                steps: steps.into_iter().collect(),
                ..State::default()
            }),
        }
    }

    /// The same backend under another model name, or under none.
    pub fn with_model(mut self, model: Option<&str>) -> Self {
        self.model = model.map(str::to_owned);
        self
    }

    /// The same backend with another cap on the answer, or none.
    pub fn with_max_tokens(mut self, max_tokens: Option<u64>) -> Self {
        self.max_tokens = max_tokens;
        self
    }

    /// Adds a step at the end of the script.
    pub fn push(&self, step: Step) {
        self.state().steps.push_back(step);
    }

    /// How many steps are left.
    pub fn steps_left(&self) -> usize {
        self.state().steps.len()
    }

    /// The calls so far, oldest first.
    pub fn calls(&self) -> Vec<RecordedCall> {
        self.state().calls.clone()
    }

    /// The ids of the responses that were to be cancelled, in order, each as often as it was.
    pub fn cancelled(&self) -> Vec<String> {
        self.state().cancelled.clone()
    }

    fn begin(&self, kind: CallKind, request: Request) -> (Result<Step, BackendError>, String) {
        let mut state = self.state();
        let number = state.calls.len() + 1;
        let response_id = match kind {
            CallKind::Stream => format!("scripted-stream-{number}"),
            CallKind::Blocking => format!("scripted-blocking-{number}"),
        };
        let step = state.steps.pop_front();
        state.calls.push(RecordedCall {
            messages: request.messages,
            tools: request.tools,
            step: step.clone(),
            kind,
            response_id: response_id.clone(),
        });
        let exhausted =
            || BackendError::response(format!("The script has no step for call {number}"));
        (step.ok_or_else(exhausted), response_id)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for ScriptedBackend {
    fn model(&self) -> Option<String> {
        self.model.clone()
    }

    fn max_tokens(&self) -> Option<u64> {
        self.max_tokens
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<ResponseStream, BackendError>> {
        let (step, id) = self.begin(CallKind::Stream, request);
        let (writer, stream) = ResponseHandle::open(id);
        let model = self.model.clone();
        async move {
            match step {
                Ok(step) => drop(tokio::spawn(play_until_cancelled(step, model, writer))),
                Err(error) => writer.fail(error),
            }
            Ok(stream)
        }
        .boxed()
    }

    fn complete(&self, request: Request) -> BoxFuture<'_, Response> {
        let (step, id) = self.begin(CallKind::Blocking, request);
        let (writer, stream) = ResponseHandle::open(id);
        async move {
            match step {
                Ok(step) if step.stall => {
                    writer.fail(BackendError::response(
                        "A step that stalls cannot answer a call that is not streaming",
                    ));
                }
                Ok(step) => step.play(self.model.as_deref(), &writer).await,
                Err(error) => writer.fail(error),
            }
            stream.handle.snapshot()
        }
        .boxed()
    }

    fn cancel(&self, response: &ResponseHandle) {
        self.state().cancelled.push(response.id());
        response.cancel();
    }
}

async fn play_until_cancelled(step: Step, model: Option<String>, writer: ResponseWriter) {
    let play = async {
        step.play(model.as_deref(), &writer).await;
        if step.stall {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = play => (),
        () = writer.cancelled() => (),
    }
}
