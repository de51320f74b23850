//! Drives the viewer: keys, signals and the growth of the file in, screens out.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
    poll, read,
};

use super::action::{Effect, FileEvent};
use super::app::App;
use super::draw::TOP;
use super::keys::Key;
use super::outside;
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
    let screen = Screen::take()?;
    let theme = Theme {
        colour: options.colour,
    };
    let mut driver = Driver {
        waiter,
        screen,
        theme,
        drawn: None,
    };
    let end = driver.go(&mut app, events.as_ref())?;
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
    fn go(&mut self, app: &mut App, events: Option<&Events>) -> io::Result<Option<i32>> {
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
                let effect = take(app, &read()?);
                if effect == Effect::Quit {
                    return Ok(None);
                }
                self.effect(app, effect)?;
            }
            is_stale |= is_urgent | events.is_some_and(|events| events.give_to(app));
            if app.has_work() {
                app.work();
                is_stale = true;
            }
            let due = self
                .drawn
                .map_or(Duration::ZERO, |drawn| PACE.saturating_sub(drawn.elapsed()));
            if is_stale && (is_urgent || due.is_zero()) {
                app.at(human::now());
                self.screen.draw(app, self.theme)?;
                self.drawn = Some(Instant::now());
                is_stale = false;
            }
            self.waiter.wait(match (app.has_work(), is_stale) {
                (true, _) => Some(Duration::ZERO),
                (false, true) => Some(due),
                (false, false) if events.is_some() => Some(TICK),
                (false, false) => None,
            })?;
            is_stale |= self.drawn.is_some_and(|drawn| drawn.elapsed() >= TICK);
        }
    }

    fn effect(&mut self, app: &mut App, effect: Effect) -> io::Result<()> {
        match effect {
            Effect::None | Effect::Quit => {}
            Effect::Redraw => self.screen.forget()?,
            Effect::Suspend => self.suspend()?,
            Effect::Copy(text) => match outside::clipboard(&text) {
                Some(bytes) => {
                    self.screen.send(&bytes)?;
                    app.say("copied, where the terminal allows it (Y writes a file)");
                }
                None => app.say(outside::save(&text)),
            },
            Effect::Save(text) => app.say(outside::save(&text)),
            Effect::Pager(text) => {
                let said = self
                    .screen
                    .lend(|| outside::open(&text, outside::Program::Pager))?;
                app.say(said);
            }
            Effect::Editor(text) => {
                let said = self
                    .screen
                    .lend(|| outside::open(&text, outside::Program::Editor))?;
                app.say(said);
            }
        }
        Ok(())
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.screen.lend(outside::stop)
    }
}

/// What a terminal's event means.
fn take(app: &mut App, event: &Event) -> Effect {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => match key_of(key) {
            Some(key) => app.key(key),
            None => Effect::None,
        },
        Event::Resize(columns, rows) => {
            app.resize(*columns, *rows);
            Effect::None
        }
        Event::Mouse(mouse) => {
            point(app, mouse);
            Effect::None
        }
        _ => Effect::None,
    }
}

fn point(app: &mut App, mouse: &MouseEvent) {
    match mouse.kind {
        MouseEventKind::ScrollDown => app.wheel(NOTCH),
        MouseEventKind::ScrollUp => app.wheel(-NOTCH),
        MouseEventKind::Down(MouseButton::Left) => match mouse.row.checked_sub(TOP) {
            Some(line) => app.click(line.into()),
            None if mouse.row + 1 == TOP => app.click_strip(mouse.column.into()),
            None => {}
        },
        _ => {}
    }
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
    fn give_to(&self, app: &mut App) -> bool {
        let mut any = false;
        if self.grown.swap(false, Ordering::SeqCst) {
            app.file_event(FileEvent::Grown);
            any = true;
        }
        while let Ok(event) = self.rest.try_recv() {
            app.file_event(event);
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
