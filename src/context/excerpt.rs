//! What the model sees of a text that is too long for it.

use unicode_segmentation::UnicodeSegmentation;

use super::Artifact;
use crate::canonical::Sha256Hex;

/// The parts of a long text: its beginning, its end, and what lies between.
///
/// ```
/// use sess::context::excerpt;
/// let cut = excerpt("0123456789", 4).unwrap();
/// assert_eq!(cut.around("[…]"), "012\n[…]\n9");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt<'a> {
    head: &'a str,
    tail: &'a str,
    whole: &'a str,
    /// Characters (Unicode scalar values) that lie between.
    pub elided_chars: usize,
}

/// Cuts a text that is longer than `limit` characters: three quarters of the limit from its
/// beginning, the rest from its end. A cut never falls inside a grapheme cluster; it moves outwards,
/// so that what is shown never exceeds the limit. `None` for a text within it.
///
/// ```
/// use sess::context::excerpt;
/// assert!(excerpt("short", 100).is_none());
/// let long = "x".repeat(1_000);
/// let cut = excerpt(&long, 100).unwrap();
/// assert_eq!(cut.elided_chars, 900);
/// assert!(cut.not_stored("was not stored").contains("elided 900 chars"));
/// ```
pub fn excerpt(text: &str, limit: usize) -> Option<Excerpt<'_>> {
    // A text of few bytes has few characters, and most texts are short.
    if text.len() <= limit || text.chars().count() <= limit {
        return None;
    }
    let head_chars = (limit * 3).div_ceil(4);
    let head = &text[..boundary_within(text, head_chars)];
    let tail = &text[boundary_before_end(text, limit - head_chars)..];
    let shown = head.chars().count() + tail.chars().count();
    Some(Excerpt {
        head,
        tail,
        whole: text,
        elided_chars: text.chars().count() - shown,
    })
}

impl Excerpt<'_> {
    /// The excerpt when the full text is in this file.
    pub fn stored(&self, artifact: &Artifact) -> String {
        self.around(&stored_marker(self.elided_chars, artifact))
    }

    /// The excerpt when the full text could not be put anywhere.
    pub fn not_stored(&self, why: &str) -> String {
        let digest = Sha256Hex::of(self.whole.as_bytes());
        let bytes = self.whole.len() as u64;
        self.around(&unstored_marker(self.elided_chars, bytes, why, &digest))
    }

    /// Beginning and end with this line between them.
    pub fn around(&self, marker: &str) -> String {
        format!("{}\n{marker}\n{}", self.head, self.tail)
    }
}

/// The line that stands for what was left out of a text that is kept whole in a file. `elided` is
/// in characters.
///
/// ```
/// use sess::context::{Artifact, stored_marker};
/// let kept = Artifact { file: "op-1.txt".into(), digest: "9f…".into(), bytes: 20_000, chars: 20_000 };
/// assert_eq!(
///     stored_marker(3_616, &kept),
///     "[... elided 3,616 chars (20,000 bytes total); full result: op-1.txt sha256 9f… ...]",
/// );
/// ```
pub fn stored_marker(elided: usize, artifact: &Artifact) -> String {
    let Artifact { file, digest, .. } = artifact;
    let place = format!(": {file} sha256 {digest}");
    marker(elided, artifact.bytes, &place)
}

/// The line that stands for what was left out of a text of so many bytes that is kept nowhere.
/// `why` completes "full result …".
///
/// ```
/// use sess::canonical::Sha256Hex;
/// use sess::context::unstored_marker;
/// let marker = unstored_marker(3_616, 20_000, "was not stored", &Sha256Hex::of(b"the whole"));
/// assert!(marker.starts_with("[... elided 3,616 chars (20,000 bytes total); full result was not stored, sha256 "));
/// ```
pub fn unstored_marker(elided: usize, bytes: u64, why: &str, digest: &Sha256Hex) -> String {
    marker(elided, bytes, &format!(" {why}, sha256 {digest}"))
}

fn marker(elided: usize, bytes: u64, place: &str) -> String {
    let (elided, bytes) = (thousands(elided as u64), thousands(bytes));
    format!("[... elided {elided} chars ({bytes} bytes total); full result{place} ...]")
}

/// The last grapheme boundary at or before this many characters.
pub(super) fn boundary_within(text: &str, characters: usize) -> usize {
    let mut count = 0;
    for (start, cluster) in text.grapheme_indices(true) {
        count += cluster.chars().count();
        if count > characters {
            return start;
        }
    }
    text.len()
}

/// The first grapheme boundary with at most this many characters behind it.
fn boundary_before_end(text: &str, characters: usize) -> usize {
    let mut count = 0;
    for (start, cluster) in text.grapheme_indices(true).rev() {
        count += cluster.chars().count();
        if count > characters {
            return start + cluster.len();
        }
    }
    0
}

/// `1234567` as `1,234,567`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // 12.14-168
    #[test]
    fn a_text_at_the_limit_is_left_alone() {
        assert_eq!(excerpt("12345678", 8), None);
        assert_eq!(excerpt("äöüß", 4), None);
    }

    #[test]
    fn three_quarters_come_from_the_beginning() {
        let text = format!("{}{}", "a".repeat(1_500), "z".repeat(500));
        let cut = excerpt(&text, 8).unwrap();
        let digest = Sha256Hex::of(text.as_bytes());
        assert_eq!(
            cut.not_stored("was not stored"),
            format!(
                "aaaaaa\n[... elided 1,992 chars (2,000 bytes total); full result was not stored, sha256 {digest} ...]\nzz"
            )
        );
        let artifact = Artifact {
            file: "x.txt".into(),
            digest: "d".into(),
            bytes: 2_000,
            chars: 2_000,
        };
        assert_eq!(
            cut.stored(&artifact),
            "aaaaaa\n[... elided 1,992 chars (2,000 bytes total); full result: x.txt sha256 d ...]\nzz"
        );
    }

    #[test]
    fn a_cut_never_splits_a_cluster() {
        let family = "👨‍👩‍👧";
        let text = family.repeat(10);
        let cut = excerpt(&text, 8).unwrap();
        assert_eq!((cut.head, cut.tail), (family, ""));
        assert_eq!(cut.elided_chars, 45);
        let lines = "\r\n".repeat(10);
        let cut = excerpt(&lines, 4).unwrap();
        assert_eq!((cut.head, cut.tail), ("\r\n", ""));
    }

    #[test]
    fn thousands_are_set_apart() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ];
        for (number, text) in cases {
            assert_eq!(thousands(number), text);
        }
    }

    proptest! {
        // 13.4-5
        #[test]
        fn what_is_shown_is_whole_clusters_within_the_limit(
            text in prop::collection::vec("[a-z]|é|e\u{301}|\r\n|👨‍👩‍👧|🇨🇭", 0..60).prop_map(|parts| parts.concat()),
            limit in 1usize..40,
        ) {
            let length = text.chars().count();
            match excerpt(&text, limit) {
                None => prop_assert!(length <= limit),
                Some(cut) => {
                    prop_assert!(text.starts_with(cut.head) && text.ends_with(cut.tail));
                    let shown = cut.head.chars().count() + cut.tail.chars().count();
                    prop_assert!(length > limit && shown <= limit);
                    prop_assert_eq!(shown + cut.elided_chars, length);
                    let starts: Vec<usize> = text.grapheme_indices(true).map(|(start, _)| start).collect();
                    let is_boundary = |place: usize| place == text.len() || starts.contains(&place);
                    prop_assert!(is_boundary(cut.head.len()) && is_boundary(text.len() - cut.tail.len()));
                }
            }
        }
    }
}
