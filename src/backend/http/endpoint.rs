//! Where a server is, and how patient its client.

use std::fmt;
use std::time::Duration;

use super::secrets::{REDACTED, visible_url};

/// Where a server is and how it is spoken to. Its debug form shows no secret.
///
/// ```
/// use sess::backend::http::Endpoint;
/// let endpoint = Endpoint::new("https://api.example.com/v1")
///     .with_key("sk-1")
///     .with_header("x-title", "my agent");
/// assert!(!format!("{endpoint:?}").contains("sk-1"));
/// ```
#[derive(Clone)]
pub struct Endpoint {
    /// The base of all addresses, such as `https://api.openai.com/v1`.
    pub url: String,
    /// Sent as a bearer token.
    pub key: Option<Secret>,
    /// Further headers of every request.
    pub headers: Vec<(String, String)>,
    /// How long each phase of a request may take.
    pub timeouts: Timeouts,
    /// The longest answer in bytes: all that a stream says, each of its frames, or the document of a
    /// server that does not stream. What is longer fails the response.
    pub max_answer_bytes: usize,
    /// Whether a stream of prose succeeds although some of its frames could not be read. Calls
    /// never do.
    pub tolerate_broken_frames: bool,
}

/// How long each phase of a request may take.
///
/// ```
/// use std::time::Duration;
/// use sess::backend::http::{Endpoint, Timeouts};
/// let patient = Timeouts { headers: Some(Duration::from_secs(600)), ..Timeouts::default() };
/// let endpoint = Endpoint::new("http://127.0.0.1:8080/v1").with_timeouts(patient);
/// assert_eq!(endpoint.timeouts.total, Duration::from_secs(1_800));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands.
    pub connect: Duration,
    /// Until the head of the answer is there. `None` is the backend's default: 60 seconds, or
    /// without limit for a KoboldCpp, which answers no sooner than it has read the prompt.
    pub headers: Option<Duration>,
    /// Until the whole answer is there.
    pub total: Duration,
    /// How long a stream may go on after it gave its finish reason, without an end or further data,
    /// before it counts as ended.
    pub linger: Duration,
    /// How long more is waited for after a frame that cannot be read and is not tolerated. What has
    /// arrived already is taken in, for its bill; a server that goes on speaking is hung up on.
    pub drain: Duration,
}

/// A text that is never shown.
///
/// ```
/// use sess::backend::http::Secret;
/// assert_eq!(format!("{:?}", Secret::from("sk-1")), "[redacted]");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// 32 MiB: more than any model can say, and little enough to hold.
const MAX_ANSWER_BYTES: usize = 32 << 20;

impl Endpoint {
    /// A server without a key, and the default limits.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            key: None,
            headers: Vec::new(),
            timeouts: Timeouts::default(),
            max_answer_bytes: MAX_ANSWER_BYTES,
            tolerate_broken_frames: false,
        }
    }

    /// The same server with this key.
    pub fn with_key(mut self, key: impl Into<Secret>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// The same server with one more header.
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The same server with these timeouts.
    pub fn with_timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// The address of a path below the base. What the base asks for stays behind it.
    pub(super) fn address(&self, path: &str) -> String {
        below(&self.url, path)
    }
}

/// The address of a path below another address.
pub(super) fn below(base: &str, path: &str) -> String {
    let (base, query) = split_query(base);
    format!("{}{path}{query}", base.trim_end_matches('/'))
}

/// An address and, apart from it, what it asks for.
pub(super) fn split_query(url: &str) -> (&str, &str) {
    url.split_at(url.find(['?', '#']).unwrap_or(url.len()))
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            headers: None,
            total: Duration::from_secs(1_800),
            linger: Duration::from_secs(10),
            drain: Duration::from_millis(3),
        }
    }
}

impl Secret {
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(REDACTED)
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        out.debug_struct("Endpoint")
            .field("url", &visible_url(&self.url))
            .field("key", &self.key)
            .field("headers", &headers)
            .field("timeouts", &self.timeouts)
            .field("max_answer_bytes", &self.max_answer_bytes)
            .field("tolerate_broken_frames", &self.tolerate_broken_frames)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_shown() {
        let endpoint = Endpoint::new("https://me:word@host/v1?key=abc")
            .with_key("sk-1")
            .with_header("X-Api-Key", "sk-2");
        let shown = format!("{endpoint:?}");
        assert!(shown.contains("https://host/v1"), "{shown}");
        for secret in ["word", "abc", "sk-1", "sk-2"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }

    #[test]
    fn an_address_has_one_slash_between_base_and_path() {
        for base in ["http://host/v1", "http://host/v1/", "http://host/v1//"] {
            assert_eq!(
                Endpoint::new(base).address("/models"),
                "http://host/v1/models"
            );
        }
        let asking = Endpoint::new("http://host/v1/?api-version=1&key=a/b");
        assert_eq!(
            asking.address("/models"),
            "http://host/v1/models?api-version=1&key=a/b"
        );
    }
}
