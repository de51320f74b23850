//! Reading a transcript for a comparison.

use sess::look::diff::{Diff, Difference, Item, Kind, Reading, Side, SideError};
use sess::message::Role;
use sess::session::WarningKind;

const PLAIN: Reading = Reading {
    replayed: false,
    strict: false,
};
const REPLAYED: Reading = Reading {
    replayed: true,
    strict: false,
};
const STRICT: Reading = Reading {
    replayed: false,
    strict: true,
};

/// Lines with ids `1`, `2`, … and a session-meta line in front.
fn transcript(lines: &[(&str, &str)]) -> String {
    let meta = [("session-meta", "{}")];
    let numbered = meta.iter().chain(lines).zip(1..);
    let line = |((name, payload), id): (&(&str, &str), u64)| {
        format!(
            "{{\"id\":\"{id}\",\"payload\":{payload},\"ts\":\"t\",\"type\":\"{name}\",\"v\":1}}\n"
        )
    };
    numbered.map(line).collect()
}

fn side(text: &str, reading: Reading) -> Side {
    Side::read(text.as_bytes(), reading).unwrap()
}

/// Kind, content and line number of each item.
fn shown(side: &Side) -> Vec<(Kind, &str, u64)> {
    let items = side.items.iter();
    items
        .map(|item| (item.kind.clone(), item.content.as_str(), item.line))
        .collect()
}

const USER: Kind = Kind::Message(Role::User);

fn compacted() -> String {
    transcript(&[
        (
            "message",
            r#"{"content":"keep","role":"system","sticky":true}"#,
        ),
        ("message", r#"{"content":"old","role":"user"}"#),
        ("message", r#"{"content":"long","role":"user"}"#),
        ("elision", r#"{"items":[{"id":"4","stub":"[gone]"}]}"#),
        (
            "compaction",
            r#"{"replaces-through-id":"3","summary":"They talked."}"#,
        ),
    ])
}

#[test]
fn by_itself_every_message_is_there_as_it_was_said() {
    let system = Kind::Message(Role::System);
    assert_eq!(
        shown(&side(&compacted(), PLAIN)),
        [(system, "keep", 2), (USER, "old", 3), (USER, "long", 4)]
    );
}

#[test]
fn replayed_a_summary_and_a_stub_stand_for_what_they_replace() {
    let system = Kind::Message(Role::System);
    assert_eq!(
        shown(&side(&compacted(), REPLAYED)),
        [
            (system, "keep", 2),
            (Kind::Compaction, "They talked.", 6),
            (USER, "[gone]", 4),
        ]
    );
}

#[test]
fn an_answer_knows_its_tool_after_the_call_was_folded_away() {
    let text = transcript(&[
        (
            "message",
            r#"{"content":"","role":"assistant","tool-calls":[{"function":{"arguments":"{ \"a\": 1.50 }","name":"read"},"id":"c"}]}"#,
        ),
        (
            "message",
            r#"{"content":"done","role":"tool","tool-call-id":"c"}"#,
        ),
        ("compaction", r#"{"replaces-through-id":"2","summary":"s"}"#),
    ]);
    let side = side(&text, REPLAYED);
    assert_eq!(side.items[1].answers.as_deref(), Some("read"));
}

#[test]
fn lines_that_cannot_be_used_are_skipped_and_named() {
    let mut text = transcript(&[
        ("message", r#"{"content":1}"#),
        ("message", r#"{"content":"said","role":"user"}"#),
        (
            "compaction",
            r#"{"replaces-through-id":"nobody","summary":"s"}"#,
        ),
        (
            "elision",
            r#"{"items":[{"id":"3","stub":"x"},{"id":"nobody","stub":"y"}]}"#,
        ),
    ]);
    text.push_str("{\"id\":");
    let warnings = |side: &Side| -> Vec<(u64, WarningKind)> {
        let warnings = side.warnings.iter();
        warnings
            .map(|warning| (warning.line, warning.kind))
            .collect()
    };
    let torn = WarningKind::Damaged(sess::session::DamageKind::Truncated);

    let plain = side(&text, PLAIN);
    assert_eq!(shown(&plain), [(USER, "said", 3)]);
    assert_eq!(warnings(&plain), [(2, WarningKind::BadMessage), (6, torn)]);

    let replayed = side(&text, REPLAYED);
    assert_eq!(shown(&replayed), [(USER, "said", 3)]);
    assert_eq!(
        warnings(&replayed),
        [
            (2, WarningKind::BadMessage),
            (4, WarningKind::BadMessage),
            (5, WarningKind::BadMessage),
            (6, torn),
        ]
    );
}

#[test]
fn strictly_everything_else_in_the_line_counts_but_not_how_its_json_is_spelled() {
    let line = |extra: &str| format!(r#"{{"content":"hi","role":"user"{extra}}}"#);
    let items =
        |payload: &str| -> Vec<Item> { side(&transcript(&[("message", payload)]), STRICT).items };
    let left = items(&line(r#","usage":{"cost":1}"#));
    let spelled = items(r#"{ "usage" : {"cost":1}, "role":"\u0075ser", "content":"h\u0069"}"#);
    assert_eq!(left, spelled);

    let right = items(&line(r#","usage":{"cost":2}"#));
    let expected = Difference::Strict {
        path: "payload.usage.cost".into(),
        left: Some("1".into()),
        right: Some("2".into()),
    };
    let diff = Diff::between(&left, &right);
    assert_eq!(diff.first_divergence().unwrap().differences, [expected]);
}

#[test]
fn what_does_not_begin_with_session_meta_is_no_transcript() {
    let why = |text: &str| match Side::read(text.as_bytes(), PLAIN) {
        Err(SideError::NotTranscript(reason)) => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(why("notes\n"), "no line of it is an envelope");
    assert_eq!(
        why("{\"type\":\"message\"}\n"),
        "its first line is of type \"message\", not \"session-meta\""
    );
}
