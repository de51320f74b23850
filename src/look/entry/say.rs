//! What each kind of entry says in one line.

use super::call::calls_of;
use super::line::{Entry, What};
use super::phrase::Phrase;
use super::text::Text;
use crate::canonical::{elements, members};
use crate::look::{human, width};
use crate::message::Role;
use crate::session::envelope::{kind_of, present};
use crate::session::payload::{CompactionView, MessageView, Outcome, SettleView, elided};

/// Puts an entry into words.
pub fn entry(entry: &Entry<'_>, phrase: &mut Phrase) {
    match &entry.what {
        What::Meta(payload) => meta(payload, phrase),
        What::Message(view) => message(entry, view, phrase),
        What::Grants(list) => grants(*list, phrase),
        What::Compaction(view) => compaction(view, phrase),
        What::Elision(items) => {
            let count = human::counted(elided(items), "content", "contents");
            phrase.words(&count).words(" replaced");
            if let Some(first) = items.first() {
                phrase.words(": ").quote(Text::Plain(&first.stub));
            }
        }
        What::Dispatched(view) => {
            phrase.quote(Text::Plain(&view.tool())).words(" ");
            if let Some(arguments) = view.get("arguments") {
                phrase.arguments(Text::of_json(arguments));
            }
        }
        What::Settled(view) => settled(entry, view, phrase),
        What::RunContext(payload) => run_context(payload, phrase),
        What::Other(Some(payload)) => {
            phrase.json(payload);
        }
        What::Other(None) => {
            let object = entry.envelope.map(|envelope| envelope.text());
            phrase.pairs(object.unwrap_or_default(), &["id", "ts", "type", "v"]);
        }
        What::Faulty(fault) => {
            let fault = fault.to_string();
            phrase
                .words(&fault)
                .words(": ")
                .quote(Text::Bytes(entry.bytes));
        }
        What::Value(_) => {
            phrase.quote(Text::Bytes(entry.bytes));
        }
        What::Damaged(damage) => {
            phrase.words(damage.kind.as_str()).words(": ");
            phrase.quote(Text::Bytes(entry.bytes));
        }
    }
}

/// The keys that say who runs where, then the rest.
fn meta(payload: &str, phrase: &mut Phrase) {
    const KNOWN: [&str; 3] = ["agent", "model", "cwd"];
    let mut separator = "";
    for value in KNOWN.iter().filter_map(|key| present(payload, key)) {
        phrase.words(separator).quote(Text::of_json(value));
        separator = " · ";
    }
    let rest = members(payload).into_iter().flatten();
    let known = KNOWN.iter().filter(|key| present(payload, key).is_some());
    if rest.count() > known.count() {
        phrase.words(separator).pairs(payload, &KNOWN);
    }
}

fn message(entry: &Entry<'_>, view: &MessageView<'_>, phrase: &mut Phrase) {
    flags(view, phrase);
    match view.role {
        Role::Tool => answer(entry, view, phrase),
        Role::Assistant => turn(entry, view, phrase),
        Role::System | Role::User => {
            phrase.quote(content(view));
        }
    }
}

/// What sets a message apart from others of its role.
fn flags(view: &MessageView<'_>, phrase: &mut Phrase) {
    if view.sticky && !view.sysprompt {
        phrase.words("[sticky] ");
    }
    if let Some(depth) = view.depth {
        phrase.words(&format!("[depth {depth}] "));
    }
    if let Some(kind) = view.extra("injected") {
        flag("injected", kind, phrase);
    }
    let usual = ["\"stop\"", "\"tool_calls\""];
    let reason = view.extra("finish-reason");
    if let Some(reason) = reason.filter(|reason| !usual.contains(reason)) {
        let reason = Text::of_json(reason);
        phrase.words("[finish-reason ").quote(reason).words("] ");
    }
}

fn flag(name: &str, value: &str, phrase: &mut Phrase) {
    const LONGEST: usize = 20;
    let value = Text::of_json(value).excerpt(LONGEST);
    phrase.words(&format!("[{name} {value}] "));
}

/// A tool's answer to a call.
fn answer(entry: &Entry<'_>, view: &MessageView<'_>, phrase: &mut Phrase) {
    let call_id = view.tool_call_id().unwrap_or_default();
    let tool = entry.tool.as_deref().unwrap_or(&call_id);
    let how = if view.flag("outcome-unknown") {
        " (outcome unknown)"
    } else if view.flag("abandoned") {
        " (never dispatched)"
    } else if view.flag("background") {
        " (goes on in the background)"
    } else if view.flag("is-error") {
        " failed"
    } else {
        ""
    };
    let separator = if tool.is_empty() && how.is_empty() {
        ""
    } else {
        ": "
    };
    phrase.quote(Text::Plain(tool)).words(how).words(separator);
    phrase.quote(content(view));
}

/// A turn of the model: what it says, and what it calls. Neither crowds the other out.
fn turn(entry: &Entry<'_>, view: &MessageView<'_>, phrase: &mut Phrase) {
    let said = content(view);
    if calls_of(view).next().is_none() {
        phrase.quote(said);
        return;
    }
    let room = phrase.room();
    let full = said.excerpt(room);
    let left = room.saturating_sub(width::width(&full) + 1);
    let mut calls = Phrase::new(if full.is_empty() {
        room
    } else {
        left.max(room / 2)
    });
    let with_arguments = full.is_empty() || !entry.dispatches_recorded;
    let mut separator = "→ ";
    for call in calls_of(view) {
        calls.words(separator).quote(Text::Plain(&call.name));
        if with_arguments {
            calls.words(" ").arguments(call.arguments);
        }
        separator = ", ";
    }
    let calls = calls.finish();
    if !full.is_empty() {
        let left = room.saturating_sub(width::width(&calls) + 1);
        phrase.words(&said.excerpt(left)).words(" ");
    }
    phrase.words(&calls);
}

fn content<'a>(view: &MessageView<'a>) -> Text<'a> {
    Text::Token(view.content_token())
}

/// Each grant's decision and tool, then whatever narrows it.
fn grants(list: Option<&str>, phrase: &mut Phrase) {
    let Some(list) = list else {
        phrase.words("no list");
        return;
    };
    let count = elements(list).into_iter().flatten().count();
    phrase.words(&human::counted(count as u64, "grant", "grants"));
    let mut separator = ": ";
    for grant in elements(list).into_iter().flatten() {
        phrase.words(separator);
        separator = "; ";
        if kind_of(grant) != "object" {
            phrase.quote(Text::of_json(grant));
            continue;
        }
        let mut gap = "";
        for value in ["decision", "tool"]
            .iter()
            .filter_map(|key| present(grant, key))
        {
            phrase.words(gap).quote(Text::of_json(value));
            gap = " ";
        }
        let rest = members(grant).into_iter().flatten();
        for (_, value) in rest.filter(|(key, _)| !matches!(*key, "\"decision\"" | "\"tool\"")) {
            phrase.words(gap).quote(Text::of_json(value));
            gap = " ";
        }
    }
}

fn compaction(view: &CompactionView<'_>, phrase: &mut Phrase) {
    let count = |tokens: Option<u64>| tokens.map_or("?".to_owned(), human::count);
    if let (before, after) = view.tokens()
        && (before.is_some() || after.is_some())
    {
        phrase.words(&format!("{} → {} tokens", count(before), count(after)));
    }
    if view.fallback() {
        let gap = if phrase.is_empty() { "" } else { ", " };
        phrase.words(gap).words("without a summary of the model");
    }
    let separator = if phrase.is_empty() { "" } else { ": " };
    phrase
        .words(separator)
        .quote(Text::Token(view.summary_token()));
}

fn settled(entry: &Entry<'_>, view: &SettleView<'_>, phrase: &mut Phrase) {
    let tool = entry.tool.as_deref().unwrap_or(&view.op_id);
    phrase.quote(Text::Plain(tool)).words(match view.outcome {
        Outcome::Completed => " completed",
        Outcome::Failed => " failed",
        Outcome::OutcomeUnknown => " ended, outcome unknown",
    });
    if let Some(seconds) = view.seconds() {
        let lasted = std::time::Duration::try_from_secs_f64(seconds);
        let lasted = lasted.map_or_else(|_| format!("{seconds} s"), human::duration);
        phrase.words(" in ").words(&lasted);
    }
    if let Some(reason) = view.get("reason") {
        phrase.words(" (").quote(Text::of_json(reason)).words(")");
    }
    if let Some(error) = view.get("error") {
        phrase.words(": ").quote(Text::of_json(error));
    }
}

/// The names of the sections, then the facts.
fn run_context(payload: &str, phrase: &mut Phrase) {
    let list = |key| {
        present(payload, key)
            .and_then(elements)
            .into_iter()
            .flatten()
    };
    let names = list("sections").filter_map(|section| present(section, "name"));
    for name in names {
        let gap = if phrase.is_empty() { "" } else { ", " };
        phrase.words(gap).quote(Text::of_json(name));
    }
    let mut separator = if phrase.is_empty() { "" } else { " · " };
    for fact in list("facts") {
        let mut sides = elements(fact).into_iter().flatten();
        if let (Some(key), Some(value)) = (sides.next(), sides.next()) {
            phrase.words(separator).quote(Text::of_json(key));
            phrase.words(": ").quote(Text::of_json(value));
            separator = ", ";
        }
    }
}
