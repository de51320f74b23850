//! Deciding what is JSON.

use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;

/// Why a text is not one JSON value. Offsets are in bytes from the start of the text.
///
/// ```
/// use sess::Json;
/// use sess::canonical::JsonError;
/// assert_eq!(Json::parse("1 2"), Err(JsonError::Trailing { offset: 2 }));
/// assert!(matches!(Json::parse("[1,"), Err(JsonError::Unfinished { offset: 3, .. })));
/// assert!(matches!(Json::parse("[01]"), Err(JsonError::Malformed { .. })));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// The text ends in the middle of a value, or before one begins.
    #[error("the JSON ends at byte {offset} in the middle of a value: {reason}")]
    Unfinished {
        /// Where the text ends.
        offset: usize,
        /// What was being read.
        reason: String,
    },
    /// Something stands after a whole value.
    #[error("something follows the JSON value at byte {offset}")]
    Trailing {
        /// Where it begins.
        offset: usize,
    },
    /// The text breaks the grammar.
    #[error("not JSON at byte {offset}: {reason}")]
    Malformed {
        /// Where it does.
        offset: usize,
        /// What was expected there, or what is wrong with what stands there.
        reason: String,
    },
    /// The document is fine, but no tree of values can hold it: it is nested too deep, or one of
    /// its numbers is beyond the range of a double.
    #[error("the JSON cannot be held as a tree of values: {reason}")]
    NoTree {
        /// What is in the way.
        reason: String,
    },
}

/// The one value of a text, without the white space around it.
pub(super) fn one_value(text: &str) -> Result<&str, JsonError> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = <&RawValue>::deserialize(&mut reader)
        .map_err(|error| explain(text, &error))?
        .get();
    reader.end().map_err(|error| JsonError::Trailing {
        offset: offset(text, &error),
    })?;
    Ok(value)
}

fn explain(text: &str, error: &serde_json::Error) -> JsonError {
    let reason = reason(error);
    match error.classify() {
        Category::Eof => JsonError::Unfinished {
            offset: text.len(),
            reason,
        },
        _ => JsonError::Malformed {
            offset: offset(text, error),
            reason,
        },
    }
}

/// What the parser says, without its line and column, which mean little inside one line.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.split_once(" at line ") {
        Some((reason, _)) => reason.to_owned(),
        None => message,
    }
}

/// The byte the parser stopped at. It counts columns in bytes and has gone past that byte.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let lines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    let line_start = match error.line().checked_sub(2) {
        Some(earlier) => lines.map(|(at, _)| at + 1).nth(earlier).unwrap_or(0),
        None => 0,
    };
    (line_start + error.column()).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn malformed(offset: usize, reason: &str) -> JsonError {
        JsonError::Malformed {
            offset,
            reason: reason.to_owned(),
        }
    }

    fn unfinished(offset: usize, reason: &str) -> JsonError {
        JsonError::Unfinished {
            offset,
            reason: reason.to_owned(),
        }
    }

    #[test]
    fn an_error_says_where_and_why() {
        for (text, expected) in [
            ("", unfinished(0, "EOF while parsing a value")),
            ("{\"a\":1", unfinished(6, "EOF while parsing an object")),
            ("\"abc", unfinished(4, "EOF while parsing a string")),
            ("{\"a\":1,}", malformed(7, "key must be a string")),
            ("{\n \"a\":1,\n x", malformed(11, "key must be a string")),
            ("[1 2]", malformed(3, "expected `,` or `]`")),
            ("'a'", malformed(0, "expected value")),
            ("{\"a\":1}{\"b\":2}", JsonError::Trailing { offset: 7 }),
            ("1 \n x", JsonError::Trailing { offset: 4 }),
        ] {
            assert_eq!(one_value(text), Err(expected), "{text:?}");
        }
    }

    #[test]
    fn what_only_a_lenient_parser_takes_is_refused() {
        for text in [
            "007",
            "+1",
            ".5",
            "1.",
            "0x1",
            "1_000",
            "NaN",
            "Infinity",
            "\"\u{1}\"",
            "\"a\tb\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "[1,]",
            "{a:1}",
            "{\"a\" 1}",
            "// x\n1",
            "\u{a0}1",
            "\u{feff}1",
        ] {
            assert!(one_value(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn what_a_writer_may_write_is_taken() {
        for text in [
            "1e400",
            "-0",
            "1e+15",
            "\"\\ud83d\"",
            "\"\u{7f}\u{80}\u{2028}\"",
            "\"\\u0000\\/\"",
        ] {
            assert_eq!(one_value(&format!(" \t\r\n{text}\n ")), Ok(text));
        }
    }
}
