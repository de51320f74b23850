//! The Markdown of a document.
//!
//! What a model or a person wrote is quoted, so that its headings do not become the document's; what
//! tools and machines wrote stands in fences that nothing in it can close.

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
            Part::Prose(text) => quote(out, text)?,
            Part::Code { title, text } => {
                writeln!(out, "{}\n", plain(title))?;
                fenced(out, text)?;
            }
        }
    }
    Ok(())
}

/// Markdown stays Markdown, but no HTML in it stays HTML.
fn quote(out: &mut impl Write, text: &str) -> io::Result<()> {
    let mut fence: Option<String> = None;
    for line in text.trim_end_matches('\n').split('\n') {
        let code = fence.is_some();
        let run = fence_of(line);
        match (&fence, run) {
            (None, Some(run)) => fence = Some(run),
            (Some(open), Some(run)) if run.starts_with(open.as_str()) => fence = None,
            _ => {}
        }
        match code || fence.is_some() {
            true => writeln!(out, "> {line}")?,
            false => writeln!(out, "> {}", without_html(line))?,
        }
    }
    // A fence that the text leaves open ends with the quotation.
    Ok(())
}

/// The run of backticks or tildes that opens or closes fenced code.
fn fence_of(line: &str) -> Option<String> {
    let line = line.trim_start_matches(' ');
    let mark = line
        .chars()
        .next()
        .filter(|mark| matches!(mark, '`' | '~'))?;
    let run: String = line.chars().take_while(|it| *it == mark).collect();
    (run.len() >= 3).then_some(run)
}

/// A line in which no tag, comment or link target is one. Inside code spans nothing is changed.
fn without_html(line: &str) -> String {
    let mut safe = String::with_capacity(line.len());
    let mut code = false;
    for character in line.chars() {
        match character {
            '`' => code = !code,
            '<' if !code => {
                safe.push('\\');
            }
            _ => {}
        }
        safe.push(character);
    }
    // A code span that is left open is none.
    match code {
        true => line.replace('<', "\\<"),
        false => safe,
    }
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
    fn prose_keeps_its_markdown_and_loses_its_html() {
        let text = "# Title\n<script>x</script> and `Vec<T>`\n```rust\nVec<T>\n```\n<b> ` <i>\n";
        assert_eq!(
            written(|out| quote(out, text)),
            "> # Title\n> \\<script>x\\</script> and `Vec<T>`\n> ```rust\n> Vec<T>\n> ```\n> \\<b> ` \\<i>\n"
        );
    }

    #[test]
    fn a_heading_holds_no_markup() {
        assert_eq!(plain("a_b <i> [x](y)"), "a\\_b \\<i\\> \\[x\\](y)");
    }
}
