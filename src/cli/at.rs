//! A place in a transcript, as a person types it.

use std::convert::Infallible;
use std::str::FromStr;

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};

use crate::clock::parse_utc;

/// After a line, at a moment, or after the line with an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// After this line, counted from 1: the word is a number.
    Line(u64),
    /// At this moment, in UTC: the word is a time of RFC 3339, or a date with or without a time,
    /// as `2026-01-02`, `2026-01-02 14:03` or `2026-01-02T14:03:05Z`. A date alone is its first
    /// moment.
    Time(DateTime<Utc>),
    /// After the line whose id starts so: every other word.
    Id(String),
}

impl FromStr for At {
    type Err = Infallible;

    fn from_str(word: &str) -> Result<Self, Infallible> {
        let line = word.parse().ok().map(At::Line);
        let place = line.or_else(|| moment(word).map(At::Time));
        Ok(place.unwrap_or_else(|| At::Id(word.to_owned())))
    }
}

fn moment(word: &str) -> Option<DateTime<Utc>> {
    if let Some(moment) = parse_utc(word) {
        return Some(moment);
    }
    let bare = word.strip_suffix('Z').unwrap_or(word).replacen('T', " ", 1);
    let with_time = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M"]
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(&bare, form).ok());
    let date = || {
        NaiveDate::parse_from_str(&bare, "%Y-%m-%d")
            .ok()?
            .and_hms_opt(0, 0, 0)
    };
    with_time.or_else(date).map(|moment| moment.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_time(word: &str, expected: &str) {
        let moment = parse_utc(expected).unwrap();
        assert_eq!(word.parse(), Ok(At::Time(moment)), "{word}");
    }

    #[test]
    fn a_number_is_a_line() {
        assert_eq!("17".parse(), Ok(At::Line(17)));
    }

    #[test]
    fn a_time_is_read_as_it_is_shown_and_as_it_is_stored() {
        check_time("2026-01-02T03:04:05.678900Z", "2026-01-02T03:04:05.6789Z");
        check_time("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z");
        check_time("2026-01-02 03:04:05Z", "2026-01-02T03:04:05Z");
        check_time("2026-01-02 03:04:05", "2026-01-02T03:04:05Z");
        check_time("2026-01-02 03:04Z", "2026-01-02T03:04:00Z");
        check_time("2026-01-02T03:04", "2026-01-02T03:04:00Z");
        check_time("2026-01-02", "2026-01-02T00:00:00Z");
    }

    #[test]
    fn everything_else_is_the_start_of_an_id() {
        for word in ["7f3a", "12345678-", "2026-13-01", "call_1", ""] {
            assert_eq!(word.parse(), Ok(At::Id(word.to_owned())));
        }
    }
}
