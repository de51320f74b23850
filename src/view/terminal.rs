//! The terminal: taken over, and given back whatever happens.

use std::io::{self, Write};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use super::draw::draw;
use super::stage::Stage;
use super::theme::Theme;

/// Whether the terminal is ours.
static TAKEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();
/// Whether the mouse is ours too, while the terminal is.
static MOUSE: AtomicBool = AtomicBool::new(true);

/// The terminal while it is ours. It is given back when this value goes, and when any thread
/// panics.
///
/// ```no_run
/// use std::path::Path;
/// use sess::look::human;
/// use sess::view::theme::Theme;
/// use sess::view::{App, Screen};
/// let mut app = App::open(Path::new("run.jsonl"), 80, 24, human::now())?;
/// Screen::take()?.draw(&mut app, Theme { colour: true })?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Screen {
    terminal: Terminal<CrosstermBackend<io::Stdout>>,
}

impl Screen {
    /// Takes the terminal over.
    pub fn take() -> io::Result<Self> {
        HOOK.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                give_back();
                before(info);
            }));
        });
        take_over()?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout()));
        terminal
            .map(|terminal| Self { terminal })
            .inspect_err(|_| give_back())
    }

    /// Draws, all at once where the terminal can do that.
    pub fn draw(&mut self, stage: &mut dyn Stage, theme: Theme) -> io::Result<()> {
        queue!(io::stdout(), BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| draw(stage, theme, frame))?;
        execute!(io::stdout(), EndSynchronizedUpdate)
    }

    /// Forgets what stands on the screen, so that everything is drawn. The terminal is not asked
    /// for anything, since not every one answers.
    pub fn forget(&mut self) -> io::Result<()> {
        execute!(io::stdout(), Clear(ClearType::All))?;
        self.terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        Ok(())
    }

    /// Gives the terminal back for a while.
    pub fn lend<T>(&mut self, meanwhile: impl FnOnce() -> T) -> io::Result<T> {
        give_back();
        let made = meanwhile();
        take_over()?;
        self.forget()?;
        Ok(made)
    }

    /// Leaves the mouse to the terminal, or takes it again. Whether it is ours then.
    pub fn switch_mouse(&mut self) -> io::Result<bool> {
        let is_ours = !MOUSE.fetch_xor(true, Ordering::SeqCst);
        match is_ours {
            true => execute!(io::stdout(), EnableMouseCapture)?,
            false => execute!(io::stdout(), DisableMouseCapture)?,
        }
        Ok(is_ours)
    }

    /// Sends bytes of our own making.
    pub fn send(&mut self, bytes: &str) -> io::Result<()> {
        let mut out = io::stdout();
        out.write_all(bytes.as_bytes())?;
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn take_over() -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    let taken = enable_raw_mode()
        .and_then(|()| execute!(io::stdout(), EnterAlternateScreen, Hide))
        .and_then(|()| match MOUSE.load(Ordering::SeqCst) {
            true => execute!(io::stdout(), EnableMouseCapture),
            false => Ok(()),
        });
    taken.inspect_err(|_| give_back())
}

/// Gives the terminal back, once. Nobody is left to tell what does not work.
fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(
            io::stdout(),
            EndSynchronizedUpdate,
            DisableMouseCapture,
            Show,
            LeaveAlternateScreen
        );
        let _ = disable_raw_mode();
    }
}
