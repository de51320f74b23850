//! Which rows there are, one after another, in what is shown.
//!
//! A row is known by a number: where its line begins, or, among what the model sees, its place in
//! the conversation. Numbers ascend on the screen.

use super::app::App;
use super::scroll::{Scroll, Stand};
use super::seen::Seen;
use super::styled::Styled;
use crate::look::index::{IndexedLine, Kind};

impl App {
    /// What the model sees, when that is what is shown.
    pub(super) fn conversation(&self) -> Option<&Seen> {
        self.seen.as_ref().filter(|seen| seen.is_done())
    }

    /// Where the line of a row begins.
    pub(super) fn offset_of(&self, row: u64) -> u64 {
        match self.conversation() {
            Some(seen) => {
                let place = usize::try_from(row).unwrap_or(usize::MAX);
                seen.messages()
                    .get(place)
                    .map_or(0, |message| message.offset)
            }
            None => row,
        }
    }

    /// The line of a row.
    pub(super) fn line_of(&self, row: u64) -> Option<IndexedLine> {
        self.file.line(self.offset_of(row))
    }

    /// The stub that the model sees in place of a row's content.
    pub(super) fn stub_of(&self, row: u64) -> Option<&str> {
        let place = usize::try_from(row).ok()?;
        self.conversation()?.messages().get(place)?.stub.as_deref()
    }

    /// Whether a line has a row where everything is shown.
    pub(super) fn is_shown(&self, line: &IndexedLine) -> bool {
        match line.kind {
            Kind::Blank => false,
            Kind::Settled => self.records,
            Kind::Dispatched => self.records || self.overview.open_call(line.number).is_some(),
            _ => true,
        }
    }

    /// The first row.
    pub(super) fn first_row(&self) -> Option<u64> {
        if let Some(seen) = self.conversation() {
            return (!seen.messages().is_empty()).then_some(0);
        }
        if let Some(filter) = &self.filter {
            return filter.found().first().copied();
        }
        let first = self.file.first()?;
        match self.is_shown(&first) {
            true => Some(first.offset),
            false => self.row_after(first.offset),
        }
    }

    /// The last row.
    pub(super) fn last_row(&mut self) -> Option<u64> {
        if let Some(seen) = self.conversation() {
            return (seen.messages().len() as u64).checked_sub(1);
        }
        if let Some(filter) = &self.filter {
            return filter.found().last().copied();
        }
        let last = self.file.last()?;
        match self.is_shown(&last) {
            true => Some(last.offset),
            false => self.row_before(last.offset),
        }
    }

    /// The row of a line, or the nearest before it, or the first.
    pub(super) fn row_near(&mut self, offset: u64) -> Option<u64> {
        if let Some(seen) = self.conversation() {
            let messages = seen.messages().iter();
            let place = messages
                .enumerate()
                .rfind(|(_, message)| message.offset <= offset);
            return place
                .map(|(place, _)| place as u64)
                .or_else(|| self.first_row());
        }
        if let Some(filter) = &self.filter {
            let found = filter.found();
            let place = found.partition_point(|known| *known <= offset);
            return found.get(place.saturating_sub(1)).copied();
        }
        match self.file.line(offset) {
            Some(line) if self.is_shown(&line) => Some(offset),
            Some(_) => self.row_before(offset).or_else(|| self.row_after(offset)),
            None => self.last_row(),
        }
    }

    /// Shows the last row at the bottom, and follows.
    pub(super) fn go_last(&mut self) {
        self.follows = true;
        self.fresh = None;
        if let Some(last) = self.last_row() {
            self.stand.cursor = last;
            self.show_at_bottom(last);
        }
    }

    /// The mouse wheel.
    pub fn wheel(&mut self, lines: isize) {
        match &mut self.popup {
            Some(popup) => popup.scroll(lines),
            None => self.wheel_rows(lines),
        }
    }

    /// A click on a line of the list: the cursor goes there, a second one opens the entry.
    pub fn click(&mut self, line: usize) {
        if self.popup.take().is_some() || line >= self.stand.height {
            return;
        }
        let row = self.row_at(line);
        if row == self.stand.cursor {
            let fold = self.fold_of(row).next();
            self.folds.insert(row, fold);
            self.laid.remove(row);
        }
        self.put(row);
    }

    /// Rows came or went: the cursor goes to the nearest one.
    pub(super) fn after_change_of_rows(&mut self) {
        self.laid.clear();
        let follows = self.follows;
        match self.row_near(self.stand.cursor) {
            Some(_) if follows => self.go_last(),
            Some(row) => {
                self.stand.cursor = row;
                self.show_at_bottom(row);
            }
            None => {}
        }
    }
}

impl Scroll for App {
    fn stand(&mut self) -> &mut Stand {
        &mut self.stand
    }

    fn laid_out(&mut self, row: u64) -> &[Styled] {
        self.laid_out_line(row)
    }

    /// The end is followed as long as the cursor stands on it.
    fn moved(&mut self) {
        self.follows = self.last_row() == Some(self.stand.cursor);
        if self.follows {
            self.fresh = None;
        }
    }

    fn row_after(&self, row: u64) -> Option<u64> {
        if let Some(seen) = self.conversation() {
            return (row + 1 < seen.messages().len() as u64).then_some(row + 1);
        }
        if let Some(filter) = &self.filter {
            let found = filter.found();
            return found
                .get(found.partition_point(|known| *known <= row))
                .copied();
        }
        let mut at = row;
        loop {
            let line = self.file.after(at)?;
            if self.is_shown(&line) {
                return Some(line.offset);
            }
            at = line.offset;
        }
    }

    fn row_before(&mut self, row: u64) -> Option<u64> {
        if self.conversation().is_some() {
            return row.checked_sub(1);
        }
        if let Some(filter) = &self.filter {
            let found = filter.found();
            let place = found.partition_point(|known| *known < row).checked_sub(1)?;
            return found.get(place).copied();
        }
        let mut at = row;
        loop {
            let line = self.file.before(at)?;
            if self.is_shown(&line) {
                return Some(line.offset);
            }
            at = line.offset;
        }
    }
}
