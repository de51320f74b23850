//! Text with meaning: what the screen shows before any colour is chosen.
//!
//! The text of a span is safe: it has passed [`visible`](crate::look::visible). What a span means
//! is an [`Ink`]; the theme turns that into colour and weight.

use crate::look::width;

/// What a stretch of text means.
///
/// ```
/// use sess::view::styled::{Ink, Styled};
/// assert_eq!(Styled::of(Ink::Error, "no such file").spans[0].ink, Ink::Error);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ink {
    /// Nothing in particular.
    #[default]
    Plain,
    /// Of less interest: numbers of lines, times, frames.
    Dim,
    /// Of more interest: names, headings.
    Strong,
    /// Said by the system.
    System,
    /// Said by the user.
    User,
    /// Said by the model.
    Assistant,
    /// Said by a tool, or a tool's name.
    Tool,
    /// An error.
    Error,
    /// Something that may need attention: an open call, an unknown outcome, damage.
    Warning,
    /// Something that went well.
    Good,
    /// Where the conversation was folded.
    Folded,
    /// Code, and what stands for itself.
    Code,
    /// A word that belongs to a language.
    Keyword,
    /// What code gives a name to, or calls.
    Name,
    /// A link, and where it leads.
    Link,
    /// A key of an object.
    Key,
    /// A string value.
    Text,
    /// A number, `true`, `false`, `null`.
    Number,
    /// A line that a diff adds.
    Added,
    /// A line that a diff takes away.
    Removed,
    /// The words by which a line on the right is another.
    AddedWord,
    /// The words by which a line on the left is another.
    RemovedWord,
    /// Text that a search found.
    Match,
}

/// A stretch of text with one meaning.
///
/// ```
/// use sess::view::styled::{Ink, Span, Styled};
/// let span = Span { ink: Ink::Key, text: "path: ".into() };
/// assert_eq!(Styled { spans: vec![span] }, Styled::of(Ink::Key, "path: "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// What it means.
    pub ink: Ink,
    /// The safe text, without line breaks.
    pub text: String,
}

/// One row of the screen, or a part of one.
///
/// ```
/// use sess::view::styled::{Ink, Styled};
/// let mut row = Styled::of(Ink::Dim, "12 ");
/// row.push(Ink::User, "漢字");
/// assert_eq!(row.text(), "12 漢字");
/// // Columns, not characters.
/// assert_eq!(row.width(), 7);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Styled {
    /// From left to right.
    pub spans: Vec<Span>,
}

impl Styled {
    /// A row with one meaning.
    pub fn of(ink: Ink, text: impl Into<String>) -> Self {
        let mut row = Self::default();
        row.push(ink, text);
        row
    }

    /// Adds a stretch at the end.
    pub fn push(&mut self, ink: Ink, text: impl Into<String>) -> &mut Self {
        let text = text.into();
        if !text.is_empty() {
            self.spans.push(Span { ink, text });
        }
        self
    }

    /// Adds another row at the end.
    pub fn append(&mut self, mut other: Styled) -> &mut Self {
        self.spans.append(&mut other.spans);
        self
    }

    /// The columns it takes.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|span| width::width(&span.text)).sum()
    }

    /// The text alone.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    /// As much as fits into so many columns, with an ellipsis where more was there.
    pub fn fitted(mut self, columns: usize) -> Self {
        if self.width() <= columns {
            return self;
        }
        let mut left = columns;
        let mut kept = Vec::new();
        for span in self.spans {
            let wide = width::width(&span.text);
            if wide < left || (wide == left && left == 0) {
                left -= wide;
                kept.push(span);
                continue;
            }
            let text = match wide == left {
                // Something follows that is cut, so the last column says so.
                true => width::truncate(&[&span.text, " "].concat(), left).into_owned(),
                false => width::truncate(&span.text, left).into_owned(),
            };
            kept.push(Span { text, ..span });
            break;
        }
        self.spans = kept;
        self
    }

    /// Two rows on one line: `right` stands at the right edge, and gives way to the left.
    pub fn justified(self, right: Styled, columns: usize) -> Self {
        let left = self.fitted(columns);
        let used = left.width();
        let wide = right.width();
        if used + wide + 2 > columns {
            return left;
        }
        let mut row = left;
        row.push(Ink::Plain, " ".repeat(columns - used - wide));
        row.append(right);
        row
    }

    /// The stretches of text that the pattern finds are marked.
    pub fn with_matches(self, pattern: &regex::Regex) -> Self {
        let text = self.text();
        let found: Vec<_> = pattern
            .find_iter(&text)
            .filter(|found| !found.is_empty())
            .map(|found| found.range())
            .collect();
        if found.is_empty() {
            return self;
        }
        let mut marked = Styled::default();
        let mut at = 0;
        for span in self.spans {
            let end = at + span.text.len();
            let mut from = at;
            for range in found
                .iter()
                .filter(|range| range.start < end && range.end > at)
            {
                let (start, stop) = (range.start.max(at), range.end.min(end));
                marked.push(span.ink, text.get(from..start).unwrap_or_default());
                marked.push(Ink::Match, text.get(start..stop).unwrap_or_default());
                from = stop;
            }
            marked.push(span.ink, text.get(from..end).unwrap_or_default());
            at = end;
        }
        marked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(parts: &[(Ink, &str)]) -> Styled {
        let mut row = Styled::default();
        for (ink, text) in parts {
            row.push(*ink, *text);
        }
        row
    }

    #[test]
    fn a_row_that_is_too_wide_ends_with_an_ellipsis() {
        let wide = row(&[(Ink::Dim, "abc"), (Ink::Tool, "def"), (Ink::Plain, "ghi")]);
        assert_eq!(wide.clone().fitted(9), wide);
        let cut = row(&[(Ink::Dim, "abc"), (Ink::Tool, "d…")]);
        assert_eq!(wide.clone().fitted(5), cut);
        assert_eq!(wide.clone().fitted(6).text(), "abcde…");
        assert_eq!(wide.fitted(0).text(), "");
    }

    #[test]
    fn the_right_side_gives_way() {
        let left = Styled::of(Ink::Plain, "left");
        let right = Styled::of(Ink::Dim, "right");
        assert_eq!(
            left.clone().justified(right.clone(), 12).text(),
            "left   right"
        );
        assert_eq!(left.justified(right, 10).text(), "left");
    }

    #[test]
    fn matches_are_marked_across_spans() {
        let pattern = regex::Regex::new("cd").unwrap();
        let found = row(&[(Ink::Dim, "abc"), (Ink::Tool, "de")]).with_matches(&pattern);
        let expected = row(&[
            (Ink::Dim, "ab"),
            (Ink::Match, "c"),
            (Ink::Match, "d"),
            (Ink::Tool, "e"),
        ]);
        assert_eq!(found, expected);
    }
}
