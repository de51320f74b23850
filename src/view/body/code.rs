//! Source code: what its parts are, as meanings of ours.
//!
//! Comments, texts, numbers and words are told apart, and no more: a line takes time proportional to
//! its length, whatever stands in it. Reading goes line by line and no further than is shown.
//!
//! Grammars with regular expressions know more, but may never end on a line that is made for it, or
//! only unlucky: `x /*` keeps the JavaScript of `syntect` busy for ever (trishume/syntect#706).

use std::path::Path;

use super::languages::{self, Language};
use crate::view::styled::{Ink, Styled};

/// So many bytes of one text are read; the rest is shown without.
const MOST: usize = 64 * 1024;
/// What stands for itself in any language.
const CONSTANTS: &[&str] = &[
    "true",
    "false",
    "null",
    "nil",
    "None",
    "True",
    "False",
    "undefined",
    "NULL",
    "NaN",
];

/// A text in a language, read line by line.
#[derive(Clone, Debug)]
pub struct Code {
    language: &'static Language,
    /// What has begun on a line before, and what ends it.
    open: Option<(Ink, &'static str)>,
    /// How many bytes may still be read.
    left: usize,
}

impl Code {
    /// In a language by its name or the ending of its files, as a fence has it.
    pub fn named(name: &str) -> Option<Self> {
        let is_part = |mark: char| mark.is_alphanumeric() || "+#-_".contains(mark);
        let name = name.trim_start_matches([' ', '{', '.']);
        let end = name.find(|mark| !is_part(mark)).unwrap_or(name.len());
        languages::named(&name[..end]).map(|language| Self {
            language,
            open: None,
            left: MOST,
        })
    }

    /// In the language of a file.
    pub fn of_file(path: &str) -> Option<Self> {
        let path = Path::new(path);
        // Of a name without an ending, such as `Makefile`, no letter or two are taken for one.
        let whole = path.file_name().filter(|name| name.len() > 3);
        Self::named(path.extension().or(whole)?.to_str()?)
    }

    /// A line without its line feed; its text is safe already.
    pub fn line(&mut self, line: &str) -> Styled {
        let mut row = Row::default();
        if line.len() > self.left {
            row.push(Ink::Code, line);
            return row.styled;
        }
        self.left -= line.len();
        let mut rest = line;
        while !rest.is_empty() {
            let (ink, length) = self.next(rest, &line[..line.len() - rest.len()]);
            let (part, behind) = rest.split_at(length.clamp(1, rest.len()));
            row.push(ink, part);
            rest = behind;
        }
        row.styled
    }

    /// The next part of a line: what it is, and how long.
    fn next(&mut self, rest: &str, before: &str) -> (Ink, usize) {
        if let Some((ink, end)) = self.open {
            return self.until(rest, 0, ink, end, true);
        }
        let language = self.language;
        let begins = |mark: &&&str| rest.starts_with(**mark);
        let last = before.chars().next_back();
        for (begin, end) in language.blocks {
            if rest.starts_with(begin) {
                return self.until(rest, begin.len(), Ink::Dim, end, true);
            }
        }
        if let Some(mark) = language.comments.iter().find(begins) {
            // `#` inside a word, as in `$#` or `a#b`, begins none.
            let is_word = *mark != "//" && last.is_some_and(|last| !last.is_whitespace());
            if !is_word {
                return (Ink::Dim, rest.len());
            }
        }
        if let Some(mark) = language.long_texts.iter().find(begins) {
            let ink = self.ink_of_text(rest, mark);
            return self.until(rest, mark.len(), ink, mark, true);
        }
        if let Some(mark) = language.texts.iter().find(begins) {
            let ink = self.ink_of_text(rest, mark);
            return self.until(rest, mark.len(), ink, mark, false);
        }
        match rest.chars().next() {
            Some('\'') if language.lifetimes => (Ink::Text, length_of_character(rest)),
            Some('$') if language.variables => (Ink::Key, length_of_variable(rest)),
            Some(first) if first.is_ascii_digit() => (Ink::Number, length_of_number(rest)),
            Some(first) if is_of_word(first) => self.word(rest),
            first => (Ink::Plain, first.map_or(1, char::len_utf8)),
        }
    }

    /// Up to an end mark behind `from`, which a backslash keeps from being one in a text. Where
    /// there is none, to the end of the line, and further if it `goes_on`.
    fn until(
        &mut self,
        rest: &str,
        from: usize,
        ink: Ink,
        end: &'static str,
        goes_on: bool,
    ) -> (Ink, usize) {
        let mut at = from;
        while let Some(here) = rest.get(at..).filter(|here| !here.is_empty()) {
            if here.starts_with(end) {
                self.open = None;
                return (ink, at + end.len());
            }
            let mut marks = here.chars();
            let first = marks.next().map_or(1, char::len_utf8);
            let is_escape = ink != Ink::Dim && here.starts_with('\\');
            at += match is_escape {
                true => first + marks.next().map_or(0, char::len_utf8),
                false => first,
            };
        }
        self.open = goes_on.then_some((ink, end));
        (ink, rest.len())
    }

    /// A text may be a key.
    fn ink_of_text(&self, rest: &str, mark: &str) -> Ink {
        let Some(sign) = self.language.keys else {
            return Ink::Text;
        };
        let inside = rest.get(mark.len()..).unwrap_or_default();
        let behind = inside.split_once(mark).map(|(_, behind)| behind);
        match behind.is_some_and(|behind| behind.trim_start().starts_with(sign)) {
            true => Ink::Key,
            false => Ink::Text,
        }
    }

    fn word(&self, rest: &str) -> (Ink, usize) {
        let is_key = self.language.keys.is_some();
        let is_part =
            |mark: char| is_of_word(mark) || mark.is_ascii_digit() || is_key && mark == '-';
        let length = rest.find(|mark| !is_part(mark)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(length);
        let is_word = |known: &&str| match self.language.any_case {
            true => known.eq_ignore_ascii_case(word),
            false => *known == word,
        };
        let key = self.language.keys;
        let ink = if self.language.words.iter().any(is_word) {
            Ink::Keyword
        } else if CONSTANTS.contains(&word) {
            Ink::Number
        } else if key.is_some_and(|sign| behind.trim_start().starts_with(sign)) {
            Ink::Key
        } else if behind.starts_with('(') || behind.starts_with("!(") {
            Ink::Name
        } else {
            Ink::Plain
        };
        (ink, length)
    }
}

fn is_of_word(mark: char) -> bool {
    mark.is_alphabetic() || mark == '_'
}

/// `12`, `0x1f`, `1_000.5`, `2e-3` up to its sign.
fn length_of_number(rest: &str) -> usize {
    let is_part = |mark: char| mark.is_ascii_alphanumeric() || mark == '_' || mark == '.';
    let length = rest.find(|mark| !is_part(mark)).unwrap_or(rest.len());
    // A point behind it ends a sentence, and two are a range.
    let number = &rest[..length];
    number
        .find("..")
        .unwrap_or(number.trim_end_matches('.').len())
}

/// `'a'`, `'\n'`; of a lifetime the sign alone.
fn length_of_character(rest: &str) -> usize {
    let mut marks = rest.char_indices().skip(1);
    let is_escape = marks.next().is_some_and(|(_, mark)| mark == '\\');
    let most = if is_escape { 10 } else { 1 };
    let end = marks.take(most).find(|(_, mark)| *mark == '\'');
    end.map_or(1, |(at, _)| at + 1)
}

/// `$name`, `${name}`, `$1`, `$?`.
fn length_of_variable(rest: &str) -> usize {
    let inside = &rest[1..];
    if inside.starts_with('{') {
        return inside.find('}').map_or(1, |end| end + 2);
    }
    let is_part = |mark: char| mark.is_ascii_alphanumeric() || mark == '_';
    let length = inside.find(|mark| !is_part(mark)).unwrap_or(inside.len());
    1 + length
}

/// Neighbours of one meaning are one.
#[derive(Default)]
struct Row {
    styled: Styled,
}

impl Row {
    fn push(&mut self, ink: Ink, text: &str) {
        match self.styled.spans.last_mut() {
            Some(last) if last.ink == ink => last.text.push_str(text),
            _ => {
                self.styled.push(ink, text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Ink::{Dim, Key, Keyword, Name, Number, Plain, Text};

    #[track_caller]
    fn check(language: &str, text: &str, expected: &[(Ink, &str)]) {
        let mut code = Code::named(language).unwrap();
        let rows = text.lines().flat_map(|line| code.line(line).spans);
        let found: Vec<_> = rows.map(|span| (span.ink, span.text)).collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(ink, text)| (*ink, (*text).to_owned()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn comments_and_texts_go_on_over_lines() {
        check(
            "rust,ignore",
            "/* a\nb */ let x = \"y\\\"\nz\"; // 'c'",
            &[
                (Dim, "/* a"),
                (Dim, "b */"),
                (Plain, " "),
                (Keyword, "let"),
                (Plain, " x = "),
                (Text, "\"y\\\""),
                (Text, "z\""),
                (Plain, "; "),
                (Dim, "// 'c'"),
            ],
        );
        check(
            "py",
            "def mean(n): return '''2\n''' + 0x1f # no",
            &[
                (Keyword, "def"),
                (Plain, " "),
                (Name, "mean"),
                (Plain, "(n): "),
                (Keyword, "return"),
                (Plain, " "),
                (Text, "'''2"),
                (Text, "'''"),
                (Plain, " + "),
                (Number, "0x1f"),
                (Plain, " "),
                (Dim, "# no"),
            ],
        );
    }

    #[test]
    fn each_language_has_its_own_signs() {
        check(
            "rs",
            "&'a ['b', '\\n'] 1..2",
            &[
                (Plain, "&"),
                (Text, "'"),
                (Plain, "a ["),
                (Text, "'b'"),
                (Plain, ", "),
                (Text, "'\\n'"),
                (Plain, "] "),
                (Number, "1"),
                (Plain, ".."),
                (Number, "2"),
            ],
        );
        check(
            "sh",
            "echo $# ${a} \"b\" # c",
            &[
                (Plain, "echo "),
                (Key, "$"),
                (Plain, "# "),
                (Key, "${a}"),
                (Plain, " "),
                (Text, "\"b\""),
                (Plain, " "),
                (Dim, "# c"),
            ],
        );
        check(
            "json",
            "{\"a\": \"b\", \"c\":true}",
            &[
                (Plain, "{"),
                (Key, "\"a\""),
                (Plain, ": "),
                (Text, "\"b\""),
                (Plain, ", "),
                (Key, "\"c\""),
                (Plain, ":"),
                (Number, "true"),
                (Plain, "}"),
            ],
        );
        check(
            "SQL",
            "Select 1",
            &[(Keyword, "Select"), (Plain, " "), (Number, "1")],
        );
    }

    #[test]
    fn no_language_is_guessed() {
        for name in ["", " ", "no-such-language", "\u{1b}[31m", "{}"] {
            assert!(Code::named(name).is_none(), "{name:?}");
        }
        for path in ["", "/", "src", "a.b/c"] {
            assert!(Code::of_file(path).is_none(), "{path:?}");
        }
        assert!(Code::of_file("a/b.py").is_some());
        assert!(Code::of_file("Makefile").is_some());
    }

    #[test]
    fn what_is_long_is_shown_without() {
        let mut code = Code::named("rust").unwrap();
        let line = "let x = 1; ".repeat(100);
        for _ in 0..MOST / line.len() {
            assert_eq!(code.line(&line).spans[0].ink, Keyword);
        }
        assert_eq!(code.line(&line), Styled::of(Ink::Code, line));
    }

    #[test]
    fn no_character_is_lost_in_any_language() {
        let text = "#!/bin/sh $ ${ $é '\u{65e5} '\\\nif [ \"$x\" ] { 'a' /* <b c=\"d\"> ``` é 1é \u{65e5}\n\n\\ end $(\n\\é\\";
        for name in [
            "rs", "py", "js", "go", "c", "sh", "json", "yaml", "toml", "sql", "rb", "lua", "css",
            "html",
        ] {
            let mut code = Code::named(name).unwrap();
            for line in text.lines() {
                assert_eq!(code.line(line).text(), line, "{name}");
            }
        }
    }
}
