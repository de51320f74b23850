//! The live conversation: what the model would be sent next, after every compaction and elision.

use std::collections::HashMap;
use std::hash::Hash;

use super::survivors::{Standing, settle_last_group};

/// One message of the live conversation.
///
/// ```
/// use sess::Session;
/// let run = Session::replay("samples/sessions/two-compactions.jsonl")?;
/// let summary = run.conversation().iter().find(|entry| entry.summary).unwrap();
/// assert_eq!(summary.body.role, sess::Role::User);
/// # Ok::<(), sess::session::LoadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<K, B> {
    /// The id of the line that brought it.
    pub id: K,
    /// The message, or as much of it as the reader keeps.
    pub body: B,
    /// Whether it survives every compaction.
    pub standing: Standing,
    /// Is the summary of a compaction.
    pub summary: bool,
    /// Its content has been replaced by a stub.
    pub elided: bool,
    /// The line that brought it, counted from 1. There it stands as it was before any stub.
    pub line: u64,
}

/// Entries in conversation order, found by id. `K` is the id as kept, `B` what is kept of a message.
///
/// ```
/// use sess::session::conversation::Conversation;
/// use sess::session::survivors::Standing;
/// let mut live = Conversation::default();
/// for (line, id) in [(2, "a"), (3, "b"), (4, "c")] {
///     live.push(id, "said", Standing::alone(), line);
/// }
/// assert!(live.compact(&"b", "s", "summed up", 5));
/// let ids: Vec<&str> = live.entries().iter().map(|entry| entry.id).collect();
/// assert_eq!(ids, ["s", "c"]);
/// ```
#[derive(Clone, Debug)]
pub struct Conversation<K, B> {
    entries: Vec<Entry<K, B>>,
    /// The first entry of each id, for ids are not promised to be unique. Looking one up is rare,
    /// adding an entry is not, so entries are filed when the next one is looked up.
    places: HashMap<K, usize>,
    /// How many entries from the start are filed.
    filed: usize,
}

impl<K, B> Default for Conversation<K, B> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            places: HashMap::new(),
            filed: 0,
        }
    }
}

impl<K: Clone + Eq + Hash, B> Conversation<K, B> {
    /// The entries in order.
    pub fn entries(&self) -> &[Entry<K, B>] {
        &self.entries
    }

    /// The entries in order, given away.
    pub fn into_entries(self) -> Vec<Entry<K, B>> {
        self.entries
    }

    /// Whether an entry with this id is live.
    pub fn contains(&mut self, id: &K) -> bool {
        self.place(id).is_some()
    }

    /// The place of the first entry with this id.
    pub fn place(&mut self, id: &K) -> Option<usize> {
        for (place, entry) in self.entries.iter().enumerate().skip(self.filed) {
            self.places.entry(entry.id.clone()).or_insert(place);
        }
        self.filed = self.entries.len();
        self.places.get(id).copied()
    }

    /// Adds an entry at the end.
    pub fn push(&mut self, id: K, body: B, standing: Standing, line: u64) {
        self.entries.push(Entry {
            id,
            body,
            standing,
            summary: false,
            elided: false,
            line,
        });
        settle_last_group(&mut self.entries, |entry| &mut entry.standing);
    }

    /// Replaces everything up to and including `through` by its sticky entries and one summary
    /// under the compaction's own id. `false`, and nothing changes, when no such entry is live.
    pub fn compact(&mut self, through: &K, id: K, summary: B, line: u64) -> bool {
        let Some(cut) = self.place(through) else {
            return false;
        };
        let folded = self.entries.iter().take(cut + 1);
        let unmoved = folded.take_while(|entry| entry.standing.sticky).count();
        self.unfile(unmoved);
        let mut rest = self.entries.split_off(cut + 1);
        self.entries.retain(|entry| entry.standing.sticky);
        self.entries.push(Entry {
            id,
            body: summary,
            standing: Standing::alone(),
            summary: true,
            elided: false,
            line,
        });
        let mut answers = rest.iter_mut();
        while answers.next().is_some_and(|entry| entry.standing.stray()) {}
        self.entries.extend(rest);
        true
    }

    /// Takes entries from this one on out of the files.
    fn unfile(&mut self, from: usize) {
        for (place, entry) in self.entries.iter().enumerate().take(self.filed).skip(from) {
            if self.places.get(&entry.id) == Some(&place) {
                self.places.remove(&entry.id);
            }
        }
        self.filed = self.filed.min(from);
    }

    /// The same conversation with another body for each.
    pub(crate) fn with_bodies<C, E>(
        self,
        mut of: impl FnMut(B) -> Result<C, E>,
    ) -> Result<Conversation<K, C>, E> {
        let entry = |entry: Entry<K, B>| {
            Ok(Entry {
                id: entry.id,
                body: of(entry.body)?,
                standing: entry.standing,
                summary: entry.summary,
                elided: entry.elided,
                line: entry.line,
            })
        };
        Ok(Conversation {
            entries: self
                .entries
                .into_iter()
                .map(entry)
                .collect::<Result<_, E>>()?,
            places: self.places,
            filed: self.filed,
        })
    }

    /// Hands the body of an entry out for its content to be replaced by a stub.
    pub fn body_to_elide(&mut self, place: usize) -> Option<&mut B> {
        let entry = self.entries.get_mut(place)?;
        entry.elided = true;
        Some(&mut entry.body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    fn conversation(entries: &[(&'static str, bool)]) -> Conversation<&'static str, &'static str> {
        let mut made = Conversation::default();
        for ((id, sticky), line) in entries.iter().zip(1..) {
            made.push(*id, *id, Standing::new(Role::User, false, *sticky), line);
        }
        made
    }

    fn ids(of: &Conversation<&'static str, &'static str>) -> Vec<&'static str> {
        of.entries().iter().map(|entry| entry.id).collect()
    }

    #[test]
    fn a_compaction_keeps_what_is_sticky_and_what_comes_after() {
        let mut made = conversation(&[("s", true), ("u", false), ("a", false), ("n", false)]);
        assert!(made.compact(&"a", "c", "summary", 5));
        assert_eq!(ids(&made), ["s", "c", "n"]);
        assert!(!made.compact(&"a", "d", "again", 6));
        let summaries: Vec<bool> = made.entries().iter().map(|entry| entry.summary).collect();
        assert_eq!(summaries, [false, true, false]);
        let lines: Vec<u64> = made.entries().iter().map(|entry| entry.line).collect();
        assert_eq!(lines, [1, 5, 4]);
        assert_eq!(made.place(&"n"), Some(2));
    }

    #[test]
    fn compacting_through_a_sticky_entry_twice_puts_the_newest_summary_first() {
        let mut made = conversation(&[("s", true), ("u", false)]);
        made.compact(&"s", "c1", "one", 3);
        made.compact(&"s", "c2", "two", 4);
        assert_eq!(ids(&made), ["s", "c2", "c1", "u"]);
    }

    #[test]
    fn the_first_of_two_equal_ids_is_the_one_that_is_found() {
        let mut made = conversation(&[("x", false), ("x", false), ("y", false)]);
        assert_eq!(made.place(&"x"), Some(0));
        made.compact(&"x", "c", "summary", 4);
        assert_eq!(ids(&made), ["c", "x", "y"]);
        assert_eq!(made.place(&"x"), Some(1));
    }
}
