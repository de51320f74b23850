//! Builds one line out of pieces, within a number of columns.

use serde_json::value::RawValue;

use super::text::Text;
use crate::canonical::members;
use crate::look::{visible, width};

/// What a tool is called with, in one safe line of at most so many columns.
pub fn arguments(arguments: Text<'_>, columns: usize) -> String {
    let mut phrase = Phrase::new(columns);
    phrase.arguments(arguments);
    phrase.finish()
}

/// A line that grows piece by piece. What does not fit is left out, and the end says so.
#[derive(Debug)]
pub struct Phrase {
    out: String,
    used: usize,
    columns: usize,
    cut: bool,
}

/// Arguments that take more bytes than this in the line are shown as they stand.
const ARGUMENTS: usize = 4_096;
/// Only so many members of an object are looked at.
const MEMBERS: usize = 64;

impl Phrase {
    /// An empty one that may take this many columns.
    pub fn new(columns: usize) -> Self {
        Self {
            out: String::new(),
            used: 0,
            columns,
            cut: false,
        }
    }

    /// The columns that are left.
    pub fn room(&self) -> usize {
        self.columns.saturating_sub(self.used)
    }

    /// Whether nothing has been said.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Adds words of our own.
    pub fn words(&mut self, words: &str) -> &mut Self {
        self.text(Text::Plain(words), false)
    }

    /// Adds a text from the transcript, without the white space around it.
    pub fn quote(&mut self, text: Text<'_>) -> &mut Self {
        self.text(text, true)
    }

    fn text(&mut self, text: Text<'_>, trim: bool) -> &mut Self {
        if self.cut || text.is_empty() {
            return self;
        }
        let room = self.room();
        let shown = match text {
            Text::Plain(words) if !trim => visible::excerpt(words, room),
            text => text.excerpt(room),
        };
        if room == 0 {
            self.cut = true;
            return self;
        }
        self.used += width::width(&shown);
        self.out.push_str(&shown);
        self
    }

    /// Adds a JSON value: a string's text, an object's members, anything else as it stands.
    pub fn json(&mut self, value: &str) -> &mut Self {
        match value.starts_with('{') {
            true => self.pairs(value, &[]),
            false => self.quote(Text::of_json(value)),
        }
    }

    /// Adds the members of an object as `key: value`, the short ones first, since a path says more
    /// than the beginning of a file. Those in `without` are left out.
    pub fn pairs(&mut self, object: &str, without: &[&str]) -> &mut Self {
        let mut pairs: Vec<(Text<'_>, Text<'_>)> = members(object)
            .into_iter()
            .flatten()
            .take(MEMBERS)
            .map(|(key, value)| (Text::Token(key), Text::of_json(value)))
            .filter(|(key, _)| !without.contains(&key.whole().as_ref()))
            .collect();
        pairs.sort_by_key(|(_, value)| size(*value).min(60));
        let mut separator = "";
        for (key, value) in pairs {
            if self.cut {
                break;
            }
            self.words(separator).quote(key).words(": ").quote(value);
            separator = ", ";
        }
        self
    }

    /// Adds what a tool is called with. A single argument stands without its name.
    pub fn arguments(&mut self, arguments: Text<'_>) -> &mut Self {
        let (text, all) = arguments.beginning(ARGUMENTS);
        let text = text.trim();
        let is_object = text.starts_with('{');
        if !all || !is_object || serde_json::from_str::<&RawValue>(text).is_err() {
            return self.quote(arguments);
        }
        let mut found = members(text).into_iter().flatten();
        match (found.next(), found.next()) {
            (None, _) => self,
            (Some((_, only)), None) => self.quote(Text::of_json(only)),
            _ => self.pairs(text, &[]),
        }
    }

    /// The line.
    pub fn finish(self) -> String {
        if self.cut && !self.out.ends_with(width::ELLIPSIS) {
            let marked = self.out + width::ELLIPSIS;
            return width::truncate(&marked, self.columns).into_owned();
        }
        self.out.trim().to_owned()
    }
}

/// About how much there is to show.
fn size(text: Text<'_>) -> usize {
    match text {
        Text::Token(text) | Text::Plain(text) => text.len(),
        Text::Bytes(bytes) => bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(columns: usize, build: impl FnOnce(&mut Phrase) -> &mut Phrase) -> String {
        let mut phrase = Phrase::new(columns);
        build(&mut phrase);
        phrase.finish()
    }

    #[test]
    fn arguments_are_shown_short_ones_first_and_a_single_one_alone() {
        let cases = [
            (r#""{\"command\":\"cargo test\"}""#, "cargo test"),
            (
                r#""{\"content\":\"fn main() {}\\n\",\"path\":\"a.rs\"}""#,
                "path: a.rs, content: fn main() {}",
            ),
            (r#"{"n":1,"a":{"b":[]}}"#, r#"n: 1, a: {"b":[]}"#),
            (r#""{\"cut\":""#, r#"{"cut":"#),
            (r#""""#, ""),
            ("{}", ""),
            ("null", "null"),
            (r#""[1]""#, "[1]"),
        ];
        for (json, expected) in cases {
            let shown = built(60, |phrase| phrase.arguments(Text::of_json(json)));
            assert_eq!(shown, expected, "{json}");
        }
    }

    #[test]
    fn what_does_not_fit_is_cut_at_the_end_only() {
        let build = |phrase: &mut Phrase| {
            phrase.words("shell: ");
            phrase.quote(Text::Plain("one two")).words(", and more");
        };
        let shown = |columns| {
            built(columns, |phrase| {
                build(phrase);
                phrase
            })
        };
        assert_eq!(shown(30), "shell: one two, and more");
        assert_eq!(shown(20), "shell: one two, and…");
        assert_eq!(shown(14), "shell: one tw…");
        assert_eq!(shown(10), "shell: on…");
        assert_eq!(shown(7), "shell:…");
        assert_eq!(shown(0), "");
    }
}
