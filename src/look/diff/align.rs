//! What two sequences have in common, in order.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// A stretch of two sequences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stretch {
    /// The same on both sides, one by one.
    Same {
        left: Range<usize>,
        right: Range<usize>,
    },
    /// Different; one of the two may be empty.
    Apart {
        left: Range<usize>,
        right: Range<usize>,
    },
}

/// The stretches of two sequences, from their beginning to their end.
///
/// Keys become numbers first, so each is hashed once and compared cheaply ever after.
pub(super) fn align<K: Eq + Hash>(
    left: impl Iterator<Item = K>,
    right: impl Iterator<Item = K>,
) -> Vec<Stretch> {
    let mut numbers = HashMap::new();
    let mut number = |key: K| -> u32 {
        let next = numbers.len() as u32;
        *numbers.entry(key).or_insert(next)
    };
    let left: Vec<u32> = left.map(&mut number).collect();
    let right: Vec<u32> = right.map(&mut number).collect();
    capture_diff_slices(Algorithm::Myers, &left, &right)
        .iter()
        .map(stretch)
        .collect()
}

/// How many leading and how many trailing elements are the same, without counting one twice.
pub(super) fn common_ends<T>(
    left: &[T],
    right: &[T],
    same: impl Fn(&T, &T) -> bool,
) -> (usize, usize) {
    let both = |(left, right): &(&T, &T)| same(left, right);
    let front = left.iter().zip(right).take_while(both).count();
    let rest = left.len().min(right.len()) - front;
    let back = left.iter().rev().zip(right.iter().rev());
    (front, back.take(rest).take_while(both).count())
}

fn stretch(op: &DiffOp) -> Stretch {
    let (left, right) = (op.old_range(), op.new_range());
    match op {
        DiffOp::Equal { .. } => Stretch::Same { left, right },
        _ => Stretch::Apart { left, right },
    }
}
