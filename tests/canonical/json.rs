//! What a document answers, at any depth and with any number.

use std::collections::HashSet;

use proptest::prelude::*;
use sess::Json;
use sess::canonical::{JsonError, digest_of_json};

use super::json;

#[test]
fn a_hundred_thousand_nested_arrays_are_one_document() {
    let depth = 100_000;
    let text = "[".repeat(depth) + &"]".repeat(depth);
    let nested = json(&format!("{{\"b\":{text},\"a\":1}}"));
    let compact = format!("{{\"a\":1,\"b\":{text}}}");
    assert_eq!(nested.compact(), compact);
    assert_eq!(nested.canonical(), compact);
    assert_eq!(nested.get("b").unwrap().text(), text);
    assert_eq!(nested.clone(), json(&compact));
    assert_eq!(serde_json::to_string(&nested).unwrap(), nested.text());
    assert!(matches!(nested.to_value(), Err(JsonError::NoTree { .. })));
}

#[test]
fn unsorted_objects_inside_each_other_are_sorted_in_one_go() {
    let depth = 100_000;
    let text = "{\"b\":1,\"a\":".repeat(depth) + "0" + &"}".repeat(depth);
    let sorted = "{\"a\":".repeat(depth) + "0" + &",\"b\":1}".repeat(depth);
    assert!(json(&text).compact() == sorted);
}

#[test]
fn numbers_keep_every_digit() {
    for number in [
        "9007199254740993",
        "18446744073709551616",
        "-9223372036854775809",
        "1234567890123456789012345678901234567890",
    ] {
        let document = json(&format!("{{\"n\":{number}}}"));
        assert_eq!(document.get("n").unwrap().text(), number);
        assert_eq!(document.compact(), format!("{{\"n\":{number}}}"));
        assert_eq!(document.canonical(), format!("{{\"n\":{number}}}"));
    }
    assert_eq!(json("[1e400]").compact(), "[1e400]");
}

#[test]
fn of_equal_keys_the_last_one_counts() {
    let document = json(r#"{"a":1,"b":2,"\u0061":{"x":1,"x":2}}"#);
    let last = json(r#"{"x":2}"#);
    assert_eq!(document.get("a"), Some(last.clone()));
    assert_eq!(
        document.get("a").unwrap().get("x").unwrap().as_i64(),
        Some(2)
    );
    assert_eq!(
        document.entries(),
        Some(vec![("b".to_owned(), json("2")), ("a".to_owned(), last)])
    );
    assert_eq!(document.compact(), r#"{"a":{"x":2},"b":2}"#);
}

#[test]
fn half_a_surrogate_pair_is_whole_json() {
    let document = json(r#"{"cut":"a\ud83d"}"#);
    assert_eq!(document.text(), r#"{"cut":"a\ud83d"}"#);
    assert_eq!(document.get_str("cut").as_deref(), Some("a\u{FFFD}"));
    assert_eq!(document.compact(), "{\"cut\":\"a\u{FFFD}\"}");
    assert_eq!(
        document.to_value().unwrap(),
        serde_json::json!({"cut": "a\u{FFFD}"})
    );
}

#[test]
fn a_document_answers_what_it_is() {
    let document = json(r#"{"s":"é","n":-2.0,"t":true,"z":null,"l":[1, [2]],"o":{}}"#);
    let get = |key| document.get(key).unwrap();
    assert_eq!(get("s").as_str().as_deref(), Some("é"));
    assert_eq!(get("n").as_i64(), Some(-2));
    assert_eq!(get("t").as_bool(), Some(true));
    assert_eq!(get("l").items(), Some(vec![json("1"), json("[2]")]));
    assert_eq!(get("o").entries(), Some(vec![]));
    assert!(get("z").is_null() && get("l").is_array() && get("s").is_string());
    assert!(get("n").is_number() && document.is_object());
    assert_eq!(document.get("absent"), None);
    assert_eq!(document.get_str("n"), None);
    assert_eq!(
        (get("s").items(), get("s").get("x"), get("l").entries()),
        (None, None, None)
    );
}

#[test]
fn only_a_whole_number_that_fits_is_an_integer() {
    for (text, expected) in [
        ("-9223372036854775808", Some(i64::MIN)),
        ("9223372036854775808", None),
        ("1e0", Some(1)),
        ("1.5", None),
        ("1e30", None),
        ("1e400", None),
        ("-0", Some(0)),
        ("\"1\"", None),
        ("true", None),
    ] {
        assert_eq!(json(text).as_i64(), expected, "{text}");
    }
}

#[test]
fn equal_documents_are_equal_however_they_are_written() {
    let one = json(r#"{"b":[1,2],"a":"\u00e9"}"#);
    let other = json("{ \"a\" : \"é\", \"b\" : [1, 2] }");
    assert_eq!(one, other);
    assert_eq!(HashSet::from([one, other]).len(), 1);
    assert_ne!(json("[1]"), json("[1.0]"));
}

#[test]
fn a_document_is_built_from_parts() {
    let built = Json::object([
        (
            "list",
            Json::array([Json::null(), Json::from(true), Json::from(7_u64)]),
        ),
        ("empty", Json::empty_object()),
        ("given", json(r#"{ "z": 1, "y": 1.50 }"#)),
        ("text", Json::string("\n")),
        ("empty", Json::array([])),
    ]);
    assert_eq!(
        built.text(),
        r#"{"empty":[],"given":{"y":1.50,"z":1},"list":[null,true,7],"text":"\n"}"#
    );
    assert_eq!(built.compact(), built.text());
    assert_eq!(
        Json::from(serde_json::json!({"b": "\u{8}", "a": [1]})).compact(),
        r#"{"a":[1],"b":"\u0008"}"#
    );
}

#[test]
fn serde_passes_a_document_through_as_it_stands() {
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Holder {
        inner: Json,
    }
    let text = r#"{"inner":{"b": 1e400, "a":12345678901234567890123}}"#;
    let holder: Holder = serde_json::from_str(text).unwrap();
    assert_eq!(
        holder.inner.text(),
        r#"{"b": 1e400, "a":12345678901234567890123}"#
    );
    assert_eq!(serde_json::to_string(&holder).unwrap(), text);
}

#[test]
fn a_text_that_is_not_one_value_says_where() {
    assert_eq!(
        Json::parse("{}\n{}").unwrap_err(),
        JsonError::Trailing { offset: 3 }
    );
    assert_eq!(
        "".parse::<Json>().unwrap_err().to_string(),
        "the JSON ends at byte 0 in the middle of a value: EOF while parsing a value"
    );
    assert_eq!(
        Json::parse("[1 2]").unwrap_err().to_string(),
        "not JSON at byte 3: expected `,` or `]`"
    );
}

/// Trees of values of every kind that `serde_json` holds exactly.
fn trees() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<u64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::hash_map(any::<String>(), inner, 0..6)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// The text of a tree, with the members of every object in another order each time.
fn shuffled(tree: &serde_json::Value, salt: u64) -> String {
    use serde_json::Value;
    match tree {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            let place = |key: &str| {
                let bytes = key.bytes().map(u64::from);
                bytes.fold(salt, |hash, byte| {
                    (hash ^ byte).wrapping_mul(0x0100_0000_01b3)
                })
            };
            members.sort_by_key(|(key, _)| place(key));
            let text = |(key, value): (&String, &Value)| {
                format!("{}: {}", serde_json::json!(key), shuffled(value, salt))
            };
            let members: Vec<String> = members.into_iter().map(text).collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| shuffled(item, salt)).collect();
            format!("[{}]", items.join(", "))
        }
        leaf => leaf.to_string(),
    }
}

proptest! {
    // 13.4-5
    #[test]
    fn a_digest_does_not_depend_on_the_order_of_keys(tree in trees(), salt: u64) {
        let written = Json::parse(shuffled(&tree, salt)).unwrap();
        let sorted = Json::parse(tree.to_string()).unwrap();
        prop_assert_eq!(written.canonical(), sorted.canonical());
        prop_assert_eq!(digest_of_json(&written), digest_of_json(&sorted));
    }

    #[test]
    fn every_form_says_the_same_as_the_text(tree in trees()) {
        let json = Json::parse(serde_json::to_string_pretty(&tree).unwrap()).unwrap();
        for form in [json.compact(), json.canonical()] {
            prop_assert_eq!(&serde_json::from_str::<serde_json::Value>(&form).unwrap(), &tree);
            prop_assert_eq!(&Json::parse(form.as_str()).unwrap().compact(), &form);
        }
    }

    #[test]
    fn any_text_survives_as_a_string(text: String) {
        let written = Json::string(&text);
        prop_assert_eq!(written.as_str().unwrap(), text.as_str());
        prop_assert_eq!(serde_json::from_str::<String>(written.text()).unwrap(), text);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[\\[\\]{}\",:\\\\u0-9eE.+ \\-tfnaé\n\u{1}]{0,40}") {
        if let Ok(json) = Json::parse(text.as_str()) {
            prop_assert!(serde_json::from_str::<&serde_json::value::RawValue>(&json.canonical()).is_ok());
        }
    }
}
