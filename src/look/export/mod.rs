//! A transcript as a document for people who have no `sess`: Markdown, or one HTML file that needs
//! nothing else.
//!
//! Both are written entry by entry, so memory does not grow with the transcript. What a transcript
//! holds is text here and nothing else: in HTML it is escaped, in Markdown it makes no markup but its
//! own, and control characters are [visible](super::visible) in both.

mod document;
mod html;
mod markdown;
mod section;

pub use document::{Export, Format};
