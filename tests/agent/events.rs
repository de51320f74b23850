//! 12.3: the vocabulary of events and its flattened form.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use sess::agent::event::*;
use sess::backend::{ErrorClass, Usage};
use sess::id::{EnvelopeId, RunId};
use sess::{Json, Message};

use super::kit::{billed, call};

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

/// Every kind with as little in it as it takes.
fn least() -> Vec<(EventBody, &'static str)> {
    let text = String::new;
    vec![
        (
            RunStarted {
                run_id: RunId::from("r"),
                message_count: 1,
                context_digest: None,
            }
            .into(),
            r#"{"message-count":1,"run-id":"r"}"#,
        ),
        (
            RoundStarted {
                round: 1,
                tokens: None,
            }
            .into(),
            r#"{"round":1}"#,
        ),
        (
            AttemptStarted {
                round: 1,
                attempt: 1,
                backend_index: 0,
                model: "m".into(),
            }
            .into(),
            r#"{"attempt":1,"backend-index":0,"model":"m","round":1}"#,
        ),
        (
            Token {
                text: "x".into(),
                round: None,
                attempt: None,
            }
            .into(),
            r#"{"text":"x"}"#,
        ),
        (
            AttemptFailed {
                round: 1,
                attempt: 1,
                backend_index: 0,
                model: None,
                error: "e".into(),
                error_class: None,
                error_status: None,
                disposition: Disposition::Abort,
                usage: Usage::default(),
            }
            .into(),
            r#"{"attempt":1,"backend-index":0,"disposition":"abort","error":"e","round":1}"#,
        ),
        (
            AttemptSucceeded {
                round: 1,
                attempt: 1,
                backend_index: 0,
                model_used: None,
                finish_reason: None,
                usage: Usage::default(),
                latency_ms: None,
            }
            .into(),
            r#"{"attempt":1,"backend-index":0,"round":1,"usage":{}}"#,
        ),
        (
            AssistantMessage {
                message: Arc::new(Message::assistant("hi")),
                reasoning: None,
                round: None,
            }
            .into(),
            r#"{"message":{"content":"hi","role":"assistant"}}"#,
        ),
        (
            TurnCommitted {
                message_id: None,
                round: None,
            }
            .into(),
            "{}",
        ),
        (
            TurnDiscarded {
                reason: DiscardReason::Limit,
                round: None,
            }
            .into(),
            r#"{"reason":"limit"}"#,
        ),
        (
            ToolCall {
                id: text(),
                name: text(),
                arguments: None,
                round: None,
            }
            .into(),
            r#"{"id":"","name":""}"#,
        ),
        (
            ToolStarted {
                id: "c".into(),
                name: text(),
                round: None,
            }
            .into(),
            r#"{"id":"c","name":""}"#,
        ),
        (
            ToolProgress {
                id: "c".into(),
                progress: 0.5,
                total: None,
                message: None,
                round: None,
            }
            .into(),
            r#"{"id":"c","progress":0.5}"#,
        ),
        (
            ToolResult {
                id: "c".into(),
                name: None,
                content: text(),
                is_error: false,
                artifact: None,
                round: None,
            }
            .into(),
            r#"{"content":"","id":"c","is-error":false}"#,
        ),
        (
            ToolAbandoned {
                id: "c".into(),
                name: text(),
                reason: AbandonReason::Deadline,
                dispatched: true,
                round: None,
            }
            .into(),
            r#"{"dispatched":true,"id":"c","name":"","reason":"deadline"}"#,
        ),
        (
            Subagent {
                agent_id: "a".into(),
                agent_type: "t".into(),
                label: None,
                call_id: None,
                inner: json(r#"{"kind":"run-completed"}"#),
            }
            .into(),
            r#"{"agent-id":"a","agent-type":"t","inner":{"kind":"run-completed"}}"#,
        ),
        (
            BackgroundOpStarted {
                op_id: "o".into(),
                op_kind: "k".into(),
                label: None,
                call_id: None,
                round: None,
            }
            .into(),
            r#"{"op-id":"o","op-kind":"k"}"#,
        ),
        (
            BackgroundOpSettled {
                op_id: "o".into(),
                op_kind: "k".into(),
                collected: false,
                round: None,
            }
            .into(),
            r#"{"collected":false,"op-id":"o","op-kind":"k"}"#,
        ),
        (
            BackgroundOpDelivered {
                op_kind: "k".into(),
                op_id: None,
                message_id: None,
                round: None,
            }
            .into(),
            r#"{"op-kind":"k"}"#,
        ),
        (
            RunParked {
                outstanding: 0,
                ops: vec![],
                round: None,
            }
            .into(),
            r#"{"ops":[],"outstanding":0}"#,
        ),
        (
            RunResumed {
                reason: ResumeReason::Idle,
                parked_seconds: None,
                round: None,
            }
            .into(),
            r#"{"reason":"idle"}"#,
        ),
        (
            AskPending {
                request: json("{}"),
                tool: None,
            }
            .into(),
            r#"{"request":{}}"#,
        ),
        (
            AskAnswered {
                request: json("{}"),
                answer: None,
            }
            .into(),
            r#"{"request":{}}"#,
        ),
        (
            Log {
                level: "info".into(),
                logger: None,
                data: LogData::Text("t".into()),
            }
            .into(),
            r#"{"data":"t","level":"info"}"#,
        ),
        (
            LimitReached {
                limit: LimitKind::ToolRounds,
                count: None,
                max: None,
            }
            .into(),
            r#"{"limit":"tool-rounds"}"#,
        ),
        (
            CompactionStarted {
                tokens_before: None,
                budget: None,
                message_count: None,
                round: None,
            }
            .into(),
            "{}",
        ),
        (
            CompactionDone {
                tokens_before: None,
                tokens_after: None,
                dropped: None,
                summary: None,
                fallback: false,
                round: None,
            }
            .into(),
            r#"{"fallback":false}"#,
        ),
        (
            EventBody::RunCompleted(RunCompleted {
                final_text: text(),
                rounds: None,
                message_count: None,
            }),
            r#"{"final":""}"#,
        ),
        (
            EventBody::RunFailed(RunFailed {
                error: "e".into(),
                attempts: vec![],
                round: None,
                reason: None,
            }),
            r#"{"attempts":[],"error":"e"}"#,
        ),
        (
            EventBody::RunCancelled(RunCancelled {
                stage: None,
                round: None,
            }),
            "{}",
        ),
    ]
}

/// Kinds whose optional fields are more than numbers and texts, with all of them.
fn most() -> Vec<(EventBody, &'static str)> {
    let attempt = AttemptRecord {
        backend_index: 1,
        model: "m".into(),
        error: "e".into(),
        raw_text: Some(String::new()),
        usage: billed(1, 2),
        disposition: Some("advance".into()),
    };
    let artifact = ArtifactNote {
        file: "f".into(),
        digest: "d".into(),
        bytes: 2,
        chars: 1,
        elided_chars: 0,
    };
    let mut message = Message::assistant("");
    message.tool_calls = vec![call("c", "t")];
    vec![
        (
            AttemptFailed {
                round: 1,
                attempt: 2,
                backend_index: 0,
                model: Some("m".into()),
                error: "e".into(),
                error_class: Some(ErrorClass::Http),
                error_status: Some(500),
                disposition: Disposition::RetrySame { backoff: 1.25 },
                usage: billed(3, 0),
            }
            .into(),
            r#"{"attempt":2,"backend-index":0,"backoff":1.25,"disposition":"retry-same","error":"e","error-class":"http","error-status":500,"model":"m","round":1,"usage":{"completion-tokens":0,"prompt-tokens":3}}"#,
        ),
        (
            AssistantMessage {
                message: Arc::new(message),
                reasoning: Some("r".into()),
                round: Some(1),
            }
            .into(),
            r#"{"message":{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"t"},"id":"c","type":"function"}]},"reasoning":"r","round":1}"#,
        ),
        (
            TurnCommitted {
                message_id: Some(EnvelopeId::from("e")),
                round: Some(1),
            }
            .into(),
            r#"{"message-id":"e","round":1}"#,
        ),
        (
            ToolCall {
                id: "c".into(),
                name: "t".into(),
                arguments: Some(json(r#"{"a":1}"#)),
                round: Some(1),
            }
            .into(),
            r#"{"arguments":{"a":1},"id":"c","name":"t","round":1}"#,
        ),
        (
            ToolResult {
                id: "c".into(),
                name: Some("t".into()),
                content: "x".into(),
                is_error: true,
                artifact: Some(artifact),
                round: None,
            }
            .into(),
            r#"{"artifact":{"bytes":2,"chars":1,"digest":"d","elided-chars":0,"file":"f"},"content":"x","id":"c","is-error":true,"name":"t"}"#,
        ),
        (
            Subagent {
                agent_id: "a".into(),
                agent_type: "t".into(),
                label: Some("l".into()),
                call_id: Some("c".into()),
                inner: json("{}"),
            }
            .into(),
            r#"{"agent-id":"a","agent-type":"t","call-id":"c","inner":{},"label":"l"}"#,
        ),
        (
            RunParked {
                outstanding: 1,
                ops: vec![OutstandingOp {
                    op_id: "o".into(),
                    kind: "k".into(),
                    label: None,
                    meta: json(r#"{"x":[]}"#),
                }],
                round: Some(1),
            }
            .into(),
            r#"{"ops":[{"kind":"k","meta":{"x":[]},"op-id":"o"}],"outstanding":1,"round":1}"#,
        ),
        (
            AskAnswered {
                request: json(r#"{"q":1}"#),
                answer: Some(json(r#"{"yes":true}"#)),
            }
            .into(),
            r#"{"answer":{"yes":true},"request":{"q":1}}"#,
        ),
        (
            Log {
                level: "debug".into(),
                logger: Some("l".into()),
                data: LogData::of(json(r#"{"a":1}"#)),
            }
            .into(),
            r#"{"data":{"a":1},"level":"debug","logger":"l"}"#,
        ),
        (
            EventBody::RunFailed(RunFailed {
                error: "e".into(),
                attempts: vec![attempt],
                round: Some(2),
                reason: Some(FailReason::ParkIdle),
            }),
            r#"{"attempts":[{"backend-index":1,"disposition":"advance","error":"e","model":"m","raw-text":"","usage":{"completion-tokens":2,"prompt-tokens":1}}],"error":"e","reason":"park-idle","round":2}"#,
        ),
        (
            EventBody::RunCancelled(RunCancelled {
                stage: Some(CancelStage::Backoff),
                round: Some(1),
            }),
            r#"{"round":1,"stage":"backoff"}"#,
        ),
    ]
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
