//! The Markdown of a document.
//!
//! What a model or a person wrote is quoted, so that its headings do not become the document's; what
//! tools and machines wrote, and prose with HTML, images or links in it, stands in fences that
//! nothing in it can close.

use std::io::{self, Write};

use super::document::Head;
use super::section::{Part, Section};

pub(super) fn begin(out: &mut impl Write, head: &Head) -> io::Result<()> {
    writeln!(out, "# {}\n", plain(&head.name))?;
    for (key, value) in &head.facts {
        writeln!(out, "- **{key}**: {}", plain(value))?;
    }
    Ok(())
}

pub(super) fn section(out: &mut impl Write, section: &Section) -> io::Result<()> {
    write!(out, "\n## {}", section.line)?;
    if let Some(mark) = section.mark {
        write!(out, " {}", mark.glyph())?;
    }
    write!(out, " {}", plain(&section.label))?;
    if let Some(time) = &section.time {
        write!(out, " · {time}")?;
    }
    writeln!(out)?;
    if section.parts.is_empty() && !section.phrase.is_empty() {
        writeln!(out, "\n{}", plain(&section.phrase))?;
    }
    for part in &section.parts {
        writeln!(out)?;
        match part {
            Part::Prose(text) => prose(out, text)?,
            Part::Code { title, text } => {
                writeln!(out, "{}\n", plain(title))?;
                fenced(out, text)?;
            }
        }
    }
    Ok(())
}

/// Prose keeps its Markdown, unless something in it could do more than look like something.
fn prose(out: &mut impl Write, text: &str) -> io::Result<()> {
    match is_harmless(text) {
        true => quote(out, text),
        false => fenced(out, text),
    }
}

/// Whether no Markdown renderer makes HTML of a text, an image, or a link that hides where it leads.
/// Which of its lines are code is not asked: to be wrong about that would let the rest through.
fn is_harmless(text: &str) -> bool {
    let tag = |it: char| it.is_ascii_alphabetic() || matches!(it, '/' | '!' | '?');
    let no_tag = text.split('<').skip(1).all(|rest| !rest.starts_with(tag));
    no_tag
        && !["](", "][", "]:", "!["]
            .iter()
            .any(|mark| text.contains(mark))
}

fn quote(out: &mut impl Write, text: &str) -> io::Result<()> {
    let mut lines = text.trim_end_matches('\n').split('\n');
    lines.try_for_each(|line| match line {
        "" => writeln!(out, ">"),
        line => writeln!(out, "> {line}"),
    })
}

/// A fence is longer than any run of backticks in what it holds.
fn fenced(out: &mut impl Write, text: &str) -> io::Result<()> {
    let longest = text.split(|it| it != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or_default().max(2) + 1);
    writeln!(out, "{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// Text in which every character that could be markup is escaped.
fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if "\\`*_{}[]<>#+!|~&".contains(character) {
            safe.push('\\');
        }
        safe.push(character);
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl Fn(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_fence_cannot_be_closed_from_inside() {
        assert_eq!(
            written(|out| fenced(out, "a\n````\n<b>\n")),
            "`````\na\n````\n<b>\n`````\n"
        );
        assert_eq!(written(|out| fenced(out, "a")), "```\na\n```\n");
    }

    #[test]
    fn harmless_prose_keeps_its_markdown() {
        let text = "# Title\n\n- `a < b` and <3\n```sh\nls\n```\n";
        assert_eq!(
            written(|out| prose(out, text)),
            "> # Title\n>\n> - `a < b` and <3\n> ```sh\n> ls\n> ```\n"
        );
    }

    #[test]
    fn what_could_do_more_than_be_read_is_fenced() {
        for text in [
            "<script>x</script>",
            "\\<b>",
            "\\` <b> \\`",
            "```x```\n<b>",
            "    ```\n<b>",
            "1. x\n   ```\n<b>",
            "<!-- x -->",
            "</b>",
            "<?x?>",
            "<https://example.org>",
            "![x](https://example.org/seen.png)",
            "[x](javascript:x)",
            "[x][y]\n\n[y]: javascript:x",
        ] {
            assert!(!is_harmless(text), "{text}");
            let out = written(|out| prose(out, text));
            let fence = out.lines().next().unwrap_or_default();
            assert!(fence.starts_with("```") && !text.contains(fence), "{out}");
            assert_eq!(out, format!("{fence}\n{text}\n{fence}\n"));
        }
    }

    #[test]
    fn a_heading_holds_no_markup() {
        assert_eq!(plain("a_b <i> [x](y)"), "a\\_b \\<i\\> \\[x\\](y)");
    }
}
