//! A call in one line: its tool, its arguments, how far it came and how long it took.

use std::time::Duration;

use super::links::{State, Story};
use super::styled::{Ink, Styled};
use crate::look::entry::{Mark, Text};
use crate::look::human;
use crate::look::visible;
use crate::session::operations::CallState;

impl State {
    /// The state in words.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Proposed => "proposed",
            State::Running => "running",
            State::Background => "in the background",
            State::Completed => "completed",
            State::Failed => "failed",
            State::Unknown => "outcome unknown",
            State::Abandoned => "never dispatched",
        }
    }

    /// One column that says it without colour.
    pub fn glyph(self) -> char {
        match self {
            State::Proposed | State::Abandoned => '◌',
            State::Running | State::Background => '○',
            State::Completed => '✓',
            State::Failed => '✗',
            State::Unknown => '?',
        }
    }

    /// What it means.
    pub fn ink(self) -> Ink {
        match self {
            State::Completed => Ink::Good,
            State::Failed => Ink::Error,
            State::Proposed | State::Running | State::Background => Ink::Warning,
            State::Unknown | State::Abandoned => Ink::Warning,
        }
    }
}

/// The card of a call in one line of so many columns: `✓ read_file src/a.rs  completed in 12 ms`.
pub fn line(story: &Story, columns: usize) -> Styled {
    let (glyph, ink) = sign(story);
    let mut row = Styled::of(ink, format!("{glyph} "));
    row.push(Ink::Tool, visible::excerpt(&story.tool, 40));
    let mut end = Styled::of(ink, format!(" {}", how(story)));
    let room = columns.saturating_sub(row.width() + end.width() + 1);
    row.append(arguments(story, room));
    row.spans.append(&mut end.spans);
    row.fitted(columns)
}

/// What may honestly be said of a call without a known end. Where the writer is likely to be at
/// work, the end may still come.
pub fn in_words(state: CallState, is_live: bool) -> &'static str {
    match (state, is_live) {
        (CallState::NeverDispatched, true) => "proposed",
        (CallState::NeverDispatched, false) => "never dispatched",
        (CallState::WasRunning, true) => "running",
        (CallState::WasRunning, false) => "no end recorded",
        (CallState::FinishedNotSettled, _) => "finished, not settled",
        (CallState::Unrecorded, _) => "no answer",
    }
}

/// What a story means at a glance: its glyph, and its ink.
pub fn sign(story: &Story) -> (char, Ink) {
    match story.open {
        Some(_) => (Mark::Open.glyph(), Ink::Warning),
        None => (story.state().glyph(), story.state().ink()),
    }
}

/// How far it came, and how long that took: `failed in 1.2 s`.
pub fn how(story: &Story) -> String {
    if let Some(open) = story.open {
        let said = in_words(open, story.is_live);
        return match story.runs_for {
            Some(so_far) => format!("{said} for {}", human::duration(so_far)),
            None => said.to_owned(),
        };
    }
    let state = story.state().as_str();
    match story.took() {
        Some(seconds) => format!("{state} in {}", duration(seconds)),
        None => state.to_owned(),
    }
}

fn duration(seconds: f64) -> String {
    match Duration::try_from_secs_f64(seconds) {
        Ok(lasted) => human::duration(lasted),
        Err(_) => format!("{seconds} s"),
    }
}

/// What a call was made with, in at most so many columns, behind a blank. Nothing where there is
/// nothing to say, or no room.
pub fn arguments(story: &Story, columns: usize) -> Styled {
    let said = match columns {
        0..=4 => String::new(),
        _ => crate::look::entry::arguments(Text::Plain(&story.arguments), columns),
    };
    match said.is_empty() {
        true => Styled::default(),
        false => Styled::of(Ink::Plain, format!(" {said}")),
    }
}
