//! Identifiers, as opaque text.
//!
//! This crate writes UUID version 4 (lower case, hyphenated); what it reads may be any string, so
//! an id is never parsed. A copy of one costs no memory. Each kind has its own type, because an operation id and a call id in the
//! same place are two different questions.

use std::fmt;
use std::sync::Arc;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The id as it stands in the transcript.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.as_str().to_owned()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

text_id! {
    /// The `id` of one line. A message, a summary and an operation are all known by the id of the
    /// line that brought them.
    ///
    /// ```
    /// use sess::id::EnvelopeId;
    /// // Whatever stands in a file is an id; nothing is parsed.
    /// assert_eq!(EnvelopeId::from("m-1").as_str(), "m-1");
    /// assert_eq!(EnvelopeId::fresh().as_str().len(), 36);
    /// ```
    EnvelopeId
}

text_id! {
    /// A tool operation: the id of its `tool-dispatched` line.
    ///
    /// ```
    /// use sess::id::{EnvelopeId, OpId};
    /// let line = EnvelopeId::from("d-1");
    /// assert_eq!(OpId::from(line).as_str(), "d-1");
    /// ```
    OpId
}

text_id! {
    /// The model's own id for a tool call. Models reuse them, so it is no key for a whole transcript.
    ///
    /// ```
    /// use sess::id::CallId;
    /// assert_eq!(CallId::from("call_0").to_string(), "call_0");
    /// ```
    CallId
}

text_id! {
    /// One run of the agent loop.
    ///
    /// ```
    /// use sess::id::RunId;
    /// assert_ne!(RunId::fresh(), RunId::fresh());
    /// ```
    RunId
}

macro_rules! fresh_id {
    ($($name:ident)*) => {$(
        impl $name {
            /// A fresh random id (UUID version 4).
            pub fn fresh() -> Self {
                let mut text = uuid::Uuid::encode_buffer();
                Self::from(&*uuid::Uuid::new_v4().hyphenated().encode_lower(&mut text))
            }
        }
    )*};
}

fresh_id!(EnvelopeId OpId RunId);

impl From<EnvelopeId> for OpId {
    fn from(id: EnvelopeId) -> Self {
        Self(id.0)
    }
}
