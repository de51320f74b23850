//! What surrounds one run (the date, the branch, instruction files): part of each request, and of
//! no conversation.

use std::sync::Arc;

use crate::canonical::digest_of_json;
use crate::session::SectionRecord;
use crate::{Json, Message};

const HEADING: &str = "## Current context";
// Its lines have 181 and 84 characters, so that a context weighs what the reference's does.
const CLOSING: &str = "Where this block and older parts of this conversation disagree about your surroundings, the available tools or the project rules, this block wins, and whatever is older is outdated.\nAll of it is background: neither answer this block nor confirm that you received it.";

/// Facts and sections around a conversation.
///
/// Providers cache requests by their beginning. What stays the same from run to run belongs into
/// the head; what changes, and every fact, stands behind the conversation.
///
/// ```
/// use sess::context::RunContext;
/// let context = RunContext::default().fact("Date", "2026-01-02")?.head("rules", "Be brief.")?;
/// assert_eq!(context.head_text(), Some("Be brief."));
/// assert!(context.tail_text().is_some_and(|tail| tail.contains("- Date: 2026-01-02")));
/// # Ok::<(), sess::context::UnnamedEntry>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunContext {
    facts: Vec<(String, String)>,
    head_sections: Vec<(String, String)>,
    tail_sections: Vec<(String, String)>,
    head: Option<Arc<Message>>,
    tail: Option<Arc<Message>>,
}

/// A fact or section whose name is blank.
///
/// ```
/// use sess::context::RunContext;
/// let error = RunContext::default().fact(" ", "2026-01-02").unwrap_err();
/// assert_eq!(error.to_string(), "a fact of the run context has a blank name; name it");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a {kind} of the run context has a blank name; name it")]
pub struct UnnamedEntry {
    kind: &'static str,
}

impl RunContext {
    /// With one more fact.
    pub fn fact(
        mut self,
        key: impl Into<String>,
        value: impl AsRef<str>,
    ) -> Result<Self, UnnamedEntry> {
        self.facts.push(entry("fact", key, value)?);
        Ok(self.rendered())
    }

    /// With one more section ahead of the conversation.
    pub fn head(
        mut self,
        name: impl Into<String>,
        text: impl AsRef<str>,
    ) -> Result<Self, UnnamedEntry> {
        self.head_sections.push(entry("head section", name, text)?);
        Ok(self.rendered())
    }

    /// With one more section behind the conversation.
    pub fn tail(
        mut self,
        name: impl Into<String>,
        text: impl AsRef<str>,
    ) -> Result<Self, UnnamedEntry> {
        self.tail_sections.push(entry("tail section", name, text)?);
        Ok(self.rendered())
    }

    /// The message ahead of the conversation.
    pub fn head_message(&self) -> Option<&Arc<Message>> {
        self.head.as_ref()
    }

    /// The message behind the conversation.
    pub fn tail_message(&self) -> Option<&Arc<Message>> {
        self.tail.as_ref()
    }

    /// The text ahead of the conversation.
    pub fn head_text(&self) -> Option<&str> {
        self.head.as_ref().map(|message| message.content.as_str())
    }

    /// The text behind the conversation.
    pub fn tail_text(&self) -> Option<&str> {
        self.tail.as_ref().map(|message| message.content.as_str())
    }

    /// Whether it adds nothing to a request.
    pub fn is_empty(&self) -> bool {
        self.head.is_none() && self.tail.is_none()
    }

    /// The facts in order.
    pub fn facts(&self) -> &[(String, String)] {
        &self.facts
    }

    /// The sections as a transcript records them, head first.
    pub fn sections(&self) -> Vec<SectionRecord> {
        let sections = self.head_sections.iter().chain(&self.tail_sections);
        sections
            .map(|(name, text)| SectionRecord {
                name: name.clone(),
                digest: digest_of_json(&row(name, text)).to_string(),
                rendered: text.clone(),
            })
            .collect()
    }

    /// SHA-256 of everything given, in the order given.
    pub fn digest(&self) -> String {
        let rows = |entries: &[(String, String)]| {
            Json::array(entries.iter().map(|(key, value)| row(key, value)))
        };
        let whole = Json::object([
            ("facts", rows(&self.facts)),
            ("head-sections", rows(&self.head_sections)),
            ("tail-sections", rows(&self.tail_sections)),
        ]);
        digest_of_json(&whole).to_string()
    }

    fn rendered(mut self) -> Self {
        self.head = message(spoken(&self.head_sections).map(str::to_owned).collect());
        self.tail = message(self.tail_parts());
        self
    }

    fn tail_parts(&self) -> Vec<String> {
        let sections: Vec<&str> = spoken(&self.tail_sections).collect();
        if self.facts.is_empty() && sections.is_empty() {
            return Vec::new();
        }
        let mut parts = vec![HEADING.to_owned()];
        if !self.facts.is_empty() {
            let lines: Vec<String> = self
                .facts
                .iter()
                .map(|(key, value)| format!("- {key}: {value}"))
                .collect();
            parts.push(lines.join("\n"));
        }
        parts.extend(sections.into_iter().map(str::to_owned));
        parts.push(CLOSING.to_owned());
        parts
    }
}

fn entry(
    kind: &'static str,
    name: impl Into<String>,
    value: impl AsRef<str>,
) -> Result<(String, String), UnnamedEntry> {
    let name = name.into();
    match name.trim().is_empty() {
        true => Err(UnnamedEntry { kind }),
        false => Ok((name, value.as_ref().trim_end().to_owned())),
    }
}

fn spoken(sections: &[(String, String)]) -> impl Iterator<Item = &str> {
    sections
        .iter()
        .map(|(_, text)| text.as_str())
        .filter(|text| !text.trim().is_empty())
}

fn message(parts: Vec<String>) -> Option<Arc<Message>> {
    (!parts.is_empty()).then(|| Arc::new(Message::system(parts.join("\n\n"))))
}

fn row(name: &str, text: &str) -> Json {
    Json::array([Json::string(name), Json::string(text)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_and_tail_sections_stand_behind_the_conversation() -> Result<(), UnnamedEntry> {
        let context = RunContext::default()
            .fact("Branch", "main\n")?
            .fact("Note", "")?
            .tail("memory", "Likes tea.")?
            .tail("blank", "  ")?;
        assert_eq!(context.head_text(), None);
        let expected =
            format!("## Current context\n\n- Branch: main\n- Note: \n\nLikes tea.\n\n{CLOSING}");
        assert_eq!(context.tail_text(), Some(expected.as_str()));
        Ok(())
    }

    #[test]
    fn a_digest_depends_on_order_and_not_on_trailing_space() -> Result<(), UnnamedEntry> {
        let made =
            |first: &str, second: &str| RunContext::default().fact(first, "x")?.fact(second, "x\n");
        assert_eq!(made("a", "b")?.digest(), made("a", "b")?.digest());
        assert_ne!(made("a", "b")?.digest(), made("b", "a")?.digest());
        let trailing = RunContext::default().head("n", "text\n\n")?;
        assert_eq!(
            trailing.digest(),
            RunContext::default().head("n", "text")?.digest()
        );
        Ok(())
    }

    #[test]
    fn nothing_given_is_nothing_rendered() {
        assert!(RunContext::default().is_empty());
        assert_eq!(
            RunContext::default().fact(" ", "x"),
            Err(UnnamedEntry { kind: "fact" })
        );
    }
}
