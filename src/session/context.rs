//! Run contexts as a transcript records them: what surrounded each run, each section's body once.

use std::collections::HashMap;

use super::envelope::{kind_of, present, string};
use super::record::RunContextRecord;
use super::text::text_of;
use super::write::LineWriter;
use crate::canonical::{Json, elements, members, unescape};
use crate::id::{EnvelopeId, RunId};

/// One `run-context` line.
///
/// ```
/// use sess::Session;
/// let healthy = Session::replay("samples/sessions/healthy.jsonl")?;
/// for context in healthy.run_contexts() {
///     println!("{}: {} facts, {} sections", context.run_id, context.facts.len(), context.sections.len());
/// }
/// assert_eq!(healthy.run_contexts().len(), 1);
/// # Ok::<(), sess::session::LoadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedContext {
    /// The id of the line.
    pub id: EnvelopeId,
    /// Its time stamp.
    pub ts: String,
    /// The run.
    pub run_id: RunId,
    /// Digest of the context.
    pub digest: String,
    /// In render order.
    pub facts: Vec<(String, String)>,
    /// In render order.
    pub sections: Vec<RecordedSection>,
}

/// One section as recorded: `{name, digest, rendered}` or `{name, digest, rendered-in}`, each value
/// as the line holds it. A key that is missing is `None`.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// use sess::session::{RunContextRecord, SectionRecord};
/// use sess::{Json, Session};
/// let session = Session::create(&path, Json::empty_object())?;
/// let rules = SectionRecord {
///     name: "rules".into(),
///     digest: "3c…".into(),
///     rendered: "Be brief.".into(),
/// };
/// for run in ["run-1", "run-2"] {
///     session.append_run_context(&RunContextRecord {
///         run_id: run.into(),
///         digest: "9f…".into(),
///         facts: vec![],
///         sections: vec![rules.clone()],
///     })?;
/// }
/// let replayed = Session::replay(&path)?;
/// let [first, second] = replayed.run_contexts() else { panic!("two runs") };
/// assert_eq!(first.sections[0].rendered, Some(Json::string("Be brief.")));
/// // The second points to the line that carries the body.
/// assert_eq!(second.sections[0].rendered, None);
/// assert_eq!(second.sections[0].rendered_in, Some(Json::string(first.id.as_str())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedSection {
    /// What the section is called.
    pub name: Option<Json>,
    /// Digest of name and text.
    pub digest: Option<Json>,
    /// The body, when this line carries it.
    pub rendered: Option<Json>,
    /// The id of the line that carries the body.
    pub rendered_in: Option<Json>,
}

impl RecordedContext {
    /// Reads a payload. Whatever is unrecognisable is skipped; nothing is an error.
    pub(crate) fn of(id: &str, ts: &str, payload: &str) -> Self {
        Self {
            id: id.into(),
            ts: ts.to_owned(),
            run_id: present(payload, "run-id")
                .map(text_of)
                .unwrap_or_default()
                .into(),
            digest: present(payload, "digest").map(text_of).unwrap_or_default(),
            facts: list(payload, "facts").filter_map(fact).collect(),
            sections: list(payload, "sections").filter_map(section).collect(),
        }
    }

    /// The digest and body of each section whose body stands in this line.
    fn bodies(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.sections.iter().filter_map(|section| {
            let digest = section.digest.as_ref()?.as_str()?.into_owned();
            let body = section.rendered.as_ref()?.as_str()?.into_owned();
            (!digest.is_empty()).then_some((digest, body))
        })
    }
}

fn list<'a>(payload: &'a str, key: &str) -> impl Iterator<Item = &'a str> {
    present(payload, key)
        .and_then(elements)
        .into_iter()
        .flatten()
}

fn fact(row: &str) -> Option<(String, String)> {
    let cells: Vec<&str> = elements(row)?.collect();
    match cells[..] {
        [key, value] => Some((text_of(key), text_of(value))),
        _ => None,
    }
}

fn section(item: &str) -> Option<RecordedSection> {
    if kind_of(item) != "object" {
        return None;
    }
    let mut section = RecordedSection::default();
    for (key, value) in members(item)? {
        let slot = match unescape(key).text.as_ref() {
            "name" => &mut section.name,
            "digest" => &mut section.digest,
            "rendered" => &mut section.rendered,
            "rendered-in" => &mut section.rendered_in,
            _ => continue,
        };
        *slot = Some(Json::from_valid(value));
    }
    Some(section)
}

/// The contexts of a transcript, and where each section's body stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contexts {
    recorded: Vec<RecordedContext>,
    /// Digest to the carrier line and the body; the first carrier wins.
    bodies: HashMap<String, (EnvelopeId, String)>,
}

impl Contexts {
    pub(crate) fn recorded(&self) -> &[RecordedContext] {
        &self.recorded
    }

    pub(crate) fn body(&self, digest: &str) -> Option<&str> {
        self.bodies.get(digest).map(|(_, body)| body.as_str())
    }

    pub(crate) fn apply(&mut self, id: &str, ts: &str, payload: &str) {
        let context = RecordedContext::of(id, ts, payload);
        for (digest, body) in context.bodies() {
            self.bodies
                .entry(digest)
                .or_insert_with(|| (context.id.clone(), body));
        }
        self.recorded.push(context);
    }

    /// Writes a context as the payload of the line `id`, leaving out the bodies that stand
    /// elsewhere, or earlier in this same line.
    pub(crate) fn write(&self, line: &mut LineWriter, record: &RunContextRecord, id: &str) {
        line.text("digest", &record.digest);
        let facts: Vec<Json> = record
            .facts
            .iter()
            .map(|(key, value)| Json::array([Json::string(key), Json::string(value)]))
            .collect();
        line.list("facts", &facts);
        line.text("run-id", record.run_id.as_str());
        let mut here: Vec<&str> = Vec::new();
        let mut sections = Vec::with_capacity(record.sections.len());
        for section in &record.sections {
            let digest = section.digest.as_str();
            let body = match self.bodies.get(digest) {
                Some((carrier, _)) => ("rendered-in", Json::string(carrier.as_str())),
                None if here.contains(&digest) => ("rendered-in", Json::string(id)),
                None => ("rendered", Json::string(&section.rendered)),
            };
            here.push(digest);
            sections.push(Json::object([
                ("digest", Json::string(digest)),
                ("name", Json::string(&section.name)),
                body,
            ]));
        }
        line.list("sections", &sections);
    }
}

/// A string field's text, for a section of any writer.
pub fn section_text(field: &Option<Json>) -> Option<String> {
    field
        .as_ref()
        .and_then(|json| string(json.text()).map(|text| text.into_owned()))
}
