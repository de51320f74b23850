//! A log of everything that goes over the wire, for finding out what a server really says.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use reqwest::header::HeaderMap;

use super::endpoint::{REDACTED, visible_url};
use crate::Json;
use crate::clock::{Clock, SystemClock, format_utc};

/// The environment variable that names the log's file.
pub const WIRE_LOG: &str = "SESS_WIRE_LOG";

/// A file of JSON lines, appended to: `{"ts","exchange","event",…}` with `event` one of `request`
/// (`url`, `headers`, `body`), `response` (`status`, `headers`), `bytes` (`text`), `failure`
/// (`message`). Headers that may hold a secret are redacted. Trouble with the file is ignored.
pub(super) struct WireLog {
    file: Mutex<File>,
    exchanges: AtomicU64,
}

impl WireLog {
    /// The log the environment asks for.
    pub(super) fn from_environment() -> Option<Self> {
        let path = std::env::var_os(WIRE_LOG).filter(|path| !path.is_empty())?;
        Self::open(Path::new(&path)).ok()
    }

    fn open(path: &Path) -> std::io::Result<Self> {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        // It holds somebody's conversation.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Self {
            file: Mutex::new(options.open(path)?),
            exchanges: AtomicU64::new(0),
        })
    }

    /// Notes a request and numbers it.
    pub(super) fn request(&self, url: &str, headers: &HeaderMap, body: Option<&Json>) -> u64 {
        let exchange = self.exchanges.fetch_add(1, Ordering::Relaxed) + 1;
        let mut members = vec![
            ("url", Json::string(&visible_url(url))),
            ("headers", visible_headers(headers)),
        ];
        members.extend(body.map(|body| ("body", body.clone())));
        self.note(exchange, "request", members);
        exchange
    }

    /// Notes the head of an answer.
    pub(super) fn response(&self, exchange: u64, status: u16, headers: &HeaderMap) {
        let members = [
            ("status", Json::from(u64::from(status))),
            ("headers", visible_headers(headers)),
        ];
        self.note(exchange, "response", members);
    }

    /// Notes a piece of an answer's body.
    pub(super) fn bytes(&self, exchange: u64, text: &str) {
        self.note(exchange, "bytes", [("text", Json::string(text))]);
    }

    /// Notes how an exchange failed.
    pub(super) fn failure(&self, exchange: u64, message: &str) {
        self.note(exchange, "failure", [("message", Json::string(message))]);
    }

    fn note<'a>(
        &self,
        exchange: u64,
        event: &str,
        members: impl IntoIterator<Item = (&'a str, Json)>,
    ) {
        let common = [
            ("ts", Json::string(&format_utc(SystemClock.now()))),
            ("exchange", Json::from(exchange)),
            ("event", Json::string(event)),
        ];
        let mut line = Json::object(common.into_iter().chain(members)).compact();
        line.push('\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = file.write_all(line.as_bytes());
    }
}

fn visible_headers(headers: &HeaderMap) -> Json {
    let members = headers.iter().map(|(name, value)| {
        let name = name.as_str();
        let secret = value.is_sensitive()
            || ["auth", "key", "token", "cookie", "secret"]
                .iter()
                .any(|sign| name.contains(sign));
        let text = match secret {
            true => REDACTED.into(),
            false => String::from_utf8_lossy(value.as_bytes()),
        };
        (name, Json::string(&text))
    });
    Json::object(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    #[test]
    fn a_log_holds_what_went_over_the_wire_and_no_secret() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wire.jsonl");
        let log = WireLog::open(&path).unwrap();
        let mut headers = HeaderMap::new();
        headers.insert("authorization", HeaderValue::from_static("Bearer sk-1"));
        headers.insert("x-api-key", HeaderValue::from_static("sk-2"));
        headers.insert("x-title", HeaderValue::from_static("t"));
        let body = Json::parse("{\"model\":\"m\"}").unwrap();
        let exchange = log.request("http://me:sk-3@h/v1?k=sk-4", &headers, Some(&body));
        log.response(exchange, 200, &HeaderMap::new());
        log.bytes(exchange, "data: 1");
        log.failure(exchange, "cut");

        let text = std::fs::read_to_string(&path).unwrap();
        let without_time: Vec<String> = text
            .lines()
            .map(|line| {
                let mut members = Json::parse(line).unwrap().entries().unwrap();
                members.retain(|(name, _)| name != "ts");
                Json::object(members).compact()
            })
            .collect();
        assert_eq!(
            without_time,
            [
                r#"{"body":{"model":"m"},"event":"request","exchange":1,"headers":{"authorization":"[redacted]","x-api-key":"[redacted]","x-title":"t"},"url":"http://h/v1"}"#,
                r#"{"event":"response","exchange":1,"headers":{},"status":200}"#,
                r#"{"event":"bytes","exchange":1,"text":"data: 1"}"#,
                r#"{"event":"failure","exchange":1,"message":"cut"}"#,
            ]
        );
    }
}
