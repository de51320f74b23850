//! How soon the viewer shows a screen, and how long a screen takes while the file grows.
//!
//! The targets: the first screen of a file of any size in under 100 ms, and half of the screens in
//! under 16 ms while a thousand lines a second arrive.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use sess::look::human;
use sess::view::App;
use sess::view::action::FileEvent;
use sess::view::draw::draw;
use sess::view::theme::Theme;

use crate::make_big;
use crate::measure::is_quick;

const COLUMNS: u16 = 160;
const ROWS: u16 = 48;

/// Measures and prints.
pub fn main() {
    let folder = tempfile::tempdir().expect("a folder for the transcripts");
    let sizes: &[u64] = match is_quick() {
        true => &[1 << 20, 16 << 20],
        false => &[1 << 20, 64 << 20, 1 << 30],
    };
    println!("\nfirst screen of the viewer, {COLUMNS}x{ROWS}");
    for size in sizes {
        let path = folder.path().join(format!("{size}.jsonl"));
        let options = make_big::Options {
            size: *size,
            file: path.display().to_string(),
            ..make_big::Options::default()
        };
        make_big::write(&options).expect("space for a transcript");
        let best = (0..5)
            .map(|_| first_screen(&path))
            .min()
            .unwrap_or_default();
        println!("  {:>9}: {best:?}", human::size(*size));
    }
    growing(&folder.path().join(format!("{}.jsonl", sizes[1])));
}

fn first_screen(path: &Path) -> Duration {
    let mut terminal = screen();
    let begun = Instant::now();
    let mut app = App::open(path, COLUMNS, ROWS, human::now()).expect("a file to open");
    show(&mut app, &mut terminal);
    begun.elapsed()
}

/// Thirty-three lines come before each screen: a thousand a second at thirty screens.
fn growing(path: &Path) {
    let screens = if is_quick() { 10 } else { 300 };
    let mut terminal = screen();
    let mut app = App::open(path, COLUMNS, ROWS, human::now()).expect("a file to open");
    app.settle();
    let resting = times(screens, || show(&mut app, &mut terminal));
    let text = fs::read(path).expect("the file");
    let mut lines = text.split_inclusive(|byte| *byte == b'\n').cycle().skip(1);
    let mut file = OpenOptions::new()
        .append(true)
        .open(path)
        .expect("the file");
    let followed = times(screens, || {
        for line in lines.by_ref().take(33) {
            file.write_all(line).expect("space for a line");
        }
        app.file_event(FileEvent::Grown);
        app.work();
        show(&mut app, &mut terminal);
    });
    println!("\nscreens of the viewer, median and 99 in 100");
    println!("  at rest          {:?}, {:?}", resting.0, resting.1);
    println!("  33 lines further {:?}, {:?}", followed.0, followed.1);
    let ratio = followed.0.as_secs_f64() / resting.0.as_secs_f64().max(f64::EPSILON);
    println!("  ratio of medians {ratio:.1}");
}

fn times(count: usize, mut work: impl FnMut()) -> (Duration, Duration) {
    let mut times: Vec<Duration> = (0..count)
        .map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed()
        })
        .collect();
    times.sort();
    (times[count / 2], times[(count - 1) * 99 / 100])
}

fn screen() -> Terminal<TestBackend> {
    Terminal::new(TestBackend::new(COLUMNS, ROWS)).expect("a screen in memory")
}

fn show(app: &mut App, terminal: &mut Terminal<TestBackend>) {
    let drawn = terminal.draw(|frame| draw(app, Theme { colour: true }, frame));
    drawn.expect("a screen in memory");
}
