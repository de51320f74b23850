//! `sess peek --artifact`: the whole of a text that the transcript only names.

use std::borrow::Cow;
use std::io::Write;

use crate::Json;
use crate::canonical::Sha256Hex;
use crate::look::artifact::{self, ArtifactError, Recorded};
use crate::look::visible;
use crate::session::peek;

use super::error::{Error, Result};
use super::exit::Exit;
use super::output::Output;
use super::prefix;
use super::refusal;
use super::source::{Source, is_piped};

/// Writes the text of the operation that `typed` is or begins.
pub fn run(typed: &str, raw: bool, source: &Source, out: &mut Output) -> Result<Exit> {
    if is_piped(source.name()) {
        let error = Error::unknown("what comes through a pipe has no artifacts beside it");
        return Err(error.at(source.name()));
    }
    let transcript = peek::open(source.path()).map_err(|error| refusal::unseen(source, &error))?;
    let all =
        artifact::recorded(&transcript).map_err(|error| refusal::unreadable(source, &error))?;
    let found = find(typed, &all).map_err(|error| error.at(source.name()))?;
    let bytes =
        artifact::read(source.path(), found).map_err(|error| told(source, found, &error))?;
    let intact = is_intact(found, &bytes);
    if out.json() {
        out.json_line(document(source, found, intact, &bytes).text())?;
        return Ok(Exit::Yes);
    }
    out.paged()?;
    match raw {
        true => out.stored(&bytes)?,
        false => lines(&bytes).try_for_each(|line| writeln!(out, "{line}"))?,
    }
    if intact == Some(false) {
        out.note(&format!(
            "{} is not what was kept: its SHA-256 differs from the one in line {}",
            visible::one_line(&found.file),
            found.line
        ))?;
    }
    Ok(Exit::Yes)
}

/// The last line counts where an operation is named twice.
fn find<'a>(typed: &str, all: &'a [Recorded]) -> Result<&'a Recorded> {
    let ids = all.iter().map(|recorded| recorded.op_id.as_str());
    let id = prefix::resolve("operation with an artifact", typed, ids)?;
    let found = all.iter().rfind(|recorded| recorded.op_id == id);
    found.ok_or_else(|| Error::no(format!("no operation starts with {typed:?}")))
}

/// A missing text is no fault of the transcript, which says what the model saw of it.
fn told(source: &Source, found: &Recorded, error: &ArtifactError) -> Error {
    let said = match error {
        ArtifactError::Missing(_) => Error::no(error.to_string()),
        _ => Error::unknown(error.to_string()),
    };
    let name = visible::path(source.name());
    said.at(source.name()).line(found.line).hint(format!(
        "`sess peek --full {name}` shows the excerpt that the model saw"
    ))
}

/// The lines of a text, safe to be shown; bytes that are no text as such.
fn lines(bytes: &[u8]) -> impl Iterator<Item = Cow<'_, str>> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    lines.map(|line| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        match std::str::from_utf8(line) {
            Ok(text) => visible::lines(text),
            Err(_) => Cow::Owned(visible::bytes(line)),
        }
    })
}

fn is_intact(found: &Recorded, bytes: &[u8]) -> Option<bool> {
    let digest = found.digest.as_ref()?;
    Some(Sha256Hex::of(bytes).to_string() == *digest)
}

fn document(source: &Source, found: &Recorded, intact: Option<bool>, bytes: &[u8]) -> Json {
    let mut members = vec![
        ("path", Json::string(&source.name().to_string_lossy())),
        ("op-id", Json::string(&found.op_id)),
        ("line", Json::from(found.line)),
        ("file", Json::string(&found.file)),
        ("bytes", Json::from(bytes.len() as u64)),
        ("text", Json::string(&String::from_utf8_lossy(bytes))),
    ];
    members.extend(intact.map(|intact| ("intact", Json::from(intact))));
    Json::object(members)
}
