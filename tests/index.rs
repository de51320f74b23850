//! The index of a transcript: it says of every line what reading all of it says, and it keeps up
//! with a file.

use std::io::Cursor;
use std::path::Path;

use proptest::prelude::*;

use sess::clock::parse_utc;
use sess::look::entry::{Entries, Mark};
use sess::look::index::{Change, Index, IndexedLine, Kind};
use sess::message::Role;
use sess::session::Verdict;
use sess::session::read::{Ending, Lines};

fn index(bytes: &[u8]) -> Index {
    Index::of(&mut Cursor::new(bytes)).unwrap()
}

fn line(id: &str, type_name: &str, ts: &str, payload: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"payload\":{payload},\"ts\":\"{ts}\",\"type\":\"{type_name}\",\"v\":1}}\n"
    )
}

/// What is true of a file's lines, by reading all of each.
fn expected(bytes: &[u8]) -> Vec<IndexedLine> {
    let mut lines = Lines::new(bytes);
    let mut found = Vec::new();
    while let Some(line) = lines.next_line().unwrap() {
        let (kind, role, mark, time) = judged(line.bytes);
        found.push(IndexedLine {
            number: line.number,
            offset: line.offset,
            length: line.bytes.len() as u64,
            ending: line.ending,
            kind,
            role,
            mark,
            time,
        });
    }
    found
}

type Judged = (
    Kind,
    Option<Role>,
    Option<Mark>,
    Option<chrono::DateTime<chrono::Utc>>,
);

fn judged(bytes: &[u8]) -> Judged {
    let damaged = Some(Mark::Damaged);
    let envelope = match Verdict::of(bytes) {
        Verdict::Blank => return (Kind::Blank, None, None, None),
        Verdict::Damaged(_) => return (Kind::Damaged, None, damaged, None),
        Verdict::Value(_) => return (Kind::NoEnvelope, None, damaged, None),
        Verdict::Object(envelope) => envelope,
    };
    let Some(type_name) = envelope.type_name() else {
        return (Kind::NoEnvelope, None, damaged, None);
    };
    // Half a pair is JSON, and more than this parser takes.
    let payload = envelope
        .payload()
        .unwrap_or("null")
        .replace("\\ud83d ", "? ");
    let value: serde_json::Value = serde_json::from_str(&payload).unwrap();
    let (kind, folded) = match type_name.as_ref() {
        "session-meta" => (Kind::Meta, None),
        "message" => (Kind::Message, None),
        "grants" => (Kind::Grants, None),
        "compaction" => (Kind::Compaction, Some(Mark::Folded)),
        "elision" => (Kind::Elision, Some(Mark::Folded)),
        "tool-dispatched" => (Kind::Dispatched, None),
        "tool-settled" => (Kind::Settled, None),
        "run-context" => (Kind::RunContext, None),
        _ => (Kind::Other, None),
    };
    let role = match &value["role"] {
        _ if kind != Kind::Message || !value.is_object() => None,
        serde_json::Value::Null => Some(Role::User),
        role => role.as_str().and_then(|name| name.parse().ok()),
    };
    let mark = match kind {
        Kind::Message if value["outcome-unknown"] == true => Some(Mark::OutcomeUnknown),
        Kind::Message if value["is-error"] == true => Some(Mark::Error),
        Kind::Settled if value["outcome"] == "failed" => Some(Mark::Error),
        Kind::Settled if value["outcome"] == "outcome-unknown" => Some(Mark::OutcomeUnknown),
        _ => folded,
    };
    (kind, role, mark, parse_utc(&envelope.ts()))
}

#[track_caller]
fn check(bytes: &[u8]) {
    let indexed: Vec<IndexedLine> = index(bytes).lines().collect();
    for (found, expected) in indexed.iter().zip(expected(bytes)) {
        // A line that begins and ends as a record does is taken for one.
        let start = usize::try_from(expected.offset).unwrap();
        let end = start + usize::try_from(expected.length).unwrap();
        let text = &bytes[start..end];
        let is_framed = text.starts_with(b"{\"id\":\"") && text.ends_with(b",\"v\":1}");
        if expected.kind == Kind::Damaged && is_framed {
            let place = |line: &IndexedLine| (line.number, line.offset, line.length, line.ending);
            assert_eq!(place(found), place(&expected));
        } else {
            assert_eq!(*found, expected, "{}", String::from_utf8_lossy(text));
        }
    }
    assert_eq!(indexed.len(), expected(bytes).len());
}

#[test]
fn every_line_of_every_sample_is_what_reading_it_says() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sessions");
    for entry in std::fs::read_dir(samples).unwrap() {
        check(&std::fs::read(entry.unwrap().path()).unwrap());
    }
}

#[test]
fn a_mark_is_what_the_entry_has() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sessions");
    for name in [
        "healthy.jsonl",
        "pending.jsonl",
        "two-compactions.jsonl",
        "torn-tail.jsonl",
    ] {
        let bytes = std::fs::read(samples.join(name)).unwrap();
        let index = index(&bytes);
        let mut entries = Entries::default();
        let mut lines = Lines::new(bytes.as_slice());
        while let Some(line) = lines.next_line().unwrap() {
            let entry = entries.entry(line, &Verdict::of(line.bytes));
            let indexed = index.line(line.number).unwrap();
            assert_eq!(indexed.mark, entry.as_ref().and_then(|entry| entry.mark()));
            assert_eq!(indexed.role, entry.as_ref().and_then(|entry| entry.role()));
            assert_eq!(indexed.time, entry.and_then(|entry| entry.time));
        }
    }
}

const TRAPS: [&str; 14] = [
    // Whatever stands inside of strings is not structure.
    r#"{"id":"a","payload":{"content":"},\"ts\":\"x\",\"type\":\"grants\",\"v\":1}"},"ts":"","type":"message","v":1}"#,
    r#"{"id":"a","payload":{},"ts":"","x":",\"type\":\"grants\",\"v\":1}"}"#,
    r#"{"id":"a","payload":{},"type":"grants\\","v":1}"#,
    // The last of equal keys counts, however it is spelled.
    r#"{"id":"a","payload":{},"ts":"","type":"grants","v":1,"type":"message","v":1}"#,
    r#"{"id":"a","payload":{"role":"user","role":"tool","is-error":false,"is-error":true},"ts":"","type":"message","v":1}"#,
    r#"{"id":"a","payload":{"role":"user","r\u006fle":"tool"},"ts":"","type":"message","v":1}"#,
    r#"{"id":"a","payload":{"role":"tool"},"\u0070ayload":{"role":"user"},"ts":"","type":"message","v":1}"#,
    r#"{"id":"a","payload":{"role":"tool"},"pay":{"role":"user"},"ts":"","type":"message","v":1}"#,
    // Values that end like something else.
    r#"{"id":"a","payload":{"a":"\\","b":"\\\"","role":"assistant","z":[[],{},"]"]},"ts":"","type":"message","v":1}"#,
    r#"{"id":"a","payload":{"role":"robot"},"ts":"","type":"message","v":1}"#,
    r#"{"id":"a","payload":{"role":1},"ts":"","type":"message","v":1}"#,
    r#"{"id":"a","payload":{"outcome":"failed"},"ts":"2026-01-01T00:00:00+02:00","type":"tool-settled","v":1}"#,
    r#"{"id":"a","payload":{"outcome":"f\u0061iled"},"ts":"","type":"tool-settled","v":1}"#,
    r#"{"id":"a"},"ts":"","type":"message","v":1}"#,
];

#[test]
fn lines_that_look_like_something_else_are_not_taken_for_it() {
    for trap in TRAPS {
        check(trap.as_bytes());
    }
}

/// JSON texts: values, and strings full of what JSON is made of.
fn json(depth: u32) -> impl Strategy<Value = String> {
    let string = proptest::collection::vec(
        prop::sample::select(vec![
            "a", "\\\"", "\\\\", "{", "}", "[", "]", ",", ":", "é", "\\n", "\\u0022", "role",
            "type",
        ]),
        0..8,
    )
    .prop_map(|parts| format!("\"{}\"", parts.concat()));
    let scalar = prop::sample::select(vec!["1", "-0.5e+7", "true", "false", "null"]);
    let leaf = prop_oneof![string, scalar.prop_map(str::to_owned)];
    leaf.prop_recursive(depth, 16, 4, |inner| {
        let member = (key(), inner.clone()).prop_map(|(key, value)| format!("{key}:{value}"));
        prop_oneof![
            proptest::collection::vec(inner, 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            proptest::collection::vec(member, 0..5)
                .prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "\"role\"",
        "\"is-error\"",
        "\"outcome\"",
        "\"outcome-unknown\"",
        "\"payload\"",
        "\"ts\"",
        "\"type\"",
        "\"v\"",
        "\"id\"",
        "\"content\"",
        "\"\\u0074ype\"",
        "\"r\\u006fle\"",
        "\"a\\\"b\"",
        "\"\"",
    ])
    .prop_map(str::to_owned)
}

fn value_of_interest() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "\"user\"",
            "\"tool\"",
            "\"message\"",
            "\"tool-settled\"",
            "\"failed\"",
            "true",
            "1",
            "\"2026-01-02T03:04:05.000006Z\"",
        ])
        .prop_map(str::to_owned),
        json(3),
    ]
}

fn object() -> impl Strategy<Value = String> {
    let members = proptest::collection::vec((key(), value_of_interest()), 0..6);
    members.prop_map(|members| {
        let members = members.iter().map(|(key, value)| format!("{key}:{value}"));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    })
}

/// An object that begins with a content and goes on with a text, full of what might be taken for keys.
fn object_with_content() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "fn main() {}",
        "\\\"is-error\\\":true,",
        "\\\\",
        "\\\\\\\":",
        ":",
        "\\n",
        "é",
    ]);
    let content = proptest::collection::vec(part, 0..80).prop_map(|parts| parts.concat());
    let texts = (content, any::<prop::sample::Index>());
    let other = prop::sample::select(vec![
        "",
        ",\"is-error\":true",
        ",\"is\\u002derror\":true",
        ",\"outcome-unknown\":true,\"z\":\"z\"",
        ",\"role\":\"tool\"",
    ]);
    let key = prop::sample::select(vec!["content", "conten", "is-error"]);
    let members = (other.clone(), object(), other);
    (key, texts, members).prop_map(|(key, (text, cut), (first, object, last))| {
        let members = match &object[1..object.len() - 1] {
            "" => String::new(),
            members => format!(",{members}"),
        };
        // The same text once more, so that a long string may follow a short one.
        let short = match text.get(..cut.index(text.len() + 1)) {
            Some(short) if !short.ends_with('\\') => short,
            _ => "",
        };
        format!("{{\"{key}\":\"{short}\"{first},\"more\":\"{text}\"{members}{last}}}")
    })
}

/// Lines of our shape, lines that nearly are, and anything else.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop::sample::select(vec!["message", "tool-settled", "compaction", "x"]);
    let ts = prop::sample::select(vec![
        "2026-01-02T03:04:05.000006Z",
        "2026-01-02T03:04:05Z",
        "no",
    ]);
    let payload = prop_oneof![object(), object_with_content()];
    let ours = (payload, kind, ts, json(1)).prop_map(|(payload, kind, ts, other)| {
        let line = line("a", kind, ts, &payload);
        match other.len() % 4 {
            0 => line.replace("\"payload\"", &format!("\"other\":{other},\"payload\"")),
            1 => line.replace(",\"ts\"", &format!(",\"pz\":{other},\"ts\"")),
            _ => line,
        }
    });
    prop_oneof![
        4 => ours.prop_map(|line| line.trim_end().as_bytes().to_vec()),
        2 => object().prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 0..40),
        1 => prop::sample::select(vec![&b""[..], b" ", b"\xe3\x80\x80", b"null", b"{\"id\":\"", b"\0\0"])
            .prop_map(<[u8]>::to_vec),
    ]
}

fn any_file() -> impl Strategy<Value = Vec<u8>> {
    let ending = prop::sample::select(vec![&b"\n"[..], b"\n", b"\r\n", b""]);
    let lines = proptest::collection::vec((any_line(), ending), 0..8);
    (any::<bool>(), lines).prop_map(|(mark, lines)| {
        let mut file = if mark {
            b"\xef\xbb\xbf".to_vec()
        } else {
            Vec::new()
        };
        for (line, ending) in lines {
            file.extend(line);
            file.extend(ending);
        }
        file
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn the_index_says_what_reading_everything_says(file in any_file()) {
        check(&file);
    }

    #[test]
    fn an_index_that_grew_is_the_index_of_the_whole(file in any_file(), cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..4)) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(file.len() + 1)).collect();
        cuts.sort_unstable();
        let mut growing = Index::default();
        for cut in cuts.into_iter().chain([file.len()]) {
            let change = growing.extend(&mut Cursor::new(&file[..cut])).unwrap();
            prop_assert_ne!(change, Change::Restarted);
        }
        let grown: Vec<IndexedLine> = growing.lines().collect();
        let whole: Vec<IndexedLine> = index(&file).lines().collect();
        prop_assert_eq!(grown, whole);
    }
}

fn small() -> Vec<u8> {
    [
        line("aa1", "session-meta", "2026-01-01T00:00:00.000000Z", "{}"),
        line(
            "ab2",
            "message",
            "2026-01-01T00:00:02.000000Z",
            r#"{"content":"aa"}"#,
        ),
        "\n".to_owned(),
        line(
            "ab3",
            "message",
            "2026-01-01T00:00:01.000000Z",
            r#"{"content":"b"}"#,
        ),
        "{\"\\u0069d\":\"\\u0061b4\", \"type\":\"x\"}\n".to_owned(),
        "{\"id\":\"ab5".to_owned(),
    ]
    .concat()
    .into_bytes()
}

#[test]
fn a_byte_belongs_to_the_line_that_holds_it() {
    let file = small();
    let index = index(&file);
    let mut number = 1;
    for (offset, byte) in file.iter().enumerate() {
        let line = index.line_at(offset as u64).map(|line| line.number);
        assert_eq!(line, Some(number), "{offset}");
        number += u64::from(*byte == b'\n');
    }
    assert_eq!(index.line_at(file.len() as u64), None);
    assert_eq!((index.line(0), index.line(7)), (None, None));
    assert_eq!((index.len(), index.end()), (6, file.len() as u64));
}

#[test]
fn the_order_of_the_file_wins_over_its_times() {
    let index = index(&small());
    let at = |time: &str| {
        let line = index.last_at(parse_utc(time).unwrap());
        line.map(|line| line.number)
    };
    assert_eq!(at("2025-12-31T23:59:59Z"), None);
    assert_eq!(at("2026-01-01T00:00:00Z"), Some(1));
    assert_eq!(at("2026-01-01T00:00:01.5Z"), Some(4));
    assert_eq!(at("2027-01-01T00:00:00Z"), Some(4));
}

#[test]
fn ids_are_found_by_their_beginning_however_they_are_spelled() {
    let file = small();
    let index = index(&file);
    let find = |prefix: &str, most: usize| -> Vec<u64> {
        let found = index
            .find_ids(&mut Cursor::new(&file), prefix, most)
            .unwrap();
        found.iter().map(|line| line.number).collect()
    };
    assert_eq!(find("ab", 9), [2, 4, 5]);
    assert_eq!(find("ab", 2), [2, 4]);
    assert_eq!(find("aa", 9), [1]);
    assert_eq!(find("ab5", 9), [0_u64; 0]);
}

#[test]
fn a_line_is_read_by_its_record() {
    let file = small();
    let index = index(&file);
    let line = index.line(5).unwrap();
    let bytes = index.read(&mut Cursor::new(&file), &line).unwrap();
    assert_eq!(bytes, b"{\"\\u0069d\":\"\\u0061b4\", \"type\":\"x\"}");
}

#[test]
fn half_a_line_is_read_again_when_it_has_grown() {
    let file = small();
    let cut = file.len() - 4;
    let mut index = index(&file[..cut]);
    assert_eq!(
        index.line(6).map(|line| (line.length, line.ending)),
        Some((6, Ending::None))
    );

    let change = index.extend(&mut Cursor::new(&file)).unwrap();
    assert_eq!(change, Change::Grown { from: 6 });
    let again = index.extend(&mut Cursor::new(&file)).unwrap();
    assert_eq!(again, Change::Grown { from: 6 });

    let whole = [&file, &b"\",\"type\":\"y\"}\n"[..]].concat();
    index.extend(&mut Cursor::new(&whole)).unwrap();
    assert_eq!(index.line(6).map(|line| line.kind), Some(Kind::Other));
    let change = index.extend(&mut Cursor::new(&whole)).unwrap();
    assert_eq!(change, Change::Grown { from: 7 });
}

#[test]
fn a_file_that_lost_or_changed_what_was_indexed_is_indexed_again() {
    let file = small();
    let mut index = index(&file);
    let shorter = &file[..file.len() / 2];
    assert_eq!(
        index.extend(&mut Cursor::new(shorter)).unwrap(),
        Change::Restarted
    );
    let expected_lines = expected(shorter);
    assert_eq!(index.lines().collect::<Vec<_>>(), expected_lines);

    let other = line("other", "session-meta", "", "{}").repeat(9);
    assert_eq!(
        index.extend(&mut Cursor::new(&other)).unwrap(),
        Change::Restarted
    );
    assert_eq!(index.len(), 9);
}

#[test]
fn an_index_can_be_had_piece_by_piece() {
    let text = line("a", "message", "", r#"{"content":"x"}"#).repeat(50);
    let mut source = Cursor::new(text.as_bytes());
    let mut index = Index::default();
    let mut steps = 0;
    while index.end() < text.len() as u64 {
        let before = index.len();
        index.extend_by(&mut source, 200).unwrap();
        assert!(index.len() > before);
        steps += 1;
    }
    assert!(steps > 10);
    assert_eq!(index.lines().collect::<Vec<_>>(), expected(text.as_bytes()));
}
