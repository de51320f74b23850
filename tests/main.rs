//! The integration tests, linked once. This file is their table of contents; `floors` fails when
//! a file below `tests/` is not reached from here.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    reason = "a failed test is a panic"
)]

// What the tests share: reference data, temporary transcripts, sample files.
mod support;

// The transcripts of `samples/sessions`: what their program makes, and well-formed.
mod samples;

// House rules, read from the sources: the floors, the list below, a doc on top of every file.
mod floors;

// Floor 1: canonical JSON, digests, tool arguments.
mod canonical;

// Looking: two transcripts side by side; a file that grows and is cut, replaced, removed while it
// is followed.
mod diff;
mod follow;
mod index;
mod timeline;

// Looking: compactions and elisions over time.
mod steps;

// Models and tools: the scripted ones, and servers that misbehave.
#[cfg(feature = "agent")]
mod backend;

// How large a request is, how it is made smaller, and what surrounds it.
#[cfg(feature = "agent")]
mod context;

// The loop: events, transcripts, limits, cancellation.
#[cfg(feature = "agent")]
mod agent;

// The command: help, exit codes, wiring.
#[cfg(feature = "cli")]
mod cli;

// The viewer: its state, its screens, and the program on a terminal.
#[cfg(feature = "view")]
mod view;

// What survives: files cut at every byte, failing operations, killed processes, full disks.
mod crash;

// Floor 2: the answers of another implementation to 492 files, and to every cut of two more.
mod reference;

// Floor 2: the scenarios of the session layer.
mod session;

// The README's commands.
#[cfg(all(unix, feature = "cli"))]
mod readme;
