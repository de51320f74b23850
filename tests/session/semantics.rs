//! 11.7, scenarios 139 to 141, and what else the format leaves to a reader.

use sess::Message;
use sess::session::{Compaction, WarningKind};

use super::place::{
    Place, compacted, contents, dispatched, elided, file, ids, line, said, settled,
};

#[test]
fn s139_a_second_meta_line_is_warned_of_and_counts() {
    let second = line("m2", "session-meta", r#"{"agent":"other"}"#);
    let place = Place::with(file(&[said("a", "user", "hi"), second]));
    let session = place.load();
    assert_eq!(session.meta().text(), r#"{"agent":"other"}"#);
    let found: Vec<_> = session
        .warnings()
        .iter()
        .map(|it| (it.line, it.kind))
        .collect();
    assert_eq!(found, [(3, WarningKind::SecondMeta)]);
    assert_eq!(
        sess::Session::peek(&place.path).meta.text(),
        r#"{"agent":"t"}"#
    );
}

#[test]
fn s139_of_two_messages_with_one_id_the_first_is_meant() {
    let twice = [
        said("a", "user", "one"),
        said("a", "user", "two"),
        said("b", "user", "three"),
    ];
    let session = Place::with(file(&[&twice[..], &[elided("e", "a", "S")]].concat())).load();
    assert_eq!(contents(&session), ["S", "two", "three"]);
    let session = Place::with(file(&[&twice[..], &[compacted("k", "a", "sum")]].concat())).load();
    assert_eq!(ids(&session), ["k", "a", "b"]);
    // The second can be meant once the first is gone.
    let lines = [
        &twice[..],
        &[compacted("k", "a", "sum"), compacted("l", "a", "more")],
    ]
    .concat();
    assert_eq!(ids(&Place::with(file(&lines)).load()), ["l", "b"]);
}

#[test]
fn s139_of_two_dispatches_with_one_id_the_later_is_settled() {
    let session = Place::with(file(&[
        dispatched("o", "c1", ""),
        dispatched("o", "c2", ""),
        settled("s", "o", "completed"),
    ]))
    .load();
    let [pending] = session.pending_tool_operations().try_into().unwrap();
    assert_eq!(pending.call_id.as_str(), "c1");
}

#[test]
fn s139_a_line_that_others_may_name_needs_an_id() {
    for type_name in ["message", "compaction", "tool-dispatched", "run-context"] {
        for id in [
            "",
            r#""id":"","#,
            r#""id":null,"#,
            r#""id":5,"#,
            r#""id":["a"],"#,
        ] {
            let line = format!(
                r#"{{{id}"payload":{{"content":"x","replaces-through-id":"a","role":"user"}},"ts":"","type":"{type_name}","v":1}}"#
            );
            let error = Place::with(file(&[said("a", "user", ""), line.clone()])).refusal();
            assert_eq!((error.kind(), error.line()), ("no-id", Some(3)), "{line}");
        }
    }
    for type_name in ["session-meta", "grants", "x-other"] {
        let line = format!(r#"{{"payload":{{}},"type":"{type_name}","v":1}}"#);
        assert_eq!(Place::with(file(&[line])).load().envelope_count(), 2);
    }
}

#[test]
fn s140_a_last_grants_line_without_a_list_means_none() {
    let good = line("g1", "grants", r#"{"grants":[{"tool":"a"}]}"#);
    for payload in [
        "{}",
        r#"{"grants":null}"#,
        r#"{"grants":{"tool":"a"}}"#,
        "[]",
        "null",
    ] {
        let session = Place::with(file(&[good.clone(), line("g2", "grants", payload)])).load();
        assert!(session.grants().is_empty(), "{payload}");
    }
}

#[test]
fn s141_compacting_through_a_sticky_entry_twice_puts_the_newest_summary_first() {
    let (place, session) = Place::created();
    let rules = session
        .append_message(Message::system("rules").with_sticky())
        .unwrap();
    session.append_message(Message::user("hi")).unwrap();
    session
        .append_compaction(&Compaction::new("one", rules.clone()))
        .unwrap();
    assert_eq!(contents(&session), ["rules", "one", "hi"]);
    session
        .append_compaction(&Compaction::new("two", rules))
        .unwrap();
    for session in [&session, &place.load_copy()] {
        assert_eq!(contents(session), ["rules", "two", "one", "hi"]);
    }
}

#[test]
fn of_two_stubs_in_one_line_the_last_stands() {
    let items = r#"{"items":[{"id":"a","stub":"one"},{"id":"a","stub":"two","extra":1}]}"#;
    let session = Place::with(file(&[said("a", "user", "x"), line("e", "elision", items)])).load();
    assert_eq!(contents(&session), ["two"]);
}

#[test]
fn a_message_line_is_taken_strictly() {
    for (payload, kind) in [
        (r#"{"role":"developer","content":"x"}"#, "message-bad-role"),
        (r#"{"role":"","content":"x"}"#, "message-bad-role"),
        (r#"{"role":7}"#, "message-bad-role"),
        (r#"{"content":7}"#, "message-bad-content"),
        (r#"{"content":["x"]}"#, "message-bad-content"),
        (r#"{"depth":2.5}"#, "message-bad-depth"),
        (r#"{"depth":"2"}"#, "message-bad-depth"),
        (r#"{"sticky":"false"}"#, "message-bad-field"),
        (r#"{"sysprompt":1}"#, "message-bad-field"),
        (r#"{"tool-call-id":7}"#, "message-bad-field"),
        ("null", "message-bad-field"),
        ("[]", "message-bad-field"),
    ] {
        let place = Place::with(file(&[
            line("a", "message", payload),
            said("b", "user", "hi"),
        ]));
        let error = place.refusal();
        assert_eq!((error.kind(), error.line()), (kind, Some(2)), "{payload}");
        let peek = sess::Session::peek(&place.path);
        assert_eq!(peek.error, None);
        assert_eq!(peek.messages, [Message::user("hi")], "{payload}");
        assert_eq!(peek.warnings[0].kind, WarningKind::BadMessage);
    }
}

#[test]
fn what_a_message_line_leaves_out_or_null_is_absent() {
    for payload in [
        "{}",
        r#"{"role":null,"content":null,"tool-calls":null,"tool-call-id":null,"sticky":null,"sysprompt":null,"depth":null}"#,
        r#"{"role":"user","content":"","tool-calls":{"a":1},"tool_calls":[1],"sticky":false,"name":"x"}"#,
        r#"{"tool-calls":[]}"#,
    ] {
        let session = Place::with(file(&[line("a", "message", payload)])).load();
        assert_eq!(
            super::place::messages(&session),
            [Message::user("")],
            "{payload}"
        );
    }
}

#[test]
fn odd_fields_of_lines_that_decide_nothing_are_read_as_text() {
    let place = Place::with(file(&[
        r#"{"id":"o","payload":{"call-id":7,"tool":true,"arguments":null,"round":"x"},"ts":12345,"type":"tool-dispatched","v":1}"#.to_owned(),
        line("rc", "run-context", r#"{"run-id":8.50,"digest":["a",1],"facts":[["k",null],[1,{"b":2}],["x"],["p","q","r"],"z"],"sections":7}"#),
    ]));
    let session = place.load();
    let [pending] = session.pending_tool_operations().try_into().unwrap();
    assert_eq!(
        (
            pending.call_id.as_str(),
            pending.tool.as_str(),
            pending.dispatched_at.as_str()
        ),
        ("7", "True", "12345")
    );
    assert!(pending.arguments.is_null());
    let context = session.last_run_context().unwrap();
    assert_eq!(
        (context.run_id.as_str(), context.digest.as_str()),
        ("8.5", "a 1")
    );
    assert_eq!(
        context.facts,
        [("k".into(), "".into()), ("1".into(), "b\t2".into())]
    );
    assert!(context.sections.is_empty());
}

/// A last line that is damaged: cut off, or refused and left alone, and with which kind.
#[test]
fn what_may_be_cut_off_is_what_a_crash_can_leave() {
    let cut: [&[u8]; 14] = [
        b"{",
        b"{\"a\":1",
        b"{\"a\":1,}",
        b"{\"a\":\"\t\"}",
        b"{\"a\":\"\\x\"}",
        b"{\"a\":\"\\u12\"}",
        b"{\"a\":+1}",
        b"{\"a\":1.}",
        b"{\"a\":NaN}",
        b"{'a':1}",
        "{\"a\":1\u{b2}}".as_bytes(),
        "\u{200b}".as_bytes(),
        "\u{feff}{\"a\":".as_bytes(),
        b"\xff\xfe\x00",
    ];
    for tail in cut {
        let place = Place::with([&file(&[said("a", "user", "hi")]), tail].concat());
        let session = place.load();
        assert_eq!(session.warnings()[0].raw, tail);
    }
    let refused: [(&[u8], &str); 11] = [
        (b"{}{}", "glued"),
        (b"{} x", "glued"),
        (b"{}\0\0", "glued"),
        (b"{}\xff", "glued"),
        (b"12 monkeys", "glued"),
        (b"{\"a\":007}", "loose-json"),
        (b"{\"a\":\"\x0b\"}", "loose-json"),
        ("{\"a\":\u{661}}".as_bytes(), "loose-json"),
        ("\u{feff}{}".as_bytes(), "malformed-mid"),
        ("\u{feff}".as_bytes(), "malformed-mid"),
        (b"[1]", "not-object"),
    ];
    for (tail, kind) in refused {
        for end in ["", "\n"] {
            let place = Place::with([&file(&[]), tail, end.as_bytes()].concat());
            assert_eq!(
                place.refusal().kind(),
                kind,
                "{}",
                String::from_utf8_lossy(tail)
            );
        }
    }
}

/// The same lines further up are damage however they came about.
#[test]
fn damage_in_the_middle_is_named_for_what_it_is() {
    let middle: [(&[u8], &str); 6] = [
        (b"{}{}", "malformed-mid"),
        (b"{\"a\":1", "malformed-mid"),
        (b"\0", "malformed-mid"),
        (b"{\"a\":007}", "loose-json"),
        (b"{\"a\":\"\xff\"}", "invalid-utf8"),
        (b"{\"a\":\"\xc3", "invalid-utf8"),
    ];
    for (bytes, kind) in middle {
        let last = said("a", "user", "hi") + "\n";
        let place = Place::with([&file(&[]), bytes, b"\n", last.as_bytes()].concat());
        let error = place.refusal();
        assert_eq!((error.kind(), error.line()), (kind, Some(2)));
        assert_eq!(error.offset(), Some(file(&[]).len() as u64));
    }
}
