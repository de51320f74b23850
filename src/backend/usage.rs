//! What an answer cost, as far as the provider said.

use crate::Json;

/// Tokens, money and names a provider reported. `None` is "not reported", which is another answer
/// than zero.
///
/// ```
/// use sess::backend::Usage;
/// let mut usage = Usage { prompt_tokens: Some(12), ..Usage::default() };
/// usage.merge(&Usage { completion_tokens: Some(3), ..Usage::default() });
/// assert_eq!(usage.to_json().compact(), r#"{"completion-tokens":3,"prompt-tokens":12}"#);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// Tokens of the request.
    pub prompt_tokens: Option<u64>,
    /// Tokens of the answer.
    pub completion_tokens: Option<u64>,
    /// Tokens of both.
    pub total_tokens: Option<u64>,
    /// How many of the request's tokens came from a cache; a part of `prompt_tokens`.
    pub cached_prompt_tokens: Option<u64>,
    /// The price, in the provider's currency (US dollars for all known ones).
    pub cost: Option<f64>,
    /// The gateway's id of this answer.
    pub generation_id: Option<String>,
    /// Who answered, behind a gateway.
    pub provider_name: Option<String>,
    /// Whether the caller's own key was used behind a gateway. Not part of
    /// [the document](Usage::to_json).
    pub is_byok: Option<bool>,
}

impl Usage {
    /// Takes over what `other` reports. What it leaves open stays as it is.
    pub fn merge(&mut self, other: &Usage) {
        fill(&mut self.prompt_tokens, &other.prompt_tokens);
        fill(&mut self.completion_tokens, &other.completion_tokens);
        fill(&mut self.total_tokens, &other.total_tokens);
        fill(&mut self.cached_prompt_tokens, &other.cached_prompt_tokens);
        fill(&mut self.cost, &other.cost);
        fill(&mut self.generation_id, &other.generation_id);
        fill(&mut self.provider_name, &other.provider_name);
        fill(&mut self.is_byok, &other.is_byok);
    }

    /// Whether nothing was reported.
    pub fn is_empty(&self) -> bool {
        *self == Usage::default()
    }

    /// An object of what was reported, under the keys of the transcript: `prompt-tokens`,
    /// `completion-tokens`, `total-tokens`, `cached-prompt-tokens`, `cost`, `generation-id`,
    /// `provider-name`.
    pub fn to_json(&self) -> Json {
        let mut fields = serde_json::Map::new();
        let mut put = |key: &str, value: Option<serde_json::Value>| {
            if let Some(value) = value {
                fields.insert(key.to_owned(), value);
            }
        };
        put("prompt-tokens", self.prompt_tokens.map(Into::into));
        put("completion-tokens", self.completion_tokens.map(Into::into));
        put("total-tokens", self.total_tokens.map(Into::into));
        put(
            "cached-prompt-tokens",
            self.cached_prompt_tokens.map(Into::into),
        );
        let cost = self.cost.filter(|cost| cost.is_finite());
        put("cost", cost.map(Into::into));
        put("generation-id", self.generation_id.clone().map(Into::into));
        put("provider-name", self.provider_name.clone().map(Into::into));
        Json::from(serde_json::Value::Object(fields))
    }
}

fn fill<T: Clone>(place: &mut Option<T>, reported: &Option<T>) {
    if reported.is_some() {
        place.clone_from(reported);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_report_fills_and_never_clears() {
        let mut usage = Usage {
            prompt_tokens: Some(3),
            provider_name: Some("A".into()),
            ..Usage::default()
        };
        usage.merge(&Usage {
            prompt_tokens: Some(0),
            cost: Some(0.5),
            ..Usage::default()
        });
        assert_eq!(
            usage,
            Usage {
                prompt_tokens: Some(0),
                cost: Some(0.5),
                provider_name: Some("A".into()),
                ..Usage::default()
            }
        );
    }

    #[test]
    fn the_document_holds_what_was_reported() {
        assert_eq!(Usage::default().to_json().compact(), "{}");
        let no_number = Usage {
            cost: Some(f64::NAN),
            ..Usage::default()
        };
        assert_eq!(no_number.to_json().compact(), "{}");
        let usage = Usage {
            completion_tokens: Some(0),
            cached_prompt_tokens: Some(7),
            cost: Some(0.25),
            generation_id: Some("g".into()),
            ..Usage::default()
        };
        assert_eq!(
            usage.to_json().compact(),
            r#"{"cached-prompt-tokens":7,"completion-tokens":0,"cost":0.25,"generation-id":"g"}"#
        );
    }
}
