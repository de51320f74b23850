//! The command as a shell sees it: wiring, help and exit codes. What commands compute is tested
//! below the command.

mod artifacts;
mod check;
mod diff;
mod env;
mod export;
mod frame;
mod hostile;
mod peek;
mod pending;
#[cfg(unix)]
mod pipes;
#[cfg(target_os = "linux")]
mod read_only;
mod refused;
mod repair;
mod replay;
mod resolve;
mod tail;

pub use env::{Ran, TestEnv};
