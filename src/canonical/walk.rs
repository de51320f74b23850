//! Reads JSON text once, checking every byte of it on the way.
//!
//! What is JSON is said by RFC 8259, without any leniency; nesting may be of any depth, since it is
//! a list of open containers and never a call.

use super::quoted::{Surrogates, string_end};

/// A place in text that is known to be UTF-8. Everything before it has been found to be JSON.
/// Every step answers `None` where the text is not.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    text: &'a str,
    at: usize,
    surrogates: Surrogates,
}

impl<'a> Walk<'a> {
    /// At the start of a text.
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            surrogates: Surrogates::default(),
        }
    }

    /// Where the first escape like `\ud83d` stands without its partner, in bytes from the start of
    /// the text.
    pub(crate) fn lone_surrogate(&self) -> Option<usize> {
        self.surrogates.lone
    }

    /// The byte that comes next, white space left out.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.bytes().get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Some(*byte),
            }
        }
    }

    /// The bytes from the start of the text.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Any value.
    pub(crate) fn value(&mut self) -> Option<&'a str> {
        let first = self.peek()?;
        let start = self.at;
        match first {
            b'{' | b'[' => self.container()?,
            _ => self.scalar(first)?,
        }
        self.text.get(start..self.at)
    }

    /// An object. For each of its members the visitor is given the key, still quoted and escaped,
    /// and has to take the value.
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &'a str) -> Option<()>,
    ) -> Option<()> {
        self.take(b'{')?;
        if self.peek()? == b'}' {
            return self.take(b'}');
        }
        loop {
            let key = self.key()?;
            member(self, key)?;
            match self.peek()? {
                b',' => self.at += 1,
                _ => return self.take(b'}'),
            }
        }
    }

    /// A key and the colon behind it.
    fn key(&mut self) -> Option<&'a str> {
        self.peek()?;
        let start = self.at;
        self.string()?;
        let key = self.text.get(start..self.at);
        self.take(b':')?;
        key
    }

    fn container(&mut self) -> Option<()> {
        let mut open = Vec::new();
        loop {
            match self.peek()? {
                bracket @ (b'{' | b'[') => {
                    self.at += 1;
                    let closing = bracket + 2;
                    if self.peek()? != closing {
                        open.push(closing);
                        self.element(closing)?;
                        continue;
                    }
                    self.at += 1;
                }
                first => self.scalar(first)?,
            }
            loop {
                let Some(closing) = open.last().copied() else {
                    return Some(());
                };
                let next = self.peek()?;
                self.at += 1;
                if next == b',' {
                    self.element(closing)?;
                    break;
                }
                if next != closing {
                    return None;
                }
                open.pop();
            }
        }
    }

    /// What stands before a value inside a container that is closed like this.
    fn element(&mut self, closing: u8) -> Option<()> {
        match closing {
            b'}' => self.key().map(drop),
            _ => Some(()),
        }
    }

    fn scalar(&mut self, first: u8) -> Option<()> {
        match first {
            b'"' => self.string(),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.bytes().get(self.at..)?.strip_prefix(word.as_bytes())?;
        self.at += word.len();
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        self.skip(b"-");
        if !self.skip(b"0") {
            self.digits()?;
        }
        if self.skip(b".") {
            self.digits()?;
        }
        if self.skip(b"eE") {
            self.skip(b"+-");
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let rest = self.bytes().get(self.at..)?;
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        (count > 0).then_some(())
    }

    fn string(&mut self) -> Option<()> {
        self.at = string_end(self.bytes(), self.at, &mut self.surrogates)?;
        Some(())
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        let found = self.peek()? == byte;
        self.at += usize::from(found);
        found.then_some(())
    }

    /// Goes past a byte if it is one of these.
    fn skip(&mut self, any_of: &[u8]) -> bool {
        let found = self
            .bytes()
            .get(self.at)
            .is_some_and(|byte| any_of.contains(byte));
        self.at += usize::from(found);
        found
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    fn is_json(text: &str) -> bool {
        let mut walk = Walk::new(text);
        walk.value().is_some() && walk.peek().is_none()
    }

    /// serde_json is strict, and knows nothing of blocks.
    fn agrees(text: &str) {
        let expected = serde_json::from_str::<&RawValue>(text).is_ok();
        assert_eq!(is_json(text), expected, "{text:?}");
    }

    const DOCUMENTS: [&str; 12] = [
        r#"{"id":"a-b","payload":{"content":"x\"y\\z\n\té\u00e9😀\ud83d\ude00\ud800","n":[1,-2.50e+3,0.1E-9]},"v":1}"#,
        r#" [ { "a" : { } , "b" : [ ] } , [ [ ] , [ { } ] ] , true , false , null ] "#,
        r#"{"":"","a":{"":[[],{}]}}"#,
        r#""\b\f\n\r\t\/\\\"\u0000\uFFFF""#,
        "\"\\\\\\\\\\\"\"",
        "-0",
        "0",
        "1e400",
        "-12.5E+07",
        "[1,2,[3,{\"k\":[4,{\"k\":5}]}]]",
        "\t\r\n\"\u{7f}\u{80}\u{2028}\u{10FFFF}\"\n",
        "null",
    ];

    #[test]
    fn every_prefix_and_every_changed_byte_is_judged_as_serde_json_does() {
        for document in DOCUMENTS {
            agrees(document);
            for (at, _) in document.char_indices() {
                agrees(&document[..at]);
                agrees(&document[at..]);
                for other in "\"\\{}[],:01.eE+-tfnu/ \t\n\u{1}\u{1f}é".chars() {
                    let (before, rest) = document.split_at(at);
                    agrees(&format!("{before}{other}{rest}"));
                    let mut rest = rest.chars();
                    rest.next();
                    agrees(&format!("{before}{other}{}", rest.as_str()));
                    agrees(&format!("{before}{}", rest.as_str()));
                }
            }
        }
    }

    #[test]
    fn nesting_may_be_of_any_depth() {
        let deep = |end: &str| format!("{}{end}", "[{\"a\":".repeat(100_000));
        assert!(is_json(&deep(&format!("1{}", "}]".repeat(100_000)))));
        assert!(!is_json(&deep(&format!("1{}", "]}".repeat(100_000)))));
        assert!(!is_json(&deep("1")));
    }

    #[test]
    fn an_object_gives_out_its_members_in_file_order() {
        let text = r#" { "a" : [1, {"b":"}"}] ,"c\"":"x\\","d":-1e5 } "#;
        let mut found = Vec::new();
        let mut walk = Walk::new(text);
        let whole = walk.object(|walk, key| {
            found.push((key, walk.value()?));
            Some(())
        });
        assert_eq!((whole, walk.peek()), (Some(()), None));
        assert_eq!(
            found,
            [
                ("\"a\"", r#"[1, {"b":"}"}]"#),
                (r#""c\"""#, r#""x\\""#),
                ("\"d\"", "-1e5"),
            ]
        );
    }

    #[test]
    fn two_strings_make_no_surrogate_pair() {
        let text = r#"{"a":"\ud83d\ude00","b":["\ud83d","\ude00"]}"#;
        let mut walk = Walk::new(text);
        assert_eq!(walk.value(), Some(text));
        assert_eq!(walk.lone_surrogate(), text.find("\\ud83d\","));
    }
}
