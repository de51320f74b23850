//! JSON, laid out over lines, with every token as it stands.

use serde_json::value::RawValue;

use super::code::Code;
use crate::canonical::{elements, members, unescape};
use crate::look::visible;
use crate::view::styled::{Ink, Styled};

/// Longer texts are shown as they stand.
const LONGEST: usize = 1024 * 1024;
/// Deeper values are shown in one line.
const DEEPEST: usize = 40;

/// The rows of a text that is a JSON object or array. Strings are read, those of several lines in a
/// row for each; or every token stays as it stands.
pub fn of_text(text: &str, reads: bool) -> Option<Vec<Styled>> {
    let text = text.trim();
    let is_structure = text.starts_with(['{', '[']) && text.len() <= LONGEST;
    if !is_structure || serde_json::from_str::<&RawValue>(text).is_err() {
        return None;
    }
    let mut out = Layout {
        rows: Vec::new(),
        row: Styled::default(),
        reads,
        after_text: false,
    };
    out.value(text, 0);
    out.end_row();
    Some(out.rows)
}

struct Layout {
    rows: Vec<Styled>,
    row: Styled,
    reads: bool,
    /// A text of several rows has ended; a comma would look like a part of it.
    after_text: bool,
}

impl Layout {
    fn end_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        self.rows.push(row);
    }

    fn begin_row(&mut self, depth: usize) {
        self.end_row();
        self.row.push(Ink::Plain, "  ".repeat(depth));
    }

    fn token(&mut self, ink: Ink, token: &str) {
        self.row.push(ink, visible::one_line(token).into_owned());
    }

    fn value(&mut self, text: &str, depth: usize) {
        let first = text.as_bytes().first();
        match first {
            Some(b'{') if depth < DEEPEST => self.object(text, depth),
            Some(b'[') if depth < DEEPEST => self.array(text, depth),
            Some(b'"') if self.reads => self.string(text, depth, None),
            Some(b'"') => self.token(Ink::Text, text),
            Some(b'{' | b'[') => self.token(Ink::Plain, text),
            _ => self.token(Ink::Number, text),
        }
    }

    fn string(&mut self, token: &str, depth: usize, mut code: Option<Code>) {
        let text = unescape(token).text;
        let text = text.trim_end_matches('\n');
        if !text.contains('\n') {
            let Some(code) = &mut code else {
                return self.token(Ink::Text, &format!("\"{text}\""));
            };
            self.row.push(Ink::Text, "\"");
            self.row.append(code.line(&visible::one_line(text)));
            self.row.push(Ink::Text, "\"");
            return;
        }
        self.row.push(Ink::Dim, "⏎");
        self.after_text = true;
        for line in text.split('\n') {
            self.begin_row(depth + 1);
            let line = visible::lines(line.strip_suffix('\r').unwrap_or(line));
            match &mut code {
                Some(code) => self.row.append(code.line(&line)),
                None => self.row.push(Ink::Text, line),
            };
        }
    }

    fn object(&mut self, text: &str, depth: usize) {
        let mut any = false;
        self.row.push(Ink::Dim, "{");
        let file = match self.reads {
            true => file_of(text),
            false => None,
        };
        for (key, value) in members(text).into_iter().flatten() {
            self.separate(any);
            any = true;
            self.begin_row(depth + 1);
            self.token(Ink::Key, key);
            self.row.push(Ink::Dim, ": ");
            match (value.trim(), self.reads) {
                (text, true) if text.starts_with('"') => {
                    let code = code_of(key, text, file.as_deref());
                    self.string(text, depth + 1, code);
                }
                (value, _) => self.value(value, depth + 1),
            }
        }
        self.close(any, "}", depth);
    }

    fn array(&mut self, text: &str, depth: usize) {
        let mut any = false;
        self.row.push(Ink::Dim, "[");
        for value in elements(text).into_iter().flatten() {
            self.separate(any);
            any = true;
            self.begin_row(depth + 1);
            self.value(value.trim(), depth + 1);
        }
        self.close(any, "]", depth);
    }

    fn separate(&mut self, any: bool) {
        if any && !std::mem::take(&mut self.after_text) {
            self.row.push(Ink::Dim, ",");
        }
    }

    fn close(&mut self, any: bool, bracket: &str, depth: usize) {
        if any {
            self.begin_row(depth);
        }
        self.row.push(Ink::Dim, bracket);
    }
}

/// The file that an object is about.
fn file_of(object: &str) -> Option<String> {
    const KEYS: [&str; 6] = [
        "\"path\"",
        "\"file\"",
        "\"file_path\"",
        "\"filepath\"",
        "\"filename\"",
        "\"file_name\"",
    ];
    let mut members = members(object)?;
    let (_, value) = members.find(|(key, _)| KEYS.contains(key))?;
    let value = value.trim();
    value
        .starts_with('"')
        .then(|| unescape(value).text.into_owned())
}

/// The language of a member's text: a command is the shell's, a text of several lines in an object
/// that names a file is that file's.
fn code_of(key: &str, token: &str, file: Option<&str>) -> Option<Code> {
    match key {
        "\"command\"" | "\"cmd\"" | "\"script\"" => Code::named("sh"),
        "\"sql\"" => Code::named("sql"),
        _ if token.contains("\\n") => Code::of_file(file?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, reads: bool) -> Vec<String> {
        let rows = of_text(text, reads).unwrap();
        rows.iter().map(Styled::text).collect()
    }

    const TEXT: &str = r#"{"b":[1e400, "x\u001b"],"a":{},"c":[],"d":"one\n\ttwo\n","e":"\u00e9"}"#;

    #[test]
    fn every_token_stays_as_it_stands() {
        let expected = [
            "{",
            "  \"b\": [",
            "    1e400,",
            "    \"x\\u001b\"",
            "  ],",
            "  \"a\": {},",
            "  \"c\": [],",
            "  \"d\": \"one\\n\\ttwo\\n\",",
            "  \"e\": \"\\u00e9\"",
            "}",
        ];
        assert_eq!(shown(TEXT, false), expected);
    }

    #[test]
    fn strings_are_read_and_drive_nothing() {
        let expected = [
            "{",
            "  \"b\": [",
            "    1e400,",
            "    \"x␛\"",
            "  ],",
            "  \"a\": {},",
            "  \"c\": [],",
            "  \"d\": ⏎",
            "    one",
            "            two",
            "  \"e\": \"é\"",
            "}",
        ];
        assert_eq!(shown(TEXT, true), expected);
    }

    #[test]
    fn code_in_arguments_is_told_by_the_file_or_the_key() {
        let text = r#"{"command":"ls # x","new":"let x;\ny","path":"a.rs","say":"let"}"#;
        let rows = of_text(text, true).unwrap();
        let inked = |row: &Styled, ink: Ink| -> Vec<String> {
            let spans = row.spans.iter().filter(|span| span.ink == ink);
            spans.map(|span| span.text.clone()).collect()
        };
        assert_eq!(inked(&rows[1], Ink::Dim), [": ", "# x", ","]);
        assert_eq!(rows[3].text(), "    let x;");
        assert_eq!(inked(&rows[3], Ink::Keyword), ["let"]);
        assert_eq!(inked(&rows[6], Ink::Text), ["\"let\""]);
    }

    #[test]
    fn only_whole_structures_are_laid_out() {
        assert!(of_text(" {\"a\":1} ", true).is_some());
        assert!(of_text("{\"a\":1", true).is_none());
        assert!(of_text("17", true).is_none());
    }
}
