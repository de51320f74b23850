//! The comparison of two lists of items.

use super::align::{Stretch, align, common_ends};
use super::difference::Difference;
use super::hunk::Hunk;
use super::item::Item;
use super::pair::pairs;

/// How two lists of items compare.
///
/// ```
/// use sess::Message;
/// use sess::look::diff::{Diff, Difference, Item, Row};
/// let items = |answer: &str| {
///     let messages = [Message::user("Which one?"), Message::assistant(answer)];
///     Item::of_messages(messages.iter().map(|message| (message, "".into(), 1)))
/// };
/// let diff = Diff::between(&items("The first."), &items("The last."));
/// assert_eq!(diff.rows()[1], Row::Changed { left: 1, right: 1 });
/// let divergence = diff.first_divergence().unwrap();
/// assert_eq!(divergence.differences[0].to_string(), "content");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    rows: Vec<Row>,
    first_divergence: Option<Divergence>,
}

/// One row of a comparison, with indexes into the two lists. Reading the `left` of all rows counts
/// up the left list, and so does the `right`.
///
/// ```
/// use sess::Message;
/// use sess::look::diff::{Diff, Item, Row};
/// let item = |text: &str| Item::of_message(&Message::user(text), "m".into(), 2);
/// let diff = Diff::between(&[item("a")], &[item("a"), item("b")]);
/// assert_eq!(diff.rows(), [Row::Equal { left: 0, right: 0 }, Row::OnlyRight { right: 1 }]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// The two agree.
    Equal {
        /// Index of the left item.
        left: usize,
        /// Index of the right item.
        right: usize,
    },
    /// The two are versions of each other.
    Changed {
        /// Index of the left item.
        left: usize,
        /// Index of the right item.
        right: usize,
    },
    /// Nothing right goes with this one.
    OnlyLeft {
        /// Index of the left item.
        left: usize,
    },
    /// Nothing left goes with this one.
    OnlyRight {
        /// Index of the right item.
        right: usize,
    },
}

/// Where two lists part.
///
/// ```
/// use sess::Message;
/// use sess::look::diff::{Diff, Divergence, Item};
/// let item = |text: &str| Item::of_message(&Message::user(text), "m".into(), 2);
/// let diff = Diff::between(&[item("a")], &[item("a"), item("b")]);
/// let longer = Divergence { left: None, right: Some(1), differences: vec![] };
/// assert_eq!(diff.first_divergence(), Some(&longer));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Index of the left item; absent when the right side has one in between, or goes on longer.
    pub left: Option<usize>,
    /// Index of the right item.
    pub right: Option<usize>,
    /// In what the two differ, in the order of [`Difference::between`]; empty when there is one
    /// item only.
    pub differences: Vec<Difference>,
}

/// How many rows of each sort there are.
///
/// ```
/// use sess::Message;
/// use sess::look::diff::{Counts, Diff, Item};
/// let item = |text: &str| Item::of_message(&Message::user(text), "m".into(), 2);
/// let diff = Diff::between(&[item("a"), item("b")], &[item("a")]);
/// assert_eq!(diff.counts(), Counts { equal: 1, only_left: 1, ..Counts::default() });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows that agree.
    pub equal: usize,
    /// Rows with two versions.
    pub changed: usize,
    /// Rows without a right item.
    pub only_left: usize,
    /// Rows without a left item.
    pub only_right: usize,
}

impl Diff {
    /// Compares two lists.
    ///
    /// Time is proportional to their texts and, in the worst case, to a bounded power of their
    /// lengths: ten thousand items against ten thousand take a fraction of a second.
    pub fn between(left: &[Item], right: &[Item]) -> Self {
        let (front, back) = common_ends(left, right, Item::agrees_with);
        let inner_left = left.get(front..left.len() - back).unwrap_or_default();
        let inner_right = right.get(front..right.len() - back).unwrap_or_default();

        let mut rows = Rows::default();
        rows.equal(front);
        let keys = (
            inner_left.iter().map(Item::key),
            inner_right.iter().map(Item::key),
        );
        for stretch in align(keys.0, keys.1) {
            match stretch {
                Stretch::Same { left, .. } => rows.equal(left.len()),
                Stretch::Apart { left, right } => rows.apart(
                    inner_left.get(left).unwrap_or_default(),
                    inner_right.get(right).unwrap_or_default(),
                ),
            }
        }
        rows.equal(back);
        Self {
            first_divergence: first_divergence(&rows.rows, left, right),
            rows: rows.rows,
        }
    }

    /// Whether all items agree.
    pub fn same(&self) -> bool {
        self.first_divergence.is_none()
    }

    /// Where the lists part, if they do.
    pub fn first_divergence(&self) -> Option<&Divergence> {
        self.first_divergence.as_ref()
    }

    /// All rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The rows that differ, with up to `context` equal rows around them.
    pub fn hunks(&self, context: usize) -> Vec<Hunk<'_>> {
        Hunk::of(&self.rows, context)
    }

    /// How many rows of each sort there are.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.rows.iter().for_each(|row| counts.add(row));
        counts
    }
}

impl Counts {
    /// Counts one more row.
    pub fn add(&mut self, row: &Row) {
        match row {
            Row::Equal { .. } => self.equal += 1,
            Row::Changed { .. } => self.changed += 1,
            Row::OnlyLeft { .. } => self.only_left += 1,
            Row::OnlyRight { .. } => self.only_right += 1,
        }
    }
}

impl Row {
    /// Whether the two sides agree.
    pub fn is_equal(&self) -> bool {
        matches!(self, Row::Equal { .. })
    }

    /// Index of the left item.
    pub fn left(&self) -> Option<usize> {
        match *self {
            Row::Equal { left, .. } | Row::Changed { left, .. } | Row::OnlyLeft { left } => {
                Some(left)
            }
            Row::OnlyRight { .. } => None,
        }
    }

    /// Index of the right item.
    pub fn right(&self) -> Option<usize> {
        match *self {
            Row::Equal { right, .. } | Row::Changed { right, .. } | Row::OnlyRight { right } => {
                Some(right)
            }
            Row::OnlyLeft { .. } => None,
        }
    }
}

/// Rows in the making: each call takes the next items of either side.
#[derive(Default)]
struct Rows {
    rows: Vec<Row>,
    left: usize,
    right: usize,
}

impl Rows {
    fn equal(&mut self, count: usize) {
        for _ in 0..count {
            let (left, right) = (self.left, self.right);
            self.rows.push(Row::Equal { left, right });
            (self.left, self.right) = (left + 1, right + 1);
        }
    }

    /// Items of which none agree.
    fn apart(&mut self, left: &[Item], right: &[Item]) {
        let (first_left, first_right) = (self.left, self.right);
        for (i, j) in pairs(left, right) {
            let (left, right) = (first_left + i, first_right + j);
            self.alone(left, right);
            self.rows.push(Row::Changed { left, right });
            (self.left, self.right) = (left + 1, right + 1);
        }
        self.alone(first_left + left.len(), first_right + right.len());
    }

    /// What stands before these two goes with nothing.
    fn alone(&mut self, left: usize, right: usize) {
        let lefts = (self.left..left).map(|left| Row::OnlyLeft { left });
        let rights = (self.right..right).map(|right| Row::OnlyRight { right });
        self.rows.extend(lefts.chain(rights));
        (self.left, self.right) = (left, right);
    }
}

/// The first row that is not equal. A left item without a partner, with a right one beside it,
/// makes one divergence of the two.
fn first_divergence(rows: &[Row], left: &[Item], right: &[Item]) -> Option<Divergence> {
    let mut apart = rows.iter().skip_while(|row| row.is_equal());
    let first = apart.next()?;
    let mut beside = || apart.find(|row| !matches!(row, Row::OnlyLeft { .. }));
    let (l, r) = match *first {
        Row::OnlyLeft { left } => match beside() {
            Some(Row::OnlyRight { right }) => (Some(left), Some(*right)),
            _ => (Some(left), None),
        },
        row => (row.left(), row.right()),
    };
    let items = l
        .and_then(|l| left.get(l))
        .zip(r.and_then(|r| right.get(r)));
    Some(Divergence {
        left: l,
        right: r,
        differences: items.map_or_else(Vec::new, |(left, right)| Difference::between(left, right)),
    })
}
