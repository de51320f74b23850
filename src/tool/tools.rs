//! [`Tools`]: tools made of async closures.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};

use super::{ToolAnswer, ToolError, ToolProvider};
use crate::Json;
use crate::message::ToolCall;

/// A provider of tools that are async closures.
///
/// A closure gets the arguments, which are always a JSON object; a call without any gets an empty
/// one. They are not checked against the schema. What cannot be handed to a closure (an unknown
/// tool, arguments that are no JSON or no object) and a closure that fails or panics are answered
/// by an error that says so. Dropping the execution drops the closures' futures.
///
/// The calls of one batch run one after the other, unless [`concurrent`](Tools::concurrent) was
/// asked for.
///
/// ```
/// use sess::Json;
/// use sess::tool::{ToolProvider, Tools};
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let schema = Json::parse(r#"{"type":"object","properties":{"name":{"type":"string"}}}"#).unwrap();
/// let tools = Tools::new().with("greet", "Greets somebody.", schema, |arguments: Json| async move {
///     match arguments.get_str("name") {
///         Some(name) => Ok(format!("Hello, {name}!")),
///         None => Err("no name given"),
///     }
/// });
/// let call = Json::parse(
///     r#"{"id":"c1","type":"function","function":{"name":"greet","arguments":"{\"name\":\"Ada\"}"}}"#,
/// );
/// let answers = tools.execute(vec![call.unwrap()]).await.unwrap();
/// assert_eq!(answers[0].as_ref().unwrap().content, "Hello, Ada!");
/// # });
/// ```
#[derive(Clone, Default)]
pub struct Tools {
    declarations: Vec<Json>,
    closures: BTreeMap<String, Arc<Closure>>,
    concurrent: bool,
}

type Closure = dyn Fn(Json) -> BoxFuture<'static, ToolAnswer> + Send + Sync;

/// What a tool's closure may give back: a text, a [`ToolAnswer`], or a `Result` of one of them
/// whose error becomes an error answer.
///
/// ```
/// use sess::tool::{IntoAnswer, ToolAnswer};
/// let parsed = "x".parse::<u64>().map(|number| number.to_string());
/// assert_eq!(parsed.into_answer(), ToolAnswer::error("invalid digit found in string"));
/// ```
pub trait IntoAnswer {
    /// The answer.
    fn into_answer(self) -> ToolAnswer;
}

impl Tools {
    /// No tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// These tools and one more. `schema` is the JSON schema of its arguments, an object. A name
    /// that is there already is replaced.
    pub fn with<Call, Work>(
        mut self,
        name: &str,
        description: &str,
        schema: Json,
        closure: Call,
    ) -> Self
    where
        Call: Fn(Json) -> Work + Send + Sync + 'static,
        Work: Future<Output: IntoAnswer> + Send + 'static,
    {
        self.declarations
            .retain(|declared| declared_name(declared).as_deref() != Some(name));
        self.declarations
            .push(declaration(name, description, schema));
        let boxed = move |arguments| closure(arguments).map(IntoAnswer::into_answer).boxed();
        self.closures.insert(name.to_owned(), Arc::new(boxed));
        self
    }

    /// The same tools, where the calls of one batch run side by side.
    pub fn concurrent(mut self) -> Self {
        self.concurrent = true;
        self
    }
}

impl ToolProvider for Tools {
    fn declarations(&self) -> Result<Vec<Json>, ToolError> {
        Ok(self.declarations.clone())
    }

    fn execute(
        &self,
        calls: Vec<Json>,
    ) -> BoxFuture<'static, Result<Vec<Option<ToolAnswer>>, ToolError>> {
        let tools = self.clone();
        async move {
            let answers = calls.iter().map(|call| tools.answer(call));
            if tools.concurrent {
                return Ok(join_all(answers).await);
            }
            let mut in_order = Vec::with_capacity(calls.len());
            for answer in answers {
                in_order.push(answer.await);
            }
            Ok(in_order)
        }
        .boxed()
    }
}

impl Tools {
    async fn answer(&self, call: &Json) -> Option<ToolAnswer> {
        let call = ToolCall::from_json(call);
        let answer = match self.prepare(&call) {
            Ok(work) => AssertUnwindSafe(work)
                .catch_unwind()
                .await
                .unwrap_or_else(|_| ToolAnswer::error(format!("The tool {} panicked", call.name))),
            Err(refusal) => ToolAnswer::error(refusal),
        };
        Some(ToolAnswer {
            tool_call_id: Some(call.id),
            ..answer
        })
    }

    /// The work of a call, which has not begun; or why there is none.
    fn prepare(&self, call: &ToolCall) -> Result<impl Future<Output = ToolAnswer> + use<>, String> {
        let Some(closure) = self.closures.get(&call.name).map(Arc::clone) else {
            let known: Vec<&str> = self.closures.keys().map(String::as_str).collect();
            let known = known.join(", ");
            return Err(format!(
                "There is no tool {:?}; there are: {known}",
                call.name
            ));
        };
        let arguments = read_arguments(&call.arguments)?;
        // A closure may panic before it gives a future.
        Ok(async move { closure(arguments).await })
    }
}

fn read_arguments(text: &str) -> Result<Json, String> {
    if text.trim().is_empty() {
        return Ok(Json::empty_object());
    }
    let arguments =
        Json::parse(text).map_err(|error| format!("The arguments are not JSON: {error}"))?;
    if arguments.is_null() {
        return Ok(Json::empty_object());
    }
    if !arguments.is_object() {
        return Err("The arguments are not a JSON object".to_owned());
    }
    Ok(arguments)
}

/// The declaration of a tool, as a model is given it. `schema` describes the arguments.
///
/// ```
/// use sess::Json;
/// use sess::tool::declaration;
/// assert_eq!(
///     declaration("now", "The time.", Json::empty_object()).compact(),
///     r#"{"function":{"description":"The time.","name":"now","parameters":{}},"type":"function"}"#,
/// );
/// ```
pub fn declaration(name: &str, description: &str, schema: Json) -> Json {
    let function = Json::object([
        ("name", Json::string(name)),
        ("description", Json::string(description)),
        ("parameters", schema),
    ]);
    Json::object([("type", Json::string("function")), ("function", function)])
}

fn declared_name(declaration: &Json) -> Option<String> {
    declaration.get("function")?.get_str("name")
}

impl IntoAnswer for ToolAnswer {
    fn into_answer(self) -> ToolAnswer {
        self
    }
}

impl IntoAnswer for String {
    fn into_answer(self) -> ToolAnswer {
        self.into()
    }
}

impl IntoAnswer for &str {
    fn into_answer(self) -> ToolAnswer {
        self.into()
    }
}

impl<T: IntoAnswer, E: Display> IntoAnswer for Result<T, E> {
    fn into_answer(self) -> ToolAnswer {
        match self {
            Ok(good) => good.into_answer(),
            Err(error) => ToolAnswer::error(error.to_string()),
        }
    }
}

impl std::fmt::Debug for Tools {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_list().entries(self.closures.keys()).finish()
    }
}
