//! Writes one line: five keys, sorted at every depth, no white space, one line feed.

use std::cmp::Ordering;
use std::fmt::Write;

use super::envelope::FORMAT_VERSION;
use crate::canonical::{Json, write_string};

/// Builds one line. The payload's members may be given in any order; they are written sorted, and
/// without moving them again when they are given sorted.
#[derive(Debug)]
pub(crate) struct LineWriter {
    /// The line so far, up to the last member.
    line: String,
    members: Vec<Member>,
}

/// Where a member stands in the line.
#[derive(Clone, Copy, Debug)]
struct Member {
    start: usize,
    key_end: usize,
    end: usize,
}

impl LineWriter {
    /// A line that is written into this memory.
    pub(crate) fn new(memory: String, id: &str) -> Self {
        Self {
            line: begin_envelope(memory, id),
            members: Vec::with_capacity(8),
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
        self.line.push(match self.members.is_empty() {
            true => '{',
            false => ',',
        });
        let start = self.line.len();
        write_string(&mut self.line, key);
        let key_end = self.line.len();
        self.line.push(':');
        value(&mut self.line);
        self.members.push(Member {
            start,
            key_end,
            end: self.line.len(),
        });
    }

    /// The line, its line feed included.
    pub(crate) fn finish(mut self, ts: &str, type_name: &str) -> String {
        if self.members.is_empty() {
            self.line.push('{');
        }
        self.sort_members();
        self.line.push('}');
        finish_envelope(self.line, ts, type_name)
    }

    fn sort_members(&mut self) {
        let line = &self.line;
        let in_order = |a: &Member, b: &Member| order(line, a, b) != Ordering::Greater;
        if self.members.is_sorted_by(in_order) {
            return;
        }
        self.members.sort_by(|a, b| order(line, a, b));
        let texts = self.members.iter().map(|it| &line[it.start..it.end]);
        let payload = texts.collect::<Vec<_>>().join(",");
        let start = self.members.iter().map(|it| it.start).min();
        self.line.truncate(start.unwrap_or_default());
        self.line.push_str(&payload);
    }
}

/// By the code points of the keys, as every depth of a line is sorted. A key with escapes sorts by
/// what it spells.
fn order(line: &str, a: &Member, b: &Member) -> Ordering {
    let key =
        |member: &Member| crate::canonical::unescape(&line[member.start..member.key_end]).text;
    key(a).cmp(&key(b))
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
