//! One row of a comparison, laid out.
//!
//! Where there is room the sides stand beside each other with a sign between them; where there is
//! not, each line has its sign in front.

use super::state::Compare;
use crate::look::diff::{Body, BodyLine, Difference, Item, Row, Standing, words};
use crate::look::visible;
use crate::look::width;
use crate::message::Role;
use crate::view::action::Side;
use crate::view::body::{Fold, wrapped};
use crate::view::styled::{Ink, Styled};

/// Screens at least this wide show the sides beside each other.
pub const WIDE: usize = 100;
/// Between them: a space, a sign, a space.
pub const BETWEEN: usize = 3;
/// The number of a line, and a space behind it.
pub const NUMBER: usize = 7;
const LABEL: usize = 11;
/// What is inside a row stands this far to the right.
const INDENT: usize = 2;
/// So many lines around a change, and lines of one row, are shown before it is unfolded.
const CONTEXT: usize = 3;
const EXCERPT: usize = 24;
/// So many bytes of one line are laid out.
const LONGEST: usize = 64 * 1024;

impl Compare {
    /// The columns of one side, where they stand beside each other.
    pub(super) fn column(&self) -> Option<usize> {
        (self.columns >= WIDE).then(|| (self.columns - BETWEEN) / 2)
    }

    pub(super) fn lay_out(&self, row: u64) -> Vec<Styled> {
        let Some(kind) = self.row(row) else {
            return vec![Styled::default()];
        };
        let fold = self.fold_of(row);
        let most = match fold {
            Fold::Line => 0,
            Fold::Excerpt => EXCERPT,
            Fold::Full => fold.most_rows(),
        };
        let (left, right) = (self.item(row, Side::Left), self.item(row, Side::Right));
        let mut inside = Inside {
            column: self.column(),
            columns: self.columns,
            most,
            rows: Vec::new(),
        };
        if most > 0 {
            inside.lines(&body(kind, left, right, fold));
        }
        let mut rows = vec![self.summary(kind, left, right)];
        let more = inside.rows.len().saturating_sub(most);
        inside.rows.truncate(most);
        rows.append(&mut inside.rows);
        if more > 0 {
            rows.push(Styled::of(Ink::Dim, "    … l shows all of it"));
        }
        rows
    }

    fn summary(&self, row: &Row, left: Option<&Item>, right: Option<&Item>) -> Styled {
        let (sign, ink) = sign_of(row);
        if let Some(column) = self.column() {
            let cell = |item: Option<&Item>| {
                let mut cell = Styled::of(Ink::Dim, number(item));
                cell.push(Ink::Plain, " ");
                if let Some(item) = item {
                    cell.append(said(item, column.saturating_sub(NUMBER + 1)));
                }
                cell
            };
            return beside(cell(left), (sign, ink), cell(right), column);
        }
        let mut summary = Styled::of(Ink::Dim, number(left) + &number(right));
        summary.push(ink, format!(" {sign} "));
        let room = self.columns.saturating_sub(summary.width());
        match (row, left, right) {
            (Row::Changed { .. }, Some(left), Some(right)) => {
                summary.push(ink_of(left), label(left));
                summary.push(Ink::Warning, fields(left, right));
            }
            _ => {
                let item = left.or(right).map(|item| said(item, room));
                summary.append(item.unwrap_or_default());
            }
        }
        summary.fitted(self.columns)
    }
}

/// What a row says inside.
fn body(row: &Row, left: Option<&Item>, right: Option<&Item>, fold: Fold) -> Vec<BodyLine> {
    let context = match fold {
        Fold::Full => usize::MAX,
        _ => CONTEXT,
    };
    match (row, left, right) {
        (Row::Changed { .. }, Some(left), Some(right)) => Body::of_change(left, right, context),
        (Row::OnlyLeft { .. }, Some(left), _) => Body::of_one(left, Standing::Left),
        (Row::OnlyRight { .. }, _, Some(right)) => Body::of_one(right, Standing::Right),
        (_, Some(both), _) => Body::of_one(both, Standing::Both),
        _ => Vec::new(),
    }
}

fn number(item: Option<&Item>) -> String {
    let number = item.map(|item| item.line.to_string());
    width::pad_left(&number.unwrap_or_default(), NUMBER)
}

fn label(item: &Item) -> String {
    let label = visible::excerpt(words::kind(&item.kind), LABEL - 1);
    width::pad(&label, LABEL)
}

/// Who, and the beginning of what.
fn said(item: &Item, columns: usize) -> Styled {
    let mut said = Styled::of(ink_of(item), label(item));
    let tools: Vec<&str> = item.calls.iter().map(|call| call.name.as_str()).collect();
    let tools = match (tools.is_empty(), &item.answers) {
        (false, _) => format!(" → {}", tools.join(", ")),
        (true, Some(tool)) => format!(" ← {tool}"),
        (true, None) => String::new(),
    };
    let room = columns.saturating_sub(LABEL);
    let tools = visible::excerpt(&tools, room / 2);
    let text = item.content.trim_start();
    let left = room.saturating_sub(width::width(&tools));
    said.push(Ink::Plain, visible::excerpt(text, left));
    said.push(Ink::Tool, tools);
    said
}

/// In what two versions differ, in words.
fn fields(left: &Item, right: &Item) -> String {
    let fields = Difference::between(left, right);
    let fields: Vec<String> = fields.iter().map(words::field).collect();
    visible::one_line(&fields.join("; ")).into_owned()
}

fn ink_of(item: &Item) -> Ink {
    use crate::look::diff::Kind;
    match item.kind {
        Kind::Message(Role::System) => Ink::System,
        Kind::Message(Role::User) => Ink::User,
        Kind::Message(Role::Assistant) => Ink::Assistant,
        Kind::Message(Role::Tool) => Ink::Tool,
        Kind::Compaction | Kind::Elision => Ink::Folded,
        Kind::Other(_) => Ink::Dim,
    }
}

/// The signs are those of `sess diff`.
fn sign_of(row: &Row) -> (char, Ink) {
    match row {
        Row::Equal { .. } => (' ', Ink::Plain),
        Row::Changed { .. } => ('~', Ink::Warning),
        Row::OnlyLeft { .. } => ('-', Ink::Removed),
        Row::OnlyRight { .. } => ('+', Ink::Added),
    }
}

fn beside(left: Styled, (sign, ink): (char, Ink), right: Styled, column: usize) -> Styled {
    let mut row = left.fitted(column);
    let gap = column.saturating_sub(row.width());
    row.push(Ink::Plain, " ".repeat(gap));
    row.push(ink, format!(" {sign} "));
    row.append(right.fitted(column));
    row
}

/// The lines inside a row, as many as are asked for and few more.
struct Inside {
    column: Option<usize>,
    columns: usize,
    most: usize,
    rows: Vec<Styled>,
}

impl Inside {
    fn lines(&mut self, lines: &[BodyLine]) {
        let mut rest = lines;
        while self.rows.len() <= self.most
            && let Some((first, behind)) = rest.split_first()
        {
            rest = match (first, self.column) {
                (BodyLine::Gap(count), _) => {
                    self.gap(*count);
                    behind
                }
                (BodyLine::Text { standing, pieces }, None) => {
                    self.stacked(*standing, pieces);
                    behind
                }
                (BodyLine::Text { .. }, Some(column)) => self.pair(rest, column),
            };
        }
    }

    fn gap(&mut self, count: usize) {
        let gap = " ".repeat(INDENT + 2) + &words::gap(count);
        self.rows.push(Styled::of(Ink::Dim, gap));
    }

    fn stacked(&mut self, standing: Standing, pieces: &[(bool, String)]) {
        let (sign, ink) = match standing {
            Standing::Both => (' ', Ink::Dim),
            Standing::Left => ('-', Ink::Removed),
            Standing::Right => ('+', Ink::Added),
        };
        let room = self.columns.saturating_sub(INDENT + 2).max(8);
        for line in wrapped(styled(standing, pieces), room) {
            let mut row = Styled::of(Ink::Plain, " ".repeat(INDENT));
            row.push(ink, format!("{sign} ")).append(line);
            self.rows.push(row);
        }
    }

    /// A line of both sides, or a run of left lines beside the right lines that follow it.
    fn pair<'l>(&mut self, lines: &'l [BodyLine], column: usize) -> &'l [BodyLine] {
        let room = column.saturating_sub(INDENT);
        let run = |from: usize, wanted: Standing| {
            let is_wanted = |line: &&BodyLine| matches!(line, BodyLine::Text { standing, .. } if *standing == wanted);
            let run = lines.iter().skip(from).take_while(is_wanted);
            run.count()
        };
        if let Some(BodyLine::Text {
            standing: Standing::Both,
            pieces,
        }) = lines.first()
        {
            for line in wrapped(styled(Standing::Both, pieces), room) {
                let (left, right) = (indented(line.clone()), indented(line));
                self.rows
                    .push(beside(left, (' ', Ink::Plain), right, column));
            }
            return lines.get(1..).unwrap_or_default();
        }
        let lefts = run(0, Standing::Left);
        let rights = run(lefts, Standing::Right);
        let laid = |from: usize, count: usize| -> Vec<Styled> {
            let lines = lines.iter().skip(from).take(count.min(self.most + 1));
            let rows = lines.flat_map(|line| match line {
                BodyLine::Text { standing, pieces } => wrapped(styled(*standing, pieces), room),
                BodyLine::Gap(_) => Vec::new(),
            });
            rows.take(self.most + 1).collect()
        };
        let (left, right) = (laid(0, lefts), laid(lefts, rights));
        for place in 0..left.len().max(right.len()) {
            let (left, right) = (left.get(place).cloned(), right.get(place).cloned());
            let sign = match (&left, &right) {
                (Some(_), Some(_)) => ('~', Ink::Warning),
                (Some(_), None) => ('-', Ink::Removed),
                _ => ('+', Ink::Added),
            };
            let (left, right) = (left.unwrap_or_default(), right.unwrap_or_default());
            self.rows
                .push(beside(indented(left), sign, indented(right), column));
        }
        lines.get(lefts + rights..).unwrap_or_default()
    }
}

fn indented(line: Styled) -> Styled {
    let mut row = Styled::of(Ink::Plain, " ".repeat(INDENT));
    row.append(line);
    row
}

fn styled(standing: Standing, pieces: &[(bool, String)]) -> Styled {
    let mut row = Styled::default();
    for (is_word, text) in pieces {
        let ink = match (standing, is_word) {
            (Standing::Both, _) => Ink::Plain,
            (Standing::Left, false) => Ink::Removed,
            (Standing::Left, true) => Ink::RemovedWord,
            (Standing::Right, false) => Ink::Added,
            (Standing::Right, true) => Ink::AddedWord,
        };
        let head = &text[..text.floor_char_boundary(LONGEST)];
        row.push(ink, visible::lines(head).into_owned());
        if head.len() < text.len() {
            row.push(Ink::Dim, width::ELLIPSIS);
        }
    }
    row
}
