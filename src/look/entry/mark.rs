//! What makes a line stand out.

/// What makes a line stand out.
///
/// ```
/// use sess::look::entry::Mark;
/// assert_eq!(Mark::Error.glyph(), '✗');
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mark {
    /// A tool reported an error.
    Error,
    /// Nobody knows how a call ended.
    OutcomeUnknown,
    /// A call without a known end.
    Open,
    /// A compaction or an elision.
    Folded,
    /// Damage, or a line that is not what it claims to be.
    Damaged,
}

impl Mark {
    /// One column that says it without colour.
    pub fn glyph(self) -> char {
        match self {
            Mark::Error => '✗',
            Mark::OutcomeUnknown => '?',
            Mark::Open => '○',
            Mark::Folded => '≡',
            Mark::Damaged => '!',
        }
    }
}
