//! Texts that must not be shown: in errors, in debug forms, in the wire log.

use super::Endpoint;

/// What stands where a secret stood.
pub(super) const REDACTED: &str = "[redacted]";

/// Everything an endpoint is told that may be a secret: its key, headers that are named like one,
/// the password and such parameters of its address.
#[derive(Clone, Default)]
pub(super) struct Secrets {
    /// The longest first, so that none is cut by a part of itself.
    texts: Vec<String>,
}

impl Secrets {
    /// The secrets of an endpoint.
    pub(super) fn of(endpoint: &Endpoint) -> Self {
        let key = endpoint.key.iter().map(|key| key.reveal().to_owned());
        let headers = endpoint.headers.iter();
        let headers = headers
            .filter(|(name, _)| names_a_secret(name))
            .map(|(_, value)| without_scheme(value).to_owned());
        let mut texts: Vec<String> = key.chain(headers).collect();
        texts.extend(of_url(&endpoint.url));
        texts.retain(|text| !text.is_empty());
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        Self { texts }
    }

    /// A text in which no secret, should a server have repeated it, is readable any longer.
    pub(super) fn scrub(&self, text: String) -> String {
        self.texts
            .iter()
            .fold(text, |text, secret| match text.contains(secret) {
                true => text.replace(secret, REDACTED),
                false => text,
            })
    }

    /// How many bytes at the end of `bytes` may be the beginning of a secret, or of a character.
    pub(super) fn begun_at_end(&self, bytes: &[u8]) -> usize {
        let begun = |secret: &String| {
            let secret = secret.as_bytes();
            let lengths = (1..secret.len()).rev();
            let is_begun = |length: &usize| {
                secret
                    .get(..*length)
                    .is_some_and(|start| bytes.ends_with(start))
            };
            lengths.into_iter().find(is_begun)
        };
        let of_secret = self.texts.iter().filter_map(begun).max();
        let of_character = (1..4).rev().find(|&length| {
            let end = bytes
                .len()
                .checked_sub(length)
                .and_then(|at| bytes.get(at..));
            let error = end.and_then(|end| std::str::from_utf8(end).err());
            error.is_some_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
        });
        of_secret.max(of_character).unwrap_or(0)
    }
}

/// Whether a header or a parameter of this name may hold a secret.
pub(super) fn names_a_secret(name: &str) -> bool {
    const SIGNS: [&str; 7] = ["auth", "key", "token", "cookie", "secret", "pass", "sig"];
    let name = name.to_lowercase();
    SIGNS.iter().any(|sign| name.contains(sign))
}

/// An address without user, password and query, which may all be secrets.
pub(super) fn visible_url(url: &str) -> String {
    let plain = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = plain.split_once("://") else {
        return plain.to_owned();
    };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority.rsplit('@').next().unwrap_or_default();
    let slash = if rest.contains('/') { "/" } else { "" };
    format!("{scheme}://{host}{slash}{path}")
}

/// The secrets of an address, as they stand in it and as they are meant.
fn of_url(url: &str) -> Vec<String> {
    let Ok(parsed) = reqwest::Url::parse(url) else {
        return Vec::new();
    };
    // A user without a password is a token.
    let credential = parsed.password().unwrap_or(parsed.username());
    let mut texts = vec![credential.to_owned()];
    let query = parsed.query().unwrap_or_default().split('&');
    let written = query.filter_map(|parameter| parameter.split_once('='));
    let written = written.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let meant = parsed.query_pairs();
    let meant = meant.map(|(name, value)| (name.into_owned(), value.into_owned()));
    let secret = |(name, value): (String, String)| names_a_secret(&name).then_some(value);
    texts.extend(written.chain(meant).filter_map(secret));
    texts
}

/// The credentials of a header that begins with the way they are used, such as `Bearer`.
fn without_scheme(value: &str) -> &str {
    let value = value.trim();
    match value.split_once(' ') {
        Some(("Bearer" | "bearer" | "Basic" | "basic" | "Token", credentials)) => {
            credentials.trim()
        }
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_secret_of_an_endpoint_is_scrubbed_and_nothing_else() {
        let endpoint =
            Endpoint::new("https://me:word@host/v1?api-version=2026-01-01&api_key=a%2Bbc")
                .with_key("sk-1")
                .with_header("api-key", "sk-12345")
                .with_header("Proxy-Authorization", "Basic c2Vz")
                .with_header("X-Title", "title");
        let echoed = "sk-1, sk-12345, Basic c2Vz, word, a%2Bbc, a+bc, title, 2026-01-01, host";
        let expected = "[redacted], [redacted], Basic [redacted], [redacted], [redacted], \
                        [redacted], title, 2026-01-01, host";
        assert_eq!(Secrets::of(&endpoint).scrub(echoed.to_owned()), expected);
    }

    #[test]
    fn what_may_be_the_beginning_of_any_secret_is_held_back() {
        let endpoint = Endpoint::new("http://host")
            .with_key("sk-1")
            .with_header("x-token", "abcdef");
        let secrets = Secrets::of(&endpoint);
        for (bytes, held) in [
            ("data: sk-", 3),
            ("data: abcde", 5),
            ("data: sk-1", 0),
            ("data", 1),
            ("x", 0),
        ] {
            assert_eq!(secrets.begun_at_end(bytes.as_bytes()), held, "{bytes}");
        }
        assert_eq!(Secrets::default().begun_at_end(&"é".as_bytes()[..1]), 1);
    }
}
