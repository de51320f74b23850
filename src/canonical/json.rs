//! [`Json`] and what can be asked of it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::parse::{self, JsonError};
use super::token::{Token, Tokens};
use super::unescape::unescape;
use super::write::{Numbers, write_sorted};

/// One JSON value as a text that is known to be valid.
///
/// Nothing is lost by holding it: numbers of any size and spelling, any depth, and escapes that
/// stand for half a surrogate pair stay as they are. Nothing here recurses. A clone shares the
/// text. Two documents are equal when their [compact](Json::compact) forms are: order of keys,
/// white space and escapes do not count, the spelling of a number does.
///
/// ```
/// use sess::Json;
/// let json = Json::parse(r#" {"b": [1, 1e400], "a": "\u00e9"} "#)?;
/// assert_eq!(json.get_str("a").as_deref(), Some("é"));
/// assert_eq!(json.compact(), r#"{"a":"é","b":[1,1e400]}"#);
/// # Ok::<(), sess::canonical::JsonError>(())
/// ```
#[derive(Clone)]
pub struct Json {
    text: Arc<str>,
    /// Whether the text is known to be its own compact form.
    compact: bool,
}

impl Json {
    /// Reads a text that holds one value and white space around it.
    ///
    /// # Errors
    /// When the text is not JSON or holds more than one value.
    pub fn parse(text: impl Into<String>) -> Result<Self, JsonError> {
        let text = text.into();
        Ok(Self::trusted(parse::one_value(&text)?, false))
    }

    /// The value a raw one holds, which is valid already.
    pub fn from_raw(raw: &RawValue) -> Self {
        Self::trusted(raw.get(), false)
    }

    /// A text that is valid JSON in compact form, which the caller answers for.
    pub(crate) fn from_sorted(text: String) -> Self {
        Self::trusted(text, true)
    }

    /// Text that is known to be one JSON value, in whatever spelling.
    pub(crate) fn from_valid(text: &str) -> Self {
        Self::trusted(text, false)
    }

    pub(super) fn trusted(text: impl Into<Arc<str>>, compact: bool) -> Self {
        Self {
            text: text.into(),
            compact,
        }
    }

    /// The text as it was given, without white space around it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The document without white space, keys sorted by code point at every depth. Of equal keys
    /// the last stands. Numbers keep their spelling; strings are escaped as
    /// [`write_string`](super::write_string) does it, with U+FFFD for half a surrogate pair.
    pub fn compact(&self) -> String {
        let mut out = String::new();
        self.write_compact(&mut out);
        out
    }

    /// Appends the [compact](Json::compact) form.
    pub fn write_compact(&self, out: &mut String) {
        if self.compact {
            out.push_str(&self.text);
        } else {
            write_sorted(out, &self.text, Numbers::Kept);
        }
    }

    /// The [compact](Json::compact) form with every number in its canonical spelling. See
    /// [the module](super).
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        write_sorted(&mut out, &self.text, Numbers::Respelled);
        out
    }

    /// The value of a member of an object; of several with this key, the last.
    pub fn get(&self, key: &str) -> Option<Json> {
        self.member(key).map(|value| self.part(value))
    }

    /// The text of a member that is a string.
    pub fn get_str(&self, key: &str) -> Option<String> {
        string(self.member(key)?).map(Cow::into_owned)
    }

    /// The text of a string, with U+FFFD for half a surrogate pair.
    pub fn as_str(&self) -> Option<Cow<'_, str>> {
        string(&self.text)
    }

    /// A number that is whole, however it is spelled (`2`, `2.0`, `2e0`), when it fits.
    pub fn as_i64(&self) -> Option<i64> {
        if let Ok(whole) = self.text.parse() {
            return Some(whole);
        }
        let number = self.is_number().then_some(self.text())?;
        let double: f64 = number.parse().ok()?;
        (double.fract() == 0.0 && double.abs() <= EXACT_DOUBLES).then_some(double as i64)
    }

    /// A truth value.
    pub fn as_bool(&self) -> Option<bool> {
        match self.text() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        self.text() == "null"
    }

    /// Whether this is an object.
    pub fn is_object(&self) -> bool {
        self.text.starts_with('{')
    }

    /// Whether this is an array.
    pub fn is_array(&self) -> bool {
        self.text.starts_with('[')
    }

    /// Whether this is a string.
    pub fn is_string(&self) -> bool {
        self.text.starts_with('"')
    }

    /// Whether this is a number.
    pub fn is_number(&self) -> bool {
        self.text
            .starts_with(|first: char| first == '-' || first.is_ascii_digit())
    }

    /// The items of an array.
    pub fn items(&self) -> Option<Vec<Json>> {
        let values = self.is_array().then(|| values(&self.text))?;
        Some(values.map(|value| self.part(value)).collect())
    }

    /// The members of an object in the order of the text. Of several with equal keys, only the
    /// last.
    pub fn entries(&self) -> Option<Vec<(String, Json)>> {
        let mut members: Vec<_> = self.members()?.collect();
        let mut seen = HashSet::new();
        members.reverse();
        members.retain(|(key, _)| seen.insert(key.clone()));
        members.reverse();
        let owned = |(key, value): (Cow<'_, str>, &str)| (key.into_owned(), self.part(value));
        Some(members.into_iter().map(owned).collect())
    }

    /// The document as a tree of values. Whole numbers beyond 64 bits become doubles there.
    ///
    /// # Errors
    /// [`JsonError::NoTree`] for nesting deeper than 127 and for numbers beyond a double's range.
    pub fn to_value(&self) -> Result<serde_json::Value, JsonError> {
        serde_json::from_str(&self.compact()).map_err(|error| JsonError::NoTree {
            reason: parse::reason(&error),
        })
    }

    fn member(&self, wanted: &str) -> Option<&str> {
        let named = self.members()?.filter(|(key, _)| key == wanted);
        named.last().map(|(_, value)| value)
    }

    fn members(&self) -> Option<impl Iterator<Item = (Cow<'_, str>, &str)>> {
        let mut values = self.is_object().then(|| values(&self.text))?;
        Some(std::iter::from_fn(move || {
            let key = unescape(values.next()?).text;
            Some((key, values.next()?))
        }))
    }

    fn part(&self, value: &str) -> Json {
        Self::trusted(value, self.compact)
    }
}

/// Up to here a double holds every whole number: two to the power of 53.
const EXACT_DOUBLES: f64 = 9_007_199_254_740_992.0;

/// The texts of the values directly inside a container, keys among them.
fn values(container: &str) -> impl Iterator<Item = &str> {
    let mut tokens = Tokens::new(container);
    tokens.next();
    std::iter::from_fn(move || tokens.next_value())
}

fn string(value: &str) -> Option<Cow<'_, str>> {
    match Tokens::new(value).next()? {
        Token::String(token) => Some(unescape(token).text),
        _ => None,
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text || self.compact() == other.compact()
    }
}

impl Eq for Json {}

impl Hash for Json {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.compact().hash(state);
    }
}

impl FromStr for Json {
    type Err = JsonError;

    fn from_str(text: &str) -> Result<Self, JsonError> {
        Self::parse(text)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Json({})", self.text)
    }
}
