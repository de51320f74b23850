//! What a screen can show: the viewer of one transcript, or of two.

use chrono::{DateTime, Utc};

use super::action::{Effect, FileEvent};
use super::app::App;
use super::draw::TOP;
use super::keys::Key;
use super::popup::Popup;
use super::scroll::Scroll;
use super::styled::Styled;

/// Something that is shown and takes keys. Only what every one of them has must be given.
///
/// ```
/// use std::path::Path;
/// use sess::look::human;
/// use sess::view::action::Effect;
/// use sess::view::keys::Key;
/// use sess::view::{App, Stage};
/// let path = Path::new("samples/sessions/healthy.jsonl");
/// let mut stage: Box<dyn Stage> = Box::new(App::open(path, 80, 24, human::now())?);
/// stage.told("saved".into());
/// assert!(stage.below().text().contains("saved"));
/// assert_eq!(stage.pressed(Key::Char('q')), Effect::Quit);
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait Stage: Scroll {
    /// The lines above the list.
    fn above(&self) -> [Styled; 3];

    /// The line at the bottom.
    fn below(&self) -> Styled;

    /// Whether there are rows; if not, what stands in their place.
    fn nothing(&self) -> Option<&'static str>;

    /// What marks stretches of text in the list.
    fn pattern(&self) -> Option<regex::Regex> {
        None
    }

    /// What lies over the list.
    fn over(&self) -> Option<&Popup>;

    /// A key was pressed.
    fn pressed(&mut self, key: Key) -> Effect;

    /// The screen has another size.
    fn resized(&mut self, columns: u16, rows: u16);

    /// The wheel was turned by so many lines.
    fn turned(&mut self, lines: isize);

    /// The mouse was pressed on a cell of the screen.
    fn pointed(&mut self, column: u16, row: u16);

    /// Something is to be said at the bottom.
    fn told(&mut self, what: String);

    /// The present moment is another.
    fn passed(&mut self, _now: DateTime<Utc>) {}

    /// Something happened to the file.
    fn happened(&mut self, _event: FileEvent) {}

    /// Whether there is something left to do behind the screen.
    fn waits(&self) -> bool {
        false
    }

    /// Does a few milliseconds' worth of it.
    fn goes_on(&mut self) {}
}

impl Stage for App {
    fn above(&self) -> [Styled; 3] {
        let [who, how] = self.header();
        [who, how, self.strip()]
    }

    fn below(&self) -> Styled {
        self.status()
    }

    fn nothing(&self) -> Option<&'static str> {
        match (self.first_row(), &self.filter, self.file.first()) {
            (Some(_), ..) => None,
            (None, Some(_), Some(_)) => Some("nothing passes the filter; Esc clears it"),
            _ => Some("the file is empty"),
        }
    }

    fn pattern(&self) -> Option<regex::Regex> {
        self.search.as_ref().map(|search| search.pattern().clone())
    }

    fn over(&self) -> Option<&Popup> {
        self.popup.as_ref()
    }

    fn pressed(&mut self, key: Key) -> Effect {
        self.key(key)
    }

    fn resized(&mut self, columns: u16, rows: u16) {
        self.resize(columns, rows);
    }

    fn turned(&mut self, lines: isize) {
        self.wheel(lines);
    }

    fn pointed(&mut self, column: u16, row: u16) {
        match row.checked_sub(TOP) {
            Some(line) => self.click(line.into()),
            None if row + 1 == TOP => self.click_strip(column.into()),
            None => {}
        }
    }

    fn told(&mut self, what: String) {
        self.say(what);
    }

    fn passed(&mut self, now: DateTime<Utc>) {
        self.at(now);
    }

    fn happened(&mut self, event: FileEvent) {
        self.file_event(event);
    }

    fn waits(&self) -> bool {
        self.has_work()
    }

    fn goes_on(&mut self) {
        self.work();
    }
}
