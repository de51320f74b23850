//! The lines of a transcript as entries: what each is, and what it says in one line.
//!
//! [`Entries`] turns lines, in file order, into [`Entry`] values. An entry borrows from its line and
//! decodes nothing until it is asked to: [`Entry::phrase`] looks at the beginning of each text only,
//! so that a row for a line of many megabytes costs no more than another; [`Entry::texts`] gives
//! the whole texts. Everything an entry holds is as it stands in the file; what `phrase` returns has
//! passed [`visible`](super::visible).
//!
//! - `line` makes the entries, `mark` is what makes one stand out, `call` one call of a message, and
//!   `calls` remembers which tool a call was of;
//! - `text` is a text that lies undecoded in a line;
//! - `phrase` builds a row out of pieces, `say` words one for each kind of entry.

mod call;
mod calls;
mod line;
mod mark;
mod phrase;
mod say;
mod text;

pub use call::{CallView, calls_of};
pub use calls::Calls;
pub use line::{Entries, Entry, What};
pub use mark::Mark;
pub use phrase::arguments;
pub use text::Text;
