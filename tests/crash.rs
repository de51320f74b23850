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
