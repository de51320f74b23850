//! 11.2: replay, without the scenarios that need the loop (30, 44, 49, 50).

use sess::message::ToolCall;
use sess::session::{Compaction, Elision, RunContextRecord, SectionRecord};
use sess::{Json, Message, Session};

use super::place::{Place, compacted, contents, elided, file, ids, line, messages, meta, said};

/// What has been appended, live and loaded again.
fn both(place: &Place, session: Session) -> [Session; 2] {
    let loaded = place.load_copy();
    [session, loaded]
}

fn add(session: &Session, message: Message) -> String {
    session.append_message(message).unwrap().into()
}

#[test]
fn s22_every_field_of_a_message_comes_back() {
    let (place, session) = Place::created();
    let call = ToolCall {
        id: "c1".into(),
        name: "shell".into(),
        arguments: "{}".into(),
    };
    let said = vec![
        Message::system("rules").with_sticky().with_sysprompt(),
        Message::assistant("").with_call(call),
        Message::tool("c1", "done"),
        Message::user("note").with_depth(2),
        Message::tool("", "an empty id counts as set"),
        Message::user("").with_depth(0),
        Message::user("").with_depth(-3),
    ];
    for message in &said {
        add(&session, message.clone());
    }
    for session in both(&place, session) {
        assert_eq!(messages(&session), said);
        assert!(session.messages()[3].is_sticky());
    }
}

#[test]
fn s23_a_compaction_keeps_what_is_sticky_and_what_comes_after() {
    let (place, session) = Place::created();
    let rules = add(&session, Message::system("rules").with_sysprompt());
    add(&session, Message::user("one"));
    let third = add(&session, Message::assistant("two"));
    let fourth = add(&session, Message::user("three"));
    let mut compaction = Compaction::new("so far", third.as_str());
    compaction.tokens_before = Some(90);
    compaction.tokens_after = Some(10);
    let summary = session.append_compaction(&compaction).unwrap();
    assert_eq!(
        place.lines()[5].get("payload").unwrap().text(),
        format!(
            r#"{{"fallback":false,"replaces-through-id":"{third}","summary":"so far","tokens-after":10,"tokens-before":90}}"#
        )
    );
    for session in both(&place, session) {
        assert_eq!(
            ids(&session),
            [rules.as_str(), summary.as_str(), fourth.as_str()]
        );
        assert_eq!(*session.messages()[1], Message::user("so far"));
        assert_eq!(contents(&session), ["rules", "so far", "three"]);
        assert_eq!(session.events().unwrap().len(), 6);
    }
}

#[test]
fn s24_a_summary_of_a_summary_stands_alone() {
    let (place, session) = Place::created();
    let first = add(&session, Message::user("one"));
    let summary = session
        .append_compaction(&Compaction::new("first", first.as_str()))
        .unwrap();
    add(&session, Message::user("two"));
    let newer = session
        .append_compaction(&Compaction::new("second", summary))
        .unwrap();
    for session in both(&place, session) {
        assert_eq!(contents(&session), ["second", "two"]);
        assert_eq!(ids(&session)[0], newer.as_str());
    }
}

#[test]
fn s25_an_elided_result_keeps_its_place_and_its_line() {
    let (place, session) = Place::created();
    let long = "x".repeat(4000);
    add(&session, Message::user("go"));
    let id = add(&session, Message::tool("c1", long.clone()));
    session
        .append_elision(&[Elision::new(id.as_str(), "[gone]")])
        .unwrap();
    for session in both(&place, session) {
        assert_eq!(
            messages(&session),
            [Message::user("go"), Message::tool("c1", "[gone]")]
        );
        assert_eq!(ids(&session)[1], id);
        let stored = session.events().unwrap()[2].get("payload").unwrap();
        assert_eq!(stored.get_str("content").unwrap(), long);
    }
}

#[test]
fn s26_a_compaction_folds_a_stub_away() {
    let (place, session) = Place::created();
    let id = add(&session, Message::tool("c1", "long"));
    session
        .append_elision(&[Elision::new(id.as_str(), "[gone]")])
        .unwrap();
    session
        .append_compaction(&Compaction::new("sum", id.as_str()))
        .unwrap();
    for session in both(&place, session) {
        assert_eq!(contents(&session), ["sum"]);
    }
}

#[test]
fn what_a_compaction_reaches_past_is_whole_after_it() {
    let (place, session) = Place::created();
    let call = ToolCall {
        id: "c1".into(),
        name: "shell".into(),
        arguments: "{}".into(),
    };
    add(&session, Message::assistant("calls").with_call(call));
    add(&session, Message::tool("c1", "kept").with_sticky());
    let one = add(&session, Message::user("one"));
    let long = add(&session, Message::tool("c2", "long\n\u{1F600}"));
    add(&session, Message::assistant("two\t\"2\""));
    session
        .append_elision(&[Elision::new(long.as_str(), "[gone]")])
        .unwrap();
    session
        .append_compaction(&Compaction::new("sum", one.as_str()))
        .unwrap();
    add(&session, Message::user("three"));
    for session in both(&place, session) {
        assert_eq!(
            contents(&session),
            ["calls", "kept", "sum", "[gone]", "two\t\"2\"", "three"]
        );
        let messages = messages(&session);
        assert_eq!(messages[0].tool_calls.len(), 1);
        assert_eq!(messages[3].tool_call_id.as_deref(), Some("c2"));
    }
}

#[test]
fn s27_a_survivor_and_a_summary_can_be_elided() {
    let (place, session) = Place::created();
    let rules = add(&session, Message::system("rules").with_sticky());
    let one = add(&session, Message::user("one"));
    let summary = session
        .append_compaction(&Compaction::new("sum", one.as_str()))
        .unwrap();
    let items = [
        Elision::new(rules.as_str(), "R"),
        Elision::new(summary, "S"),
    ];
    session.append_elision(&items).unwrap();
    for session in both(&place, session) {
        assert_eq!(contents(&session), ["R", "S"]);
        assert!(session.messages()[0].sticky && !session.messages()[1].sticky);
    }
}

#[test]
fn s28_what_is_folded_away_can_no_longer_be_elided() {
    let lines = |third: String, fourth: String| {
        file(&[
            said("a", "user", "one"),
            said("b", "user", "two"),
            third,
            fourth,
        ])
    };
    let (fold, elide) = (compacted("k", "a", "sum"), elided("e", "a", "S"));
    let place = Place::with(lines(fold.clone(), elide.clone()));
    let error = place.refusal();
    assert_eq!(
        (error.kind(), error.line()),
        ("elision-unknown-target", Some(5))
    );
    assert!(error.to_string().contains("\"a\""), "{error}");
    assert_eq!(
        contents(&Place::with(lines(elide, fold)).load()),
        ["sum", "two"]
    );
}

#[test]
fn s29_an_elision_line_that_says_too_little_is_refused() {
    for (payload, kind) in [
        (
            r#"{"items":[{"id":"nobody","stub":"S"}]}"#,
            "elision-unknown-target",
        ),
        (r#"{"items":[{"stub":"S"}]}"#, "elision-item-no-id"),
        (r#"{"items":[{"id":"","stub":"S"}]}"#, "elision-item-no-id"),
        (r#"{"items":[{"id":"a"}]}"#, "elision-item-no-stub"),
        (r#"{"items":["a"]}"#, "elision-item-not-object"),
        (r#"{"items":{}}"#, "elision-no-items"),
        ("{}", "elision-no-items"),
    ] {
        let place = Place::with(file(&[
            said("a", "user", "x"),
            line("e", "elision", payload),
        ]));
        let error = place.refusal();
        assert_eq!((error.kind(), error.line()), (kind, Some(3)), "{payload}");
    }
    let place = Place::with(file(&[
        said("a", "user", "x"),
        line("e", "elision", r#"{"items":[]}"#),
    ]));
    assert_eq!(contents(&place.load()), ["x"]);
}

const HALF: &str = r#"{"id":"h","payload":{"content":"hal"#;

#[test]
fn s31_a_torn_last_line_is_one_warning() {
    let place = Place::with([&file(&[said("a", "user", "hi")]), HALF.as_bytes()].concat());
    let session = place.load();
    let [warning] = session.warnings() else {
        panic!("{:?}", session.warnings());
    };
    assert_eq!((warning.line, warning.raw.as_slice()), (3, HALF.as_bytes()));
    let [kept] = place.beside().try_into().unwrap();
    assert!(warning.message.contains(&kept), "{}", warning.message);
    assert_eq!(contents(&session), ["hi"]);
}

#[test]
fn s32_after_a_repair_the_transcript_goes_on() {
    for end in ["", "\n"] {
        let before = file(&[said("a", "user", "one")]);
        let place = Place::with([&before, HALF.as_bytes(), end.as_bytes()].concat());
        let session = place.load();
        assert!(place.bytes() == before);
        assert!(!place.beside().contains(&"run.jsonl.repair".to_owned()));
        add(&session, Message::user("two"));
        add(&session, Message::user("three"));
        session.close();
        let again = place.load();
        assert_eq!(contents(&again), ["one", "two", "three"]);
        assert!(again.warnings().is_empty());
        assert_eq!(again.line_count(), 4);
    }
}

#[test]
fn s33_a_tail_cut_inside_a_character_is_repaired() {
    let torn = "{\"id\":\"h\",\"payload\":{\"content\":\"caf\u{e9}".as_bytes();
    let torn = &torn[..torn.len() - 1];
    let place = Place::with([&file(&[said("a", "user", "hi")]), torn].concat());
    let session = place.load();
    assert_eq!(session.warnings()[0].raw, torn);
    assert!(String::from_utf8(place.bytes()).is_ok());
}

#[test]
fn s34_s35_separators_stay_and_appended_lines_end_in_a_line_feed() {
    for separator in ["\n", "\r\n"] {
        for tail in [HALF, ""] {
            let whole = [meta(), said("a", "user", "one"), said("b", "user", "two")];
            let whole = whole.join(separator);
            let bytes = match tail {
                "" => whole.clone(),
                torn => [whole.as_str(), separator, torn].concat(),
            };
            let place = Place::with(&bytes);
            let session = place.load();
            assert_eq!(session.warnings().len(), usize::from(!tail.is_empty()));
            let repaired = format!("{whole}{separator}");
            assert_eq!(place.bytes(), repaired.as_bytes());
            add(&session, Message::user("three"));
            session.close();
            let after = place.bytes();
            assert!(after.starts_with(repaired.as_bytes()));
            assert!(after.ends_with(b"}\n") && !after.ends_with(b"\r\n"));
            let again = place.load();
            assert_eq!(contents(&again), ["one", "two", "three"]);
            assert!(again.warnings().is_empty());
        }
    }
}

#[test]
fn s36_a_stale_staged_file_is_removed() {
    let before = file(&[said("a", "user", "hi")]);
    let place = Place::with(&before);
    std::fs::write(place.folder().join("run.jsonl.repair"), "stale").unwrap();
    let session = place.load();
    assert!(session.warnings().is_empty());
    assert_eq!(contents(&session), ["hi"]);
    assert!(place.bytes() == before && place.beside().is_empty());
}

#[test]
fn s37_two_torn_lines_are_refused() {
    let place = Place::with([&file(&[]), HALF.as_bytes(), b"\n", HALF.as_bytes()].concat());
    let error = place.refusal();
    assert_eq!((error.kind(), error.line()), ("two-bad-tail", Some(2)));
    assert!(place.beside().is_empty());
}

#[test]
fn s38_a_broken_line_in_the_middle_is_refused() {
    let place = Place::with(file(&[HALF.to_owned(), said("a", "user", "hi")]));
    let error = place.refusal();
    assert_eq!((error.kind(), error.line()), ("malformed-mid", Some(2)));
    let text = error.to_string();
    assert!(
        text.contains("line 2 of 3") && text.contains("very end"),
        "{text}"
    );
    let place = Place::with(file(&[
        HALF.into(),
        said("a", "user", "hi"),
        HALF.into(),
        said("b", "user", ""),
    ]));
    let error = place.refusal();
    assert_eq!((error.kind(), error.line()), ("many-malformed", Some(2)));
    assert!(error.to_string().contains("2 lines"), "{error}");
}

#[test]
fn s39_a_foreign_version_or_no_type_is_refused() {
    for (line, kind) in [
        (
            r#"{"id":"a","payload":{},"ts":"","type":"message","v":2}"#,
            "bad-version",
        ),
        (
            r#"{"id":"a","payload":{},"ts":"","type":"message"}"#,
            "bad-version",
        ),
        (
            r#"{"id":"a","payload":{},"ts":"","type":"message","v":"1"}"#,
            "bad-version",
        ),
        (r#"{"id":"a","payload":{},"ts":"","v":1}"#, "no-type"),
        (
            r#"{"id":"a","payload":{},"ts":"","type":7,"v":1}"#,
            "no-type",
        ),
    ] {
        let error = Place::with(file(&[line.to_owned()])).refusal();
        assert_eq!((error.kind(), error.line()), (kind, Some(2)), "{line}");
        assert!(!error.is_not_a_transcript());
        // On the first line the version is looked at before the type.
        let error = Place::with(format!("{line}\n")).refusal();
        assert_eq!(error.kind(), kind, "{line}");
        assert!(error.is_not_a_transcript());
    }
    let error = Place::with(file(&[r#"{"type":"x","v":2}"#.to_owned()])).refusal();
    assert!(error.to_string().contains("version 2"), "{error}");
}

#[test]
fn s40_a_first_line_of_another_type_is_refused() {
    for first in [
        said("a", "user", "hi"),
        said("a", "nobody", "hi"),
        line("", "x", "{}"),
    ] {
        let error = Place::with(first + "\n").refusal();
        assert_eq!((error.kind(), error.line()), ("first-not-meta", Some(1)));
    }
}

#[test]
fn s41_a_compaction_of_nobody_or_without_a_name_is_refused() {
    let unknown = Place::with(file(&[compacted("k", "nobody", "S")])).refusal();
    let nameless = Place::with(file(&[line("k", "compaction", r#"{"summary":"S"}"#)])).refusal();
    assert_eq!(unknown.kind(), "compaction-unknown-target");
    assert_eq!(nameless.kind(), "compaction-no-target");
    assert!(unknown.to_string().contains("\"nobody\""), "{unknown}");
    // The same checks stand before an append.
    let (place, session) = Place::created();
    let refused = session
        .append_compaction(&Compaction::new("S", "nobody"))
        .unwrap_err();
    assert!(refused.to_string().contains("this session"), "{refused}");
    assert_eq!(place.lines().len(), 1);
}

#[test]
fn s42_an_unknown_type_is_kept_and_skipped() {
    let unknown = line(
        "x",
        "subagent-spawned",
        r#"{"agent-id":"a1","b":1,"a":[1.50]}"#,
    );
    let place = Place::with(file(&[
        said("a", "user", "hi"),
        unknown.clone(),
        said("b", "user", "ho"),
    ]));
    let session = place.load();
    assert_eq!(contents(&session), ["hi", "ho"]);
    assert_eq!(session.events().unwrap()[2].text(), unknown);
    assert!(session.warnings().is_empty());
}

#[test]
fn s43_one_session_after_another() {
    let (place, session) = Place::created();
    add(&session, Message::user("one"));
    session.close();
    let size = place.bytes().len();
    let session = place.load();
    add(&session, Message::user("two"));
    session.close();
    assert!(place.bytes().len() > size);
    let session = place.load();
    assert_eq!(session.meta().text(), r#"{"agent":"t"}"#);
    assert_eq!(contents(&session), ["one", "two"]);
    let ids = ids(&session);
    assert!(ids.len() == 2 && ids[0] != ids[1]);
}

fn section(name: &str, digest: &str, rendered: &str) -> SectionRecord {
    SectionRecord {
        name: name.into(),
        digest: digest.into(),
        rendered: rendered.into(),
    }
}

fn context(run: &str, sections: Vec<SectionRecord>) -> RunContextRecord {
    RunContextRecord {
        run_id: run.into(),
        digest: format!("digest of {run}"),
        facts: vec![("z".into(), "1".into()), ("a".into(), "2".into())],
        sections,
    }
}

#[test]
fn s45_a_section_body_is_stored_once_for_all_runs() {
    let (place, session) = Place::created();
    let identity = || section("identity", "i", "IDENT");
    let runs = [
        context("r1", vec![identity(), section("instructions", "n1", "OLD")]),
        context("r2", vec![identity(), section("instructions", "n1", "OLD")]),
        context("r3", vec![identity(), section("instructions", "n2", "NEW")]),
    ];
    let ids = runs
        .each_ref()
        .map(|run| session.append_run_context(run).unwrap());
    for session in both(&place, session) {
        let contexts = session.run_contexts();
        let bodies = contexts.iter().map(|context| {
            let carried = context
                .sections
                .iter()
                .filter(|section| section.rendered.is_some());
            carried.count()
        });
        assert_eq!(bodies.collect::<Vec<_>>(), [2, 0, 1]);
        for (digest, body) in [("i", "IDENT"), ("n1", "OLD"), ("n2", "NEW")] {
            assert_eq!(session.run_context_section(digest).as_deref(), Some(body));
        }
        let pointer = contexts[1].sections[1].rendered_in.as_ref().unwrap();
        assert_eq!(pointer.as_str().unwrap(), ids[0].as_str());
        assert_eq!(contexts[2].facts, runs[2].facts);
        assert_eq!(session.last_run_context().unwrap().run_id, runs[2].run_id);
    }
}

#[test]
fn s46_a_section_twice_in_one_context_points_at_its_own_line() {
    let (place, session) = Place::created();
    let record = context(
        "r1",
        vec![section("a", "s", "BODY"), section("b", "s", "BODY")],
    );
    let id = session.append_run_context(&record).unwrap();
    for session in both(&place, session) {
        let context = session.last_run_context().unwrap();
        assert!(context.sections[0].rendered.is_some());
        let pointer = context.sections[1].rendered_in.as_ref().unwrap();
        assert_eq!(pointer.as_str().unwrap(), id.as_str());
        assert_eq!(session.run_context_section("s").as_deref(), Some("BODY"));
    }
}

#[test]
fn s47_s145_a_body_whose_line_is_gone_is_absent_and_stored_again() {
    let payload = r#"{"digest":"d","facts":[],"run-id":"r","sections":[{"digest":"gone","name":"a","rendered-in":"cut-off"},{"digest":"here","name":"b","rendered":"HERE"}]}"#;
    let place = Place::with(file(&[line("rc", "run-context", payload)]));
    let session = place.load();
    assert!(session.warnings().is_empty());
    assert_eq!(session.run_context_section("gone"), None);
    assert_eq!(session.run_context_section("here").as_deref(), Some("HERE"));
    let pointer = session.run_contexts()[0].sections[0]
        .rendered_in
        .clone()
        .unwrap();
    assert_eq!(pointer, Json::string("cut-off"));
    let again = context(
        "r2",
        vec![section("a", "gone", "BACK"), section("b", "here", "HERE")],
    );
    session.append_run_context(&again).unwrap();
    for session in both(&place, session) {
        assert_eq!(session.run_context_section("gone").as_deref(), Some("BACK"));
        let context = session.last_run_context().unwrap();
        assert_eq!(context.sections[0].rendered, Some(Json::string("BACK")));
        assert_eq!(context.sections[1].rendered_in, Some(Json::string("rc")));
    }
}

#[test]
fn s48_blank_lines_are_ignored_and_counted() {
    let blank = " \t\u{a0}\u{3000}".to_owned();
    let place = Place::with(file(&[
        String::new(),
        said("a", "user", "hi"),
        blank,
        "\r".into(),
        said("b", "user", "ho"),
        String::new(),
    ]));
    let session = place.load();
    assert_eq!(contents(&session), ["hi", "ho"]);
    assert!(session.warnings().is_empty());
    assert_eq!((session.envelope_count(), session.line_count()), (3, 7));
    let broken = Place::with(file(&[String::new(), "{".into(), said("a", "user", "hi")]));
    assert_eq!(broken.refusal().line(), Some(3));
}
