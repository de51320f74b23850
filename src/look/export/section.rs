//! An entry as a part of a document, whatever the format.

use crate::look::entry::{Entry, Mark, Text, What, calls_of};
use crate::look::human;
use crate::look::visible;
use crate::message::Role;
use crate::session::payload::MessageView;

/// Columns of a heading.
const HEADING: usize = 100;

/// One entry. Every text in it is safe to be shown.
pub(super) struct Section {
    pub(super) line: u64,
    pub(super) mark: Option<Mark>,
    /// The role or the type.
    pub(super) label: String,
    /// The time, when there is one.
    pub(super) time: Option<String>,
    /// The beginning of what it says, for entries that have no parts.
    pub(super) phrase: String,
    pub(super) parts: Vec<Part>,
}

/// A text of an entry.
pub(super) enum Part {
    /// Written by a person or a model, as a rule in Markdown.
    Prose(String),
    /// Everything else, and what it is.
    Code { title: String, text: String },
}

impl Section {
    pub(super) fn of(entry: &Entry<'_>) -> Self {
        Self {
            line: entry.line,
            mark: entry.mark(),
            label: visible::excerpt(&entry.label(), HEADING),
            time: entry.time.map(human::stamp),
            phrase: entry.phrase(HEADING),
            parts: parts(entry),
        }
    }
}

fn parts(entry: &Entry<'_>) -> Vec<Part> {
    match &entry.what {
        What::Message(view) => of_message(view, entry.tool.as_deref()),
        What::Compaction(view) => vec![Part::prose(&view.summary())],
        What::Elision(items) => items
            .iter()
            .map(|item| Part::code(&format!("instead of {}", item.id), &item.stub))
            .collect(),
        What::Damaged(_) | What::Value(_) => {
            vec![Part::Code {
                title: "the line".to_owned(),
                text: visible::bytes(entry.bytes),
            }]
        }
        What::Faulty(fault) => {
            let stored = entry.envelope.map_or("", |envelope| envelope.text());
            vec![Part::code(&fault.to_string(), stored)]
        }
        What::Dispatched(view) => {
            let arguments = view.get("arguments").unwrap_or_default();
            Part::unless_empty(&view.tool(), &Text::of_json(arguments).whole())
        }
        What::Meta(_)
        | What::Grants(_)
        | What::Settled(_)
        | What::RunContext(_)
        | What::Other(_) => {
            let payload = entry.envelope.and_then(|envelope| envelope.payload());
            Part::unless_empty("payload", payload.unwrap_or_default())
        }
    }
}

fn of_message(view: &MessageView<'_>, tool: Option<&str>) -> Vec<Part> {
    let content = view.content();
    let mut parts = match view.role {
        Role::Tool => Part::unless_empty(tool.unwrap_or("result"), &content),
        _ if content.is_empty() => Vec::new(),
        _ => vec![Part::prose(&content)],
    };
    let calls = calls_of(view);
    parts
        .extend(calls.map(|call| Part::code(&format!("→ {}", call.name), &call.arguments.whole())));
    parts
}

impl Part {
    fn prose(text: &str) -> Self {
        Part::Prose(visible::lines(text).into_owned())
    }

    fn code(title: &str, text: &str) -> Self {
        Part::Code {
            title: visible::excerpt(title, HEADING),
            text: visible::lines(text).into_owned(),
        }
    }

    fn unless_empty(title: &str, text: &str) -> Vec<Self> {
        match text.is_empty() {
            true => Vec::new(),
            false => vec![Part::code(title, text)],
        }
    }
}
