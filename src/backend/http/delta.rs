//! Putting tool calls together from the fragments of a stream.

use std::collections::BTreeMap;

use super::balance::Balance;
use super::halves::Halves;
use crate::Json;

/// The calls of a stream as far as they have come.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    /// The place of the last call with each index.
    last: BTreeMap<i64, usize>,
}

#[derive(Debug, Default)]
struct Call {
    index: i64,
    id: Option<String>,
    kind: Option<String>,
    name: Option<String>,
    arguments: Option<String>,
    balance: Balance,
    halves: Halves,
    /// What else stood beside these, such as a provider's signature; it has to be sent back.
    extras: BTreeMap<String, Json>,
}

impl Calls {
    /// Whether no call has begun.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Takes in one fragment. Its `index` says which call it extends. Without one, a fragment with
    /// an id begins a call and one without an id extends the last.
    pub(super) fn add(&mut self, fragment: &Json) {
        let Some(members) = fragment.entries() else {
            return;
        };
        let function = fragment.get("function");
        let of_function = |name: &str| function.as_ref()?.get(name);
        let name = of_function("name").as_ref().and_then(filled);
        let id = fragment.get("id").as_ref().and_then(filled);
        let index = fragment.get("index").and_then(|index| index.as_i64());

        let call = self.call_for(index, id.as_deref(), name.is_some());
        call.id = id.or(call.id.take());
        call.kind = fragment
            .get("type")
            .as_ref()
            .and_then(filled)
            .or(call.kind.take());
        call.name = name.or(call.name.take());
        if let Some(arguments) = of_function("arguments") {
            call.add_arguments(&arguments);
        }
        let known = ["index", "id", "type", "function"];
        let others = members
            .into_iter()
            .filter(|(name, value)| !known.contains(&name.as_str()) && !value.is_null());
        call.extras.extend(others);
    }

    /// The calls in wire shape, in ascending order of their index.
    pub(super) fn to_json(&self) -> Vec<Json> {
        let mut in_order: Vec<&Call> = self.calls.iter().collect();
        in_order.sort_by_key(|call| call.index);
        in_order.into_iter().map(Call::to_json).collect()
    }

    fn call_for(&mut self, index: Option<i64>, id: Option<&str>, named: bool) -> &mut Call {
        let highest = self.last.last_key_value().map(|(index, _)| *index);
        let last_with = |index| self.last.get(&index).copied();
        let (index, place) = match index {
            Some(index) => (index, last_with(index)),
            None if id.is_some() => {
                let next = highest.map_or(0, |highest| highest.saturating_add(1));
                (next, None)
            }
            None => {
                let last = highest.unwrap_or(0);
                (last, last_with(last))
            }
        };
        // Some servers give every call the same index, or none of them an index and an id. What
        // tells a second call is a name with another id, or with none when the first is whole.
        let place = place.filter(|&place| match (self.calls.get(place), id) {
            (Some(call), _) if !named || call.name.is_none() => true,
            (Some(call), Some(id)) => call.id.as_deref().is_none_or(|known| known == id),
            (Some(call), None) => !call.balance.is_closed(),
            (None, _) => false,
        });
        let place = place.unwrap_or(self.calls.len());
        if place == self.calls.len() {
            self.last.insert(index, place);
            self.calls.push(Call {
                index,
                ..Call::default()
            });
        }
        // Found there, or pushed just before.
        &mut self.calls[place]
    }
}

impl Call {
    /// Text is appended; a document replaces what was there.
    fn add_arguments(&mut self, arguments: &Json) {
        match self.halves.add(arguments) {
            Some(text) => {
                self.balance.add(&text);
                self.arguments.get_or_insert_default().push_str(&text);
            }
            None if arguments.is_null() => (),
            None => {
                self.balance = Balance::default();
                self.balance.add(arguments.text());
                self.arguments = Some(arguments.text().to_owned());
            }
        }
    }

    fn to_json(&self) -> Json {
        let string = |text: &Option<String>| text.as_deref().map(Json::string);
        let named = [
            ("name", string(&self.name)),
            ("arguments", string(&self.arguments)),
        ];
        let function = named
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)));
        let kind = self.kind.as_deref().unwrap_or("function");
        let mut members = self.extras.clone();
        members.insert("type".to_owned(), Json::string(kind));
        members.insert("function".to_owned(), Json::object(function));
        if let Some(id) = string(&self.id) {
            members.insert("id".to_owned(), id);
        }
        Json::object(members)
    }
}

/// A string that says something.
fn filled(json: &Json) -> Option<String> {
    let text = json.as_str().filter(|text| !text.is_empty())?;
    Some(text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the fragments make, as the texts of the calls.
    fn assembled(fragments: &[&str]) -> Vec<String> {
        let mut calls = Calls::default();
        for fragment in fragments {
            calls.add(&Json::parse(*fragment).unwrap());
        }
        calls.to_json().iter().map(Json::compact).collect()
    }

    fn call(id: &str, name: &str, arguments: &str) -> String {
        let arguments = Json::string(arguments);
        format!(
            r#"{{"function":{{"arguments":{arguments},"name":"{name}"}},"id":"{id}","type":"function"}}"#
        )
    }

    #[test]
    fn calls_with_neither_index_nor_id_are_told_apart_by_their_names() {
        let one =
            r#"{"id":"","type":"function","function":{"name":"read","arguments":"{\"p\":1}"}}"#;
        let two = r#"{"type":"function","function":{"name":"read","arguments":"{\"p\":2}"}}"#;
        let nameless = |arguments: &str| {
            let arguments = Json::string(arguments);
            format!(r#"{{"function":{{"arguments":{arguments},"name":"read"}},"type":"function"}}"#)
        };
        let expected = [nameless(r#"{"p":1}"#), nameless(r#"{"p":2}"#)];
        assert_eq!(assembled(&[one, two]), expected);
        let indexed = two.replacen('{', r#"{"index":0,"#, 1);
        assert_eq!(assembled(&[one, &indexed]), expected);
    }

    #[test]
    fn a_name_that_is_repeated_in_every_fragment_begins_no_call() {
        let made = assembled(&[
            r#"{"index":0,"id":"a","function":{"name":"read","arguments":"{\"p\""}}"#,
            r#"{"index":0,"function":{"name":"read","arguments":":1"}}"#,
            r#"{"index":0,"id":"a","function":{"name":"read","arguments":"}"}}"#,
        ]);
        assert_eq!(made, [call("a", "read", r#"{"p":1}"#)]);
    }

    // 12.17-200
    #[test]
    fn fragments_with_an_index_may_be_interleaved() {
        let made = assembled(&[
            r#"{"index":1,"id":"b","type":"function","function":{"name":"write","arguments":""}}"#,
            r#"{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":"{\"p"}}"#,
            r#"{"index":1,"function":{"arguments":"{}"}}"#,
            r#"{"index":0,"function":{"arguments":"\":1}"}}"#,
        ]);
        assert_eq!(
            made,
            [call("a", "read", "{\"p\":1}"), call("b", "write", "{}")]
        );
    }

    // 12.17-200
    #[test]
    fn fragments_without_an_index_go_by_their_ids() {
        let made = assembled(&[
            r#"{"id":"a","function":{"name":"read","arguments":"{"}}"#,
            r#"{"function":{"arguments":"}"}}"#,
            r#"{"id":"b","function":{"name":"write"}}"#,
            r#"{"function":{"arguments":"{}"}}"#,
        ]);
        assert_eq!(made, [call("a", "read", "{}"), call("b", "write", "{}")]);
        let bare = assembled(&[r#"{"function":{"arguments":"{}"}}"#]);
        assert_eq!(
            bare,
            [r#"{"function":{"arguments":"{}"},"type":"function"}"#]
        );
    }

    // 12.17-200
    #[test]
    fn arguments_given_as_a_document_replace() {
        let made = assembled(&[
            r#"{"index":0,"id":"a","function":{"name":"read","arguments":"x"}}"#,
            r#"{"index":0,"function":{"arguments":{"p": 1e400}}}"#,
        ]);
        assert_eq!(made, [call("a", "read", "{\"p\": 1e400}")]);
    }

    #[test]
    fn what_is_empty_or_null_overwrites_nothing() {
        let made = assembled(&[
            r#"{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":"{"}}"#,
            r#"{"index":0,"id":"","type":"","function":{"name":"","arguments":null}}"#,
            r#"{"index":0,"id":null,"type":null,"function":{"name":null,"arguments":"}"}}"#,
            r#"{"index":0,"function":null}"#,
            r#""no fragment""#,
        ]);
        assert_eq!(made, [call("a", "read", "{}")]);
    }

    #[test]
    fn whole_calls_under_one_index_stay_apart() {
        let made = assembled(&[
            r#"{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}"#,
            r#"{"index":0,"id":"b","function":{"name":"read","arguments":"{\"n\""}}"#,
            r#"{"index":0,"function":{"arguments":":2}"}}"#,
        ]);
        assert_eq!(
            made,
            [call("a", "read", "{}"), call("b", "read", "{\"n\":2}")]
        );
    }

    #[test]
    fn a_name_and_an_id_repeated_in_each_fragment_make_one_call() {
        let fragment = r#"{"index":0,"id":"a","function":{"name":"read","arguments":"1"}}"#;
        assert_eq!(assembled(&[fragment, fragment]), [call("a", "read", "11")]);
    }

    #[test]
    fn calls_by_the_thousand_keep_their_places() {
        let count = 2_000;
        let mut calls = Calls::default();
        for index in 0..count {
            let begun =
                format!(r#"{{"index":{index},"function":{{"name":"f","arguments":"{{"}}}}"#);
            calls.add(&Json::parse(begun).unwrap());
        }
        let more = Json::parse(r#"{"function":{"name":"f","arguments":" "}}"#).unwrap();
        for _ in 0..count {
            calls.add(&more);
        }
        let made = calls.to_json();
        assert_eq!(made.len(), count);
        let arguments = made[count - 1]
            .get("function")
            .and_then(|it| it.get_str("arguments"));
        assert_eq!(arguments.map(|text| text.len()), Some(count + 1));
    }

    #[test]
    fn what_a_provider_adds_is_kept() {
        let made = assembled(&[
            r#"{"index":0,"id":"a","extra_content":{"google":{"thought_signature":"s"}},"function":{"name":"f"}}"#,
        ]);
        let expected = r#"{"extra_content":{"google":{"thought_signature":"s"}},"function":{"name":"f"},"id":"a","type":"function"}"#;
        assert_eq!(made, [expected]);
    }
}
