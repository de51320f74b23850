//! SHA-256 as lower-case hex.

use std::fmt;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::{Json, write_string};

/// A SHA-256 digest as 64 lower-case hex digits.
///
/// ```
/// use sess::canonical::Sha256Hex;
/// assert_eq!(
///     Sha256Hex::of(b"abc").as_str(),
///     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sha256Hex(String);

impl Sha256Hex {
    /// The digest of these bytes, as `sha256sum` prints it.
    pub fn of(bytes: &[u8]) -> Self {
        Self::finished(Sha256::new_with_prefix(bytes))
    }

    /// The digest of everything a hasher was given.
    pub(crate) fn finished(hasher: Sha256) -> Self {
        let mut hex = String::with_capacity(64);
        for byte in hasher.finalize() {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
        }
        Self(hex)
    }

    /// The 64 hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Sha256Hex {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The digest of a text as a canonical JSON string, quotes and escapes included. This is the
/// digest that `arguments-digest` and `result-digest` hold.
///
/// ```
/// use sess::Json;
/// use sess::canonical::{digest_of_json, digest_of_text};
/// // That of a text is that of its JSON string, quotes included.
/// assert_eq!(digest_of_text("a"), digest_of_json(&Json::string("a")));
/// ```
pub fn digest_of_text(text: &str) -> Sha256Hex {
    let mut quoted = String::new();
    write_string(&mut quoted, text);
    Sha256Hex::of(quoted.as_bytes())
}

/// The digest of a document's canonical form.
pub fn digest_of_json(json: &Json) -> Sha256Hex {
    Sha256Hex::of(json.canonical().as_bytes())
}
