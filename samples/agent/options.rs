//! What the sample agent is told on its command line.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sess::backend::http::{Endpoint, OpenAiBackend, Settings};
use sess::backend::{Backend, ScriptedBackend, Step};
use sess::id::EnvelopeId;
use sess::message::ToolCall;

/// The options and the prompt.
pub struct Options {
    pub prompt: String,
    pub session: PathBuf,
    pub resume: Option<PathBuf>,
    base_url: Option<String>,
    model: Option<String>,
    pace: Duration,
}

const USAGE: &str = "usage: agent [--base-url URL --model NAME | --pace MS] \
     [--session FILE | --resume FILE] [PROMPT]";

impl Options {
    pub fn from_args(mut args: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut options = Self {
            prompt: "What is in this folder?".to_owned(),
            session: std::env::temp_dir().join(format!("agent-{}.jsonl", EnvelopeId::fresh())),
            resume: None,
            base_url: None,
            model: None,
            pace: Duration::ZERO,
        };
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(USAGE);
            match arg.as_str() {
                "--session" => options.session = value()?.into(),
                "--resume" => options.resume = Some(value()?.into()),
                "--base-url" => options.base_url = Some(value()?),
                "--model" => options.model = Some(value()?),
                "--pace" => options.pace = Duration::from_millis(value()?.parse()?),
                option if option.starts_with("--") => return Err(USAGE.into()),
                _ => options.prompt = arg,
            }
        }
        Ok(options)
    }

    /// The endpoint that was named, or a model that follows a script.
    pub fn backend(&self) -> Result<Arc<dyn Backend>, Box<dyn Error>> {
        match (&self.base_url, &self.model) {
            (Some(url), Some(model)) => {
                let mut endpoint = Endpoint::new(url);
                if let Ok(key) = std::env::var("OPENAI_API_KEY") {
                    endpoint = endpoint.with_key(key);
                }
                Ok(Arc::new(OpenAiBackend::new(
                    endpoint,
                    Settings::new(model, 4_096),
                )?))
            }
            (None, None) => Ok(Arc::new(script(self.pace))),
            _ => Err(USAGE.into()),
        }
    }
}

/// Looks around, notes that it did, and says so.
fn script(pace: Duration) -> ScriptedBackend {
    let id = EnvelopeId::fresh();
    let call = |name: &str, arguments: String| {
        let call = ToolCall {
            id: format!("{name}-{id}"),
            name: name.into(),
            arguments,
        };
        call.to_json()
    };
    let look = call("list_files", r#"{"path":"."}"#.to_owned());
    let note = call("add_note", format!(r#"{{"text":"Looked around ({id})."}}"#));
    ScriptedBackend::new([
        Step::chunks(["Let me ", "look."])
            .with_calls([look, note])
            .slow(pace, pace),
        Step::chunks(["Those ", "are ", "the ", "files ", "here."]).slow(pace, pace),
    ])
}
