//! Colours and weights. Meaning never rests on them alone: every mark is also a character.

use ratatui::style::{Color, Modifier, Style};

use super::styled::Ink;

/// How meanings look.
///
/// ```
/// use sess::view::styled::Ink;
/// use sess::view::theme::Theme;
/// let plain = Theme { colour: false }.style(Ink::Error);
/// assert_eq!(plain.fg, None);
/// // It still stands out.
/// assert!(!plain.add_modifier.is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Whether colours may be used. They are those of the terminal's own sixteen, so that they suit
    /// a light screen as well as a dark one.
    pub colour: bool,
}

impl Theme {
    /// The look of a meaning.
    pub fn style(self, ink: Ink) -> Style {
        let style = Style::default();
        let weighted = match ink {
            Ink::Dim => style.add_modifier(Modifier::DIM),
            Ink::Strong | Ink::Error | Ink::User => style.add_modifier(Modifier::BOLD),
            Ink::Match => style.add_modifier(Modifier::REVERSED),
            Ink::Link => style.add_modifier(Modifier::UNDERLINED),
            Ink::AddedWord | Ink::RemovedWord => {
                style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
            }
            _ => style,
        };
        match colour_of(ink).filter(|_| self.colour) {
            Some(colour) => weighted.fg(colour),
            None => weighted,
        }
    }
}

fn colour_of(ink: Ink) -> Option<Color> {
    Some(match ink {
        Ink::Plain | Ink::Dim | Ink::Strong | Ink::Link | Ink::Match => return None,
        Ink::System | Ink::Folded | Ink::Keyword => Color::Magenta,
        Ink::User | Ink::Name => Color::Blue,
        Ink::Assistant | Ink::Good | Ink::Added | Ink::AddedWord | Ink::Text => Color::Green,
        Ink::Tool | Ink::Key => Color::Cyan,
        Ink::Error | Ink::Removed | Ink::RemovedWord => Color::Red,
        Ink::Warning | Ink::Number | Ink::Code => Color::Yellow,
    })
}
