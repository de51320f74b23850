//! Which tools a rule speaks of.

use std::fmt;
use std::str::FromStr;

/// A tool name, or the beginning of one followed by `*`.
///
/// Only a star at the end means anything; inside a pattern it stands for itself. Case matters.
///
/// ```
/// use sess::canonical::ToolPattern;
/// let pattern: ToolPattern = "fs_*".parse()?;
/// assert!(pattern.matches("fs_read"));
/// assert!(!pattern.matches("FS_read"));
/// # Ok::<(), sess::canonical::EmptyPattern>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ToolPattern(String);

impl ToolPattern {
    /// The pattern of this text.
    ///
    /// # Errors
    /// When the text is empty.
    pub fn new(text: impl Into<String>) -> Result<Self, EmptyPattern> {
        match text.into() {
            empty if empty.is_empty() => Err(EmptyPattern),
            text => Ok(Self(text)),
        }
    }

    /// Whether the rule speaks of this tool.
    pub fn matches(&self, tool: &str) -> bool {
        match self.0.strip_suffix('*') {
            Some(beginning) => tool.starts_with(beginning),
            None => tool == self.0,
        }
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ToolPattern {
    type Err = EmptyPattern;

    fn from_str(text: &str) -> Result<Self, EmptyPattern> {
        Self::new(text)
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// A pattern of no characters, which would match only a tool without a name.
///
/// ```
/// use sess::canonical::{EmptyPattern, ToolPattern};
/// assert_eq!(ToolPattern::new(""), Err(EmptyPattern));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a tool pattern is empty; write a tool's name, the beginning of one and *, or * alone")]
pub struct EmptyPattern;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_star_is_special() -> Result<(), EmptyPattern> {
        for (pattern, tool, expected) in [
            ("fs_read", "fs_read", true),
            ("fs_read", "fs_reader", false),
            ("fs_read", "FS_READ", false),
            ("fs_*", "fs_", true),
            ("fs_*", "fs_read", true),
            ("fs_*", "net_fs_read", false),
            ("a*b*", "a*bc", true),
            ("a*b*", "axbc", false),
            ("a*b", "a*b", true),
            ("a*b", "axb", false),
            ("**", "*x", true),
            ("**", "x", false),
            ("*", "", true),
            ("*", "anything", true),
        ] {
            let found = ToolPattern::new(pattern)?.matches(tool);
            assert_eq!(found, expected, "{pattern} {tool}");
        }
        Ok(())
    }

    #[test]
    fn an_empty_pattern_is_refused() {
        assert_eq!(ToolPattern::new(""), Err(EmptyPattern));
    }
}
