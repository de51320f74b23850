//! What stands below the summary line of an entry.

use super::Fold;
use super::text::{Nature, rows, wrapped};
use crate::look::entry::{Entry, Text, What, calls_of};
use crate::look::human;
use crate::look::visible;
use crate::message::Role;
use crate::session::payload::MessageView;
use crate::view::card;
use crate::view::links::Story;
use crate::view::overview::Folding;
use crate::view::styled::{Ink, Styled};

/// What other lines say about an entry.
///
/// ```
/// use sess::look::entry::Entries;
/// use sess::session::Verdict;
/// use sess::session::read::Lines;
/// use sess::view::body::{Fold, Rest, body};
/// let line = r#"{"id":"a","payload":{"content":"Hi","role":"user"},"ts":"","type":"message","v":1}"#;
/// let mut lines = Lines::new(line.as_bytes());
/// let line = lines.next_line()?.unwrap();
/// let entry = Entries::default().entry(line, &Verdict::of(line.bytes)).unwrap();
/// let rest = Rest { stub: Some("[elided]"), ..Rest::default() };
/// let rows: Vec<String> = body(&entry, rest, 80, Fold::Full).iter().map(|row| row.text()).collect();
/// assert_eq!(rows, ["── what the model sees instead", "[elided]", "── what it was", "Hi"]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Rest<'a> {
    /// The calls it is about.
    pub stories: &'a [Story],
    /// What a compaction or an elision did to the conversation.
    pub folding: Option<&'a Folding>,
    /// The stub that the model sees in place of the content.
    pub stub: Option<&'a str>,
}

/// The rows below the summary line.
pub fn body(entry: &Entry<'_>, rest: Rest<'_>, columns: usize, fold: Fold) -> Vec<Styled> {
    let mut page = Page {
        columns,
        fold,
        rows: Vec::new(),
    };
    if fold != Fold::Line {
        page.entry(entry, rest);
    }
    page.rows
}

struct Page {
    columns: usize,
    fold: Fold,
    rows: Vec<Styled>,
}

impl Page {
    fn text(&mut self, text: &str, nature: Nature) {
        self.rows
            .extend(rows(text, nature, self.columns, self.fold));
    }

    fn json(&mut self, text: &str) {
        self.text(text, Nature::Json);
    }

    fn heading(&mut self, name: &str) {
        self.rows.push(Styled::of(Ink::Dim, format!("── {name}")));
    }

    fn fact(&mut self, key: &str, value: &str) {
        let mut row = Styled::of(Ink::Key, format!("{key}: "));
        // Some rows of it are enough to know it by.
        row.push(Ink::Plain, visible::excerpt(value, self.columns * 4));
        self.rows.extend(wrapped(row, self.columns));
    }

    fn entry(&mut self, entry: &Entry<'_>, rest: Rest<'_>) {
        if let Some(stub) = rest.stub {
            self.heading("what the model sees instead");
            self.text(stub, Nature::Prose);
            self.heading("what it was");
        }
        match &entry.what {
            What::Message(view) if view.role == Role::Tool => self.answer(view, rest),
            What::Message(view) => self.message(view, rest),
            What::Compaction(view) => {
                self.folding(rest.folding);
                self.text(&view.summary(), Nature::Prose);
            }
            What::Elision(items) => {
                self.folding(rest.folding);
                for item in items {
                    self.fact(&item.id, "");
                    self.text(&item.stub, Nature::Prose);
                }
            }
            What::Dispatched(view) => {
                self.cards(rest);
                if let Some(arguments) = view.get("arguments") {
                    self.json(&Text::of_json(arguments).whole());
                }
            }
            What::Settled(_) => {
                self.cards(rest);
                let payload = entry.envelope.and_then(|envelope| envelope.payload());
                self.json(payload.unwrap_or_default());
            }
            What::Meta(payload) | What::RunContext(payload) => self.json(payload),
            What::Grants(list) => self.json(list.unwrap_or_default()),
            What::Other(payload) => self.json(payload.unwrap_or_default()),
            What::Faulty(fault) => {
                self.fact("what is wrong", &fault.to_string());
                self.bytes(entry.bytes);
            }
            What::Value(kind) => {
                self.fact("what is wrong", &format!("a JSON {kind}, not an object"));
                self.bytes(entry.bytes);
            }
            What::Damaged(damage) => {
                self.fact("what is wrong", damage.kind.as_str());
                self.bytes(entry.bytes);
            }
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        const MOST: usize = 64 * 1024;
        let head = bytes.get(..MOST).unwrap_or(bytes);
        self.text(&visible::bytes(head), Nature::Prose);
    }

    fn message(&mut self, view: &MessageView<'_>, rest: Rest<'_>) {
        if let Some(reasoning) = view.extra("reasoning") {
            self.heading("reasoning");
            self.text(&Text::of_json(reasoning).whole(), Nature::Prose);
            self.heading("said");
        }
        self.text(&view.content(), Nature::Prose);
        for (place, call) in calls_of(view).enumerate() {
            match rest.stories.get(place) {
                Some(story) => self.rows.push(card::line(story, self.columns)),
                None => self.heading(&visible::one_line(&call.name)),
            }
            if self.fold == Fold::Full {
                self.json(&call.arguments.whole());
            }
        }
        if self.fold == Fold::Full
            && let Some(usage) = view.extra("usage")
        {
            self.heading("usage");
            self.json(usage);
        }
    }

    fn answer(&mut self, view: &MessageView<'_>, rest: Rest<'_>) {
        if let Some(story) = rest.stories.first() {
            if self.fold == Fold::Full {
                self.facts(story);
            }
            if !story.arguments.is_empty() {
                self.heading("called with");
                self.json(&story.arguments);
                self.heading("answered");
            }
        }
        self.text(&view.content(), Nature::Output);
        if let Some(artifact) = view.extra("artifact") {
            self.heading("artifact");
            self.json(artifact);
        }
    }

    fn facts(&mut self, story: &Story) {
        self.fact("call", &story.call_id);
        if let Some(op_id) = &story.op_id {
            self.fact("operation", op_id);
        }
        if let Some(idempotency) = &story.idempotency {
            self.fact("idempotency", idempotency);
        }
        for (name, moment) in [
            ("asked", story.asked),
            ("dispatched", story.dispatched),
            ("answered", story.answered),
            ("settled", story.settled),
        ] {
            if let Some(time) = moment.and_then(|moment| moment.time) {
                self.fact(name, &human::stamp(time));
            }
        }
    }

    fn cards(&mut self, rest: Rest<'_>) {
        for story in rest.stories {
            self.rows.push(card::line(story, self.columns));
        }
    }

    fn folding(&mut self, folding: Option<&Folding>) {
        if let Some(folding) = folding {
            self.fact("folded", &folding.to_string());
        }
    }
}
