//! What making a call twice does. It is recorded with each call, for whoever picks up after a
//! crash; the loop itself repeats nothing because of it.

use crate::agent::words::words;
use crate::canonical::ToolPattern;

words! {
    /// What making a call twice does.
    ///
    /// ```
    /// use sess::agent::Idempotency;
    /// assert_eq!(Idempotency::ReadOnly.as_str(), "read-only");
    /// assert_eq!("destructive".parse(), Ok(Idempotency::Destructive));
    /// ```
    Idempotency {
        /// Nothing: it only reads.
        ReadOnly = "read-only",
        /// The same as making it once.
        Idempotent = "idempotent",
        /// More harm.
        Destructive = "destructive",
        /// Nobody says.
        Unknown = "unknown",
    }
}

/// The class of the tools a pattern speaks of.
///
/// ```
/// use sess::agent::{Idempotency, IdempotencyRule};
/// use sess::canonical::ToolPattern;
/// let rule = IdempotencyRule { tool: ToolPattern::new("fs_*")?, class: "destructive".parse()? };
/// assert_eq!(rule.class, Idempotency::Destructive);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyRule {
    /// Which tools.
    pub tool: ToolPattern,
    /// Their class.
    pub class: Idempotency,
}

/// The class of a tool: the first rule that speaks of it decides.
pub(in crate::agent) fn classify(rules: &[IdempotencyRule], tool: &str) -> Idempotency {
    rules
        .iter()
        .find(|rule| rule.tool.matches(tool))
        .map_or(Idempotency::Unknown, |rule| rule.class)
}

#[cfg(test)]
mod tests {
    use super::*;

    // 12.9-95
    #[test]
    fn the_first_rule_that_matches_decides() {
        let rule = |tool: &str, class| IdempotencyRule {
            tool: ToolPattern::new(tool).unwrap(),
            class,
        };
        let rules = [
            rule("fs_read", Idempotency::ReadOnly),
            rule("fs_*", Idempotency::Destructive),
        ];
        assert_eq!(classify(&rules, "fs_read"), Idempotency::ReadOnly);
        assert_eq!(classify(&rules, "fs_write"), Idempotency::Destructive);
        assert_eq!(classify(&rules, "task"), Idempotency::Unknown);
        assert!("harmless".parse::<Idempotency>().is_err());
    }
}
