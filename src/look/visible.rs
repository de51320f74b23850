//! The one passage from a transcript to a terminal: everything that could drive the screen, or
//! hide on it, is shown in visible form.
//!
//! | in the text | shown as |
//! |---|---|
//! | line feed in a one-line field | `⏎` |
//! | every other C0 control, among them ESC, CR and tab | its control picture: `␛`, `␍`, `␉` |
//! | DEL | `␡` |
//! | C1 controls (U+0080–U+009F) | `\u{9b}` |
//! | line and paragraph separators (U+2028, U+2029) | `\u{2028}` |
//! | bidi marks, embeddings, overrides and isolates | `\u{202e}` |
//! | characters without a shape: zero-width space, byte-order mark, soft hyphen, fillers, tags, annotations, … | `\u{200b}` |
//! | bytes that are not UTF-8 | `\xff` |
//!
//! A joiner (U+200C, U+200D) is kept between two characters that are not ASCII, and a variation
//! selector directly after a character with a shape: emoji sequences and several scripts need
//! them there. Anywhere else, and in runs, they are a way to hide text and are shown.
//!
//! The visible form is for reading and cannot be turned back: a text that holds a `␛` of its own
//! looks the same. The result is safe and unchanged when it passes a second time.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use unicode_segmentation::UnicodeSegmentation;

use super::width;

/// The distance of the tab stops that [`lines`] expands tabs to, in columns, as on a terminal.
pub const TAB_STOP: usize = 8;

/// `text` for a place that has one line: nothing in the result breaks it.
///
/// ```
/// use sess::look::visible::one_line;
/// assert_eq!(one_line("two\nlines \x1b[31m"), "two⏎lines ␛[31m");
/// assert_eq!(one_line("user\u{202e}txt.exe"), "user\\u{202e}txt.exe");
/// ```
pub fn one_line(text: &str) -> Cow<'_, str> {
    rewrite(text, &[], |out, mark| match mark {
        '\n' => out.push('⏎'),
        mark => push_visible(out, mark),
    })
}

/// `text` for a place that has many lines: line feeds stay, tabs become spaces up to the next
/// [`TAB_STOP`], everything else is as in [`one_line`].
pub fn lines(text: &str) -> Cow<'_, str> {
    let mut column = Column::default();
    rewrite(text, &['\n'], |out, mark| match mark {
        '\t' => {
            let gap = column.gap_to_stop(out);
            out.extend(std::iter::repeat_n(' ', gap));
        }
        mark => push_visible(out, mark),
    })
}

/// The first `columns` columns of `text` in one line, with `…` where more was there. Looks only
/// at the beginning of the text, however long it is.
pub fn excerpt(text: &str, columns: usize) -> String {
    // Each cluster that is shown takes a column, so one more than fit says enough.
    let end = text
        .grapheme_indices(true)
        .nth(columns.saturating_add(1))
        .map_or(text.len(), |(at, _)| at);
    let head = one_line(&text[..end]);
    if end == text.len() || width::width(&head) > columns {
        width::truncate(&head, columns).into_owned()
    } else {
        width::truncate(&[&head, width::ELLIPSIS].concat(), columns).into_owned()
    }
}

/// Bytes that claim to be text, as [`one_line`]; what is not UTF-8 as `\xff`, byte by byte.
///
/// ```
/// assert_eq!(sess::look::visible::bytes(b"ok\xff\x1b"), "ok\\xff␛");
/// ```
pub fn bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(&one_line(chunk.valid()));
        push_hex(&mut out, chunk.invalid());
    }
    out
}

/// A path in one line. File names come from strangers too.
pub fn path(path: &Path) -> String {
    bytes(path.as_os_str().as_encoded_bytes())
}

/// Stored JSON for a terminal: what [`one_line`] would show is written as a JSON escape
/// (`\u009b`; a pair beyond U+FFFF), so that JSON stays JSON with the same value. Line feeds and
/// tabs stay. A carriage return between two tokens and bytes that are not UTF-8 are shown as well,
/// although the result is then no longer JSON; a screen comes first.
///
/// Output that no terminal reads is not passed through here: it is the stored bytes.
///
/// ```
/// use sess::look::visible::json_for_terminal;
/// let stored = "{\"tool\":\"\u{9b}2J\"}\n";
/// assert_eq!(&*json_for_terminal(stored.as_bytes()), b"{\"tool\":\"\\u009b2J\"}\n");
/// ```
pub fn json_for_terminal(stored: &[u8]) -> Cow<'_, [u8]> {
    let escaped = |text| rewrite(text, &['\n', '\t'], push_json_escape);
    if let Ok(text) = std::str::from_utf8(stored) {
        return match escaped(text) {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
    }
    let mut out = String::with_capacity(stored.len());
    for chunk in stored.utf8_chunks() {
        out.push_str(&escaped(chunk.valid()));
        push_hex(&mut out, chunk.invalid());
    }
    Cow::Owned(out.into_bytes())
}

/// JSON with the control characters that it may hold raw, DEL and C1, as escapes of the same value.
///
/// ```
/// assert_eq!(sess::look::visible::json_controls("[\"\u{85}é\"]"), "[\"\\u0085é\"]");
/// ```
pub fn json_controls(json: &str) -> Cow<'_, str> {
    let is_raw = |mark: char| matches!(mark, '\u{7f}'..='\u{9f}');
    // A C1 control begins with this byte, which few other characters have anywhere.
    let may_hold = |bytes: &[u8]| memchr::memchr2(0x7f, 0xc2, bytes).is_some();
    if !may_hold(json.as_bytes()) || !json.contains(is_raw) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for mark in json.chars() {
        match is_raw(mark) {
            true => push_json_escape(&mut out, mark),
            false => out.push(mark),
        }
    }
    Cow::Owned(out)
}

/// Copies `text`, handing every character that must not be shown as it is to `show`; those in
/// `harmless` are let through.
fn rewrite<'a>(
    text: &'a str,
    harmless: &[char],
    mut show: impl FnMut(&mut String, char),
) -> Cow<'a, str> {
    let Some(start) = text.bytes().position(|byte| !is_plain(byte)) else {
        return Cow::Borrowed(text);
    };
    let mut out: Option<String> = None;
    let mut copied = 0;
    let mut before = text[..start].chars().next_back();
    let mut rest = text[start..].char_indices().peekable();
    while let Some((at, mark)) = rest.next() {
        let after = rest.peek().map(|(_, after)| *after);
        if is_shown(before, mark, after) && !harmless.contains(&mark) {
            let at = start + at;
            let out = out.get_or_insert_with(|| String::with_capacity(text.len() + 16));
            out.push_str(&text[copied..at]);
            show(out, mark);
            copied = at + mark.len_utf8();
            before = None;
        } else {
            before = Some(mark);
        }
    }
    match out {
        None => Cow::Borrowed(text),
        Some(mut out) => {
            out.push_str(&text[copied..]);
            Cow::Owned(out)
        }
    }
}

fn is_plain(byte: u8) -> bool {
    (0x20..0x7f).contains(&byte)
}

/// Whether `mark` is replaced by its visible form. `before` is the character in front of it, if
/// there is one and it is kept; `after` is the one that follows.
fn is_shown(before: Option<char>, mark: char, after: Option<char>) -> bool {
    match mark {
        ' '..='~' => false,
        '\0'..='\u{9f}' => true,
        '\u{200c}' | '\u{200d}' => {
            !before.is_some_and(|mark| !mark.is_ascii() && !is_joiner(mark))
                || !after.is_some_and(|mark| !mark.is_ascii() && has_shape(mark))
        }
        mark if is_selector(mark) => {
            !before.is_some_and(|mark| !mark.is_whitespace() && has_shape(mark))
        }
        mark => !has_shape(mark),
    }
}

fn is_joiner(mark: char) -> bool {
    matches!(mark, '\u{200c}' | '\u{200d}')
}

/// Variation selectors: of Mongolian, of everything, of ideographs.
fn is_selector(mark: char) -> bool {
    matches!(
        mark,
        '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}'
    )
}

/// Neither a control nor a separator of lines, nor anything that Unicode calls default-ignorable
/// (`DerivedCoreProperties.txt`), nor an interlinear annotation.
fn has_shape(mark: char) -> bool {
    !matches!(
        mark,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

fn push_visible(out: &mut String, mark: char) {
    match mark {
        '\0'..='\u{1f}' => out.extend(char::from_u32(0x2400 + u32::from(mark))),
        '\u{7f}' => out.push('␡'),
        mark => out.extend(mark.escape_unicode()),
    }
}

fn push_json_escape(out: &mut String, mark: char) {
    for unit in mark.encode_utf16(&mut [0; 2]) {
        // Writing to a string cannot fail.
        let _ = write!(out, "\\u{unit:04x}");
    }
}

fn push_hex(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        let _ = write!(out, "\\x{byte:02x}");
    }
}

/// The column that the end of a growing text stands in. What was measured once is not measured
/// again, so a long line with many tabs costs one walk.
#[derive(Default)]
struct Column {
    measured: usize,
    columns: usize,
}

impl Column {
    /// How many spaces bring the end of `out` to the next tab stop.
    fn gap_to_stop(&mut self, out: &str) -> usize {
        let fresh = &out[self.measured..];
        let at = match fresh.rsplit_once('\n') {
            Some((_, line)) => width::width(line),
            None => self.columns + width::width(fresh),
        };
        let gap = TAB_STOP - at % TAB_STOP;
        self.measured = out.len() + gap;
        self.columns = at + gap;
        gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_plain_text_is_borrowed() {
        for text in [
            "",
            "plain",
            "naïve 日本語 👩‍💻 ❤\u{fe0f} 1\u{fe0f}\u{20e3} 🇩🇪",
        ] {
            assert!(
                matches!(one_line(text), Cow::Borrowed(same) if same == text),
                "{text:?}"
            );
        }
    }

    #[test]
    fn one_line_shows_whatever_drives_a_screen() {
        let cases = [
            ("a\nb\r\n", "a⏎b␍⏎"),
            ("tab\there", "tab␉here"),
            ("\x1b]0;title\x07", "␛]0;title␇"),
            ("\0\x7f", "␀␡"),
            ("\u{80}\u{9b}31m\u{9f}", "\\u{80}\\u{9b}31m\\u{9f}"),
            ("\u{85}", "\\u{85}"),
            ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"),
        ];
        for (text, expected) in cases {
            assert_eq!(one_line(text), expected);
        }
    }

    #[test]
    fn one_line_shows_whatever_reorders_or_hides_text() {
        for code in [
            0x61c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068,
            0x2069, 0xad, 0x34f, 0x180e, 0x200b, 0x2060, 0x2064, 0x3164, 0xfeff, 0xfff9, 0xfffb,
            0xe0001, 0xe0041, 0xe007f,
        ] {
            let mark = char::from_u32(code).unwrap();
            let text = format!("日{mark}本");
            assert_eq!(one_line(&text), format!("日\\u{{{code:x}}}本"));
        }
    }

    #[test]
    fn joiners_and_selectors_are_kept_only_where_they_shape_something() {
        let kept = [
            "❤\u{fe0f}\u{200d}🔥",
            "می\u{200c}خواهم",
            "葛\u{e0100}",
            "क\u{94d}\u{200d}ष",
        ];
        for text in kept {
            assert_eq!(one_line(text), text);
        }
        let shown = [
            ("pass\u{200d}word", "pass\\u{200d}word"),
            ("日\u{200d}\u{200d}本", "日\\u{200d}\\u{200d}本"),
            ("日\u{200d}", "日\\u{200d}"),
            ("x\u{fe01}\u{fe02}\u{e0110}", "x\u{fe01}\\u{fe02}\\u{e0110}"),
            (" \u{fe0f}", " \\u{fe0f}"),
            ("\u{1b}\u{200d}日", "␛\\u{200d}日"),
        ];
        for (text, expected) in shown {
            assert_eq!(one_line(text), expected);
        }
    }

    #[test]
    fn lines_keeps_line_feeds_and_expands_tabs_to_stops() {
        let cases = [
            ("a\nb\n", "a\nb\n"),
            ("\tx", "        x"),
            ("abc\tx\ty", "abc     x       y"),
            ("日本\tx", "日本    x"),
            ("12345678\tx", "12345678        x"),
            ("long line\n\tx", "long line\n        x"),
            ("\x1b[2J\tx", "␛[2J    x"),
            ("a\r\nb", "a␍\nb"),
        ];
        for (text, expected) in cases {
            assert_eq!(lines(text), expected);
        }
    }

    #[test]
    fn an_excerpt_is_one_line_of_the_beginning() {
        assert_eq!(excerpt("short", 10), "short");
        assert_eq!(excerpt("line one\nline two", 12), "line one⏎li…");
        assert_eq!(excerpt("\u{9b}\u{9b}\u{9b}\u{9b}\u{9b}", 4), "\\u{…");
        assert_eq!(excerpt("日本語", 6), "日本語");
        assert_eq!(excerpt("日本語", 5), "日本…");
        assert_eq!(excerpt("abc", 0), "");
    }

    #[test]
    fn bytes_that_are_not_text_are_shown_one_by_one() {
        assert_eq!(bytes(b"caf\xc3\xa9 \xff\xfe\x00"), "café \\xff\\xfe␀");
        assert_eq!(bytes(b"cut \xf0\x9f\x98"), "cut \\xf0\\x9f\\x98");
    }

    #[test]
    fn json_on_a_terminal_is_json_with_the_same_value() {
        let stored = "{\"a\":\"\u{7f}\u{9b}2J\u{202e}\u{2028}\u{e0041}é👩‍💻\",\t\"b\":1}\n";
        let shown = json_for_terminal(stored.as_bytes());
        let expected = "{\"a\":\"\\u007f\\u009b2J\\u202e\\u2028\\udb40\\udc41é👩‍💻\",\t\"b\":1}\n";
        assert_eq!(std::str::from_utf8(&shown).unwrap(), expected);
        let value = |text: &[u8]| serde_json::from_slice::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&shown), value(stored.as_bytes()));
    }

    #[test]
    fn json_without_danger_is_borrowed_and_damage_is_shown() {
        assert!(matches!(
            json_for_terminal(b"{\"a\":1}\n"),
            Cow::Borrowed(_)
        ));
        assert_eq!(
            &*json_for_terminal(b"{\"a\xff\x1b\r"),
            b"{\"a\\xff\\u001b\\u000d"
        );
    }

    /// What must never reach a terminal, put down apart from the tables above.
    fn is_danger(mark: char) -> bool {
        mark.is_control()
            || matches!(u32::from(mark),
                0x61c | 0x200b | 0x200e | 0x200f | 0x2028..=0x202e | 0x2060..=0x2064
                | 0x2066..=0x2069 | 0xfeff | 0xfff9..=0xfffb | 0xe0000..=0xe007f)
    }

    fn text() -> impl Strategy<Value = String> {
        let any_mark = prop_oneof![
            any::<char>(),
            (0_u32..0xa0).prop_filter_map("scalar", char::from_u32),
            (0x2000_u32..0x2070).prop_filter_map("scalar", char::from_u32),
            (0xe0000_u32..0xe0200).prop_filter_map("scalar", char::from_u32),
            prop::sample::select(vec!['a', '日', '👩', '\u{200d}', '\u{fe0f}', '\n', '\t']),
        ];
        prop::collection::vec(any_mark, 0..24).prop_map(String::from_iter)
    }

    proptest! {
        #[test]
        fn nothing_dangerous_passes_and_a_second_pass_changes_nothing(text in text()) {
            let shown = one_line(&text);
            prop_assert!(!shown.chars().any(is_danger), "{:?}", shown);
            prop_assert_eq!(one_line(&shown), shown.as_ref());

            let many = lines(&text);
            prop_assert!(!many.chars().any(|mark| mark != '\n' && is_danger(mark)));
            prop_assert_eq!(lines(&many), many.as_ref());
            prop_assert_eq!(
                many.matches('\n').count(), text.matches('\n').count()
            );
        }

        #[test]
        fn any_bytes_become_safe(raw in prop::collection::vec(any::<u8>(), 0..64)) {
            prop_assert!(!bytes(&raw).chars().any(is_danger));
            let shown = json_for_terminal(&raw);
            let shown = std::str::from_utf8(&shown).unwrap();
            prop_assert!(!shown.chars().any(|mark| !"\n\t".contains(mark) && is_danger(mark)));
        }

        #[test]
        fn an_excerpt_is_the_truncated_one_line(text in text(), columns in 0_usize..30) {
            let short = excerpt(&text, columns);
            prop_assert!(width::width(&short) <= columns);
            let whole = one_line(&text);
            let kept = short.strip_suffix(width::ELLIPSIS).unwrap_or(&short);
            prop_assert!(whole.starts_with(kept));
        }
    }
}
