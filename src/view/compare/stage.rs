//! What the screen asks of a comparison: what stands around the rows, and what keys mean.

use super::rows::{BETWEEN, NUMBER};
use super::state::{Compare, Compared};
use crate::look::human::{count, counted};
use crate::look::visible;
use crate::look::width;
use crate::view::action::Effect;
use crate::view::app::height_of_list;
use crate::view::draw::TOP;
use crate::view::keys::{self, Key};
use crate::view::popup::Popup;
use crate::view::scroll::Scroll;
use crate::view::stage::Stage;
use crate::view::styled::{Ink, Styled};

impl Stage for Compare {
    fn above(&self) -> [Styled; 3] {
        [self.names(), self.counts(), self.heads()]
    }

    fn below(&self) -> Styled {
        let here = self
            .stops
            .partition_point(|stop| *stop <= self.stand.cursor);
        let said = match (self.status.as_str(), self.stops.len(), here) {
            ("", 0, _) => "no difference".to_owned(),
            ("", all, 0) => format!("before the first of {}", differences(all)),
            ("", all, here) => {
                format!("difference {} of {}", count(here as u64), count(all as u64))
            }
            (said, ..) => said.to_owned(),
        };
        let rows = self.diff.rows().len() as u64;
        let place = format!("{}/{}  ? help", count(self.stand.cursor + 1), count(rows));
        let said = Styled::of(Ink::Plain, visible::one_line(&said).into_owned());
        said.justified(Styled::of(Ink::Dim, place), self.columns)
    }

    fn nothing(&self) -> Option<&'static str> {
        match (self.shown.is_empty(), self.all) {
            (false, _) => None,
            (true, true) => Some("neither has a message"),
            (true, false) => Some("both say the same; a shows it"),
        }
    }

    fn over(&self) -> Option<&Popup> {
        self.popup.as_ref()
    }

    fn pressed(&mut self, key: Key) -> Effect {
        match keys::action_of(keys::COMPARING, key) {
            Some(action) => self.perform(action),
            None => Effect::None,
        }
    }

    fn resized(&mut self, columns: u16, rows: u16) {
        self.columns = columns.into();
        self.stand.height = height_of_list(rows);
        self.lay_anew();
    }

    fn turned(&mut self, lines: isize) {
        match &mut self.popup {
            Some(popup) => popup.scroll(lines),
            None => self.wheel_rows(lines),
        }
    }

    fn pointed(&mut self, _column: u16, row: u16) {
        if let Some(line) = row.checked_sub(TOP) {
            self.click(line.into());
        }
    }

    fn told(&mut self, what: String) {
        self.status = what;
    }
}

impl Compare {
    fn names(&self) -> Styled {
        let mut names = Styled::of(Ink::Strong, name_of(&self.left));
        names.push(Ink::Dim, " and ");
        names.push(Ink::Strong, name_of(&self.right));
        let all = Styled::of(Ink::Strong, differences(self.stops.len()));
        names.justified(all, self.columns)
    }

    fn counts(&self) -> Styled {
        let counts = self.diff.counts();
        let mut row = Styled::default();
        let all = [
            (counts.equal, "same", Ink::Plain),
            (counts.changed, "in two versions", Ink::Warning),
            (counts.only_left, "left only", Ink::Removed),
            (counts.only_right, "right only", Ink::Added),
            (self.left.skipped, "damaged left", Ink::Error),
            (self.right.skipped, "damaged right", Ink::Error),
        ];
        for (number, what, ink) in all.into_iter().filter(|(number, ..)| *number > 0) {
            if !row.spans.is_empty() {
                row.push(Ink::Dim, " · ");
            }
            row.push(ink, format!("{} {what}", count(number as u64)));
        }
        row.fitted(self.columns)
    }

    /// What the columns are.
    fn heads(&self) -> Styled {
        let Some(column) = self.column() else {
            let heads = width::pad_left("left", NUMBER) + &width::pad_left("right", NUMBER);
            return Styled::of(Ink::Dim, heads).fitted(self.columns);
        };
        let head = |side: &str, compared: &Compared| {
            let messages = counted(compared.items.len() as u64, "message", "messages");
            let head = format!(
                "{} {} ({messages})",
                width::pad_left(side, NUMBER),
                name_of(compared)
            );
            width::fit(&head, column)
        };
        let between = " ".repeat(BETWEEN);
        let heads = head("left", &self.left) + &between + &head("right", &self.right);
        Styled::of(Ink::Dim, heads).fitted(self.columns)
    }
}

fn name_of(compared: &Compared) -> String {
    let name = compared.name.file_name();
    visible::path(name.map_or(&compared.name, std::path::Path::new))
}

fn differences(count: usize) -> String {
    counted(count as u64, "difference", "differences")
}
