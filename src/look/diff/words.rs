//! How items and their differences are said. Texts are as they stand in the files: whoever shows
//! them makes them visible.

use super::difference::Difference;
use super::item::{Call, Item, Kind};
use crate::canonical::Json;
use crate::look::human;

/// What an item is, in a few words: `assistant, calls read_file`.
pub fn label(item: &Item) -> String {
    let tools: Vec<&str> = item.calls.iter().map(|call| call.name.as_str()).collect();
    match (kind(&item.kind), tools.as_slice(), &item.answers) {
        (kind, [], None) => kind.to_owned(),
        (kind, [], Some(tool)) => format!("{kind}, answers {tool}"),
        (kind, tools, _) => format!("{kind}, calls {}", tools.join(", ")),
    }
}

/// One word for a kind: of a message its role.
pub fn kind(kind: &Kind) -> &str {
    match kind {
        Kind::Message(role) => role.as_str(),
        Kind::Compaction => "compaction",
        Kind::Elision => "elision",
        Kind::Other(name) => name,
    }
}

/// Which item of its side this is, where `index` counts from 0: `message 5 (line 8)`.
pub fn place(item: &Item, index: usize) -> String {
    let what = match &item.kind {
        Kind::Message(_) => "message",
        other => kind(other),
    };
    format!("{what} {} (line {})", index + 1, item.line)
}

/// The field in which two items differ, with what it belongs to.
pub fn field(difference: &Difference) -> String {
    match difference {
        Difference::Content(position) => format!("content, text line {}", position.line),
        Difference::Tool { call, .. } => format!("tool of call {}", call + 1),
        Difference::Argument {
            call, tool, path, ..
        } => format!("{path} of call {}, {tool}", call + 1),
        Difference::Answers { .. } => "tool that is answered for".to_owned(),
        Difference::Kind { .. } | Difference::Strict { .. } => difference.to_string(),
    }
}

/// Both values of a difference, each in one line; absent where a side has none. Of texts, what
/// follows the place where they part, with a little of what is before.
pub fn values(
    difference: &Difference,
    left: &Item,
    right: &Item,
) -> (Option<String>, Option<String>) {
    match difference {
        Difference::Kind { left, right } => (Some(kind(left).into()), Some(kind(right).into())),
        Difference::Content(position) => (
            Some(around(&left.content, position.byte)),
            Some(around(&right.content, position.byte)),
        ),
        Difference::Tool { left, right, .. }
        | Difference::Argument { left, right, .. }
        | Difference::Answers { left, right }
        | Difference::Strict { left, right, .. } => (left.clone(), right.clone()),
    }
}

/// How many characters before the place where two texts part are shown.
const BEFORE: usize = 24;

/// The line that holds this byte, from a little before it on.
fn around(text: &str, byte: usize) -> String {
    let (before, after) = text.split_at_checked(byte).unwrap_or((text, ""));
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.get(line_start..).unwrap_or_default();
    let rest = after.split('\n').next().unwrap_or_default();
    match line.char_indices().rev().nth(BEFORE - 1) {
        Some((at, _)) if at > 0 => format!("…{}{rest}", line.get(at..).unwrap_or_default()),
        _ => format!("{line}{rest}"),
    }
}

/// The arguments of a call as lines of text: one for each key, and for each line of a text of
/// several lines. Arguments that are no JSON object are given as they stand.
pub fn arguments(call: &Call) -> String {
    let parsed = Json::parse(call.arguments.as_str()).ok();
    let Some(entries) = parsed.and_then(|json| json.entries()) else {
        return call.arguments.clone();
    };
    let lines: Vec<String> = entries
        .iter()
        .map(|(key, value)| entry(&key_text(key), value))
        .collect();
    lines.join("\n")
}

/// What [`Item::strict`] holds, as lines of text: one for each key and each key of the payload.
pub fn fields(strict: &str) -> String {
    let parsed = Json::parse(strict).ok();
    let mut lines = Vec::new();
    for (key, value) in parsed.and_then(|json| json.entries()).unwrap_or_default() {
        match value.entries() {
            Some(inner) if key == "payload" => {
                let inner = inner.iter();
                lines.extend(
                    inner.map(|(inner, value)| entry(&format!("{key}.{}", key_text(inner)), value)),
                );
            }
            _ => lines.push(entry(&key_text(&key), &value)),
        }
    }
    lines.join("\n")
}

fn entry(key: &str, value: &Json) -> String {
    match value.as_str() {
        Some(text) if text.contains('\n') => format!("{key}:\n  {}", text.replace('\n', "\n  ")),
        _ => format!("{key}: {}", value.text()),
    }
}

/// A plain key stands for itself; any other is quoted, so that it is seen where it ends.
fn key_text(key: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    match !key.is_empty() && key.chars().all(plain) {
        true => key.to_owned(),
        false => Json::string(key).text().to_owned(),
    }
}

/// What stands for lines that are the same and left out.
pub fn gap(lines: usize) -> String {
    format!(
        "⋮ {}",
        human::counted(lines as u64, "same line", "same lines")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_arguments(text: &str, expected: &str) {
        let call = Call {
            name: "edit".into(),
            arguments: text.into(),
        };
        assert_eq!(arguments(&call), expected);
    }

    #[test]
    fn arguments_are_a_line_for_each_key_and_each_line_of_text() {
        check_arguments(
            r#"{"all":true,"edits":[{"a":1}],"new":"one\ntwo\n","path":"a b"}"#,
            "all: true\nedits: [{\"a\":1}]\nnew:\n  one\n  two\n  \npath: \"a b\"",
        );
        check_arguments(r#"{"a\nb":1,"größe":2}"#, "\"a\\nb\": 1\ngröße: 2");
        check_arguments("{}", "");
        check_arguments("{\"cut", "{\"cut");
        check_arguments("[1,2]", "[1,2]");
    }

    #[test]
    fn fields_are_those_of_the_line_and_of_its_payload() {
        let strict = r#"{"id":"x","payload":{"role":"user","usage":{"cost":1}},"v":1}"#;
        let expected = "id: \"x\"\npayload.role: \"user\"\npayload.usage: {\"cost\":1}\nv: 1";
        assert_eq!(fields(strict), expected);
    }

    #[test]
    fn the_line_where_texts_part_is_shown_from_a_little_before() {
        assert_eq!(around("one\ntwo three\nfour", 8), "two three");
        assert_eq!(around("short", 5), "short");
        let long = format!("{}{}", "a".repeat(100), "bc");
        assert_eq!(around(&long, 100), format!("…{}bc", "a".repeat(24)));
    }
}
