//! Why a file cannot be looked at as a transcript, and what to do about it.

use std::fs::File;
use std::io::{self, Read, Seek};

use crate::look::visible;
use crate::session::PeekError;

use super::error::Error;
use super::source::{Source, is_stdin};

/// There is nothing to open.
pub fn unseen(source: &Source, error: &PeekError) -> Error {
    match error {
        PeekError::NoFile { found, .. } => {
            let error = Error::unknown(format!("{found}; there is nothing to look at"));
            let path = visible::path(source.name());
            match *found {
                "this is a folder" => error.hint(format!("`ls {path}` shows what is in it")),
                "this is no regular file" => error.hint(format!(
                    "a pipe is read through standard input: `sess - < {path}`"
                )),
                _ => error.hint("check the path; `sess tail -f --wait` waits for a file to come"),
            }
        }
        PeekError::Unreadable { reason, .. } => Error::unknown(format!("cannot read: {reason}"))
            .hint("check who may read it with `ls -l`"),
        other => Error::unknown(other.to_string()),
    }
    .at(source.name())
}

/// Reading failed on the way.
pub fn unreadable(source: &Source, error: &io::Error) -> Error {
    Error::unknown(format!("cannot read: {error}")).at(source.name())
}

/// It can be read, and is something else. What it looks like is worth a hint.
pub fn not_a_transcript(source: &Source, file: &mut File, reason: &str) -> Error {
    let error = Error::unknown(format!("not a transcript: {reason}")).at(source.name());
    let mut beginning = [0; 512];
    let read = file.rewind().and_then(|()| file.read(&mut beginning));
    let beginning = &beginning[..read.unwrap_or_default()];
    let name = visible::path(source.name());
    let name = if is_stdin(source.name()) {
        "FILE".to_owned()
    } else {
        name
    };
    error.hint(match Looks::of(beginning) {
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
    })
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
