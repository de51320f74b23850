//! Keys, wheel, clicks, sizes and a changing file, in any order: nothing panics, and no byte leaves
//! that is not the viewer's own.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use sess::view::action::{Effect, FileEvent};
use sess::view::draw::draw;
use sess::view::keys::{BINDINGS, Key};
use sess::view::theme::Theme;
use sess::view::{App, Stage};

use super::kit::{now, sample};
use super::own::foreign;

#[derive(Clone, Debug)]
enum Deed {
    Key(Key),
    Size(u16, u16),
    Wheel(isize),
    Click(u16, u16),
    Work(u8),
    Grow(usize),
    /// To a length; the viewer hears of it, or finds out.
    Cut(prop::sample::Index, bool),
    Replace(usize),
    Remove,
    Appear,
}

fn samples() -> Vec<PathBuf> {
    let entries = fs::read_dir(sample("")).unwrap();
    let mut samples: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .filter(|path| !path.ends_with("huge-line.jsonl"))
        .collect();
    samples.sort();
    samples
}

fn key() -> impl Strategy<Value = Key> {
    // An export writes a file that stays.
    let is_kept = |key: &Key| !matches!(key, Key::Char('x' | 'X'));
    let known = BINDINGS.iter().flat_map(|binding| binding.keys);
    let known: Vec<Key> = known.copied().filter(is_kept).collect();
    let marks = "aeiou0123:.*(\\ \u{202e}\u{9b}\x1b日👍🏽";
    let marks: Vec<Key> = marks.chars().map(Key::Char).collect();
    prop_oneof![
        6 => prop::sample::select(known),
        2 => prop::sample::select(marks),
        1 => Just(Key::Enter),
        1 => Just(Key::Backspace),
    ]
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        40 => key().prop_map(Deed::Key),
        3 => (1..500_u16, 1..200_u16).prop_map(|(columns, rows)| Deed::Size(columns, rows)),
        3 => (1..90_u16, 1..10_u16).prop_map(|(columns, rows)| Deed::Size(columns, rows)),
        3 => (-40..40_isize).prop_map(Deed::Wheel),
        3 => (0..200_u16, 0..60_u16).prop_map(|(column, row)| Deed::Click(column, row)),
        6 => (0..4_u8).prop_map(Deed::Work),
        3 => (0..20_usize).prop_map(Deed::Grow),
        1 => any::<(prop::sample::Index, bool)>().prop_map(|(at, is_told)| Deed::Cut(at, is_told)),
        1 => (0..20_usize).prop_map(Deed::Replace),
        1 => Just(Deed::Remove),
        1 => Just(Deed::Appear),
    ]
}

/// The bytes that a terminal would read.
#[derive(Clone, Default)]
struct Wire(Arc<Mutex<Vec<u8>>>);

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn terminal(wire: &Wire, columns: u16, rows: u16) -> Terminal<CrosstermBackend<Wire>> {
    let viewport = Viewport::Fixed(Rect::new(0, 0, columns, rows));
    let options = TerminalOptions { viewport };
    Terminal::with_options(CrosstermBackend::new(wire.clone()), options).unwrap()
}

fn hands_on(effect: &Effect) -> Option<&str> {
    match effect {
        Effect::Copy(text) | Effect::Save(text) | Effect::Pager(text) | Effect::Editor(text) => {
            Some(text)
        }
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn whatever_a_hand_can_do_leaves_only_own_bytes(
        first in 0..20_usize,
        deeds in prop::collection::vec(deed(), 1..60),
    ) {
        let samples = samples();
        let of = |place: usize| fs::read(&samples[place % samples.len()]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        fs::write(&path, of(first)).unwrap();
        let wire = Wire::default();
        let mut app = App::open(&path, 80, 24, now()).unwrap();
        let mut screen = terminal(&wire, 80, 24);
        for deed in deeds {
            match deed {
                Deed::Key(key) => {
                    let effect = app.pressed(key);
                    let is_danger = |mark: char| mark.is_control() && mark != '\n' && mark != '\t';
                    let danger = hands_on(&effect).is_some_and(|text| text.contains(is_danger));
                    prop_assert!(!danger, "{:?}", effect);
                }
                Deed::Size(columns, rows) => {
                    app.resized(columns, rows);
                    screen = terminal(&wire, columns, rows);
                }
                Deed::Wheel(lines) => app.turned(lines),
                Deed::Click(column, row) => app.pointed(column, row),
                Deed::Work(steps) => (0..steps).for_each(|_| app.goes_on()),
                Deed::Grow(place) => {
                    let mut file = OpenOptions::new().append(true).create(true).open(&path).unwrap();
                    file.write_all(&of(place)).unwrap();
                    app.happened(FileEvent::Grown);
                }
                Deed::Cut(at, is_told) => {
                    if let Ok(file) = OpenOptions::new().write(true).open(&path) {
                        let length = file.metadata().unwrap().len();
                        file.set_len(at.index(length as usize + 1) as u64).unwrap();
                    }
                    if is_told {
                        app.happened(FileEvent::Cut);
                    }
                }
                Deed::Replace(place) => {
                    let other = path.with_extension("other");
                    fs::write(&other, of(place)).unwrap();
                    fs::rename(&other, &path).unwrap();
                    app.happened(FileEvent::Replaced);
                }
                Deed::Remove => {
                    // What was not there cannot be removed.
                    let _ = fs::remove_file(&path);
                    app.happened(FileEvent::Removed);
                }
                Deed::Appear => {
                    fs::write(&path, of(first)).unwrap();
                    app.happened(FileEvent::Appeared);
                }
            }
            let theme = Theme { colour: true };
            screen.draw(|frame| draw(&mut app, theme, frame)).unwrap();
        }
        let bytes = wire.0.lock().unwrap();
        prop_assert_eq!(foreign(&bytes), None);
    }
}
