//! A log of everything that goes over the wire, for finding out what a server really says.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use reqwest::header::HeaderMap;

use super::Endpoint;
use super::secrets::{REDACTED, Secrets, names_a_secret, visible_url};
use crate::Json;
use crate::clock::{Clock, SystemClock, format_utc};

/// The environment variable that names the log's file.
pub const WIRE_LOG: &str = "SESS_WIRE_LOG";

/// A file of JSON lines, appended to: `{"ts","exchange","event",…}` with `event` one of `request`
/// (`url`, `headers`, `body`), `response` (`status`, `headers`), `bytes` (`text`), `failure`
/// (`message`). Headers that may hold a secret are redacted, and so is every secret wherever it stands.
/// Trouble with the file is ignored.
pub(super) struct WireLog {
    file: Mutex<File>,
    exchanges: AtomicU64,
    secrets: Secrets,
}

/// Where one exchange is noted.
pub(super) struct Note {
    log: Arc<WireLog>,
    exchange: u64,
    /// The end of the bytes so far, when it may be the beginning of a secret or of a character.
    held: Vec<u8>,
}

impl WireLog {
    /// The log the environment asks for, of what is exchanged with `endpoint`.
    pub(super) fn from_environment(endpoint: &Endpoint) -> Option<Self> {
        let path = std::env::var_os(WIRE_LOG).filter(|path| !path.is_empty())?;
        Self::open(Path::new(&path), endpoint).ok()
    }

    fn open(path: &Path, endpoint: &Endpoint) -> std::io::Result<Self> {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        // It holds somebody's conversation.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Self {
            file: Mutex::new(options.open(path)?),
            exchanges: AtomicU64::new(0),
            secrets: Secrets::of(endpoint),
        })
    }

    /// Numbers an exchange and notes its request.
    pub(super) fn begin(
        log: &Arc<Self>,
        url: &str,
        headers: &HeaderMap,
        body: Option<&Json>,
    ) -> Note {
        let note = Note {
            log: Arc::clone(log),
            exchange: log.exchanges.fetch_add(1, Ordering::Relaxed) + 1,
            held: Vec::new(),
        };
        let mut members = vec![
            ("url", Json::string(&visible_url(url))),
            ("headers", visible_headers(headers)),
        ];
        members.extend(body.map(|body| ("body", body.clone())));
        note.write("request", members);
        note
    }
}

impl Note {
    /// Notes the head of an answer.
    pub(super) fn response(&self, status: u16, headers: &HeaderMap) {
        let members = [
            ("status", Json::from(u64::from(status))),
            ("headers", visible_headers(headers)),
        ];
        self.write("response", members);
    }

    /// Notes a piece of an answer's body.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
        let whole = self.held.len() - self.log.secrets.begun_at_end(&self.held);
        let rest = self.held.split_off(whole);
        self.flush();
        self.held = rest;
    }

    /// Notes how the exchange failed.
    pub(super) fn failure(&mut self, message: &str) {
        self.flush();
        self.write("failure", [("message", Json::string(message))]);
    }

    fn flush(&mut self) {
        let bytes = std::mem::take(&mut self.held);
        if !bytes.is_empty() {
            let text = String::from_utf8_lossy(&bytes);
            self.write("bytes", [("text", Json::string(&text))]);
        }
    }

    fn write<'a>(&self, event: &str, members: impl IntoIterator<Item = (&'a str, Json)>) {
        let common = [
            ("ts", Json::string(&format_utc(SystemClock.now()))),
            ("exchange", Json::from(self.exchange)),
            ("event", Json::string(event)),
        ];
        let line = Json::object(common.into_iter().chain(members)).compact();
        let line = self.log.secrets.scrub(line) + "\n";
        let mut file = self.log.file.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = file.write_all(line.as_bytes());
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        self.flush();
    }
}

fn visible_headers(headers: &HeaderMap) -> Json {
    let members = headers.iter().map(|(name, value)| {
        let name = name.as_str();
        let secret = value.is_sensitive() || names_a_secret(name);
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
        let endpoint = Endpoint::new("http://h/v1").with_key("sk-55");
        let log = Arc::new(WireLog::open(&path, &endpoint).unwrap());
        let mut headers = HeaderMap::new();
        headers.insert("authorization", HeaderValue::from_static("Bearer sk-1"));
        headers.insert("x-api-key", HeaderValue::from_static("sk-2"));
        headers.insert("x-title", HeaderValue::from_static("t"));
        let body = Json::parse("{\"model\":\"m\"}").unwrap();
        let mut note = WireLog::begin(&log, "http://me:sk-3@h/v1?k=sk-4", &headers, Some(&body));
        let mut head = HeaderMap::new();
        head.insert("x-echo", HeaderValue::from_static("Bearer sk-55"));
        note.response(200, &head);
        note.bytes(b"data: sk-");
        note.bytes("55 \u{e9}".as_bytes().split_at(4).0);
        note.bytes(b"\xa9!s");
        note.failure("cut");
        note.bytes(b"sk-5");
        drop(note);

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
                r#"{"event":"response","exchange":1,"headers":{"x-echo":"Bearer [redacted]"},"status":200}"#,
                r#"{"event":"bytes","exchange":1,"text":"data: "}"#,
                r#"{"event":"bytes","exchange":1,"text":"[redacted] "}"#,
                r#"{"event":"bytes","exchange":1,"text":"é!"}"#,
                r#"{"event":"bytes","exchange":1,"text":"s"}"#,
                r#"{"event":"failure","exchange":1,"message":"cut"}"#,
                r#"{"event":"bytes","exchange":1,"text":"sk-5"}"#,
            ]
        );
    }
}
