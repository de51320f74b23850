//! A row of the list laid out: its summary line, and what is unfolded below it.

use super::app::App;
use super::body::{Fold, Rest, body};
use super::card;
use super::links::{Links, Moment, Story};
use super::styled::{Ink, Styled};
use crate::look::entry::{Entries, Entry, Mark, Text, What};
use crate::look::human;
use crate::look::index::{IndexedLine, Kind};
use crate::look::visible;
use crate::look::width;
use crate::message::Role;
use crate::session::envelope::Verdict;
use crate::session::operations::CallState;

/// What stands in front of the label: number, glyph.
const GUTTER: usize = 11;
const LABEL: usize = 11;
/// The body stands this far to the right.
const INDENT: usize = 4;
/// Times are shown on screens at least this wide.
const WIDE: usize = 100;

impl App {
    /// The lines of a row. The first is its summary.
    pub(super) fn laid_out_line(&mut self, row: u64) -> &[Styled] {
        if !self.laid.has(row) {
            let lines = self.lay_out(row);
            self.laid.keep(row, lines);
        }
        self.laid.lines(row)
    }

    fn lay_out(&mut self, row: u64) -> Vec<Styled> {
        let Some(line) = self.line_of(row) else {
            return vec![Styled::of(Ink::Dim, "(not there any more)")];
        };
        let bytes = match self.file.read(&line) {
            Ok(bytes) => bytes,
            Err(error) => return vec![Styled::of(Ink::Error, error.to_string())],
        };
        let read = line.with(&bytes);
        let Some(mut entry) = Entries::of_writer(true).entry(read, &Verdict::of(&bytes)) else {
            return vec![Styled::default()];
        };
        self.link(line.offset);
        let stories = self.stories(line.offset);
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

    /// The calls that a line is about, with what the whole file says of them.
    fn stories(&self, offset: u64) -> Vec<Story> {
        let number = |moment: Option<Moment>| {
            let line = moment.and_then(|moment| self.file.line(moment.offset));
            line.map_or(0, |line| line.number)
        };
        let stories = self.links.of(offset).cloned().map(|mut story| {
            let lines = [number(story.asked), number(story.dispatched)];
            story.open = self.overview.state_of(&lines, &story.call_id);
            story.is_live = self.overview.is_recent(self.now);
            let since = story.dispatched.and_then(|moment| moment.time);
            if story.is_live && story.open == Some(CallState::WasRunning) {
                let so_far = since.map(|since| self.now.signed_duration_since(since));
                story.runs_for = so_far.map(|so_far| so_far.to_std().unwrap_or_default());
            }
            story
        });
        stories.collect()
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
                // What the answer says stands in its own row, settled or not.
                let answered = Story {
                    open: None,
                    ..story.clone()
                };
                let mut said = self.call(&answered, room * 2 / 3);
                let left = room.saturating_sub(said.width() + 3);
                if left > 8 {
                    said.push(Ink::Dim, " · ");
                    let content = Text::Token(view.content_token()).excerpt(left);
                    said.push(Ink::Plain, content);
                }
                said
            }
            (What::Dispatched(_), Some(story)) => self.call(story, room),
            _ => {
                let open = self.overview.open_call(line.number).map(|call| call.state);
                let said = match open {
                    Some(state) => {
                        let is_live = self.overview.is_recent(self.now);
                        format!(" [{}]", card::in_words(state, is_live))
                    }
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

    /// `name arguments completed in 12 ms`
    fn call(&self, story: &Story, room: usize) -> Styled {
        let end = match (story.open, story.dispatched.and_then(|moment| moment.time)) {
            (Some(CallState::WasRunning), Some(since)) if !story.is_live => {
                format!("no end recorded, begun {}", human::moment(since, self.now))
            }
            _ => card::how(story),
        };
        let ink = match card::sign(story) {
            (_, Ink::Good) => Ink::Dim,
            (_, ink) => ink,
        };
        let mut said = Styled::of(Ink::Tool, visible::excerpt(&story.tool, room / 2));
        let left = room.saturating_sub(said.width() + width::width(&end) + 2);
        said.append(card::arguments(story, left));
        said.push(ink, format!(" {end}"));
        said
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
