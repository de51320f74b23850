//! What survives: every byte at which a file can end, every operation that can fail, killed
//! processes, full disks, two writers at once.

/// Where the files go.
mod place;

/// A disk that fails on command and remembers what was asked of it.
mod faulty;

/// Transcripts that were cut at every byte.
mod every_byte;

/// Every operation of every scenario fails once, or for good.
mod every_operation;

/// What is synced, and when.
mod power;

/// The processes that the tests below start.
#[cfg(unix)]
mod child;

/// Writers that are killed.
#[cfg(unix)]
mod kills;

/// Disks that are full.
#[cfg(unix)]
mod full_disk;

/// More than one writer, and readers beside one.
#[cfg(unix)]
mod writers;

/// What holds for any bytes.
mod invariants;

/// The replay as a plain list.
mod model;

/// Damaged and random transcripts.
mod random;
