//! The wall clock, and the one way it is written: UTC with six fractional digits and `Z`.

use std::time::SystemTime;

use chrono::{DateTime, Datelike, Timelike, Utc};

/// Where time comes from. A session asks its clock for each line's `ts`.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use sess::clock::Clock;
///
/// /// Always the same moment.
/// struct Stopped;
///
/// impl Clock for Stopped {
///     fn now(&self) -> SystemTime {
///         SystemTime::UNIX_EPOCH + Duration::from_secs(1)
///     }
/// }
/// assert_eq!(Stopped.now(), Stopped.now());
/// ```
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> SystemTime;
}

/// The clock of the operating system.
///
/// ```
/// use sess::clock::{Clock, SystemClock};
/// assert!(SystemClock.now() > std::time::UNIX_EPOCH);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// `YYYY-MM-DDTHH:MM:SS.ffffffZ`: always six digits, truncated and never rounded, so that the
/// seconds cannot read `60` and two stamps compare as text. Years outside 0–9999 are clamped.
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
/// let moment = UNIX_EPOCH + Duration::from_nanos(1_767_323_045_999_999_999);
/// assert_eq!(sess::clock::format_utc(moment), "2026-01-02T03:04:05.999999Z");
/// ```
pub fn format_utc(moment: SystemTime) -> String {
    let utc = DateTime::<Utc>::from(moment);
    let mut out = *b"0000-00-00T00:00:00.000000Z";
    // A leap second is carried by chrono as nanoseconds past one billion; it is written as :59.
    let micros = (utc.nanosecond() / 1_000).min(999_999);
    put_digits(&mut out[0..4], utc.year().clamp(0, 9999).unsigned_abs());
    put_digits(&mut out[5..7], utc.month());
    put_digits(&mut out[8..10], utc.day());
    put_digits(&mut out[11..13], utc.hour());
    put_digits(&mut out[14..16], utc.minute());
    put_digits(&mut out[17..19], utc.second());
    put_digits(&mut out[20..26], micros);
    std::str::from_utf8(&out).unwrap_or_default().to_owned()
}

/// Reads a stamp written by any implementation of the format: zero to nine fractional digits,
/// and a seconds field of `60`, which the reference produces by rounding.
pub fn parse_utc(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text)
        .ok()
        .map(|moment| moment.with_timezone(&Utc))
}

fn put_digits(place: &mut [u8], mut value: u32) {
    for digit in place.iter_mut().rev() {
        *digit = b'0' + (value % 10) as u8;
        value /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn an_exact_second_still_has_six_digits() {
        let moment = UNIX_EPOCH + Duration::from_secs(1_767_323_045);
        assert_eq!(format_utc(moment), "2026-01-02T03:04:05.000000Z");
    }

    #[test]
    fn a_stamp_is_read_with_none_to_nine_fractional_digits() {
        for text in [
            "2026-01-02T03:04:05Z",
            "2026-01-02T03:04:05.5Z",
            "2026-01-02T03:04:05.123456789Z",
            "2026-01-02T03:04:60.000000Z",
        ] {
            assert!(parse_utc(text).is_some(), "{text}");
        }
        assert_eq!(parse_utc("yesterday"), None);
    }
}
