//! The lines the append operations write, and what they refuse.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use sess::session::{
    Arguments, Dispatch, Extras, Outcome, RunContextRecord, SectionRecord, Settlement,
};
use sess::{Json, Message, Session};

use super::ours::masked;
use crate::support::reference::{self, Vector};

/// Vectors about other layers.
const LATER: &[(&str, &str)] = &[
    ("artifact-dir", "artifacts"),
    ("artifact-name", "artifacts"),
    ("compactor", "the compactor"),
    ("compactor-invalid", "the compactor"),
    ("compactor-thresholds", "the compactor"),
    ("constants", "the compactor and the budget"),
    ("excerpt", "artifacts"),
    ("excerpt-generated", "artifacts"),
    ("heuristic-count", "token counting"),
    ("heuristic-invalid", "token counting"),
    ("heuristic-text", "token counting"),
    ("marker", "artifacts"),
    ("run-context", "rendering of run contexts"),
    ("tool-operation", "the live operation"),
    ("tool-operation-steps", "the live operation"),
    ("usage-counter", "token counting"),
];

/// Vectors that the tests of canonical JSON ask.
const ELSEWHERE: &[&str] = &[
    "canonical-arguments",
    "canonical-json",
    "content-digest",
    "grants-digest",
    "message-digest",
    "messages-digest",
];

#[test]
fn every_vector_is_asked_here_or_belongs_to_another_layer() {
    for vector in reference::canonical() {
        let kind = vector.kind.as_str();
        let later = LATER.iter().any(|(later, _)| *later == kind);
        let here = ["session-append", "session-create"].contains(&kind);
        assert!(
            later || here || ELSEWHERE.contains(&kind),
            "{}",
            vector.name
        );
    }
}

/// What the session holds after the calls, with each id named by the line it stands in.
struct Written {
    lines: Vec<String>,
    refused: usize,
}

fn write(calls: impl FnOnce(&Session) -> usize) -> Written {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let session = Session::create(&path, Json::parse(r#"{"agent":"x"}"#).unwrap()).unwrap();
    let refused = calls(&session);
    session.close();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.ends_with('\n'));
    check_reload(&session, &path);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let id = |line: &str| Json::parse(line).unwrap().get_str("id").unwrap();
    let ids: Vec<String> = lines.iter().map(|line| id(line)).collect();
    for line in &mut lines {
        *line = masked(line);
    }
    for (place, id) in ids.iter().enumerate() {
        let name = format!("{{id{place}}}");
        lines[place] = lines[place].replacen("{uuid}", &name, 1);
        for line in &mut lines {
            *line = line.replace(id, &name);
        }
    }
    Written { lines, refused }
}

/// The reference says `live_equals_reloaded` of each.
fn check_reload(live: &Session, path: &Path) {
    let loaded = Session::load(path).unwrap();
    assert_eq!(live.conversation(), loaded.conversation());
    assert_eq!(live.open_calls(), loaded.open_calls());
    assert_eq!(live.run_contexts(), loaded.run_contexts());
    assert_eq!(live.events().unwrap(), loaded.events().unwrap());
}

fn vector(name: &str) -> Vector {
    let mut vectors = reference::canonical().into_iter();
    vectors.find(|vector| vector.name == name).unwrap()
}

fn output(name: &str) -> Value {
    vector(name).answer.unwrap()
}

fn assert_writes(name: &str, written: &Written) {
    let output = output(name);
    assert_eq!(
        Value::from(written.lines.clone()),
        output["lines"],
        "{name}"
    );
    let errors = output["errors"].as_array().unwrap().len();
    assert_eq!(written.refused, errors, "{name}");
}

#[test]
fn control_characters_quotes_and_pairs_are_written_as_the_reference_does() {
    let content = "\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1}\u{1f}\u{7f}\u{80}\u{a0}é e\u{301} \u{1f600} \u{2028}\u{feff}\r\n end";
    let written = write(|session| {
        session.append_message(Message::user(content)).unwrap();
        0
    });
    let mut composed = written;
    assert!(composed.lines[1].contains("e\u{301}"), "text is kept");
    // 13.1-14: the reference composes.
    composed.lines[1] = composed.lines[1].replace("e\u{301}", "é");
    assert_writes("append/strings", &composed);
}

#[test]
fn durations_are_written_as_the_reference_does() {
    let micros = |micros| Duration::from_micros(micros);
    let nanos = |nanos| Duration::from_nanos(nanos);
    let durations = [
        micros(0),
        Duration::from_secs(1),
        Duration::from_secs(1),
        Duration::from_millis(500),
        Duration::from_secs(1),
        Duration::from_secs(1) / 3,
        nanos(1_234_567_123_456_700),
        nanos(400),
        nanos(1),
        Duration::from_secs(1_200_000),
    ];
    let written = write(|session| {
        for duration in durations {
            let call = Dispatch::new("c", "t", Arguments::Text("{}".into()));
            let op_id = session.append_tool_dispatched(&call).unwrap();
            let mut settlement = Settlement::new(op_id, Outcome::Completed);
            settlement.duration = Some(duration);
            session.append_tool_settled(&settlement).unwrap();
        }
        0
    });
    assert_writes("append/durations", &written);
}

#[test]
fn a_section_body_is_written_once() {
    let context = |run: &str, facts: &[(&str, &str)], sections: &[(&str, &str, &str)]| {
        let facts = facts
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()));
        let sections = sections
            .iter()
            .map(|(name, digest, rendered)| SectionRecord {
                name: name.to_string(),
                digest: digest.to_string(),
                rendered: rendered.to_string(),
            });
        RunContextRecord {
            run_id: run.into(),
            digest: "D".into(),
            facts: facts.collect(),
            sections: sections.collect(),
        }
    };
    let written = write(|session| {
        let first = [("a", "s1", "AAA"), ("b", "s2", ""), ("c", "s1", "AAA")];
        let first = context("r1", &[("date", "2026"), ("cwd", "/x")], &first);
        session.append_run_context(&first).unwrap();
        let second = [("a", "s1", "AAA"), ("d", "s3", "DDD")];
        let second = context("r2", &[("date", "2027"), ("n", "")], &second);
        session.append_run_context(&second).unwrap();
        assert!(session.append_run_context(&context("", &[], &[])).is_err());
        // A section without a body and a fact that is no pair cannot be said in these types.
        3
    });
    assert_writes("append/run-context-dedup", &written);
}

#[test]
fn events_of_ones_own_are_written_and_built_in_types_refused() {
    let payload = r#"{"t":true,"small":1e-07,"nul":null,"n":1000e0,"ms":12.5,"frac":0.333333,"big":12345678901234567890123}"#;
    let written = write(|session| {
        let payload = Json::parse(payload).unwrap();
        session.append_event("x-telemetry", &payload).unwrap();
        let empty = Json::empty_object();
        session.append_event(" message", &empty).unwrap();
        let refused = ["message", " \t "];
        for name in refused {
            session.append_event(name, &empty).unwrap_err();
        }
        refused.len()
    });
    assert_writes("append/event", &written);
}

/// 13.1-5: what the reference lets in is refused, so `append/extra-cannot-override` has no line.
#[test]
fn an_extra_that_would_change_the_message_is_refused() {
    let written = write(|session| {
        let mut refused = 0;
        for (key, value) in [
            ("role", "\"system\""),
            ("content", "\"fake\""),
            ("sticky", "true"),
            ("depth", "4"),
            ("tool-call-id", "\"q\""),
        ] {
            let extras = Extras::from([(key.to_owned(), Json::parse(value).unwrap())]);
            let error = session.append_message_with(Message::user("real"), &extras);
            assert!(error.unwrap_err().to_string().contains(key));
            refused += 1;
        }
        refused
    });
    let theirs = &output("append/extra-cannot-override")["lines"];
    assert_eq!(
        Value::from(written.lines),
        Value::from(vec![theirs[0].clone()])
    );
    assert_eq!(written.refused, 5);
}

#[test]
fn creating_takes_an_empty_file_and_a_missing_folder_and_no_content() {
    let expected = output("append/create-over-existing");
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.jsonl");
    fs::write(&empty, "").unwrap();
    let session = Session::create(&empty, Json::empty_object()).unwrap();
    assert_eq!(expected["empty-file-elems"], session.envelope_count());
    let deep = folder.path().join("a/b/c.jsonl");
    Session::create(&deep, Json::empty_object()).unwrap();
    assert_eq!(expected["parents-created"], deep.exists());
    for (key, content) in [("existing", "{}\n"), ("newline-only", "\n")] {
        let path = folder.path().join(key);
        fs::write(&path, content).unwrap();
        let error = Session::create(&path, Json::empty_object()).unwrap_err();
        assert!(
            expected[key]
                .as_str()
                .unwrap()
                .contains("already has content")
        );
        assert!(error.to_string().contains("not empty"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
}
