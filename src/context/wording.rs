//! What is said to models about conversations that were made smaller.

/// Begins the message that stands for earlier ones. A wire constant: transcripts hold it.
pub const SUMMARY_HEADER: &str = "[Conversation summary — earlier turns compacted]";

/// What every stub of a tool result begins with.
pub const STUB_PREFIX: &str = "[elided by the harness: ";

/// What a summariser is told.
pub(super) const INSTRUCTION: &str = "\
Condense the central stretch of an agent's history, given as a transcript, so that it takes far less \
room in the context window. Be dense and factual. Use these four headings, in this order:

GOALS: what the user asked for, with every limit and taste they expressed.
DECISIONS: what was settled or found out, and the reasons.
FILES AND COMMANDS: every path that was touched and every command that was run, with its result.
UNRESOLVED: what is open, broken or put off.

Leave out a heading with nothing under it. Write nothing before the first heading and nothing after \
the last, and make nothing up. Quote identifiers literally rather than paraphrase: paths, names, \
error texts. You write for the assistant that takes over, not for a person.";

/// What it is told on top when its first answer saved nothing.
pub(super) const TIGHTEN: &str = "\
YOUR EARLIER ATTEMPT WAS TOO LONG: it saved no space, and saving space is its only purpose. Write a \
much smaller one, no more than 25 % of the size of the transcript. Give up detail before headings. \
Identifiers stay. About one terse line for each fact.";

/// Why earlier messages were dropped without a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// Nobody answered, or nobody was to be asked.
    Unreachable,
    /// The answers were no shorter than what they were to replace.
    TooLong,
    /// The run was cancelled while it waited.
    Cancelled,
}

/// Stands for messages that were dropped without a summary.
///
/// Without the number each note has 206 characters, as the reference's has: sizes do not depend
/// on the cause.
pub(super) fn note(loss: Loss, dropped: usize) -> String {
    let cause = match loss {
        Loss::Unreachable => "The summarizer could not be reached, so there is no summary here.",
        Loss::TooLong => "Every summary offered here was too long to save any space at all.",
        Loss::Cancelled => "The summary was called off before it was ready, so there is none.",
    };
    format!(
        "{cause} {dropped} earlier message(s) were removed, and what they said is lost to you. If needed, turn to the user and ask; do not invent what is missing now."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_says_why_how_many_and_what_to_do() {
        for loss in [Loss::Unreachable, Loss::TooLong, Loss::Cancelled] {
            for (dropped, length) in [(7, 207), (12, 208)] {
                let note = note(loss, dropped);
                assert_eq!(note.chars().count(), length);
                for words in [&dropped.to_string(), "lost", "user", "do not invent"] {
                    assert!(note.contains(words));
                }
            }
        }
        assert!(note(Loss::Unreachable, 1).contains("could not be reached"));
        assert!(!note(Loss::TooLong, 1).contains("reached"));
    }

    #[test]
    fn a_summariser_is_told_what_matters() {
        let places = ["GOALS", "DECISIONS", "FILES AND COMMANDS", "UNRESOLVED"]
            .map(|heading| INSTRUCTION.find(heading).unwrap());
        assert!(places.is_sorted());
        for words in [
            "dense",
            "limit",
            "reasons",
            "make nothing up",
            "literally",
            "takes over",
        ] {
            assert!(INSTRUCTION.contains(words), "{words}");
        }
        for words in ["TOO LONG", "25 %", "Identifiers stay", "one terse line"] {
            assert!(TIGHTEN.contains(words), "{words}");
        }
        assert_eq!(SUMMARY_HEADER.chars().count(), 48);
        assert_eq!(STUB_PREFIX.chars().count(), 24);
    }
}
