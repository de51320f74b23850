//! Writes one line: five keys, sorted at every depth, no white space, one line feed.

use std::fmt::Write;
use std::ops::Range;

use super::envelope::FORMAT_VERSION;
use super::shape::spelled;
use crate::canonical::{Json, members, write_string};

/// Builds one line. The payload's members may be given in any order; they are written sorted, and
/// without moving them again when they are given sorted.
#[derive(Debug)]
pub(crate) struct LineWriter {
    /// The line so far, up to the last member.
    line: String,
    /// Where the payload begins.
    payload: usize,
    /// The last key, quoted and escaped.
    last_key: Range<usize>,
    sorted: bool,
}

impl LineWriter {
    /// A line that is written into this memory.
    pub(crate) fn new(memory: String, id: &str) -> Self {
        let line = begin_envelope(memory, id);
        Self {
            payload: line.len(),
            line,
            last_key: 0..0,
            sorted: true,
        }
    }

    pub(crate) fn text(&mut self, key: &str, value: &str) {
        self.member(key, |out| write_string(out, value));
    }

    pub(crate) fn optional(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    pub(crate) fn flag(&mut self, key: &str, value: bool) {
        self.number(key, if value { "true" } else { "false" });
    }

    pub(crate) fn integer(&mut self, key: &str, value: i64) {
        self.number(key, &value.to_string());
    }

    pub(crate) fn count(&mut self, key: &str, value: Option<u64>) {
        if let Some(value) = value {
            self.number(key, &value.to_string());
        }
    }

    /// A token that is already JSON.
    pub(crate) fn number(&mut self, key: &str, token: &str) {
        self.member(key, |out| out.push_str(token));
    }

    pub(crate) fn json(&mut self, key: &str, value: &Json) {
        self.member(key, |out| value.write_compact(out));
    }

    pub(crate) fn list<'a>(&mut self, key: &str, values: impl IntoIterator<Item = &'a Json>) {
        self.member(key, |out| {
            out.push('[');
            for (index, value) in values.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                value.write_compact(out);
            }
            out.push(']');
        });
    }

    fn member(&mut self, key: &str, value: impl FnOnce(&mut String)) {
        let is_first = self.line.len() == self.payload;
        self.line.push(if is_first { '{' } else { ',' });
        let start = self.line.len();
        write_string(&mut self.line, key);
        let this_key = start..self.line.len();
        self.line.push(':');
        if !is_first {
            let last = self.line.get(self.last_key.clone()).unwrap_or_default();
            self.sorted &= spelled(last).as_ref() <= key;
        }
        self.last_key = this_key;
        value(&mut self.line);
    }

    /// The line, its line feed included.
    pub(crate) fn finish(mut self, ts: &str, type_name: &str) -> String {
        if self.line.len() == self.payload {
            self.line.push('{');
        }
        self.line.push('}');
        if !self.sorted {
            self.sort_members();
        }
        finish_envelope(self.line, ts, type_name)
    }

    fn sort_members(&mut self) {
        let payload = self.line.split_off(self.payload);
        let mut members: Vec<_> = members(&payload).into_iter().flatten().collect();
        members.sort_by_key(|(key, _)| spelled(key));
        self.line.push('{');
        for (index, (key, value)) in members.into_iter().enumerate() {
            if index > 0 {
                self.line.push(',');
            }
            self.line.push_str(key);
            self.line.push(':');
            self.line.push_str(value);
        }
        self.line.push('}');
    }
}

/// A line around a payload that is a document of its own, written into this memory.
pub(crate) fn document_line(
    memory: String,
    id: &str,
    payload: &Json,
    ts: &str,
    type_name: &str,
) -> String {
    let mut line = begin_envelope(memory, id);
    payload.write_compact(&mut line);
    finish_envelope(line, ts, type_name)
}

/// The line up to its payload.
fn begin_envelope(mut line: String, id: &str) -> String {
    line.clear();
    line.push_str("{\"id\":");
    write_string(&mut line, id);
    line.push_str(",\"payload\":");
    line
}

fn finish_envelope(mut line: String, ts: &str, type_name: &str) -> String {
    line.push_str(",\"ts\":");
    write_string(&mut line, ts);
    line.push_str(",\"type\":");
    write_string(&mut line, type_name);
    // Writing to a String cannot fail.
    let _ = writeln!(line, ",\"v\":{FORMAT_VERSION}}}");
    line
}
