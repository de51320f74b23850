//! Chat templates: how a model reads a conversation.

use minijinja::{Environment, ErrorKind, UndefinedBehavior};
use serde_json::{Value, json};

use crate::{Json, Message};

/// Writes a conversation as the text a model reads.
///
/// ```
/// use sess::Json;
/// use sess::context::{ChatTemplate, Layout};
/// let hello = Json::parse(r#"{"role":"user","content":"Hello"}"#)?;
/// let text = Layout::Llama3.render(&[hello], &[], false)?;
/// assert_eq!(text, "<|start_header_id|>user<|end_header_id|>\nHello<|eot_id|>\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ChatTemplate: Send + Sync {
    /// The text of messages in wire shape and of the tools on offer. With `continuation` the last
    /// message stays open, else the model is to begin one of its own, where the template says so.
    ///
    /// # Errors
    /// When the template cannot take the conversation.
    fn render(
        &self,
        messages: &[Json],
        tools: &[Json],
        continuation: bool,
    ) -> Result<String, TemplateError>;
}

/// A template that cannot be read, or cannot take a conversation.
///
/// ```
/// use sess::context::JinjaTemplate;
/// let error = JinjaTemplate::new("{% for %}", "", "").unwrap_err();
/// assert!(error.to_string().starts_with("chat template: "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("chat template: {0}")]
pub struct TemplateError(String);

/// A message as a provider takes it, except that arguments which are an object are given as one:
/// that is how templates expect them.
pub(super) fn wire(message: &Message) -> Json {
    let calls: Vec<Json> = message.tool_calls.iter().map(decoded).collect();
    let mut fields = vec![("role", Json::string(message.role.as_str()))];
    let content = match message.content.is_empty() && !calls.is_empty() {
        true => Json::null(),
        false => Json::string(&message.content),
    };
    fields.push(("content", content));
    if !calls.is_empty() {
        fields.push(("tool_calls", Json::array(calls)));
    }
    let id = message.tool_call_id.as_deref();
    fields.extend(id.map(|id| ("tool_call_id", Json::string(id))));
    Json::object(fields)
}

fn decoded(call: &Json) -> Json {
    let Ok(mut value) = call.to_value() else {
        return call.clone();
    };
    let arguments = value.pointer_mut("/function/arguments");
    if let Some(arguments) = arguments
        && let Some(text) = arguments
            .as_str()
            .filter(|text| text.trim().starts_with('{'))
        && let Ok(object @ Value::Object(_)) = serde_json::from_str(text)
    {
        *arguments = object;
    }
    Json::from(value)
}

/// Layouts that are known by name. None begins a turn of the model's own, and none has tools.
///
/// ```
/// use sess::Json;
/// use sess::context::{ChatTemplate, Layout};
/// let message = Json::parse(r#"{"role":"user","content":"Hi"}"#)?;
/// assert_eq!(
///     Layout::ChatMl.render(&[message], &[], false)?,
///     "<|im_start|>user\nHi\n<|im_end|>\n",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `<|im_start|>user`…
    ChatMl,
    /// `<|start_header_id|>user<|end_header_id|>`…
    Llama3,
    /// `<|header_start|>user<|header_end|>`…
    Llama4,
    /// `<start_of_turn>user`…
    Gemma2,
    /// `[INST]`…; takes no results of tools.
    MistralV7,
}

impl ChatTemplate for Layout {
    fn render(
        &self,
        messages: &[Json],
        _tools: &[Json],
        continuation: bool,
    ) -> Result<String, TemplateError> {
        let mut text = match self {
            Layout::Llama4 => "<|begin_of_text|>\n".to_owned(),
            Layout::MistralV7 => "<s>".to_owned(),
            _ => String::new(),
        };
        let last = messages.len().saturating_sub(1);
        for (index, message) in messages.iter().enumerate() {
            let role = message.get_str("role").unwrap_or_default();
            let content = message.get_str("content").unwrap_or_default();
            let open = continuation && index == last;
            text.push_str(&self.turn(&role, &content, open)?);
        }
        Ok(text)
    }
}

impl Layout {
    fn turn(self, role: &str, content: &str, open: bool) -> Result<String, TemplateError> {
        let speaker = if open { "assistant" } else { role };
        Ok(match self {
            Layout::ChatMl => {
                let end = if open { "" } else { "\n<|im_end|>\n" };
                format!("<|im_start|>{role}\n{content}{end}")
            }
            Layout::Llama3 => {
                let end = if open { "" } else { "<|eot_id|>\n" };
                format!("<|start_header_id|>{speaker}<|end_header_id|>\n{content}{end}")
            }
            Layout::Llama4 => {
                let end = if open { "" } else { "<|eot|>\n" };
                format!("<|header_start|>{speaker}<|header_end|>\n{content}{end}")
            }
            Layout::Gemma2 => {
                let speaker = match role {
                    "user" | "system" => "user",
                    _ => "model",
                };
                let end = if open { "" } else { "\n<end_of_turn>\n" };
                format!("<start_of_turn>{speaker}\n{content}{end}")
            }
            Layout::MistralV7 if open => content.to_owned(),
            Layout::MistralV7 => match role {
                "system" => format!("[SYSTEM_PROMPT]{content}[/SYSTEM_PROMPT]"),
                "user" => format!("[INST]{content}[/INST]"),
                "assistant" => format!("{content}</s>"),
                other => {
                    let error = format!("mistral-v7 has no place for the role {other:?}");
                    return Err(TemplateError(error));
                }
            },
        })
    }
}

/// A `chat_template` as models on Hugging Face carry it.
///
/// ```
/// use sess::Json;
/// use sess::context::{ChatTemplate, JinjaTemplate};
/// let template = "{% for m in messages %}[{{ m.role }}] {{ m.content }}{{ eos_token }}{% endfor %}";
/// let template = JinjaTemplate::new(template, "", "</s>")?;
/// let hello = Json::parse(r#"{"role":"user","content":"Hello"}"#)?;
/// assert_eq!(template.render(&[hello], &[], false)?, "[user] Hello</s>");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JinjaTemplate {
    environment: Environment<'static>,
    bos_token: String,
    eos_token: String,
}

const NAME: &str = "chat";

impl JinjaTemplate {
    /// A template of this text.
    ///
    /// # Errors
    /// When the text is no template.
    pub fn new(
        template: impl Into<String>,
        bos_token: impl Into<String>,
        eos_token: impl Into<String>,
    ) -> Result<Self, TemplateError> {
        let mut environment = Environment::new();
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment.set_keep_trailing_newline(true);
        environment.set_undefined_behavior(UndefinedBehavior::Lenient);
        environment
            .set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function("raise_exception", |text: String| -> Result<String, _> {
            Err(minijinja::Error::new(ErrorKind::InvalidOperation, text))
        });
        // The filter of the same name escapes for HTML, which templates do not expect.
        environment.add_filter("tojson", |value: minijinja::Value| {
            serde_json::to_string(&value).map_err(|error| {
                minijinja::Error::new(ErrorKind::BadSerialization, error.to_string())
            })
        });
        environment
            .add_template_owned(NAME, template.into())
            .map_err(said)?;
        Ok(Self {
            environment,
            bos_token: bos_token.into(),
            eos_token: eos_token.into(),
        })
    }

    /// The template of a `tokenizer_config.json`: the only one, or the one called `default`, or the
    /// first.
    ///
    /// # Errors
    /// When there is none, or it is none.
    pub fn from_tokenizer_config(config: &Json) -> Result<Self, TemplateError> {
        let config = config
            .to_value()
            .map_err(|error| TemplateError(error.to_string()))?;
        let template = chosen(&config["chat_template"])
            .ok_or_else(|| TemplateError("the configuration holds no chat_template".to_owned()))?;
        Self::new(
            template,
            token(&config["bos_token"]),
            token(&config["eos_token"]),
        )
    }
}

fn chosen(template: &Value) -> Option<&str> {
    if let Some(text) = template.as_str() {
        return Some(text);
    }
    let named = template.as_array()?;
    let default = named.iter().find(|entry| entry["name"] == "default");
    default.or(named.first())?["template"].as_str()
}

fn token(token: &Value) -> &str {
    token
        .as_str()
        .or(token["content"].as_str())
        .unwrap_or_default()
}

fn said(error: minijinja::Error) -> TemplateError {
    TemplateError(format!("{error:#}"))
}

impl ChatTemplate for JinjaTemplate {
    fn render(
        &self,
        messages: &[Json],
        tools: &[Json],
        continuation: bool,
    ) -> Result<String, TemplateError> {
        let mut variables = json!({
            "messages": messages,
            "bos_token": self.bos_token,
            "eos_token": self.eos_token,
            "add_generation_prompt": !continuation,
        });
        // A template that asks whether tools are defined must not see an empty list.
        if !tools.is_empty() {
            variables["tools"] = json!(tools);
        }
        let template = self.environment.get_template(NAME).map_err(said)?;
        template.render(variables).map_err(said)
    }
}
