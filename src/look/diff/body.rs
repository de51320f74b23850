//! What there is to see inside a row of a comparison, as lines of text.

use super::item::{Call, Item};
use super::text::{Standing, TextChange};
use super::words;

/// One line of the inside of a row, or a gap between two.
///
/// ```
/// use sess::Message;
/// use sess::look::diff::{Body, BodyLine, Item, Standing};
/// let item = Item::of_message(&Message::user("Hi"), "m".into(), 2);
/// let line = BodyLine::Text { standing: Standing::Right, pieces: vec![(false, "Hi".into())] };
/// assert_eq!(Body::of_one(&item, Standing::Right), [line]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyLine {
    /// A line of text.
    Text {
        /// Which side has it.
        standing: Standing,
        /// Its text in pieces, and whether each makes the line different.
        pieces: Vec<(bool, String)>,
    },
    /// So many lines that are the same on both sides are left out.
    Gap(usize),
}

/// Collects the lines of a row.
///
/// ```
/// use sess::Message;
/// use sess::look::diff::{Body, BodyLine, Item};
/// let item = |text: &str| Item::of_message(&Message::user(text), "m".into(), 2);
/// let lines = Body::of_change(&item("same\none\n"), &item("same\n2\n"), 0);
/// // The line that both have is left out; each version of the other is shown.
/// assert_eq!(lines[0], BodyLine::Gap(1));
/// assert_eq!(lines.len(), 3);
/// ```
pub struct Body {
    context: usize,
    lines: Vec<BodyLine>,
}

const INDENT: &str = "  ";

impl Body {
    /// Of two versions of an item: what differs, with `context` lines around.
    pub fn of_change(left: &Item, right: &Item, context: usize) -> Vec<BodyLine> {
        let mut body = Self::new(context);
        if left.answers != right.answers {
            body.value("answers", left.answers.as_deref(), right.answers.as_deref());
        }
        if left.content != right.content {
            body.texts("", &left.content, &right.content);
        }
        for index in 0..left.calls.len().max(right.calls.len()) {
            body.calls(index, left.calls.get(index), right.calls.get(index));
        }
        if let (Some(left), Some(right)) = (&left.strict, &right.strict)
            && left != right
        {
            let mut fields = Self::new(0);
            fields.texts("", &words::fields(left), &words::fields(right));
            let is_text = |line: &BodyLine| matches!(line, BodyLine::Text { .. });
            body.lines.extend(fields.lines.into_iter().filter(is_text));
        }
        body.lines
    }

    /// All of an item that stands on one side only.
    pub fn of_one(item: &Item, standing: Standing) -> Vec<BodyLine> {
        let mut body = Self::new(0);
        body.one_text("", &item.content, standing);
        for (index, call) in item.calls.iter().enumerate() {
            body.one_call(index, call, standing);
        }
        body.lines
    }

    fn new(context: usize) -> Self {
        Self {
            context,
            lines: Vec::new(),
        }
    }

    fn calls(&mut self, index: usize, left: Option<&Call>, right: Option<&Call>) {
        match (left, right) {
            (Some(left), Some(right)) if left == right => {}
            (Some(left), Some(right)) if left.name == right.name => {
                self.line(Standing::Both, call_label(index, left));
                let (left, right) = (words::arguments(left), words::arguments(right));
                self.texts(INDENT, &left, &right);
            }
            _ => {
                for (call, standing) in [(left, Standing::Left), (right, Standing::Right)] {
                    if let Some(call) = call {
                        self.one_call(index, call, standing);
                    }
                }
            }
        }
    }

    fn one_call(&mut self, index: usize, call: &Call, standing: Standing) {
        self.line(standing, call_label(index, call));
        self.one_text(INDENT, &words::arguments(call), standing);
    }

    fn texts(&mut self, indent: &str, left: &str, right: &str) {
        let change = TextChange::between(left, right);
        let ends_differ = left.ends_with('\n') != right.ends_with('\n');
        let (mut next_left, mut next_right, mut shown) = (1, 1, 0);
        for hunk in change.hunks(self.context) {
            let skipped = match hunk.first().map(|line| (line.left, line.right)) {
                Some((Some(left), _)) => left - next_left,
                Some((None, Some(right))) => right - next_right,
                _ => 0,
            };
            self.gap(skipped);
            shown += skipped + hunk.len();
            next_left += skipped + hunk.iter().filter(|line| line.left.is_some()).count();
            next_right += skipped + hunk.iter().filter(|line| line.right.is_some()).count();
            for line in hunk {
                let pieces = line.segments.iter();
                let pieces = pieces.map(|piece| (piece.emphasised, piece.text.to_owned()));
                self.pieces(line.standing, indent, pieces.collect());
                if ends_differ && !line.newline && line.standing != Standing::Both {
                    self.line(line.standing, format!("{indent}\\ no line feed at the end"));
                }
            }
        }
        self.gap(change.lines.len() - shown);
    }

    fn gap(&mut self, lines: usize) {
        if lines > 0 {
            self.lines.push(BodyLine::Gap(lines));
        }
    }

    fn one_text(&mut self, indent: &str, text: &str, standing: Standing) {
        for line in text.split_inclusive('\n') {
            let line = line.strip_suffix('\n').unwrap_or(line);
            self.line(standing, format!("{indent}{line}"));
        }
    }

    fn value(&mut self, name: &str, left: Option<&str>, right: Option<&str>) {
        for (value, standing) in [(left, Standing::Left), (right, Standing::Right)] {
            if let Some(value) = value {
                self.line(standing, format!("{name}: {value}"));
            }
        }
    }

    fn line(&mut self, standing: Standing, text: String) {
        self.pieces(standing, "", vec![(false, text)]);
    }

    fn pieces(&mut self, standing: Standing, indent: &str, mut pieces: Vec<(bool, String)>) {
        if !indent.is_empty() {
            pieces.insert(0, (false, indent.to_owned()));
        }
        self.lines.push(BodyLine::Text { standing, pieces });
    }
}

fn call_label(index: usize, call: &Call) -> String {
    format!("call {}: {}", index + 1, call.name)
}
