//! How large a request is, how it is made smaller, and what surrounds it.

mod aging;
mod artifacts;
mod compacting;
mod counters;
mod kit;
mod prompt;
mod properties;
mod run_context;
#[cfg(feature = "tokens")]
mod tokens;
