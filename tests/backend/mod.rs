//! Backends and tools.

// The scripted backend, the life of a response.
mod scripted;

// The scripted provider, tools of closures.
mod tools;
