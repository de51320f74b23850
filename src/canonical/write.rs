//! The sorted writer: one text for all spellings of the same document.
//!
//! Nothing here recurses, so depth costs memory and never the stack.

use super::escape::write_string;
use super::number::write_number;
use super::sort::sorted_tokens;
use super::token::{Token, Tokens};
use super::unescape::unescape;

/// What becomes of number tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// They stay as they are spelled.
    Kept,
    /// They are written in their canonical spelling.
    Respelled,
}

/// Appends a valid JSON text without white space, with keys in code point order at every depth,
/// the last of equal keys standing, and strings escaped in the one way [`write_string`] does it.
pub(super) fn write_sorted(out: &mut String, text: &str, numbers: Numbers) {
    out.reserve(text.len());
    let mut writer = Writer {
        start: out.len(),
        out,
        numbers,
    };
    if !writer.write_in_order(text) {
        writer.restart();
        sorted_tokens(text).for_each(|token| writer.token(token));
    }
}

struct Writer<'o> {
    out: &'o mut String,
    start: usize,
    numbers: Numbers,
}

impl Writer<'_> {
    /// Writes in the order of the text and answers whether that was the sorted one. Most documents
    /// come from a sorted writer, and this takes memory for their depth only.
    fn write_in_order(&mut self, text: &str) -> bool {
        let mut last_keys = Vec::new();
        for token in Tokens::new(text) {
            match token {
                Token::ObjectStart | Token::ArrayStart => last_keys.push(None),
                Token::ObjectEnd | Token::ArrayEnd => drop(last_keys.pop()),
                Token::Key(key) => {
                    let key = Some(unescape(key).text);
                    if let Some(last) = last_keys.last_mut() {
                        if *last >= key {
                            return false;
                        }
                        *last = key;
                    }
                }
                Token::String(_) | Token::Number(_) | Token::Word(_) => {}
            }
            self.token(token);
        }
        true
    }

    fn restart(&mut self) {
        self.out.truncate(self.start);
    }

    fn token(&mut self, token: Token<'_>) {
        if !matches!(token, Token::ObjectEnd | Token::ArrayEnd) {
            self.separate();
        }
        match token {
            Token::ObjectStart => self.out.push('{'),
            Token::ObjectEnd => self.out.push('}'),
            Token::ArrayStart => self.out.push('['),
            Token::ArrayEnd => self.out.push(']'),
            Token::Key(key) => {
                write_string(self.out, &unescape(key).text);
                self.out.push(':');
            }
            Token::String(string) => write_string(self.out, &unescape(string).text),
            Token::Word(word) => self.out.push_str(word),
            Token::Number(number) if self.numbers == Numbers::Respelled => {
                write_number(self.out, number);
            }
            Token::Number(number) => self.out.push_str(number),
        }
    }

    /// Puts the comma between two values. The last byte tells whether one is due, because strings
    /// end with their quote.
    fn separate(&mut self) {
        let first = self.out.len() == self.start;
        let opened = matches!(self.out.as_bytes().last(), Some(b'{' | b'[' | b':'));
        if !first && !opened {
            self.out.push(',');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(text: &str) -> String {
        let mut out = String::from("before:");
        write_sorted(&mut out, text, Numbers::Kept);
        out
    }

    #[test]
    fn keys_are_sorted_by_code_point_at_every_depth() {
        assert_eq!(
            sorted(r#" { "\ud83d\ude00":1, "\uffff":{"b":[ 3,{"z":0,"y":1} ],"a":{}}, "Z":[] } "#),
            "before:{\"Z\":[],\"\u{ffff}\":{\"a\":{},\"b\":[3,{\"y\":1,\"z\":0}]},\"\\uD83D\\uDE00\":1}"
        );
    }

    #[test]
    fn the_last_of_equal_keys_stands() {
        assert_eq!(
            sorted(r#"{"a":1,"b":2,"\u0061":{"c":1,"c":[]},"b":4}"#),
            r#"before:{"a":{"c":[]},"b":4}"#
        );
        assert_eq!(sorted(r#"{"a":1,"a":2}"#), r#"before:{"a":2}"#);
    }

    #[test]
    fn a_comma_inside_a_string_is_not_a_separator() {
        assert_eq!(
            sorted(r#"["{", "[", ":", ","]"#),
            r#"before:["{","[",":",","]"#
        );
    }

    #[test]
    fn number_tokens_are_kept() {
        assert_eq!(
            sorted("[1e400, -0, 1.50, 1E+2]"),
            "before:[1e400,-0,1.50,1E+2]"
        );
    }
}
