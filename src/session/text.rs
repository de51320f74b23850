//! Text from a value that should have been a string and is of another kind.
//!
//! Fields nothing is decided by (a tool's name, a fact, a time stamp) are read whatever they hold,
//! and shown the way the reference shows them, so that both name one operation alike.

use super::envelope::string;
use crate::canonical::{Json, elements, members, unescape};

/// Deeper nesting than this stays JSON text.
const DEEPEST: usize = 8;

/// A string's text; nothing for `null`; `True` and `False`; a number without a mark of its kind;
/// an array's items after one another; an object's members in lines, key and value parted by a tab.
pub(crate) fn text_of(token: &str) -> String {
    text_at(token, DEEPEST)
}

fn text_at(token: &str, levels: usize) -> String {
    if let Some(text) = string(token) {
        return text.into_owned();
    }
    let Some(levels) = levels.checked_sub(1) else {
        return token.to_owned();
    };
    if let Some(items) = elements(token) {
        let texts: Vec<String> = items.map(|item| text_at(item, levels)).collect();
        return texts.join(" ");
    }
    if let Some(members) = members(token) {
        let mut lines: Vec<String> = members
            .map(|(key, value)| format!("{}\t{}", unescape(key).text, text_at(value, levels)))
            .collect();
        lines.sort();
        return lines.join("\n");
    }
    match token {
        "null" => String::new(),
        "true" => "True".to_owned(),
        "false" => "False".to_owned(),
        number => number_text(number),
    }
}

fn number_text(token: &str) -> String {
    let canonical = Json::from_valid(token).canonical();
    let plain = canonical
        .strip_suffix(".0")
        .or_else(|| canonical.strip_suffix("e0"));
    plain.unwrap_or(&canonical).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_the_text_the_reference_gives_it() {
        for (token, text) in [
            (r#""a\n""#, "a\n"),
            ("null", ""),
            ("true", "True"),
            ("-0", "0"),
            ("8.50", "8.5"),
            ("1.0", "1"),
            ("1e3", "1000"),
            ("1.5e-7", "1.5e-07"),
            ("1e21", "1e+21"),
            (
                "123456789012345678901234567890",
                "123456789012345678901234567890",
            ),
            (r#"["a","b",1,null,true]"#, "a b 1  True"),
            (
                r#"{"type":"text","text":["x", 2]}"#,
                "text\tx 2\ntype\ttext",
            ),
            ("[]", ""),
            ("{}", ""),
        ] {
            assert_eq!(text_of(token), text, "{token}");
        }
    }

    #[test]
    fn nesting_without_end_is_not_followed() {
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(text_of(&deep), deep[DEEPEST..deep.len() - DEEPEST]);
    }
}
