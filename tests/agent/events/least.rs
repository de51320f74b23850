//! Every event with as little in it as it may have.

use std::sync::Arc;

use sess::Message;
use sess::agent::event::*;
use sess::backend::Usage;
use sess::id::RunId;

use super::json;

/// Every kind with as little in it as it takes.
pub fn least() -> Vec<(EventBody, &'static str)> {
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
