//! The state of a comparison: actions in, rows out.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::look::diff::{Diff, Item, Row, words};
use crate::view::action::{Action, Effect, Side};
use crate::view::body::Fold;
use crate::view::keys;
use crate::view::laid::Laid;
use crate::view::outside::harmless;
use crate::view::popup::{Popup, help};
use crate::view::scroll::{Scroll, Stand};
use crate::view::styled::Styled;

/// Rows that are the same are shown this far around a difference, when the others are hidden.
const CONTEXT: usize = 3;

/// One of the two transcripts.
///
/// ```
/// use sess::Message;
/// use sess::look::diff::Item;
/// use sess::view::Compared;
/// let side = Compared {
///     path: "runs/a.jsonl".into(),
///     name: "a.jsonl".into(),
///     items: vec![Item::of_message(&Message::user("Hi"), "m".into(), 2)],
///     skipped: 0,
/// };
/// assert_eq!(side.items[0].line, 2);
/// ```
#[derive(Clone, Debug)]
pub struct Compared {
    /// Where its bytes are.
    pub path: PathBuf,
    /// What it is called: the path as typed.
    pub name: PathBuf,
    /// What is compared, in order.
    pub items: Vec<Item>,
    /// How many lines were skipped, because they are damaged.
    pub skipped: usize,
}

/// Everything the screen shows.
///
/// ```
/// use sess::Message;
/// use sess::look::diff::Item;
/// use sess::view::{Compare, Compared};
/// let side = |name: &str, text: &str| Compared {
///     path: name.into(),
///     name: name.into(),
///     items: vec![Item::of_message(&Message::user(text), "m".into(), 2)],
///     skipped: 0,
/// };
/// assert!(Compare::of(side("a", "Hi"), side("b", "Hi")).is_same());
/// assert!(!Compare::of(side("a", "Hi"), side("b", "Ho")).is_same());
/// ```
#[derive(Debug)]
pub struct Compare {
    pub(super) left: Compared,
    pub(super) right: Compared,
    pub(super) diff: Diff,
    /// Rows worth a stop: versions of one message, and where messages of one side begin.
    pub(super) stops: Vec<u64>,
    /// The rows that are there, in order, by their place in the comparison.
    pub(super) shown: Vec<u64>,
    pub(super) all: bool,
    pub(super) columns: usize,
    pub(super) stand: Stand,
    pub(super) fold: Option<Fold>,
    pub(super) folds: HashMap<u64, Fold>,
    pub(super) popup: Option<Popup>,
    pub(super) status: String,
    laid: Laid,
}

impl Compare {
    /// Compares two transcripts. The first difference is shown, on a screen of no size.
    pub fn of(left: Compared, right: Compared) -> Self {
        let diff = Diff::between(&left.items, &right.items);
        let stops = stops(diff.rows());
        Self {
            shown: (0..diff.rows().len() as u64).collect(),
            stand: Stand {
                cursor: stops.first().copied().unwrap_or(0),
                height: 1,
                ..Stand::default()
            },
            left,
            right,
            diff,
            stops,
            all: true,
            columns: 0,
            fold: None,
            folds: HashMap::new(),
            popup: None,
            status: String::new(),
            laid: Laid::default(),
        }
    }

    /// Whether the two say the same.
    pub fn is_same(&self) -> bool {
        self.diff.same()
    }

    /// Does what is asked for.
    pub fn perform(&mut self, action: Action) -> Effect {
        self.status.clear();
        if self.popup.is_some() {
            return self.in_popup(action);
        }
        match action {
            Action::Quit => return Effect::Quit,
            Action::Suspend => return Effect::Suspend,
            Action::Redraw => return Effect::Redraw,
            Action::Mouse => return Effect::Mouse,
            Action::OpenSide(side) => return self.open(side),
            Action::CopySide(side) => return self.text(side, Effect::Copy),
            Action::PagerSide(side) => return self.text(side, Effect::Pager),
            Action::Help => self.help(),
            Action::ToggleSame => self.toggle_same(),
            Action::CycleFold => self.set_fold(self.fold_of(self.stand.cursor).next()),
            Action::Unfold => self.set_fold(Fold::Full),
            Action::FoldUp => self.set_fold(Fold::Line),
            Action::FoldAll(fold) => self.fold_all(fold),
            Action::Next(_) => self.stop(true),
            Action::Previous(_) => self.stop(false),
            Action::First => self.put(self.shown.first().copied().unwrap_or(0)),
            Action::Last => self.put(self.shown.last().copied().unwrap_or(0)),
            moving => self.step(moving),
        }
        Effect::None
    }

    fn in_popup(&mut self, action: Action) -> Effect {
        let height = self.stand.height;
        let popup = self.popup.as_mut();
        if popup.is_some_and(|popup| popup.moves(action, height)) {
            return Effect::None;
        }
        match action {
            Action::Suspend => return Effect::Suspend,
            Action::Redraw => return Effect::Redraw,
            Action::Mouse => return Effect::Mouse,
            _ => self.popup = None,
        }
        Effect::None
    }

    fn help(&mut self) {
        const WORDS: [&str; 2] = [
            "left  right: numbers of lines; ~ two versions, - left only, + right only",
            "ids and times do not count, unless --strict was given",
        ];
        self.popup = Some(Popup {
            opened_by: Action::Help,
            title: "keys",
            rows: help(keys::COMPARING, &WORDS, self.columns),
            above: 0,
        });
    }

    /// How much of a row is shown: at first, of what differs its changes.
    pub(super) fn fold_of(&self, row: u64) -> Fold {
        let own = self.folds.get(&row).copied().or(self.fold);
        own.unwrap_or_else(|| match self.row(row) {
            Some(row) if !row.is_equal() => Fold::Excerpt,
            _ => Fold::Line,
        })
    }

    fn set_fold(&mut self, fold: Fold) {
        self.folds.insert(self.stand.cursor, fold);
        self.laid.remove(self.stand.cursor);
        self.keep_cursor_in_sight();
    }

    fn fold_all(&mut self, fold: Fold) {
        self.fold = Some(fold);
        self.folds.clear();
        self.lay_anew();
        self.status = format!("all rows: {}", fold.as_str());
    }

    /// What was laid out does not hold any more.
    pub(super) fn lay_anew(&mut self) {
        self.laid.clear();
        self.show(self.stand.cursor);
    }

    fn toggle_same(&mut self) {
        self.all = !self.all;
        let rows = self.diff.rows();
        self.shown = match self.all {
            true => (0..rows.len() as u64).collect(),
            false => near(rows, CONTEXT),
        };
        self.status = match self.all {
            true => "all rows are shown".to_owned(),
            false => "rows that are the same are hidden".to_owned(),
        };
        let place = self.shown.partition_point(|row| *row < self.stand.cursor);
        let nearest = self.shown.get(place).or(self.shown.last()).copied();
        self.stand.cursor = nearest.unwrap_or(0);
        let cursor = self.stand.cursor;
        self.show_at_bottom(cursor);
    }

    fn stop(&mut self, forward: bool) {
        let here = self.stand.cursor;
        let found = match forward {
            true => self.stops.iter().find(|stop| **stop > here),
            false => self.stops.iter().rfind(|stop| **stop < here),
        };
        match found.copied() {
            Some(row) => self.show(row),
            None if self.stops.is_empty() => self.status = "no difference".to_owned(),
            None if forward => self.status = "no further difference".to_owned(),
            None => self.status = "no difference before this".to_owned(),
        }
    }

    /// Puts the cursor on a row, with some of what stands before it.
    pub(super) fn show(&mut self, row: u64) {
        self.put(row);
        self.show_at_top(row, 0);
        let before = self.stand.height / 4;
        self.scroll(-isize::try_from(before).unwrap_or(0));
        self.keep_cursor_in_sight();
    }

    /// The item of a row on one side.
    pub(super) fn item(&self, row: u64, side: Side) -> Option<&Item> {
        let row = self.row(row)?;
        match side {
            Side::Left => self.left.items.get(row.left()?),
            Side::Right => self.right.items.get(row.right()?),
        }
    }

    pub(super) fn row(&self, row: u64) -> Option<&Row> {
        self.diff.rows().get(usize::try_from(row).ok()?)
    }

    fn open(&mut self, side: Side) -> Effect {
        let path = match side {
            Side::Left => self.left.path.clone(),
            Side::Right => self.right.path.clone(),
        };
        match self.item(self.stand.cursor, side) {
            Some(item) => Effect::Open {
                path,
                line: item.line,
            },
            None => self.nothing_there(),
        }
    }

    fn text(&mut self, side: Side, effect: impl FnOnce(String) -> Effect) -> Effect {
        let Some(item) = self.item(self.stand.cursor, side) else {
            return self.nothing_there();
        };
        let calls = item
            .calls
            .iter()
            .map(|call| format!("{}\n{}", call.name, words::arguments(call)));
        let texts = std::iter::once(item.content.clone()).chain(calls);
        let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
        effect(harmless(&(texts.join("\n\n") + "\n")))
    }

    fn nothing_there(&mut self) -> Effect {
        self.status = "there is nothing on that side".to_owned();
        Effect::None
    }

    /// A click on a line of the list: the cursor goes there, a second one opens the row.
    pub(super) fn click(&mut self, line: usize) {
        if self.popup.take().is_some() || line >= self.stand.height {
            return;
        }
        let row = self.row_at(line);
        if row == self.stand.cursor {
            self.set_fold(self.fold_of(row).next());
        }
        self.put(row);
    }
}

impl Scroll for Compare {
    fn stand(&mut self) -> &mut Stand {
        &mut self.stand
    }

    fn laid_out(&mut self, row: u64) -> &[Styled] {
        if !self.laid.has(row) {
            let lines = self.lay_out(row);
            self.laid.keep(row, lines);
        }
        self.laid.lines(row)
    }

    fn row_after(&self, row: u64) -> Option<u64> {
        let place = self.shown.partition_point(|shown| *shown <= row);
        self.shown.get(place).copied()
    }

    fn row_before(&mut self, row: u64) -> Option<u64> {
        let place = self.shown.partition_point(|shown| *shown < row);
        self.shown.get(place.checked_sub(1)?).copied()
    }
}

fn stops(rows: &[Row]) -> Vec<u64> {
    let before = std::iter::once(None).chain(rows.iter().map(Some));
    let is_stop = |(before, row): (Option<&Row>, &Row)| match row {
        Row::Equal { .. } => false,
        Row::Changed { .. } => true,
        _ => before.is_none_or(|before| matches!(before, Row::Equal { .. } | Row::Changed { .. })),
    };
    let stops = before.zip(rows).map(is_stop);
    let stops = (0..).zip(stops).filter(|(_, is_stop)| *is_stop);
    stops.map(|(row, _)| row).collect()
}

/// The rows that differ, with some others around them.
fn near(rows: &[Row], context: usize) -> Vec<u64> {
    let is_near = |place: &usize| {
        let from = place.saturating_sub(context);
        let around = rows.get(from..rows.len().min(place + context + 1));
        around.is_some_and(|around| around.iter().any(|row| !row.is_equal()))
    };
    let near = (0..rows.len()).filter(is_near);
    near.map(|place| place as u64).collect()
}
