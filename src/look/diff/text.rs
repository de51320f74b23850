//! How two texts differ, line by line and word by word.

use std::ops::Range;

use similar::{DiffOp, TextDiff};

use super::align::{Stretch, align, common_ends};
use super::difference::common_prefix;
use super::hunk::near_changes;

/// Changed lines up to this many bytes, both sides together, are compared word by word. Of longer
/// ones, a line against a line is compared from both ends, and several lines not at all.
const WORD_BY_WORD: usize = 8 * 1024;
/// Texts up to this many lines between their common beginning and end, both sides together, are
/// aligned. Of longer ones, all that lies between counts as changed.
const LINE_BY_LINE: usize = 40_000;

/// The lines of two texts, aligned.
///
/// Emphasis falls on the words that differ between changed lines which have more in common than
/// not. Where a text is large, all of this is coarser, so that no text takes long: a changed line of
/// many kilobytes has one emphasised part, from its first difference to its last, and between
/// tens of thousands of lines no common ones are looked for.
///
/// ```
/// use sess::look::diff::{Standing, TextChange};
/// let change = TextChange::between("one\ntwo\n", "one\n2\n");
/// let standings: Vec<Standing> = change.lines.iter().map(|line| line.standing).collect();
/// assert_eq!(standings, [Standing::Both, Standing::Left, Standing::Right]);
/// assert_eq!(change.lines[1].segments[0].text, "two");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextChange<'a> {
    /// All lines; of changed ones, the left before the right.
    pub lines: Vec<LineChange<'a>>,
}

/// One line of two texts.
///
/// ```
/// use sess::look::diff::{Standing, TextChange};
/// let change = TextChange::between("one\n", "one\ntwo");
/// let added = &change.lines[1];
/// assert_eq!((added.standing, added.left, added.right), (Standing::Right, None, Some(2)));
/// assert!(!added.newline);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineChange<'a> {
    /// Which text has it.
    pub standing: Standing,
    /// Its number left, from 1.
    pub left: Option<usize>,
    /// Its number right, from 1.
    pub right: Option<usize>,
    /// Its text in pieces, without its newline.
    pub segments: Vec<Segment<'a>>,
    /// Whether a newline ends it. Only the last line of a text may have none.
    pub newline: bool,
}

/// Which text a line stands in.
///
/// ```
/// use sess::look::diff::{Standing, TextChange};
/// let change = TextChange::between("one\n", "one\ntwo\n");
/// assert_eq!(change.lines[0].standing, Standing::Both);
/// assert_eq!(change.lines[1].standing, Standing::Right);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Both.
    Both,
    /// The left one.
    Left,
    /// The right one.
    Right,
}

/// A piece of a line.
///
/// ```
/// use sess::look::diff::{Segment, TextChange};
/// let change = TextChange::between("read the first line of it", "read the last line of it");
/// let emphasised = Segment { text: "first", emphasised: true };
/// assert!(change.lines[0].segments.contains(&emphasised));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    /// Its text.
    pub text: &'a str,
    /// Whether this is what makes the line different.
    pub emphasised: bool,
}

impl<'a> TextChange<'a> {
    /// Compares two texts.
    pub fn between(left: &'a str, right: &'a str) -> Self {
        let (lefts, rights) = (split(left), split(right));
        let mut lines = Vec::new();
        for stretch in stretches(&lefts, &rights) {
            match stretch {
                Stretch::Same { left, right } => {
                    for (left, right) in left.zip(right) {
                        let text = lefts.get(left).copied().unwrap_or_default();
                        lines.push(LineChange::new(Some(left), Some(right), text, plain(text)));
                    }
                }
                Stretch::Apart { left, right } => {
                    let old = lefts.get(left.clone()).unwrap_or_default();
                    let new = rights.get(right.clone()).unwrap_or_default();
                    let (old_segments, new_segments) = segments(old, new);
                    for ((index, text), segments) in left.zip(old).zip(old_segments) {
                        lines.push(LineChange::new(Some(index), None, text, segments));
                    }
                    for ((index, text), segments) in right.zip(new).zip(new_segments) {
                        lines.push(LineChange::new(None, Some(index), text, segments));
                    }
                }
            }
        }
        Self { lines }
    }

    /// The lines that differ, with up to `context` common lines around them.
    pub fn hunks(&self, context: usize) -> Vec<&[LineChange<'a>]> {
        let both = |line: &LineChange<'_>| line.standing == Standing::Both;
        near_changes(&self.lines, both, context)
            .into_iter()
            .filter_map(|range| self.lines.get(range))
            .collect()
    }
}

impl<'a> LineChange<'a> {
    /// A line with these indexes, from 0.
    fn new(
        left: Option<usize>,
        right: Option<usize>,
        text: &str,
        segments: Vec<Segment<'a>>,
    ) -> Self {
        Self {
            standing: match (left, right) {
                (Some(_), None) => Standing::Left,
                (None, Some(_)) => Standing::Right,
                _ => Standing::Both,
            },
            left: left.map(|index| index + 1),
            right: right.map(|index| index + 1),
            segments,
            newline: text.ends_with('\n'),
        }
    }
}

fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn without_newline(line: &str) -> &str {
    line.strip_suffix('\n').unwrap_or(line)
}

fn stretches(left: &[&str], right: &[&str]) -> Vec<Stretch> {
    let (front, back) = common_ends(left, right, |left, right| left == right);
    let (left_end, right_end) = (left.len() - back, right.len() - back);
    if (left_end - front) + (right_end - front) <= LINE_BY_LINE {
        return align(left.iter(), right.iter());
    }
    vec![
        Stretch::Same {
            left: 0..front,
            right: 0..front,
        },
        Stretch::Apart {
            left: front..left_end,
            right: front..right_end,
        },
        Stretch::Same {
            left: left_end..left.len(),
            right: right_end..right.len(),
        },
    ]
}

/// The segments of each line of a run that differs.
type Segments<'a> = Vec<Vec<Segment<'a>>>;

fn segments<'a>(old: &[&'a str], new: &[&'a str]) -> (Segments<'a>, Segments<'a>) {
    let bytes: usize = old.iter().chain(new).map(|line| line.len()).sum();
    match (old, new) {
        ([], _) | (_, []) => {}
        _ if bytes <= WORD_BY_WORD => return words(old, new),
        ([old], [new]) => {
            let (old, new) = from_both_ends(old, new);
            return (vec![old], vec![new]);
        }
        _ => {}
    }
    let all_plain = |lines: &[&'a str]| lines.iter().map(|line| plain(line)).collect();
    (all_plain(old), all_plain(new))
}

fn plain(line: &str) -> Vec<Segment<'_>> {
    pieces(line, [(false, usize::MAX)])
}

fn words<'a>(old: &[&'a str], new: &[&'a str]) -> (Segments<'a>, Segments<'a>) {
    let diff = TextDiff::from_slices(old, new);
    let all = DiffOp::Replace {
        old_index: 0,
        old_len: old.len(),
        new_index: 0,
        new_len: new.len(),
    };
    let (mut lefts, mut rights) = (Vec::new(), Vec::new());
    for line in diff.iter_inline_changes_deadline(&all, None) {
        let lengths = line.values().iter();
        let lengths = lengths.map(|(emphasised, text)| (*emphasised, text.len()));
        if let Some(text) = line.old_index().and_then(|index| old.get(index)) {
            lefts.push(pieces(text, lengths));
        } else if let Some(text) = line.new_index().and_then(|index| new.get(index)) {
            rights.push(pieces(text, lengths));
        }
    }
    (lefts, rights)
}

/// Two lines that are the same before and behind one part.
fn from_both_ends<'a>(old: &'a str, new: &'a str) -> (Vec<Segment<'a>>, Vec<Segment<'a>>) {
    let front = common_prefix(old, new);
    let back = common_suffix(
        old.get(front..).unwrap_or_default(),
        new.get(front..).unwrap_or_default(),
    );
    let parts = |line: &'a str| {
        let middle = line.len() - front - back;
        pieces(line, [(false, front), (true, middle), (false, back)])
    };
    (parts(old), parts(new))
}

/// How many trailing bytes are the same, in whole characters.
fn common_suffix(left: &str, right: &str) -> usize {
    let pairs = left.bytes().rev().zip(right.bytes().rev());
    let same = pairs.take_while(|(left, right)| left == right).count();
    // Where one text is in the middle of a character, so is the other: the bytes are the same.
    left.len() - left.ceil_char_boundary(left.len() - same)
}

/// A line cut into pieces of these lengths, without its newline; neighbours of one kind are one.
fn pieces(line: &str, lengths: impl IntoIterator<Item = (bool, usize)>) -> Vec<Segment<'_>> {
    let text = without_newline(line);
    let mut pieces: Vec<(bool, Range<usize>)> = Vec::new();
    let mut start = 0_usize;
    for (emphasised, length) in lengths {
        let end = start.saturating_add(length).min(text.len());
        match pieces.last_mut() {
            Some((kind, last)) if *kind == emphasised => last.end = end,
            _ if end > start => pieces.push((emphasised, start..end)),
            _ => {}
        }
        start = end;
    }
    let segment = |(emphasised, range)| Segment {
        text: text.get(range).unwrap_or_default(),
        emphasised,
    };
    pieces.into_iter().map(segment).collect()
}
