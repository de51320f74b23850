//! The viewer.
//!
//! `command` is `sess view` without a terminal; `screens` compares whole screens with files that were
//! checked by eye, `moving` what keys do, `hunting` what `:` does, `comparing` two transcripts, `living` what a file that changes does, `properties` any of
//! these with any file, `mashing` whatever a hand can do, down to the bytes, which are `own`; `tour` is what the README shows; `terminal` runs the program on a terminal of
//! its own, which is `pty`, and `large` with a file that is larger than memory should be.

#[cfg(feature = "cli")]
mod command;
mod comparing;
mod hunting;
mod kit;
#[cfg(all(target_os = "linux", feature = "cli"))]
mod large;
mod living;
mod mashing;
mod moving;
mod own;
mod properties;
#[cfg(all(unix, feature = "cli"))]
mod pty;
mod screens;
#[cfg(all(unix, feature = "cli"))]
mod terminal;
mod tour;
