//! The state of the viewer: actions and growth of the file in, rows out. It knows no terminal.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use chrono::{DateTime, Utc};

use super::action::{Action, Effect, FileEvent};
use super::body::Fold;
use super::file::{Growth, Transcript};
use super::filter::Filtered;
use super::hunt::Hunt;
use super::keys::{self, Key};
use super::laid::Laid;
use super::links::Links;
use super::overview::Overview;
use super::popup::Popup;
use super::prompt::{Prompt, Typed};
use super::scroll::{Scroll, Stand};
use super::search::Search;
use super::seen::Seen;
use crate::look::export::Format;

/// The rows of the screen that are not the list: header, strip and status line.
pub const FRAME: usize = 4;

/// How many lines of a screen are for the list.
pub(super) fn height_of_list(rows: u16) -> usize {
    usize::from(rows).saturating_sub(FRAME).max(1)
}

/// Everything the screen shows.
///
/// ```
/// use std::path::Path;
/// use sess::look::human;
/// use sess::view::App;
/// use sess::view::keys::Key;
/// let path = Path::new("samples/sessions/healthy.jsonl");
/// let mut app = App::open(path, 80, 24, human::now())?;
/// app.settle();
/// assert_eq!(app.line(), Some(32));
/// app.key(Key::Home);
/// assert_eq!(app.line(), Some(1));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct App {
    pub(super) file: Transcript,
    pub(super) overview: Overview,
    /// The present moment, for ages; set by whoever drives.
    pub(super) now: DateTime<Utc>,
    pub(super) columns: usize,
    /// A row is known by where its line begins; among what the model sees by its place.
    pub(super) stand: Stand,
    pub(super) fold: Fold,
    pub(super) folds: HashMap<u64, Fold>,
    pub(super) records: bool,
    pub(super) seen: Option<Seen>,
    pub(super) filter: Option<Filtered>,
    pub(super) search: Option<Search>,
    /// A match is to be shown as soon as it is found.
    pub(super) seeks: Option<Seek>,
    /// The place that was asked for last, and whether it is still looked for.
    pub(super) hunt: Option<Hunt>,
    pub(super) prompt: Option<Prompt>,
    pub(super) popup: Option<Popup>,
    pub(super) status: String,
    pub(super) follows: bool,
    /// Lines from here on came while one was reading elsewhere.
    pub(super) fresh: Option<u64>,
    pub(super) trouble: Option<&'static str>,
    pub(super) links: Links,
    pub(super) laid: Laid,
}

/// Which match is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seek {
    Next(u64),
    Previous(u64),
}

impl App {
    /// Opens a file for a screen of so many columns and rows. The end is shown.
    pub fn open(path: &Path, columns: u16, rows: u16, now: DateTime<Utc>) -> io::Result<Self> {
        let mut app = Self {
            file: Transcript::open(path)?,
            overview: Overview::default(),
            now,
            columns: columns.into(),
            stand: Stand {
                height: height_of_list(rows),
                ..Stand::default()
            },
            fold: Fold::Line,
            folds: HashMap::new(),
            records: false,
            seen: None,
            filter: None,
            search: None,
            seeks: None,
            hunt: None,
            prompt: None,
            popup: None,
            status: String::new(),
            follows: true,
            fresh: None,
            trouble: None,
            links: Links::default(),
            laid: Laid::default(),
        };
        app.go_last();
        Ok(app)
    }

    /// The number of the line under the cursor; none while it is not known.
    pub fn line(&self) -> Option<u64> {
        let line = self.line_of(self.stand.cursor)?;
        Some(line.number).filter(|number| *number > 0)
    }

    /// Tells the present moment.
    pub fn at(&mut self, now: DateTime<Utc>) {
        // Clocks of calls that run are part of rows, and show seconds.
        let is_later = now.timestamp() != self.now.timestamp();
        let any_runs = !self.overview.open_calls().is_empty() && self.overview.is_recent(self.now);
        if is_later && any_runs {
            self.laid.clear();
        }
        self.now = now;
    }

    /// The screen has another size.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.columns = columns.into();
        self.stand.height = height_of_list(rows);
        self.laid.clear();
        self.stand.skip = 0;
        self.keep_cursor_in_sight();
    }

    /// A key was pressed.
    pub fn key(&mut self, key: Key) -> Effect {
        if self.prompt.is_some() {
            self.type_key(key);
            return Effect::None;
        }
        match keys::action_of(keys::BINDINGS, key) {
            Some(action) => self.perform(action),
            None => Effect::None,
        }
    }

    fn type_key(&mut self, key: Key) {
        let Some(prompt) = &mut self.prompt else {
            return;
        };
        match prompt.key(key) {
            Typed::Goes => {}
            Typed::Changed => self.typed_so_far(),
            Typed::Left => self.leave_prompt(),
            Typed::Done => {
                if let Some(prompt) = self.prompt.take() {
                    self.answer(&prompt);
                }
            }
        }
    }

    /// Does what is asked for.
    pub fn perform(&mut self, action: Action) -> Effect {
        self.status.clear();
        if self.popup.is_some() {
            return self.in_popup(action);
        }
        match action {
            Action::Quit => return Effect::Quit,
            Action::Suspend => return Effect::Suspend,
            Action::Redraw => return Effect::Redraw,
            Action::Mouse => return Effect::Mouse,
            Action::Copy => return self.copy(Effect::Copy),
            Action::CopyToFile => return self.copy(Effect::Save),
            Action::ExportHtml => self.export(Format::Html),
            Action::ExportMarkdown => self.export(Format::Markdown),
            Action::Pager => return self.copy(Effect::Pager),
            Action::Editor => return self.copy(Effect::Editor),
            Action::Search | Action::Filter | Action::GoTo => self.ask(action),
            Action::Help | Action::Raw | Action::Stats => self.pop_up(action),
            Action::Escape => self.escape(),
            Action::SwitchSides => self.switch_sides(),
            Action::ToggleRecords => self.toggle_records(),
            Action::CycleFold => self.set_fold(self.fold_of(self.stand.cursor).next()),
            Action::Unfold => self.set_fold(Fold::Full),
            Action::FoldUp => self.set_fold(Fold::Line),
            Action::FoldAll(fold) => self.fold_all(fold),
            moving => self.go(moving),
        }
        Effect::None
    }

    fn escape(&mut self) {
        if self.hunt.as_ref().is_some_and(Hunt::is_on) {
            self.hunt = None;
            self.say("not looked for any further");
        } else if self.search.is_some() {
            self.search = None;
            self.seeks = None;
        } else if self.filter.take().is_some() {
            self.status = "filter off".to_owned();
            self.follows = false;
            self.after_change_of_rows();
            self.moved();
        } else if self.seen.is_some() {
            self.switch_sides();
        }
    }

    fn toggle_records(&mut self) {
        self.records = !self.records;
        self.status = match self.records {
            true => "every line is shown".to_owned(),
            false => "lines that only record calls are hidden".to_owned(),
        };
        self.after_change_of_rows();
    }

    fn fold_all(&mut self, fold: Fold) {
        self.fold = fold;
        self.folds.clear();
        self.status = format!("all entries: {}", fold.as_str());
        self.laid.clear();
        self.stand.skip = 0;
        self.keep_cursor_in_sight();
    }

    fn set_fold(&mut self, fold: Fold) {
        self.folds.insert(self.stand.cursor, fold);
        self.laid.remove(self.stand.cursor);
        self.keep_cursor_in_sight();
    }

    /// How much of a row is shown.
    pub(super) fn fold_of(&self, row: u64) -> Fold {
        self.folds.get(&row).copied().unwrap_or(self.fold)
    }

    /// Something happened to the file.
    pub fn file_event(&mut self, event: FileEvent) {
        let looked = match event {
            FileEvent::Grown | FileEvent::Cut => self.file.look(),
            FileEvent::Replaced => self.file.reopen().map(|()| Growth::Restarted),
            FileEvent::Appeared => {
                self.trouble = None;
                self.file.reopen().map(|()| Growth::Restarted)
            }
            FileEvent::Removed => {
                self.trouble = Some("the file was removed; this is what it held");
                return;
            }
        };
        match looked {
            Ok(Growth::Grown) => self.grown(),
            Ok(Growth::Restarted) => self.restarted(event),
            Err(_) => self.trouble = Some("the file cannot be read"),
        }
    }

    fn grown(&mut self) {
        if self.follows && self.seen.is_none() {
            self.go_last();
        } else if self.fresh.is_none() {
            self.fresh = self.file.last().map(|line| line.offset);
        }
    }

    /// What was known of the file is void.
    fn restarted(&mut self, event: FileEvent) {
        self.trouble = Some(match event {
            FileEvent::Cut | FileEvent::Grown => "the file was cut; it was read anew",
            FileEvent::Replaced => "another file took the name; it was read anew",
            _ => "the file is there again; it was read anew",
        });
        self.overview = Overview::default();
        self.links = Links::default();
        self.laid.clear();
        self.folds.clear();
        self.seen = None;
        self.popup = None;
        self.fresh = None;
        self.filter = self
            .filter
            .take()
            .map(|filter| Filtered::new(filter.query().clone()));
        self.search = None;
        self.seeks = None;
        self.hunt = None;
        match self.file.line(self.stand.cursor) {
            Some(_) if !self.follows => self.keep_cursor_in_sight(),
            _ => self.go_last(),
        }
    }

    /// Whether there is something left to do behind the screen.
    pub fn has_work(&self) -> bool {
        self.search
            .as_ref()
            .is_some_and(|search| !search.is_done(&self.file))
            || self.seen.as_ref().is_some_and(|seen| !seen.is_done())
            || self.hunt.as_ref().is_some_and(Hunt::is_on)
            || self
                .filter
                .as_ref()
                .is_some_and(|filter| filter.has_work(&self.file))
            || !self.file.is_indexed()
            || self.overview.read() < self.file.indexed() && !self.overview_rests()
    }

    /// What the overview has not read is only a half line.
    fn overview_rests(&self) -> bool {
        let last = self.file.last();
        last.is_some_and(|line| {
            line.offset == self.overview.read() && line.ending.as_bytes().is_empty()
        })
    }

    /// Does a few milliseconds' worth of it.
    pub fn work(&mut self) {
        if let Err(error) = self.work_once() {
            self.status = format!("cannot read: {error}");
        }
    }

    fn work_once(&mut self) -> io::Result<()> {
        if let Some(seen) = &mut self.seen
            && !seen.is_done()
        {
            seen.step(&self.file)?;
            if seen.is_done() {
                self.seen_is_done();
            }
            return Ok(());
        }
        if let Some(search) = &mut self.search
            && !search.is_done(&self.file)
        {
            search.step(&self.file)?;
            self.seek();
        }
        self.hunt_on()?;
        if let Some(filter) = &mut self.filter
            && filter.has_work(&self.file)
        {
            filter.step(&self.file)?;
            self.more_is_found();
        }
        if !self.file.is_indexed() {
            if self.file.step()? == Growth::Restarted {
                self.restarted(FileEvent::Cut);
            }
            // Numbers of lines become known.
            if self.file.is_indexed() {
                self.laid.clear();
            }
            return Ok(());
        }
        self.overview.step(&self.file)?;
        if self.overview_rests() || self.overview.read() >= self.file.size() {
            self.laid.clear();
            // The dispatch of an open call is a row as soon as it is known to be open.
            if self.follows && self.seen.is_none() && self.prompt.is_none() {
                self.go_last();
            }
        }
        Ok(())
    }

    /// Does all there is to do.
    pub fn settle(&mut self) {
        while self.has_work() {
            self.work();
        }
    }

    /// Says something on the status line.
    pub fn say(&mut self, what: impl Into<String>) {
        self.status = what.into();
    }
}
