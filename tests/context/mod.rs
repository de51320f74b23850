//! How large a request is, how it is made smaller, and what surrounds it.
//!
//! The numbers in the comments are those of the acceptance scenarios of the context. Those about the
//! loop say the same as scenarios of the loop, and are tested under the numbers of these:
//!
//! | context | loop | in |
//! |---|---|---|
//! | 68–72 | 146–150 | `agent/budget.rs` |
//! | 73–75, 77, 78 | 151–153, 162 | `agent/budget.rs`, and with the crate's compactor `agent/compacting.rs` |
//! | 76, 100 | 69, 70, 137 | `agent/retry.rs` |
//! | 79–82 | 163, 155, 165, 166 | `agent/budget.rs`, `agent/compacting.rs` |
//! | 83–87, 92 | 154, 156–160, 164 | `agent/budget.rs`, `agent/basic.rs` |
//! | 88–90 | 161 | `agent/config.rs`, `agent/budget.rs` |
//! | 91 | 32 | `agent/basic.rs` |
//! | 93–99, 101 | 129–136, 138–143 | `agent/length.rs` |
//! | 114 | | the rendered text is borrowed: there is no copy to change |
//! | 115–117 | 37–39 | `agent/basic.rs` |
//! | 119 | session 11.6 | `session/`, `context/run_context.rs` |
//! | 121, 123 | | `agent/compacting.rs` |
//!
//! 6 has no wrapper to be tested: a counter is used as it is. 9 and 28 cannot happen, for counters
//! and messages are typed; nor can 118 and 122, for every session takes in contexts, compactions and
//! elisions.

mod aging;
mod artifacts;
mod compacting;
mod counters;
#[cfg(feature = "tokenizers")]
mod huggingface;
mod kit;
mod prompt;
mod properties;
mod run_context;
#[cfg(feature = "tokens")]
mod tokens;
