//! Tokenizers as open models come with them: a `tokenizer.json`.

use std::path::Path;
use std::sync::Arc;

use super::tokens::Tokenizer;

/// The tokenizer of a `tokenizer.json`. Clones share it.
///
/// ```no_run
/// use sess::context::{HuggingFace, Layout, TemplateCounter, TokenCounter};
/// # fn example() -> Result<(), sess::context::TokenizerError> {
/// let tokenizer = HuggingFace::from_file("models/smollm2/tokenizer.json")?;
/// let counter = TemplateCounter::new(tokenizer, Layout::ChatMl);
/// println!("{}", counter.count_text("hello world"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct HuggingFace(Arc<tokenizers::Tokenizer>);

/// A `tokenizer.json` that cannot be used.
///
/// ```
/// use sess::context::HuggingFace;
/// let error = HuggingFace::from_bytes("{}").unwrap_err();
/// assert!(error.to_string().starts_with("the document is no tokenizer that can be used"));
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{what} is no tokenizer that can be used: {problem}; take the tokenizer.json of the model")]
pub struct TokenizerError {
    what: String,
    problem: String,
}

impl HuggingFace {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or describes no tokenizer.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, TokenizerError> {
        let path = path.as_ref();
        let read = tokenizers::Tokenizer::from_file(path);
        Self::of(read, || format!("{path:?}"))
    }

    /// Reads a document.
    ///
    /// # Errors
    /// When it describes no tokenizer.
    pub fn from_bytes(document: impl AsRef<[u8]>) -> Result<Self, TokenizerError> {
        let read = tokenizers::Tokenizer::from_bytes(document);
        Self::of(read, || "the document".to_owned())
    }

    fn of(
        read: tokenizers::Result<tokenizers::Tokenizer>,
        what: impl Fn() -> String,
    ) -> Result<Self, TokenizerError> {
        let failed = |error: tokenizers::Error| TokenizerError {
            what: what(),
            problem: error.to_string(),
        };
        let mut tokenizer = read.map_err(failed)?;
        // Both would hide how long a text really is.
        tokenizer.with_truncation(None).map_err(failed)?;
        tokenizer.with_padding(None);
        Ok(Self(Arc::new(tokenizer)))
    }
}

impl Tokenizer for HuggingFace {
    /// A text that the tokenizer refuses weighs as many tokens as it has bytes, which is more than
    /// any tokenizer makes of it.
    fn count(&self, text: &str) -> u64 {
        let encoded = self.0.encode_fast(text, false);
        encoded.map_or(text.len(), |encoded| encoded.len()) as u64
    }
}
