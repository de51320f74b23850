//! Going somewhere: to the next of a kind, to a match, to a place that was typed.

use super::action::{Action, Target};
use super::app::{App, Seek};
use super::blocks::Traits;
use super::body::Fold;
use super::filter::{Filtered, Query, is_error, pattern};
use super::hunt::Hunt;
use super::prompt::{Ask, Prompt};
use super::scroll::Scroll;
use super::search::Search;
use super::seen::Seen;
use crate::look::index::Kind;
use crate::message::Role;

impl Target {
    /// What its lines have, where that is known without reading them.
    fn traits(self) -> Option<Traits> {
        Some(match self {
            Target::Error => Traits::trouble(),
            Target::Call => Traits::role(Role::Tool),
            Target::User => Traits::role(Role::User),
            Target::Fold => Traits::kind(Kind::Compaction).and(Traits::kind(Kind::Elision)),
            Target::Open => {
                let asked = Traits::role(Role::Assistant);
                asked.and(Traits::kind(Kind::Dispatched))
            }
            Target::Difference => return None,
        })
    }
}

impl App {
    /// Moves.
    pub(super) fn go(&mut self, action: Action) {
        match action {
            Action::First => {
                if let Some(first) = self.first_row() {
                    self.put(first);
                }
            }
            Action::Last => self.go_last(),
            Action::Follow if self.follows => {
                self.follows = false;
                self.say("the end is not followed");
            }
            Action::Follow => {
                self.go_last();
                self.say("following the end");
            }
            Action::Next(target) => self.jump(target, true),
            Action::Previous(target) => self.jump(target, false),
            Action::NextMatch => self.seek_from(Seek::Next(self.stand.cursor)),
            Action::PreviousMatch => self.seek_from(Seek::Previous(self.stand.cursor)),
            moving => self.step(moving),
        }
    }

    /// The next row; over lines of the file that have none of these traits.
    fn step_row(&mut self, row: u64, forward: bool, traits: Option<Traits>) -> Option<u64> {
        let is_everything = self.filter.is_none() && self.conversation().is_none();
        let row = match traits.filter(|_| is_everything) {
            Some(traits) => self.file.leap(row, forward, traits),
            None => row,
        };
        match forward {
            true => self.row_after(row),
            false => self.row_before(row),
        }
    }

    /// The next row for which something holds, around the end if need be.
    fn find_row(
        &mut self,
        forward: bool,
        traits: Option<Traits>,
        holds: impl Fn(&Self, u64) -> bool,
    ) -> Option<(u64, bool)> {
        let mut at = self.stand.cursor;
        while let Some(row) = self.step_row(at, forward, traits) {
            if holds(self, row) {
                return Some((row, false));
            }
            at = row;
        }
        let mut at = match forward {
            true => self.first_row()?,
            false => self.last_row()?,
        };
        loop {
            if holds(self, at) {
                return Some((at, true));
            }
            let is_around = match forward {
                true => at >= self.stand.cursor,
                false => at <= self.stand.cursor,
            };
            if is_around {
                return None;
            }
            at = self.step_row(at, forward, traits)?;
        }
    }

    fn jump(&mut self, target: Target, forward: bool) {
        match self.find_row(forward, target.traits(), |app, row| {
            app.is_target(row, target)
        }) {
            Some((row, around)) => {
                self.put(row);
                if around {
                    self.say(format!("{}: went around the end", target.as_str()));
                }
            }
            None if self.has_work() => {
                self.say(format!(
                    "no {} found so far; still reading",
                    target.as_str()
                ));
            }
            None => self.say(format!("no {}", target.as_str())),
        }
    }

    fn is_target(&self, row: u64, target: Target) -> bool {
        let Some(line) = self.line_of(row) else {
            return false;
        };
        match target {
            Target::Error => is_error(&line),
            Target::Call => line.role == Some(Role::Tool),
            Target::User => line.role == Some(Role::User),
            Target::Fold => {
                let is_fold = matches!(line.kind, Kind::Compaction | Kind::Elision);
                is_fold || self.stub_of(row).is_some()
            }
            Target::Open => self.overview.open_call(line.number).is_some(),
            Target::Difference => false,
        }
    }

    fn seek_from(&mut self, seek: Seek) {
        if self.search.is_none() {
            self.say("nothing is searched for: / asks");
            return;
        }
        self.seeks = Some(seek);
        self.seek();
    }

    /// Goes to the match that is waited for, if it has been found.
    pub(super) fn seek(&mut self) {
        let (Some(search), Some(seek)) = (&self.search, self.seeks) else {
            return;
        };
        if self.conversation().is_some() || self.filter.is_some() {
            return self.seek_in_rows(seek);
        }
        let found = match seek {
            Seek::Next(from) => search.next(from),
            Seek::Previous(from) => search.previous(from),
        };
        let is_done = search.is_done(&self.file);
        match (found, search.ends()) {
            (Some(offset), _) => self.show_match(offset),
            (None, Some((first, last))) if is_done => {
                self.show_match(match seek {
                    Seek::Next(_) => first,
                    Seek::Previous(_) => last,
                });
            }
            (None, None) if is_done => {
                self.seeks = None;
            }
            _ => {}
        }
    }

    /// The same where not every line has a row.
    fn seek_in_rows(&mut self, seek: Seek) {
        let forward = matches!(seek, Seek::Next(_));
        let is_match = |app: &Self, row| {
            let search = app.search.as_ref();
            search.is_some_and(|search| search.place(app.offset_of(row)).is_some())
        };
        match self.find_row(forward, None, is_match) {
            Some((row, _)) => self.show_match_in(row),
            None if self.has_work() => {}
            None => self.seeks = None,
        }
    }

    fn show_match(&mut self, offset: u64) {
        let is_hidden = self
            .file
            .line(offset)
            .is_some_and(|line| !self.is_shown(&line));
        if is_hidden {
            self.records = true;
            self.laid.clear();
        }
        self.show_match_in(offset);
    }

    /// Puts the cursor on a row and opens it as far as it takes to see the match.
    fn show_match_in(&mut self, row: u64) {
        self.seeks = None;
        self.stand.cursor = row;
        let Some(pattern) = self.search.as_ref().map(|search| search.pattern().clone()) else {
            return;
        };
        let place = |app: &mut Self| {
            let rows = app.laid_out(row);
            rows.iter().position(|row| pattern.is_match(&row.text()))
        };
        let mut found = place(self);
        if found.is_none() {
            self.folds.insert(row, Fold::Full);
            self.laid.remove(row);
            found = place(self);
        }
        self.put(row);
        // In a long entry the match itself has to be in sight.
        if let Some(line) = found
            && line + 1 > self.stand.height
        {
            self.stand.top = row;
            self.stand.skip = line - self.stand.height / 3;
        }
    }

    /// Opens the line to type in.
    pub(super) fn ask(&mut self, action: Action) {
        let before = match action {
            Action::Filter => self.filter.as_ref().map(|filter| filter.query().text()),
            Action::GoTo => self.hunt.as_ref().map(Hunt::word),
            _ => None,
        };
        let ask = match action {
            Action::Search => Ask::Search {
                from: self.stand.cursor,
            },
            Action::Filter => Ask::Filter,
            _ => Ask::Place,
        };
        self.prompt = Some(Prompt::new(ask, before.unwrap_or_default()));
    }

    /// A search shows its matches while it is typed.
    pub(super) fn typed_so_far(&mut self) {
        let Some(prompt) = &self.prompt else {
            return;
        };
        let (ask, text) = (prompt.ask(), prompt.text().to_owned());
        if let Ask::Search { from } = ask {
            self.search_for(&text, from);
        }
    }

    fn search_for(&mut self, text: &str, from: u64) {
        self.search = None;
        self.seeks = None;
        self.status.clear();
        if text.is_empty() {
            return;
        }
        match pattern(text) {
            Ok(pattern) => {
                let start = self.offset_of(from);
                self.search = Some(Search::new(text, pattern, start));
                // The entry the search began on counts too.
                self.seeks = Some(Seek::Next(from.saturating_sub(1)));
            }
            Err(error) => self.say(error),
        }
    }

    /// What was typed is not meant: a search goes back to where it began.
    pub(super) fn leave_prompt(&mut self) {
        if let Some(Ask::Search { from }) = self.prompt.take().map(|prompt| prompt.ask()) {
            self.search = None;
            self.seeks = None;
            self.put(from);
        }
    }

    /// What was typed is meant.
    pub(super) fn answer(&mut self, prompt: &Prompt) {
        match prompt.ask() {
            Ask::Search { .. } => {}
            Ask::Filter => self.filter_by(prompt.text()),
            Ask::Place => self.hunt_for(prompt.text()),
        }
    }

    fn filter_by(&mut self, text: &str) {
        if text.trim().is_empty() {
            self.filter = None;
            self.after_change_of_rows();
            return;
        }
        match Query::parse(text) {
            Ok(query) => {
                if self.seen.take().is_some() {
                    self.folds.clear();
                }
                self.filter = Some(Filtered::new(query));
                self.laid.clear();
                self.say(String::new());
            }
            Err(error) => self.say(error),
        }
    }

    /// The filter has found more rows.
    pub(super) fn more_is_found(&mut self) {
        if self.follows {
            return self.go_last();
        }
        let is_there = self
            .filter
            .as_ref()
            .is_some_and(|filter| filter.found().binary_search(&self.stand.cursor).is_ok());
        if !is_there && let Some(row) = self.row_near(self.stand.cursor) {
            self.stand.cursor = row;
            self.stand.top = row;
            self.stand.skip = 0;
        }
    }

    /// What the file says, or what the model sees after the entry under the cursor.
    pub(super) fn switch_sides(&mut self) {
        if let Some(seen) = self.seen.take() {
            let was_last = seen.messages().len() as u64 == self.stand.cursor + 1;
            let message = seen
                .messages()
                .get(usize::try_from(self.stand.cursor).unwrap_or(0));
            let offset = match (seen.is_done(), message) {
                (false, _) => self.stand.cursor,
                (true, Some(message)) if !was_last => message.offset,
                _ => seen.until(),
            };
            self.folds.clear();
            self.stand.cursor = offset;
            self.say("said: what the file says");
            self.follows = false;
            self.after_change_of_rows();
            return;
        }
        self.filter = None;
        self.seen = Some(Seen::at(self.stand.cursor));
    }

    /// What the model sees is known.
    pub(super) fn seen_is_done(&mut self) {
        let Some(seen) = &self.seen else {
            return;
        };
        let until = self.file.line(seen.until()).map_or(0, |line| line.number);
        let messages = seen.messages().len() as u64;
        let count = crate::look::human::counted(messages, "message", "messages");
        self.say(format!(
            "seen: {count} the model would be sent after line {until}"
        ));
        self.folds.clear();
        self.laid.clear();
        self.follows = false;
        self.stand.cursor = messages.saturating_sub(1);
        self.stand.top = self.stand.cursor;
        self.keep_cursor_in_sight();
        self.show_end();
    }

    fn show_end(&mut self) {
        let cursor = self.stand.cursor;
        self.stand.top = cursor;
        self.stand.skip = 0;
        let height = isize::try_from(self.stand.height).unwrap_or(0);
        let own = isize::try_from(self.height_of(cursor)).unwrap_or(0);
        self.scroll(-(height - own).max(0));
    }
}
