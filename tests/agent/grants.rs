//! 12.9: grants are recorded as soon as they are given.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use sess::Json;
use sess::agent::AgentHooks;
use sess::backend::Step;
use sess::tool::{Gate, ScriptedGrants, ToolAnswer, ToolError, ToolProvider};

use super::kit::*;

/// Is granted something in the middle of its call, and says so or not.
struct Granted {
    inner: ScriptedGrants,
    hooks: Option<AgentHooks>,
    gate: Gate,
    granted: Gate,
}

impl ToolProvider for Granted {
    fn declarations(&self) -> Result<Vec<Json>, ToolError> {
        self.inner.declarations()
    }
    fn execute(
        &self,
        calls: Vec<Json>,
    ) -> BoxFuture<'static, Result<Vec<Option<ToolAnswer>>, ToolError>> {
        if self.inner.provider().batches().is_empty() {
            self.inner.add_grant(Json::string("read"));
            if let Some(hooks) = &self.hooks {
                hooks.sync_grants();
            }
        }
        let answers = self.inner.execute(calls);
        let (gate, granted) = (self.gate.clone(), self.granted.clone());
        Box::pin(async move {
            granted.open();
            gate.passed().await;
            answers.await
        })
    }
    fn grants(&self) -> Option<Result<Vec<Json>, ToolError>> {
        self.inner.grants()
    }
}

// 103, 181
#[tokio::test(start_paused = true)]
async fn a_grant_is_on_disk_while_its_call_still_runs() {
    let transcript = Transcript::new();
    let (gate, granted) = (Gate::new(), Gate::new());
    let hooks = AgentHooks::default();
    let tools = Granted {
        inner: ScriptedGrants::new(provider(&["read"])),
        hooks: Some(hooks.clone()),
        gate: gate.clone(),
        granted: granted.clone(),
    };
    let agent = agent_on([&backend([calls("c1", "read")])])
        .provider(tools)
        .hooks(hooks)
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "tool-started").await;
    granted.passed().await;
    assert_eq!(transcript.of("grants").len(), 1);
    assert!(transcript.of("tool-settled").is_empty());
    run.cancel();
    gate.open();
    finish(run, events).await;
    assert_eq!(transcript.of("grants").len(), 1);
    assert_eq!(transcript.reload().grants(), [Json::string("read")]);
}

// 104
#[tokio::test(start_paused = true)]
async fn a_grant_is_on_disk_before_the_next_call_runs() {
    let transcript = Transcript::new();
    let open = Gate::new();
    open.open();
    let tools = Granted {
        inner: ScriptedGrants::new(provider(&["read"])),
        hooks: None,
        gate: open.clone(),
        granted: open,
    };
    let agent = agent_on([&backend([
        Step::calls([call("c1", "read"), call("c2", "read")]),
        Step::text("Done."),
    ])])
    .provider(tools)
    .session(transcript.session.clone())
    .build()
    .unwrap();
    ask(&agent).await;
    let types = transcript.types();
    let place = |name: &str, nth: usize| {
        types
            .iter()
            .enumerate()
            .filter(|(_, found)| *found == name)
            .nth(nth)
            .unwrap()
            .0
    };
    assert!(
        place("tool-settled", 0) < place("grants", 0)
            && place("grants", 0) < place("tool-dispatched", 1)
    );
    assert_eq!(transcript.of("grants").len(), 1);
}

// 182
#[tokio::test(start_paused = true)]
async fn grants_are_written_when_their_content_changes_and_only_then() {
    let transcript = Transcript::new();
    let tools = ScriptedGrants::new(provider(&["read"]));
    tools.add_grant(Json::string("a"));
    let backend = backend([
        calls("c1", "read"),
        Step::text("Done."),
        calls("c2", "read"),
        Step::text("Done."),
    ]);
    let agent = agent_on([&backend])
        .provider(tools.clone())
        .session(transcript.session.clone())
        .build()
        .unwrap();
    ask(&agent).await;
    assert!(transcript.of("grants").is_empty());
    let mut messages = transcript.session.messages();
    messages.push(Arc::new(sess::Message::user("Go on.")));
    let run = agent.run(messages).unwrap();
    tools.replace_grants([Json::string("b")]);
    finish(run, Vec::new()).await;
    assert_eq!(
        transcript
            .of("grants")
            .iter()
            .map(|line| text_of(line, "grants"))
            .collect::<Vec<_>>(),
        [r#"["b"]"#]
    );
}
