//! The HTML of a document: one file, light and dark, readable without a script and without a
//! network.

use std::io::{self, Write};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::document::Head;
use super::section::{Part, Section};
use crate::look::human::counted;

/// A text of more lines is folded.
const LONG: usize = 24;

const STYLE: &str = include_str!("style.css");

pub(super) fn begin(out: &mut impl Write, head: &Head) -> io::Result<()> {
    let top = html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
            title { (head.name) }
            style { (PreEscaped(STYLE)) }
        }
        header {
            h1 { (head.name) }
            dl {
                @for (key, value) in &head.facts {
                    dt { (key) } dd { (value) }
                }
            }
        }
    };
    // The elements that hold the entries stay open until the end.
    writeln!(
        out,
        "{}<html lang=\"en\">{}<main>",
        DOCTYPE.into_string(),
        top.into_string()
    )
}

pub(super) fn section(out: &mut impl Write, section: &Section) -> io::Result<()> {
    let anchor = format!("L{}", section.line);
    let written = html! {
        article id=(anchor) class=(class(section)) {
            h2 {
                a href={ "#" (anchor) } { (section.line) }
                @if let Some(mark) = section.mark { " " b { (mark.glyph()) } }
                " " span { (section.label) }
                @if let Some(time) = &section.time { " " time { (time) } }
            }
            @if section.parts.is_empty() && !section.phrase.is_empty() {
                p { (section.phrase) }
            }
            @for part in &section.parts { (of_part(part)) }
        }
    };
    writeln!(out, "{}", written.into_string())
}

pub(super) fn end(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "</main></html>")
}

/// Only classes that the style knows; a label comes from the file.
fn class(section: &Section) -> &'static str {
    let known = [
        "user",
        "assistant",
        "tool",
        "system",
        "compaction",
        "damaged",
    ];
    let found = known.into_iter().find(|known| *known == section.label);
    found.unwrap_or("other")
}

fn of_part(part: &Part) -> Markup {
    match part {
        Part::Prose(text) => html! { div.prose { (text) } },
        Part::Code { title, text } => {
            let lines = text.lines().count();
            html! {
                @if lines > LONG {
                    details {
                        summary { (title) " · " (counted(lines as u64, "line", "lines")) }
                        pre { (text) }
                    }
                } @else {
                    h3 { (title) }
                    pre { (text) }
                }
            }
        }
    }
}
