//! A transcript that ends at any byte loads as the lines that were complete, and goes on from there.

use std::fs;
use std::path::{Path, PathBuf};

use sess::session::{LoadError, Session, WarningKind};
use sess::{Json, Message};

use super::place::fast_folder;
use crate::support::reference;

#[test]
fn a_transcript_of_the_reference_loads_its_complete_lines_wherever_it_is_cut() {
    let base = sweep("agent-lf");
    assert_eq!(base.len(), 6786);
    every_cut("agent-lf", &base);
}

#[test]
fn a_transcript_with_crlf_loads_its_complete_lines_wherever_it_is_cut() {
    let base = sweep("unicode-raw-crlf");
    assert_eq!(
        line_ends(&base).len(),
        base.windows(2).filter(|it| it == b"\r\n").count()
    );
    every_cut("unicode-raw-crlf", &base);
}

#[test]
fn a_transcript_of_many_scripts_loads_its_complete_lines_wherever_it_is_cut() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sessions/wide.jsonl");
    let base = fs::read(sample).unwrap();
    let multi_byte = base.iter().filter(|byte| !byte.is_ascii()).count();
    assert!(multi_byte > 500, "{multi_byte}");
    every_cut("wide", &base);
}

fn sweep(name: &str) -> Vec<u8> {
    let sweep = reference::sweeps().into_iter().find(|it| it.name == name);
    sweep.unwrap().base
}

fn every_cut(name: &str, base: &[u8]) {
    let folder = fast_folder();
    let ends = line_ends(base);
    for cut in 0..=base.len() {
        let path = folder.path().join("run.jsonl");
        fs::write(&path, &base[..cut]).unwrap();
        if cut < first_value_end(base, &ends) {
            refuses(&path, &base[..cut]);
        } else {
            mends(&format!("{name}, cut at {cut}"), &path, &base[..cut], &ends);
        }
    }
}

/// Nothing was acknowledged before the first line was complete, so there is nothing to load, and
/// nothing is changed.
fn refuses(path: &PathBuf, cut: &[u8]) {
    let error = Session::load(path).unwrap_err();
    match cut.len() {
        0 => assert!(matches!(error, LoadError::Empty { .. }), "{error}"),
        _ => assert!(
            matches!(error, LoadError::TruncatedMeta { line: 1, .. }),
            "{error}"
        ),
    }
    assert_eq!(fs::read(path).unwrap(), cut);
}

fn mends(what: &str, path: &PathBuf, cut: &[u8], ends: &[usize]) {
    let whole = whole_part(cut, ends);
    let torn = &cut[whole.trim_len..];
    let session = Session::load(path).unwrap_or_else(|error| panic!("{what}: {error}"));
    let lines = as_text(&whole.lines);
    assert_eq!(texts(&session), lines, "{what}");
    let kinds: Vec<_> = session
        .warnings()
        .iter()
        .map(|it| (it.kind, it.line))
        .collect();
    match torn.is_empty() {
        true => assert_eq!(kinds, [], "{what}"),
        false => {
            assert_eq!(
                kinds,
                [(WarningKind::TornTail, lines.len() as u64 + 1)],
                "{what}"
            );
            assert_eq!(kept_bytes(path), torn, "{what}");
        }
    }
    assert_eq!(fs::read(path).unwrap(), whole.bytes, "{what}");

    let before = session.messages();
    let id = session.append_message(Message::user("and on\n")).unwrap();
    drop(session);
    let again = Session::load(path).unwrap_or_else(|error| panic!("{what}, again: {error}"));
    let mut after = texts(&again);
    let last = Json::parse(after.pop().unwrap()).unwrap();
    assert_eq!(last.get_str("id").as_deref(), Some(id.as_str()));
    assert_eq!(after, lines, "{what}");
    assert_eq!(again.messages()[..before.len()], before, "{what}");
    assert_eq!(again.messages()[before.len()].content, "and on\n", "{what}");
    assert_eq!(again.warnings(), [], "{what}");
    let stored = fs::read(path).unwrap();
    assert_eq!(stored[..whole.bytes.len()], whole.bytes, "{what}");
}

/// The complete lines of a cut file.
struct Whole {
    /// What the file has to be after loading.
    bytes: Vec<u8>,
    /// Its lines.
    lines: Vec<Vec<u8>>,
    /// Where the torn line begins; the length of the cut file when there is none.
    trim_len: usize,
}

/// By hand: `ends` holds the offset after each separator of the uncut transcript, so a line is
/// complete when its last byte before the separator is there.
fn whole_part(cut: &[u8], ends: &[usize]) -> Whole {
    let mut whole = Whole {
        bytes: Vec::new(),
        lines: Vec::new(),
        trim_len: 0,
    };
    let mut start = 0;
    for &end in ends {
        let kept = &cut[start.min(cut.len())..end.min(cut.len())];
        let has_separator = end <= cut.len();
        let text = kept.strip_suffix(b"\n").unwrap_or(kept);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if !has_separator && !text.ends_with(b",\"v\":1}") {
            break;
        }
        whole.lines.push(text.to_vec());
        whole.bytes.extend(kept);
        whole.trim_len = start + kept.len();
        if !has_separator {
            whole.bytes.extend(missing_separator(cut));
        }
        start = end;
    }
    whole
}

/// The separator of the lines before, also behind a CR that is half of one.
fn missing_separator(cut: &[u8]) -> &'static [u8] {
    match cut.windows(2).any(|pair| pair == b"\r\n") {
        true => b"\r\n",
        false => b"\n",
    }
}

fn line_ends(bytes: &[u8]) -> Vec<usize> {
    (1..=bytes.len())
        .filter(|&end| bytes[end - 1] == b'\n')
        .collect()
}

fn first_value_end(base: &[u8], ends: &[usize]) -> usize {
    let line = &base[..ends[0] - 1];
    line.strip_suffix(b"\r").unwrap_or(line).len()
}

fn texts(session: &Session) -> Vec<String> {
    let events = session.events().unwrap();
    events.iter().map(|event| event.text().to_owned()).collect()
}

fn as_text(lines: &[Vec<u8>]) -> Vec<String> {
    let text = |line: &Vec<u8>| String::from_utf8(line.clone()).unwrap();
    lines.iter().map(text).collect()
}

/// The content of the one file that a repair left beside the transcript, which is removed.
fn kept_bytes(path: &Path) -> Vec<u8> {
    let beside = fs::read_dir(path.parent().unwrap()).unwrap();
    let kept: Vec<PathBuf> = beside
        .map(|entry| entry.unwrap().path())
        .filter(|it| it != path)
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    let bytes = fs::read(&kept[0]).unwrap();
    fs::remove_file(&kept[0]).unwrap();
    bytes
}
