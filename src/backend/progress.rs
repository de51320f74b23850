//! An answer in progress: the reading end and the writing end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{BackendError, Response, Settled, Usage};
use crate::Json;

/// An answer being made: its text as it arrives, and the handle to everything else.
///
/// ```
/// use sess::backend::ResponseHandle;
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (writer, mut stream) = ResponseHandle::open("r1");
/// writer.push_text("Four");
/// writer.push_text(".");
/// writer.finish();
/// let mut text = String::new();
/// while let Some(fragment) = stream.fragments.recv().await {
///     text.push_str(&fragment);
/// }
/// assert_eq!(stream.handle.settled().await.text, text);
/// # });
/// ```
#[derive(Debug)]
pub struct ResponseStream {
    /// Reads the answer at any time.
    pub handle: ResponseHandle,
    /// The fragments of text in order, none of them empty; together they are the response's text.
    /// The channel closes when the response settles.
    pub fragments: mpsc::UnboundedReceiver<String>,
}

/// The reading end of an answer. Clones read the same answer. When the last one is dropped nobody
/// can read it any more, and it is cancelled.
///
/// ```
/// use sess::backend::ResponseHandle;
/// let (writer, stream) = ResponseHandle::open("r1");
/// writer.push_text("Fo");
/// assert_eq!(stream.handle.snapshot().text, "Fo");
/// assert!(stream.handle.cancel());
/// writer.push_text("ur.");
/// let response = stream.handle.snapshot();
/// assert_eq!((response.is_cancelled(), response.text.as_str()), (true, "Fo"));
/// ```
#[derive(Clone, Debug)]
pub struct ResponseHandle {
    reading: Arc<Reading>,
}

/// That somebody reads.
#[derive(Debug)]
struct Reading {
    shared: Arc<Shared>,
}

/// The writing end of an answer, held by whoever makes it.
///
/// What is written after the response has settled (by this end, or by a cancel) is ignored. A
/// writer that is dropped before that fails the response.
///
/// ```
/// use sess::backend::ResponseHandle;
/// let (writer, stream) = ResponseHandle::open("r1");
/// writer.push_text("Fo");
/// drop(writer);
/// let response = stream.handle.snapshot();
/// assert!(response.is_done() && !response.is_success());
/// ```
#[derive(Debug)]
pub struct ResponseWriter {
    shared: Arc<Shared>,
}

/// What a response has been silent about for too long. See [`ResponseHandle::silent`].
///
/// ```
/// use std::time::Duration;
/// use sess::backend::{ResponseHandle, Silence};
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let (_writer, stream) = ResponseHandle::open("r1");
/// let (activity, data) = (Duration::from_millis(1), Duration::from_secs(60));
/// assert_eq!(stream.handle.silent(activity, data).await, Silence::Bytes);
/// # });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// Nothing at all arrived.
    Bytes,
    /// Signs of life arrived (heartbeats), but no data.
    Data,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    settled: CancellationToken,
}

#[derive(Debug)]
struct State {
    response: Response,
    /// Present until the response settles.
    fragments: Option<mpsc::UnboundedSender<String>>,
    last_activity: Instant,
    last_data: Instant,
}

impl ResponseHandle {
    /// Both ends of a fresh response.
    pub fn open(id: impl Into<String>) -> (ResponseWriter, ResponseStream) {
        let (sender, fragments) = mpsc::unbounded_channel();
        let opened = Instant::now();
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                response: Response {
                    id: id.into(),
                    ..Response::default()
                },
                fragments: Some(sender),
                last_activity: opened,
                last_data: opened,
            }),
            settled: CancellationToken::new(),
        });
        let reading = Arc::new(Reading {
            shared: Arc::clone(&shared),
        });
        let handle = ResponseHandle { reading };
        let stream = ResponseStream { handle, fragments };
        (ResponseWriter { shared }, stream)
    }

    /// The response's id.
    pub fn id(&self) -> String {
        self.shared().lock().response.id.clone()
    }

    /// The answer as it stands.
    pub fn snapshot(&self) -> Response {
        self.shared().lock().response.clone()
    }

    /// Whether the response has ended, in any way.
    pub fn is_settled(&self) -> bool {
        self.shared().settled.is_cancelled()
    }

    /// Waits until the response has ended, and gives the whole of it.
    pub async fn settled(&self) -> Response {
        self.shared().settled.cancelled().await;
        self.snapshot()
    }

    /// When the last sign of life came: creation, headers, any bytes, a fragment, the end.
    pub fn last_activity(&self) -> Instant {
        self.shared().lock().last_activity
    }

    /// When the last data came: as [`last_activity`](Self::last_activity), but heartbeats do not
    /// count.
    pub fn last_data(&self) -> Instant {
        self.shared().lock().last_data
    }

    /// Waits until the response has been silent for longer than `activity`, or without data for
    /// longer than `data`. Never ends for a response that has settled.
    pub async fn silent(&self, activity: Duration, data: Duration) -> Silence {
        loop {
            let (bytes_due, data_due) = {
                let state = self.shared().lock();
                (
                    due(state.last_activity, activity),
                    due(state.last_data, data),
                )
            };
            let present = Instant::now();
            if self.is_settled() {
                std::future::pending::<()>().await;
            }
            if bytes_due < present {
                return Silence::Bytes;
            }
            if data_due < present {
                return Silence::Data;
            }
            let just_after = bytes_due.min(data_due) + Duration::from_millis(1);
            sleep_until(just_after).await;
        }
    }

    /// Settles the response as cancelled and tells its writer to stop. Does nothing to one that
    /// has settled. Says whether this is what ended it.
    pub fn cancel(&self) -> bool {
        self.shared().settle(Settled::Cancelled)
    }

    fn shared(&self) -> &Shared {
        &self.reading.shared
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.shared.settle(Settled::Cancelled);
    }
}

impl ResponseWriter {
    /// The answer as it stands.
    pub fn snapshot(&self) -> Response {
        self.shared.lock().response.clone()
    }

    /// Appends a fragment of text. An empty one is not passed on.
    pub fn push_text(&self, fragment: impl Into<String>) {
        let fragment = fragment.into();
        if fragment.is_empty() {
            return;
        }
        self.shared.write_data(|state| {
            state.response.text.push_str(&fragment);
            if let Some(sender) = &state.fragments {
                // A reader who listens no longer still has the text of the response.
                let _ = sender.send(fragment);
            }
        });
    }

    /// Appends reasoning.
    pub fn push_reasoning(&self, fragment: &str) {
        if fragment.is_empty() {
            return;
        }
        self.shared.write_data(|state| {
            let reasoning = state.response.reasoning.get_or_insert_default();
            reasoning.push_str(fragment);
        });
    }

    /// Replaces the assembled calls.
    pub fn set_tool_calls(&self, calls: Vec<Json>) {
        self.shared.write(|state| state.response.tool_calls = calls);
    }

    /// Stamps why the model stopped.
    pub fn set_finish_reason(&self, reason: impl Into<String>) {
        self.shared
            .write(|state| state.response.finish_reason = Some(reason.into()));
    }

    /// Takes over what `usage` reports.
    pub fn merge_usage(&self, usage: &Usage) {
        self.shared.write(|state| state.response.usage.merge(usage));
    }

    /// Stamps which model answers.
    pub fn set_model(&self, model: impl Into<String>) {
        self.shared
            .write(|state| state.response.model_used = Some(model.into()));
    }

    /// Counts one frame that could not be read.
    pub fn dropped_frame(&self) {
        self.shared
            .write(|state| state.response.dropped_frames += 1);
    }

    /// Notes a sign of life that is no data.
    pub fn activity(&self) {
        self.shared
            .write(|state| state.last_activity = Instant::now());
    }

    /// Notes that data arrived.
    pub fn data(&self) {
        self.shared.write_data(|_| ());
    }

    /// Whether the response has settled, so that nothing written is kept.
    pub fn is_settled(&self) -> bool {
        self.shared.settled.is_cancelled()
    }

    /// Waits until the response has settled; for whoever makes the answer that means: stop.
    pub async fn cancelled(&self) {
        self.shared.settled.cancelled().await;
    }

    /// Settles the response as done.
    pub fn finish(&self) {
        self.shared.settle(Settled::Done);
    }

    /// Settles the response as failed.
    pub fn fail(&self, error: BackendError) {
        self.shared.settle(Settled::Failed(error));
    }
}

impl Drop for ResponseWriter {
    fn drop(&mut self) {
        let abandoned = BackendError::unknown("The backend gave up the response without a reason");
        self.fail(abandoned);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No foreign code runs under the lock, so a poisoned state is whole all the same.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        if !state.response.is_done() {
            change(&mut state);
        }
    }

    fn write_data(&self, change: impl FnOnce(&mut State)) {
        self.write(|state| {
            let present = Instant::now();
            state.last_activity = present;
            state.last_data = present;
            change(state);
        });
    }

    fn settle(&self, outcome: Settled) -> bool {
        let mut settles = false;
        self.write_data(|state| {
            state.response.settled = outcome;
            state.fragments = None;
            settles = true;
        });
        // Outside the lock: waking a waiter may run code that reads the response.
        self.settled.cancel();
        settles
    }
}

/// A silence too long to be added is none.
fn due(since: Instant, allowed: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 3600);
    since
        .checked_add(allowed.min(FAR))
        .unwrap_or_else(|| since + FAR)
}
