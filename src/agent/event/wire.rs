//! How the types of lower floors stand in a flattened event.

use std::sync::Arc;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::backend::{ErrorClass, Usage};
use crate::id::{EnvelopeId, RunId};
use crate::{Json, Message, Role};

/// A message as providers take it: `{role, content, tool_calls?, tool_call_id?}`; the content of a
/// turn that only calls tools is `null`.
pub mod message {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        message: &Message,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let silent = message.role == Role::Assistant
            && !message.tool_calls.is_empty()
            && message.content.is_empty();
        let content = if silent {
            Json::null()
        } else {
            Json::string(&message.content)
        };
        let mut fields = vec![
            ("role", Json::string(message.role.as_str())),
            ("content", content),
        ];
        if !message.tool_calls.is_empty() {
            fields.push((
                "tool_calls",
                Json::array(message.tool_calls.iter().cloned()),
            ));
        }
        if let Some(id) = &message.tool_call_id {
            fields.push(("tool_call_id", Json::string(id)));
        }
        Json::object(fields).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<Message>, D::Error> {
        let json = Json::deserialize(deserializer)?;
        let role = json
            .get_str("role")
            .unwrap_or_default()
            .parse()
            .map_err(D::Error::custom)?;
        let mut message = Message::new(role, json.get_str("content").unwrap_or_default());
        message.tool_calls = json
            .get("tool_calls")
            .and_then(|calls| calls.items())
            .unwrap_or_default();
        message.tool_call_id = json.get_str("tool_call_id");
        Ok(Arc::new(message))
    }
}

/// What a provider reported, under the keys of the transcript.
pub mod usage {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        usage: &Usage,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        usage.to_json().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Usage, D::Error> {
        Reported::deserialize(deserializer).map(Usage::from)
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    struct Reported {
        prompt_tokens: Option<u64>,
        completion_tokens: Option<u64>,
        total_tokens: Option<u64>,
        cached_prompt_tokens: Option<u64>,
        cost: Option<f64>,
        generation_id: Option<String>,
        provider_name: Option<String>,
    }

    impl From<Reported> for Usage {
        fn from(reported: Reported) -> Self {
            Usage {
                prompt_tokens: reported.prompt_tokens,
                completion_tokens: reported.completion_tokens,
                total_tokens: reported.total_tokens,
                cached_prompt_tokens: reported.cached_prompt_tokens,
                cost: reported.cost,
                generation_id: reported.generation_id,
                provider_name: reported.provider_name,
                ..Usage::default()
            }
        }
    }
}

/// The kind of a failure, as its word.
pub mod class {
    use super::*;

    const ALL: [ErrorClass; 5] = [
        ErrorClass::Http,
        ErrorClass::Timeout,
        ErrorClass::Connection,
        ErrorClass::Response,
        ErrorClass::Unknown,
    ];

    pub(crate) fn serialize<S: Serializer>(
        class: &Option<ErrorClass>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        class.map(ErrorClass::as_str).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<ErrorClass>, D::Error> {
        let Some(word) = Option::<String>::deserialize(deserializer)? else {
            return Ok(None);
        };
        let known = ALL.into_iter().find(|class| class.as_str() == word);
        known
            .map(Some)
            .ok_or_else(|| D::Error::custom(format!("{word:?} is no error class")))
    }
}

/// A run, as its id.
pub mod run_id {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(id: &RunId, serializer: S) -> Result<S::Ok, S::Error> {
        id.as_str().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<RunId, D::Error> {
        String::deserialize(deserializer).map(RunId::from)
    }
}

/// A line of the transcript, as its id.
pub mod line_id {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        id: &Option<EnvelopeId>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        id.as_ref().map(EnvelopeId::as_str).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<EnvelopeId>, D::Error> {
        Option::<String>::deserialize(deserializer).map(|id| id.map(EnvelopeId::from))
    }
}
