//! The session layer.

mod file;
mod operations;
mod place;
mod replay;
mod tail;
