//! Finds the end of a JSON string, checking every byte of it on the way.

use super::block::{Block, MOST};

/// What has been seen of surrogate pairs, which only escapes can spell. Places are in bytes from the
/// start of the text.
#[derive(Debug, Default)]
pub(super) struct Surrogates {
    /// The first escape of half a pair.
    pub(super) lone: Option<usize>,
    /// The escape of the second half of a pair whose first half has been seen.
    second: Option<usize>,
}

impl Surrogates {
    #[cold]
    fn see(&mut self, bytes: &[u8], escape: usize, unit: u16) {
        let next = escape + UNIT;
        let is_first = unit < 0xDC00;
        if is_first && matches!(unit_at(bytes, next), Some(0xDC00..=0xDFFF)) {
            self.second = Some(next);
        } else if is_first || self.second != Some(escape) {
            self.lone.get_or_insert(escape);
        }
    }
}

/// Where the string that begins at `start` ends, its closing quote included; `None` when none
/// begins there or it is not JSON.
pub(super) fn string_end(bytes: &[u8], start: usize, surrogates: &mut Surrogates) -> Option<usize> {
    if bytes.get(start) != Some(&b'"') {
        return None;
    }
    short_end(bytes, start + 1).or_else(|| long_end(bytes, start + 1, surrogates))
}

/// The end of a string of few bytes, none of them special: of keys, ids and words.
fn short_end(bytes: &[u8], at: usize) -> Option<usize> {
    let block = Block::<1>::at(bytes, at);
    let quotes = block.equal(b'"');
    let special = block.equal(b'\\') | block.at_most(0x1F);
    let is_plain = quotes != 0 && special & up_to_first(quotes) == 0;
    is_plain.then(|| at + quotes.trailing_zeros() as usize + 1)
}

fn long_end(bytes: &[u8], mut at: usize, surrogates: &mut Surrogates) -> Option<usize> {
    let mut escapes = Escapes::default();
    while at < bytes.len() {
        let block = Block::<MOST>::at(bytes, at);
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
            check_escapes(bytes, at, &block, others, surrogates)?;
        }
        if quotes != 0 {
            return Some(at + quotes.trailing_zeros() as usize + 1);
        }
        at += Block::<MOST>::LENGTH;
    }
    None
}

/// Checks those of the escaped bytes of the block at this place that are no quotes, backslashes or
/// line feeds.
fn check_escapes(
    bytes: &[u8],
    at: usize,
    block: &Block<MOST>,
    escaped: u64,
    surrogates: &mut Surrogates,
) -> Option<()> {
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
        let escape = at + rest.trailing_zeros() as usize - 1;
        let unit = unit_at(bytes, escape)?;
        if matches!(unit, 0xD800..=0xDFFF) {
            surrogates.see(bytes, escape, unit);
        }
        rest &= rest - 1;
    }
    Some(())
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
struct Escapes {
    /// One if the first byte of the next block is escaped.
    first: u64,
}

const EVEN: u64 = 0x5555_5555_5555_5555;

impl Escapes {
    /// Of the bytes of a block, those behind an odd number of backslashes; of the backslashes of a
    /// run, every other one is such a byte, and need not be told.
    fn escaped_in(&mut self, backslashes: u64) -> u64 {
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

    fn ends(text: &str) -> Option<usize> {
        string_end(text.as_bytes(), 0, &mut Surrogates::default())
    }

    /// serde_json is strict, and knows nothing of blocks.
    fn agrees(text: &str) {
        let expected = serde_json::from_str::<&RawValue>(text).is_ok();
        assert_eq!(ends(text) == Some(text.len()), expected, "{text:?}");
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
            "\\\\\\\\",
            "\"",
            "\\/\\b\\f\\r\\t",
            "\\ua\"",
        ];
        for before in 0..140 {
            for tail in tails {
                for after in [0, 1, 5, 70] {
                    let (before, after) = ("x".repeat(before), "y".repeat(after));
                    agrees(&format!("\"{before}{tail}{after}\""));
                    agrees(&format!("\"{before}{tail}{tail}{after}\""));
                }
            }
        }
    }

    #[test]
    fn what_follows_a_string_is_not_looked_at() {
        for length in [0, 3, 15, 16, 17, 63, 64, 65, 200] {
            let text = format!("\"{}\"", "x".repeat(length));
            assert_eq!(ends(&format!("{text}\u{1}\\x\"")), Some(text.len()));
            assert_eq!(ends(&format!("{text},")), Some(text.len()));
        }
        assert_eq!(ends("x\""), None);
    }

    #[test]
    fn runs_of_backslashes_escape_by_their_length() {
        for before in 0..130 {
            for run in 0..135 {
                let text = format!("\"{}{}\"", "x".repeat(before), "\\".repeat(run));
                let expected = (run % 2 == 0).then_some(text.len());
                assert_eq!(ends(&text), expected, "{before} {run}");
            }
        }
    }

    #[test]
    fn a_surrogate_without_its_partner_is_found_where_it_stands() {
        for (text, expected) in [
            (r#"\ud83d\ude00"#, None),
            (r#"\\ud83d"#, None),
            (r#"\ud83d x"#, Some(0)),
            (r#"\ud83d\ud83d\ude00"#, Some(0)),
            (r#"\n\udc00"#, Some(2)),
            (r#"\\\udc00"#, Some(2)),
            (r#"\ud7ff\uDFFF"#, Some(6)),
            (r#"\ud83d\ude00\u0041\ud83d"#, Some(18)),
            (r#"\ud83d\ude00\ude00"#, Some(12)),
            ("😀", None),
        ] {
            for before in 0..80 {
                let token = format!("\"{}{text}\"", "x".repeat(before));
                let mut surrogates = Surrogates::default();
                let end = string_end(token.as_bytes(), 0, &mut surrogates);
                let expected = expected.map(|at: usize| 1 + before + at);
                assert_eq!(
                    (end, surrogates.lone),
                    (Some(token.len()), expected),
                    "{token}"
                );
            }
        }
    }
}
