//! Reads JSON text once, checking every byte of it on the way.
//!
//! What is JSON is said by RFC 8259, without any leniency; nesting may be of any depth, since it is
//! a list of open containers and never a call.

use super::block::{Block, MOST};

/// A place in text that is known to be UTF-8. Everything before it has been found to be JSON.
/// Every step answers `None` where the text is not.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    text: &'a str,
    at: usize,
    surrogates: Surrogates,
}

/// What has been seen of surrogate pairs, which only escapes can spell.
#[derive(Debug, Default)]
struct Surrogates {
    /// The first escape of half a pair.
    lone: Option<usize>,
    /// The escape of the second half of a pair whose first half has been seen.
    second: Option<usize>,
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
        if self.bytes().get(self.at) != Some(&b'"') {
            return None;
        }
        self.at += 1;
        self.short_string().or_else(|| self.long_string())
    }

    /// The rest of a string of few bytes, none of them special: keys, ids and words.
    fn short_string(&mut self) -> Option<()> {
        let block = Block::<1>::at(self.bytes(), self.at);
        let quotes = block.equal(b'"');
        let special = quotes | block.equal(b'\\') | block.at_most(0x1F);
        if up_to_first(quotes) & special != 0 || quotes == 0 {
            return None;
        }
        self.at += quotes.trailing_zeros() as usize + 1;
        Some(())
    }

    fn long_string(&mut self) -> Option<()> {
        let mut escapes = Escapes::default();
        loop {
            let block = Block::<MOST>::at(self.bytes(), self.at);
            let all_quotes = block.equal(b'"');
            let escaped = escapes.escaped_in(block.equal(b'\\'));
            let quotes = all_quotes & !escaped;
            let inside = up_to_first(quotes);
            if block.at_most(0x1F) & inside != 0 {
                return None;
            }
            // Nearly all escapes are of quotes, backslashes and line feeds.
            let others = escaped & inside & !(all_quotes | block.equal(b'n'));
            if others != 0 {
                self.check_escapes(&block, others)?;
            }
            if quotes != 0 {
                self.at += quotes.trailing_zeros() as usize + 1;
                return Some(());
            }
            self.at += Block::<MOST>::LENGTH;
            if self.at >= self.text.len() {
                return None;
            }
        }
    }

    /// Checks those of the escaped bytes of the block that begins here that are no quotes,
    /// backslashes or line feeds.
    fn check_escapes(&mut self, block: &Block<MOST>, escaped: u64) -> Option<()> {
        if escaped & !block.any_of(b"/bfrtu") != 0 {
            return None;
        }
        let units = escaped & block.equal(b'u');
        let digits = units << 1 | units << 2 | units << 3 | units << 4;
        if digits & !block.hex_digits() != 0 {
            return None;
        }
        // Those that may be surrogates, and those whose digits go over the end of the block.
        let mut rest = units & (block.any_of(b"dD") >> 1 | 0xF << 60);
        while rest != 0 {
            let escape = self.at + rest.trailing_zeros() as usize - 1;
            let unit = unit_at(self.bytes(), escape)?;
            if matches!(unit, 0xD800..=0xDFFF) {
                self.surrogate(escape, unit);
            }
            rest &= rest - 1;
        }
        Some(())
    }

    #[cold]
    fn surrogate(&mut self, escape: usize, unit: u16) {
        let next = escape + UNIT;
        let is_first = unit < 0xDC00;
        if is_first && matches!(unit_at(self.bytes(), next), Some(0xDC00..=0xDFFF)) {
            self.surrogates.second = Some(next);
        } else if is_first || self.surrogates.second != Some(escape) {
            self.surrogates.lone.get_or_insert(escape);
        }
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

/// The bits below the lowest one; all of them when there is none.
fn up_to_first(mask: u64) -> u64 {
    mask.wrapping_sub(1) & !mask
}

/// The length of a `\uXXXX` escape.
pub(super) const UNIT: usize = 6;

/// The code unit that a `\uXXXX` escape at this place spells.
pub(super) fn unit_at(bytes: &[u8], escape: usize) -> Option<u16> {
    let digits = bytes.get(escape..)?.strip_prefix(b"\\u")?;
    let [a, b, c, d]: [u8; 4] = *digits.first_chunk()?;
    let value = |digit: u8| HEX[usize::from(digit)];
    let (a, b, c, d) = (value(a), value(b), value(c), value(d));
    ((a | b | c | d) < 16).then_some(a << 12 | b << 8 | c << 4 | d)
}

/// What a digit is worth; more than any for what is none.
const HEX: [u16; 256] = {
    let mut table = [u16::MAX; 256];
    let mut value = 0;
    while value < 16 {
        table[b"0123456789abcdef"[value] as usize] = value as u16;
        table[b"0123456789ABCDEF"[value] as usize] = value as u16;
        value += 1;
    }
    table
};

/// Tells which bytes are escaped, block after block.
#[derive(Debug, Default)]
pub(super) struct Escapes {
    /// One if the first byte of the next block is escaped.
    first: u64,
}

const EVEN: u64 = 0x5555_5555_5555_5555;

impl Escapes {
    /// Of the bytes of a block, those behind an odd number of backslashes; of the backslashes of a
    /// run, every other one is such a byte, and need not be told.
    pub(super) fn escaped_in(&mut self, backslashes: u64) -> u64 {
        if backslashes | self.first == 0 {
            return 0;
        }
        let escaped_first = self.first & !backslashes;
        let backslashes = backslashes & !self.first;
        // Adding its first bit to a run of ones carries to the place behind it. A run that starts
        // at an even place and ends before an odd one has an odd length, and the other way round.
        let starts = backslashes & !(backslashes << 1);
        let behind_even = backslashes.wrapping_add(starts & EVEN);
        let (behind_odd, carried) = backslashes.overflowing_add(starts & !EVEN);
        self.first = u64::from(carried);
        let behind = (behind_even & !EVEN) | (behind_odd & EVEN);
        (behind & !backslashes) | escaped_first
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
    fn a_string_is_judged_alike_wherever_its_escapes_meet_the_blocks() {
        let tails = [
            "",
            "\\\\",
            "\\\"",
            "\\n",
            "\\",
            "\\x",
            "\\u00e9",
            "\\u00g9",
            "\\u00",
            "\\ud83d",
            "\u{1}",
            "\t",
            "é",
            "\\\\\\",
            "\\\\\\\\\\\\\\\\",
            "\"",
            "\\/\\b\\f\\r\\t",
            "\\ua\"",
        ];
        for before in 0..140 {
            for tail in tails {
                for after in [0, 1, 5, 70] {
                    let (before, after) = ("x".repeat(before), "y".repeat(after));
                    agrees(&format!("\"{before}{tail}{after}\""));
                    agrees(&format!("[\"{before}{tail}{tail}{after}\",\"\"]"));
                }
            }
        }
    }

    #[test]
    fn runs_of_backslashes_escape_by_their_length() {
        for before in 0..130 {
            for run in 0..135 {
                let text = format!("\"{}{}\"", "x".repeat(before), "\\".repeat(run));
                assert_eq!(is_json(&text), run % 2 == 0, "{before} {run}");
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
    fn a_surrogate_without_its_partner_is_found_where_it_stands() {
        for (text, expected) in [
            (r#"{"a":"\ud83d\ude00"}"#, None),
            (r#"{"a":"\\ud83d"}"#, None),
            (r#"{"a":"\ud83d x"}"#, Some(6)),
            (r#"{"a":"\ud83d\ud83d\ude00"}"#, Some(6)),
            (r#"{"a":"\n\udc00"}"#, Some(8)),
            (r#"{"a":"\\\udc00"}"#, Some(8)),
            (r#"{"a":"\ud7ff\uDFFF"}"#, Some(12)),
            (r#"{"a":"\ud83d\ude00\u0041\ud83d"}"#, Some(24)),
            (r#"{"a":"\ud83d","b":"\ude00"}"#, Some(6)),
            (r#"{"a":"\ud83d\ude00\ude00"}"#, Some(18)),
            ("\"😀\"", None),
        ] {
            for before in [0, 50, 56, 58, 62, 64] {
                let white = " ".repeat(before);
                let text = format!("{white}{text}");
                let mut walk = Walk::new(&text);
                walk.value();
                let expected = expected.map(|at: usize| at + before);
                assert_eq!(walk.lone_surrogate(), expected, "{text}");
            }
        }
    }
}
