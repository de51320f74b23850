//! 12.16: waiting for work in the background.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sess::agent::event::OutstandingOp;
use sess::agent::{AgentBuilder, BusError, BusState, Completion, CompletionBus, SteerQueue};
use sess::backend::Step;
use sess::context::RequestBudget;
use sess::session::Extras;
use sess::tool::ToolAnswer;
use sess::{Json, Role};
use tokio::sync::Notify;

use super::kit::*;

/// A small bus.
#[derive(Default)]
struct Bus {
    state: Mutex<(Vec<OutstandingOp>, Vec<Completion>)>,
    changed: Notify,
    closed: Mutex<Vec<String>>,
}

impl Bus {
    fn with(ops: &[&str]) -> Arc<Self> {
        let bus = Self::default();
        bus.state.lock().unwrap().0 = ops
            .iter()
            .map(|id| OutstandingOp {
                op_id: (*id).to_owned(),
                kind: "subagent".into(),
                label: Some("survey".into()),
                meta: Json::empty_object(),
            })
            .collect();
        Arc::new(bus)
    }

    fn settle(&self, id: &str, body: &str) {
        let mut state = self.state.lock().unwrap();
        state.0.retain(|op| op.op_id != id);
        state.1.push(Completion {
            kind: "subagent".into(),
            seq: 7,
            op_id: Some(id.to_owned()),
            head: "REPORT".into(),
            body: body.to_owned(),
            tail: "END".into(),
            extras: Extras::from([("agent-type".to_owned(), Json::string("scout"))]),
        });
        drop(state);
        self.changed.notify_one();
    }

    fn settle_after(self: &Arc<Self>, seconds: u64, id: &'static str) {
        let bus = Arc::clone(self);
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            bus.settle(id, "All well.");
        });
    }
}

impl CompletionBus for Bus {
    fn state(&self) -> Result<BusState, BusError> {
        let state = self.state.lock().unwrap();
        Ok(BusState {
            outstanding: state.0.len(),
            queued: state.1.len(),
        })
    }
    fn drain(&self) -> Result<Vec<Completion>, BusError> {
        Ok(std::mem::take(&mut self.state.lock().unwrap().1))
    }
    fn outstanding(&self) -> Result<Vec<OutstandingOp>, BusError> {
        Ok(self.state.lock().unwrap().0.clone())
    }
    fn close_all(&self) -> Result<(), BusError> {
        let ops = std::mem::take(&mut self.state.lock().unwrap().0);
        self.closed
            .lock()
            .unwrap()
            .extend(ops.into_iter().map(|op| op.op_id));
        Ok(())
    }
    fn ready(&self) -> BoxFuture<'_, ()> {
        async {
            loop {
                let state = self.state().unwrap();
                if state.queued > 0 || state.is_quiet() {
                    return;
                }
                self.changed.notified().await;
            }
        }
        .boxed()
    }
}

/// Counts park hooks, as `park 1` and `unpark completion`.
fn counting(builder: AgentBuilder) -> (AgentBuilder, Arc<Mutex<Vec<String>>>) {
    let calls: Arc<Mutex<Vec<String>>> = Arc::default();
    let (parks, unparks) = (Arc::clone(&calls), Arc::clone(&calls));
    let builder = builder
        .on_park(move |parked| {
            parks
                .lock()
                .unwrap()
                .push(format!("park {}", parked.outstanding))
        })
        .on_unpark(move |resumed| {
            unparks
                .lock()
                .unwrap()
                .push(format!("unpark {}", resumed.reason))
        });
    (builder, calls)
}

// 186, 191, 192
#[tokio::test(start_paused = true)]
async fn a_run_waits_for_what_it_started_and_goes_on_with_what_it_brings() {
    let transcript = Transcript::new();
    let bus = Bus::with(&["op1"]);
    let backend = backend([
        calls("c1", "task"),
        Step::text("Waiting."),
        Step::text("Done."),
    ]);
    let tools = provider(&["task"]).with_result("task", ToolAnswer::background("started"));
    let builder = agent_on([&backend])
        .provider(tools)
        .session(transcript.session.clone())
        .completion_bus(bus.clone())
        .max_tool_rounds(2)
        .request_budget(RequestBudget::default().with_max_wall_clock(Duration::from_secs(30)));
    let (builder, hooks) = counting(builder);
    bus.settle_after(600, "op1");
    let played = ask(&builder.build().unwrap()).await;
    assert_eq!(played.result.text(), "Done.");
    check_contract(&played.events);
    let story: Vec<&str> = played
        .kinds()
        .into_iter()
        .filter(|kind| kind.starts_with("run-") || kind.starts_with("back"))
        .collect();
    assert_eq!(
        story,
        [
            "run-started",
            "run-parked",
            "run-resumed",
            "background-op-delivered",
            "run-completed"
        ]
    );
    assert_eq!(
        played.of("run-parked")[0].text(),
        r#"{"outstanding":1,"ops":[{"op-id":"op1","kind":"subagent","label":"survey","meta":{}}],"round":2}"#
    );
    assert_eq!(
        played.of("run-resumed")[0].text(),
        r#"{"reason":"completion","parked-seconds":600.0,"round":2}"#
    );
    assert_eq!(*hooks.lock().unwrap(), ["park 1", "unpark completion"]);
    let messages = played.messages();
    assert_eq!(messages[4], (Role::User, "REPORT\n\nAll well.\n\nEND"));
    let lines = transcript.of("message");
    assert_eq!(text_of(&lines[2], "background"), "true");
    assert_eq!(
        lines[4].text(),
        r#"{"agent-type":"scout","content":"REPORT\n\nAll well.\n\nEND","injected":"subagent","op-id":"op1","role":"user"}"#
    );
    let delivered = &played.of("background-op-delivered")[0];
    assert_eq!(
        (text_of(delivered, "op-id"), text_of(delivered, "round")),
        ("op1".into(), "3".into())
    );
    // 191: ten minutes parked, and no wall clock.
    let spent = played.result.spent.unwrap();
    assert_eq!((spent.wall_clock, spent.parked_seconds), (0.0, Some(600.0)));
}

// 187
#[tokio::test(start_paused = true)]
async fn nobody_waits_for_ever() {
    let bus = Bus::with(&["op1"]);
    let (builder, hooks) =
        counting(agent_on([&backend([Step::text("Waiting.")])]).completion_bus(bus.clone()));
    let played = ask(&builder
        .park_idle_timeout(Duration::from_secs(60))
        .build()
        .unwrap())
    .await;
    assert_eq!(played.reason(), Some("park-idle"));
    assert!(played.error().contains("survey (op1)") && played.error().contains("unknown effect"));
    assert_eq!(*bus.closed.lock().unwrap(), ["op1"]);
    assert_eq!(played.field("run-resumed", "reason"), ["idle"]);
    assert_eq!(*hooks.lock().unwrap(), ["park 1", "unpark idle"]);
}

// 188
#[tokio::test(start_paused = true)]
async fn a_cancel_while_parked_gives_up_what_is_out() {
    let bus = Bus::with(&["op1", "op2"]);
    let queue = SteerQueue::default();
    let agent = agent_on([&backend([Step::text("Waiting.")])])
        .completion_bus(bus.clone())
        .steer_source(queue.clone())
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "run-parked").await;
    run.cancel();
    queue.push("Too late.");
    let played = finish(run, events).await;
    assert_eq!(played.field("run-cancelled", "stage"), ["parked"]);
    assert_eq!(played.field("run-resumed", "reason"), ["cancelled"]);
    assert_eq!(*bus.closed.lock().unwrap(), ["op1", "op2"]);
    assert!(!queue.is_empty());
}

// 189
#[tokio::test(start_paused = true)]
async fn what_work_brings_comes_before_what_the_user_says() {
    let bus = Bus::with(&["op1"]);
    let queue = SteerQueue::default();
    let backend = backend([Step::text("Waiting."), Step::text("Done.")]);
    let agent = agent_on([&backend])
        .completion_bus(bus.clone())
        .steer_source(queue.clone())
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "run-parked").await;
    queue.push("And?");
    bus.settle("op1", "All well.");
    let played = finish(run, events).await;
    assert_eq!(played.field("run-resumed", "reason"), ["completion"]);
    let said: Vec<&str> = played
        .messages()
        .into_iter()
        .map(|(_, content)| content)
        .collect();
    assert_eq!(
        said,
        [
            "Go.",
            "Waiting.",
            "REPORT\n\nAll well.\n\nEND",
            "And?",
            "Done."
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn the_user_wakes_a_parked_run() {
    let bus = Bus::with(&["op1"]);
    let queue = SteerQueue::default();
    let backend = backend([
        Step::text("Waiting."),
        Step::text("Still waiting."),
        Step::text("Done."),
    ]);
    let agent = agent_on([&backend])
        .completion_bus(bus.clone())
        .steer_source(queue.clone())
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let mut events = read_until(&mut run, "run-parked").await;
    queue.push("Are you there?");
    events.extend(read_until(&mut run, "run-parked").await);
    bus.settle("op1", "All well.");
    let played = finish(run, events).await;
    assert_eq!(
        played.field("run-resumed", "reason"),
        ["steer", "completion"]
    );
    assert_eq!(played.result.text(), "Done.");
}

// 190
#[tokio::test(start_paused = true)]
async fn only_the_body_of_a_long_completion_is_shortened() {
    let transcript = Transcript::new();
    let bus = Bus::with(&["op1"]);
    bus.settle("op1", &"m".repeat(1 << 20));
    let backend = backend([Step::text("Done.")]);
    let agent = agent_on([&backend])
        .completion_bus(bus)
        .session(transcript.session.clone())
        .request_budget(RequestBudget::default())
        .build()
        .unwrap();
    let played = ask(&agent).await;
    let content = played.messages()[1].1;
    assert!(content.starts_with("REPORT\n\nmmm") && content.ends_with("mmm\n\nEND"));
    assert!(content.contains("(1,048,576 bytes total)") && content.len() < 17_000);
    let artifact = transcript.of("message")[1].get("artifact").unwrap();
    let run_id = played.events[0].run_id.clone().unwrap();
    assert_eq!(
        text_of(&artifact, "file"),
        format!("background-{run_id}-7.txt")
    );
    let kept = transcript
        .folder
        .path()
        .join("run.artifacts")
        .join(text_of(&artifact, "file"));
    assert_eq!(std::fs::metadata(kept).unwrap().len(), 1 << 20);
}

/// A bus of which nothing can be had.
struct Broken;

impl CompletionBus for Broken {
    fn state(&self) -> Result<BusState, BusError> {
        Err(BusError::new("no bus"))
    }
    fn drain(&self) -> Result<Vec<Completion>, BusError> {
        panic!("no bus at all")
    }
    fn outstanding(&self) -> Result<Vec<OutstandingOp>, BusError> {
        Err(BusError::new("no bus"))
    }
    fn close_all(&self) -> Result<(), BusError> {
        Err(BusError::new("no bus"))
    }
    fn ready(&self) -> BoxFuture<'_, ()> {
        std::future::pending().boxed()
    }
}

// 3.1, 3.13: a bus that fails counts as quiet.
#[tokio::test(start_paused = true)]
async fn a_bus_that_fails_is_told_and_counts_as_quiet() {
    let agent = agent_on([&backend([Step::text("Hi")])])
        .completion_bus(Arc::new(Broken))
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.result.text(), "Hi");
    let told: Vec<String> = played
        .of("log")
        .iter()
        .map(|log| log.get("data").unwrap())
        .map(|data| {
            format!(
                "{} {}",
                text_of(&data, "operation"),
                text_of(&data, "error")
            )
        })
        .collect();
    assert_eq!(told, ["drain no bus at all", "state no bus"]);
}

// 10.3: a hook that fails changes nothing.
#[tokio::test(start_paused = true)]
async fn a_park_hook_that_panics_is_told() {
    let bus = Bus::with(&["op1"]);
    bus.settle_after(1, "op1");
    let agent = agent_on([&backend([Step::text("Waiting."), Step::text("Done.")])])
        .completion_bus(bus)
        .on_park(|_| panic!("no room"))
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.field("log", "data"), ["on_park failed: no room"]);
    assert_eq!(played.result.text(), "Done.");
}

// 193
#[tokio::test(start_paused = true)]
async fn a_quiet_bus_changes_nothing() {
    let script = || backend([Step::text("Hi")]);
    let without = ask(&agent_on([&script()]).build().unwrap()).await;
    let with = ask(&agent_on([&script()])
        .completion_bus(Bus::with(&[]))
        .build()
        .unwrap())
    .await;
    assert_eq!(with.kinds(), without.kinds());
    assert_eq!(with.messages(), without.messages());
}
