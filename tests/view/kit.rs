//! Drives the viewer's state without a terminal.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use sess::clock::parse_utc;
use sess::view::draw::draw;
use sess::view::keys::Key;
use sess::view::theme::Theme;
use sess::view::{App, Stage};

/// A viewer with a screen.
pub struct Viewer {
    pub app: App,
    terminal: Terminal<TestBackend>,
}

/// The present moment: an hour after noon of the day after the samples.
pub fn now() -> DateTime<Utc> {
    parse_utc("2026-03-16T13:00:00Z").unwrap()
}

pub fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("samples/sessions")
        .join(name)
}

impl Viewer {
    /// Opens a file and lets everything be read.
    pub fn open(path: &Path, columns: u16, rows: u16) -> Self {
        let mut app = App::open(path, columns, rows, now()).unwrap();
        app.settle();
        Self::of(app, columns, rows)
    }

    /// A viewer as it is.
    pub fn of(app: App, columns: u16, rows: u16) -> Self {
        let terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        Self { app, terminal }
    }

    /// Types, as [`keys_of`] reads it, and lets everything be read.
    pub fn type_in(&mut self, keys: &str) {
        for key in keys_of(keys) {
            self.app.key(key);
            self.app.settle();
        }
    }

    /// What stands on the screen, without the blanks at the ends of lines.
    pub fn screen(&mut self) -> Vec<String> {
        drawn(&mut self.app, &mut self.terminal)
    }

    /// The rows of the list, without header, strip and status line.
    pub fn list(&mut self) -> Vec<String> {
        let screen = self.screen();
        screen[3..screen.len() - 1].to_vec()
    }

    /// The line at the bottom.
    pub fn status(&mut self) -> String {
        self.screen().pop().unwrap()
    }

    /// The number of the line under the cursor, which has to be on the screen.
    pub fn here(&mut self) -> u64 {
        let on_screen = self.list().iter().any(|row| row.starts_with('▌'));
        assert!(on_screen, "the cursor is on the screen");
        self.app.line().unwrap()
    }
}

/// What stands on a screen of a stage, without the blanks at the ends of lines.
pub fn drawn(stage: &mut impl Stage, terminal: &mut Terminal<TestBackend>) -> Vec<String> {
    let theme = Theme { colour: true };
    terminal.draw(|frame| draw(stage, theme, frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let width = usize::from(buffer.area.width);
    let rows = buffer.content.chunks(width);
    rows.map(|row| row_text(row.iter().map(|cell| cell.symbol())))
        .collect()
}

/// `<Enter>`, `<Esc>`, `<PgDn>`, `<PgUp>`, `<C-d>` are keys, all else is characters.
pub fn keys_of(text: &str) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
        let named = named.and_then(|(name, behind)| Some((key_named(name)?, behind)));
        let (key, behind) = named.unwrap_or((Key::Char(first), &rest[first.len_utf8()..]));
        keys.push(key);
        rest = behind;
    }
    keys
}

/// A wide character takes two cells, of which the second is left out.
fn row_text<'c>(cells: impl Iterator<Item = &'c str>) -> String {
    let mut text = String::new();
    let mut skip = 0;
    for cell in cells {
        if skip == 0 {
            text.push_str(cell);
            skip = sess::look::width::width(cell).saturating_sub(1);
        } else {
            skip -= 1;
        }
    }
    text.trim_end().to_owned()
}

fn key_named(name: &str) -> Option<Key> {
    Some(match name {
        "Enter" => Key::Enter,
        "Esc" => Key::Escape,
        "PgDn" => Key::PageDown,
        "PgUp" => Key::PageUp,
        "BS" => Key::Backspace,
        name => Key::Ctrl(name.strip_prefix("C-")?.chars().next()?),
    })
}
