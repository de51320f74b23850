//! Why a file cannot be looked at as a transcript, and what to do about it.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::ops::ControlFlow;
use std::path::Path;

use crate::look::visible;
use crate::session::judge::each_line;
use crate::session::peek::First;
use crate::session::{PeekError, Verdict};

use super::error::{Error, Result, way_out};
use super::source::{Source, is_piped, regular};

/// There is nothing to open.
pub fn unseen(source: &Source, error: &PeekError) -> Error {
    let kind = error.kind();
    match error {
        PeekError::NoFile { found, .. } => {
            Error::unknown(format!("{found}; there is nothing to look at"))
                .hint(way_out(source.name(), found))
        }
        PeekError::Unreadable { reason, .. } => {
            Error::unknown(format!("cannot read: {reason}")).hint(way_out(source.name(), reason))
        }
        other => Error::unknown(other.to_string()),
    }
    .kind(kind)
    .at(source.name())
}

/// It has none of the entries that were asked for.
pub fn no_entry(source: &Source) -> Error {
    let all = "without --type, --role, --tool and --grep every entry is shown";
    Error::no("no entry matches").at(source.name()).hint(all)
}

/// Reading failed on the way.
pub fn unreadable(source: &Source, error: &io::Error) -> Error {
    Error::unreadable(source.name(), error)
}

/// The kind of everything that can be read and is something else.
pub const NOT_A_TRANSCRIPT: &str = "not-a-transcript";

/// It can be read, and is something else. What it looks like is worth a hint.
pub fn not_a_transcript(source: &Source, file: &mut File, reason: &str) -> Error {
    let error = Error::unknown(format!("not a transcript: {reason}")).kind(NOT_A_TRANSCRIPT);
    error
        .at(source.name())
        .hint(hint_of(source.name(), file.rewind().map(|()| file)))
}

/// Refuses a file that is something else, as [`not_a_transcript`] does.
pub fn unless_transcript(source: &Source, file: &mut File) -> Result<()> {
    let mut first = First::default();
    let read = file.rewind().and_then(|()| {
        each_line(&*file, |_, verdict| match verdict {
            Verdict::Object(envelope) if envelope.type_name().is_some() => {
                first.see(&envelope);
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        })
    });
    read.map_err(|error| unreadable(source, &error))?;
    first
        .strict_verdict()
        .map_err(|reason| not_a_transcript(source, file, &reason))
}

/// What a file that is no transcript looks like. Standard input has been read and is gone.
pub fn hint_about(typed: &Path) -> String {
    match is_piped(typed) {
        true => Looks::Text.hint(typed),
        false => hint_of(typed, regular(typed)),
    }
}

fn hint_of(typed: &Path, file: io::Result<impl Read>) -> String {
    let mut beginning = [0; 512];
    let read = file.and_then(|mut file| file.read(&mut beginning));
    Looks::of(&beginning[..read.unwrap_or_default()]).hint(typed)
}

#[derive(Debug, PartialEq, Eq)]
enum Looks {
    Empty,
    Gzip,
    Zstd,
    Array,
    Binary,
    Text,
}

impl Looks {
    fn of(beginning: &[u8]) -> Self {
        let text = beginning.trim_ascii_start();
        match beginning {
            [] => Looks::Empty,
            [0x1f, 0x8b, ..] => Looks::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Looks::Zstd,
            _ if text.first() == Some(&b'[') => Looks::Array,
            _ if is_text(beginning) => Looks::Text,
            _ => Looks::Binary,
        }
    }
}

impl Looks {
    fn hint(self, typed: &Path) -> String {
        let name = match is_piped(typed) {
            true => "FILE".to_owned(),
            false => visible::path(typed),
        };
        match self {
            Looks::Empty => "it is empty; a transcript begins with a session-meta line".to_owned(),
            Looks::Gzip => format!("it is compressed with gzip: `gunzip -c {name} | sess -`"),
            Looks::Zstd => format!("it is compressed with zstd: `zstd -dc {name} | sess -`"),
            Looks::Array => {
                "it looks like one JSON array; a transcript has one JSON object per line".to_owned()
            }
            Looks::Binary => "it does not look like text".to_owned(),
            Looks::Text => {
                "the first line of a transcript is {\"id\":…,\"payload\":…,\"ts\":…,\"type\":\"session-meta\",\"v\":1}"
                    .to_owned()
            }
        }
    }
}

/// Without zero bytes, and in UTF-8 up to a character that the end may have cut.
fn is_text(beginning: &[u8]) -> bool {
    let valid = match std::str::from_utf8(beginning) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    valid && !beginning.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_often_given_by_mistake_is_recognised() {
        let cases: [(&[u8], Looks); 7] = [
            (b"", Looks::Empty),
            (b"\x1f\x8b\x08\x00", Looks::Gzip),
            (b"\x28\xb5\x2f\xfd", Looks::Zstd),
            (b" \n[{\"a\":1}]", Looks::Array),
            (b"\x7fELF\x02\x01\x01\0", Looks::Binary),
            ("{\"a\":\"é".as_bytes(), Looks::Text),
            (&[0; 512], Looks::Binary),
        ];
        for (beginning, expected) in cases {
            assert_eq!(Looks::of(beginning), expected);
        }
    }
}
