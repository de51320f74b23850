//! The comparison as one JSON document; `sess help diff` describes it.

use serde::Serialize;

use crate::canonical::Json;
use crate::look::diff::{Call, Counts, Difference, Divergence, Hunk, Item, Kind, Row, words};
use crate::session::Warning;

use super::{Comparison, Named};

/// The document in one line.
pub fn text(comparison: &Comparison, context: usize) -> serde_json::Result<String> {
    let diff = &comparison.diff;
    let divergence = diff.first_divergence();
    let hunks = diff.hunks(context);
    serde_json::to_string(&Document {
        left: SideDoc::of(&comparison.left),
        right: SideDoc::of(&comparison.right),
        same: diff.same(),
        first_divergence: divergence.map(|divergence| DivergenceDoc::of(comparison, divergence)),
        hunks: hunks
            .iter()
            .map(|hunk| HunkDoc::of(comparison, hunk))
            .collect(),
        counts: CountsDoc::of(diff.counts()),
    })
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Document<'a> {
    left: SideDoc<'a>,
    right: SideDoc<'a>,
    same: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_divergence: Option<DivergenceDoc<'a>>,
    hunks: Vec<HunkDoc<'a>>,
    counts: CountsDoc,
}

#[derive(Serialize)]
struct SideDoc<'a> {
    path: String,
    messages: usize,
    warnings: Vec<WarningDoc<'a>>,
}

#[derive(Serialize)]
struct WarningDoc<'a> {
    line: u64,
    offset: u64,
    length: u64,
    kind: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
struct DivergenceDoc<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<ItemDoc<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right: Option<ItemDoc<'a>>,
    differences: Vec<DifferenceDoc>,
}

#[derive(Serialize)]
struct HunkDoc<'a> {
    left: RangeDoc,
    right: RangeDoc,
    rows: Vec<RowDoc<'a>>,
}

#[derive(Serialize)]
struct RangeDoc {
    first: usize,
    count: usize,
}

#[derive(Serialize)]
struct RowDoc<'a> {
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<ItemDoc<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right: Option<ItemDoc<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differences: Vec<DifferenceDoc>,
}

/// Where an item stands and, unless it is the same on both sides, what is in it.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ItemDoc<'a> {
    number: usize,
    line: u64,
    id: &'a str,
    #[serde(rename = "type")]
    type_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<CallDoc<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<&'a str>,
}

#[derive(Serialize)]
struct CallDoc<'a> {
    tool: &'a str,
    arguments: Json,
}

#[derive(Serialize)]
struct DifferenceDoc {
    field: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right: Option<Json>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct CountsDoc {
    equal: usize,
    changed: usize,
    only_left: usize,
    only_right: usize,
}

impl<'a> SideDoc<'a> {
    fn of(side: &'a Named) -> Self {
        Self {
            path: side.name.to_string_lossy().into_owned(),
            messages: side.items.len(),
            warnings: side.warnings.iter().map(WarningDoc::of).collect(),
        }
    }
}

impl<'a> WarningDoc<'a> {
    fn of(warning: &'a Warning) -> Self {
        Self {
            line: warning.line,
            offset: warning.offset,
            length: warning.length,
            kind: warning.kind.as_str(),
            message: &warning.message,
        }
    }
}

impl<'a> DivergenceDoc<'a> {
    fn of(comparison: &'a Comparison, divergence: &Divergence) -> Self {
        let item = |items: &'a [Item], index: Option<usize>| {
            index.and_then(|index| Some(ItemDoc::place(items.get(index)?, index)))
        };
        Self {
            left: item(&comparison.left.items, divergence.left),
            right: item(&comparison.right.items, divergence.right),
            differences: divergence
                .differences
                .iter()
                .map(DifferenceDoc::of)
                .collect(),
        }
    }
}

impl<'a> HunkDoc<'a> {
    fn of(comparison: &'a Comparison, hunk: &Hunk<'_>) -> Self {
        let range = |range: &std::ops::Range<usize>| RangeDoc {
            first: range.start + 1,
            count: range.len(),
        };
        Self {
            left: range(&hunk.left),
            right: range(&hunk.right),
            rows: hunk
                .rows
                .iter()
                .map(|row| RowDoc::of(comparison, row))
                .collect(),
        }
    }
}

impl<'a> RowDoc<'a> {
    fn of(comparison: &'a Comparison, row: &Row) -> Self {
        let (left, right) = (comparison.left_of(row), comparison.right_of(row));
        let doc = |item: Option<&'a Item>, index: Option<usize>| {
            let (item, index) = (item?, index?);
            Some(match row {
                Row::Equal { .. } => ItemDoc::place(item, index),
                _ => ItemDoc::whole(item, index),
            })
        };
        let differences = match (row, left, right) {
            (Row::Changed { .. }, Some(left), Some(right)) => Difference::between(left, right),
            _ => Vec::new(),
        };
        Self {
            state: match row {
                Row::Equal { .. } => "equal",
                Row::Changed { .. } => "changed",
                Row::OnlyLeft { .. } => "only-left",
                Row::OnlyRight { .. } => "only-right",
            },
            left: doc(left, row.left()),
            right: doc(right, row.right()),
            differences: differences.iter().map(DifferenceDoc::of).collect(),
        }
    }
}

impl<'a> ItemDoc<'a> {
    fn place(item: &'a Item, index: usize) -> Self {
        let (type_name, role) = match &item.kind {
            Kind::Message(role) => ("message", Some(role.as_str())),
            other => (words::kind(other), None),
        };
        Self {
            number: index + 1,
            line: item.line,
            id: item.id.as_str(),
            type_name,
            role,
            content: None,
            calls: Vec::new(),
            answers: None,
        }
    }

    fn whole(item: &'a Item, index: usize) -> Self {
        Self {
            content: Some(&item.content),
            calls: item.calls.iter().map(CallDoc::of).collect(),
            answers: item.answers.as_deref(),
            ..Self::place(item, index)
        }
    }
}

impl<'a> CallDoc<'a> {
    fn of(call: &'a Call) -> Self {
        Self {
            tool: &call.name,
            arguments: value(&call.arguments),
        }
    }
}

impl DifferenceDoc {
    fn of(difference: &Difference) -> Self {
        let mut doc = Self {
            field: difference.to_string(),
            line: None,
            byte: None,
            call: None,
            tool: None,
            left: None,
            right: None,
        };
        let name = |name: &Option<String>| name.as_deref().map(Json::string);
        let json = |text: &Option<String>| text.as_deref().map(value);
        match difference {
            Difference::Kind { left, right } => {
                doc.left = Some(Json::string(words::kind(left)));
                doc.right = Some(Json::string(words::kind(right)));
            }
            Difference::Content(position) => {
                doc.line = Some(position.line);
                doc.byte = Some(position.byte);
            }
            Difference::Tool { call, left, right } => {
                doc.call = Some(call + 1);
                (doc.left, doc.right) = (name(left), name(right));
            }
            Difference::Argument {
                call,
                tool,
                left,
                right,
                ..
            } => {
                doc.call = Some(call + 1);
                doc.tool = Some(tool.clone());
                (doc.left, doc.right) = (json(left), json(right));
            }
            Difference::Answers { left, right } => {
                doc.field = "answers".to_owned();
                (doc.left, doc.right) = (name(left), name(right));
            }
            Difference::Strict { left, right, .. } => {
                (doc.left, doc.right) = (json(left), json(right));
            }
        }
        doc
    }
}

impl CountsDoc {
    fn of(counts: Counts) -> Self {
        Self {
            equal: counts.equal,
            changed: counts.changed,
            only_left: counts.only_left,
            only_right: counts.only_right,
        }
    }
}

/// A value as it stands; text that is no JSON as a string.
fn value(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|_| Json::string(text))
}
