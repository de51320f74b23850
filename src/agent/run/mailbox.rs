//! The driver's side of a run: publishes events, ends the run, and counts who may still publish.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{SetOnce, mpsc};
use tokio_util::sync::CancellationToken;

use super::RunResult;
use crate::agent::event::{Event, EventBody, NonTerminal, Terminal};
use crate::id::RunId;

/// What a run's owner, its driver and every producer share.
pub(in crate::agent) struct Mailbox {
    id: RunId,
    state: Mutex<State>,
    pub(super) result: SetOnce<RunResult>,
    /// Each is fired once and stays fired.
    pub(super) cancelled: CancellationToken,
    pub(super) drained: CancellationToken,
}

/// Guarded by one lock, which is held only to stamp and to send: never while foreign code runs.
struct State {
    next_seq: u64,
    /// Taken when the run ends, which ends the stream for its reader.
    sender: Option<mpsc::UnboundedSender<Arc<Event>>>,
    open_sections: usize,
    on_cancel: Option<Box<dyn FnOnce() + Send>>,
}

impl Mailbox {
    /// A live run and the reading end of its events. `on_cancel` is called once, when the run is
    /// cancelled while it lives.
    pub(in crate::agent) fn open(
        id: RunId,
        on_cancel: impl FnOnce() + Send + 'static,
    ) -> (Arc<Self>, mpsc::UnboundedReceiver<Arc<Event>>) {
        let (sender, events) = mpsc::unbounded_channel();
        let state = State {
            next_seq: 0,
            sender: Some(sender),
            open_sections: 0,
            on_cancel: Some(Box::new(on_cancel)),
        };
        let mailbox = Self {
            id,
            state: Mutex::new(state),
            result: SetOnce::new(),
            cancelled: CancellationToken::new(),
            drained: CancellationToken::new(),
        };
        (Arc::new(mailbox), events)
    }

    pub(in crate::agent) fn id(&self) -> &RunId {
        &self.id
    }

    pub(in crate::agent) fn result(&self) -> Option<&RunResult> {
        self.result.get()
    }

    /// Fired when the run is cancelled.
    pub(in crate::agent) fn cancellation(&self) -> &CancellationToken {
        &self.cancelled
    }

    pub(in crate::agent) fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    pub(in crate::agent) fn is_drained(&self) -> bool {
        self.drained.is_cancelled()
    }

    /// Publishes an event. `true`: it is accepted and has its place. `false`: the run has ended.
    pub(in crate::agent) fn emit(&self, body: impl NonTerminal) -> bool {
        let event = Event::new(body);
        self.state().publish(&self.id, event)
    }

    /// Ends the run: keeps the result, then publishes the terminal event. `false`: it has ended
    /// before.
    pub(in crate::agent) fn finish(&self, end: Terminal, result: RunResult) -> bool {
        let event = Event::new(EventBody::from(end));
        let mut state = self.state();
        if state.sender.is_none() || self.result.set(result).is_err() {
            return false;
        }
        state.publish(&self.id, event);
        state.sender = None;
        state.on_cancel = None;
        if state.open_sections == 0 {
            self.drained.cancel();
        }
        true
    }

    /// Asks the run to stop. Does nothing after the first time, or once the run has ended.
    pub(in crate::agent) fn cancel(&self) {
        let hook = {
            let mut state = self.state();
            if state.sender.is_none() || self.cancelled.is_cancelled() {
                return;
            }
            self.cancelled.cancel();
            state.on_cancel.take()
        };
        // A hook that panics is no reason for a cancel to fail.
        let _ = catch_unwind(AssertUnwindSafe(|| hook.map(|hook| hook())));
    }

    /// Opens a section of work that may publish; `None` once the run has ended. The run is not
    /// drained before the ticket is dropped.
    pub(in crate::agent) fn begin_work(self: &Arc<Self>) -> Option<WorkTicket> {
        let mut state = self.state();
        state.sender.as_ref()?;
        state.open_sections += 1;
        drop(state);
        Some(WorkTicket {
            mailbox: Arc::clone(self),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn publish(&mut self, run_id: &RunId, mut event: Event) -> bool {
        let Some(sender) = &self.sender else {
            return false;
        };
        event.run_id = Some(run_id.clone());
        event.seq = Some(self.next_seq);
        self.next_seq += 1;
        // Nobody has to listen.
        let _ = sender.send(Arc::new(event));
        true
    }
}

/// An open section of work. Dropping it closes the section.
pub(in crate::agent) struct WorkTicket {
    mailbox: Arc<Mailbox>,
}

impl WorkTicket {
    pub(in crate::agent) fn mailbox(&self) -> &Arc<Mailbox> {
        &self.mailbox
    }
}

impl Drop for WorkTicket {
    fn drop(&mut self) {
        let mut state = self.mailbox.state();
        state.open_sections -= 1;
        if state.open_sections == 0 && state.sender.is_none() {
            self.mailbox.drained.cancel();
        }
    }
}

/// Publishes into one run for ever, also for work that may outlive it.
///
/// ```
/// use sess::agent::event::{Log, LogData};
/// use sess::agent::{Emitter, RunHandle};
///
/// fn tell(run: &RunHandle) -> Emitter {
///     let emitter = run.emitter();
///     emitter.emit(Log {
///         level: "info".into(),
///         logger: Some("my-layer".into()),
///         data: LogData::Text("still here".into()),
///     });
///     emitter
/// }
/// ```
#[derive(Clone)]
pub struct Emitter {
    mailbox: Arc<Mailbox>,
}

impl Emitter {
    pub(in crate::agent) fn new(mailbox: Arc<Mailbox>) -> Self {
        Self { mailbox }
    }

    /// Publishes an event. `false`, and nothing happens, once the run has ended.
    pub fn emit(&self, event: impl NonTerminal) -> bool {
        let _ticket = self.mailbox.begin_work();
        self.mailbox.emit(event)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::agent::event::{RunCompleted, Token};
    use crate::agent::run::Outcome;

    fn token(text: &str) -> Token {
        Token {
            text: text.into(),
            round: None,
            attempt: None,
        }
    }

    fn finish(mailbox: &Mailbox) -> bool {
        let end = RunCompleted {
            final_text: String::new(),
            rounds: None,
            message_count: None,
        };
        let result = RunResult {
            outcome: Outcome::Completed {
                text: String::new(),
            },
            messages: Vec::new(),
            spent: None,
        };
        mailbox.finish(Terminal::RunCompleted(end), result)
    }

    fn drain(events: &mut mpsc::UnboundedReceiver<Arc<Event>>) -> Vec<(Option<u64>, String)> {
        std::iter::from_fn(|| events.try_recv().ok())
            .map(|event| (event.seq, event.kind().to_owned()))
            .collect()
    }

    // 12.3-19, 20, 22
    #[test]
    fn a_late_reader_gets_everything_and_the_terminal_is_last() {
        let (mailbox, mut events) = Mailbox::open(RunId::from("r"), || ());
        assert!(mailbox.emit(token("a")));
        assert!(finish(&mailbox));
        assert!(!mailbox.emit(token("b")));
        assert!(!finish(&mailbox));
        let expected = [
            (Some(0), "token".to_owned()),
            (Some(1), "run-completed".to_owned()),
        ];
        assert_eq!(drain(&mut events), expected);
        assert!(events.is_closed());
    }

    #[test]
    fn a_run_is_drained_when_it_has_ended_and_its_last_section_is_closed() {
        let (mailbox, _events) = Mailbox::open(RunId::from("r"), || ());
        let ticket = mailbox.begin_work().unwrap();
        drop(mailbox.begin_work());
        assert!(!mailbox.is_drained());
        finish(&mailbox);
        assert!(!mailbox.is_drained());
        assert!(mailbox.begin_work().is_none());
        drop(ticket);
        assert!(mailbox.is_drained());
    }

    // 12.3-23
    #[test]
    fn a_cancel_calls_its_hook_once_and_survives_its_panic() {
        let calls = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&calls);
        let (mailbox, _events) = Mailbox::open(RunId::from("r"), move || {
            seen.fetch_add(1, Ordering::SeqCst);
            panic!("a hook may be bad");
        });
        mailbox.cancel();
        mailbox.cancel();
        assert!(mailbox.is_cancelled());
        assert_eq!(calls.load(Ordering::SeqCst), 1);
        assert!(mailbox.result().is_none());
        assert!(mailbox.emit(token("still open")));
    }

    #[test]
    fn a_cancel_of_a_finished_run_does_nothing() {
        let (mailbox, _events) = Mailbox::open(RunId::from("r"), || panic!("never called"));
        finish(&mailbox);
        mailbox.cancel();
        assert!(!mailbox.is_cancelled());
    }

    // 12.3-24
    #[test]
    fn producers_racing_the_end_leave_one_terminal_and_no_gap() {
        for _ in 0..100 {
            let (mailbox, mut events) = Mailbox::open(RunId::from("r"), || ());
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| (0..200).all(|_| mailbox.emit(token("x"))));
                }
                scope.spawn(|| finish(&mailbox));
            });
            let seen = drain(&mut events);
            let seqs: Vec<_> = seen.iter().map(|(seq, _)| *seq).collect();
            assert_eq!(seqs, (0..seen.len() as u64).map(Some).collect::<Vec<_>>());
            let last = seen.last().map(|(_, kind)| kind.as_str());
            assert_eq!(last, Some("run-completed"));
            let ends = seen.iter().filter(|(_, kind)| kind == "run-completed");
            assert_eq!(ends.count(), 1);
        }
    }
}
