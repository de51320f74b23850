//! Reads what an elision line replaces.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::envelope::{kind_of, present, string};
use super::error::Fault;
use crate::canonical::elements;

/// One replaced content.
///
/// ```
/// use sess::session::Verdict;
/// use sess::session::payload::Payload;
/// let line = br#"{"id":"e","payload":{"items":[{"id":"b","stub":"[old]"}]},"ts":"","type":"elision","v":1}"#;
/// let Verdict::Object(envelope) = Verdict::of(line) else { unreachable!() };
/// let Payload::Elision(items) = Payload::of(&envelope)? else { unreachable!() };
/// assert_eq!((items[0].id.as_ref(), items[0].stub.as_ref()), ("b", "[old]"));
/// # Ok::<(), sess::session::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct ElisionItem<'a> {
    /// The entry.
    pub id: Cow<'a, str>,
    /// What its content becomes.
    pub stub: Cow<'a, str>,
}

/// How many messages an elision names. One can be named more than once.
pub fn elided(items: &[ElisionItem<'_>]) -> u64 {
    let distinct: BTreeSet<&str> = items.iter().map(|item| item.id.as_ref()).collect();
    distinct.len() as u64
}

/// The items of an elision's payload, in order.
pub(super) fn elision_items(payload: &str) -> Result<Vec<ElisionItem<'_>>, Fault> {
    let items = present(payload, "items")
        .and_then(elements)
        .ok_or(Fault::ElisionNoItems)?;
    items
        .enumerate()
        .map(|(index, item)| elision_item(index, item))
        .collect()
}

fn elision_item(index: usize, item: &str) -> Result<ElisionItem<'_>, Fault> {
    if kind_of(item) != "object" {
        return Err(Fault::ElisionItemNotObject {
            index,
            found: kind_of(item),
        });
    }
    let id = present(item, "id")
        .and_then(string)
        .filter(|id| !id.is_empty())
        .ok_or(Fault::ElisionItemNoId { index })?;
    let stub = present(item, "stub")
        .and_then(string)
        .ok_or(Fault::ElisionItemNoStub { index })?;
    Ok(ElisionItem { id, stub })
}
