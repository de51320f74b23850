//! Stretches of rows around what changed.

use std::ops::Range;

use super::rows::Row;

/// A stretch of rows that holds changes, with the equal rows around them.
///
/// ```
/// use sess::Message;
/// use sess::look::diff::{Counts, Diff, Item};
/// let items = |texts: &[&str]| {
///     let messages: Vec<Message> = texts.iter().map(|text| Message::user(*text)).collect();
///     Item::of_messages(messages.iter().map(|message| (message, "".into(), 1)))
/// };
/// let diff = Diff::between(&items(&["a", "b", "c"]), &items(&["a", "b", "c", "d"]));
/// assert_eq!(diff.counts(), Counts { equal: 3, only_right: 1, ..Counts::default() });
/// let hunk = &diff.hunks(1)[0];
/// assert_eq!((hunk.left.clone(), hunk.right.clone()), (2..3, 2..4));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// The rows.
    pub rows: &'a [Row],
    /// The left items in them. Replacing these by the right ones is what the hunk says.
    pub left: Range<usize>,
    /// The right items in them.
    pub right: Range<usize>,
}

impl<'a> Hunk<'a> {
    /// The hunks of all rows of a comparison, with up to `context` equal rows around each change.
    pub(super) fn of(rows: &'a [Row], context: usize) -> Vec<Self> {
        let (mut row, mut left, mut right) = (0, 0, 0);
        let mut hunks = Vec::new();
        for near in near_changes(rows, Row::is_equal, context) {
            let skipped = near.start - row;
            let rows = rows.get(near.clone()).unwrap_or_default();
            let lefts = rows.iter().filter(|row| row.left().is_some()).count();
            let rights = rows.iter().filter(|row| row.right().is_some()).count();
            // What lies between two hunks is equal, so it counts on both sides.
            left += skipped;
            right += skipped;
            hunks.push(Self {
                rows,
                left: left..left + lefts,
                right: right..right + rights,
            });
            (row, left, right) = (near.end, left + lefts, right + rights);
        }
        hunks
    }
}

/// Ranges that hold every element that is not equal, with up to `context` others on each side.
/// Ranges that would touch are one.
pub(super) fn near_changes<T>(
    elements: &[T],
    is_equal: impl Fn(&T) -> bool,
    context: usize,
) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (index, _) in elements.iter().enumerate().filter(|(_, e)| !is_equal(e)) {
        let start = index.saturating_sub(context);
        let end = index
            .saturating_add(context)
            .saturating_add(1)
            .min(elements.len());
        match ranges.last_mut() {
            Some(last) if start <= last.end => last.end = end,
            _ => ranges.push(start..end),
        }
    }
    ranges
}
