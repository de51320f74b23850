//! The loop, told through its events, its transcripts and what its backends were sent. The numbers
//! in the comments are those of the acceptance scenarios.

mod artifacts;
mod basic;
mod cancel;
mod compacting;
mod config;
mod dispatch;
mod embedding;
mod events;
mod grants;
mod groups;
mod handle;
mod hooks;
mod hostile;
#[cfg(feature = "http")]
mod kills;
mod kit;
mod length;
mod long_memory;
mod long_run;
mod measuring;
mod panics;
mod park;
mod pass_kills;
#[cfg(feature = "http")]
mod peers;
mod policy;
mod properties;
mod refusals;
mod resume;
mod retry;
#[cfg(feature = "http")]
mod sample;
mod spending;
mod steering;
mod tools;
mod turns;
mod windows;
mod worked;
