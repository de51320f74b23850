//! What must hold for any bytes whatsoever. The tests beside give it inputs from a generator, the
//! targets in `fuzz/` from libFuzzer.

use std::fs;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;

use serde_json::value::RawValue;
use sess::look::check::{Health, check};
use sess::session::judge::each_line;
use sess::session::read::{Ending, Lines};
use sess::session::tail::Backward;
use sess::session::{Plan, Session, Verdict, WarningKind};
use sess::{Json, Message};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines of a file are its bytes: forward, in small reads, judged side by side, and backward.
pub fn lines_are_the_bytes(folder: &Path, bytes: &[u8]) {
    let lines = forward(bytes);
    let start = match bytes.starts_with(BYTE_ORDER_MARK) {
        true => BYTE_ORDER_MARK.len(),
        false => 0,
    };
    assert_eq!(together(&lines), &bytes[start..]);
    for (number, line) in (1..).zip(&lines) {
        assert_eq!(line.number, number);
        assert_eq!(
            &bytes[line.offset..line.offset + line.bytes.len()],
            line.bytes
        );
    }
    assert_eq!(forward(InSmallReads(bytes)), lines);
    assert_eq!(judged(bytes), lines);
    if start == 0 {
        assert_eq!(backward(folder, bytes), lines);
    }
}

/// One line, owned.
#[derive(Debug, PartialEq)]
struct Line {
    number: u64,
    offset: usize,
    bytes: Vec<u8>,
    ending: Ending,
}

impl Line {
    fn of(line: sess::session::read::Line<'_>) -> Self {
        Self {
            number: line.number,
            offset: line.offset as usize,
            bytes: line.bytes.to_vec(),
            ending: line.ending,
        }
    }
}

fn forward(source: impl Read) -> Vec<Line> {
    let mut lines = Lines::new(source);
    let mut found = Vec::new();
    while let Some(line) = lines.next_line().unwrap() {
        found.push(Line::of(line));
    }
    found
}

fn judged(bytes: &[u8]) -> Vec<Line> {
    let mut found = Vec::new();
    let visited = each_line(bytes, |line, verdict| {
        found.push(Line::of(line));
        is_judged_as_by_serde_json(line.bytes, &verdict);
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(visited.unwrap(), None);
    found
}

/// What is JSON, and what its strings say, is what another strict parser finds.
fn is_judged_as_by_serde_json(bytes: &[u8], verdict: &Verdict<'_>) {
    let text = std::str::from_utf8(bytes).unwrap_or("not text");
    let is_json = matches!(verdict, Verdict::Object(_) | Verdict::Value(_));
    assert_eq!(is_json, serde_json::from_str::<&RawValue>(text).is_ok());
    // Nothing deep, no number out of range and no half of a surrogate pair has a tree of values.
    if let Ok(value) = serde_json::from_str::<serde_json::Value>(text) {
        let compact = Json::parse(text).unwrap().compact();
        assert_eq!(serde_json::from_str(&compact).ok(), Some(value));
    }
}

fn backward(folder: &Path, bytes: &[u8]) -> Vec<Line> {
    let path = folder.join("backward");
    fs::write(&path, bytes).unwrap();
    let file = fs::File::open(&path).unwrap();
    let mut lines = Backward::new(&file, bytes.len() as u64);
    let mut found = Vec::new();
    while let Some(line) = lines.next_line().unwrap() {
        let offset = line.offset as usize;
        let ending = match &bytes[offset + line.bytes.len()..] {
            _ if !line.terminated => Ending::None,
            [b'\r', ..] => Ending::CrLf,
            _ => Ending::Lf,
        };
        found.push(Line {
            number: 0,
            offset,
            bytes: line.bytes,
            ending,
        });
    }
    found.reverse();
    for (number, line) in (1..).zip(&mut found) {
        line.number = number;
    }
    found
}

fn together(lines: &[Line]) -> Vec<u8> {
    let parts = lines
        .iter()
        .flat_map(|line| [&line.bytes, line.ending.as_bytes()]);
    parts.collect::<Vec<_>>().concat()
}

/// Gives at most seven bytes at once.
struct InSmallReads<'a>(&'a [u8]);

impl Read for InSmallReads<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let length = out.len().min(7);
        self.0.read(&mut out[..length])
    }
}

/// A peek and a plan change nothing; a load that fails changes nothing; a load that works leaves
/// the planned file, keeps what it cut, answers what a load of the prefix answers, has nothing to do
/// the next time, and can be gone on from. The check agrees with it.
pub fn a_load_mends_or_changes_nothing(folder: &Path, bytes: &[u8]) {
    let path = folder.join("run.jsonl");
    fs::write(&path, bytes).unwrap();
    let peek = Session::peek(&path);
    let plan = Session::options().plan_repair(&path);
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(beside(&path), Vec::<Vec<u8>>::new());
    let health = check(bytes).unwrap().health;
    let mends = matches!(health, Health::MissingNewline | Health::TornTail);
    match Session::load(&path) {
        Err(error) => {
            assert_eq!(plan.unwrap_err().kind(), error.kind());
            assert_eq!(fs::read(&path).unwrap(), bytes, "{error}");
            assert_eq!(beside(&path), Vec::<Vec<u8>>::new());
            assert!(!mends && health != Health::Healthy, "{health:?}: {error}");
        }
        Ok(session) => {
            let plan = plan.unwrap().plan;
            assert!(
                mends || matches!(health, Health::Healthy | Health::Inconsistent),
                "{health:?}"
            );
            assert_eq!(session.envelope_count(), peek.envelopes.len() as u64);
            is_mended(&path, bytes, plan);
            goes_on(&path, session);
        }
    }
}

fn is_mended(path: &Path, bytes: &[u8], plan: Plan) {
    let (expected, cut) = match plan {
        Plan::Nothing => (bytes.to_vec(), None),
        Plan::AddNewline { separator } => ([bytes, separator.as_bytes()].concat(), None),
        Plan::CutTail { offset, .. } => {
            let (prefix, tail) = bytes.split_at(offset as usize);
            (prefix.to_vec(), Some(tail.to_vec()))
        }
    };
    assert_eq!(fs::read(path).unwrap(), expected);
    assert_eq!(beside(path), Vec::from_iter(cut));
}

fn goes_on(path: &Path, session: Session) {
    let mended = fs::read(path).unwrap();
    let answers = answers(&session);
    drop(session);
    remove_beside(path);
    let again = Session::load(path).unwrap();
    assert_eq!(self::answers(&again), answers);
    assert!(
        again
            .warnings()
            .iter()
            .all(|it| it.kind != WarningKind::TornTail)
    );
    assert_eq!(fs::read(path).unwrap(), mended);
    assert_eq!(beside(path), Vec::<Vec<u8>>::new());
    again.append_message(Message::user("and on")).unwrap();
    let live = self::answers(&again);
    drop(again);
    assert_eq!(self::answers(&Session::load(path).unwrap()), live);
    assert!(fs::read(path).unwrap().starts_with(&mended));
}

/// All that a session answers from its replay.
fn answers(session: &Session) -> (Vec<Json>, String) {
    let rest = format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        session.meta(),
        session.conversation(),
        session.grants(),
        session.run_contexts(),
        session.open_calls(),
        session.line_count(),
        session.envelope_count(),
    );
    (session.events().unwrap(), rest)
}

/// What the files beside this one hold.
fn beside(path: &Path) -> Vec<Vec<u8>> {
    paths_beside(path)
        .iter()
        .map(|path| fs::read(path).unwrap())
        .collect()
}

fn remove_beside(path: &Path) {
    for path in paths_beside(path) {
        fs::remove_file(path).unwrap();
    }
}

fn paths_beside(path: &Path) -> Vec<std::path::PathBuf> {
    let name = path.file_name().unwrap().to_str().unwrap();
    let entries = fs::read_dir(path.parent().unwrap()).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let ours = |path: &std::path::PathBuf| {
        let beside = path.file_name().unwrap().to_str().unwrap();
        beside != name && beside.starts_with(name)
    };
    paths.filter(ours).collect()
}
