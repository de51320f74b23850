//! A place that was typed: a line, a time, an id or the beginning of one. It is looked for in steps,
//! as far as the file is not known yet.

use std::io;

use chrono::{DateTime, Utc};

use super::action::Action;
use super::app::App;
use super::file::{Transcript, end_of};
use super::filter::moment;
use super::popup::Popup;
use super::scroll::Scroll;
use super::styled::{Ink, Styled};
use crate::look::entry::Entries;
use crate::look::human::{count, counted};
use crate::look::index::{IndexedLine, Kind};
use crate::look::{visible, width};
use crate::session::envelope::Verdict;
use crate::session::read::Line;

/// A step reads about this many bytes.
const STEP: u64 = 4 * 1024 * 1024;
/// So many candidates are kept; further ones are only counted.
const MOST: usize = 200;

/// A hunt under way, or over.
#[derive(Debug)]
pub struct Hunt {
    word: String,
    wanted: Wanted,
    is_on: bool,
    /// Up to where lines were read for their ids.
    read: u64,
    /// Where the lines begin that have such an id.
    found: Vec<u64>,
    count: u64,
}

#[derive(Clone, Copy, Debug)]
enum Wanted {
    Line(u64),
    Time(DateTime<Utc>),
    Id,
}

/// What a hunt has come to.
enum Catch {
    Nothing,
    Line(IndexedLine),
    Several,
}

impl Hunt {
    fn new(word: &str) -> Self {
        let wanted = match (word.parse(), moment(word)) {
            (Ok(number), _) => Wanted::Line(number),
            (_, Some(time)) => Wanted::Time(time),
            _ => Wanted::Id,
        };
        Self {
            word: word.to_owned(),
            wanted,
            is_on: true,
            read: 0,
            found: Vec::new(),
            count: 0,
        }
    }

    /// As it was typed.
    pub fn word(&self) -> &str {
        &self.word
    }

    /// Whether it goes on.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// How much of the file was looked at.
    pub fn percent(&self, file: &Transcript) -> u64 {
        let read = match self.wanted {
            Wanted::Id => self.read,
            _ => file.indexed(),
        };
        (read * 100).checked_div(file.size()).unwrap_or(100)
    }

    /// Goes on; none while the end is not known.
    fn step(&mut self, file: &Transcript) -> io::Result<Option<Catch>> {
        let found = match self.wanted {
            Wanted::Line(number) => file.numbered(number),
            Wanted::Time(time) if file.is_indexed() => file.last_at(time),
            Wanted::Time(_) => None,
            Wanted::Id => return self.step_by_id(file),
        };
        Ok(match found {
            Some(line) => Some(Catch::Line(line)),
            None => file.is_indexed().then_some(Catch::Nothing),
        })
    }

    fn step_by_id(&mut self, file: &Transcript) -> io::Result<Option<Catch>> {
        if self.read < file.size() {
            self.read_on(file)?;
            return Ok(None);
        }
        Ok(match (self.found.as_slice(), self.count) {
            ([], _) => Some(Catch::Nothing),
            // The index may still be on its way there.
            ([offset], 1) => match file.line(*offset) {
                None if file.is_indexed() => Some(Catch::Nothing),
                line => line.map(Catch::Line),
            },
            _ => file.is_indexed().then_some(Catch::Several),
        })
    }

    fn read_on(&mut self, file: &Transcript) -> io::Result<()> {
        let stop = self.read + STEP;
        let mut lines = file.lines_from(self.read, 0)?;
        while self.read < stop {
            let Some(line) = lines.next_line()? else {
                self.read = file.size();
                break;
            };
            self.read = end_of(&IndexedLine::of(line));
            match id_stands(line, &self.word) {
                Stands::Whole => {
                    self.found = vec![line.offset];
                    self.count = 1;
                    self.read = file.size();
                    break;
                }
                Stands::Beginning => {
                    self.count += 1;
                    if self.found.len() < MOST {
                        self.found.push(line.offset);
                    }
                }
                Stands::Not => {}
            }
        }
        Ok(())
    }
}

/// How an id begins with a word.
enum Stands {
    Not,
    Beginning,
    /// It is the word.
    Whole,
}

/// Keys are sorted in our own lines, so the id stands first, and nothing else has to be read.
fn id_stands(line: Line<'_>, word: &str) -> Stands {
    let is_plain = word
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if let Some(rest) = line.bytes.strip_prefix(b"{\"id\":\"").filter(|_| is_plain)
        && rest
            .iter()
            .take(64)
            .find(|byte| matches!(byte, b'"' | b'\\'))
            == Some(&b'"')
    {
        return match rest.strip_prefix(word.as_bytes()) {
            None => Stands::Not,
            Some([b'"', ..]) => Stands::Whole,
            Some(_) => Stands::Beginning,
        };
    }
    match Verdict::of(line.bytes) {
        Verdict::Object(envelope) => match envelope.id() {
            Some(id) if id == word => Stands::Whole,
            Some(id) if id.starts_with(word) => Stands::Beginning,
            _ => Stands::Not,
        },
        _ => Stands::Not,
    }
}

impl App {
    /// Goes to a line, as soon as it is known.
    pub fn show_line(&mut self, number: u64) {
        self.hunt_for(&number.to_string());
    }

    /// Goes to what was typed, as soon as it is known.
    pub(super) fn hunt_for(&mut self, word: &str) {
        let word = word.trim();
        self.hunt = (!word.is_empty()).then(|| Hunt::new(word));
        // What is known already is shown at once.
        if let Err(error) = self.hunt_on() {
            self.say(format!("cannot read: {error}"));
        }
    }

    /// A step of the hunt, if one is under way.
    pub(super) fn hunt_on(&mut self) -> io::Result<()> {
        let Some(hunt) = self.hunt.as_mut().filter(|hunt| hunt.is_on) else {
            return Ok(());
        };
        let Some(caught) = hunt.step(&self.file)? else {
            return Ok(());
        };
        // What is no number of a line may be an id of digits only.
        if matches!((&caught, hunt.wanted), (Catch::Nothing, Wanted::Line(_))) {
            hunt.wanted = Wanted::Id;
            return Ok(());
        }
        hunt.is_on = false;
        let is_time = matches!(hunt.wanted, Wanted::Time(_));
        match caught {
            // The word stays, so that more of it can be typed.
            Catch::Several => {
                self.show_candidates();
                return Ok(());
            }
            Catch::Line(line) => self.come_to(&line, is_time),
            Catch::Nothing => {
                let said = format!("there is no {}", hunt.word);
                self.say(said);
            }
        }
        self.hunt = None;
        Ok(())
    }

    fn come_to(&mut self, line: &IndexedLine, is_time: bool) {
        let is_everything = self.filter.is_none() && self.conversation().is_none();
        if is_everything && !is_time && !self.is_shown(line) {
            self.records = line.kind != Kind::Blank;
            self.laid.clear();
        }
        if let Some(row) = self.row_near(line.offset) {
            self.put(row);
        }
    }

    fn show_candidates(&mut self) {
        let Some(hunt) = &self.hunt else {
            return;
        };
        let columns = self.columns.saturating_sub(4);
        let rows = hunt.found.iter();
        let mut rows: Vec<Styled> = rows
            .filter_map(|offset| self.candidate(*offset, columns))
            .collect();
        let more = hunt.count.saturating_sub(hunt.found.len() as u64);
        if more > 0 {
            rows.push(Styled::of(Ink::Dim, format!("and {} more", count(more))));
        }
        let found = counted(hunt.count, "id begins", "ids begin");
        let said = format!("{found} with {}; : takes more of one", hunt.word);
        self.popup = Some(Popup {
            opened_by: Action::GoTo,
            title: "which one?",
            rows,
            above: 0,
        });
        self.say(said);
    }

    fn candidate(&self, offset: u64, columns: usize) -> Option<Styled> {
        let line = self.file.line(offset)?;
        let bytes = self.file.read(&line).ok()?;
        let entry = Entries::default().entry(line.with(&bytes), &Verdict::of(&bytes))?;
        let id = entry.envelope.and_then(|envelope| envelope.id());
        let id = visible::excerpt(&id.unwrap_or_default(), 40);
        let mut row = Styled::of(Ink::Dim, width::pad_left(&line.number.to_string(), 7));
        row.push(Ink::Strong, format!("  {id}  "));
        let label = visible::excerpt(&entry.label(), 10);
        row.push(Ink::Key, width::pad(&label, 11));
        let room = columns.saturating_sub(row.width());
        row.push(Ink::Plain, entry.phrase(room));
        Some(row.fitted(columns))
    }
}
