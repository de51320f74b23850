//! A document from its first line to its last.

use std::io::{self, Write};

use super::section::Section;
use super::{html, markdown};
use crate::look::entry::Entry;
use crate::look::human;
use crate::look::summary::Summary;
use crate::look::visible;

/// What is written.
///
/// ```
/// use sess::look::export::{Export, Format};
/// use sess::look::summary::summarise;
/// let line = r#"{"id":"a","payload":{"model":"small"},"ts":"","type":"session-meta","v":1}"#;
/// let mut page = Vec::new();
/// Export::begin(Format::Markdown, &mut page, "run.jsonl", &summarise(line.as_bytes())?)?.finish()?;
/// assert!(page.starts_with(b"# run.jsonl"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// CommonMark with fenced code.
    Markdown,
    /// One file with its style, and without a script.
    Html,
}

/// Writes a document.
///
/// ```
/// use std::ops::ControlFlow;
/// use sess::look::entry::Entries;
/// use sess::look::export::{Export, Format};
/// use sess::look::summary::summarise;
/// use sess::session::judge::each_line;
/// let source = std::fs::read("samples/sessions/healthy.jsonl")?;
/// let mut page = Vec::new();
/// let mut export = Export::begin(Format::Html, &mut page, "healthy.jsonl", &summarise(&*source)?)?;
/// let mut entries = Entries::default();
/// let failed = each_line(&*source, |line, verdict| {
///     let written = entries.entry(line, &verdict).map(|entry| export.entry(&entry));
///     match written {
///         Some(Err(error)) => ControlFlow::Break(error),
///         _ => ControlFlow::Continue(()),
///     }
/// })?;
/// assert!(failed.is_none());
/// export.finish()?;
/// assert!(page.starts_with(b"<!DOCTYPE html>"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Export<W> {
    format: Format,
    out: W,
}

/// What stands at the top of a document.
pub(super) struct Head {
    pub(super) name: String,
    pub(super) facts: Vec<(&'static str, String)>,
}

impl<W: Write> Export<W> {
    /// Begins a document about the transcript of this name.
    pub fn begin(format: Format, mut out: W, name: &str, summary: &Summary) -> io::Result<Self> {
        let head = Head::of(name, summary);
        match format {
            Format::Markdown => markdown::begin(&mut out, &head)?,
            Format::Html => html::begin(&mut out, &head)?,
        }
        Ok(Self { format, out })
    }

    /// Writes one entry.
    pub fn entry(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        let section = Section::of(entry);
        match self.format {
            Format::Markdown => markdown::section(&mut self.out, &section),
            Format::Html => html::section(&mut self.out, &section),
        }
    }

    /// Ends the document.
    pub fn finish(mut self) -> io::Result<()> {
        if self.format == Format::Html {
            html::end(&mut self.out)?;
        }
        self.out.flush()
    }
}

impl Head {
    fn of(name: &str, summary: &Summary) -> Self {
        let mut facts = vec![("state", summary.verdict())];
        if let Some((first, last)) = summary.counts.span {
            let span = (last - first).to_std().unwrap_or_default();
            facts.push(("begun", human::stamp(first)));
            facts.push(("took", human::duration(span)));
        }
        let meta = summary.meta.compact();
        if meta != "{}" {
            facts.push(("meta", visible::one_line(&meta).into_owned()));
        }
        let lines = human::counted(summary.report.lines, "line", "lines");
        facts.push((
            "size",
            format!("{lines}, {}", human::size(summary.report.size)),
        ));
        Self {
            name: visible::one_line(name).into_owned(),
            facts,
        }
    }
}
