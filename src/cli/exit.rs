//! What the exit status says. The same numbers for every command.

use std::process::ExitCode;

/// The part of `sess help` that explains the status.
pub const HELP: &str = "\
Exit status:
  0    yes, healthy, the same; also when the reader of the output went away
  1    no, damaged, different, nothing matched
  2    could not tell: wrong usage, unreadable, not a transcript
  3    refused: locked by a writer, or data would be lost
  130  interrupted";

/// How a command ended. Ordered from good to bad, so that several files end as the worst of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Yes, healthy, the same.
    Yes,
    /// No, damaged, different, nothing matched.
    No,
    /// It could not be told: wrong usage, unreadable, not a transcript.
    Unknown,
    /// Refused: a writer holds the transcript, or data would be lost.
    Refused,
    /// Interrupted from the keyboard.
    Interrupted,
}

impl Exit {
    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Exit::Yes => 0,
            Exit::No => 1,
            Exit::Unknown => 2,
            Exit::Refused => 3,
            Exit::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Exit; 5] = [
        Exit::Yes,
        Exit::No,
        Exit::Unknown,
        Exit::Refused,
        Exit::Interrupted,
    ];

    #[test]
    fn every_status_has_its_number_and_its_line_in_the_help() {
        assert_eq!(ALL.map(Exit::code), [0, 1, 2, 3, 130]);
        for exit in ALL {
            let start = format!("\n  {:<4} ", exit.code());
            assert!(HELP.contains(&start), "{start:?}");
        }
    }

    #[test]
    fn several_files_end_as_the_worst_of_them() {
        assert_eq!(
            [Exit::Yes, Exit::Unknown, Exit::No].into_iter().max(),
            Some(Exit::Unknown)
        );
        assert!(ALL.is_sorted());
    }
}
