//! Chooses entries.

use regex::Regex;

use crate::Role;
use crate::look::entry::Entry;

/// The filters of a command. Several of one kind mean any of them, different kinds all of them.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Filters")]
pub struct Filter {
    /// Only entries of this type, such as `message` or `compaction`
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,
    /// Only messages of this role: system, user, assistant or tool
    #[arg(long = "role", value_name = "ROLE")]
    roles: Vec<Role>,
    /// Only calls of this tool and their answers
    #[arg(long = "tool", value_name = "NAME")]
    tools: Vec<String>,
    /// Only entries whose text matches this regular expression
    ///
    /// Looked through are the texts of messages, their reasoning, calls and arguments, summaries,
    /// stubs, outcomes and errors; of lines of other types the payload, of damaged ones the bytes.
    #[arg(long, value_name = "REGEX")]
    grep: Option<Regex>,
}

impl Filter {
    /// Whether every entry passes.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
            && self.roles.is_empty()
            && self.tools.is_empty()
            && self.grep.is_none()
    }

    /// Whether an entry passes.
    pub fn lets_through(&self, entry: &Entry<'_>) -> bool {
        self.by_type(entry) && self.by_role(entry) && self.by_tool(entry) && self.by_text(entry)
    }

    fn by_type(&self, entry: &Entry<'_>) -> bool {
        let type_name = entry.type_name();
        self.types.is_empty()
            || self
                .types
                .iter()
                .any(|name| type_name.as_deref() == Some(name))
    }

    fn by_role(&self, entry: &Entry<'_>) -> bool {
        let role = entry.role();
        self.roles.is_empty() || role.is_some_and(|role| self.roles.contains(&role))
    }

    fn by_tool(&self, entry: &Entry<'_>) -> bool {
        self.tools.is_empty() || entry.tools().iter().any(|tool| self.tools.contains(tool))
    }

    fn by_text(&self, entry: &Entry<'_>) -> bool {
        let Some(grep) = &self.grep else {
            return true;
        };
        entry.texts().iter().any(|text| grep.is_match(text))
    }
}
