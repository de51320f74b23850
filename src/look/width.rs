//! How many columns of a terminal a text takes, and fitting it into fewer.
//!
//! The unit is the extended grapheme cluster: an emoji family, a letter with its accents or a
//! Korean syllable in parts is measured and cut as one. The text is expected to have passed
//! [`visible`](super::visible). [`truncate`], [`fit`] and each step of [`wrap`] look only at as much
//! of the text as the answer needs.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Ends a text that was cut. One column wide.
pub const ELLIPSIS: &str = "…";

/// The columns that `text` takes on one line.
///
/// ```
/// use sess::look::width::width;
/// assert_eq!(width("naïve"), 5);
/// assert_eq!(width("日本"), 4);
/// assert_eq!(width("👩‍👩‍👧‍👦"), 2);
/// ```
pub fn width(text: &str) -> usize {
    if is_plain(text.as_bytes()) {
        return text.len();
    }
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// `text` in at most `columns` columns; what does not fit is cut between clusters and replaced
/// by `…`, which takes one of the columns.
///
/// ```
/// use sess::look::width::truncate;
/// assert_eq!(truncate("transcript", 10), "transcript");
/// assert_eq!(truncate("transcript", 6), "trans…");
/// ```
pub fn truncate(text: &str, columns: usize) -> Cow<'_, str> {
    match overflow(text, columns) {
        None => Cow::Borrowed(text),
        Some(kept) => Cow::Owned(elided(&text[..kept], columns)),
    }
}

/// `text` followed by as many spaces as it takes to fill `columns`. A wider text stays as it is.
///
/// ```
/// use sess::look::width::{fit, pad, pad_left};
/// assert_eq!(pad("日本", 6), "日本  ");
/// assert_eq!(pad_left("7", 3), "  7");
/// assert_eq!(fit("transcript", 6), "trans…");
/// ```
pub fn pad(text: &str, columns: usize) -> String {
    let mut padded = text.to_owned();
    padded.extend(blank(text, columns));
    padded
}

/// As [`pad`], with the spaces in front: for columns of numbers.
pub fn pad_left(text: &str, columns: usize) -> String {
    let mut padded: String = blank(text, columns).collect();
    padded.push_str(text);
    padded
}

/// `text` in exactly `columns` columns: cut as by [`truncate`] or filled as by [`pad`].
pub fn fit(text: &str, columns: usize) -> String {
    pad(&truncate(text, columns), columns)
}

/// The rows that `text` takes when no row is wider than `columns`, each borrowed from `text`.
///
/// A `\n` ends a row. A row that is too wide ends after its last white space, or before a wide
/// character (which needs no space to break at), or else between two clusters; white space at
/// such an end is left out. At least one cluster goes into every row, so a cluster of two columns
/// overflows a row of one. An empty text is one empty row.
///
/// ```
/// use sess::look::width::wrap;
/// let rows: Vec<&str> = wrap("the quick brown fox", 10).collect();
/// assert_eq!(rows, ["the quick", "brown fox"]);
/// ```
pub fn wrap(text: &str, columns: usize) -> Rows<'_> {
    Rows {
        rest: Some(text),
        columns: columns.max(1),
    }
}

/// The iterator that [`wrap`] returns. Each step looks at one row only.
///
/// ```
/// use sess::look::width::{Rows, wrap};
/// let mut rows: Rows<'_> = wrap("the quick brown fox", 10);
/// assert_eq!(rows.next(), Some("the quick"));
/// assert_eq!(rows.count(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    rest: Option<&'a str>,
    columns: usize,
}

impl<'a> Iterator for Rows<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.rest?;
        let row = first_row(text, self.columns);
        self.rest = row.next.map(|next| &text[next..]);
        Some(&text[..row.end])
    }
}

/// Where a row ends and where the following one starts; none after the last.
struct Row {
    end: usize,
    next: Option<usize>,
}

fn first_row(text: &str, columns: usize) -> Row {
    let mut used = 0;
    let mut break_at = None;
    let mut in_word = false;
    let mut seen_word = false;
    for (at, cluster) in text.grapheme_indices(true) {
        if cluster == "\n" || cluster == "\r\n" {
            return Row {
                end: end_of(text, at, used > columns),
                next: Some(at + cluster.len()),
            };
        }
        let wide = UnicodeWidthStr::width(cluster);
        used += wide;
        if is_space(cluster) {
            in_word = false;
            continue;
        }
        // Indentation is no place to break: it would leave an empty row.
        if seen_word && (!in_word || wide > 1) {
            break_at = Some(at);
        }
        if used > columns && at > 0 {
            let next = break_at.unwrap_or(at);
            return Row {
                end: end_of(text, next, true),
                next: Some(next),
            };
        }
        in_word = true;
        seen_word = true;
    }
    Row {
        end: end_of(text, text.len(), used > columns),
        next: None,
    }
}

/// `end`, or the end of the last word before it where white space is to be left out.
fn end_of(text: &str, end: usize, trim: bool) -> usize {
    if trim {
        text[..end].trim_end_matches([' ', '\t']).len()
    } else {
        end
    }
}

fn is_space(cluster: &str) -> bool {
    cluster == " " || cluster == "\t"
}

/// `None` when `text` fits into `columns`, else how many of its bytes leave one column free.
fn overflow(text: &str, columns: usize) -> Option<usize> {
    let room = columns.saturating_sub(1);
    let head = &text.as_bytes()[..text.len().min(columns.saturating_add(1))];
    if is_plain(head) {
        return (head.len() > columns).then_some(room);
    }
    let mut used = 0;
    let mut kept = 0;
    for (at, cluster) in text.grapheme_indices(true) {
        used += UnicodeWidthStr::width(cluster);
        if used <= room {
            kept = at + cluster.len();
        }
        if used > columns {
            return Some(kept);
        }
    }
    None
}

fn elided(kept: &str, columns: usize) -> String {
    if columns == 0 {
        String::new()
    } else {
        [kept, ELLIPSIS].concat()
    }
}

fn blank(text: &str, columns: usize) -> impl Iterator<Item = char> {
    std::iter::repeat_n(' ', columns.saturating_sub(width(text)))
}

/// Printable ASCII only: one byte, one cluster, one column. The reason that the byte after a
/// plain stretch matters is that a combining mark would belong to the last letter.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| (0x20..0x7f).contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cluster_is_measured_as_one() {
        let cases = [
            ("", 0),
            ("plain", 5),
            ("e\u{301}", 1),
            ("日本語", 6),
            ("\u{1112}\u{1161}\u{11ab}", 2),
            ("👩‍💻", 2),
            ("👨‍👩‍👧‍👦!", 3),
            ("🇩🇪🇫🇷", 4),
            ("❤\u{fe0f}", 2),
            ("1\u{fe0f}\u{20e3}", 2),
        ];
        for (text, columns) in cases {
            assert_eq!(width(text), columns, "{text:?}");
        }
    }

    #[test]
    fn a_text_that_fits_is_not_touched() {
        assert!(matches!(truncate("abc", 3), Cow::Borrowed("abc")));
        assert!(matches!(truncate("日本", 4), Cow::Borrowed("日本")));
        assert!(matches!(truncate("", 0), Cow::Borrowed("")));
    }

    #[test]
    fn a_cut_falls_between_clusters_and_costs_one_column() {
        let cases = [
            ("abcdef", 4, "abc…"),
            ("abcdef", 1, "…"),
            ("abcdef", 0, ""),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("ab👩‍💻cd", 4, "ab…"),
            ("ab👩‍💻cd", 5, "ab👩‍💻…"),
            ("abcde\u{301}\u{301}f", 5, "abcd…"),
        ];
        for (text, columns, expected) in cases {
            assert_eq!(truncate(text, columns), expected, "{text:?} in {columns}");
        }
    }

    #[test]
    fn padding_counts_columns_not_bytes() {
        assert_eq!(pad("né", 4), "né  ");
        assert_eq!(pad_left("日", 4), "  日");
        assert_eq!(pad("abcdef", 4), "abcdef");
        assert_eq!(fit("日本語", 4), "日… ");
    }

    #[track_caller]
    fn check_wrap(text: &str, columns: usize, expected: &[&str]) {
        assert_eq!(wrap(text, columns).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn rows_break_at_white_space_then_at_wide_characters_then_anywhere() {
        check_wrap("", 5, &[""]);
        check_wrap("one two three", 7, &["one two", "three"]);
        check_wrap("one two  three", 7, &["one two", "three"]);
        check_wrap("abcdefgh ij", 5, &["abcde", "fgh", "ij"]);
        check_wrap("see 日本語", 8, &["see 日本", "語"]);
        check_wrap("日本語", 1, &["日", "本", "語"]);
        check_wrap("a👩‍💻b", 2, &["a", "👩‍💻", "b"]);
    }

    #[test]
    fn line_breaks_and_indentation_are_kept() {
        check_wrap("a\n\n  b\r\n", 9, &["a", "", "  b", ""]);
        check_wrap("    indented text", 12, &["    indented", "text"]);
        check_wrap("    word", 6, &["    wo", "rd"]);
        check_wrap("abc   \nd", 4, &["abc", "d"]);
    }

    fn text() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "a",
            "b",
            " ",
            "é",
            "e\u{301}",
            "日",
            "👩‍💻",
            "🇩🇪",
            "❤\u{fe0f}",
            "\u{1112}",
            "\u{1161}",
            "\u{200d}",
            "\n",
            "क्षि",
            "\u{fe0f}",
        ]);
        prop_oneof![
            prop::collection::vec(pieces, 0..24).prop_map(|list| list.concat()),
            any::<String>(),
        ]
    }

    proptest! {
        #[test]
        fn a_truncated_text_never_exceeds_its_columns_nor_splits_a_cluster(
            text in text(), columns in 0_usize..20,
        ) {
            let short = truncate(&text, columns);
            prop_assert!(width(&short) <= columns);
            if short != text.as_str() {
                let kept = short.strip_suffix(ELLIPSIS).unwrap_or("");
                let whole: Vec<&str> = text.graphemes(true).collect();
                let left: Vec<&str> = kept.graphemes(true).collect();
                prop_assert!(text.starts_with(kept) && whole.starts_with(&left));
            }
        }

        #[test]
        fn wrapping_loses_nothing_but_white_space(text in text(), columns in 2_usize..20) {
            let squeezed = |text: &str| -> String {
                text.chars().filter(|c| !matches!(c, ' ' | '\t' | '\r' | '\n')).collect()
            };
            let rows: String = wrap(&text, columns).collect();
            prop_assert_eq!(squeezed(&rows), squeezed(&text));
        }
    }
}
