//! The tokens of a text that is known to be JSON.

use memchr::memchr2;

/// One token. Commas and colons say nothing a reader of valid JSON does not know, so they are
/// passed over like white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    ObjectStart,
    ObjectEnd,
    ArrayStart,
    ArrayEnd,
    /// The name of a member, with its quotes, escapes as they stand.
    Key(&'a str),
    /// A string that is a value, likewise.
    String(&'a str),
    /// A number as it is spelled.
    Number(&'a str),
    /// `true`, `false` or `null`.
    Word(&'a str),
}

/// Walks over the tokens of a valid JSON text.
#[derive(Clone, Debug)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The whole text of the next value, however deep; `None` at the end of the container the
    /// walk is in, and at the end of the text.
    pub(super) fn next_value(&mut self) -> Option<&'a str> {
        self.skip_separators();
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.next()? {
                Token::ObjectStart | Token::ArrayStart => depth += 1,
                Token::ObjectEnd | Token::ArrayEnd => depth = depth.checked_sub(1)?,
                Token::Key(_) | Token::String(_) | Token::Number(_) | Token::Word(_) => {}
            }
            if depth == 0 {
                return self.text.get(start..self.at);
            }
        }
    }

    fn skip_separators(&mut self) {
        let bytes = self.text.as_bytes();
        let separator = |byte: &u8| is_space(*byte) || matches!(byte, b',' | b':');
        while bytes.get(self.at).is_some_and(separator) {
            self.at += 1;
        }
    }

    /// Takes everything up to `end`.
    fn take_to(&mut self, end: usize) -> Option<&'a str> {
        let text = self.text.get(self.at..end)?;
        self.at = end;
        Some(text)
    }

    fn string(&mut self) -> Option<Token<'a>> {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        loop {
            at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
            if bytes.get(at) == Some(&b'"') {
                break;
            }
            at += 2;
        }
        let text = self.take_to(at + 1)?;
        let mut rest = bytes.get(self.at..)?.iter();
        Some(match rest.find(|byte| !is_space(**byte)) {
            Some(b':') => Token::Key(text),
            _ => Token::String(text),
        })
    }

    fn scalar(&mut self) -> Option<&'a str> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let length = rest
            .iter()
            .position(|byte| !matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'E' | b'.' | b'+' | b'-'))
            .unwrap_or(rest.len());
        self.take_to(self.at + length.max(1))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.skip_separators();
        let mark = match self.text.as_bytes().get(self.at)? {
            b'"' => return self.string(),
            b'-' | b'0'..=b'9' => return self.scalar().map(Token::Number),
            b'{' => Token::ObjectStart,
            b'}' => Token::ObjectEnd,
            b'[' => Token::ArrayStart,
            b']' => Token::ArrayEnd,
            _ => return self.scalar().map(Token::Word),
        };
        self.at += 1;
        Some(mark)
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_token_is_told_apart() {
        let tokens: Vec<Token<'_>> = Tokens::new(r#"{"a\"b" : [1e+5, true],"":null}"#).collect();
        assert_eq!(
            tokens,
            [
                Token::ObjectStart,
                Token::Key(r#""a\"b""#),
                Token::ArrayStart,
                Token::Number("1e+5"),
                Token::Word("true"),
                Token::ArrayEnd,
                Token::Key(r#""""#),
                Token::Word("null"),
                Token::ObjectEnd,
            ]
        );
    }

    #[test]
    fn a_value_is_taken_with_everything_inside_it() {
        let mut tokens = Tokens::new(r#"[ {"a": [1, "]"]} , 2 ]"#);
        assert_eq!(tokens.next(), Some(Token::ArrayStart));
        assert_eq!(tokens.next_value(), Some(r#"{"a": [1, "]"]}"#));
        assert_eq!(tokens.next_value(), Some("2"));
        assert_eq!(tokens.next_value(), None);
    }
}
