//! Every text of the loop that a model or a person reads, in one place.
//!
//! Some words in them are looked for by programs and tests; the tests below say which.

use std::time::Duration;

use super::decide::window::Terms;
use super::event::AbandonReason;
use crate::context::Tripped;
use crate::message::ToolCall;

/// Told to the model when a limit switches its tools off.
pub const LIMIT_NOTICE: &str = "Your allowance of tool calls for this conversation is used up. Do not request any tool from here on: requests are ignored. Answer with what you have gathered so far, and say which tool work, if any, is still missing.";

/// The beginning of every error of a run that could not go on for a reason outside its own rules.
pub const DIED: &str = "the run died: ";

pub(crate) const RUNTIME_GONE: &str = "its runtime was shut down before it had ended";

/// Told to the model in place of an answer its tool did not give.
pub(crate) const UNANSWERED: &str =
    "The tool provider left this call unanswered: it returned no result for it.";

pub(crate) fn provider_failed(error: &str) -> String {
    format!("The tool provider failed, so this call has no result: {error}")
}

/// Told to the model about a call that was dispatched and given up on.
pub(crate) fn unknown_outcome(reason: AbandonReason) -> &'static str {
    match reason {
        AbandonReason::Cancelled => {
            "The run was cancelled while this call was still out. Its effect is unknown: it may have happened, wholly, in part or not at all. Check before making the call again."
        }
        AbandonReason::Deadline | AbandonReason::BudgetExhausted => {
            "This call did not return in time, and nobody waits for it any more. Its effect is unknown: it may have happened, wholly, in part or not at all, or may still happen. Check before making the call again."
        }
    }
}

/// Told to the model about a call that was never dispatched.
pub(crate) fn did_not_run(reason: AbandonReason) -> &'static str {
    match reason {
        AbandonReason::Cancelled => {
            "The run was cancelled before this call was dispatched. It did not run."
        }
        AbandonReason::BudgetExhausted => {
            "The budget of the run ran out before this call was dispatched. It did not run."
        }
        AbandonReason::Deadline => {
            "A previous call of this batch did not return in time, so this one was not dispatched. It did not run. It can be made again."
        }
    }
}

pub(crate) fn every_backend_failed(errors: &[String]) -> String {
    format!("every backend failed: {}", errors.join("; "))
}

pub(crate) fn fits_no_backend(refusals: &[String]) -> String {
    format!("the request fits no backend: {}", refusals.join("; "))
}

pub(crate) fn no_compactor(target: u64, model: &str, refusals: &[String]) -> String {
    format!(
        "the request fits no backend and there is no compactor to make it smaller; it has to get under {target} tokens of '{model}': {}",
        refusals.join("; ")
    )
}

pub(crate) fn exhausted(before: u64, after: u64) -> String {
    format!(
        "the conversation does not fit the context budget even after compaction ({before} tokens before, {after} after): either one message alone is too large, or too many recent messages are kept"
    )
}

pub(crate) fn cap_reached(tripped: &Tripped) -> String {
    format!(
        "the run has spent what it may: {} {} of at most {}",
        tripped.cap,
        plain(tripped.spent),
        plain(tripped.max)
    )
}

pub(crate) fn park_idle(idle: Duration, names: &[String]) -> String {
    format!(
        "nothing happened for {}s while the run waited for background work; given up, with unknown effect: {}",
        idle.as_secs_f64(),
        names.join(", ")
    )
}

pub(crate) fn shorter_than_transcript(given: usize, recorded: usize) -> String {
    format!(
        "the conversation has {given} messages and the transcript {recorded}; a run has to extend its transcript, so start from the session's messages"
    )
}

/// Two runs at once would write between each other's lines.
pub(crate) const TRANSCRIPT_IN_USE: &str =
    "another run goes on with this transcript; wait until it has ended";

pub(crate) fn call_left_open(call: &ToolCall) -> String {
    format!(
        "the transcript ends in a call without an answer ({}, {:?}); settle it first: each of the session's open_calls has a Resolution",
        call.name, call.id
    )
}

pub(crate) fn contradicts_transcript(index: usize, given: &str, recorded: &str) -> String {
    format!(
        "message {index} ({given}) is not the one in the transcript ({recorded}); a run extends its transcript, so start from the session's messages"
    )
}

pub(crate) fn reported(backend_index: usize, error: &str) -> String {
    let error = match error.trim() {
        "" => "the response failed without saying why",
        error => error,
    };
    format!("[backend {backend_index}] {error}")
}

pub(crate) fn no_activity(backend_index: usize, silence: Duration) -> String {
    format!(
        "[backend {backend_index}] no activity for {}s",
        silence.as_secs_f64()
    )
}

pub(crate) fn no_data(backend_index: usize, silence: Duration) -> String {
    format!(
        "[backend {backend_index}] no activity but heartbeats for {}s",
        silence.as_secs_f64()
    )
}

pub(crate) fn clipped(
    backend_index: usize,
    finish_reason: Option<&str>,
    billed: u64,
    cap: u64,
) -> String {
    format!(
        "[backend {backend_index}] {}",
        clip(finish_reason, billed, cap)
    )
}

/// What is logged of an answer that says it is whole and was billed at its cap.
pub(crate) fn clip(finish_reason: Option<&str>, billed: u64, cap: u64) -> String {
    let reason = finish_reason.unwrap_or("none");
    format!(
        "the answer reports finish_reason '{reason}' but was clipped at max_tokens: {billed} completion tokens billed, cap {cap}"
    )
}

pub(crate) fn preflight(terms: &Terms) -> String {
    format!("preflight: needs {terms}")
}

pub(crate) fn near_window(terms: &Terms, billed: Option<u64>, completion: Option<u64>) -> String {
    match billed {
        Some(prompt) => format!(
            "provider-length: the provider billed {prompt} prompt tokens and {} completion tokens of a window of {}",
            completion.unwrap_or(0),
            terms.window
        ),
        None => format!(
            "provider-length: the request is too near its window, counted within a quarter: {terms}"
        ),
    }
}

pub(crate) fn completion_cap(cap: Option<u64>, terms: &Terms, billed: Option<u64>) -> String {
    let request = billed.unwrap_or_else(|| terms.needed());
    format!(
        "the completion was cut by {}, with a request of {request} tokens in a window of {}; compaction cannot help, raise the backend's max_tokens",
        cap_name(cap),
        terms.window
    )
}

pub(crate) fn cap_without_profile(cap: Option<u64>) -> String {
    format!(
        "the completion was cut by {}, and there is no request-budget profile for the model to say whether its window was full; raise the backend's max_tokens or declare a profile",
        cap_name(cap)
    )
}

fn cap_name(cap: Option<u64>) -> String {
    match cap {
        Some(cap) => format!("max_tokens {cap}"),
        None => "a max_tokens the backend does not report".to_owned(),
    }
}

/// A number without a fraction where it has none.
fn plain(number: f64) -> String {
    format!("{}", (number * 1_000.0).round() / 1_000.0)
}

/// The first line of an error, or the name of its kind when it says nothing.
pub(crate) fn first_line(error: &str, kind: &str) -> String {
    let line = error.lines().next().unwrap_or_default().trim();
    if line.is_empty() { kind } else { line }.to_owned()
}

/// The first line of a failed result that says something, shortened.
pub(crate) fn error_line(content: &str) -> Option<String> {
    const LONGEST: usize = 200;
    let line = content
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())?;
    Some(match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(text: &str, words: &[&str]) {
        for word in words {
            assert!(text.contains(word), "{word:?} is missing in {text:?}");
        }
    }

    #[test]
    fn the_notice_conveys_its_four_points() {
        has(
            LIMIT_NOTICE,
            &[
                "used up",
                "Do not request any tool",
                "gathered so far",
                "missing",
            ],
        );
    }

    #[test]
    fn what_is_unknown_is_called_neither_failed_nor_undone() {
        let cancelled = unknown_outcome(AbandonReason::Cancelled);
        has(cancelled, &["cancelled", "unknown"]);
        let late = unknown_outcome(AbandonReason::Deadline);
        has(late, &["unknown"]);
        for text in [cancelled, late] {
            assert!(
                !text.contains("fail") && !text.contains("did not run"),
                "{text}"
            );
        }
    }

    #[test]
    fn what_was_not_dispatched_did_not_run() {
        for reason in AbandonReason::ALL {
            has(did_not_run(*reason), &["did not run"]);
        }
        has(did_not_run(AbandonReason::Deadline), &["not dispatched"]);
    }

    #[test]
    fn the_first_line_that_says_something_is_the_error() {
        assert_eq!(error_line(" \n\n  boom \nmore"), Some("boom".to_owned()));
        assert_eq!(error_line("\n "), None);
        let long = error_line(&"x".repeat(300));
        assert_eq!(long, Some(format!("{}…", "x".repeat(200))));
        assert_eq!(first_line("", "Refused"), "Refused");
    }

    #[test]
    fn numbers_are_plain() {
        assert_eq!(
            (plain(100.0), plain(0.25)),
            ("100".to_owned(), "0.25".to_owned())
        );
    }
}
