//! How a transcript ends, in a sentence.

use crate::look::check::Health;
use crate::look::human::counted;
use crate::message::Role;
use crate::session::operations::{CallState, OpenCall};
use crate::session::payload::{MessageView, text_of};

use super::Summary;

/// The last turn of a conversation; what the system says is none.
///
/// ```
/// use sess::look::summary::{LastTurn, summarise};
/// let lines = r#"{"id":"0","payload":{},"ts":"","type":"session-meta","v":1}
/// {"id":"a","payload":{"content":"Hi","finish-reason":"stop","role":"assistant"},"ts":"","type":"message","v":1}"#;
/// let counts = summarise(lines.as_bytes())?.counts;
/// assert_eq!(counts.last_turn, LastTurn::Answer(Some("stop".into())));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LastTurn {
    /// Nobody has said anything.
    #[default]
    None,
    /// The user's.
    User,
    /// The model's, without calls: it has answered. With the reason the provider gave for the end.
    Answer(Option<String>),
    /// The model's, with calls.
    Calls,
    /// A tool's.
    Tool,
}

/// How far a transcript has come. It speaks of the file; whether its writer still runs cannot be
/// read from it.
///
/// ```
/// use std::fs::File;
/// use sess::look::summary::{Progress, summarise};
/// let interrupted = summarise(File::open("samples/sessions/interrupted.jsonl")?)?;
/// assert_eq!(interrupted.progress(), Progress::InTheMiddle);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It is no transcript.
    NotTranscript,
    /// Nothing has been said yet.
    Nothing,
    /// The last message is the user's.
    Unanswered,
    /// Calls are open, or the model has not gone on after an answer.
    InTheMiddle,
    /// The model has answered, and yet calls are open.
    AnsweredWithOpenCalls,
    /// The model's last answer was cut off or refused, for this reason.
    CutOff(String),
    /// The model has answered, and nothing is open.
    Finished,
}

impl LastTurn {
    pub(super) fn take(&mut self, view: &MessageView<'_>) {
        match view.role {
            Role::System => {}
            Role::User => *self = LastTurn::User,
            Role::Tool => *self = LastTurn::Tool,
            Role::Assistant if view.tool_calls().next().is_some() => *self = LastTurn::Calls,
            Role::Assistant => {
                let reason = view
                    .extra("finish-reason")
                    .map(|reason| match reason.len() {
                        0..=100 => text_of(reason),
                        _ => "unreadable".to_owned(),
                    });
                *self = LastTurn::Answer(reason);
            }
        }
    }
}

impl Summary {
    /// How far it has come.
    pub fn progress(&self) -> Progress {
        if self.report.health == Health::NotTranscript {
            return Progress::NotTranscript;
        }
        let open = !self.report.open_calls.is_empty();
        match &self.counts.last_turn {
            LastTurn::Answer(_) if open => Progress::AnsweredWithOpenCalls,
            _ if open => Progress::InTheMiddle,
            LastTurn::None => Progress::Nothing,
            LastTurn::User => Progress::Unanswered,
            LastTurn::Calls | LastTurn::Tool => Progress::InTheMiddle,
            // `tool_calls` without calls is what a model leaves whose calls were dropped.
            LastTurn::Answer(Some(reason)) if reason != "stop" && reason != "tool_calls" => {
                Progress::CutOff(reason.clone())
            }
            LastTurn::Answer(_) => Progress::Finished,
        }
    }

    /// How the file ends, and what is wrong with it, in a sentence without a full stop. A reason that
    /// a provider gave stands in it as it is in the file.
    pub fn verdict(&self) -> String {
        let open = &self.report.open_calls;
        let calls = counted(open.len() as u64, "call is open", "calls are open");
        let how = match self.progress() {
            Progress::NotTranscript => return self.report.why_none(),
            Progress::Nothing => "nothing has been said yet".to_owned(),
            Progress::Unanswered => {
                "waiting for the model: the last message is the user's".to_owned()
            }
            Progress::InTheMiddle if open.is_empty() => {
                "ends in the middle: the model has not gone on after the last tool's answer"
                    .to_owned()
            }
            Progress::InTheMiddle => {
                format!("ends in the middle: {calls} ({})", states(open))
            }
            Progress::AnsweredWithOpenCalls => {
                format!("the model has answered, but {calls} ({})", states(open))
            }
            Progress::CutOff(reason) => format!("the last answer is incomplete ({reason})"),
            Progress::Finished => "finished: the model has answered and no call is open".to_owned(),
        };
        match self.ill_health() {
            Some(what) => format!("{how}; {what}"),
            None => how,
        }
    }

    fn ill_health(&self) -> Option<String> {
        let problems = self.report.problems.len() as u64;
        Some(match self.report.health {
            Health::Healthy | Health::NotTranscript => return None,
            Health::MissingNewline => "the last line lacks its line feed".to_owned(),
            Health::TornTail => "the last line is torn".to_owned(),
            Health::Inconsistent => counted(problems, "inconsistency", "inconsistencies"),
            Health::Damaged => format!("damaged, {}", counted(problems, "problem", "problems")),
        })
    }
}

/// `1 was running, 2 never dispatched`.
fn states(open: &[OpenCall]) -> String {
    let all = [
        (CallState::WasRunning, "was running", "were running"),
        (
            CallState::FinishedNotSettled,
            "finished but not settled",
            "finished but not settled",
        ),
        (
            CallState::NeverDispatched,
            "never dispatched",
            "never dispatched",
        ),
        (
            CallState::Unrecorded,
            "without an answer",
            "without an answer",
        ),
    ];
    let said = all.iter().filter_map(|(state, one, many)| {
        let count = open.iter().filter(|call| call.state == *state).count();
        (count > 0).then(|| counted(count as u64, one, many))
    });
    said.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::summarise;

    const META: &str = r#"{"id":"m","payload":{},"ts":"","type":"session-meta","v":1}"#;
    const CALL: &str = r#"{"role":"assistant","tool-calls":[{"id":"c","function":{"name":"t"}}]}"#;
    const RESULT: &str = r#"{"role":"tool","tool-call-id":"c"}"#;

    fn message(payload: &str) -> String {
        format!(r#"{{"id":"x","payload":{payload},"ts":"","type":"message","v":1}}"#)
    }

    fn dispatch() -> String {
        r#"{"id":"o","payload":{"call-id":"c","tool":"t"},"ts":"","type":"tool-dispatched","v":1}"#
            .to_owned()
    }

    #[track_caller]
    fn check(lines: &[String], end: &str, expected: &str) {
        let lines = [&[META.to_owned()], lines].concat();
        let text = lines.join("\n") + end;
        assert_eq!(summarise(text.as_bytes()).unwrap().verdict(), expected);
    }

    #[test]
    fn the_end_of_a_file_tells_how_far_it_came() {
        let user = message(r#"{"role":"user"}"#);
        let system = message(r#"{"role":"system"}"#);
        let answer = |reason: &str| {
            message(&format!(
                r#"{{"role":"assistant","finish-reason":"{reason}"}}"#
            ))
        };
        let finished = "finished: the model has answered and no call is open";
        let (call, result) = (message(CALL), message(RESULT));
        let cases: [(&[&str], &str); 10] = [
            (&[&system], "nothing has been said yet"),
            (
                &[&user, &system],
                "waiting for the model: the last message is the user's",
            ),
            (&[&user, &answer("stop"), &system], finished),
            (&[&user, &message(r#"{"role":"assistant"}"#)], finished),
            (
                &[&user, &answer("length")],
                "the last answer is incomplete (length)",
            ),
            (
                &[&user, &call],
                "ends in the middle: 1 call is open (1 without an answer)",
            ),
            (
                &[&user, &call, &result],
                "ends in the middle: the model has not gone on after the last tool's answer",
            ),
            (
                &[&user, &call, &dispatch()],
                "ends in the middle: 1 call is open (1 was running)",
            ),
            (
                &[&user, &call, &dispatch(), &result],
                "ends in the middle: 1 call is open (1 finished but not settled)",
            ),
            (
                &[&user, &call, &dispatch(), &result, &answer("stop")],
                "the model has answered, but 1 call is open (1 finished but not settled)",
            ),
        ];
        for (lines, expected) in cases {
            let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            check(&lines, "\n", expected);
        }
    }

    #[test]
    fn what_is_wrong_is_said_behind_it() {
        let none = "nothing has been said yet";
        check(
            &[],
            "",
            &format!("{none}; the last line lacks its line feed"),
        );
        check(&[], "\n{\"id", &format!("{none}; the last line is torn"));
        check(
            &[],
            "\n{\"id\n{}\n",
            &format!("{none}; damaged, 2 problems"),
        );
        let verdict = summarise(&b""[..]).unwrap().verdict();
        assert_eq!(
            verdict,
            "not a transcript: the file is empty; the first line of a transcript has to be session-meta"
        );
    }
}
