//! Where the parts of a line stand, found by one walk over it.

use std::borrow::Cow;

use crate::canonical::{Walk, unescape};

/// A part of a line that is looked for: the five keys of the envelope, and those keys of a payload
/// that every message is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Id,
    Payload,
    Ts,
    Type,
    Version,
    Role,
    Content,
    ToolCalls,
    ToolCallId,
    Sticky,
    Sysprompt,
    Depth,
    IsError,
    Background,
    OutcomeUnknown,
    Abandoned,
}

const PARTS: usize = Part::Abandoned as usize + 1;

impl Part {
    fn of_envelope(key: &str) -> Option<Self> {
        Some(match key {
            "id" => Part::Id,
            "payload" => Part::Payload,
            "ts" => Part::Ts,
            "type" => Part::Type,
            "v" => Part::Version,
            _ => return None,
        })
    }

    pub(crate) fn of_payload(key: &str) -> Option<Self> {
        Some(match key {
            "role" => Part::Role,
            "content" => Part::Content,
            "tool-calls" => Part::ToolCalls,
            "tool-call-id" => Part::ToolCallId,
            "sticky" => Part::Sticky,
            "sysprompt" => Part::Sysprompt,
            "depth" => Part::Depth,
            "is-error" => Part::IsError,
            "background" => Part::Background,
            "outcome-unknown" => Part::OutcomeUnknown,
            "abandoned" => Part::Abandoned,
            _ => return None,
        })
    }
}

/// The places of a line's parts. It borrows nothing, so that the thread that walks a line need not
/// be the one that uses it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shape {
    /// Start and end in bytes, by [`Part`]. Behind a key no value can end at 0: that is an absent one.
    places: [(usize, usize); PARTS],
    lone_surrogate: Option<usize>,
}

impl Shape {
    /// Walks text that is to be one JSON value, checking all of it; `None` when it is not. Of an
    /// object this is the shape, of another value an empty one. Where a key stands twice the last
    /// one counts, and a key may be spelled with escapes.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let mut walk = Walk::new(text);
        let mut shape = Self::default();
        match walk.peek()? {
            b'{' => walk.object(|walk, key| shape.member(walk, key))?,
            _ => drop(walk.value()?),
        }
        shape.lone_surrogate = walk.lone_surrogate();
        walk.peek().is_none().then_some(shape)
    }

    fn member<'a>(&mut self, walk: &mut Walk<'a>, key: &'a str) -> Option<()> {
        let part = Part::of_envelope(&spelled(key));
        if part == Some(Part::Payload) {
            self.places[Part::Role as usize..].fill((0, 0));
        }
        let first = walk.peek()?;
        let start = walk.offset();
        match (part, first) {
            (Some(Part::Payload), b'{') => walk.object(|walk, key| {
                let value = walk.value()?;
                if let Some(part) = Part::of_payload(&spelled(key)) {
                    self.places[part as usize] = (walk.offset() - value.len(), walk.offset());
                }
                Some(())
            })?,
            _ => drop(walk.value()?),
        }
        if let Some(part) = part {
            self.places[part as usize] = (start, walk.offset());
        }
        Some(())
    }

    /// See [`Walk::lone_surrogate`].
    pub(crate) fn lone_surrogate(&self) -> Option<usize> {
        self.lone_surrogate
    }

    /// A part of the text this is the shape of, as JSON text.
    pub(crate) fn part<'a>(&self, text: &'a str, part: Part) -> Option<&'a str> {
        let (start, end) = self.places[part as usize];
        text.get(start..end).filter(|value| !value.is_empty())
    }

    /// The payload up to one of its parts, and what stands behind that; all of it and nothing when
    /// the part is absent.
    pub(crate) fn payload_around<'a>(&self, text: &'a str, part: Part) -> (&'a str, &'a str) {
        let (from, to) = self.places[Part::Payload as usize];
        let (start, end) = match self.places[part as usize] {
            (0, 0) => (to, to),
            place => place,
        };
        let slice = |start, end| text.get(start..end).unwrap_or_default();
        (slice(from, start), slice(end, to))
    }
}

/// What a key token spells.
pub(crate) fn spelled(key: &str) -> Cow<'_, str> {
    match key.get(1..key.len().saturating_sub(1)) {
        Some(plain) if !plain.contains('\\') => Cow::Borrowed(plain),
        _ => unescape(key).text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str, part: Part) -> Option<&str> {
        Shape::of(text).and_then(|shape| shape.part(text, part))
    }

    #[test]
    fn one_walk_finds_the_parts_of_both_levels() {
        let text =
            r#" {"id":"a", "payload" : {"content":"x\"}","is-error":true,"k":{"role":1}} ,"v":1} "#;
        assert_eq!(part(text, Part::Id), Some("\"a\""));
        assert_eq!(part(text, Part::Content), Some(r#""x\"}""#));
        assert_eq!(part(text, Part::IsError), Some("true"));
        assert_eq!(part(text, Part::Role), None);
        assert_eq!(part(text, Part::Version), Some("1"));
        assert_eq!(part(text, Part::Ts), None);
        assert_eq!(
            part(text, Part::Payload),
            Some(r#"{"content":"x\"}","is-error":true,"k":{"role":1}}"#)
        );
    }

    #[test]
    fn the_last_payload_counts_and_nothing_of_the_first_stays() {
        let text =
            r#"{"payload":{"role":"user"},"\u0070ayload":{"content":""},"payload2":{"depth":1}}"#;
        assert_eq!(part(text, Part::Role), None);
        assert_eq!(part(text, Part::Content), Some("\"\""));
        assert_eq!(part(text, Part::Depth), None);
        let text = r#"{"payload":{"role":"user"},"payload":[{"role":1}],"v":2}"#;
        assert_eq!(part(text, Part::Role), None);
        assert_eq!(part(text, Part::Payload), Some(r#"[{"role":1}]"#));
        assert_eq!(part(text, Part::Version), Some("2"));
    }

    #[test]
    fn what_surrounds_a_part_of_the_payload_can_be_walked_alone() {
        let text = r#"{"payload":{"a":1,"content":"x","b":2},"v":1}"#;
        let shape = Shape::of(text).unwrap_or_default();
        assert_eq!(
            shape.payload_around(text, Part::Content),
            (r#"{"a":1,"content":"#, r#","b":2}"#)
        );
        let all = r#"{"a":1,"content":"x","b":2}"#;
        assert_eq!(shape.payload_around(text, Part::Role), (all, ""));
    }

    #[test]
    fn an_empty_payload_ends_where_it_ends() {
        let text = r#"{"payload":{},"ts":"t","type":"x"}"#;
        assert_eq!(part(text, Part::Payload), Some("{}"));
        assert_eq!(part(text, Part::Type), Some("\"x\""));
    }
}
