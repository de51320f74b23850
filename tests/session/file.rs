//! 11.1: file and envelope.

use std::fs;

use sess::message::ToolCall;
use sess::session::{AppendError, CreateError, Elision, Extras, RunContextRecord, SectionRecord};
use sess::{Json, Message, Session};

use super::place::{Place, TS, contents, ids, line, meta, said};
use crate::support::form::is_like;

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

fn call() -> ToolCall {
    ToolCall {
        id: "c1".into(),
        name: "shell".into(),
        arguments: "{\"cmd\":\"ls\"}".into(),
    }
}

#[test]
fn s1_the_first_line_is_the_meta() {
    let place = Place::empty();
    let meta = json(r#"{"model":"small","agent":"t","nested":{"b":1,"a":[1.50]}}"#);
    let session = Session::create(&place.path, meta.clone()).unwrap();
    assert_eq!(session.meta(), meta);
    assert_eq!((session.envelope_count(), session.messages().len()), (1, 0));
    let [first] = place.lines().try_into().unwrap();
    assert_eq!(first.get("payload").unwrap(), meta);
    assert_eq!(first.get("v").unwrap().text(), "1");
    assert_eq!(first.get_str("type").unwrap(), "session-meta");
    assert!(is_like(
        &first.get_str("id").unwrap(),
        "xxxxxxxx-xxxx-4xxx-xxxx-xxxxxxxxxxxx"
    ));
    assert!(is_like(
        &first.get_str("ts").unwrap(),
        "0000-00-00T00:00:00.000000Z"
    ));
}

#[test]
fn s2_a_line_is_in_the_file_when_the_append_returns() {
    let (place, session) = Place::created();
    assert_eq!(place.lines().len(), 1);
    session.append_message(Message::user("hello")).unwrap();
    let lines = place.lines();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        lines[1].get("payload").unwrap().get_str("content").unwrap(),
        "hello"
    );
    assert!(place.bytes().ends_with(b"\n"));
}

#[test]
fn s3_extras_stand_in_the_line_and_not_in_the_message() {
    let (place, session) = Place::created();
    let message = Message::assistant("let me look").with_call(call());
    let extras = Extras::from([
        (
            "usage".to_owned(),
            json(r#"{"total-tokens":7,"cost":0.0042e0}"#),
        ),
        ("finish-reason".to_owned(), Json::string("tool_calls")),
    ]);
    let id = session
        .append_message_with(message.clone(), &extras)
        .unwrap();
    let line = &place.lines()[1];
    assert_eq!(line.get_str("id").unwrap(), id.as_str());
    let payload = line.get("payload").unwrap();
    let expected = format!(
        r#"{{"content":"let me look","finish-reason":"tool_calls","role":"assistant","tool-calls":[{}],"usage":{{"cost":0.0042e0,"total-tokens":7}}}}"#,
        call().to_json()
    );
    assert_eq!(payload.text(), expected);
    for session in [&session, &place.load_copy()] {
        assert_eq!(*session.messages()[0], message);
        assert_eq!(ids(session), [id.as_str()]);
    }
}

#[test]
fn s4_extras_cannot_name_a_key_of_the_message() {
    // 13.1-5: they are refused, where the reference lets the message win or worse.
    let (place, session) = Place::created();
    for key in sess::session::RESERVED_KEYS {
        let extras = Extras::from([(key.to_owned(), Json::string("deep"))]);
        let error = session
            .append_message_with(Message::user("x"), &extras)
            .unwrap_err();
        assert!(matches!(error, AppendError::Argument { .. }), "{error}");
    }
    assert_eq!(place.lines().len(), 1);
    place.load_copy();
}

#[test]
fn s5_grants_answer_the_last_list_in_full() {
    let (place, session) = Place::created();
    assert!(session.grants().is_empty());
    let first = [json(r#"{"tool":"a"}"#), json(r#"{"tool":"b"}"#)];
    let second = [json(r#"{"tool":"c","path":"/x"}"#), json("7")];
    session.append_grants(&first).unwrap();
    assert_eq!(session.grants(), first);
    session.append_grants(&second).unwrap();
    assert_eq!(session.grants(), second);
    assert_eq!(place.load_copy().grants(), second);
    assert!(session.messages().is_empty());
}

fn context() -> RunContextRecord {
    RunContextRecord {
        run_id: "r1".into(),
        digest: "d1".into(),
        facts: vec![
            ("date".into(), "2026".into()),
            ("cwd".into(), String::new()),
        ],
        sections: vec![SectionRecord {
            name: "identity".into(),
            digest: "s1".into(),
            rendered: "IDENT".into(),
        }],
    }
}

#[test]
fn s6_a_run_context_is_one_line_and_no_message() {
    let (place, session) = Place::created();
    let id = session.append_run_context(&context()).unwrap();
    let lines = place.lines();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        lines[1].get("payload").unwrap().text(),
        r#"{"digest":"d1","facts":[["date","2026"],["cwd",""]],"run-id":"r1","sections":[{"digest":"s1","name":"identity","rendered":"IDENT"}]}"#
    );
    assert!(session.messages().is_empty());
    assert_eq!(session.last_run_context().unwrap().id, id);
}

#[test]
fn s7_a_run_context_without_its_names_is_refused_by_field() {
    // Malformed facts and sections without a body cannot be said in these types.
    let (place, session) = Place::created();
    let mut no_run = context();
    no_run.run_id = " \t".into();
    let mut no_digest = context();
    no_digest.digest = String::new();
    let mut no_name = context();
    no_name.sections[0].name = "\u{3000}".into();
    let mut no_section_digest = context();
    no_section_digest.sections[0].digest = String::new();
    for (record, field) in [
        (no_run, "run-id"),
        (no_digest, "digest"),
        (no_name, "section 0 has no name"),
        (no_section_digest, "section 0 has no digest"),
    ] {
        let error = session.append_run_context(&record).unwrap_err();
        assert!(error.to_string().contains(field), "{error}");
    }
    assert_eq!(place.lines().len(), 1);
    assert!(session.run_contexts().is_empty());
}

#[test]
fn s8_an_elision_replaces_a_content_and_nothing_else() {
    let (place, session) = Place::created();
    session
        .append_message(Message::assistant("").with_call(call()))
        .unwrap();
    let id = session
        .append_message(Message::tool("c1", "long result"))
        .unwrap();
    session
        .append_elision(&[Elision::new(id.clone(), "[stub]")])
        .unwrap();
    let lines = place.lines();
    assert_eq!(lines[3].get_str("type").unwrap(), "elision");
    assert_eq!(
        lines[3].get("payload").unwrap().text(),
        format!(r#"{{"items":[{{"id":"{id}","stub":"[stub]"}}]}}"#)
    );
    assert_eq!(*session.messages()[1], Message::tool("c1", "[stub]"));
    assert_eq!(ids(&session)[1], id.as_str());
    assert_eq!(session.messages().len(), 2);
    assert_eq!(
        lines[2].get("payload").unwrap().get_str("content").unwrap(),
        "long result"
    );
}

#[test]
fn s9_an_elision_of_nothing_or_of_nobody_is_refused() {
    let (place, session) = Place::created();
    let empty = session.append_elision(&[]).unwrap_err();
    assert!(empty.to_string().contains("empty"), "{empty}");
    let id = session.append_message(Message::user("x")).unwrap();
    let items = [Elision::new(id, "one"), Elision::new("nobody", "two")];
    let unknown = session.append_elision(&items).unwrap_err();
    assert!(unknown.to_string().contains("\"nobody\""), "{unknown}");
    assert_eq!(contents(&session), ["x"]);
    assert_eq!(place.lines().len(), 2);
}

#[test]
fn s10_a_type_of_ones_own_is_kept_and_no_message() {
    let (place, session) = Place::created();
    let payload = json(r#"{"ms":12.5}"#);
    let id = session.append_event("x-telemetry", &payload).unwrap();
    let blank_ends = session.append_event(" x ", &Json::empty_object()).unwrap();
    for session in [&session, &place.load_copy()] {
        let events = session.events().unwrap();
        assert_eq!(events[1].get_str("id").unwrap(), id.as_str());
        assert_eq!(events[1].get("payload").unwrap(), payload);
        assert_eq!(events[2].get_str("type").unwrap(), " x ");
        assert_eq!(events[2].get_str("id").unwrap(), blank_ends.as_str());
        assert!(session.messages().is_empty());
    }
}

#[test]
fn s11_s91_a_built_in_or_blank_type_is_refused() {
    let (place, session) = Place::created();
    for name in sess::session::BUILT_IN_TYPES
        .into_iter()
        .chain(["", " \t", "\u{a0}"])
    {
        let error = session
            .append_event(name, &Json::empty_object())
            .unwrap_err();
        assert!(
            matches!(error, AppendError::Argument { .. }),
            "{name}: {error}"
        );
    }
    for payload in ["[]", "7", "null", "\"x\""] {
        let error = session.append_event("x", &json(payload)).unwrap_err();
        assert!(error.to_string().contains("object"), "{error}");
    }
    assert_eq!(place.lines().len(), 1);
}

#[test]
fn s12_s146_what_goes_in_and_comes_out_is_a_copy() {
    let (_place, session) = Place::created();
    session.append_message(Message::user("x")).unwrap();
    let mut messages = session.messages();
    std::sync::Arc::make_mut(&mut messages[0]).content = "changed".into();
    let mut events = session.events().unwrap();
    events.clear();
    let mut pending = session.pending_tool_operations();
    pending.clear();
    assert_eq!(contents(&session), ["x"]);
    assert_eq!(session.events().unwrap().len(), 2);
}

#[test]
fn s13_a_closed_transcript_can_be_peeked_at() {
    let (place, session) = Place::created();
    session.append_message(Message::user("do it")).unwrap();
    session
        .append_message(Message::assistant("").with_call(call()))
        .unwrap();
    session.close();
    let before = place.bytes();
    let peek = Session::peek(&place.path);
    assert_eq!(peek.error, None);
    assert_eq!(peek.meta.text(), r#"{"agent":"t"}"#);
    assert_eq!(peek.size, before.len() as u64);
    let expected = [
        Message::user("do it"),
        Message::assistant("").with_call(call()),
    ];
    assert_eq!(peek.messages, expected);
    assert_eq!(peek.envelopes.len(), 3);
    assert!(peek.warnings.is_empty());
    assert!(place.bytes() == before && place.beside().is_empty());
}

#[test]
fn s14_half_a_line_at_the_end_is_a_warning_to_peek() {
    let half = r#"{"id":"h","payload":{"con"#;
    let bytes = [meta(), said("a", "user", "hi"), half.to_owned()].join("\n");
    let place = Place::with(&bytes);
    let peek = Session::peek(&place.path);
    assert_eq!(peek.error, None);
    assert_eq!((peek.envelopes.len(), peek.messages.len()), (2, 1));
    let [warning] = peek.warnings.try_into().unwrap();
    assert_eq!((warning.line, warning.raw), (3, half.as_bytes().to_vec()));
    assert_eq!(place.bytes(), bytes.as_bytes());
}

#[test]
fn s15_a_missing_path_is_an_error_in_peek_and_no_panic() {
    let place = Place::empty();
    let peek = Session::peek(&place.path);
    assert_eq!(peek.error.unwrap().kind(), "no-file");
    assert_eq!((peek.size, peek.envelopes.len()), (0, 0));
    let folder = Session::peek(place.folder());
    assert_eq!(folder.error.unwrap().kind(), "no-file");
}

#[test]
fn s16_ids_are_parallel_to_messages_and_the_meta_is_counted() {
    let (_place, session) = Place::created();
    let first = session.append_message(Message::user("a")).unwrap();
    let second = session.append_message(Message::assistant("b")).unwrap();
    assert_eq!(ids(&session), [first.as_str(), second.as_str()]);
    assert_eq!(contents(&session), ["a", "b"]);
    assert_eq!(session.envelope_count(), 3);
}

#[test]
fn s17_creating_over_content_is_refused_and_over_nothing_allowed() {
    for content in ["{}\n", "\n", "x"] {
        let place = Place::with(content);
        let error = Session::create(&place.path, Json::empty_object()).unwrap_err();
        assert!(matches!(error, CreateError::NotEmpty { .. }), "{error}");
        assert!(error.to_string().contains("run.jsonl"), "{error}");
        assert_eq!(place.bytes(), content.as_bytes());
    }
    let place = Place::empty();
    fs::create_dir(&place.path).unwrap();
    assert!(Session::create(&place.path, Json::empty_object()).is_err());
    let place = Place::with("");
    let mode = fs::metadata(&place.path).unwrap().permissions();
    Session::create(&place.path, Json::empty_object()).unwrap();
    assert_eq!(place.lines().len(), 1);
    assert_eq!(fs::metadata(&place.path).unwrap().permissions(), mode);
    for meta in ["[]", "null", "\"x\"", "1"] {
        let place = Place::empty();
        let error = Session::create(&place.path, json(meta)).unwrap_err();
        assert!(matches!(error, CreateError::BadMeta { .. }), "{error}");
        assert!(!place.path.exists());
    }
}

#[test]
fn s18_loading_what_is_not_there_is_refused() {
    // There is no other way to make a session than create and load.
    let place = Place::empty();
    let error = Session::load(&place.path).unwrap_err();
    assert_eq!(error.kind(), "no-file");
    assert!(error.to_string().contains("run.jsonl"), "{error}");
    assert_eq!(Session::load(place.folder()).unwrap_err().kind(), "no-file");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(place.folder().join("nowhere"), &place.path).unwrap();
        assert_eq!(Session::load(&place.path).unwrap_err().kind(), "no-file");
    }
}

#[test]
fn s19_a_closed_session_answers_and_takes_nothing_more() {
    let (place, session) = Place::created();
    let id = session.append_message(Message::user("a")).unwrap();
    session.close();
    session.close();
    assert!(session.is_closed());
    let refusals = [
        session.append_message(Message::user("b")).unwrap_err(),
        session.append_grants(&[]).unwrap_err(),
        session
            .append_event("x", &Json::empty_object())
            .unwrap_err(),
        session.append_run_context(&context()).unwrap_err(),
        // Being closed comes before what is wrong with the line.
        session
            .append_elision(&[Elision::new("nobody", "")])
            .unwrap_err(),
    ];
    for error in refusals {
        assert!(matches!(error, AppendError::Closed { .. }), "{error}");
    }
    assert_eq!(ids(&session), [id.as_str()]);
    assert_eq!(session.events().unwrap().len(), 2);
    assert_eq!(place.load().envelope_count(), 2);
}

#[test]
fn s21_keys_are_sorted_in_every_line() {
    let (place, session) = Place::created();
    session
        .append_message(Message::user("a").with_sticky().with_depth(0))
        .unwrap();
    session
        .append_event("x", &json(r#"{"b":{"d":1,"c":2},"a":3,"é":4,"z":5}"#))
        .unwrap();
    for line in place.lines() {
        assert_eq!(line.compact(), line.text());
        assert!(line.text().starts_with("{\"id\":\""), "{line}");
    }
    assert_eq!(
        line("i", "t", "{}"),
        format!(r#"{{"id":"i","payload":{{}},"ts":"{TS}","type":"t","v":1}}"#)
    );
}
