//! 12.7 and 12.9: what tools tell a run, and ask through it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use sess::Json;
use sess::agent::event::{Log, LogData};
use sess::agent::{AgentHooks, Progress};
use sess::backend::Step;
use sess::message::ToolCall;
use sess::tool::{Gate, ToolAnswer, ToolError, ToolProvider};

use super::kit::*;

// 81, and decision 12: outside a call, logs go to the live run.
#[tokio::test(start_paused = true)]
async fn hooks_work_with_and_without_a_run() {
    let backend = backend([Step::stall(["x"])]);
    let agent = agent_on([&backend]).build().unwrap();
    let hooks = agent.hooks();
    hooks.log("info", None, Json::string("too early"));
    hooks.sync_grants();
    let answer: Result<Json, ()> = hooks
        .ask(Json::empty_object(), None, async { Ok(Json::from(true)) })
        .await;
    assert_eq!(answer, Ok(Json::from(true)));
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "token").await;
    hooks.log("notice", Some("server"), Json::from(7_u64));
    assert!(agent.emit_external(Log {
        level: "info".into(),
        logger: None,
        data: LogData::Text("from outside".into()),
    }));
    let emitter = run.handle().emitter();
    run.cancel();
    let played = finish(run, events).await;
    assert_eq!(played.field("log", "data"), ["7", "from outside"]);
    assert_eq!(played.count("ask-pending"), 0);
    hooks.log("info", None, Json::string("too late"));
    let late = Log {
        level: "info".into(),
        logger: None,
        data: LogData::Text("too late".into()),
    };
    assert!(!emitter.emit(late.clone()) && !agent.emit_external(late));
}

// 82
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn threads_hammering_the_hooks_leave_the_stream_whole() {
    let backend = backend([Step::chunks(["x"; 50])]);
    let agent = agent_on([&backend]).build().unwrap();
    let run = agent.run(question()).unwrap();
    let hammers: Vec<_> = (0..2)
        .map(|_| {
            let hooks = agent.hooks();
            std::thread::spawn(move || {
                for _ in 0..500 {
                    hooks.log("info", None, Json::string("x"));
                }
            })
        })
        .collect();
    let played = finish(run, Vec::new()).await;
    for hammer in hammers {
        hammer.join().unwrap();
    }
    check_contract(&played.events);
}

// 98
#[tokio::test(start_paused = true)]
async fn the_time_of_a_human_does_not_count() {
    for asks in [true, false] {
        let hooks = AgentHooks::default();
        let gate = Gate::new();
        let asking: Arc<dyn ToolProvider> = match asks {
            true => Arc::new(Asking {
                hooks: hooks.clone(),
                gate: gate.clone(),
            }),
            false => Arc::new(provider(&["read"]).block_on(&gate)),
        };
        let agent = agent_on([&backend([calls("c1", "read"), Step::text("Done.")])])
            .shared_provider(asking)
            .hooks(hooks)
            .tool_deadline(Duration::from_millis(100))
            .build()
            .unwrap();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(400)).await;
            gate.open();
        });
        let played = ask(&agent).await;
        let expected = if asks { (1, 0) } else { (0, 1) };
        assert_eq!(
            (played.count("tool-result"), played.count("tool-abandoned")),
            expected
        );
        if asks {
            assert_eq!(played.field("tool-result", "content"), ["\"yes\""]);
            assert_eq!(
                played.of("ask-answered")[0].text(),
                r#"{"request":{"message":"May I?"},"answer":"yes"}"#
            );
            assert_eq!(played.field("ask-pending", "tool"), ["read"]);
        }
    }
}

/// Tells about its progress while it works.
struct Talkative {
    hooks: AgentHooks,
}

impl ToolProvider for Talkative {
    fn declarations(&self) -> Result<Vec<Json>, ToolError> {
        provider(&["read"]).declarations()
    }
    fn execute(
        &self,
        calls: Vec<Json>,
    ) -> BoxFuture<'static, Result<Vec<Option<ToolAnswer>>, ToolError>> {
        let hooks = self.hooks.clone();
        Box::pin(async move {
            let note = |id: &str, progress| Progress {
                tool_call_id: id.into(),
                progress,
                total: Some(4.0),
                message: Some("half".into()),
            };
            hooks.progress(note("c1", 2.0));
            hooks.progress(note("stranger", 1.0));
            hooks.progress(note("", 1.0));
            hooks.progress(note("c1", f64::NAN));
            let data = Json::object([("step", Json::from(1_u64))]);
            hooks.log("warning", Some("server"), data);
            let ids = calls.iter().map(|call| ToolCall::from_json(call).id);
            Ok(ids.map(|id| Some(ToolAnswer::new(id))).collect())
        })
    }
}

// 102, 184
#[tokio::test(start_paused = true)]
async fn progress_and_logs_of_a_call_that_is_out_become_events() {
    let hooks = AgentHooks::default();
    hooks.progress(Progress::default());
    let agent = agent_on([&backend([calls("c1", "read"), Step::text("Done.")])])
        .provider(Talkative {
            hooks: hooks.clone(),
        })
        .hooks(hooks)
        .build()
        .unwrap();
    let played = ask(&agent).await;
    let told: Vec<String> = played
        .of("tool-progress")
        .iter()
        .map(|note| note.text().to_owned())
        .collect();
    let expected = [
        r#"{"id":"c1","progress":2.0,"total":4.0,"message":"half","round":1}"#,
        r#"{"id":"c1","progress":0.0,"total":4.0,"message":"half","round":1}"#,
    ];
    assert_eq!(told, expected);
    assert_eq!(
        played.of("log")[0].text(),
        r#"{"level":"warning","logger":"server","data":{"step":1}}"#
    );
}

/// Asks, through the hooks, and answers when the gate opens.
pub struct Asking {
    pub hooks: sess::agent::AgentHooks,
    pub gate: Gate,
}

impl sess::tool::ToolProvider for Asking {
    fn declarations(&self) -> Result<Vec<Json>, sess::tool::ToolError> {
        provider(&["read"]).declarations()
    }

    fn execute(
        &self,
        _: Vec<Json>,
    ) -> futures_util::future::BoxFuture<
        'static,
        Result<Vec<Option<sess::tool::ToolAnswer>>, sess::tool::ToolError>,
    > {
        let (hooks, gate) = (self.hooks.clone(), self.gate.clone());
        Box::pin(async move {
            let request = Json::object([("message", Json::string("May I?"))]);
            let asker = async {
                gate.passed().await;
                Ok::<_, ()>(Json::string("yes"))
            };
            let answer = hooks.ask(request, Some("read"), asker).await;
            let text = answer.map_or_else(
                |()| "no answer".to_owned(),
                |answer| answer.text().to_owned(),
            );
            Ok(vec![Some(sess::tool::ToolAnswer::new(text))])
        })
    }
}
