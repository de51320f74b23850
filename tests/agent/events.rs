//! 12.3: the vocabulary of events and its flattened form.

mod least;
mod most;

use std::collections::BTreeSet;
use std::time::{Duration, UNIX_EPOCH};

use sess::Json;
use sess::agent::event::*;
use sess::id::RunId;

use least::least;
use most::most;

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

// 11, 14, 15
#[test]
fn there_are_29_kinds_and_three_of_them_are_ends() {
    let kinds: Vec<String> = least()
        .iter()
        .map(|(body, _)| body.kind().to_owned())
        .collect();
    assert_eq!(kinds, EventBody::KINDS);
    assert_eq!(kinds.iter().collect::<BTreeSet<_>>().len(), 29);
    let ends: Vec<String> = least()
        .iter()
        .filter(|(body, _)| body.is_terminal())
        .map(|(body, _)| body.kind().to_owned())
        .collect();
    assert_eq!(ends, ["run-completed", "run-failed", "run-cancelled"]);
}

// 12, 13, 16, 18, 19, 74
#[test]
fn every_event_flattens_and_reads_back() {
    let at = UNIX_EPOCH + Duration::from_secs(1_767_323_045);
    for (body, payload) in least().into_iter().chain(most()) {
        assert_eq!(body.payload().compact(), payload);
        let mut event = Event {
            at,
            ..Event::new(body)
        };
        let flat = event.to_json();
        assert_eq!(flat.get_str("kind").as_deref(), Some(event.kind()));
        assert_eq!(
            flat.get_str("ts").as_deref(),
            Some("2026-01-02T03:04:05.000000Z")
        );
        assert_eq!(flat.get("seq"), None);
        let mut back = Event::from_json(&flat).unwrap();
        if event.kind() == "run-started" {
            assert_eq!(
                back.run_id.take(),
                Some(RunId::from("r")),
                "its payload says so already"
            );
        }
        assert_eq!(back, event);
        (event.run_id, event.seq) = (Some(RunId::from("r")), Some(7));
        let flat = event.to_json();
        assert_eq!(
            (flat.get_str("run-id").as_deref(), flat.get("seq")),
            (Some("r"), Some(Json::from(7_u64)))
        );
        assert_eq!(Event::from_json(&flat).unwrap(), event);
    }
}

// 14: the kind of work is not the kind of event.
#[test]
fn an_operation_keeps_its_own_kind() {
    let body = BackgroundOpDelivered {
        op_kind: "subagent".into(),
        op_id: None,
        message_id: None,
        round: None,
    };
    let flat = Event::new(body).to_json();
    assert_eq!(
        (
            flat.get_str("kind").as_deref(),
            flat.get_str("op-kind").as_deref()
        ),
        (Some("background-op-delivered"), Some("subagent"))
    );
}

// 16, 17
#[test]
fn what_is_no_event_is_refused() {
    let refused = |payload: &str| {
        let text = format!(r#"{{"ts":"2026-01-02T03:04:05.000000Z",{payload}}}"#);
        Event::from_json(&json(&text)).is_err()
    };
    for payload in [
        r#""x":1"#,
        r#""kind":"run-started","message-count":1"#,
        r#""kind":"turn-discarded","reason":"boredom""#,
        r#""kind":"tool-abandoned","id":"c","name":"t","dispatched":true,"reason":"boredom""#,
        r#""kind":"run-resumed","reason":"boredom""#,
        r#""kind":"attempt-failed","round":1,"attempt":1,"backend-index":0,"error":"e","disposition":"shrug""#,
        r#""kind":"attempt-failed","round":1,"attempt":1,"backend-index":0,"error":"e","disposition":"advance","error-class":"bad""#,
        r#""kind":"log","level":"info""#,
        r#""kind":"log","level":"info","data":7"#,
        r#""kind":"log","level":"info","data":[]"#,
    ] {
        assert!(refused(payload), "{payload}");
    }
    assert!(
        Event::from_json(&json(r#"{"kind":"token","text":"x"}"#)).is_err(),
        "no time"
    );
    assert!(!refused(
        r#""kind":"ask-answered","request":{},"answer":"yes""#
    ));
}

#[test]
fn unknown_kinds_are_kept_as_they_are() {
    let flat = json(
        r#"{"kind":"dream","run-id":"r","seq":3,"ts":"2026-01-02T03:04:05.000000Z","what":{"b":1,"a":2}}"#,
    );
    let event = Event::from_json(&flat).unwrap();
    assert!(matches!(&event.body, EventBody::Unknown(unknown) if unknown.kind == "dream"));
    assert!(!event.is_terminal());
    assert_eq!(event.to_json(), flat);
}
