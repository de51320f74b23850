//! Times, durations, sizes and counts as a person reads them.
//!
//! Moments are shown in UTC and say so with a `Z`: what is shown is then what stands in the file,
//! what `--at` takes, and the same on every machine. The present moment is an argument.

use std::time::Duration;

use chrono::{DateTime, Datelike, TimeDelta, Utc};

use crate::clock::{Clock, SystemClock};

/// The present moment, to be asked once per command.
pub fn now() -> DateTime<Utc> {
    SystemClock.now().into()
}

/// How a moment is said at `now`: `12 s ago` within the last minute, `5 min ago` within the last
/// hour, then `today 14:03Z`, `yesterday 14:03Z`, `2 Jan 14:03Z` within the year, and
/// `2025-01-02 14:03Z`. A moment to come is never "ago".
pub fn moment(then: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let age = now.signed_duration_since(then);
    if age < TimeDelta::zero() || age >= TimeDelta::hours(1) {
        return calendar(then, now);
    }
    match age.num_seconds() {
        seconds @ 0..60 => format!("{seconds} s ago"),
        seconds => format!("{} min ago", seconds / 60),
    }
}

/// `2026-01-02 14:03:05Z`: the second in full, for headers and lists.
///
/// ```
/// use chrono::{TimeZone, Utc};
/// let then = Utc.with_ymd_and_hms(2026, 1, 2, 14, 3, 5).unwrap();
/// assert_eq!(sess::look::human::stamp(then), "2026-01-02 14:03:05Z");
/// ```
pub fn stamp(then: DateTime<Utc>) -> String {
    then.format("%Y-%m-%d %H:%M:%SZ").to_string()
}

fn calendar(then: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let days = now
        .date_naive()
        .signed_duration_since(then.date_naive())
        .num_days();
    let form = match days {
        0 => "today %H:%MZ",
        1 => "yesterday %H:%MZ",
        _ if then.year() == now.year() => "%-d %b %H:%MZ",
        _ => "%Y-%m-%d %H:%MZ",
    };
    then.format(form).to_string()
}

/// A duration in its two largest units: `0 ms`, `420 ms`, `12.3 s`, `1m 03s`, `2h 05m`, `3d 04h`.
/// Cut, not rounded, so that `59.9 s` never reads as a minute.
///
/// ```
/// use std::time::Duration;
/// use sess::look::human::duration;
/// assert_eq!(duration(Duration::from_millis(59_999)), "59.9 s");
/// assert_eq!(duration(Duration::from_secs(63)), "1m 03s");
/// ```
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0 => format!("{} ms", duration.subsec_millis()),
        1..60 => format!("{seconds}.{} s", duration.subsec_millis() / 100),
        60..3_600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h {:02}m", seconds / 3_600, seconds / 60 % 60),
        _ => format!("{}d {:02}h", seconds / 86_400, seconds / 3_600 % 24),
    }
}

/// A number of bytes in decimal units with one digit after the point: `512 B`, `1.2 MB`. Cut, not
/// rounded.
///
/// ```
/// assert_eq!(sess::look::human::size(1_299_999), "1.2 MB");
/// ```
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let mut tenths = bytes / 100;
    let mut units = UNITS.iter();
    let mut unit = units.next();
    while tenths >= 10_000 {
        tenths /= 1_000;
        unit = units.next();
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, unit.unwrap_or(&"EB"))
}

/// A count with a comma between groups of three digits: `1,234,567`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count and what is counted: `1 line`, `1,204 lines`.
///
/// ```
/// use sess::look::human::counted;
/// assert_eq!(counted(1, "line", "lines"), "1 line");
/// assert_eq!(counted(1_204, "line", "lines"), "1,204 lines");
/// ```
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::parse_utc;

    #[test]
    fn a_moment_is_said_as_seen_from_now() {
        let now = parse_utc("2026-03-02T12:00:00Z").unwrap();
        let cases = [
            ("2026-03-02T12:00:00Z", "0 s ago"),
            ("2026-03-02T11:59:00.5Z", "59 s ago"),
            ("2026-03-02T11:59:00Z", "1 min ago"),
            ("2026-03-02T11:00:01Z", "59 min ago"),
            ("2026-03-02T11:00:00Z", "today 11:00Z"),
            ("2026-03-02T00:00:00Z", "today 00:00Z"),
            ("2026-03-01T23:59:59Z", "yesterday 23:59Z"),
            ("2026-02-28T23:59:59Z", "28 Feb 23:59Z"),
            ("2025-12-31T09:05:00Z", "2025-12-31 09:05Z"),
            ("2026-03-02T12:00:01Z", "today 12:00Z"),
            ("2026-03-03T12:00:01Z", "3 Mar 12:00Z"),
        ];
        for (then, expected) in cases {
            assert_eq!(moment(parse_utc(then).unwrap(), now), expected, "{then}");
        }
    }

    #[test]
    fn just_after_midnight_the_last_minutes_are_still_ago() {
        let now = parse_utc("2026-03-02T00:05:00Z").unwrap();
        let then = parse_utc("2026-03-01T23:58:00Z").unwrap();
        assert_eq!(moment(then, now), "7 min ago");
    }

    #[test]
    fn a_stamp_is_the_whole_second() {
        let then = parse_utc("2026-01-02T03:04:05.999999Z").unwrap();
        assert_eq!(stamp(then), "2026-01-02 03:04:05Z");
    }

    #[test]
    fn a_duration_shows_its_two_largest_units() {
        let cases = [
            (0, "0 ms"),
            (999, "999 ms"),
            (1_000, "1.0 s"),
            (59_999, "59.9 s"),
            (63_000, "1m 03s"),
            (3_599_999, "59m 59s"),
            (7_500_000, "2h 05m"),
            (273_600_000, "3d 04h"),
        ];
        for (millis, expected) in cases {
            assert_eq!(duration(Duration::from_millis(millis)), expected);
        }
    }

    #[test]
    fn a_size_never_reaches_a_thousand_of_its_unit() {
        let cases = [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.0 kB"),
            (999_999, "999.9 kB"),
            (1_000_000, "1.0 MB"),
            (1_234_567_890, "1.2 GB"),
            (u64::MAX, "18.4 EB"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn a_count_is_grouped_by_three() {
        assert_eq!(
            [0, 12, 123, 1_234, 123_456, 1_234_567].map(count),
            ["0", "12", "123", "1,234", "123,456", "1,234,567",]
        );
        assert_eq!(counted(1, "line", "lines"), "1 line");
        assert_eq!(counted(1_204, "line", "lines"), "1,204 lines");
    }
}
