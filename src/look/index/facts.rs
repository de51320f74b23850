//! What a line is, found the slow way: every byte is checked.

use super::frame;
use super::record::{Facts, Kind, Trouble};
use crate::clock::parse_utc;
use crate::message::Role;
use crate::session::envelope::{Envelope, Verdict, kind_of, present, string};

impl Facts {
    /// Of a line's bytes, its separator left out.
    pub fn of(bytes: &[u8]) -> Self {
        frame::facts(bytes).unwrap_or_else(|| Self::of_any(bytes))
    }

    /// The same, for a line of any shape.
    pub fn of_any(bytes: &[u8]) -> Self {
        match Verdict::of(bytes) {
            Verdict::Blank => Self::bare(Kind::Blank),
            Verdict::Damaged(_) => Self::bare(Kind::Damaged),
            Verdict::Value(_) => Self::bare(Kind::NoEnvelope),
            Verdict::Object(envelope) => Self::of_envelope(&envelope),
        }
    }

    fn bare(kind: Kind) -> Self {
        Self {
            kind,
            role: None,
            trouble: Trouble::None,
            micros: None,
        }
    }

    fn of_envelope(envelope: &Envelope<'_>) -> Self {
        let Some(type_name) = envelope.type_name() else {
            return Self::bare(Kind::NoEnvelope);
        };
        let kind = Kind::of_type(&type_name);
        let payload = envelope.payload().filter(|text| kind_of(text) == "object");
        let token = |key| payload.and_then(|payload| present(payload, key));
        let (role, trouble) = match (kind, payload) {
            (Kind::Message, Some(_)) => (
                role(token("role")),
                Trouble::of_flags(token("is-error"), token("outcome-unknown")),
            ),
            (Kind::Settled, _) => (None, Trouble::of_outcome(token("outcome"))),
            _ => (None, Trouble::None),
        };
        Self {
            kind,
            role,
            trouble,
            micros: micros(&envelope.ts()),
        }
    }
}

impl Trouble {
    /// Of a message, by the JSON texts of its flags.
    pub fn of_flags(is_error: Option<&str>, outcome_unknown: Option<&str>) -> Self {
        match (is_error, outcome_unknown) {
            (_, Some("true")) => Trouble::OutcomeUnknown,
            (Some("true"), _) => Trouble::Error,
            _ => Trouble::None,
        }
    }

    /// Of a settle line, by the JSON text of its outcome.
    pub fn of_outcome(outcome: Option<&str>) -> Self {
        match outcome.and_then(string).as_deref() {
            Some("failed") => Trouble::Error,
            Some("outcome-unknown") => Trouble::OutcomeUnknown,
            _ => Trouble::None,
        }
    }
}

/// Who speaks, by the JSON text of a role; without one it is the user.
pub(super) fn role(token: Option<&str>) -> Option<Role> {
    match token {
        None => Some(Role::User),
        Some(token) => string(token)?.parse().ok(),
    }
}

/// Microseconds since 1970.
pub(super) fn micros(ts: &str) -> Option<i64> {
    parse_utc(ts).map(|time| time.timestamp_micros())
}
