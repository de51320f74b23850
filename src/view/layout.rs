//! A row of the list laid out: its summary line, and what is unfolded below it.

use super::app::App;
use super::body::{Fold, Rest, body};
use super::card;
use super::links::{Links, State, Story};
use super::styled::{Ink, Styled};
use crate::look::entry::{Entries, Entry, Mark, Text, What};
use crate::look::human;
use crate::look::index::{IndexedLine, Kind};
use crate::look::visible;
use crate::look::width;
use crate::message::Role;
use crate::session::envelope::Verdict;
use crate::session::operations::CallState;
use crate::session::read::Line;

/// What stands in front of the label: number, glyph.
const GUTTER: usize = 11;
const LABEL: usize = 11;
/// The body stands this far to the right.
const INDENT: usize = 4;
/// Times are shown on screens at least this wide.
const WIDE: usize = 100;
/// So many rows are kept laid out.
const KEPT: usize = 600;

impl App {
    /// The lines of a row. The first is its summary.
    pub(super) fn laid_out(&mut self, row: u64) -> &[Styled] {
        if !self.laid.contains_key(&row) {
            if self.laid.len() >= KEPT {
                self.laid.clear();
            }
            let lines = self.lay_out(row);
            self.laid.insert(row, lines);
        }
        self.laid.get(&row).map(Vec::as_slice).unwrap_or_default()
    }

    fn lay_out(&mut self, row: u64) -> Vec<Styled> {
        let Some(line) = self.line_of(row) else {
            return vec![Styled::of(Ink::Dim, "(not there any more)")];
        };
        let bytes = match self.file.read(&line) {
            Ok(bytes) => bytes,
            Err(error) => return vec![Styled::of(Ink::Error, error.to_string())],
        };
        let read = Line {
            number: line.number,
            offset: line.offset,
            bytes: &bytes,
            ending: line.ending,
        };
        let Some(mut entry) = Entries::of_writer(true).entry(read, &Verdict::of(&bytes)) else {
            return vec![Styled::default()];
        };
        self.link(line.offset);
        let stories: Vec<Story> = self.links.of(line.offset).cloned().collect();
        if let Some(story) = stories.first()
            && matches!(entry.role(), Some(Role::Tool))
        {
            entry.tool = Some(story.tool.clone()).filter(|tool| !tool.is_empty());
        }
        let mut lines = vec![self.summary(row, &line, &entry, &stories)];
        let rest = Rest {
            stories: &stories,
            folding: self.overview.folding(line.number),
            stub: self.stub_of(row),
        };
        let fold = self.fold_of(row);
        let columns = self.columns.saturating_sub(INDENT + 1).max(8);
        let mut below = body(&entry, rest, columns, fold);
        if fold != Fold::Line
            && self.stub_of(row).is_none()
            && let Some(by) = self.overview.elided_by(line.number)
        {
            let note = format!("── the model sees a stub instead, since line {by}");
            below.push(Styled::of(Ink::Folded, note));
        }
        for under in below {
            let mut indented = Styled::of(Ink::Dim, "│   ");
            indented.append(under);
            lines.push(indented);
        }
        lines
    }

    /// Makes sure that the calls around a line are known.
    fn link(&mut self, offset: u64) {
        let size = self.file.size();
        if !self.links.covers(offset, size)
            && let Ok(links) = Links::around(&mut self.file, offset)
        {
            self.links = links;
        }
    }

    fn summary(
        &self,
        row: u64,
        line: &IndexedLine,
        entry: &Entry<'_>,
        stories: &[Story],
    ) -> Styled {
        let mut summary = Styled::default();
        let number = match line.number {
            0 => "·".to_owned(),
            number => number.to_string(),
        };
        summary.push(Ink::Dim, width::pad_left(&number, GUTTER - 4));
        let (glyph, ink) = self.glyph(row, line, entry);
        summary.push(ink, format!(" {glyph} "));
        let label = visible::excerpt(&entry.label(), LABEL - 1);
        summary.push(ink_of(entry), width::pad(&label, LABEL));
        if self.columns >= WIDE {
            let time = line.time.map(|time| time.format("%H:%M:%S ").to_string());
            summary.push(Ink::Dim, width::pad(&time.unwrap_or_default(), 9));
        }
        let room = self.columns.saturating_sub(summary.width() + 1);
        summary.append(self.said(row, line, entry, stories, room));
        summary.fitted(self.columns)
    }

    /// The one column that says what is special about a row, without colour.
    fn glyph(&self, row: u64, line: &IndexedLine, entry: &Entry<'_>) -> (char, Ink) {
        if self.overview.open_call(line.number).is_some() {
            return (Mark::Open.glyph(), Ink::Warning);
        }
        if self.stub_of(row).is_some() {
            return (Mark::Folded.glyph(), Ink::Folded);
        }
        match entry.mark() {
            Some(mark) => (mark.glyph(), ink_of_mark(mark)),
            None if self.fresh.is_some_and(|fresh| line.offset >= fresh) => ('+', Ink::Strong),
            None => (' ', Ink::Plain),
        }
    }

    fn said(
        &self,
        row: u64,
        line: &IndexedLine,
        entry: &Entry<'_>,
        stories: &[Story],
        room: usize,
    ) -> Styled {
        if let Some(stub) = self.stub_of(row) {
            let mut said = Styled::of(Ink::Folded, "[stub] ");
            said.push(Ink::Plain, visible::excerpt(stub, room.saturating_sub(7)));
            return said;
        }
        match (&entry.what, stories.first()) {
            (What::Message(view), Some(story)) if view.role == Role::Tool => {
                let mut said = self.call(story, None, room * 2 / 3);
                let left = room.saturating_sub(said.width() + 3);
                if left > 8 {
                    said.push(Ink::Dim, " · ");
                    let content = Text::Token(view.content_token()).excerpt(left);
                    said.push(Ink::Plain, content);
                }
                said
            }
            (What::Dispatched(_), Some(story)) => {
                let open = self.overview.open_call(line.number).map(|call| call.state);
                self.call(story, open, room)
            }
            _ => {
                let open = self.overview.open_call(line.number).map(|call| call.state);
                let said = match open {
                    Some(state) => format!(" [{}]", in_words(state)),
                    None => String::new(),
                };
                let room = room.saturating_sub(width::width(&said));
                let ink = match line.kind {
                    Kind::Compaction | Kind::Elision => Ink::Folded,
                    _ => Ink::Plain,
                };
                let mut phrase = Styled::of(ink, entry.phrase(room));
                phrase.push(Ink::Warning, said);
                phrase
            }
        }
    }

    /// `name arguments  completed in 12 ms`
    fn call(&self, story: &Story, open: Option<CallState>, room: usize) -> Styled {
        let end = match open {
            Some(CallState::WasRunning) => match story.dispatched.and_then(|moment| moment.time) {
                Some(since) => format!("no end recorded, begun {}", human::moment(since, self.now)),
                None => in_words(CallState::WasRunning).to_owned(),
            },
            Some(state) => in_words(state).to_owned(),
            None => card::how(story),
        };
        let ink = match open {
            Some(_) => Ink::Warning,
            None if story.state() == State::Completed => Ink::Dim,
            None => story.state().ink(),
        };
        let mut said = Styled::of(Ink::Tool, visible::excerpt(&story.tool, room / 2));
        let left = room.saturating_sub(said.width() + width::width(&end) + 2);
        if left > 4 && !story.arguments.is_empty() {
            said.push(Ink::Plain, " ");
            said.push(Ink::Plain, card::arguments(&story.arguments, left));
        }
        said.push(ink, format!(" {end}"));
        said
    }
}

/// What may honestly be said of a call without a known end.
fn in_words(state: CallState) -> &'static str {
    match state {
        CallState::NeverDispatched => "never dispatched",
        CallState::WasRunning => "no end recorded",
        CallState::FinishedNotSettled => "finished, not settled",
        CallState::Unrecorded => "no answer",
    }
}

fn ink_of(entry: &Entry<'_>) -> Ink {
    match (&entry.what, entry.role()) {
        (_, Some(Role::System)) => Ink::System,
        (_, Some(Role::User)) => Ink::User,
        (_, Some(Role::Assistant)) => Ink::Assistant,
        (_, Some(Role::Tool)) | (What::Dispatched(_) | What::Settled(_), _) => Ink::Tool,
        (What::Compaction(_) | What::Elision(_), _) => Ink::Folded,
        (What::Damaged(_) | What::Faulty(_) | What::Value(_), _) => Ink::Error,
        _ => Ink::Dim,
    }
}

fn ink_of_mark(mark: Mark) -> Ink {
    match mark {
        Mark::Error | Mark::Damaged => Ink::Error,
        Mark::OutcomeUnknown | Mark::Open => Ink::Warning,
        Mark::Folded => Ink::Folded,
    }
}
