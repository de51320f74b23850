//! `sess replay --json`.

use std::io::{self, Write};
use std::path::Path;

use crate::Json;
use crate::session::{RecordedContext, RecordedSection, Replayed, Warning};

use super::output::Output;
use super::{calls, conversation};

/// Writes one document, a message at a time.
pub fn write(file: &Path, replayed: &Replayed, out: &mut Output) -> io::Result<()> {
    let open = replayed.open_calls();
    let pending = open.iter().filter(|call| call.operation.is_some());
    let pending = pending.map(|call| Json::object(calls::members(call)));
    let contexts = replayed.run_contexts().iter().map(context);
    let warnings = replayed.warnings().iter().map(warning);

    member(
        out,
        "{",
        "grants",
        &Json::array(replayed.grants().iter().cloned()),
    )?;
    member(out, ",", "lines", &Json::from(replayed.line_count()))?;
    out.write_all(b",\"messages\":[")?;
    for (place, entry) in replayed.conversation().iter().enumerate() {
        out.write_all(if place == 0 { b"" } else { b"," })?;
        out.json_text(conversation::json(entry).text())?;
    }
    out.write_all(b"]")?;
    member(out, ",", "meta", &replayed.meta())?;
    member(out, ",", "path", &Json::string(&file.to_string_lossy()))?;
    member(out, ",", "pending", &Json::array(pending))?;
    member(out, ",", "run-contexts", &Json::array(contexts))?;
    member(out, ",", "warnings", &Json::array(warnings))?;
    out.write_all(b"}\n")
}

fn member(out: &mut Output, before: &str, key: &str, value: &Json) -> io::Result<()> {
    write!(out, "{before}\"{key}\":")?;
    out.json_text(&value.compact())
}

fn warning(warning: &Warning) -> Json {
    Json::object([
        ("line", Json::from(warning.line)),
        ("offset", Json::from(warning.offset)),
        ("length", Json::from(warning.length)),
        ("kind", Json::string(warning.kind.as_str())),
        ("message", Json::string(&warning.message)),
    ])
}

fn context(context: &RecordedContext) -> Json {
    let facts = context.facts.iter();
    let facts = facts.map(|(key, value)| Json::array([Json::string(key), Json::string(value)]));
    Json::object([
        ("id", Json::string(context.id.as_str())),
        ("ts", Json::string(&context.ts)),
        ("run-id", Json::string(context.run_id.as_str())),
        ("digest", Json::string(&context.digest)),
        ("facts", Json::array(facts)),
        (
            "sections",
            Json::array(context.sections.iter().map(section)),
        ),
    ])
}

/// What the line holds of it, as recorded.
fn section(section: &RecordedSection) -> Json {
    let members = [
        ("name", &section.name),
        ("digest", &section.digest),
        ("rendered", &section.rendered),
        ("rendered-in", &section.rendered_in),
    ];
    let present = members
        .into_iter()
        .filter_map(|(key, value)| Some((key, value.clone()?)));
    Json::object(present.filter(|(_, value)| !value.is_null()))
}
