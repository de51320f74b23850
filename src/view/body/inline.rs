//! The inside of a line of Markdown: marks of lists and quotations, code, emphasis, links.

use crate::view::styled::{Ink, Styled};

/// So many bytes of a line one piece may take.
const LONGEST: usize = 1024;

/// A line, which is safe already. Nothing but the brackets of a link is left out.
pub fn inline(line: &str) -> Styled {
    let mut row = Styled::default();
    let mark = length_of_mark(line);
    row.push(Ink::Key, &line[..mark]);
    let mut plain = mark;
    let mut at = mark;
    while let Some(found) = line[at..].find(['`', '*', '[', '<', 'h']) {
        at += found;
        match piece(&line[at..], line[..at].chars().next_back()) {
            Some((spans, length)) => {
                row.push(Ink::Plain, &line[plain..at]);
                row.append(spans);
                at += length;
                plain = at;
            }
            None => at += 1,
        }
    }
    row.push(Ink::Plain, &line[plain..]);
    row
}

/// What begins a text, if it is more than text, and how long it is there. Looks no further than a
/// piece may be long, so that a line takes time proportional to its length.
fn piece(text: &str, before: Option<char>) -> Option<(Styled, usize)> {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    match text.as_bytes() {
        [b'`', ..] => enclosed(text, "`", Ink::Code),
        [b'*', b'*', ..] => enclosed(text, "**", Ink::Strong),
        [b'[', ..] => link(text),
        [b'<', ..] => {
            let (inside, _) = text[1..].split_once('>')?;
            let is_whole = length_of_url(inside) == inside.len() && !inside.is_empty();
            is_whole.then(|| (Styled::of(Ink::Link, inside), inside.len() + 2))
        }
        _ if before.is_some_and(char::is_alphanumeric) => None,
        _ => {
            let length = length_of_url(text);
            let url = text[..length]
                .trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '\'', '"', '*', '`']);
            (length > 0).then(|| (Styled::of(Ink::Link, url), url.len()))
        }
    }
}

fn enclosed(text: &str, sign: &str, ink: Ink) -> Option<(Styled, usize)> {
    let inside = text.strip_prefix(sign)?;
    let length = inside.find(sign).filter(|length| *length > 0)?;
    let end = length + 2 * sign.len();
    Some((Styled::of(ink, &text[..end]), end))
}

/// `[text](url)` as `text (url)`: where it leads is always seen.
fn link(text: &str) -> Option<(Styled, usize)> {
    let (label, behind) = text[1..].split_once("](")?;
    let (url, _) = behind.split_once(')')?;
    let is_link =
        !label.is_empty() && !label.contains('[') && !url.is_empty() && !url.contains(' ');
    is_link.then(|| {
        let mut link = Styled::of(Ink::Link, label);
        if label != url {
            link.push(Ink::Plain, " (")
                .push(Ink::Link, url)
                .push(Ink::Plain, ")");
        }
        (link, label.len() + url.len() + 4)
    })
}

/// Of the address that begins a text, or 0.
fn length_of_url(text: &str) -> usize {
    let is_url = ["https://", "http://"].iter().any(|scheme| {
        let rest = text.strip_prefix(scheme);
        rest.is_some_and(|rest| {
            rest.starts_with(|mark: char| mark.is_alphanumeric() || mark == '[')
        })
    });
    let is_end = |mark: char| mark.is_whitespace() || "<>\"|\\^`{}".contains(mark);
    match is_url {
        true => text.find(is_end).unwrap_or(text.len()),
        false => 0,
    }
}

/// `- `, `* `, `12. `, `> `, with the blanks before it.
fn length_of_mark(line: &str) -> usize {
    let text = line.trim_start();
    let before = line.len() - text.len();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_number = (1..=9).contains(&digits) && text[digits..].starts_with(". ");
    match ["- ", "* ", "+ ", "> "]
        .iter()
        .any(|mark| text.starts_with(mark))
    {
        true => before + 1,
        false if is_number => before + digits + 1,
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[(Ink, &str)]) {
        let found: Vec<_> = inline(line).spans;
        let found: Vec<_> = found
            .iter()
            .map(|span| (span.ink, span.text.as_str()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn lists_code_and_emphasis_are_told() {
        check(
            "- a `b` **c** d*",
            &[
                (Ink::Key, "-"),
                (Ink::Plain, " a "),
                (Ink::Code, "`b`"),
                (Ink::Plain, " "),
                (Ink::Strong, "**c**"),
                (Ink::Plain, " d*"),
            ],
        );
        check("12. x", &[(Ink::Key, "12."), (Ink::Plain, " x")]);
        check("> said", &[(Ink::Key, ">"), (Ink::Plain, " said")]);
        check("the plain hat", &[(Ink::Plain, "the plain hat")]);
    }

    #[test]
    fn where_a_link_leads_is_seen() {
        check(
            "see [the docs](https://a.example/b), or",
            &[
                (Ink::Plain, "see "),
                (Ink::Link, "the docs"),
                (Ink::Plain, " ("),
                (Ink::Link, "https://a.example/b"),
                (Ink::Plain, ")"),
                (Ink::Plain, ", or"),
            ],
        );
        check("[x](x)", &[(Ink::Link, "x")]);
        check(
            "at https://a.example/b. <http://c.example>",
            &[
                (Ink::Plain, "at "),
                (Ink::Link, "https://a.example/b"),
                (Ink::Plain, ". "),
                (Ink::Link, "http://c.example"),
            ],
        );
        check(
            "[0](not a link) xhttp://y",
            &[(Ink::Plain, "[0](not a link) xhttp://y")],
        );
    }

    #[test]
    fn no_character_is_lost() {
        for text in [
            "a ** b",
            "`",
            "``",
            "**",
            "x `y",
            "***z***",
            "1. ",
            "-",
            "[",
            "[]()",
            "[a](",
            "<",
            "<>",
            "<http://>",
            "h",
            "http://",
            "é[é]é",
            "[[a](b)",
        ] {
            let shown = inline(text).text();
            let expected = text.replace("[a](b)", "a (b)");
            assert_eq!(shown, expected);
        }
    }
}
