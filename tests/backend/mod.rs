//! Backends and tools.

// The scripted backend, the life of a response.
mod scripted;

// The scripted provider, tools of closures.
mod tools;

// Canned answers.
mod mock;

// Over HTTP: what the tests below share.
#[cfg(feature = "http")]
mod client;

// Streams of real servers, recorded.
#[cfg(feature = "http")]
mod recorded;

// How streams and whole answers are read.
#[cfg(feature = "http")]
mod endings;
#[cfg(feature = "http")]
mod frames;
#[cfg(feature = "http")]
mod streams;
#[cfg(feature = "http")]
mod whole;

// Servers that misbehave.
#[cfg(feature = "http")]
mod misbehaving;

// Servers that repeat secrets.
#[cfg(feature = "http")]
mod secrets;

// OpenRouter and KoboldCpp.
#[cfg(feature = "http")]
mod gateways;

// Other people's servers, where they run.
#[cfg(feature = "http")]
mod peers;
