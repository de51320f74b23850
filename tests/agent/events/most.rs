//! Every event with everything in it.

use std::sync::Arc;

use sess::Message;
use sess::agent::event::*;
use sess::backend::ErrorClass;
use sess::id::EnvelopeId;

use super::super::kit::{billed, call};
use super::json;

/// Kinds whose optional fields are more than numbers and texts, with all of them.
pub fn most() -> Vec<(EventBody, &'static str)> {
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
