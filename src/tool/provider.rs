//! [`ToolProvider`], the contract of everything that offers tools.

use futures_util::future::BoxFuture;

use super::ToolAnswer;
use crate::Json;

/// Something that declares tools and executes calls to them.
///
/// ```
/// use futures_util::FutureExt;
/// use futures_util::future::BoxFuture;
/// use sess::Json;
/// use sess::tool::{ToolAnswer, ToolError, ToolProvider, declaration};
///
/// /// One tool, which says what it was called with.
/// struct Echo;
///
/// impl ToolProvider for Echo {
///     fn declarations(&self) -> Result<Vec<Json>, ToolError> {
///         Ok(vec![declaration("echo", "Says it again.", Json::empty_object())])
///     }
///     fn execute(&self, calls: Vec<Json>) -> BoxFuture<'static, Result<Vec<Option<ToolAnswer>>, ToolError>> {
///         let answers = calls.iter().map(|call| Some(ToolAnswer::new(call.text()))).collect();
///         async { Ok(answers) }.boxed()
///     }
/// }
/// assert_eq!(Echo.declarations()?.len(), 1);
/// # Ok::<(), ToolError>(())
/// ```
pub trait ToolProvider: Send + Sync {
    /// The tools on offer, each in the shape
    /// `{"type":"function","function":{"name","description","parameters"}}`.
    ///
    /// # Errors
    /// When the catalogue cannot be read.
    fn declarations(&self) -> Result<Vec<Json>, ToolError>;

    /// Executes a batch of calls, given as the model wrote them, so any part of one may be missing
    /// or malformed. Gives one answer for each call, in order; `None` where there is none. A call
    /// that fails is an answer too ([`ToolAnswer::error`]).
    ///
    /// # Errors
    /// When the batch as a whole could not be executed.
    fn execute(
        &self,
        calls: Vec<Json>,
    ) -> BoxFuture<'static, Result<Vec<Option<ToolAnswer>>, ToolError>>;

    /// What the tools have been granted so far, as documents of any shape; `None` for a provider
    /// that knows no grants.
    fn grants(&self) -> Option<Result<Vec<Json>, ToolError>> {
        None
    }
}

/// A provider that failed as a whole.
///
/// ```
/// use sess::tool::ToolError;
/// assert_eq!(ToolError::new("the server is gone").to_string(), "the server is gone");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// What happened.
    pub message: String,
}

impl ToolError {
    /// A failure in these words.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}
