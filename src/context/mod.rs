//! What a request is made of besides the conversation, and how large it may be.
//!
//! [`TokenCounter`] measures, [`RequestBudget`] says how much room there is and what a run may
//! spend, [`Compactor`] makes a conversation smaller, [`RunContext`] is what surrounds one run, and
//! [`ArtifactStore`] keeps what is too long to be shown to the model in full.
//!
//! Nothing here knows who asks or which model answers.

mod aging;
pub mod artifact;
pub mod budget;
pub mod compactor;
pub mod counter;
mod cut;
pub mod excerpt;
pub mod heuristic;
#[cfg(feature = "tokenizers")]
pub mod huggingface;
pub mod options;
pub mod prompt;
pub mod run_context;
pub mod spent;
pub mod summarising;
pub mod summary;
#[cfg(feature = "tokens")]
pub mod template;
#[cfg(feature = "tokens")]
pub mod tokens;
pub mod usage;
pub mod wording;

pub use aging::stub;
pub use artifact::{Artifact, ArtifactStore, FolderStore, artifact_name};
pub use budget::{BudgetError, Cap, Profile, RequestBudget, Tripped};
pub use compactor::{Compacted, CompactionRequest, Compactor, Target};
pub use counter::{RequestView, TokenCounter, UsageReport, default_counter};
pub use excerpt::{Excerpt, excerpt, stored_marker, unstored_marker};
pub use heuristic::HeuristicCounter;
#[cfg(feature = "tokenizers")]
pub use huggingface::{HuggingFace, TokenizerError};
pub use options::{CompactorError, CompactorOptions};
pub use run_context::{RunContext, UnnamedEntry};
pub use spent::Spent;
pub use summarising::SummarisingCompactor;
pub use summary::{Summariser, Summary, SummaryFailure, SummaryRequest};
#[cfg(feature = "tokens")]
pub use template::{ChatTemplate, JinjaTemplate, Layout, TemplateError};
#[cfg(feature = "tokens")]
pub use tokens::{TemplateCounter, Tiktoken, Tokenizer};
pub use usage::{Calibration, Reported, UsageCounter};
pub use wording::{STUB_PREFIX, SUMMARY_HEADER};
