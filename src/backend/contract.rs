//! [`Backend`], the contract of everything that answers as a model, and what it is asked.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::{BackendError, Response, ResponseHandle, ResponseStream};
use crate::{Json, Message};

/// Something that answers a conversation as a model does.
///
/// ```
/// use futures_util::FutureExt;
/// use futures_util::future::BoxFuture;
/// use sess::Message;
/// use sess::backend::{Backend, BackendError, Request, Response, ResponseHandle, ResponseStream};
///
/// /// Answers with what it was asked.
/// struct Echo;
///
/// impl Backend for Echo {
///     fn model(&self) -> Option<String> {
///         Some("echo".into())
///     }
///     fn max_tokens(&self) -> Option<u64> {
///         None
///     }
///     fn stream(&self, request: Request) -> BoxFuture<'_, Result<ResponseStream, BackendError>> {
///         let (writer, stream) = ResponseHandle::open("echo-1");
///         let last = request.messages.last();
///         writer.push_text(last.map_or("", |message| message.content.as_str()));
///         writer.set_finish_reason("stop");
///         writer.finish();
///         async { Ok(stream) }.boxed()
///     }
///     fn complete(&self, request: Request) -> BoxFuture<'_, Response> {
///         let stream = self.stream(request);
///         async {
///             match stream.await {
///                 Ok(stream) => stream.handle.settled().await,
///                 Err(_) => Response::default(),
///             }
///         }
///         .boxed()
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let response = Echo.complete(Request::new([Message::user("Hi")])).await;
/// assert_eq!((response.is_success(), response.text.as_str()), (true, "Hi"));
/// # });
/// ```
pub trait Backend: Send + Sync {
    /// The model's name; `None` where it is not known.
    fn model(&self) -> Option<String>;

    /// The most tokens an answer may have. `None` and 0 both mean that this backend does not say.
    fn max_tokens(&self) -> Option<u64>;

    /// Asks for an answer as it is made. The stream comes back at once; a failure of the request
    /// itself usually shows as a failed response.
    ///
    /// # Errors
    /// When no request could be made at all.
    fn stream(&self, request: Request) -> BoxFuture<'_, Result<ResponseStream, BackendError>>;

    /// Asks for an answer as a whole and waits until it has settled, well or badly. Dropping the
    /// future gives up the request.
    fn complete(&self, request: Request) -> BoxFuture<'_, Response>;

    /// Settles a response as cancelled, at once, and stops its production. Does nothing to one
    /// that has settled, and may be called any number of times.
    fn cancel(&self, response: &ResponseHandle) {
        response.cancel();
    }
}

/// What a model is asked.
///
/// ```
/// use sess::backend::Request;
/// use sess::tool::declaration;
/// use sess::{Json, Message};
/// let read = declaration("read", "Reads a file.", Json::empty_object());
/// let request = Request::new([Message::user("Read it.")]).with_tools(vec![read]);
/// assert_eq!((request.messages.len(), request.tools.len()), (1, 1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The conversation, oldest first.
    pub messages: Vec<Arc<Message>>,
    /// The tools that may be called, each in the shape
    /// `{"type":"function","function":{"name","description","parameters"}}`; may be none.
    pub tools: Vec<Json>,
}

impl Request {
    /// A request without tools.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self {
            messages: messages.into_iter().map(Arc::new).collect(),
            tools: Vec::new(),
        }
    }

    /// The same request with these tools.
    pub fn with_tools(mut self, tools: Vec<Json>) -> Self {
        self.tools = tools;
        self
    }
}
