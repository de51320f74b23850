//! The pass that makes a [`Timeline`].

use std::io::{self, Read};
use std::ops::ControlFlow;

use chrono::{DateTime, Utc};

use super::open::{OpenCall, OpenCalls};
use super::round::{CallSpan, Ending, Fold, FoldKind, MOST_SPANS, Round};
use super::tools::ToolStats;
use crate::clock::parse_utc;
use crate::look::entry::calls_of;
use crate::look::summary::{Tally, Tokens};
use crate::message::Role;
use crate::session::envelope::{Envelope, Verdict};
use crate::session::judge::each_line;
use crate::session::payload::{DispatchView, MessageView, Outcome, Payload, SettleView, elided};

/// How a run went along.
///
/// ```
/// use std::fs::File;
/// use sess::look::timeline::Timeline;
/// let timeline = Timeline::of(File::open("samples/sessions/two-compactions.jsonl")?)?;
/// assert_eq!(timeline.folds.len(), 3);
/// for round in &timeline.rounds {
///     println!("line {}: {} calls", round.line, round.calls);
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// The rounds in file order.
    pub rounds: Vec<Round>,
    /// Calls by tool, in the order of first appearance.
    pub tools: Tally<ToolStats>,
    /// Where the conversation became shorter.
    pub folds: Vec<Fold>,
    /// The usage of all rounds and summaries added up.
    pub tokens: Tokens,
}

impl Timeline {
    /// Reads the source to its end. Memory grows with the rounds and the folds, not with the text.
    pub fn of(source: impl Read) -> io::Result<Self> {
        let mut timeliner = Timeliner::default();
        each_line(source, |line, verdict| {
            timeliner.line(line.number, &verdict);
            ControlFlow::<()>::Continue(())
        })?;
        Ok(timeliner.timeline)
    }
}

/// The pass, fed line by line in file order.
///
/// ```
/// use std::ops::ControlFlow;
/// use sess::look::timeline::Timeliner;
/// use sess::session::judge::each_line;
/// let line = r#"{"id":"a","payload":{"content":"Hi","role":"assistant"},"ts":"","type":"message","v":1}"#;
/// let mut timeliner = Timeliner::default();
/// each_line(line.as_bytes(), |line, verdict| {
///     timeliner.line(line.number, &verdict);
///     ControlFlow::<()>::Continue(())
/// })?;
/// assert_eq!(timeliner.timeline().rounds.len(), 1);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Timeliner {
    timeline: Timeline,
    open: OpenCalls,
    /// The time of the envelope before.
    before: Option<DateTime<Utc>>,
    /// Messages of the user so far.
    turn: u64,
}

impl Timeliner {
    /// How things stand after the lines so far.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Merges neighbouring rounds until there are at most so many, for somebody who wants an outline
    /// of a run of any length in little memory. A merged round has the first one's line and the
    /// larger of both prompts, counts the calls of both, and has no spans.
    pub fn thin_out(&mut self, most: usize) {
        while self.timeline.rounds.len() > most.max(1) {
            let rounds = std::mem::take(&mut self.timeline.rounds);
            let merged = rounds.chunks(2).map(|pair| match pair {
                [first, second] => first.merged(second),
                rest => rest.first().cloned().unwrap_or_default(),
            });
            self.timeline.rounds = merged.collect();
            for fold in &mut self.timeline.folds {
                fold.after_rounds /= 2;
            }
            self.open.halve_rounds();
        }
    }

    /// Takes the next line in, which has this number. Lines that are damaged, or not what they
    /// claim to be, change nothing.
    pub fn line(&mut self, number: u64, verdict: &Verdict<'_>) {
        let Verdict::Object(envelope) = verdict else {
            return;
        };
        let Ok(payload) = Payload::of(envelope) else {
            return;
        };
        let time = parse_utc(&envelope.ts());
        match &payload {
            Payload::Message(view) => self.message(number, view, time),
            Payload::ToolDispatched(view) => self.dispatched(envelope, view),
            Payload::ToolSettled(view) => self.settled(view, time),
            Payload::Compaction(view) => {
                let tokens = view.tokens();
                let fallback = view.fallback();
                if let Some(usage) = view.usage() {
                    self.timeline.tokens.add(usage);
                }
                self.folded(number, time, FoldKind::Compaction { tokens, fallback });
            }
            Payload::Elision(items) => {
                self.folded(number, time, FoldKind::Elision(elided(items)));
            }
            _ => {}
        }
        self.before = time.or(self.before);
    }

    fn message(&mut self, line: u64, view: &MessageView<'_>, time: Option<DateTime<Utc>>) {
        match view.role {
            Role::Assistant => self.round(line, view, time),
            Role::Tool => self.answered(view, time),
            Role::User => self.turn += 1,
            Role::System => {}
        }
    }

    fn round(&mut self, line: u64, view: &MessageView<'_>, time: Option<DateTime<Utc>>) {
        let mut round = Round {
            line,
            turn: self.turn,
            asked: self.before,
            answered: time,
            ended: time,
            ..Round::default()
        };
        if let Some(usage) = view.extra("usage") {
            round.tokens.add(usage);
            self.timeline.tokens.add(usage);
        }
        let place = self.timeline.rounds.len();
        for call in calls_of(view) {
            round.calls += 1;
            self.timeline.tools.of(&call.name).calls += 1;
            let span = (round.spans.len() < MOST_SPANS).then(|| {
                round.spans.push(CallSpan {
                    tool: self.timeline.tools.place(&call.name),
                    ..CallSpan::default()
                });
                round.spans.len() - 1
            });
            self.open.push(OpenCall {
                call_id: call.id.into_owned(),
                tool: call.name.into_owned(),
                round: Some(place),
                span,
                ..OpenCall::default()
            });
        }
        self.timeline.rounds.push(round);
    }

    fn dispatched(&mut self, envelope: &Envelope<'_>, view: &DispatchView<'_>) {
        let op_id = envelope.id().unwrap_or_default().into_owned();
        let call_id = view.call_id();
        if let Some(call) = self.open.undispatched(&call_id) {
            call.op_id = Some(op_id);
            return;
        }
        let tool = view.tool();
        self.timeline.tools.of(&tool).calls += 1;
        self.open.push(OpenCall {
            call_id,
            op_id: Some(op_id),
            tool,
            ..OpenCall::default()
        });
    }

    fn answered(&mut self, view: &MessageView<'_>, time: Option<DateTime<Utc>>) {
        let call_id = view.tool_call_id().unwrap_or_default();
        let Some(call) = self.open.unanswered(&call_id) else {
            return;
        };
        call.answered = true;
        let ending = match (view.flag("outcome-unknown"), view.flag("is-error")) {
            (true, _) => Some(Ending::Unknown),
            (_, true) => Some(Ending::Failed),
            // The work goes on.
            _ if view.flag("background") => None,
            _ => Some(Ending::Completed),
        };
        let bytes = view.content().len() as u64;
        self.timeline.tools.of(&call.tool).result_bytes += bytes;
        self.timeline.came_to(call, ending, None, time);
        self.open.forget_ended();
    }

    fn settled(&mut self, view: &SettleView<'_>, time: Option<DateTime<Utc>>) {
        // A second settling contradicts the first, which counts.
        let call = self.open.of_operation(&view.op_id);
        let Some(call) = call.filter(|call| !call.settled) else {
            return;
        };
        call.settled = true;
        let ending = match view.outcome {
            Outcome::Completed => Ending::Completed,
            Outcome::Failed => Ending::Failed,
            Outcome::OutcomeUnknown => Ending::Unknown,
        };
        let is_sound = |seconds: &f64| seconds.is_finite() && *seconds >= 0.0;
        let seconds = view.seconds().filter(is_sound);
        self.timeline.came_to(call, Some(ending), seconds, time);
        self.open.forget_ended();
    }

    fn folded(&mut self, line: u64, time: Option<DateTime<Utc>>, kind: FoldKind) {
        self.timeline.folds.push(Fold {
            line,
            after_rounds: self.timeline.rounds.len(),
            time,
            kind,
        });
    }
}

impl Timeline {
    /// Notes what a line says about the end of a call. A bad end is counted once, whether the
    /// answer reports it, the settling, or both.
    fn came_to(
        &mut self,
        call: &mut OpenCall,
        ending: Option<Ending>,
        seconds: Option<f64>,
        time: Option<DateTime<Utc>>,
    ) {
        let stats = self.tools.of(&call.tool);
        if let Some(seconds) = seconds {
            stats.took(seconds);
        }
        let round = call.round.and_then(|place| self.rounds.get_mut(place));
        let is_first = !call.counted;
        let (failed, unknown) = match ending {
            Some(Ending::Failed) if is_first => (1, 0),
            Some(Ending::Unknown) if is_first => (0, 1),
            _ => (0, 0),
        };
        call.counted |= failed + unknown > 0;
        stats.failures += failed;
        stats.unknown += unknown;
        let Some(round) = round else {
            return;
        };
        round.failures += failed;
        round.unknown += unknown;
        round.ended = time.or(round.ended);
        if let Some(span) = call.span.and_then(|place| round.spans.get_mut(place)) {
            span.ending = ending.unwrap_or(span.ending);
            span.seconds = seconds.or(span.seconds);
        }
    }
}
