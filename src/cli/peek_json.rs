//! `sess peek --json`: one document, written as the file is read, so that memory does not grow with
//! it.
//!
//! `{path, size, meta, envelopes, messages, warnings, error?}`, and in it what
//! [`Session::peek`](crate::Session::peek) answers. Each part is a pass over the file; bytes that
//! came after the first look are in none of them.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use crate::canonical::write_string;
use crate::look::entry::Entries;
use crate::session::PeekError;
use crate::session::envelope::{Envelope, Verdict};
use crate::session::payload::MessageView;
use crate::session::peek::{First, open, says_something, warnings_of};
use crate::session::read::{Line, Lines};

use super::error::Result;
use super::exit::Exit;
use super::filter::Filter;
use super::output::Output;
use super::peek::Args;
use super::refusal;
use super::source::Source;

/// Writes the document. Where something is in the way, it says so and holds what could be read.
pub fn run(args: &Args, source: &Source, out: &mut Output) -> Result<Exit> {
    let mut document = Document {
        args,
        name: source.name().to_string_lossy().into_owned(),
        out,
        size: 0,
        trouble: None,
    };
    let mut file = match open(source.path()) {
        Ok(file) => file,
        Err(error) => {
            document.of_nothing(&error)?;
            return Err(refusal::unseen(source, &error));
        }
    };
    let (any, refusal) = document.of_file(&mut file, source)?;
    match refusal {
        Some(PeekError::NotTranscript { reason, .. }) => {
            Err(refusal::not_a_transcript(source, &mut file, &reason))
        }
        Some(error) => Err(refusal::unseen(source, &error)),
        None if !any && !args.filter.is_empty() => Err(refusal::no_entry(source)),
        None => Ok(Exit::Yes),
    }
}

struct Document<'d> {
    args: &'d Args,
    name: String,
    out: &'d mut Output,
    size: u64,
    /// What ended the reading before the end of the file.
    trouble: Option<io::Error>,
}

impl Document<'_> {
    fn of_nothing(&mut self, error: &PeekError) -> io::Result<()> {
        self.head("{}")?;
        for part in ["envelopes", "messages", "warnings"] {
            self.list(part, |_, _| Ok(()))?;
        }
        self.foot(Some(error))
    }

    /// Answers whether an entry was chosen, and why the file is not what it should be.
    fn of_file(
        &mut self,
        file: &mut File,
        source: &Source,
    ) -> io::Result<(bool, Option<PeekError>)> {
        match file.metadata() {
            Ok(metadata) => self.size = metadata.len(),
            Err(error) => self.trouble = Some(error),
        }
        let args = self.args;
        let (meta, first) = self.meta(file)?;
        self.head(&meta)?;
        let mut any = false;
        self.list("envelopes", |document, items| {
            let mut choice = Choice::of(args);
            document.pass(file, |out, line, verdict| {
                let taken = choice.takes(line, verdict);
                any = any || taken;
                match verdict {
                    Verdict::Object(envelope) if taken && envelope.type_name().is_some() => {
                        items.add(out, envelope.text().trim_ascii())?;
                    }
                    _ => {}
                }
                Ok(!choice.is_done())
            })
        })?;
        self.list("messages", |document, items| {
            let mut choice = Choice::of(args);
            document.pass(file, |out, line, verdict| {
                if choice.takes(line, verdict)
                    && let Verdict::Object(envelope) = verdict
                    && let Some(view) = message(envelope)
                {
                    items.add(out, &json_of_message(&view))?;
                }
                Ok(!choice.is_done())
            })
        })?;
        self.list("warnings", |document, items| {
            document.pass(file, |out, line, verdict| {
                for warning in warnings_of(line, verdict) {
                    let (offset, length) = (warning.offset, warning.length);
                    let (kind, message) = (warning.kind.as_str(), string(&warning.message));
                    let place = format!(
                        "\"line\":{},\"offset\":{offset},\"length\":{length}",
                        warning.line
                    );
                    let item = format!("{{{place},\"kind\":\"{kind}\",\"message\":{message}}}");
                    items.add(out, &item)?;
                }
                Ok(true)
            })
        })?;
        let refusal = self.refusal(source, &first);
        self.foot(refusal.as_ref())?;
        Ok((any, refusal))
    }

    /// The first meta that says something, and the type of the first envelope, which comes no later.
    fn meta(&mut self, file: &mut File) -> io::Result<(String, First)> {
        let mut meta = None;
        let mut first = First::default();
        self.pass(file, |_, _, verdict| {
            let Verdict::Object(envelope) = verdict else {
                return Ok(true);
            };
            let type_name = envelope.type_name();
            first.see(envelope);
            if type_name.as_deref() == Some("session-meta") {
                let payload = envelope.payload().filter(|payload| says_something(payload));
                meta = payload.map(str::to_owned);
            }
            Ok(meta.is_none())
        })?;
        Ok((meta.unwrap_or_else(|| "{}".to_owned()), first))
    }

    /// Visits every line from the first on, while the visitor answers `true`. After a failed read
    /// there is nothing to visit.
    fn pass(
        &mut self,
        file: &mut File,
        mut visit: impl FnMut(&mut Output, Line<'_>, &Verdict<'_>) -> io::Result<bool>,
    ) -> io::Result<()> {
        if self.trouble.is_none() {
            self.trouble = file.rewind().err();
        }
        let mut lines = Lines::new(file.take(self.size));
        while self.trouble.is_none() {
            match lines.next_line() {
                Ok(Some(line)) if visit(self.out, line, &Verdict::of(line.bytes))? => {}
                Ok(_) => break,
                Err(error) => self.trouble = Some(error),
            }
        }
        Ok(())
    }

    fn refusal(&mut self, source: &Source, first: &First) -> Option<PeekError> {
        let path = source.name().to_owned();
        match (self.trouble.take(), first.strict_verdict()) {
            (Some(error), _) => {
                let reason = error.to_string();
                Some(PeekError::Unreadable { path, reason })
            }
            (None, Err(reason)) => Some(PeekError::NotTranscript { path, reason }),
            (None, Ok(())) => None,
        }
    }

    fn head(&mut self, meta: &str) -> io::Result<()> {
        let head = format!(
            "{{\"path\":{},\"size\":{},\n\"meta\":",
            string(&self.name),
            self.size
        );
        self.out.json_text(&head)?;
        self.out.json_text(meta)
    }

    fn list(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut Self, &mut Items) -> io::Result<()>,
    ) -> io::Result<()> {
        write!(self.out, ",\n\"{name}\":[")?;
        fill(self, &mut Items::default())?;
        self.out.write_all(b"]")
    }

    fn foot(&mut self, error: Option<&PeekError>) -> io::Result<()> {
        if let Some(error) = error {
            let (kind, message) = (error.kind(), string(&error.to_string()));
            let error = format!(",\n\"error\":{{\"kind\":\"{kind}\",\"message\":{message}}}");
            self.out.json_text(&error)?;
        }
        self.out.write_all(b"}\n")
    }
}

/// The items of a list, each on a line of its own.
#[derive(Default)]
struct Items {
    any: bool,
}

impl Items {
    fn add(&mut self, out: &mut Output, json: &str) -> io::Result<()> {
        let separator: &[u8] = if self.any { b",\n" } else { b"\n" };
        self.any = true;
        out.write_all(separator)?;
        out.json_text(json)
    }
}

/// Which entries were asked for.
struct Choice<'a> {
    filter: &'a Filter,
    entries: Entries,
    left: u64,
}

impl<'a> Choice<'a> {
    fn of(args: &'a Args) -> Self {
        Self {
            filter: &args.filter,
            entries: Entries::default(),
            left: args.lines.unwrap_or(u64::MAX),
        }
    }

    fn takes(&mut self, line: Line<'_>, verdict: &Verdict<'_>) -> bool {
        if self.filter.is_empty() && self.left == u64::MAX {
            return true;
        }
        let entry = self.entries.entry(line, verdict);
        let takes = self.left > 0 && entry.is_some_and(|entry| self.filter.lets_through(&entry));
        self.left -= u64::from(takes);
        takes
    }

    fn is_done(&self) -> bool {
        self.left == 0
    }
}

fn message<'a>(envelope: &Envelope<'a>) -> Option<MessageView<'a>> {
    if envelope.type_name()? != "message" {
        return None;
    }
    MessageView::of(envelope).ok()
}

/// The message without what surrounds it in the file; calls are as stored.
fn json_of_message(view: &MessageView<'_>) -> String {
    let mut json = format!("{{\"role\":\"{}\",\"content\":", view.role);
    write_string(&mut json, &view.content());
    let calls: Vec<&str> = view.tool_calls().collect();
    if !calls.is_empty() {
        json.push_str(&format!(",\"tool-calls\":[{}]", calls.join(",")));
    }
    if let Some(call_id) = view.tool_call_id() {
        json.push_str(",\"tool-call-id\":");
        write_string(&mut json, &call_id);
    }
    for (name, flag) in [("sticky", view.sticky), ("sysprompt", view.sysprompt)] {
        if flag {
            json.push_str(&format!(",\"{name}\":true"));
        }
    }
    if let Some(depth) = view.depth {
        json.push_str(&format!(",\"depth\":{depth}"));
    }
    json.push('}');
    json
}

fn string(text: &str) -> String {
    let mut json = String::new();
    write_string(&mut json, text);
    json
}
