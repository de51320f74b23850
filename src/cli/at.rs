//! A place in a transcript, as a person types it.

use std::convert::Infallible;
use std::fs::File;
use std::ops::ControlFlow;
use std::str::FromStr;

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};

use crate::clock::parse_utc;
use crate::look::visible;
use crate::session::envelope::{Envelope, Verdict};
use crate::session::judge::each_line;

use super::error::{Error, Result};
use super::prefix;
use super::source::Source;

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

    fn from_str(word: &str) -> std::result::Result<Self, Infallible> {
        let line = word.parse().ok().map(At::Line);
        let place = line.or_else(|| moment(word).map(At::Time));
        Ok(place.unwrap_or_else(|| At::Id(word.to_owned())))
    }
}

/// How many ids that start alike are remembered, to be listed.
const CANDIDATES: usize = 100;

impl At {
    /// The last line, counted from 1, of the transcript as it was then.
    pub fn line_in(&self, source: &Source) -> Result<u64> {
        let mut search = Search::default();
        let read = File::open(source.path()).and_then(|file| {
            each_line(file, |line, verdict| {
                search.lines = line.number;
                if let Verdict::Object(envelope) = verdict {
                    self.consider(line.number, &envelope, &mut search)?;
                }
                ControlFlow::Continue(())
            })
        });
        read.map_err(|error| Error::unreadable(source.name(), &error))?;
        self.found(&search).map_err(|error| {
            let name = visible::path(source.name());
            error.kind("no-place").at(source.name()).or_hint(format!(
                "`sess peek --full {name}` shows every line with its number, time and id"
            ))
        })
    }

    fn consider(
        &self,
        number: u64,
        envelope: &Envelope<'_>,
        search: &mut Search,
    ) -> ControlFlow<()> {
        match self {
            At::Line(line) if number >= *line => return ControlFlow::Break(()),
            At::Line(_) => {}
            At::Time(moment) => {
                if parse_utc(&envelope.ts()).is_some_and(|ts| ts > *moment) {
                    search.later = true;
                    return ControlFlow::Break(());
                }
                search.last = number;
            }
            At::Id(start) => {
                let id = envelope.id().unwrap_or_default();
                let is_it = id == start.as_str();
                let is_new = !search.ids.iter().any(|(known, _)| *known == id);
                if id.starts_with(start) && is_new && (is_it || search.ids.len() < CANDIDATES) {
                    search.ids.push((id.into_owned(), number));
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn found(&self, search: &Search) -> Result<u64> {
        match self {
            At::Line(0) => Err(Error::unknown("lines are counted from 1")),
            At::Line(line) if *line <= search.lines => Ok(*line),
            At::Line(line) => Err(Error::no(format!(
                "there is no line {line}; the last is {}",
                search.lines
            ))),
            At::Time(_) if search.last == 0 && search.later => {
                Err(Error::no("the transcript begins later"))
            }
            At::Time(_) => Ok(search.last),
            At::Id(start) => {
                let ids = search.ids.iter().map(|(id, _)| id.as_str());
                let id = prefix::resolve("line id", start, ids)?;
                let place = search.ids.iter().find(|(known, _)| known == id);
                Ok(place.map_or(u64::MAX, |(_, line)| *line))
            }
        }
    }
}

/// What a pass over a transcript has found.
#[derive(Default)]
struct Search {
    lines: u64,
    /// The last line before the moment.
    last: u64,
    /// There is a line after it.
    later: bool,
    /// Ids that start as typed, and the first line of each.
    ids: Vec<(String, u64)>,
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
