//! Transcripts that were damaged at random, and transcripts made of random lines. `PROPTEST_CASES`
//! says how many of each.

use proptest::collection::vec;
use proptest::prelude::*;

use super::invariants::{a_load_mends_or_changes_nothing, lines_are_the_bytes};
use super::model::a_load_is_what_the_model_says;
use super::place::fast_folder;
use crate::support::reference;

/// Bytes that mean something to a reader of lines or of JSON.
const PIECES: [&[u8]; 16] = [
    b"\n",
    b"\r\n",
    b"\r",
    b"\n\n",
    b"\0",
    b"\0\0\0\0",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\"",
    b"\\",
    b"{",
    b"}",
    b",",
    b" ",
    b"{}\n",
    b"null\n",
];

/// One thing that happens to a file.
#[derive(Clone, Debug)]
enum Damage {
    Truncate(usize),
    Set(usize, u8),
    Insert(usize, usize),
    Remove(usize, usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let place = any::<u16>().prop_map(usize::from);
    prop_oneof![
        place.clone().prop_map(Damage::Truncate),
        (place.clone(), any::<u8>()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        (place.clone(), 0..PIECES.len()).prop_map(|(at, piece)| Damage::Insert(at, piece)),
        (place, 1..200_usize).prop_map(|(at, length)| Damage::Remove(at, length)),
    ]
}

/// Some lines of the reference's transcripts, the first one first, in any order after it.
fn transcript() -> impl Strategy<Value = Vec<u8>> {
    let lines: Vec<Vec<u8>> = reference::sweeps()
        .iter()
        .flat_map(|sweep| {
            sweep
                .base
                .split_inclusive(|byte| *byte == b'\n')
                .map(<[u8]>::to_vec)
        })
        .collect();
    let any_line = 0..lines.len();
    let run = (1..lines.len(), 0..8_usize);
    (run, vec(any_line, 0..4)).prop_map(move |((start, length), more)| {
        let whole = lines[..1]
            .iter()
            .chain(lines[1..].iter().skip(start - 1).take(length));
        let more = more.iter().map(|index| &lines[*index]);
        whole.chain(more).flatten().copied().collect()
    })
}

fn apply(mut bytes: Vec<u8>, damages: &[Damage]) -> Vec<u8> {
    for damage in damages {
        let place = |at: usize| at % (bytes.len() + 1);
        match *damage {
            Damage::Truncate(at) => bytes.truncate(place(at)),
            Damage::Set(at, byte) => {
                let at = place(at);
                if let Some(slot) = bytes.get_mut(at) {
                    *slot = byte;
                }
            }
            Damage::Insert(at, piece) => {
                let at = place(at);
                bytes.splice(at..at, PIECES[piece].iter().copied());
            }
            Damage::Remove(at, length) => {
                let at = place(at);
                bytes.drain(at..bytes.len().min(at + length));
            }
        }
    }
    bytes
}

/// What a fuzzer once found.
#[test]
fn a_torn_tail_behind_a_meta_line_without_payload_is_mended() {
    let folder = fast_folder();
    let meta = br#"{"id":"m","ts":"","type":"session-meta","v":1}"#;
    let bytes = [meta.as_slice(), b"\n{\"id\":\"a\",\"\xda*\n".as_slice()].concat();
    a_load_mends_or_changes_nothing(folder.path(), &bytes);
    a_load_mends_or_changes_nothing(folder.path(), &[meta.as_slice(), b"\n".as_slice()].concat());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_transcript_is_mended_or_left_alone(
        whole in transcript(),
        damages in vec(damage(), 0..3),
    ) {
        let folder = fast_folder();
        a_load_mends_or_changes_nothing(folder.path(), &apply(whole, &damages));
    }

    #[test]
    fn the_lines_of_any_bytes_are_those_bytes(
        whole in transcript(),
        damages in vec(damage(), 0..12),
    ) {
        let folder = fast_folder();
        lines_are_the_bytes(folder.path(), &apply(whole, &damages));
    }

    #[test]
    fn a_transcript_of_random_lines_is_replayed_like_a_plain_list(
        steps in vec(any::<u8>(), 0..90),
    ) {
        let folder = fast_folder();
        a_load_is_what_the_model_says(folder.path(), &steps);
    }
}
