//! What lies over the list for a while: help, numbers, the stored JSON of an entry.

use super::action::{Action, Effect};
use super::app::App;
use super::body;
use super::keys::{self, Binding};
use super::styled::{Ink, Styled};
use crate::look::human::{count, counted, size};
use crate::look::timeline::ToolStats;
use crate::look::visible;
use crate::look::width;

/// What can be typed after `f`.
const FILTER_WORDS: [&str; 2] = [
    "f takes role:R type:T tool:NAME is:error after:TIME before:TIME, and a regex",
    "o, v open a private copy; capitals (E P T U C N) go back",
];

/// Rows over the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Popup {
    /// The action that opened it, and closes it again.
    pub opened_by: Action,
    /// Its name.
    pub title: &'static str,
    /// All its rows.
    pub rows: Vec<Styled>,
    /// How many of them are above the screen.
    pub above: usize,
}

impl Popup {
    /// Moves its rows.
    pub fn scroll(&mut self, lines: isize) {
        let last = self.rows.len().saturating_sub(1);
        self.above = self.above.saturating_add_signed(lines).min(last);
    }

    /// Whether an action moves its rows, and does so.
    pub(super) fn moves(&mut self, action: Action, height: usize) -> bool {
        let page = isize::try_from(height / 2).unwrap_or(1).max(1);
        match action {
            Action::Down => self.scroll(1),
            Action::Up => self.scroll(-1),
            Action::HalfDown | Action::PageDown => self.scroll(page),
            Action::HalfUp | Action::PageUp => self.scroll(-page),
            Action::First => self.above = 0,
            Action::Last => self.scroll(isize::MAX),
            _ => return false,
        }
        true
    }
}

impl App {
    pub(super) fn pop_up(&mut self, action: Action) {
        let (title, rows) = match action {
            Action::Help => ("keys", help(keys::BINDINGS, &FILTER_WORDS, self.columns)),
            Action::Stats => ("numbers", self.numbers()),
            _ => ("stored line", self.stored()),
        };
        self.popup = Some(Popup {
            opened_by: action,
            title,
            rows,
            above: 0,
        });
    }

    /// Keys while something lies over the list.
    pub(super) fn in_popup(&mut self, action: Action) -> Effect {
        let Some(popup) = &mut self.popup else {
            return Effect::None;
        };
        if popup.moves(action, self.stand.height) {
            return Effect::None;
        }
        match action {
            Action::Mouse => return Effect::Mouse,
            Action::Suspend => return Effect::Suspend,
            Action::Redraw => return Effect::Redraw,
            // More of an id is typed where its candidates are shown.
            Action::GoTo => {
                self.popup = None;
                self.ask(action);
            }
            action if action == popup.opened_by => self.popup = None,
            Action::Help | Action::Stats | Action::Raw => self.pop_up(action),
            _ => self.popup = None,
        }
        Effect::None
    }

    fn stored(&mut self) -> Vec<Styled> {
        let Some(bytes) = self
            .line_of(self.stand.cursor)
            .and_then(|line| self.file.read(&line).ok())
        else {
            return Vec::new();
        };
        let columns = self.columns.saturating_sub(4);
        match String::from_utf8(bytes) {
            Ok(text) => body::rows(&text, body::Nature::Stored, columns, body::Fold::Full),
            Err(error) => {
                let shown = visible::bytes(error.as_bytes());
                body::rows(&shown, body::Nature::Prose, columns, body::Fold::Full)
            }
        }
    }

    fn numbers(&self) -> Vec<Styled> {
        let timeline = self.overview.timeline();
        let mut rows = vec![Styled::of(
            Ink::Strong,
            format!(
                "{}{:>8}{:>8}{:>9}{:>11}{:>11}{:>11}",
                width::pad("tool", 20),
                "calls",
                "failed",
                "unknown",
                "in all",
                "longest",
                "results"
            ),
        )];
        for (name, stats) in timeline.tools.named() {
            rows.push(tool_row(name, stats));
        }
        if let Some(others) = timeline.tools.others() {
            rows.push(tool_row("(others)", others));
        }
        rows.push(Styled::default());
        rows.extend(self.sums());
        let open = self.overview.open_calls();
        if !open.is_empty() {
            rows.push(Styled::default());
            rows.push(Styled::of(Ink::Strong, "calls without an end"));
        }
        for call in open {
            let mut row = Styled::of(Ink::Dim, format!("{:>8} ", count(call.line)));
            row.push(Ink::Tool, visible::excerpt(&call.tool, 30));
            row.push(Ink::Warning, format!("  {}", call.state.as_str()));
            rows.push(row);
        }
        rows
    }

    fn sums(&self) -> Vec<Styled> {
        let timeline = self.overview.timeline();
        let tokens = timeline.tokens;
        let mut rows = Vec::new();
        let mut sum = |name: &str, value: String| {
            let mut row = Styled::of(Ink::Key, width::pad(name, 20));
            row.push(Ink::Plain, value);
            rows.push(row);
        };
        sum("lines", count(self.file.count()));
        sum("size", size(self.file.size()));
        sum("rounds", count(timeline.rounds.len() as u64));
        let folds = timeline.folds.len() as u64;
        sum(
            "folds",
            counted(folds, "compaction or elision", "compactions and elisions"),
        );
        for (name, tokens) in [
            ("prompt tokens", tokens.prompt),
            ("of these cached", tokens.cached),
            ("completion tokens", tokens.completion),
        ] {
            sum(name, tokens.map_or("not reported".to_owned(), count));
        }
        if let Some(cost) = tokens.cost {
            sum("cost", format!("{cost:.4}"));
        }
        rows
    }
}

/// The rows of the help on a table of keys, and what is to be said below them.
pub(super) fn help(table: &[Binding], words: &[&str], columns: usize) -> Vec<Styled> {
    let all: Vec<_> = keys::help(table).collect();
    let in_a_row = if columns >= 76 { 2 } else { 1 };
    let each = all.len().div_ceil(in_a_row);
    let wide = columns.saturating_sub(4) / in_a_row;
    let cell = |(keys, what): &(&str, &str)| {
        let mut cell = Styled::of(Ink::Strong, width::pad(keys, 8));
        cell.push(Ink::Plain, *what);
        cell.fitted(wide.saturating_sub(2))
    };
    let rows = (0..each).map(|place| {
        let mut row = all.get(place).map(cell).unwrap_or_default();
        if let Some(right) = all.get(each + place) {
            let gap = wide.saturating_sub(row.width());
            row.push(Ink::Plain, " ".repeat(gap)).append(cell(right));
        }
        row
    });
    let words = words
        .iter()
        .map(|line| Styled::of(Ink::Dim, *line).fitted(columns.saturating_sub(4)));
    rows.chain([Styled::default()]).chain(words).collect()
}

fn tool_row(name: &str, stats: &ToolStats) -> Styled {
    let seconds = |seconds: f64| match stats.timed {
        0 => "–".to_owned(),
        _ => std::time::Duration::try_from_secs_f64(seconds)
            .map_or("–".to_owned(), crate::look::human::duration),
    };
    let mut row = Styled::of(Ink::Tool, width::fit(&visible::excerpt(name, 19), 20));
    row.push(Ink::Plain, format!("{:>8}", count(stats.calls)));
    let ink = if stats.failures > 0 {
        Ink::Error
    } else {
        Ink::Plain
    };
    row.push(ink, format!("{:>8}", count(stats.failures)));
    let ink = if stats.unknown > 0 {
        Ink::Warning
    } else {
        Ink::Plain
    };
    row.push(ink, format!("{:>9}", count(stats.unknown)));
    let sizes = size(stats.result_bytes);
    let (all, longest) = (seconds(stats.seconds), seconds(stats.longest));
    row.push(Ink::Plain, format!("{all:>11}{longest:>11}{sizes:>11}"));
    row
}
