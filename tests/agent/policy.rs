//! 12.15, 176 and 177, and 43: a permission layer between the loop and its tools, as a host writes
//! one on the hooks.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sess::agent::AgentHooks;
use sess::backend::Step;
use sess::message::ToolCall;
use sess::tool::{ScriptedProvider, ToolAnswer, ToolError, ToolProvider, declaration};
use sess::{Json, Session};

use super::kit::*;

/// Asks before every tool that no grant names, and remembers a yes. Its catalogue is the one below
/// with one tool of its own.
#[derive(Clone)]
struct Policy {
    inner: ScriptedProvider,
    hooks: AgentHooks,
    granted: Arc<Mutex<Vec<String>>>,
    answer: &'static str,
}

impl Policy {
    fn new(inner: &ScriptedProvider, hooks: &AgentHooks, grants: &[Json]) -> Self {
        let granted = grants.iter().map(|grant| grant.get_str("tool").unwrap());
        Self {
            inner: inner.clone(),
            hooks: hooks.clone(),
            granted: Arc::new(Mutex::new(granted.collect())),
            answer: r#"{"behavior":"allow","kind":"always"}"#,
        }
    }

    async fn allows(&self, tool: &str) -> bool {
        if self.granted.lock().unwrap().iter().any(|it| it == tool) {
            return true;
        }
        let request = Json::object([("kind", "permission"), ("tool", tool)].map(text));
        let answer = async { Ok::<_, ToolError>(Json::parse(self.answer).unwrap()) };
        let answer = self.hooks.ask(request, Some(tool), answer).await.unwrap();
        let allowed = answer.get_str("behavior").as_deref() == Some("allow");
        if allowed {
            self.granted.lock().unwrap().push(tool.to_owned());
            self.hooks.sync_grants();
        }
        allowed
    }
}

fn text((key, value): (&'static str, &str)) -> (&'static str, Json) {
    (key, Json::string(value))
}

impl ToolProvider for Policy {
    fn declarations(&self) -> Result<Vec<Json>, ToolError> {
        let mut all = self.inner.declarations()?;
        all.push(declaration("explain", "Why not?", Json::empty_object()));
        Ok(all)
    }

    fn execute(
        &self,
        calls: Vec<Json>,
    ) -> BoxFuture<'static, Result<Vec<Option<ToolAnswer>>, ToolError>> {
        let policy = self.clone();
        async move {
            let mut answers = Vec::new();
            for call in calls {
                match policy.allows(&ToolCall::from_json(&call).name).await {
                    true => answers.extend(policy.inner.execute(vec![call]).await?),
                    false => answers.push(Some(ToolAnswer::error("not allowed"))),
                }
            }
            Ok(answers)
        }
        .boxed()
    }

    fn grants(&self) -> Option<Result<Vec<Json>, ToolError>> {
        let granted = self.granted.lock().unwrap();
        let grant = |tool: &String| Json::object([text(("tool", tool))]);
        Some(Ok(granted.iter().map(grant).collect()))
    }
}

fn rounds() -> [Step; 3] {
    [
        calls("c1", "read"),
        calls("c2", "write"),
        Step::text("Done."),
    ]
}

// 43, second half, and 176
#[tokio::test(start_paused = true)]
async fn a_policy_asks_for_what_no_grant_names_and_its_grants_are_recorded() {
    let transcript = Transcript::new();
    let (backend, hooks) = (backend(rounds()), AgentHooks::default());
    let tools = provider(&["read", "write"]);
    let read = Json::object([text(("tool", "read"))]);
    let agent = agent_on([&backend])
        .hooks(hooks.clone())
        .provider(Policy::new(&tools, &hooks, &[read]))
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let played = ask(&agent).await;

    let offered: Vec<Vec<String>> = backend
        .calls()
        .iter()
        .map(|call| call.tools.iter().map(name_of).collect())
        .collect();
    assert_eq!(offered, vec![vec!["read", "write", "explain"]; 3]);
    assert_eq!(tools.catalogue_reads(), 1);

    let asked: Vec<&str> = played
        .kinds()
        .into_iter()
        .filter(|kind| kind.starts_with("ask-") || kind.starts_with("tool-"))
        .collect();
    assert_eq!(
        asked,
        [
            "tool-call",
            "tool-started",
            "tool-result",
            "tool-call",
            "tool-started",
            "ask-pending",
            "ask-answered",
            "tool-result"
        ]
    );
    let request = r#"{"kind":"permission","tool":"write"}"#;
    assert_eq!(
        played.of("ask-pending"),
        [Json::parse(format!(r#"{{"request":{request},"tool":"write"}}"#)).unwrap()]
    );
    let answered = r#"{"behavior":"allow","kind":"always"}"#;
    assert_eq!(
        played.of("ask-answered"),
        [Json::parse(format!(r#"{{"answer":{answered},"request":{request}}}"#)).unwrap()]
    );
    assert_eq!(
        transcript.types(),
        [
            "session-meta",
            "message(user)",
            "message(assistant)",
            "tool-dispatched",
            "message(tool)",
            "tool-settled",
            "message(assistant)",
            "tool-dispatched",
            "grants",
            "message(tool)",
            "tool-settled",
            "message(assistant)"
        ]
    );
    let grants = r#"{"grants":[{"tool":"read"},{"tool":"write"}]}"#;
    assert_eq!(transcript.of("grants"), [Json::parse(grants).unwrap()]);
}

fn name_of(declaration: &Json) -> String {
    let function = declaration.get("function").unwrap();
    function.get_str("name").unwrap()
}

// 177
#[tokio::test(start_paused = true)]
async fn a_resumed_run_asks_nobody_for_what_was_granted_before() {
    let transcript = Transcript::new();
    run_with_stored_grants(&transcript.session, rounds(), 2).await;
    let again: Arc<Session> = Arc::new(transcript.reload());
    run_with_stored_grants(&again, rounds(), 0).await;
    let lines = again.events().unwrap();
    let of_grants = lines
        .iter()
        .filter(|line| line.get_str("type").as_deref() == Some("grants"));
    assert_eq!(of_grants.count(), 2, "one for each yes of the first run");
}

async fn run_with_stored_grants(session: &Arc<Session>, steps: [Step; 3], questions: usize) {
    let (backend, hooks) = (backend(steps), AgentHooks::default());
    let tools = provider(&["read", "write"]);
    let agent = agent_on([&backend])
        .hooks(hooks.clone())
        .provider(Policy::new(&tools, &hooks, &session.grants()))
        .session(session.clone())
        .build()
        .unwrap();
    let mut messages = session.messages();
    messages.push(Arc::new(sess::Message::user("Go.")));
    let played = finish(agent.run(messages).unwrap(), Vec::new()).await;
    assert_eq!(played.count("ask-pending"), questions);
    assert_eq!(tools.batches().len(), 2);
}

// A no is an answer the model can read, and is not remembered.
#[tokio::test(start_paused = true)]
async fn what_is_refused_is_told_to_the_model() {
    let (backend, hooks) = (backend(rounds()), AgentHooks::default());
    let tools = provider(&["read", "write"]);
    let policy = Policy {
        answer: r#"{"behavior":"deny"}"#,
        ..Policy::new(&tools, &hooks, &[])
    };
    let agent = agent_on([&backend])
        .hooks(hooks.clone())
        .provider(policy.clone())
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.count("ask-answered"), 2);
    assert_eq!(played.field("tool-result", "is-error"), ["true", "true"]);
    assert!(tools.batches().is_empty());
    assert!(policy.granted.lock().unwrap().is_empty());
}
