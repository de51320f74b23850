//! What is asked of a model besides the conversation.

use crate::Json;

/// The model and how it is to answer.
///
/// The defaults are those of the reference. **The cap on an answer is 256 tokens by default**: an
/// agent wants far more, and must say so.
///
/// ```
/// use sess::backend::http::{ReasoningEffort, Settings};
/// let settings = Settings {
///     temperature: 0.0,
///     reasoning_effort: Some(ReasoningEffort::Low),
///     ..Settings::new("gpt-5", 16_384)
/// };
/// assert_eq!(settings.max_tokens, 16_384);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The model's name; left out for a server of a single model.
    pub model: Option<String>,
    /// The most tokens an answer may have; 0 leaves it to the server.
    pub max_tokens: u64,
    /// How many tokens a request and its answer may have. Only for servers that are told.
    pub max_context: u64,
    /// Randomness; 0 for none.
    pub temperature: f64,
    /// Choose among the likeliest tokens of this total probability.
    pub top_p: f64,
    /// Choose among this many of the likeliest tokens; `None` leaves the field out, for the servers
    /// that refuse to see it.
    pub top_k: Option<u64>,
    /// Choose among tokens at least this likely, relative to the likeliest.
    pub min_p: f64,
    /// Locally typical sampling.
    pub typical_p: f64,
    /// Makes tokens that occurred less likely, by a factor.
    pub repetition_penalty: f64,
    /// How many tokens back the repetition penalty looks.
    pub repetition_range: u64,
    /// Makes tokens less likely the more often they occurred.
    pub frequency_penalty: f64,
    /// Makes tokens that occurred less likely, by a fixed amount.
    pub presence_penalty: f64,
    /// Exclude top choices: how often.
    pub xtc_probability: f64,
    /// Exclude top choices: above which probability.
    pub xtc_threshold: f64,
    /// Don't repeat yourself: repetitions up to this length are free.
    pub dry_allowed_length: u64,
    /// Don't repeat yourself: strength, 0 for off.
    pub dry_multiplier: f64,
    /// Don't repeat yourself: growth with the length of the repetition.
    pub dry_base: f64,
    /// Don't repeat yourself: texts that end a repetition.
    pub dry_sequence_breakers: Vec<String>,
    /// Texts that end an answer.
    pub stop: Vec<String>,
    /// Whether a stream is asked to end with its usage (`stream_options`). Off by default: many
    /// servers report it unasked, and one gateway is known to hang when it is asked.
    pub ask_for_usage: bool,
    /// How much a model reasons. Only for gateways that are told.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// The JSON schema an answer must follow.
    pub json_schema: Option<Json>,
    /// The name the schema goes by.
    pub json_schema_name: String,
}

/// How much a model is to reason before it answers.
///
/// ```
/// use sess::backend::http::ReasoningEffort;
/// assert_eq!(ReasoningEffort::High.as_str(), "high");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningEffort {
    /// Not at all.
    None,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

impl ReasoningEffort {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            ReasoningEffort::None => "none",
            ReasoningEffort::Low => "low",
            ReasoningEffort::Medium => "medium",
            ReasoningEffort::High => "high",
        }
    }
}

impl Settings {
    /// The defaults with this model and this cap on an answer, in tokens.
    pub fn new(model: impl Into<String>, max_tokens: u64) -> Self {
        Self {
            model: Some(model.into()),
            max_tokens,
            ..Self::default()
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            model: None,
            max_tokens: 256,
            max_context: 16_384,
            temperature: 1.0,
            top_p: 1.0,
            top_k: Some(200),
            min_p: 0.0,
            typical_p: 1.0,
            repetition_penalty: 1.0,
            repetition_range: 0,
            frequency_penalty: 0.0,
            presence_penalty: 0.0,
            xtc_probability: 0.0,
            xtc_threshold: 0.0,
            dry_allowed_length: 2,
            dry_multiplier: 0.0,
            dry_base: 1.75,
            dry_sequence_breakers: ["\n", ":", "\"", "*"].map(str::to_owned).to_vec(),
            stop: Vec::new(),
            ask_for_usage: false,
            reasoning_effort: None,
            json_schema: None,
            json_schema_name: "response".to_owned(),
        }
    }
}
