//! Writes one line: five keys, sorted at every depth, no white space, one line feed.

use std::cmp::Ordering;
use std::fmt::Write;

use super::envelope::FORMAT_VERSION;
use crate::canonical::{Json, write_string};

/// Builds one line. The payload's members may be given in any order of the built-in keys; they are
/// written sorted.
#[derive(Debug)]
pub(crate) struct LineWriter {
    /// Members already written as `"key":value`, one after the other.
    text: String,
    /// Where each member stands in `text`: its key's end and its own.
    members: Vec<Member>,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    start: usize,
    key_end: usize,
    end: usize,
}

impl LineWriter {
    pub(crate) fn new() -> Self {
        Self {
            text: String::with_capacity(512),
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
        let start = self.text.len();
        write_string(&mut self.text, key);
        let key_end = self.text.len();
        self.text.push(':');
        value(&mut self.text);
        self.members.push(Member {
            start,
            key_end,
            end: self.text.len(),
        });
    }

    /// The line, its line feed included.
    pub(crate) fn finish(mut self, id: &str, ts: &str, type_name: &str) -> String {
        let payload = self.text.len() + self.members.len() + 2;
        let mut line = String::with_capacity(payload + id.len() + type_name.len() + 80);
        line.push_str("{\"id\":");
        write_string(&mut line, id);
        line.push_str(",\"payload\":{");
        self.write_members(&mut line);
        line.push('}');
        finish_envelope(line, ts, type_name)
    }

    fn write_members(&mut self, line: &mut String) {
        let text = &self.text;
        let sorted = self
            .members
            .is_sorted_by(|a, b| order(text, a, b) != Ordering::Greater);
        if !sorted {
            self.members.sort_by(|a, b| order(text, a, b));
        }
        for (index, member) in self.members.iter().enumerate() {
            if index > 0 {
                line.push(',');
            }
            line.push_str(&text[member.start..member.end]);
        }
    }
}

/// By the code points of the keys, as every depth of a line is sorted. A key with escapes sorts by
/// what it spells.
fn order(text: &str, a: &Member, b: &Member) -> Ordering {
    let key =
        |member: &Member| crate::canonical::unescape(&text[member.start..member.key_end]).text;
    key(a).cmp(&key(b))
}

/// A line around a payload that is a document of its own.
pub(crate) fn document_line(id: &str, payload: &Json, ts: &str, type_name: &str) -> String {
    let mut line = String::with_capacity(payload.text().len() + 160);
    line.push_str("{\"id\":");
    write_string(&mut line, id);
    line.push_str(",\"payload\":");
    payload.write_compact(&mut line);
    finish_envelope(line, ts, type_name)
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
