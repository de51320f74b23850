//! The tables of keys: what they do, and what the help says about them.

use super::action::{Action, Side, Target};
use super::body::Fold;

/// A key as the table knows it.
///
/// ```
/// use sess::view::action::Action;
/// use sess::view::keys::{BINDINGS, Key, action_of};
/// assert_eq!(action_of(BINDINGS, Key::Char('j')), Some(Action::Down));
/// assert_eq!(action_of(BINDINGS, Key::Char('J')), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A character, capital letters as such.
    Char(char),
    /// A letter with control.
    Ctrl(char),
    /// An arrow.
    Up,
    /// An arrow.
    Down,
    /// An arrow.
    Left,
    /// An arrow.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
    /// Return.
    Enter,
    /// Escape.
    Escape,
    /// The key that erases what was typed last.
    Backspace,
}

/// Some keys that do the same.
///
/// ```
/// use sess::view::action::Action;
/// use sess::view::keys::BINDINGS;
/// let help = BINDINGS.iter().find(|binding| binding.action == Action::Help);
/// assert_eq!(help.map(|binding| binding.shown), Some("?"));
/// ```
#[derive(Debug)]
pub struct Binding {
    /// The keys.
    pub keys: &'static [Key],
    /// What they do.
    pub action: Action,
    /// The keys as the help writes them.
    pub shown: &'static str,
    /// What the help says.
    pub help: &'static str,
}

const fn bind(
    keys: &'static [Key],
    action: Action,
    shown: &'static str,
    help: &'static str,
) -> Binding {
    Binding {
        keys,
        action,
        shown,
        help,
    }
}

/// Every key where one transcript is read, in the order of the help.
#[rustfmt::skip]
pub const BINDINGS: &[Binding] = &[
    bind(&[Key::Char('j'), Key::Down], Action::Down, "j ↓", "next entry"),
    bind(&[Key::Char('k'), Key::Up], Action::Up, "k ↑", "entry before"),
    bind(&[Key::Ctrl('d')], Action::HalfDown, "Ctrl-D", "half a screen down"),
    bind(&[Key::Ctrl('u')], Action::HalfUp, "Ctrl-U", "half a screen up"),
    bind(&[Key::PageDown, Key::Ctrl('f')], Action::PageDown, "PgDn", "a screen down"),
    bind(&[Key::PageUp, Key::Ctrl('b')], Action::PageUp, "PgUp", "a screen up"),
    bind(&[Key::Char('g'), Key::Home], Action::First, "g Home", "first entry"),
    bind(&[Key::Char('G'), Key::End], Action::Last, "G End", "last entry, and follow"),
    bind(&[Key::Char(':')], Action::GoTo, ":", "go to line, id or time"),
    bind(&[Key::Char('e')], Action::Next(Target::Error), "e E", "next, previous error"),
    bind(&[Key::Char('E')], Action::Previous(Target::Error), "", ""),
    bind(&[Key::Char('p')], Action::Next(Target::Open), "p P", "next call without an end"),
    bind(&[Key::Char('P')], Action::Previous(Target::Open), "", ""),
    bind(&[Key::Char('t')], Action::Next(Target::Call), "t T", "next tool answer"),
    bind(&[Key::Char('T')], Action::Previous(Target::Call), "", ""),
    bind(&[Key::Char('u')], Action::Next(Target::User), "u U", "next user message"),
    bind(&[Key::Char('U')], Action::Previous(Target::User), "", ""),
    bind(&[Key::Char('c')], Action::Next(Target::Fold), "c C", "next compaction, elision"),
    bind(&[Key::Char('C')], Action::Previous(Target::Fold), "", ""),
    bind(&[Key::Char('/')], Action::Search, "/", "search, by regex"),
    bind(&[Key::Char('n')], Action::NextMatch, "n N", "next, previous match"),
    bind(&[Key::Char('N')], Action::PreviousMatch, "", ""),
    bind(&[Key::Char('f')], Action::Filter, "f", "filter (words below)"),
    bind(&[Key::Char('s')], Action::SwitchSides, "s", "said, or seen by the model"),
    bind(&[Key::Enter, Key::Char(' ')], Action::CycleFold, "Enter", "unfold, fold this entry"),
    bind(&[Key::Char('l'), Key::Right], Action::Unfold, "l →", "all of this entry"),
    bind(&[Key::Char('h'), Key::Left], Action::FoldUp, "h ←", "this entry in one line"),
    bind(&[Key::Char('1')], Action::FoldAll(Fold::Line), "1 2 3", "all: lines, excerpts, full"),
    bind(&[Key::Char('2')], Action::FoldAll(Fold::Excerpt), "", ""),
    bind(&[Key::Char('3')], Action::FoldAll(Fold::Full), "", ""),
    bind(&[Key::Char('a')], Action::ToggleRecords, "a", "dispatch and settle lines"),
    bind(&[Key::Char('r')], Action::Raw, "r", "stored JSON of this entry"),
    bind(&[Key::Char('i')], Action::Stats, "i", "tools, tokens and open calls"),
    bind(&[Key::Char('y')], Action::Copy, "y Y", "copy entry, write to a file"),
    bind(&[Key::Char('Y')], Action::CopyToFile, "", ""),
    bind(&[Key::Char('x')], Action::ExportHtml, "x X", "these rows as HTML, Markdown"),
    bind(&[Key::Char('X')], Action::ExportMarkdown, "", ""),
    bind(&[Key::Char('o')], Action::Pager, "o", "open entry in $PAGER"),
    bind(&[Key::Char('v')], Action::Editor, "v", "open copy in $EDITOR"),
    bind(&[Key::Char('F')], Action::Follow, "F", "follow the end, or stop"),
    bind(&[Key::Char('m')], Action::Mouse, "m", "mouse: viewer, or selection"),
    bind(&[Key::Escape], Action::Escape, "Esc", "close; clear search, filter"),
    bind(&[Key::Char('?')], Action::Help, "?", "this help"),
    bind(&[Key::Ctrl('z')], Action::Suspend, "Ctrl-Z", "back to the shell"),
    bind(&[Key::Ctrl('l')], Action::Redraw, "Ctrl-L", "draw anew"),
    bind(&[Key::Char('q'), Key::Ctrl('c')], Action::Quit, "q", "quit"),
];

/// Every key where two transcripts are compared, in the order of the help.
#[rustfmt::skip]
pub const COMPARING: &[Binding] = &[
    bind(&[Key::Char('n'), Key::Char(']')], Action::Next(Target::Difference), "n ]", "next difference"),
    bind(&[Key::Char('N'), Key::Char('p'), Key::Char('[')], Action::Previous(Target::Difference), "N p [", "difference before"),
    bind(&[Key::Char('j'), Key::Down], Action::Down, "j ↓", "next row"),
    bind(&[Key::Char('k'), Key::Up], Action::Up, "k ↑", "row before"),
    bind(&[Key::Ctrl('d')], Action::HalfDown, "Ctrl-D", "half a screen down"),
    bind(&[Key::Ctrl('u')], Action::HalfUp, "Ctrl-U", "half a screen up"),
    bind(&[Key::PageDown, Key::Ctrl('f')], Action::PageDown, "PgDn", "a screen down"),
    bind(&[Key::PageUp, Key::Ctrl('b')], Action::PageUp, "PgUp", "a screen up"),
    bind(&[Key::Char('g'), Key::Home], Action::First, "g Home", "first row"),
    bind(&[Key::Char('G'), Key::End], Action::Last, "G End", "last row"),
    bind(&[Key::Enter, Key::Char(' ')], Action::CycleFold, "Enter", "unfold, fold this row"),
    bind(&[Key::Char('l'), Key::Right], Action::Unfold, "l →", "all of this row"),
    bind(&[Key::Char('h'), Key::Left], Action::FoldUp, "h ←", "this row in one line"),
    bind(&[Key::Char('1')], Action::FoldAll(Fold::Line), "1 2 3", "all: lines, changes, full"),
    bind(&[Key::Char('2')], Action::FoldAll(Fold::Excerpt), "", ""),
    bind(&[Key::Char('3')], Action::FoldAll(Fold::Full), "", ""),
    bind(&[Key::Char('a')], Action::ToggleSame, "a", "rows that are the same"),
    bind(&[Key::Char('<')], Action::OpenSide(Side::Left), "< >", "left, right entry in viewer"),
    bind(&[Key::Char('>')], Action::OpenSide(Side::Right), "", ""),
    bind(&[Key::Char('y')], Action::CopySide(Side::Left), "y Y", "copy left, right entry"),
    bind(&[Key::Char('Y')], Action::CopySide(Side::Right), "", ""),
    bind(&[Key::Char('o')], Action::PagerSide(Side::Left), "o O", "left, right entry in $PAGER"),
    bind(&[Key::Char('O')], Action::PagerSide(Side::Right), "", ""),
    bind(&[Key::Char('m')], Action::Mouse, "m", "mouse: viewer, or selection"),
    bind(&[Key::Escape], Action::Escape, "Esc", "close the help"),
    bind(&[Key::Char('?')], Action::Help, "?", "this help"),
    bind(&[Key::Ctrl('z')], Action::Suspend, "Ctrl-Z", "back to the shell"),
    bind(&[Key::Ctrl('l')], Action::Redraw, "Ctrl-L", "draw anew"),
    bind(&[Key::Char('q'), Key::Ctrl('c')], Action::Quit, "q", "quit"),
];

/// What a key does.
pub fn action_of(table: &[Binding], key: Key) -> Option<Action> {
    let binding = table.iter().find(|binding| binding.keys.contains(&key));
    binding.map(|binding| binding.action)
}

/// The rows of the help: keys, and what they do.
pub fn help(table: &[Binding]) -> impl Iterator<Item = (&'static str, &'static str)> {
    let said = table.iter().filter(|binding| !binding.help.is_empty());
    said.map(|binding| (binding.shown, binding.help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_does_two_things() {
        for table in [BINDINGS, COMPARING] {
            let keys: Vec<Key> = table
                .iter()
                .flat_map(|binding| binding.keys)
                .copied()
                .collect();
            for (at, key) in keys.iter().enumerate() {
                assert!(!keys[..at].contains(key), "{key:?}");
            }
        }
    }
}
