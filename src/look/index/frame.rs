//! Reads a line of our own shape from its end, so that most of it is never looked at.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};

use super::facts::{micros, role};
use super::record::{Facts, Kind, Trouble};
use crate::message::Role;

const HEAD: &[u8] = b"{\"id\":\"";
const PAYLOAD: &[u8] = b"\",\"payload\":{";
const CONTENT: &[u8] = b"\"content\":\"";
const TAIL: &[u8] = b",\"v\":1}";

/// What ends every key.
static KEY_END: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\":"));

/// Strings up to this long are read as they stand.
const SHORT: usize = 256;

/// The facts of a line of our own shape. `None` for every other line.
pub(super) fn facts(line: &[u8]) -> Option<Facts> {
    let framed = line.starts_with(HEAD);
    let end = line.len().checked_sub(TAIL.len())?;
    if !framed || line.get(end..) != Some(TAIL) {
        return None;
    }
    let mut back = Back { bytes: line, end };
    let type_name = back.named_string("type")?;
    back.take(b',')?;
    let ts = back.named_string("ts")?;
    back.take(b',')?;

    let kind = Kind::of_type(type_name);
    let (role, trouble) = match kind {
        Kind::Message => of_message(&mut back)?,
        Kind::Settled => (None, of_settle(&mut back)?),
        _ => (None, Trouble::None),
    };
    Some(Facts {
        kind,
        role,
        trouble,
        micros: micros_of(ts),
    })
}

fn of_message(back: &mut Back<'_>) -> Option<(Option<Role>, Trouble)> {
    let (mut speaker, mut is_error, mut unknown) = (None, None, None);
    back.payload(|key, value| {
        let slot = match key {
            b"role" => &mut speaker,
            b"is-error" => &mut is_error,
            b"outcome-unknown" => &mut unknown,
            _ => return,
        };
        // From the end, the first of equal keys is the one that counts.
        slot.get_or_insert(value);
    })?;
    Some((
        role(text_of(speaker)?),
        Trouble::of_flags(text_of(is_error)?, text_of(unknown)?),
    ))
}

fn of_settle(back: &mut Back<'_>) -> Option<Trouble> {
    let mut outcome = None;
    back.payload(|key, value| {
        if key == b"outcome" {
            outcome.get_or_insert(value);
        }
    })?;
    Some(Trouble::of_outcome(text_of(outcome)?))
}

/// A value as text, `null` as absent. Outer `None` for what is not UTF-8.
fn text_of(value: Option<&[u8]>) -> Option<Option<&str>> {
    match value {
        None | Some(b"null") => Some(None),
        Some(bytes) => std::str::from_utf8(bytes).ok().map(Some),
    }
}

/// What is left of a line that is read from its end. Each step takes one piece of JSON without white
/// space, or gives up.
struct Back<'a> {
    bytes: &'a [u8],
    /// What is before this is left.
    end: usize,
}

impl<'a> Back<'a> {
    fn last(&self) -> Option<u8> {
        self.bytes.get(self.end.checked_sub(1)?).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.last()? == byte).then(|| self.end -= 1)
    }

    /// The inside of a string.
    fn string(&mut self) -> Option<&'a [u8]> {
        self.take(b'"')?;
        let close = self.end;
        loop {
            let quote = memrchr(b'"', self.bytes.get(..self.end)?)?;
            self.end = quote;
            if backslashes(self.bytes.get(..quote)?).is_multiple_of(2) {
                return self.bytes.get(quote + 1..close);
            }
        }
    }

    /// The inside of a string without escapes.
    fn plain_string(&mut self) -> Option<&'a [u8]> {
        let inside = self.string()?;
        (!inside.contains(&b'\\')).then_some(inside)
    }

    /// The value of a member with this key that is a string without escapes.
    fn named_string(&mut self, key: &str) -> Option<&'a str> {
        let value = self.plain_string()?;
        self.take(b':')?;
        (self.plain_string()? == key.as_bytes()).then_some(())?;
        std::str::from_utf8(value).ok()
    }

    /// Any value.
    fn value(&mut self) -> Option<&'a [u8]> {
        let end = self.end;
        match self.last()? {
            b'"' => drop(self.string()?),
            b'}' | b']' => self.container()?,
            _ => self.scalar()?,
        }
        self.bytes.get(self.end..end)
    }

    fn container(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.last()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'}' | b']' => depth += 1,
                b'{' | b'[' => depth -= 1,
                _ => {}
            }
            self.end -= 1;
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// A number, `true`, `false` or `null`.
    fn scalar(&mut self) -> Option<()> {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let left = self.bytes.get(..self.end)?;
        let length = left.iter().rev().take_while(|byte| is_part(byte)).count();
        self.end -= length;
        (length > 0).then_some(())
    }

    /// Whether a string ends here, and does not begin shortly before.
    fn is_in_long_string(&self) -> bool {
        let start = self.end.saturating_sub(SHORT);
        let bytes = self.bytes.get(start..self.end).unwrap_or_default();
        let end = bytes.len();
        bytes.ends_with(b"\"") && Back { bytes, end }.string().is_none()
    }

    /// Skips a string that is the value of `content`, if that is the first member of the payload and
    /// the payload the second of the line, as we write them.
    ///
    /// All between the opening quote and here is one string if no key stands there: then `":` is in
    /// there with its quote escaped only. Looking for that pair is far cheaper than looking at each
    /// quote, of which source code is full.
    fn skip_content(&mut self) -> bool {
        let Some(start) = start_of_content(self.bytes) else {
            return false;
        };
        let Some(inside) = self.bytes.get(start..self.end) else {
            return false;
        };
        let is_key_end = |at: usize| {
            let before = inside.get(..at).unwrap_or_default();
            backslashes(before).is_multiple_of(2)
        };
        if KEY_END.find_iter(inside).any(is_key_end) {
            return false;
        }
        self.end = start - CONTENT.len();
        true
    }

    /// The member `payload`, an object; its members are visited last first.
    fn payload(&mut self, mut visit: impl FnMut(&'a [u8], &'a [u8])) -> Option<()> {
        self.take(b'}')?;
        let mut is_first = true;
        // Each try may look at all of the content, so there are only a few.
        let mut tries = 0..3;
        while self.take(b'{').is_none() {
            if !is_first {
                self.take(b',')?;
            }
            is_first = false;
            if self.is_in_long_string() && tries.next().is_some() && self.skip_content() {
                continue;
            }
            let value = self.value()?;
            self.take(b':')?;
            visit(self.plain_string()?, value);
        }
        self.take(b':')?;
        (self.plain_string()? == b"payload").then_some(())?;
        self.take(b',')
    }
}

/// How many backslashes stand at the end.
fn backslashes(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .rev()
        .take_while(|byte| **byte == b'\\')
        .count()
}

/// Where the text of the content begins in a line that begins with an id and a payload that begins
/// with a content.
fn start_of_content(line: &[u8]) -> Option<usize> {
    let id = line.get(HEAD.len()..)?;
    let length = memchr(b'"', id)?;
    let (id, rest) = id.split_at(length);
    let is_written = !id.contains(&b'\\') && rest.strip_prefix(PAYLOAD)?.starts_with(CONTENT);
    is_written.then_some(HEAD.len() + length + PAYLOAD.len() + CONTENT.len())
}

/// Microseconds since 1970 of a stamp as this crate writes it; other stamps are read by `clock`.
fn micros_of(ts: &str) -> Option<i64> {
    written_micros(ts.as_bytes()).or_else(|| micros(ts))
}

/// `YYYY-MM-DDTHH:MM:SS.ffffffZ`
fn written_micros(ts: &[u8]) -> Option<i64> {
    let ts: &[u8; 27] = ts.try_into().ok()?;
    let marks = [
        (4, b'-'),
        (7, b'-'),
        (10, b'T'),
        (13, b':'),
        (16, b':'),
        (19, b'.'),
        (26, b'Z'),
    ];
    if marks.iter().any(|(at, mark)| ts[*at] != *mark) {
        return None;
    }
    let (year, month, day) = (number(&ts[0..4])?, number(&ts[5..7])?, number(&ts[8..10])?);
    let (hour, minute, second) = (
        number(&ts[11..13])?,
        number(&ts[14..16])?,
        number(&ts[17..19])?,
    );
    // A day that not every month has, and a leap second, are left to `clock`.
    let plain = (1..=12).contains(&month) && (1..=28).contains(&day) && hour < 24;
    if !plain || minute > 59 || second > 59 {
        return None;
    }
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    Some(seconds * 1_000_000 + number(&ts[20..26])?)
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |number, digit| {
        let value = digit.is_ascii_digit().then(|| i64::from(digit - b'0'))?;
        Some(number * 10 + value)
    })
}

/// Days since 1970-01-01 in the Gregorian calendar. Counting years from March puts the leap day
/// last, and months then have 30.6 days.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = match month {
        1 | 2 => (year - 1, month + 9),
        _ => (year, month - 3),
    };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    year * 365 + leap_days + (month * 306 + 5) / 10 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_read_as_the_clock_reads_it() {
        for ts in [
            "1970-01-01T00:00:00.000000Z",
            "2026-01-02T03:04:05.000006Z",
            "2024-02-28T23:59:59.999999Z",
            "2024-03-01T00:00:00.000000Z",
            "2100-03-01T00:00:00.000000Z",
            "1900-01-01T00:00:00.000000Z",
            "1969-12-28T23:59:59.999999Z",
            "0000-01-01T00:00:00.000000Z",
            "9999-12-28T12:00:00.500000Z",
        ] {
            assert_eq!(written_micros(ts.as_bytes()), micros(ts), "{ts}");
            assert!(micros(ts).is_some(), "{ts}");
        }
        for ts in [
            "2026-02-30T00:00:00.000000Z",
            "2026-01-01T00:00:60.000000Z",
            "2026-01-01T24:00:00.000000Z",
            "2026-01-01 00:00:00.000000Z",
            "2026-01-01T00:00:00.00000xZ",
            "2026-01-01T00:00:00Z",
            "",
        ] {
            assert_eq!(written_micros(ts.as_bytes()), None, "{ts}");
        }
    }

    #[test]
    fn only_lines_of_our_own_shape_are_read_from_the_end() {
        let line = |payload: &str| {
            format!(
                "{{\"id\":\"a\",\"payload\":{payload},\"ts\":\"\",\"type\":\"message\",\"v\":1}}"
            )
        };
        for payload in [
            "{}",
            r#"{"content":"\\\"}","role":"tool","tool-calls":[{"a":["]}"]}],"usage":{"cost":-1.5e+3}}"#,
            r#"{"role":null,"role":"user"}"#,
        ] {
            let line = line(payload);
            let expected = Some(Facts::of_any(line.as_bytes()));
            assert_eq!(facts(line.as_bytes()), expected, "{line}");
        }
        for payload in [r#"{"role": "user"}"#, r#"{"r\u006fle":"user"}"#, "[]", "1"] {
            let line = line(payload);
            assert_eq!(facts(line.as_bytes()), None, "{line}");
        }
    }
}
