//! Which of the items that differ are versions of each other.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::align::{Stretch, align};
use super::item::Item;

/// Up to this many candidate pairs are weighed one by one.
const WEIGHED: usize = 64 * 64;
/// How many words of an item count.
const WORDS: usize = 64;

/// For being of the same kind at all.
const SAME_KIND: u32 = 4;
/// For calling, or answering for, the same tools.
const SAME_SHAPE: u32 = 16;
/// For having all words in common.
const SAME_WORDS: u32 = 64;

/// Pairs of indexes into two runs of items of which none agree. Only items of one kind are paired,
/// and pairs do not cross.
///
/// Short runs are paired so that the pairs are as alike as they can be. In long ones, items pair
/// when they are turns of the same shape: same kind, same tools.
pub(super) fn pairs(left: &[Item], right: &[Item]) -> Vec<(usize, usize)> {
    if left.len().saturating_mul(right.len()) <= WEIGHED {
        best_pairs(left, right)
    } else {
        same_shapes(left, right)
    }
}

fn same_shapes(left: &[Item], right: &[Item]) -> Vec<(usize, usize)> {
    align(left.iter().map(Item::shape), right.iter().map(Item::shape))
        .into_iter()
        .filter_map(|stretch| match stretch {
            Stretch::Same { left, right } => Some(left.zip(right)),
            Stretch::Apart { .. } => None,
        })
        .flatten()
        .collect()
}

/// The pairs whose weights sum up highest; of several such choices, the one that pairs earliest.
fn best_pairs(left: &[Item], right: &[Item]) -> Vec<(usize, usize)> {
    let weights = Weights::of(left, right);
    let best = Sums::of(&weights);
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while i < left.len() && j < right.len() {
        let weight = weights.at(i, j);
        if weight > 0 && best.at(i, j) == weight + best.at(i + 1, j + 1) {
            pairs.push((i, j));
            i += 1;
            j += 1;
        } else if best.at(i, j) == best.at(i + 1, j) {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// How well each left item goes with each right one; 0 for not at all.
struct Weights {
    rows: Vec<Vec<u32>>,
    columns: usize,
}

impl Weights {
    fn of(left: &[Item], right: &[Item]) -> Self {
        let words: Vec<_> = right.iter().map(words).collect();
        let row = |item: &Item| {
            let own = self::words(item);
            let others = right.iter().zip(&words);
            others
                .map(|(other, theirs)| weight(item, &own, other, theirs))
                .collect()
        };
        Self {
            rows: left.iter().map(row).collect(),
            columns: right.len(),
        }
    }

    fn at(&self, i: usize, j: usize) -> u32 {
        cell(&self.rows, i, j)
    }
}

/// For each place, the highest sum of weights that pairs from there on can reach.
struct Sums {
    rows: Vec<Vec<u32>>,
}

impl Sums {
    fn of(weights: &Weights) -> Self {
        let mut rows = vec![vec![0; weights.columns + 1]];
        for weights in weights.rows.iter().rev() {
            let below = rows.last().map_or(&[][..], Vec::as_slice);
            let mut row = vec![0];
            // From right to left; `row` and the pairs below it are reversed at the end.
            for (j, weight) in weights.iter().enumerate().rev() {
                let skipped = row.last().copied().max(below.get(j).copied()).unwrap_or(0);
                let paired = weight + below.get(j + 1).copied().unwrap_or(0);
                row.push(if *weight > 0 {
                    skipped.max(paired)
                } else {
                    skipped
                });
            }
            row.reverse();
            rows.push(row);
        }
        rows.reverse();
        Self { rows }
    }

    fn at(&self, i: usize, j: usize) -> u32 {
        cell(&self.rows, i, j)
    }
}

fn cell(rows: &[Vec<u32>], i: usize, j: usize) -> u32 {
    rows.get(i).and_then(|row| row.get(j)).copied().unwrap_or(0)
}

fn weight(left: &Item, own: &[u64], right: &Item, theirs: &[u64]) -> u32 {
    if left.kind != right.kind {
        return 0;
    }
    let shape = if left.shape() == right.shape() {
        SAME_SHAPE
    } else {
        0
    };
    let common = in_common(own, theirs) as u32;
    let all = own.len().max(theirs.len()).max(1) as u32;
    SAME_KIND + shape + SAME_WORDS * common / all
}

/// Hashes of the first words of an item's text and arguments, sorted.
fn words(item: &Item) -> Vec<u64> {
    let arguments = item.calls.iter().map(|call| call.arguments.as_str());
    let mut words: Vec<u64> = std::iter::once(item.content.as_str())
        .chain(arguments)
        .flat_map(|text| text.split(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .take(WORDS)
        .map(|word| {
            let mut hasher = DefaultHasher::new();
            word.hash(&mut hasher);
            hasher.finish()
        })
        .collect();
    words.sort_unstable();
    words
}

/// How many elements two sorted lists share.
fn in_common(left: &[u64], right: &[u64]) -> usize {
    let mut right = right.iter().peekable();
    let shared = |word: &&u64| {
        while right.next_if(|other| other < word).is_some() {}
        right.next_if(|other| other == word).is_some()
    };
    left.iter().filter(shared).count()
}
