//! One text for all spellings of the same tool arguments.

use super::token::{Token, Tokens};
use super::{Json, unescape};

/// The text by which the arguments of two calls are compared.
///
/// A text that is a JSON object or array, apart from white space around it, becomes its canonical
/// form: key order and spacing vanish, and the last of equal keys stands. Any other text stays
/// exactly as it is: prose, numbers, blanks, broken JSON, JSON followed by something, and JSON
/// with half a surrogate pair, whose text no string can hold.
///
/// ```
/// use sess::canonical::canonical_arguments;
/// assert_eq!(canonical_arguments(r#" {"b":2, "a":1.50}"#), r#"{"a":1.5,"b":2}"#);
/// assert_eq!(canonical_arguments(" 12 "), " 12 ");
/// ```
pub fn canonical_arguments(arguments: &str) -> String {
    let trimmed = arguments.trim();
    if trimmed.starts_with(['{', '['])
        && let Ok(json) = Json::parse(trimmed)
        && !has_lone_surrogates(&json)
    {
        return json.canonical();
    }
    arguments.to_owned()
}

/// The same for arguments held as a document. A string is taken as the text it says, `null` as no
/// arguments at all (an empty text), a number as its canonical spelling, and the two truth values
/// as `True` and `False`, which is how the reference spells them here.
pub fn canonical_arguments_of(arguments: &Json) -> String {
    if let Some(text) = arguments.as_str() {
        return canonical_arguments(&text);
    }
    match arguments.text() {
        "null" => String::new(),
        "true" => "True".to_owned(),
        "false" => "False".to_owned(),
        _ => arguments.canonical(),
    }
}

fn has_lone_surrogates(json: &Json) -> bool {
    Tokens::new(json.text()).any(|token| match token {
        Token::Key(text) | Token::String(text) => unescape(text).lone_surrogates,
        _ => false,
    })
}
