//! How much is shown.

/// How much of an entry is shown.
///
/// ```
/// use sess::view::body::Fold;
/// assert_eq!(Fold::Line.next(), Fold::Excerpt);
/// assert_eq!(Fold::Full.next(), Fold::Line);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fold {
    /// One line.
    #[default]
    Line,
    /// The line, and the beginning of each text.
    Excerpt,
    /// Everything.
    Full,
}

impl Fold {
    /// The next level; after the last comes the first.
    pub fn next(self) -> Self {
        match self {
            Fold::Line => Fold::Excerpt,
            Fold::Excerpt => Fold::Full,
            Fold::Full => Fold::Line,
        }
    }

    /// The most rows that one text takes.
    pub fn most_rows(self) -> usize {
        match self {
            Fold::Line => 0,
            Fold::Excerpt => 6,
            Fold::Full => 20_000,
        }
    }

    /// In a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Fold::Line => "one line each",
            Fold::Excerpt => "excerpts",
            Fold::Full => "everything",
        }
    }
}
