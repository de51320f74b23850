//! Which entries are shown. A filter never changes their order.

use std::io;

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use regex::{Regex, RegexBuilder};

use super::file::{LONGEST_LINE, Transcript};
use crate::clock::parse_utc;
use crate::look::entry::{Entries, Entry, Mark};
use crate::look::index::{IndexedLine, Kind};
use crate::message::Role;
use crate::session::envelope::Verdict;

/// A step reads at most about so many bytes, or looks at so many records of the index.
const STEP_BYTES: u64 = 4 * 1024 * 1024;
const STEP_LINES: u64 = 4_000;

/// What is asked for: `role:tool tool:shell is:error after:10:30 some text`. Words of one kind mean
/// any of them, different kinds all of them; what is no such word is one regular expression.
#[derive(Clone, Debug, Default)]
pub struct Query {
    text: String,
    types: Vec<String>,
    roles: Vec<Role>,
    tools: Vec<String>,
    errors: bool,
    after: Option<DateTime<Utc>>,
    before: Option<DateTime<Utc>>,
    pattern: Option<Regex>,
}

impl Query {
    /// What was typed; an error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut query = Self {
            text: text.to_owned(),
            ..Self::default()
        };
        let mut rest = Vec::new();
        for word in text.split_whitespace() {
            if !query.word(word)? {
                rest.push(word);
            }
        }
        if !rest.is_empty() {
            query.pattern = Some(pattern(&rest.join(" "))?);
        }
        Ok(query)
    }

    fn word(&mut self, word: &str) -> Result<bool, String> {
        let Some((key, value)) = word.split_once(':') else {
            return Ok(false);
        };
        let time = || moment(value).ok_or_else(|| format!("{value} is not a time"));
        match key {
            "type" => self.types.push(value.to_owned()),
            "tool" => self.tools.push(value.to_owned()),
            "role" => match value.parse() {
                Ok(role) => self.roles.push(role),
                Err(_) => return Err(format!("{value} is not a role")),
            },
            "is" if value == "error" => self.errors = true,
            "after" => self.after = Some(time()?),
            "before" => self.before = Some(time()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// As it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the index alone says that a line does not pass.
    fn is_out(&self, line: &IndexedLine) -> bool {
        let time = line.time;
        let is_kind = |name: &String| match line.kind {
            Kind::Other => true,
            kind => name_of(kind) == Some(name.as_str()),
        };
        line.kind == Kind::Blank
            || (!self.types.is_empty() && !self.types.iter().any(is_kind))
            || (!self.roles.is_empty() && !line.role.is_some_and(|role| self.roles.contains(&role)))
            || (self.errors && !is_error(line))
            || self
                .after
                .is_some_and(|after| time.is_none_or(|time| time < after))
            || self
                .before
                .is_some_and(|before| time.is_none_or(|time| time > before))
    }

    /// Whether more than the index is needed for a line that is not [out](Self::is_out).
    fn needs_text(&self, line: &IndexedLine) -> bool {
        let by_type = !self.types.is_empty() && line.kind == Kind::Other;
        by_type || !self.tools.is_empty() || self.pattern.is_some()
    }

    fn lets_through(&self, entry: &Entry<'_>) -> bool {
        let by_type = self.types.is_empty()
            || entry
                .type_name()
                .is_some_and(|name| self.types.iter().any(|known| *known == name));
        let by_tool =
            self.tools.is_empty() || entry.tools().iter().any(|tool| self.tools.contains(tool));
        let by_text = || match &self.pattern {
            Some(pattern) => entry.texts().iter().any(|text| pattern.is_match(text)),
            None => true,
        };
        by_type && by_tool && by_text()
    }
}

/// A regular expression as typed: case counts only when it holds a capital letter.
pub fn pattern(text: &str) -> Result<Regex, String> {
    let any_case = !text.chars().any(char::is_uppercase);
    let built = RegexBuilder::new(text)
        .case_insensitive(any_case)
        .size_limit(1 << 20)
        .build();
    built.map_err(|error| {
        let said = error.to_string();
        said.lines().last().unwrap_or_default().trim().to_owned()
    })
}

/// Whether a line counts as an error when one jumps to the next.
pub fn is_error(line: &IndexedLine) -> bool {
    let bad = [Mark::Error, Mark::OutcomeUnknown, Mark::Damaged];
    line.mark.is_some_and(|mark| bad.contains(&mark)) && line.kind != Kind::Settled
}

fn name_of(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Meta => "session-meta",
        Kind::Message => "message",
        Kind::Grants => "grants",
        Kind::Compaction => "compaction",
        Kind::Elision => "elision",
        Kind::Dispatched => "tool-dispatched",
        Kind::Settled => "tool-settled",
        Kind::RunContext => "run-context",
        Kind::Blank | Kind::Damaged | Kind::NoEnvelope | Kind::Other => return None,
    })
}

/// A time as a person types it: RFC 3339, or a date with or without a time, in UTC.
pub fn moment(word: &str) -> Option<DateTime<Utc>> {
    if let Some(moment) = parse_utc(word) {
        return Some(moment);
    }
    let bare = word.strip_suffix('Z').unwrap_or(word).replacen('T', " ", 1);
    let forms = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M"];
    let mut with_time = forms
        .iter()
        .filter_map(|form| NaiveDateTime::parse_from_str(&bare, form).ok());
    let date = || {
        NaiveDate::parse_from_str(&bare, "%Y-%m-%d")
            .ok()?
            .and_hms_opt(0, 0, 0)
    };
    with_time
        .next()
        .or_else(date)
        .map(|moment| moment.and_utc())
}

/// The entries that pass, found in steps as the index grows.
#[derive(Debug)]
pub struct Filtered {
    query: Query,
    /// The number of the last line that was looked at.
    looked: u64,
    entries: Entries,
    found: Vec<u64>,
}

impl Filtered {
    /// Nothing found yet.
    pub fn new(query: Query) -> Self {
        Self {
            query,
            looked: 0,
            entries: Entries::default(),
            found: Vec::new(),
        }
    }

    /// What is asked for.
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// Where the lines begin that pass, in file order, as far as is known.
    pub fn found(&self) -> &[u64] {
        &self.found
    }

    /// Whether every line was looked at.
    pub fn is_done(&self, file: &Transcript) -> bool {
        self.looked >= file.count() && file.is_indexed()
    }

    /// Whether there are lines to look at.
    pub fn has_work(&self, file: &Transcript) -> bool {
        self.looked < file.count()
    }

    /// Looks at more lines.
    pub fn step(&mut self, file: &Transcript) -> io::Result<()> {
        let mut bytes = 0;
        for _ in 0..STEP_LINES {
            let Some(line) = file.numbered(self.looked + 1) else {
                break;
            };
            self.looked = line.number;
            let out = self.query.is_out(&line);
            // Which tool answers, is known from the turns before.
            let is_read = !self.query.tools.is_empty() || (!out && self.query.needs_text(&line));
            let passes = match is_read {
                true => self.read(file, &line)? && !out,
                false => !out,
            };
            if passes {
                self.found.push(line.offset);
            }
            bytes += if is_read { line.length } else { 0 };
            if bytes > STEP_BYTES {
                break;
            }
        }
        Ok(())
    }

    fn read(&mut self, file: &Transcript, line: &IndexedLine) -> io::Result<bool> {
        if line.length > LONGEST_LINE {
            return Ok(false);
        }
        let bytes = file.read(line)?;
        let read = line.with(&bytes);
        let entry = self.entries.entry(read, &Verdict::of(&bytes));
        Ok(entry.is_some_and(|entry| self.query.lets_through(&entry)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_query_are_told_from_text() {
        let query = Query::parse("role:tool is:error tool:shell no such: file").unwrap();
        assert_eq!(query.roles, [Role::Tool]);
        assert_eq!(query.tools, ["shell"]);
        assert!(query.errors);
        assert_eq!(query.pattern.unwrap().as_str(), "no such: file");
        assert_eq!(
            Query::parse("role:nobody").unwrap_err(),
            "nobody is not a role"
        );
        assert_eq!(
            Query::parse("after:noon").unwrap_err(),
            "noon is not a time"
        );
        assert!(Query::parse("(").is_err());
    }

    #[test]
    fn case_counts_only_where_it_is_typed() {
        assert!(pattern("error").unwrap().is_match("ERROR"));
        assert!(!pattern("Error").unwrap().is_match("ERROR"));
    }
}
