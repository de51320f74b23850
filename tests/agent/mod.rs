//! The loop, told through its events, its transcripts and what its backends were sent. The numbers
//! in the comments are those of the acceptance scenarios.

mod basic;
mod cancel;
mod dispatch;
mod groups;
mod kit;
mod retry;
mod steering;
mod tools;
mod turns;
