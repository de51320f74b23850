//! Counts by name, in the order of first appearance.

/// Counts by name. Memory stays small whatever the file holds: after the first hundred names, and
/// for names of more than 200 bytes, the rest is one count.
///
/// ```
/// use sess::look::summary::Tally;
/// let mut tally = Tally::<u64>::default();
/// for tool in ["read", "write", "read"] {
///     *tally.of(tool) += 1;
/// }
/// assert_eq!(tally.named(), [("read".to_owned(), 2), ("write".to_owned(), 1)]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally<T> {
    named: Vec<(String, T)>,
    others: Option<T>,
}

impl<T> Default for Tally<T> {
    fn default() -> Self {
        Self {
            named: Vec::new(),
            others: None,
        }
    }
}

const MOST: usize = 100;
const LONGEST: usize = 200;

impl<T: Default> Tally<T> {
    /// The count under this name.
    pub fn of(&mut self, name: &str) -> &mut T {
        if let Some(place) = self.place(name) {
            return &mut self.named[place].1;
        }
        if self.named.len() < MOST && name.len() <= LONGEST {
            self.named.push((name.to_owned(), T::default()));
            if let Some((_, count)) = self.named.last_mut() {
                return count;
            }
        }
        self.others.get_or_insert_default()
    }

    /// Where the count under this name stands in [`named`](Self::named).
    pub fn place(&self, name: &str) -> Option<usize> {
        self.named.iter().position(|(known, _)| known == name)
    }

    /// Every name with its count.
    pub fn named(&self) -> &[(String, T)] {
        &self.named
    }

    /// What was counted without a name.
    pub fn others(&self) -> Option<&T> {
        self.others.as_ref()
    }
}

/// How often a tool was called, and how it went.
///
/// ```
/// use std::fs::File;
/// use sess::look::summary::{ToolUse, summarise};
/// let counts = summarise(File::open("samples/sessions/two-compactions.jsonl")?)?.counts;
/// let twice = ToolUse { calls: 2, ..ToolUse::default() };
/// assert_eq!(counts.tools.named()[0], ("read_file".into(), twice));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolUse {
    /// Calls the model made, or dispatches of calls that are not in the file.
    pub calls: u64,
    /// Answers that report an error.
    pub failed: u64,
    /// Answers that say that nobody knows how it ended.
    pub unknown: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_order_and_too_many_become_one_count() {
        let mut tally: Tally<u64> = Tally::default();
        for name in ["b", "a", "b"] {
            *tally.of(name) += 1;
        }
        let named = [("b".to_owned(), 2), ("a".to_owned(), 1)];
        assert_eq!((tally.named(), tally.others()), (&named[..], None));
        for number in 0..200 {
            *tally.of(&number.to_string()) += 1;
        }
        *tally.of(&"x".repeat(201)) += 1;
        assert_eq!(tally.named().len(), 100);
        assert_eq!(tally.others(), Some(&103));
    }
}
