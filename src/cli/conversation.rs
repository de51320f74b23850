//! Messages of the live conversation, as they are read and as machine output has them.

use std::io::{self, Write};

use crate::look::steps::FullEntry;
use crate::look::{visible, width};
use crate::message::ToolCall;
use crate::{Json, Message, Role};

use super::output::{Output, Style};
use super::{calls, full, layout};

/// `{id, role, content, tool-calls?, tool-call-id?, sticky?, sysprompt?, depth?}`.
pub fn json(entry: &FullEntry) -> Json {
    Json::object(members(entry))
}

/// The same, and the line that brought it.
pub fn json_with_line(entry: &FullEntry) -> Json {
    let line = ("line", Json::from(entry.line));
    Json::object(members(entry).into_iter().chain([line]))
}

fn members(entry: &FullEntry) -> Vec<(&'static str, Json)> {
    let message = &entry.body;
    let mut members = vec![
        ("id", Json::string(entry.id.as_str())),
        ("role", Json::string(message.role.as_str())),
        ("content", Json::string(&message.content)),
    ];
    if !message.tool_calls.is_empty() {
        let calls = message.tool_calls.iter().cloned();
        members.push(("tool-calls", Json::array(calls)));
    }
    let answered = message.tool_call_id.as_deref().map(Json::string);
    members.extend(answered.map(|id| ("tool-call-id", id)));
    for (key, value) in [("sticky", message.sticky), ("sysprompt", message.sysprompt)] {
        members.extend(value.then(|| (key, Json::from(true))));
    }
    members.extend(message.depth.map(|depth| ("depth", Json::from(depth))));
    members
}

/// Writes messages one below the other: a row that says what each is, then its text and its calls.
pub struct Reader {
    id_length: usize,
    /// Columns of the number in front of each message.
    numbers: usize,
    number: usize,
    /// The calls of the last turn, so that an answer can say whose it is.
    asked: Vec<ToolCall>,
}

impl Reader {
    /// A reader of these entries, which it numbers from 1.
    pub fn of(entries: &[FullEntry]) -> Self {
        Self {
            id_length: calls::id_length(entries.iter().map(|entry| entry.id.as_str())),
            numbers: entries.len().to_string().len(),
            number: 0,
            asked: Vec::new(),
        }
    }

    /// Writes one of them.
    pub fn entry(&mut self, entry: &FullEntry, out: &mut Output) -> io::Result<()> {
        self.number += 1;
        let message = &entry.body;
        if message.role == Role::Assistant {
            self.asked = message.calls().collect();
        }
        let ink = out.ink();
        let number = format!("{:>1$}", self.number, self.numbers);
        let role = format!("{:9}", message.role.as_str());
        let id = calls::shorten(entry.id.as_str(), self.id_length);
        let id = visible::excerpt(id, LONGEST_ID);
        let marks = self.marks(entry);
        write!(
            out,
            "{}  {}  ",
            ink.dim(&number),
            ink.paint(style_of(entry), &role)
        )?;
        match marks.is_empty() {
            true => writeln!(out, "{}", ink.dim(&id))?,
            false => writeln!(out, "{}  {}", ink.dim(&id), ink.yellow(&marks))?,
        }
        self.content(message, out)
    }

    fn content(&self, message: &Message, out: &mut Output) -> io::Result<()> {
        let indent = self.numbers + 2;
        if !message.content.is_empty() {
            layout::block(out, indent, &message.content)?;
        } else if message.tool_calls.is_empty() {
            writeln!(out, "{:indent$}{}", "", out.ink().dim("(empty)"))?;
        }
        message
            .calls()
            .try_for_each(|call| write_call(&call, indent, out))
    }

    /// What else is to be known of an entry.
    fn marks(&self, entry: &FullEntry) -> String {
        let message = &entry.body;
        let marks = [
            entry
                .summary
                .then(|| "summary of what came before".to_owned()),
            message.sysprompt.then(|| "system prompt".to_owned()),
            message.sticky.then(|| "sticky".to_owned()),
            message
                .depth
                .map(|depth| format!("inserted {depth} from the end")),
            message.tool_call_id.as_deref().map(|id| self.answers(id)),
            entry
                .elided
                .then(|| format!("elided, whole in line {}", entry.line)),
        ];
        marks.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    fn answers(&self, call_id: &str) -> String {
        let asked = self.asked.iter().find(|call| call.id == call_id);
        match asked {
            Some(call) => format!("answers {} {}", cut(&call.name), cut(call_id)),
            None => format!("answers {}", cut(call_id)),
        }
    }
}

/// Writes a call in one row when it fits, and its arguments below each other when not.
fn write_call(call: &ToolCall, indent: usize, out: &mut Output) -> io::Result<()> {
    let (name, id) = (cut(&call.name), cut(&call.id));
    let arguments = visible::one_line(&call.arguments);
    let ink = out.ink();
    write!(out, "{:indent$}→ {} {}", "", ink.bold(&name), ink.dim(&id))?;
    let used = indent + 2 + width::width(&name) + 1 + width::width(&id) + 2;
    let room = out.columns().unwrap_or(PLAIN_COLUMNS).saturating_sub(used);
    if width::width(&arguments) <= room {
        return writeln!(out, "  {arguments}");
    }
    writeln!(out)?;
    full::arguments(out, indent + 2, &call.arguments)
}

/// Columns of a row where no terminal says how many there are.
const PLAIN_COLUMNS: usize = 120;

/// A longer id is cut.
const LONGEST_ID: usize = 40;

fn cut(name: &str) -> String {
    visible::excerpt(name, LONGEST_ID)
}

fn style_of(entry: &FullEntry) -> Style {
    match entry.body.role {
        _ if entry.summary => Style::Yellow,
        Role::User => Style::Green,
        Role::Assistant => Style::Cyan,
        Role::System | Role::Tool => Style::Bold,
    }
}
