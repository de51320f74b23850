//! `sess peek --artifact`: the whole of a text that the transcript only names.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read, Write};

use crate::Json;
use crate::look::artifact::{self, ArtifactError, ArtifactText, Recorded};
use crate::look::base64::base64;
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
    let (found, mut text) = open(typed, source)?;
    let path = text.path().to_owned();
    let unreadable = |error| {
        let path = path.clone();
        let error = ArtifactError::Io {
            path,
            source: error,
        };
        told(source, &found, &error)
    };
    if out.json() {
        let mut bytes = Vec::new();
        text.read_to_end(&mut bytes).map_err(unreadable)?;
        let document = document(source, &found, text.is_intact(), &bytes);
        out.json_line(document.text())?;
        return Ok(Exit::Yes);
    }
    out.paged()?;
    let text = match raw {
        true => write_raw(text, out, unreadable)?,
        false => write_lines(text, out, unreadable)?,
    };
    if text.is_intact() == Some(false) {
        out.note(&format!(
            "{} is not what was kept: its SHA-256 differs from the one in line {}",
            visible::one_line(found.file.as_deref().unwrap_or_default()),
            found.line
        ))?;
    }
    Ok(Exit::Yes)
}

fn open(typed: &str, source: &Source) -> Result<(Recorded, ArtifactText)> {
    if is_piped(source.name()) {
        let error = Error::unknown("what comes through a pipe has no artifacts beside it");
        return Err(error
            .kind("piped")
            .at(source.name())
            .hint("name the transcript itself, beside which they are"));
    }
    let mut transcript =
        peek::open(source.path()).map_err(|error| refusal::unseen(source, &error))?;
    let unreadable = |error: io::Error| refusal::unreadable(source, &error);
    let all = artifact::recorded(&transcript).map_err(unreadable)?;
    let ids = all.iter().map(|recorded| recorded.op_id.as_str());
    let id = match prefix::resolve("operation with an artifact", typed, ids) {
        Ok(id) => id,
        Err(error) => {
            refusal::unless_transcript(source, &mut transcript)?;
            return Err(not_found(error, source, all.first()));
        }
    };
    // Of several lines about one operation the first counts.
    let found = all.iter().find(|recorded| recorded.op_id == id).cloned();
    let found = found.ok_or_else(|| {
        let error = Error::no(format!("no operation starts with {typed:?}"));
        not_found(error, source, None)
    })?;
    match artifact::open(source.path(), &found) {
        Ok(text) => Ok((found, text)),
        Err(error) => Err(told(source, &found, &error)),
    }
}

fn not_found(error: Error, source: &Source, other: Option<&Recorded>) -> Error {
    let hint = match other {
        Some(other) => format!("one that has an artifact is {}", other.op_id),
        None => "no line names an artifact: what the tools answered stands whole in the transcript"
            .to_owned(),
    };
    error.kind("no-operation").at(source.name()).or_hint(hint)
}

/// A missing text is no fault of the transcript, which says what the model saw of it.
fn told(source: &Source, found: &Recorded, error: &ArtifactError) -> Error {
    let said = match error {
        ArtifactError::Missing(_) => Error::no(error.to_string()),
        _ => Error::unknown(error.to_string()),
    };
    let name = visible::path(source.name());
    said.kind(error.kind())
        .at(source.name())
        .line(found.line)
        .hint(format!(
            "`sess peek --full {name}` shows the excerpt that the model saw"
        ))
}

/// So many bytes at a time, however large the file is.
const PIECE: usize = 64 * 1024;

/// The bytes as they are. Each piece ends with a whole character, for a terminal is shown what it
/// holds character by character.
fn write_raw(
    mut text: ArtifactText,
    out: &mut Output,
    unreadable: impl Fn(io::Error) -> Error,
) -> Result<ArtifactText> {
    let mut piece = vec![0; PIECE];
    let mut held = 0;
    loop {
        let count = match text.read(piece.get_mut(held..).unwrap_or_default()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(&unreadable)?,
        };
        let filled = held + count;
        held = match count {
            0 => 0,
            _ => begun(piece.get(..filled).unwrap_or_default()),
        };
        let whole = filled - held;
        out.stored(piece.get(..whole).unwrap_or_default())?;
        if count == 0 {
            return Ok(text);
        }
        piece.copy_within(whole..filled, 0);
    }
}

/// How many bytes at the end begin a character of UTF-8 that goes on behind them.
fn begun(bytes: &[u8]) -> usize {
    let is_lead = |byte: &u8| !(0x80..0xc0).contains(byte);
    let last = bytes.iter().rev().take(3).position(is_lead);
    let Some(lead) = last.and_then(|back| bytes.get(bytes.len() - 1 - back)) else {
        return 0;
    };
    let there = last.map_or(0, |back| back + 1);
    match lead {
        0xc2..=0xdf if there < 2 => there,
        0xe0..=0xef if there < 3 => there,
        0xf0..=0xf4 if there < 4 => there,
        _ => 0,
    }
}

/// The lines of a text, safe to be shown; bytes that are no text as such.
fn write_lines(
    text: ArtifactText,
    out: &mut Output,
    unreadable: impl Fn(io::Error) -> Error,
) -> Result<ArtifactText> {
    let mut text = BufReader::with_capacity(PIECE, text);
    let mut line = Vec::new();
    while text.read_until(b'\n', &mut line).map_err(&unreadable)? > 0 {
        let bytes = line.strip_suffix(b"\n").unwrap_or(&line);
        let shown = match std::str::from_utf8(bytes) {
            Ok(text) => visible::lines(text),
            Err(_) => Cow::Owned(visible::bytes(bytes)),
        };
        writeln!(out, "{shown}")?;
        line.clear();
    }
    Ok(text.into_inner())
}

/// What is no text is there as base64.
fn document(source: &Source, found: &Recorded, intact: Option<bool>, bytes: &[u8]) -> Json {
    let mut members = vec![
        ("path", Json::string(&source.name().to_string_lossy())),
        ("op-id", Json::string(&found.op_id)),
        ("line", Json::from(found.line)),
        ("bytes", Json::from(bytes.len() as u64)),
        match std::str::from_utf8(bytes) {
            Ok(text) => ("text", Json::string(text)),
            Err(_) => ("base64", Json::string(&base64(bytes))),
        },
    ];
    members.extend(
        found
            .file
            .as_deref()
            .map(|name| ("file", Json::string(name))),
    );
    members.extend(intact.map(|intact| ("intact", Json::from(intact))));
    Json::object(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_goes_on_is_kept_for_the_next_piece() {
        for text in ["é", "日", "😀"] {
            for end in 1..text.len() {
                let bytes = [b"ab", &text.as_bytes()[..end]].concat();
                assert_eq!(begun(&bytes), end, "{text}");
            }
            assert_eq!(begun(text.as_bytes()), 0);
        }
        for bytes in [
            &b""[..],
            b"a",
            b"\xff",
            b"\x80\x80\x80\x80",
            b"\xc3a",
            b"\xc1",
        ] {
            assert_eq!(begun(bytes), 0, "{bytes:?}");
        }
    }
}
