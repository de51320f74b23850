//! Drives the viewer: keys, signals and the growth of the file in, screens out.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind, poll, read,
};

use super::action::{Effect, FileEvent};
use super::app::App;
use super::compare::Compare;
use super::keys::Key;
use super::outside;
use super::stage::Stage;
use super::terminal::Screen;
use super::theme::Theme;
use super::wait::{Bell, Waiter};
use crate::look::follow::{self, Follower, Start, Wait};
use crate::look::human;

/// Screens that nobody asked for come no faster than this.
const PACE: Duration = Duration::from_millis(33);
/// Ages on the screen are brought up to date this often.
const TICK: Duration = Duration::from_secs(1);
/// Lines of the screen that one notch of the wheel moves.
const NOTCH: isize = 3;

/// How the viewer is to look and behave.
///
/// ```no_run
/// use std::path::Path;
/// use sess::view::{Options, run};
/// run(Path::new("run.jsonl"), Options { colour: true, follow: true })?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Colours may be used.
    pub colour: bool,
    /// The file may grow: its end is followed.
    pub follow: bool,
}

/// Shows a transcript until the person leaves. A signal that ends processes ends this one, after the
/// terminal has been given back.
pub fn run(path: &Path, options: Options) -> io::Result<()> {
    let waiter = Waiter::new()?;
    let (columns, rows) = crossterm::terminal::size()?;
    let mut app = App::open(path, columns, rows, human::now())?;
    let events = match options.follow {
        true => Some(Events::follow(path, waiter.bell()?)?),
        false => None,
    };
    // Lines that came before the follower began to listen.
    app.file_event(FileEvent::Grown);
    drive(&mut app, events.as_ref(), options, waiter)
}

/// Shows two transcripts beside each other until the person leaves.
pub fn compare(mut compared: Compare, options: Options) -> io::Result<()> {
    let waiter = Waiter::new()?;
    let (columns, rows) = crossterm::terminal::size()?;
    compared.resized(columns, rows);
    drive(&mut compared, None, options, waiter)
}

fn drive(
    stage: &mut dyn Stage,
    events: Option<&Events>,
    options: Options,
    waiter: Waiter,
) -> io::Result<()> {
    let mut driver = Driver {
        waiter,
        screen: Screen::take()?,
        theme: Theme {
            colour: options.colour,
        },
        drawn: None,
    };
    let end = driver.go(stage, events)?;
    drop(driver);
    match end {
        Some(signal) => signal_hook::low_level::emulate_default_handler(signal),
        None => Ok(()),
    }
}

struct Driver {
    waiter: Waiter,
    screen: Screen,
    theme: Theme,
    /// When the last screen was drawn.
    drawn: Option<Instant>,
}

impl Driver {
    /// Until the end; with the signal that brought it.
    fn go(&mut self, stage: &mut dyn Stage, events: Option<&Events>) -> io::Result<Option<i32>> {
        let mut is_stale = true;
        loop {
            let asked = self.waiter.asked();
            if asked.end.is_some() {
                return Ok(asked.end);
            }
            if asked.suspend {
                self.suspend()?;
            }
            let mut is_urgent = asked.redraw || asked.suspend;
            while poll(Duration::ZERO)? {
                is_urgent = true;
                let effect = take(stage, &read()?);
                if effect == Effect::Quit {
                    return Ok(None);
                }
                if let Some(signal) = self.effect(stage, effect)? {
                    return Ok(Some(signal));
                }
            }
            is_stale |= is_urgent | events.is_some_and(|events| events.give_to(stage));
            // The first screen comes before anything that is done behind it.
            if self.drawn.is_some() && stage.waits() {
                stage.goes_on();
                is_stale = true;
            }
            let due = self
                .drawn
                .map_or(Duration::ZERO, |drawn| PACE.saturating_sub(drawn.elapsed()));
            if is_stale && (is_urgent || due.is_zero()) {
                stage.passed(human::now());
                self.screen.draw(stage, self.theme)?;
                self.drawn = Some(Instant::now());
                is_stale = false;
            }
            self.waiter.wait(match (stage.waits(), is_stale) {
                (true, _) => Some(Duration::ZERO),
                (false, true) => Some(due),
                (false, false) if events.is_some() => Some(TICK),
                (false, false) => None,
            })?;
            is_stale |= self.drawn.is_some_and(|drawn| drawn.elapsed() >= TICK);
        }
    }

    /// Does what was asked for. With the signal that came meanwhile, if one did.
    fn effect(&mut self, stage: &mut dyn Stage, effect: Effect) -> io::Result<Option<i32>> {
        match effect {
            Effect::None | Effect::Quit => {}
            Effect::Redraw => self.screen.forget()?,
            Effect::Suspend => self.suspend()?,
            Effect::Mouse => {
                let told = match self.screen.switch_mouse()? {
                    true => "the mouse moves the viewer",
                    false => "the mouse selects text, as the terminal does it",
                };
                stage.told(told.to_owned());
            }
            Effect::Copy(text) => match outside::clipboard(&text) {
                Some(bytes) => {
                    self.screen.send(&bytes)?;
                    stage.told("copied, where the terminal allows it".to_owned());
                }
                None => stage.told(outside::save(&text)),
            },
            Effect::Save(text) => stage.told(outside::save(&text)),
            Effect::Pager(text) => {
                let said = self
                    .screen
                    .lend(|| outside::open(&text, outside::Program::Pager))?;
                stage.told(said);
            }
            Effect::Editor(text) => {
                let said = self
                    .screen
                    .lend(|| outside::open(&text, outside::Program::Editor))?;
                stage.told(said);
            }
            Effect::Open { path, line } => return self.open(stage, &path, line),
        }
        Ok(None)
    }

    /// Shows a line of a transcript until the person comes back from it.
    fn open(&mut self, stage: &mut dyn Stage, path: &Path, line: u64) -> io::Result<Option<i32>> {
        let (columns, rows) = crossterm::terminal::size()?;
        let mut app = match App::open(path, columns, rows, human::now()) {
            Ok(app) => app,
            Err(error) => {
                stage.told(format!("cannot open it: {error}"));
                return Ok(None);
            }
        };
        app.show_line(line);
        let end = self.go(&mut app, None)?;
        let (columns, rows) = crossterm::terminal::size()?;
        stage.resized(columns, rows);
        Ok(end)
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.screen.lend(outside::stop)
    }
}

/// What a terminal's event means.
fn take(stage: &mut dyn Stage, event: &Event) -> Effect {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => {
            let effect = key_of(key).map(|key| stage.pressed(key));
            return effect.unwrap_or(Effect::None);
        }
        Event::Resize(columns, rows) => stage.resized(*columns, *rows),
        Event::Mouse(mouse) => match mouse.kind {
            MouseEventKind::ScrollDown => stage.turned(NOTCH),
            MouseEventKind::ScrollUp => stage.turned(-NOTCH),
            MouseEventKind::Down(MouseButton::Left) => stage.pointed(mouse.column, mouse.row),
            _ => {}
        },
        _ => {}
    }
    Effect::None
}

fn key_of(key: &KeyEvent) -> Option<Key> {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char(mark) if is_control => Key::Ctrl(mark.to_ascii_lowercase()),
        KeyCode::Char(mark) => Key::Char(mark),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        _ => return None,
    })
}

/// What another thread sees happen to the file. Any number of lines between two looks is one event.
struct Events {
    rest: Receiver<FileEvent>,
    grown: Arc<AtomicBool>,
}

impl Events {
    fn follow(path: &Path, bell: Bell) -> io::Result<Self> {
        let follower = Follower::open(path, Start::End, Wait::Yes).map_err(io::Error::other)?;
        let (sender, rest) = channel();
        let grown = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&grown);
        let named = std::thread::Builder::new().name("follow".to_owned());
        named.spawn(move || watch(follower, &sender, &theirs, &bell))?;
        Ok(Self { rest, grown })
    }

    /// Whether there was anything.
    fn give_to(&self, stage: &mut dyn Stage) -> bool {
        let mut any = false;
        if self.grown.swap(false, Ordering::SeqCst) {
            stage.happened(FileEvent::Grown);
            any = true;
        }
        while let Ok(event) = self.rest.try_recv() {
            stage.happened(event);
            any = true;
        }
        any
    }
}

/// Ends when nobody listens any more.
fn watch(mut follower: Follower, rest: &Sender<FileEvent>, grown: &AtomicBool, bell: &Bell) {
    loop {
        let event = match follower.next(None) {
            Ok(follow::Event::Line(_)) => {
                if !grown.swap(true, Ordering::SeqCst) {
                    bell.ring();
                }
                continue;
            }
            Ok(follow::Event::Truncated { .. }) => FileEvent::Cut,
            Ok(follow::Event::Replaced { .. }) => FileEvent::Replaced,
            Ok(follow::Event::Removed) => FileEvent::Removed,
            Ok(follow::Event::Appeared { .. }) => FileEvent::Appeared,
            Ok(follow::Event::Idle | follow::Event::Woken) => continue,
            // The follower can be asked again, but not without a pause.
            Err(_) => {
                std::thread::sleep(TICK);
                continue;
            }
        };
        if rest.send(event).is_err() {
            return;
        }
        bell.ring();
    }
}
