//! Canonical JSON, digests and tool arguments, as seen from outside (11.3-51 to 59, and the JSON
//! parts of 11.7-104, 105 and 108).

mod json;
mod reference;
mod vectors;

use std::collections::BTreeSet;

use sess::canonical::{
    Sha256Hex, canonical_arguments, canonical_arguments_of, digest_of_json, digest_of_text,
};
use sess::message::{ToolCall, conversation_digest};
use sess::{Json, Message};

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

#[test]
fn any_order_of_members_gives_one_text() {
    let sorted = r#"{"a":{"c":[3,{"y":1,"z":0}],"d":1},"b":null}"#;
    for text in [
        r#"{"b":null,"a":{"d":1,"c":[3,{"z":0,"y":1}]}}"#,
        " { \"a\" : {\"c\":[3, {\"y\":1,\"z\":0} ],\n\"d\":1},\t\"b\" : null } ",
        sorted,
    ] {
        assert_eq!(json(text).canonical(), sorted);
        assert_eq!(json(text).compact(), sorted);
    }
}

#[test]
fn arguments_are_compared_by_what_they_say() {
    for (arguments, canonical) in [
        (r#"{"b":2, "a":1}"#, r#"{"a":1,"b":2}"#),
        (r#" {"a":1} "#, r#"{"a":1}"#),
        ("[1, 2 ,3]", "[1,2,3]"),
        (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
        (
            r#"{"z":{"y":1,"x":[{"q":1,"p":2}]}}"#,
            r#"{"z":{"x":[{"p":2,"q":1}],"y":1}}"#,
        ),
        (
            r#"{"a":1.0,"b":1e2,"c":100,"d":-0,"e":1.50,"f":null,"g":"\u00e9\ud83d\ude00","h":[true,false]}"#,
            r#"{"a":1.0,"b":100e0,"c":100,"d":0,"e":1.5,"f":null,"g":"é\uD83D\uDE00","h":[true,false]}"#,
        ),
    ] {
        assert_eq!(canonical_arguments(arguments), canonical);
        assert_eq!(canonical_arguments_of(&json(arguments)), canonical);
        let as_string = Json::string(arguments);
        assert_eq!(canonical_arguments_of(&as_string), canonical);
    }
}

#[test]
fn arguments_that_are_no_document_stay_as_they_are() {
    for text in [
        "",
        "not json",
        "  padded  ",
        "{bad",
        r#"{"a":1}x"#,
        r#"{"a":1}{"b":2}"#,
        "null",
        "12",
        r#""str""#,
        r#"{"a":"\ud83d"}"#,
        r#"{"\ud83d":1}"#,
        "\u{1b}[31m{",
    ] {
        assert_eq!(canonical_arguments(text), text);
    }
    assert_eq!(canonical_arguments_of(&Json::null()), "");
}

#[test]
fn spellings_of_a_number_that_mean_different_kinds_differ() {
    let keys: BTreeSet<String> = ["[1]", "[1.0]", "[1e0]", "[100]", "[1e2]"]
        .map(canonical_arguments)
        .into();
    assert_eq!(keys.len(), 5);
    assert_eq!(canonical_arguments("[1.50]"), canonical_arguments("[1.5]"));
}

#[test]
fn everything_that_makes_a_message_changes_its_digest() {
    let call = |id: &str, path: &str| ToolCall {
        id: id.to_owned(),
        name: "fs_read".to_owned(),
        arguments: format!("{{\"path\":\"{path}\"}}"),
    };
    let plain = Message::user("x");
    let variants = [
        plain.clone(),
        Message::user("y"),
        Message::system("x"),
        Message::tool("", "x"),
        Message::tool("c1", "x"),
        plain.clone().with_sticky(),
        plain.clone().with_sysprompt(),
        plain.clone().with_depth(0),
        plain.clone().with_depth(1),
        plain.clone().with_call(call("c1", "a")),
        plain.clone().with_call(call("c2", "a")),
        plain.clone().with_call(call("c1", "b")),
        plain
            .clone()
            .with_call(call("c1", "a"))
            .with_call(call("c1", "a")),
    ];
    let digests: BTreeSet<Sha256Hex> = variants.iter().map(Message::digest).collect();
    assert_eq!(digests.len(), variants.len());
    assert_eq!(plain.digest(), Message::user("x").digest());
}

#[test]
fn the_order_of_keys_inside_a_call_does_not_matter() {
    let with_call = |text: &str| Message {
        tool_calls: vec![json(text)],
        ..Message::assistant("")
    };
    assert_eq!(
        with_call(r#"{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}"#)
            .digest(),
        with_call(r#"{"function":{"arguments":"{}","name":"f"}, "type":"function","id":"c1"}"#)
            .digest(),
    );
}

#[test]
fn a_conversation_differs_by_order_and_length() {
    let (one, two) = (Message::user("one"), Message::user("two"));
    let conversations: [&[Message]; 5] = [
        &[],
        std::slice::from_ref(&one),
        &[one.clone(), two.clone()],
        &[two.clone(), one.clone()],
        &[one.clone(), two, one.clone()],
    ];
    let digests: BTreeSet<Sha256Hex> = conversations.map(conversation_digest).into();
    assert_eq!(digests.len(), 5);
}

#[test]
fn grants_differ_by_content_and_not_by_key_order() {
    let grants = digest_of_json(&json(r#"[{"tool":"fs_read","decision":"allow"}]"#));
    let same = digest_of_json(&json(r#"[{"decision":"allow","tool":"fs_read"}]"#));
    let narrowed = digest_of_json(&json(
        r#"[{"tool":"fs_read","decision":"allow","path":"/x"}]"#,
    ));
    let added = digest_of_json(&json(r#"[{"tool":"fs_read","decision":"allow"},{}]"#));
    assert_eq!(grants, same);
    assert_eq!(BTreeSet::from([grants, narrowed, added]).len(), 3);
}

#[test]
fn every_digest_is_64_lower_case_hex_digits() {
    for text in ["", "\u{0}", "{", "[1e400]", "{\"a\":\"\\ud83d\"}", "😀"] {
        let digest = digest_of_text(&canonical_arguments(text));
        let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        assert_eq!(digest.as_str().len(), 64);
        assert!(digest.as_str().bytes().all(hex), "{digest}");
    }
}
