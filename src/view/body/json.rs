//! JSON, laid out over lines, with every token as it stands.

use serde_json::value::RawValue;

use crate::canonical::{elements, members};
use crate::look::visible;
use crate::view::styled::{Ink, Styled};

/// Longer texts are shown as they stand.
const LONGEST: usize = 1024 * 1024;
/// Deeper values are shown in one line.
const DEEPEST: usize = 40;

/// The rows of a text that is a JSON object or array.
pub fn of_text(text: &str) -> Option<Vec<Styled>> {
    let text = text.trim();
    let is_structure = text.starts_with(['{', '[']) && text.len() <= LONGEST;
    (is_structure && serde_json::from_str::<&RawValue>(text).is_ok()).then(|| pretty(text))
}

/// The rows of a valid JSON text.
pub fn pretty(text: &str) -> Vec<Styled> {
    let mut out = Layout {
        rows: Vec::new(),
        row: Styled::default(),
    };
    out.value(text.trim(), 0);
    out.end_row();
    out.rows
}

struct Layout {
    rows: Vec<Styled>,
    row: Styled,
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
            Some(b'"') => self.token(Ink::Text, text),
            Some(b'{' | b'[') => self.token(Ink::Plain, text),
            _ => self.token(Ink::Number, text),
        }
    }

    fn object(&mut self, text: &str, depth: usize) {
        let mut any = false;
        self.row.push(Ink::Dim, "{");
        for (key, value) in members(text).into_iter().flatten() {
            self.separate(any);
            any = true;
            self.begin_row(depth + 1);
            self.token(Ink::Key, key);
            self.row.push(Ink::Dim, ": ");
            self.value(value.trim(), depth + 1);
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
        if any {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_stays_as_it_stands() {
        let rows = pretty(r#"{"b":[1e400, "x\u001b"],"a":{},"c":[]}"#);
        let rows: Vec<String> = rows.iter().map(Styled::text).collect();
        let expected = [
            "{",
            "  \"b\": [",
            "    1e400,",
            "    \"x\\u001b\"",
            "  ],",
            "  \"a\": {},",
            "  \"c\": []",
            "}",
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn only_whole_structures_are_laid_out() {
        assert!(of_text(" {\"a\":1} ").is_some());
        assert!(of_text("{\"a\":1").is_none());
        assert!(of_text("17").is_none());
    }
}
