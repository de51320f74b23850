//! What the tests of the loop share.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sess::agent::event::{Event, EventBody};
use sess::agent::{Agent, AgentBuilder, Run, RunResult};
use sess::backend::{ScriptedBackend, Step, Usage};
use sess::context::{Compacted, CompactionRequest, Compactor, HeuristicCounter, TokenCounter};
use sess::message::ToolCall;
use sess::tool::{ScriptedProvider, declaration};
use sess::{Json, Message, Role, Session};
use tempfile::TempDir;

/// Everything a finished run leaves.
pub struct Played {
    pub events: Vec<Arc<Event>>,
    pub result: RunResult,
}

/// Plays a run to its end and waits until it is drained.
pub async fn play(agent: &Agent, messages: Vec<Message>) -> Played {
    let run = agent.run(messages).expect("the agent is free");
    finish(run, Vec::new()).await
}

/// Plays a run that asks one thing.
pub async fn ask(agent: &Agent) -> Played {
    play(agent, question()).await
}

/// Reads a run to its end, after the events that were read already.
pub async fn finish(mut run: Run, mut events: Vec<Arc<Event>>) -> Played {
    while let Some(event) = run.next_event().await {
        events.push(event);
    }
    run.drained().await;
    let result = run.result().await;
    Played { events, result }
}

/// Reads a run up to the first event of this kind, and gives what was read.
pub async fn read_until(run: &mut Run, kind: &str) -> Vec<Arc<Event>> {
    let mut events = Vec::new();
    while let Some(event) = run.next_event().await {
        let found = event.kind() == kind;
        events.push(event);
        if found {
            return events;
        }
    }
    panic!("the run ended without {kind}: {:?}", kinds(&events));
}

impl Played {
    pub fn kinds(&self) -> Vec<&str> {
        kinds(&self.events)
    }

    /// The payloads of one kind, as documents without white space.
    pub fn of(&self, kind: &str) -> Vec<Json> {
        let events = self.events.iter().filter(|event| event.kind() == kind);
        events.map(|event| event.body.payload()).collect()
    }

    /// One field of every event of a kind, as text.
    pub fn field(&self, kind: &str, key: &str) -> Vec<String> {
        self.of(kind)
            .iter()
            .map(|payload| text_of(payload, key))
            .collect()
    }

    pub fn count(&self, kind: &str) -> usize {
        self.of(kind).len()
    }

    /// The text of the tokens.
    pub fn tokens(&self) -> String {
        self.field("token", "text").concat()
    }

    /// Roles and contents of the conversation.
    pub fn messages(&self) -> Vec<(Role, &str)> {
        let messages = self.result.messages.iter();
        messages
            .map(|message| (message.role, message.content.as_str()))
            .collect()
    }

    pub fn roles(&self) -> Vec<Role> {
        self.result
            .messages
            .iter()
            .map(|message| message.role)
            .collect()
    }

    pub fn error(&self) -> &str {
        self.result
            .error()
            .unwrap_or_else(|| panic!("the run did not fail: {:?}", self.result.outcome))
    }

    pub fn reason(&self) -> Option<&'static str> {
        self.result.reason().map(|reason| reason.as_str())
    }
}

/// A field as text: a string as it is, anything else as JSON, a missing one as a dash.
pub fn text_of(json: &Json, key: &str) -> String {
    let Some(value) = json.get(key) else {
        return "-".to_owned();
    };
    value
        .as_str()
        .map_or_else(|| value.compact(), |text| text.into_owned())
}

pub fn kinds(events: &[Arc<Event>]) -> Vec<&str> {
    events.iter().map(|event| event.kind()).collect()
}

/// What holds for every run, whatever happens in it.
pub fn check_contract(events: &[Arc<Event>]) {
    let seqs: Vec<Option<u64>> = events.iter().map(|event| event.seq).collect();
    let expected: Vec<Option<u64>> = (0..events.len() as u64).map(Some).collect();
    assert_eq!(seqs, expected, "contiguous");
    let ends: Vec<usize> = (0..events.len())
        .filter(|place| events[*place].is_terminal())
        .collect();
    assert_eq!(
        ends,
        [events.len() - 1],
        "one terminal, and last: {:?}",
        kinds(events)
    );
    check_turns(events);
}

/// A round whose answer came whole is either committed or discarded, once.
fn check_turns(events: &[Arc<Event>]) {
    let (mut succeeded, mut committed, mut discarded) = (0, 0, 0);
    let check = |succeeded: &mut i32, committed: &mut i32, discarded: &mut i32| {
        assert!(*committed + *discarded <= 1, "{:?}", kinds(events));
        if *succeeded > 0 {
            assert_eq!(*committed + *discarded, 1, "{:?}", kinds(events));
        }
        (*succeeded, *committed, *discarded) = (0, 0, 0);
    };
    for event in events {
        match &event.body {
            EventBody::RoundStarted(_) => check(&mut succeeded, &mut committed, &mut discarded),
            EventBody::AttemptSucceeded(_) => succeeded += 1,
            EventBody::AssistantMessage(_) => committed += 1,
            EventBody::TurnDiscarded(_) => discarded += 1,
            _ => {}
        }
    }
    check(&mut succeeded, &mut committed, &mut discarded);
}

/// A transcript in a folder of its own.
pub struct Transcript {
    pub session: Arc<Session>,
    pub folder: TempDir,
}

impl Transcript {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let session =
            Session::create(folder.path().join("run.jsonl"), Json::empty_object()).unwrap();
        Self {
            session: Arc::new(session),
            folder,
        }
    }

    /// The stored lines.
    pub fn lines(&self) -> Vec<Json> {
        self.session.events().unwrap()
    }

    /// The payloads of one type.
    pub fn of(&self, type_name: &str) -> Vec<Json> {
        let lines = self.lines().into_iter();
        let of_type = lines.filter(|line| line.get_str("type").as_deref() == Some(type_name));
        of_type.map(|line| line.get("payload").unwrap()).collect()
    }

    /// The types of the lines; of messages with their role.
    pub fn types(&self) -> Vec<String> {
        let name = |line: &Json| {
            let type_name = text_of(line, "type");
            match line
                .get("payload")
                .and_then(|payload| payload.get_str("role"))
            {
                Some(role) => format!("{type_name}({role})"),
                None => type_name,
            }
        };
        self.lines().iter().map(name).collect()
    }

    /// Closes the session and loads it as a next process would.
    pub fn reload(&self) -> Session {
        self.session.close();
        Session::load(self.session.path()).unwrap()
    }
}

/// A conversation of one question.
pub fn question() -> Vec<Message> {
    vec![Message::user("Go.")]
}

/// A conversation of one question that is this long.
pub fn long(characters: usize) -> Vec<Message> {
    vec![Message::user("x".repeat(characters))]
}

/// A call in wire shape.
pub fn call(id: &str, name: &str) -> Json {
    call_with(id, name, "{}")
}

/// A call with arguments.
pub fn call_with(id: &str, name: &str, arguments: &str) -> Json {
    let call = ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    };
    call.to_json()
}

/// A turn that calls one tool.
pub fn calls(id: &str, name: &str) -> Step {
    Step::calls([call(id, name)])
}

/// A provider of these tools.
pub fn provider(names: &[&str]) -> ScriptedProvider {
    let declarations = names
        .iter()
        .map(|name| declaration(name, "A tool.", Json::empty_object()));
    ScriptedProvider::new(declarations)
}

/// A backend of this script.
pub fn backend(steps: impl IntoIterator<Item = Step>) -> Arc<ScriptedBackend> {
    Arc::new(ScriptedBackend::new(steps))
}

/// A backend of this script, under another model's name.
pub fn named(model: &str, steps: impl IntoIterator<Item = Step>) -> Arc<ScriptedBackend> {
    Arc::new(ScriptedBackend::new(steps).with_model(Some(model)))
}

/// An agent on these backends.
pub fn agent_on<const N: usize>(backends: [&Arc<ScriptedBackend>; N]) -> AgentBuilder {
    let builder = Agent::builder().backoff_cap(Duration::from_millis(5));
    backends.into_iter().fold(builder, |builder, backend| {
        builder.shared_backend(backend.clone())
    })
}

/// Roles and contents of what a backend was sent in its call number `index`, from 0.
pub fn sent(backend: &ScriptedBackend, index: usize) -> Vec<(Role, String)> {
    let calls = backend.calls();
    let messages = calls[index].messages.iter();
    messages
        .map(|message| (message.role, message.content.clone()))
        .collect()
}

/// One token a character, and nothing else.
pub fn by_character() -> Arc<dyn TokenCounter> {
    Arc::new(HeuristicCounter::new(1, 0).unwrap())
}

/// Reported prompt and completion tokens.
pub fn billed(prompt: u64, completion: u64) -> Usage {
    Usage {
        prompt_tokens: Some(prompt),
        completion_tokens: Some(completion),
        ..Usage::default()
    }
}

/// A compactor that replaces everything but the last message by a short summary.
pub struct Shrinker {
    pub budget: u64,
    pub trigger: u64,
    /// Says that nothing helps.
    pub exhausted: bool,
    /// Replaces tool results by stubs before anything else.
    pub stubs: bool,
}

impl Shrinker {
    pub fn new(budget: u64, trigger: u64) -> Self {
        Self {
            budget,
            trigger,
            exhausted: false,
            stubs: false,
        }
    }
}

impl Compactor for Shrinker {
    fn trigger(&self) -> u64 {
        self.trigger
    }

    fn context_budget(&self) -> u64 {
        self.budget
    }

    fn needs_compaction(&self, _messages: &[Arc<Message>], tokens: u64) -> bool {
        tokens > self.trigger
    }

    fn compact<'a>(&'a self, request: CompactionRequest<'a>) -> BoxFuture<'a, Compacted> {
        async move { self.pass(&request) }.boxed()
    }
}

impl Shrinker {
    fn pass(&self, request: &CompactionRequest<'_>) -> Compacted {
        let counter = by_character();
        let counter = request
            .target
            .as_ref()
            .map_or(&counter, |target| &target.counter);
        let mut elisions = Vec::new();
        let mut aged = request.messages.to_vec();
        for (index, message) in aged.iter_mut().enumerate().filter(|_| self.stubs) {
            if message.role == Role::Tool && message.content != "stub" {
                let stub = Message {
                    content: "stub".into(),
                    ..Message::clone(message)
                };
                *message = Arc::new(stub);
                elisions.push((index, "stub".to_owned()));
            }
        }
        let tokens_before = counter.count_messages(request.messages);
        let aged_tokens = counter.count_messages(&aged);
        if !elisions.is_empty() && aged_tokens <= self.trigger {
            return Compacted {
                messages: aged,
                tokens_before,
                tokens_after: aged_tokens,
                elisions,
                ..Compacted::default()
            };
        }
        let mut start = aged.len().saturating_sub(1);
        while start > 0 && aged[start].role == Role::Tool {
            start -= 1;
        }
        if start == 0 {
            return Compacted {
                messages: aged,
                tokens_before,
                tokens_after: aged_tokens,
                elisions,
                ..Compacted::default()
            };
        }
        let (middle, recent) = aged.split_at(start);
        let mut messages: Vec<Arc<Message>> = middle
            .iter()
            .filter(|message| message.is_sticky())
            .cloned()
            .collect();
        let dropped = middle.len() - messages.len();
        messages.push(Arc::new(Message::user("Summary.")));
        messages.extend(recent.iter().cloned());
        Compacted {
            tokens_before,
            tokens_after: counter.count_messages(&messages),
            messages,
            summary: "Summary.".into(),
            dropped,
            cut_index: Some(start - 1),
            fallback: false,
            exhausted: self.exhausted,
            elisions,
            spent: None,
        }
    }
}
