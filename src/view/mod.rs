//! The viewer: a transcript of any size, live or finished, on a whole screen. It only ever reads.
//!
//! [`App`] is the state, and knows no terminal: actions and the growth of the file go in, rows of
//! [`Styled`](styled::Styled) text come out. [`draw`](draw::draw) puts them on a screen as a
//! function of that state, and [`run()`] drives both from a real terminal.
//!
//! - `file` knows where lines are, from both ends until the index (`blocks`) has come all the way;
//!   `rows` says which of them are shown, `scroll` where the screen stands over them, `jump` where
//!   keys lead;
//! - `overview` (what the whole file amounts to), `links` (which lines belong to one call), `seen`
//!   (what the model would be sent), `search`, `filter` and `hunt` (a place by its id) read in steps of a few milliseconds, so
//!   that keys are never kept waiting;
//! - `layout` makes an entry's lines, with `card` for a call and [`body`] for what is unfolded;
//!   `header` makes what stands around the list, `popup` what lies over it, `prompt` the line one
//!   types in;
//! - [`Compare`] is the state of two transcripts beside each other, and a [`Stage`] is what a screen
//!   can show: either of the two;
//! - `keys` holds the tables of keys, from which the help is made;
//! - `terminal` and `wait` are the two ends of a real terminal, `outside` what leaves the viewer.

pub mod action;
pub mod body;
pub mod draw;
pub mod keys;
pub mod styled;
pub mod theme;

mod app;
mod blocks;
mod card;
mod compare;
mod file;
mod filter;
mod header;
mod hunt;
mod jump;
mod laid;
mod layout;
mod links;
mod outside;
mod overview;
mod popup;
mod prompt;
mod rows;
mod run;
mod scroll;
mod search;
mod seen;
mod stage;
mod terminal;
mod wait;

pub use app::App;
pub use compare::{Compare, Compared};
pub use run::{Options, compare, run};
pub use stage::Stage;
pub use terminal::Screen;
