//! The session layer.

mod bytes;
mod failure;
mod file;
mod operations;
mod place;
mod replay;
mod semantics;
mod tail;
