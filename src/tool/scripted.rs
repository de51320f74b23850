//! Providers that answer as a script says, for tests of anything that uses tools.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::{Gate, ToolAnswer, ToolError, ToolProvider};
use crate::Json;
use crate::message::ToolCall;

/// A provider with a fixed answer for each tool. It never fails as a whole and records every batch.
///
/// A call is answered by the responder, if there is one, else by the result under the tool's name,
/// else by `ok: <tool>`. A call without a tool's name gets an error. The calls of a batch are
/// answered one after the other; each waits at its gate, then for its latency, and the batch then
/// waits at the gate of all batches. Clones are the same provider.
///
/// ```
/// use sess::Json;
/// use sess::tool::{ScriptedProvider, ToolProvider, declaration};
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let read = declaration("read", "Reads a file.", Json::empty_object());
/// let tools = ScriptedProvider::new([read]).with_result("read", "fn main() {}");
/// let call = Json::parse(
///     r#"{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}"#,
/// );
/// let answers = tools.execute(vec![call.unwrap()]).await.unwrap();
/// assert_eq!(answers[0].as_ref().unwrap().content, "fn main() {}");
/// assert_eq!(tools.calls().len(), 1);
/// # });
/// ```
#[derive(Clone)]
pub struct ScriptedProvider {
    script: Arc<Mutex<Script>>,
}

/// A [`ScriptedProvider`] that also knows grants. Clones are the same provider.
///
/// ```
/// use sess::Json;
/// use sess::tool::{ScriptedGrants, ScriptedProvider, ToolProvider};
/// let tools = ScriptedGrants::new(ScriptedProvider::new([]));
/// tools.add_grant(Json::string("read"));
/// assert_eq!(tools.grants(), Some(Ok(vec![Json::string("read")])));
/// ```
#[derive(Clone)]
pub struct ScriptedGrants {
    provider: ScriptedProvider,
    grants: Arc<Mutex<Vec<Json>>>,
}

type Responder = dyn Fn(&ToolCall) -> Result<ToolAnswer, String> + Send + Sync;

#[derive(Default)]
struct Script {
    declarations: Vec<Json>,
    results: BTreeMap<String, ToolAnswer>,
    responder: Option<Arc<Responder>>,
    batch_gate: Option<Gate>,
    gates: BTreeMap<String, Gate>,
    latencies: BTreeMap<String, Duration>,
    batches: Vec<Vec<Json>>,
    catalogue_reads: usize,
}

impl ScriptedProvider {
    /// A provider with this catalogue.
    pub fn new(declarations: impl IntoIterator<Item = Json>) -> Self {
        Self {
            script: Arc::new(Mutex::new(Script {
                declarations: declarations.into_iter().collect(),
                ..Script::default()
            })),
        }
    }

    /// Answers every call to `tool` with this text or record.
    pub fn with_result(self, tool: &str, answer: impl Into<ToolAnswer>) -> Self {
        self.script().results.insert(tool.to_owned(), answer.into());
        self
    }

    /// Answers every call by asking `responder`, whose failure becomes an error answer.
    pub fn with_responder(
        self,
        responder: impl Fn(&ToolCall) -> Result<ToolAnswer, String> + Send + Sync + 'static,
    ) -> Self {
        self.script().responder = Some(Arc::new(responder));
        self
    }

    /// Holds every batch back until `gate` is open.
    pub fn block_on(self, gate: &Gate) -> Self {
        self.script().batch_gate = Some(gate.clone());
        self
    }

    /// Holds a call back until `gate` is open. `key` is a call's id or a tool's name; the id wins.
    pub fn block_call(self, key: &str, gate: &Gate) -> Self {
        self.script().gates.insert(key.to_owned(), gate.clone());
        self
    }

    /// Lets a call take this long. `key` is a call's id or a tool's name; the id wins.
    pub fn with_latency(self, key: &str, latency: Duration) -> Self {
        self.script().latencies.insert(key.to_owned(), latency);
        self
    }

    /// Replaces the catalogue.
    pub fn set_declarations(&self, declarations: impl IntoIterator<Item = Json>) {
        self.script().declarations = declarations.into_iter().collect();
    }

    /// The batches so far, each with its calls as the model wrote them.
    pub fn batches(&self) -> Vec<Vec<Json>> {
        self.script().batches.clone()
    }

    /// The calls of all batches so far.
    pub fn calls(&self) -> Vec<Json> {
        self.script().batches.concat()
    }

    /// How often the catalogue was read.
    pub fn catalogue_reads(&self) -> usize {
        self.script().catalogue_reads
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(&self, call: &Json) -> ToolAnswer {
        let call = ToolCall::from_json(call);
        let (gate, latency) = self.script().hindrances(&call);
        if let Some(gate) = gate {
            gate.passed().await;
        }
        if !latency.is_zero() {
            tokio::time::sleep(latency).await;
        }
        self.result(&call)
    }

    fn result(&self, call: &ToolCall) -> ToolAnswer {
        if call.name.is_empty() {
            return ToolAnswer::error("The call names no tool");
        }
        // The responder is foreign code and runs without the lock.
        let responder = self.script().responder.clone();
        if let Some(respond) = responder {
            return respond(call).unwrap_or_else(ToolAnswer::error);
        }
        let scripted = self.script().results.get(&call.name).cloned();
        scripted.unwrap_or_else(|| ToolAnswer::new(format!("ok: {}", call.name)))
    }
}

impl Script {
    fn hindrances(&self, call: &ToolCall) -> (Option<Gate>, Duration) {
        let gate = of_call(&self.gates, call).cloned();
        let latency = of_call(&self.latencies, call).copied();
        (gate, latency.unwrap_or_default())
    }
}

fn of_call<'a, T>(map: &'a BTreeMap<String, T>, call: &ToolCall) -> Option<&'a T> {
    map.get(&call.id).or_else(|| map.get(&call.name))
}

impl ToolProvider for ScriptedProvider {
    fn declarations(&self) -> Result<Vec<Json>, ToolError> {
        let mut script = self.script();
        script.catalogue_reads += 1;
        Ok(script.declarations.clone())
    }

    fn execute(
        &self,
        calls: Vec<Json>,
    ) -> BoxFuture<'static, Result<Vec<Option<ToolAnswer>>, ToolError>> {
        self.script().batches.push(calls.clone());
        let provider = self.clone();
        async move {
            let mut answers = Vec::with_capacity(calls.len());
            for call in &calls {
                answers.push(Some(provider.answer(call).await));
            }
            let gate = provider.script().batch_gate.clone();
            if let Some(gate) = gate {
                gate.passed().await;
            }
            Ok(answers)
        }
        .boxed()
    }
}

impl ScriptedGrants {
    /// The same provider, with no grants yet.
    pub fn new(provider: ScriptedProvider) -> Self {
        Self {
            provider,
            grants: Arc::default(),
        }
    }

    /// The provider below, with its recordings.
    pub fn provider(&self) -> &ScriptedProvider {
        &self.provider
    }

    /// Adds a grant.
    pub fn add_grant(&self, grant: Json) {
        self.lock().push(grant);
    }

    /// Replaces all grants.
    pub fn replace_grants(&self, grants: impl IntoIterator<Item = Json>) {
        *self.lock() = grants.into_iter().collect();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Json>> {
        self.grants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ToolProvider for ScriptedGrants {
    fn declarations(&self) -> Result<Vec<Json>, ToolError> {
        self.provider.declarations()
    }

    fn execute(
        &self,
        calls: Vec<Json>,
    ) -> BoxFuture<'static, Result<Vec<Option<ToolAnswer>>, ToolError>> {
        self.provider.execute(calls)
    }

    fn grants(&self) -> Option<Result<Vec<Json>, ToolError>> {
        Some(Ok(self.lock().clone()))
    }
}

impl std::fmt::Debug for ScriptedProvider {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let batches = self.script().batches.len();
        write!(out, "ScriptedProvider({batches} batches)")
    }
}

impl std::fmt::Debug for ScriptedGrants {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let grants = self.lock().len();
        write!(out, "ScriptedGrants({grants} grants)")
    }
}
