//! Following a file that another process writes.
//!
//! [`Follower`] gives whole lines as they get their newline, and says what happened to the file
//! between them: cut, replaced, removed, back again. It opens the file for reading only, takes no
//! lock, and reads by plain reads, never through a map, because the file may shrink at any moment.
//!
//! - `bell` waits: a watcher on the *folder*, which survives a rename over the file, with a poll
//!   beside it for what no watcher reports (network file systems, an exhausted inotify limit).
//! - `window` holds the bytes read: a stretch of the lines already given, then the half line.
//! - `file` opens, identifies and reads.
//!
//! That a file is still the one that was read is never taken on trust: every look reads the last
//! bytes again, and goes on only if they are the same. A file cut to nothing and grown past the old
//! end between two looks is seen this way. Where they differ, reading goes on after the last line
//! that is the same on both sides. So a repair, which renames a copy with the same beginning over
//! the file, repeats nothing, and a half line that was taken back is never given.

mod bell;
mod event;
mod file;
mod follower;
mod window;

pub use bell::Waker;
pub use event::{Ending, Event, FollowError, Line};
pub use follower::{Follower, Start, Wait};
