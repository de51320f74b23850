//! System prompts from parts: what surrounds the program, its tools, instruction files.
//!
//! The same input gives the same text. The only things looked up are the platform, the system and
//! the local date, by [`env_block`].

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use crate::{Json, Message};

/// An `## Environment` list: platform, system, date, and further facts in the order of their
/// names. A fact called `platform`, `os` or `date` takes the place of what would be looked up.
///
/// ```
/// use sess::context::prompt::env_block;
/// let block = env_block([("os", "debian 12"), ("platform", "linux (x86_64)"), ("date", "2026-01-02"), ("cwd", "/x")]);
/// assert_eq!(
///     block,
///     "## Environment\n\n- platform: linux (x86_64)\n- os: debian 12\n- date: 2026-01-02\n- cwd: /x",
/// );
/// ```
pub fn env_block<K: Into<String>, V: Into<String>>(
    facts: impl IntoIterator<Item = (K, V)>,
) -> String {
    let mut facts: BTreeMap<String, String> = facts
        .into_iter()
        .map(|(key, value)| (key.into(), value.into()))
        .collect();
    let mut lines = vec!["## Environment\n".to_owned()];
    for key in ["platform", "os", "date"] {
        let value = facts.remove(key).unwrap_or_else(|| look_up(key));
        lines.push(format!("- {key}: {value}"));
    }
    lines.extend(facts.iter().map(|(key, value)| format!("- {key}: {value}")));
    lines.join("\n")
}

fn look_up(key: &str) -> String {
    match key {
        "platform" => platform(),
        "os" => system(),
        _ => today(),
    }
}

fn platform() -> String {
    format!("{} ({})", std::env::consts::OS, std::env::consts::ARCH)
}

/// Name and version of the system, as far as `/etc/os-release` says.
fn system() -> String {
    let text = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let field = |name: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(name));
        value.map(|value| value.trim_matches(['"', '\'']).to_owned())
    };
    let Some(name) = field("ID=") else {
        return "unknown".to_owned();
    };
    let version = field("VERSION_ID=").unwrap_or_default();
    let version = version.strip_prefix('v').unwrap_or(&version);
    format!("{name} {version}").trim_end().to_owned()
}

fn today() -> String {
    chrono::Local::now().format("%Y-%m-%d").to_string()
}

/// A `## Tools` list of declarations in wire shape: what each does and takes, what it requires
/// first. Empty when there is none; declarations without a name are left out.
///
/// ```
/// use sess::Json;
/// use sess::context::prompt::tool_docs;
/// use sess::tool::declaration;
/// let now = declaration("now", "Says the time.", Json::empty_object());
/// assert_eq!(tool_docs(&[now]), "## Tools\n\n### now\nSays the time.\n\nTakes no arguments.");
/// ```
pub fn tool_docs(tools: &[Json]) -> String {
    let docs: Vec<String> = tools.iter().filter_map(tool_doc).collect();
    match docs.is_empty() {
        true => String::new(),
        false => format!("## Tools\n\n{}", docs.join("\n\n")),
    }
}

fn tool_doc(tool: &Json) -> Option<String> {
    let function = tool.get("function")?;
    let name = function.get_str("name").filter(|name| !name.is_empty())?;
    let mut doc = format!("### {name}\n");
    let description = function.get_str("description").unwrap_or_default();
    if !description.trim().is_empty() {
        doc.push_str(description.trim());
        doc.push('\n');
    }
    let parameters = function.get("parameters");
    let lines = parameters.as_ref().map(parameter_docs).unwrap_or_default();
    match lines.is_empty() {
        true => doc.push_str("\nTakes no arguments."),
        false => doc.push_str(&format!("\nParameters:\n{}", lines.join("\n"))),
    }
    Some(doc)
}

fn parameter_docs(parameters: &Json) -> Vec<String> {
    let value = parameters.to_value().unwrap_or_default();
    let Some(properties) = value["properties"].as_object() else {
        return Vec::new();
    };
    let mut order: Vec<&str> = Vec::new();
    let required = value["required"].as_array().into_iter().flatten();
    for name in required.filter_map(|name| name.as_str()) {
        if properties.contains_key(name) && !order.contains(&name) {
            order.push(name);
        }
    }
    let required = order.len();
    let mut rest: Vec<&str> = properties.keys().map(String::as_str).collect();
    rest.retain(|name| !order.contains(name));
    rest.sort_unstable();
    order.extend(rest);
    let lines = order.iter().enumerate();
    lines
        .filter_map(|(index, name)| {
            Some(parameter_doc(
                name,
                properties.get(*name)?,
                index < required,
            ))
        })
        .collect()
}

fn parameter_doc(name: &str, property: &serde_json::Value, required: bool) -> String {
    let types = match &property["type"] {
        serde_json::Value::String(name) => vec![name.as_str()],
        serde_json::Value::Array(names) => names.iter().filter_map(|name| name.as_str()).collect(),
        _ => Vec::new(),
    };
    let mut facts = Vec::new();
    if !types.is_empty() {
        facts.push(types.join("|"));
    }
    if required {
        facts.push("required".to_owned());
    }
    let mut line = format!("- {name}");
    if !facts.is_empty() {
        line.push_str(&format!(" ({})", facts.join(", ")));
    }
    let description = property["description"].as_str().unwrap_or_default().trim();
    if !description.is_empty() {
        line.push_str(&format!(" - {description}"));
    }
    line
}

/// The text of files under their names, in the order given. What is not there, and what is no
/// file, is passed over.
///
/// # Errors
/// When a file is there and cannot be read, or is not UTF-8.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// use sess::context::prompt::instructions_from_files;
/// let path = folder.path().join("AGENTS.md");
/// std::fs::write(&path, "Be brief.\n")?;
/// let missing = folder.path().join("CLAUDE.md");
/// assert_eq!(instructions_from_files([&path, &missing])?, "## AGENTS.md\n\nBe brief.");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn instructions_from_files<P: AsRef<Path>>(
    paths: impl IntoIterator<Item = P>,
) -> io::Result<String> {
    let mut blocks = Vec::new();
    for path in paths {
        let path = path.as_ref();
        if !path.is_file() {
            continue;
        }
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let text = fs::read_to_string(path).map_err(named)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        blocks.push(
            format!("## {name}\n\n{}", text.trim_end())
                .trim_end()
                .to_owned(),
        );
    }
    Ok(blocks.join("\n\n"))
}

/// An identity of nothing but white space.
///
/// ```
/// use sess::context::prompt::{BlankIdentity, assemble};
/// assert_eq!(assemble(" \n", ["## Notes"]), Err(BlankIdentity));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the identity of a system prompt is blank; say who the model is")]
pub struct BlankIdentity;

/// A system prompt: who the model is, and sections behind that, set apart by empty lines. Blank
/// sections are left out. The message survives every compaction.
///
/// ```
/// use sess::context::prompt::assemble;
/// let prompt = assemble("You are terse.", ["", "## Notes\n\nNone."])?;
/// assert_eq!(prompt.content, "You are terse.\n\n## Notes\n\nNone.");
/// assert!(prompt.is_sticky());
/// # Ok::<(), sess::context::prompt::BlankIdentity>(())
/// ```
pub fn assemble<S: AsRef<str>>(
    identity: &str,
    sections: impl IntoIterator<Item = S>,
) -> Result<Message, BlankIdentity> {
    if identity.trim().is_empty() {
        return Err(BlankIdentity);
    }
    let mut text = identity.trim_end().to_owned();
    for section in sections {
        let section = section.as_ref().trim_end();
        if !section.is_empty() {
            text.push_str("\n\n");
            text.push_str(section);
        }
    }
    Ok(Message::system(text).with_sysprompt().with_sticky())
}
