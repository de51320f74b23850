//! What standard output is: a terminal or not, how wide, in colour or not.

use std::io::{self, IsTerminal};

use clap::ValueEnum;

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// In a pipe as well
    Always,
    /// Not at all
    Never,
}

/// The facts about standard output that decide how something is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// A person looks at it.
    pub terminal: bool,
    /// Colour and weight may be used.
    pub colour: bool,
    /// How many columns a line may take. `None` without a terminal: what goes to another program
    /// or a file is never cut.
    pub columns: Option<usize>,
}

/// A terminal that does not tell its width is taken to have this many columns.
const DEFAULT_COLUMNS: usize = 80;

impl Screen {
    /// Standard output of this process.
    pub fn of_stdout(color: Color) -> Self {
        let terminal = io::stdout().is_terminal();
        Self::with(color, terminal, size_of_terminal, |name| {
            std::env::var(name).ok()
        })
    }

    fn with(
        color: Color,
        terminal: bool,
        size: impl Fn() -> Option<usize>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let columns = || {
            let told = variable("COLUMNS").and_then(|text| text.parse().ok());
            told.filter(|columns| *columns > 0)
                .or_else(size)
                .unwrap_or(DEFAULT_COLUMNS)
        };
        Self {
            terminal,
            colour: is_coloured(color, terminal, &variable),
            columns: terminal.then(columns),
        }
    }
}

/// The option wins over `NO_COLOR` (<https://no-color.org>), which wins over `CLICOLOR_FORCE` and
/// `CLICOLOR` (<https://bixense.com/clicolors>). An empty variable counts as unset.
fn is_coloured(color: Color, terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
    let value = |name| variable(name).filter(|value| !value.is_empty());
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if value("NO_COLOR").is_some() => false,
        Color::Auto if value("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        Color::Auto => {
            terminal
                && value("CLICOLOR").is_none_or(|value| value != "0")
                && value("TERM").is_none_or(|value| value != "dumb")
        }
    }
}

fn size_of_terminal() -> Option<usize> {
    let (columns, _) = crossterm::terminal::size().ok()?;
    (columns > 0).then_some(usize::from(columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Variables = &'static [(&'static str, &'static str)];

    fn screen(color: Color, terminal: bool, variables: Variables) -> Screen {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Screen::with(color, terminal, || Some(132), variable)
    }

    #[test]
    fn colour_follows_the_option_then_the_environment_then_the_terminal() {
        let cases: [(Color, bool, Variables, bool); 12] = [
            (Color::Auto, true, &[], true),
            (Color::Auto, false, &[], false),
            (Color::Always, false, &[("NO_COLOR", "1")], true),
            (Color::Never, true, &[("CLICOLOR_FORCE", "1")], false),
            (Color::Auto, true, &[("NO_COLOR", "1")], false),
            (Color::Auto, true, &[("NO_COLOR", "")], true),
            (Color::Auto, false, &[("CLICOLOR_FORCE", "1")], true),
            (Color::Auto, false, &[("CLICOLOR_FORCE", "0")], false),
            (
                Color::Auto,
                true,
                &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")],
                false,
            ),
            (Color::Auto, true, &[("CLICOLOR", "0")], false),
            (Color::Auto, true, &[("TERM", "dumb")], false),
            (Color::Auto, true, &[("TERM", "xterm-256color")], true),
        ];
        for (color, terminal, variables, expected) in cases {
            let found = screen(color, terminal, variables).colour;
            assert_eq!(found, expected, "{color:?} {terminal} {variables:?}");
        }
    }

    #[test]
    fn only_a_terminal_has_a_width() {
        assert_eq!(screen(Color::Auto, true, &[]).columns, Some(132));
        assert_eq!(
            screen(Color::Auto, true, &[("COLUMNS", "60")]).columns,
            Some(60)
        );
        assert_eq!(
            screen(Color::Auto, true, &[("COLUMNS", "0")]).columns,
            Some(132)
        );
        assert_eq!(
            screen(Color::Auto, true, &[("COLUMNS", "wide")]).columns,
            Some(132)
        );
        assert_eq!(
            screen(Color::Auto, false, &[("COLUMNS", "60")]).columns,
            None
        );
    }

    #[test]
    fn a_terminal_without_a_size_has_eighty_columns() {
        let screen = Screen::with(Color::Auto, true, || None, |_| None);
        assert_eq!(screen.columns, Some(80));
    }
}
