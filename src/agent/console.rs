//! Shows a run as it happens, line by line, to a person.

use std::io::{self, Write};

use super::event::{
    AssistantMessage, AttemptFailed, CompactionDone, Disposition, Event, EventBody, LimitReached,
    Log, LogData, RunFailed, RunResumed, ToolAbandoned, ToolCall, ToolProgress, ToolResult,
};
use crate::look::visible;

/// Writes events as text: what the model says as it says it, each call and its result, and
/// whatever goes wrong.
///
/// What is written cannot be taken back, so text of an attempt that failed is followed by a line
/// that says it is void. A turn that was not streamed, or not as it was committed, is written when
/// it is committed. Nothing a model or a tool says can drive the screen: all of it goes through
/// [`look::visible`](crate::look::visible).
///
/// ```
/// use sess::agent::Console;
/// use sess::agent::event::{Event, Token};
///
/// let mut out = Vec::new();
/// let mut console = Console::new(&mut out);
/// console.show(&Event::new(Token { text: "Hi\u{1b}[2J".into(), round: None, attempt: None }))?;
/// assert_eq!(String::from_utf8_lossy(&out), "Hi␛[2J");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Console<W> {
    out: W,
    /// What the model has said since its scope was opened.
    streamed: String,
    /// The line is not ended.
    mid_line: bool,
}

/// Columns of a line about arguments and results.
const COLUMNS: usize = 100;

impl<W: Write> Console<W> {
    /// A console that writes here.
    pub fn new(out: W) -> Self {
        Self {
            out,
            streamed: String::new(),
            mid_line: false,
        }
    }

    /// Shows an event.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn show(&mut self, event: &Event) -> io::Result<()> {
        match &event.body {
            EventBody::AttemptStarted(_) => {
                self.streamed.clear();
                Ok(())
            }
            EventBody::Token(token) => self.say(&token.text),
            EventBody::AttemptFailed(failed) => self.attempt_failed(failed),
            EventBody::AssistantMessage(turn) => self.turn(turn),
            EventBody::TurnDiscarded(turn) => self.void(turn.reason.as_str()),
            EventBody::ToolCall(call) => self.call(call),
            EventBody::ToolProgress(note) => self.progress(note),
            EventBody::ToolResult(result) => self.result(result),
            EventBody::ToolAbandoned(call) => self.abandoned(call),
            EventBody::AskPending(ask) => self.note("asks: ", &text(&ask.request)),
            EventBody::Log(log) => self.log(log),
            EventBody::LimitReached(limit) => self.limit(limit),
            EventBody::CompactionDone(pass) => self.compacted(pass),
            EventBody::BackgroundOpDelivered(work) => {
                self.note("background work has ended: ", &work.op_kind)
            }
            EventBody::RunParked(parked) => self.note(
                "waiting for background work: ",
                &parked.outstanding.to_string(),
            ),
            EventBody::RunResumed(resumed) => self.resumed(resumed),
            EventBody::RunFailed(failed) => self.failed(failed),
            EventBody::RunCancelled(_) => self.note("cancelled", ""),
            EventBody::RunCompleted(_) => self.end_line(),
            _ => Ok(()),
        }
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        self.streamed.push_str(text);
        self.mid_line = !text.ends_with('\n');
        self.out.write_all(visible::lines(text).as_bytes())?;
        self.out.flush()
    }

    fn turn(&mut self, turn: &AssistantMessage) -> io::Result<()> {
        if self.streamed != turn.message.content {
            self.void("replaced")?;
            self.say(&turn.message.content)?;
        }
        self.streamed.clear();
        self.end_line()
    }

    /// Takes back what was said in the present scope.
    fn void(&mut self, reason: &str) -> io::Result<()> {
        match std::mem::take(&mut self.streamed).is_empty() {
            true => Ok(()),
            false => self.note("the text above is void: ", reason),
        }
    }

    fn attempt_failed(&mut self, failed: &AttemptFailed) -> io::Result<()> {
        self.void("the attempt failed")?;
        let next = match failed.disposition {
            Disposition::RetrySame { backoff } => format!("asking again in {backoff:.1}s"),
            Disposition::Advance => "going on to the next backend, if any".to_owned(),
            Disposition::Abort => "giving up".to_owned(),
        };
        self.note(&format!("attempt failed, {next}: "), &failed.error)
    }

    fn call(&mut self, call: &ToolCall) -> io::Result<()> {
        let arguments = call.arguments.as_ref().map(text).unwrap_or_default();
        self.note("-> ", &format!("{} {arguments}", call.name))
    }

    fn progress(&mut self, note: &ToolProgress) -> io::Result<()> {
        let of = note
            .total
            .map(|total| format!(" of {total}"))
            .unwrap_or_default();
        let message = note.message.as_deref().unwrap_or_default();
        self.note(".. ", &format!("{}{of} {message}", note.progress))
    }

    fn result(&mut self, result: &ToolResult) -> io::Result<()> {
        let mark = if result.is_error { "<- error: " } else { "<- " };
        self.note(mark, &result.content)
    }

    fn abandoned(&mut self, call: &ToolAbandoned) -> io::Result<()> {
        let mark = if call.dispatched {
            "<- outcome unknown: "
        } else {
            "<- did not run: "
        };
        self.note(mark, &format!("{} ({})", call.name, call.reason))
    }

    fn log(&mut self, log: &Log) -> io::Result<()> {
        let data = match &log.data {
            LogData::Text(text) => text.clone(),
            LogData::Record(record) => record
                .get_str("message")
                .unwrap_or_else(|| record.compact()),
        };
        self.note("", &format!("{}: {data}", log.level))
    }

    fn limit(&mut self, limit: &LimitReached) -> io::Result<()> {
        let max = limit
            .max
            .map(|max| format!(" of {max}"))
            .unwrap_or_default();
        self.note(
            "tools are switched off: ",
            &format!("the limit{max} on {} is reached", limit.limit),
        )
    }

    fn compacted(&mut self, pass: &CompactionDone) -> io::Result<()> {
        let size = |tokens: Option<u64>| {
            tokens.map_or_else(|| "?".to_owned(), |tokens| tokens.to_string())
        };
        let (before, after) = (size(pass.tokens_before), size(pass.tokens_after));
        self.note(
            "conversation made smaller: ",
            &format!("{before} to {after} tokens"),
        )
    }

    fn resumed(&mut self, resumed: &RunResumed) -> io::Result<()> {
        self.note("going on: ", resumed.reason.as_str())
    }

    fn failed(&mut self, failed: &RunFailed) -> io::Result<()> {
        self.note("failed: ", &failed.error)
    }

    /// A line of its own: the mark as it is, the text made visible and cut to fit.
    fn note(&mut self, mark: &str, text: &str) -> io::Result<()> {
        self.end_line()?;
        writeln!(self.out, "[{mark}{}]", visible::excerpt(text, COLUMNS))?;
        self.out.flush()
    }

    fn end_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.mid_line) {
            writeln!(self.out)?;
        }
        Ok(())
    }
}

/// A string as its text, anything else as JSON.
fn text(json: &crate::Json) -> String {
    json.as_str()
        .map_or_else(|| json.text().to_owned(), |text| text.into_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::agent::event::{
        AbandonReason, AttemptStarted, DiscardReason, RunCompleted, Token, TurnDiscarded,
    };
    use crate::backend::Usage;
    use crate::{Json, Message};

    fn shown(bodies: Vec<EventBody>) -> String {
        let mut out = Vec::new();
        let mut console = Console::new(&mut out);
        for body in bodies {
            console.show(&Event::new(body)).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    fn started() -> EventBody {
        let attempt = AttemptStarted {
            round: 1,
            attempt: 1,
            backend_index: 0,
            model: "m".into(),
        };
        attempt.into()
    }

    fn token(text: &str) -> EventBody {
        Token {
            text: text.into(),
            round: None,
            attempt: None,
        }
        .into()
    }

    fn turn(text: &str) -> EventBody {
        AssistantMessage {
            message: Arc::new(Message::assistant(text)),
            reasoning: None,
            round: None,
        }
        .into()
    }

    fn failed() -> EventBody {
        let failed = AttemptFailed {
            round: 1,
            attempt: 1,
            backend_index: 0,
            model: None,
            error: "[backend 0] oops\u{1b}[2J".into(),
            error_class: None,
            error_status: None,
            disposition: Disposition::RetrySame { backoff: 1.26 },
            usage: Usage::default(),
        };
        failed.into()
    }

    #[test]
    fn text_that_is_taken_back_is_marked() {
        let story = vec![
            started(),
            token("Hel"),
            token("lo"),
            failed(),
            started(),
            token("Hello.\n"),
            turn("Hello.\n"),
        ];
        assert_eq!(
            shown(story),
            "Hello\n[the text above is void: the attempt failed]\n[attempt failed, asking again in 1.3s: [backend 0] oops␛[2J]\nHello.\n"
        );
        let discarded = TurnDiscarded {
            reason: DiscardReason::Limit,
            round: None,
        };
        assert_eq!(
            shown(vec![started(), token("I will"), discarded.into()]),
            "I will\n[the text above is void: limit]\n"
        );
    }

    #[test]
    fn nothing_is_said_of_text_that_was_never_shown() {
        let discarded = TurnDiscarded {
            reason: DiscardReason::Failed,
            round: None,
        };
        assert_eq!(shown(vec![started(), discarded.into()]), "");
        assert_eq!(shown(vec![turn("Not streamed.")]), "Not streamed.\n");
    }

    #[test]
    fn calls_and_their_ends_have_lines_of_their_own() {
        let call = ToolCall {
            id: "c".into(),
            name: "read".into(),
            arguments: Some(Json::string("{\"path\":\"a\"}")),
            round: None,
        };
        let result = ToolResult {
            id: "c".into(),
            name: Some("read".into()),
            content: "one\ntwo".into(),
            is_error: true,
            artifact: None,
            round: None,
        };
        let abandoned = |dispatched| ToolAbandoned {
            id: "d".into(),
            name: "write".into(),
            reason: AbandonReason::Cancelled,
            dispatched,
            round: None,
        };
        let end = RunCompleted {
            final_text: String::new(),
            rounds: None,
            message_count: None,
        };
        let story = vec![
            started(),
            token("Look"),
            turn("Look"),
            call.into(),
            result.into(),
            abandoned(true).into(),
            abandoned(false).into(),
            EventBody::RunCompleted(end),
        ];
        assert_eq!(
            shown(story),
            "Look\n[-> read {\"path\":\"a\"}]\n[<- error: one⏎two]\n[<- outcome unknown: write (cancelled)]\n[<- did not run: write (cancelled)]\n"
        );
    }
}
