//! What a failed request was: class, text, and when to come back.

use std::error::Error;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, NaiveDateTime, Utc};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;

use crate::Json;
use crate::backend::{BackendError, ErrorClass};

/// How far a request had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Connect,
    Headers,
    Body,
}

/// The failure behind an error of the HTTP client.
pub(super) fn of_transport(error: reqwest::Error, phase: Phase) -> BackendError {
    let phase = if error.is_connect() {
        Phase::Connect
    } else {
        phase
    };
    let timed_out = error.is_timeout();
    // The address may hold secrets.
    let text = with_causes(&error.without_url());
    let class = class_of(phase, timed_out, &text);
    BackendError::new(class, text)
}

/// A phase that took too long.
pub(super) fn of_timeout(phase: Phase, limit: Duration) -> BackendError {
    let what = match phase {
        Phase::Connect => "The connection was not made",
        Phase::Headers => "The server did not begin to answer",
        Phase::Body => "The answer was not complete",
    };
    let message = format!("{what} within {} s", limit.as_secs_f64());
    BackendError::new(class_of(phase, true, &message), message)
}

/// An answer with an error status.
pub(super) fn of_status(status: StatusCode, headers: &HeaderMap, body: &str) -> BackendError {
    let phrase = status.canonical_reason().unwrap_or_default();
    let head = format!("HTTP {} {phrase}", status.as_u16());
    let text = error_text_of_body(body);
    let message = match text.is_empty() {
        true => head.trim_end().to_owned(),
        false => format!("{}: {text}", head.trim_end()),
    };
    BackendError {
        retry_after: retry_after(
            headers,
            crate::clock::Clock::now(&crate::clock::SystemClock),
        ),
        ..BackendError::http(status.as_u16(), message)
    }
}

/// The class of a failure without status, by how far the request had come, whether it ran out of
/// time, and what the client says.
pub(super) fn class_of(phase: Phase, timed_out: bool, text: &str) -> ErrorClass {
    const CONNECTION: [&str; 9] = [
        "connection",
        "refused",
        "reset",
        "unreachable",
        "could not resolve",
        "dns",
        "network is",
        "no route",
        "broken pipe",
    ];
    let text = text.to_lowercase();
    match phase {
        Phase::Connect => ErrorClass::Connection,
        _ if timed_out => ErrorClass::Timeout,
        _ if CONNECTION.iter().any(|sign| text.contains(sign)) => ErrorClass::Connection,
        _ => ErrorClass::Unknown,
    }
}

/// The text of an error body: the message of a JSON body, else the body itself.
pub(super) fn error_text_of_body(body: &str) -> String {
    let document = Json::parse(body).ok();
    let text = document.as_ref().and_then(error_text);
    text.as_deref().unwrap_or(body).trim().to_owned()
}

/// The text of an error document, in any of the shapes servers give it. Some put it into a list.
pub(super) fn error_text(document: &Json) -> Option<String> {
    let listed = first_of(document);
    let document = listed.as_ref().unwrap_or(document);
    if let Some(error) = document.get("error").filter(|error| !error.is_null()) {
        return Some(error_object_text(&error));
    }
    ["message", "detail"]
        .iter()
        .find_map(|name| document.get(name))
        .map(|text| plain(&text))
}

/// The first element of a list.
pub(super) fn first_of(document: &Json) -> Option<Json> {
    document.items()?.into_iter().next()
}

fn error_object_text(error: &Json) -> String {
    let Some(message) = error.get("message") else {
        return plain(error);
    };
    let mut text = plain(&message);
    // A gateway puts the words of the server behind it here.
    let raw = error.get("metadata").and_then(|more| more.get_str("raw"));
    if let Some(raw) = raw.filter(|raw| !raw.is_empty()) {
        text = format!("{text}: {raw}");
    }
    // The code says in one word what the message paraphrases, so that it can be recognised.
    let code = error.get_str("code").or_else(|| error.get_str("type"));
    match code.filter(|code| !code.is_empty()) {
        Some(code) => format!("{text} ({code})"),
        None => text,
    }
}

fn plain(json: &Json) -> String {
    json.as_str()
        .map_or_else(|| json.text().to_owned(), |text| text.into_owned())
}

/// How long the server asks to be left alone: `retry-after-ms`, else `Retry-After` in seconds or
/// as a date.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |text: &str| text.parse::<f64>().ok();
    let exact = text("retry-after-ms")
        .and_then(number)
        .map(|ms| ms / 1_000.0);
    let after = text("retry-after");
    if let Some(seconds) = exact.or_else(|| after.and_then(number)) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = parse_http_date(after?)?;
    let left = date.signed_duration_since(DateTime::<Utc>::from(now));
    // A moment that has passed asks for no wait.
    Some(left.to_std().unwrap_or_default())
}

/// The three forms of a date in HTTP, of which the first is the one in use.
fn parse_http_date(text: &str) -> Option<DateTime<Utc>> {
    const FORMS: [&str; 3] = [
        "%a, %d %b %Y %H:%M:%S GMT",
        "%A, %d-%b-%y %H:%M:%S GMT",
        "%a %b %e %H:%M:%S %Y",
    ];
    FORMS
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
        .map(|date| date.and_utc())
}

/// An error and its causes. One that a cause repeats is said once.
pub(super) fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    // 12.17-201
    #[test]
    fn a_failure_is_classed_by_phase_and_words() {
        for (phase, timed_out, text, class) in [
            (
                Phase::Connect,
                true,
                "operation timed out",
                ErrorClass::Connection,
            ),
            (
                Phase::Connect,
                false,
                "invalid peer certificate",
                ErrorClass::Connection,
            ),
            (
                Phase::Headers,
                true,
                "operation timed out",
                ErrorClass::Timeout,
            ),
            (
                Phase::Body,
                true,
                "operation timed out",
                ErrorClass::Timeout,
            ),
            (
                Phase::Headers,
                false,
                "Connection refused (os error 111)",
                ErrorClass::Connection,
            ),
            (
                Phase::Body,
                false,
                "Network is unreachable",
                ErrorClass::Connection,
            ),
            (
                Phase::Body,
                false,
                "Could not resolve host",
                ErrorClass::Connection,
            ),
            (Phase::Body, false, "DNS error", ErrorClass::Connection),
            (Phase::Body, false, "reset by peer", ErrorClass::Connection),
            (
                Phase::Body,
                false,
                "No route to host",
                ErrorClass::Connection,
            ),
            (
                Phase::Body,
                false,
                "bad value for option timeout",
                ErrorClass::Unknown,
            ),
            (
                Phase::Body,
                false,
                "expected value at line 1",
                ErrorClass::Unknown,
            ),
        ] {
            assert_eq!(class_of(phase, timed_out, text), class, "{text}");
        }
    }

    // 12.17-208
    #[test]
    fn the_servers_own_words_are_kept() {
        for (body, text) in [
            (
                r#"{"error":{"message":"maximum context length is 8192","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
                "maximum context length is 8192 (context_length_exceeded)",
            ),
            (
                r#"{"error":{"code":400,"message":"request (9 tokens) exceeds the available context size","type":"exceed_context_size_error"}}"#,
                "request (9 tokens) exceeds the available context size (exceed_context_size_error)",
            ),
            (r#"{"error":"no such model"}"#, "no such model"),
            (r#"{"error":{"reason":1}}"#, r#"{"reason":1}"#),
            (
                r#"{"error":{"code":502,"message":"Provider returned error","metadata":{"raw":"overloaded"}}}"#,
                "Provider returned error: overloaded",
            ),
            (r#"{"error":null,"message":"plain"}"#, "plain"),
            (r#"{"detail":[{"loc":["body"]}]}"#, r#"[{"loc":["body"]}]"#),
            (
                r#"[{"error":{"code":400,"message":"in a list"}}]"#,
                "in a list",
            ),
            ("[]", "[]"),
            (" Bad Gateway \n", "Bad Gateway"),
            ("<html>", "<html>"),
            ("", ""),
        ] {
            assert_eq!(error_text_of_body(body), text);
        }
    }

    #[test]
    fn a_status_tells_its_phrase_and_the_text() {
        let bare = of_status(StatusCode::SERVICE_UNAVAILABLE, &HeaderMap::new(), "");
        assert_eq!(
            bare,
            BackendError::http(503, "HTTP 503 Service Unavailable")
        );
        let odd = StatusCode::from_u16(599).unwrap();
        let worded = of_status(odd, &HeaderMap::new(), "{\"error\":\"no\"}");
        assert_eq!(worded, BackendError::http(599, "HTTP 599: no"));
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        // Wed, 21 Oct 2015 07:28:00 GMT is 1445412480.
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_445_412_450);
        let seconds = |value| Some(Duration::from_secs(value));
        for (name, value, expected) in [
            ("retry-after", "7", seconds(7)),
            ("retry-after", " 1.5 ", Some(Duration::from_millis(1_500))),
            ("retry-after", "0", seconds(0)),
            ("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT", seconds(30)),
            (
                "retry-after",
                "Wednesday, 21-Oct-15 07:28:00 GMT",
                seconds(30),
            ),
            ("retry-after", "Wed Oct 21 07:28:00 2015", seconds(30)),
            ("retry-after", "Wed, 21 Oct 2015 07:27:00 GMT", seconds(0)),
            ("retry-after", "-3", None),
            ("retry-after", "inf", None),
            ("retry-after", "soon", None),
            ("retry-after-ms", "250", Some(Duration::from_millis(250))),
            ("x-other", "7", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(value));
            assert_eq!(retry_after(&headers, now), expected, "{name}: {value}");
        }
    }
}
