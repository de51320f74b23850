//! Closed sets of words: an enum whose variants have the exact names of the wire.

/// A word outside its set.
///
/// ```
/// use sess::agent::event::ResumeReason;
/// let error = "never".parse::<ResumeReason>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     r#""never" is no ResumeReason; it is one of completion, steer, cancelled, idle"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is no {set}; it is one of {allowed}")]
pub struct UnknownWord {
    word: String,
    set: &'static str,
    allowed: String,
}

impl UnknownWord {
    pub(in crate::agent) fn new(word: &str, set: &'static str, allowed: String) -> Self {
        let word = word.to_owned();
        Self { word, set, allowed }
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// Every one of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word in events and results.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::agent::words::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|known| known.as_str() == word).ok_or_else(|| {
                    let allowed: Vec<&str> = Self::ALL.iter().map(|known| known.as_str()).collect();
                    Self::Err::new(word, stringify!($name), allowed.join(", "))
                })
            }
        }
    };
}

pub(in crate::agent) use words;
