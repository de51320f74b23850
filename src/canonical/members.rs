//! Walks the members of an object and the elements of an array in text that is known to be JSON.
//!
//! Nothing here checks the text: it has been through a strict parser before. That is what makes
//! the walk cheap, since a string is skipped at the speed of finding its closing quote, and what
//! keeps it flat, since nesting is a counter and never a call.

use memchr::memchr;

/// The members of an object as `(key token, value text)`, the key still quoted and escaped, in
/// file order with duplicates. `None` when the text is no object.
pub fn members(text: &str) -> Option<Members<'_>> {
    let inside = text.trim_ascii().strip_prefix('{')?;
    Some(Members { rest: inside })
}

/// The value of the last member with this key, as JSON text.
pub fn member<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    members(text)?
        .filter(|(token, _)| key_is(token, key))
        .last()
        .map(|(_, value)| value)
}

/// The elements of an array as JSON text. `None` when the text is no array.
pub fn elements(text: &str) -> Option<Elements<'_>> {
    let inside = text.trim_ascii().strip_prefix('[')?;
    Some(Elements { rest: inside })
}

/// Whether a key token spells this key. Escapes are looked at only where there are any.
fn key_is(token: &str, key: &str) -> bool {
    let inner = &token[1..token.len() - 1];
    inner == key || (inner.contains('\\') && super::unescape(token).text == key)
}

/// See [`members`].
#[derive(Clone, Debug)]
pub struct Members<'a> {
    rest: &'a str,
}

impl<'a> Members<'a> {
    /// The members from some place between two of an object on.
    pub(crate) fn inside(rest: &'a str) -> Self {
        Self { rest }
    }

    /// The next key, still quoted and escaped. Its value must be taken before the key after it.
    pub(crate) fn key(&mut self) -> Option<&'a str> {
        self.rest = skip_separators(self.rest);
        if !self.rest.starts_with('"') {
            return None;
        }
        Some(self.take(string_end(self.rest)))
    }

    /// The value of the key just taken.
    pub(crate) fn value(&mut self) -> &'a str {
        self.rest = skip_separators(self.rest);
        self.take(value_end(self.rest))
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.key()?;
        Some((key, self.value()))
    }
}

/// See [`elements`].
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Elements<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = skip_separators(self.rest);
        if rest.is_empty() || rest.starts_with(']') {
            self.rest = "";
            return None;
        }
        let (value, rest) = rest.split_at(value_end(rest));
        self.rest = rest;
        Some(value)
    }
}

fn skip_separators(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\n', '\r', ',', ':'])
}

/// Where the value at the start of the text ends.
fn value_end(text: &str) -> usize {
    match text.as_bytes().first() {
        Some(b'"') => string_end(text),
        Some(b'{' | b'[') => container_end(text),
        _ => text
            .find([',', '}', ']', ' ', '\t', '\n', '\r'])
            .unwrap_or(text.len()),
    }
}

/// Where the string at the start of the text ends, its closing quote included.
fn string_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'"', rest)) {
        let quote = at + found;
        let backslashes = bytes[1..quote]
            .iter()
            .rev()
            .take_while(|byte| **byte == b'\\')
            .count();
        if backslashes % 2 == 0 {
            return quote + 1;
        }
        at = quote + 1;
    }
    text.len()
}

/// Where the object or array at the start of the text ends.
fn container_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += string_end(&text[at..]);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_file_order_with_their_exact_text() {
        let text = r#" { "a" : [1,{"b":"}"}] , "c\"":"x\\", "d":-1e5,"e":null } "#;
        let found: Vec<_> = members(text).into_iter().flatten().collect();
        assert_eq!(
            found,
            [
                ("\"a\"", r#"[1,{"b":"}"}]"#),
                (r#""c\"""#, r#""x\\""#),
                ("\"d\"", "-1e5"),
                ("\"e\"", "null"),
            ]
        );
    }

    #[test]
    fn the_last_of_two_equal_keys_wins_however_it_is_spelled() {
        assert_eq!(member(r#"{"a":1,"\u0061":2}"#, "a"), Some("2"));
        assert_eq!(member(r#"{"b":1}"#, "a"), None);
        assert_eq!(member("[1]", "a"), None);
    }

    #[test]
    fn elements_are_the_values_between_the_commas() {
        let found: Vec<_> = elements(r#"[ "a,b" , [2] ,{} , 3]"#)
            .into_iter()
            .flatten()
            .collect();
        assert_eq!(found, [r#""a,b""#, "[2]", "{}", "3"]);
        assert_eq!(elements("[]").into_iter().flatten().count(), 0);
        assert!(elements("{}").is_none());
    }
}
