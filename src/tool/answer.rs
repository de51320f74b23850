//! The answer to one call.

/// What a tool gives back for one call.
///
/// ```
/// use sess::tool::ToolAnswer;
/// assert_eq!(ToolAnswer::from("42"), ToolAnswer::new("42"));
/// assert!(ToolAnswer::error("no such file").is_error);
/// assert!(ToolAnswer::background("started as op-7").background);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolAnswer {
    /// The text for the model.
    pub content: String,
    /// Whether the call failed. The content then says why.
    pub is_error: bool,
    /// Whether the work goes on and this is merely the acknowledgement.
    pub background: bool,
    /// The call this answers, where the provider says so. The model's own id wins over it.
    pub tool_call_id: Option<String>,
}

impl ToolAnswer {
    /// A good answer.
    pub fn new(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            ..Self::default()
        }
    }

    /// A failed call, with the reason.
    pub fn error(content: impl Into<String>) -> Self {
        Self {
            is_error: true,
            ..Self::new(content)
        }
    }

    /// An acknowledgement of work that goes on.
    pub fn background(content: impl Into<String>) -> Self {
        Self {
            background: true,
            ..Self::new(content)
        }
    }
}

impl From<String> for ToolAnswer {
    fn from(content: String) -> Self {
        Self::new(content)
    }
}

impl From<&str> for ToolAnswer {
    fn from(content: &str) -> Self {
        Self::new(content)
    }
}
