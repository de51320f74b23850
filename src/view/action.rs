//! What a person can ask of the viewer, and what the viewer asks of the terminal.

use std::path::PathBuf;

use super::body::Fold;

/// What a key asks for.
///
/// ```
/// use std::path::Path;
/// use sess::look::human;
/// use sess::view::App;
/// use sess::view::action::{Action, Effect};
/// let path = Path::new("samples/sessions/healthy.jsonl");
/// let mut app = App::open(path, 80, 24, human::now())?;
/// app.settle();
/// assert_eq!(app.perform(Action::First), Effect::None);
/// assert_eq!(app.line(), Some(1));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The next entry.
    Down,
    /// The entry before.
    Up,
    /// Half a screen down.
    HalfDown,
    /// Half a screen up.
    HalfUp,
    /// A screen down.
    PageDown,
    /// A screen up.
    PageUp,
    /// The first entry.
    First,
    /// The last entry; from there on the end is followed.
    Last,
    /// The next entry of a kind; after the last comes the first.
    Next(Target),
    /// The one before; before the first comes the last.
    Previous(Target),
    /// The next match of the search.
    NextMatch,
    /// The match before.
    PreviousMatch,
    /// Shows the entry at the next level.
    CycleFold,
    /// Shows all of the entry.
    Unfold,
    /// Shows one line of the entry.
    FoldUp,
    /// Shows all entries at a level.
    FoldAll(Fold),
    /// Shows what the model sees after the entry, or again what the file says.
    SwitchSides,
    /// Shows or hides the lines that only record calls.
    ToggleRecords,
    /// Asks for a search.
    Search,
    /// Asks for a filter.
    Filter,
    /// Asks for a place.
    GoTo,
    /// Shows or hides the help.
    Help,
    /// Shows or hides the stored JSON.
    Raw,
    /// Shows or hides the numbers.
    Stats,
    /// Copies the entry.
    Copy,
    /// Writes the entry to a file.
    CopyToFile,
    /// Writes the rows that are there, filtered or as the model sees them, as an HTML page.
    ExportHtml,
    /// The same as Markdown.
    ExportMarkdown,
    /// Opens the entry in the pager.
    Pager,
    /// Opens a copy of the entry in the editor.
    Editor,
    /// Follows the end, or stops.
    Follow,
    /// Closes what is open, clears the search, the filter.
    Escape,
    /// Leaves the mouse to the terminal, or takes it again.
    Mouse,
    /// Opens the entry on one side of a comparison in a viewer of its own.
    OpenSide(Side),
    /// Copies the entry on one side of a comparison.
    CopySide(Side),
    /// Opens the entry on one side of a comparison in the pager.
    PagerSide(Side),
    /// Shows or hides entries that both sides have.
    ToggleSame,
    /// Draws everything anew.
    Redraw,
    /// Stops the process until the shell wakes it.
    Suspend,
    /// Ends.
    Quit,
}

/// What one can jump to.
///
/// ```
/// use sess::view::action::Target;
/// assert_eq!(Target::Fold.as_str(), "compaction or elision");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// An error, an unknown outcome, damage.
    Error,
    /// A tool's answer.
    Call,
    /// A message of the user.
    User,
    /// A compaction or an elision.
    Fold,
    /// A call without a known end.
    Open,
    /// Where two transcripts differ.
    Difference,
}

/// One of two transcripts.
///
/// ```
/// use sess::view::action::{Action, Side};
/// use sess::view::keys::{COMPARING, Key, action_of};
/// assert_eq!(action_of(COMPARING, Key::Char('>')), Some(Action::OpenSide(Side::Right)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The one named first.
    Left,
    /// The other.
    Right,
}

impl Target {
    /// In words, for the status line.
    pub fn as_str(self) -> &'static str {
        match self {
            Target::Error => "error",
            Target::Call => "tool answer",
            Target::User => "user message",
            Target::Fold => "compaction or elision",
            Target::Open => "open call",
            Target::Difference => "difference",
        }
    }
}

/// What the viewer asks of whoever drives it.
///
/// ```
/// use std::path::Path;
/// use sess::look::human;
/// use sess::view::App;
/// use sess::view::action::{Action, Effect};
/// let path = Path::new("samples/sessions/healthy.jsonl");
/// let mut app = App::open(path, 80, 24, human::now())?;
/// assert_eq!(app.perform(Action::Quit), Effect::Quit);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing but to draw.
    None,
    /// To end.
    Quit,
    /// To give the terminal back and stop.
    Suspend,
    /// To clear the screen before drawing.
    Redraw,
    /// To leave the mouse to the terminal, or to take it again.
    Mouse,
    /// To show a line of a transcript, until the person comes back from it.
    Open {
        /// The transcript.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u64,
    },
    /// To hand this text to the terminal's clipboard.
    Copy(String),
    /// To write this text to a file of its own.
    Save(String),
    /// To open this text in the pager.
    Pager(String),
    /// To open this text in the editor.
    Editor(String),
}

/// What happened to the file.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use std::fs;
/// use sess::look::human;
/// use sess::view::App;
/// use sess::view::action::FileEvent;
/// let line = "{\"id\":\"a\",\"payload\":{},\"ts\":\"\",\"type\":\"session-meta\",\"v\":1}\n";
/// fs::write(&path, line)?;
/// let mut app = App::open(&path, 80, 24, human::now())?;
/// app.settle();
/// fs::write(&path, line.repeat(2))?;
/// app.file_event(FileEvent::Grown);
/// app.settle();
/// // Who stands at the end goes with it.
/// assert_eq!(app.line(), Some(2));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileEvent {
    /// There may be more lines.
    Grown,
    /// It became shorter, or other bytes stand in it.
    Cut,
    /// Another file has the name.
    Replaced,
    /// Nothing has the name.
    Removed,
    /// The name is there again.
    Appeared,
}
