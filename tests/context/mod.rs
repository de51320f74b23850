//! How large a request is, how it is made smaller, and what surrounds it.

mod artifacts;
mod counters;
mod kit;
mod run_context;
