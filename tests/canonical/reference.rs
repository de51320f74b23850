//! The reference's answers on canonical forms and digests, one by one.
//!
//! Where ours is another one, [`OURS`] names the vector, says why, and holds our answer. Its
//! digests were computed outside this project, from the text beside them.

use std::collections::BTreeSet;

use serde_json::Value;
use sess::canonical::{
    Sha256Hex, canonical_arguments, canonical_arguments_of, digest_of_json, digest_of_text,
};
use sess::message::conversation_digest;
use sess::{Json, Message};

use crate::support::reference::{self, Vector};

/// A canonical text, where the vector has one, and a digest; or that the input was refused.
type Answer = Result<(Option<String>, String), String>;

/// Text stays as it is: neither normalised nor compared by grapheme.
const DIV_14: &str = "13.1-14";
/// Numbers outside the supported subset keep their digits.
const DIV_18: &str = "13.1-18";
/// Only JSON is JSON: no leading zeros, no raw control characters inside strings.
const STRICT: &str = "design 3";

/// Vector, reason, our text and our digest (both empty when we refuse the input).
const OURS: &[(&str, &str, &str, &str)] = &[
    (
        "canonical-json/key-order-unicode",
        DIV_14,
        "{\"Z\":10,\"e\":3,\"e\u{301}\":8,\"z\":2,\"ä\":9,\"é\":1,\"\u{e000}\":7,\"ｚ\":4,\"\u{ffff}\":6,\"\\uD83D\\uDE00\":5}",
        "97b95e87635b1d7fbe5e79abc45800eef5214ecbab17f5783fccc69e9038828e",
    ),
    (
        "canonical-json/key-order-combining",
        DIV_14,
        "{\"a\":4,\"ab\":1,\"ac\":5,\"a\u{301}\":3,\"a\u{301}b\":2,\"á\":6}",
        "d4681109c7f931be63a00b5f2c35269b23ea4875660d786b2c8b403b762b2ed8",
    ),
    (
        "canonical-json/key-order-graphemes",
        DIV_14,
        "{\"q\":2,\"qz\":5,\"q\u{307}\":1,\"q\u{307}z\":4,\"q\\uD83D\\uDE00\":6,\"r\":3}",
        "a28683dc0d38b8a60c861bb86aeef83f04b6ecb9fa03ab710fe94314a5f613ee",
    ),
    ("canonical-json/ints", STRICT, "", ""),
    (
        "canonical-json/rats-long",
        DIV_18,
        "[0.1234567890123456789,0.12345678901234567890123,3.14159265358979323846264338327950288]",
        "b888f1206df21f9332d5d7524f555e430fde57fd2dba0b2524625234022b5b9b",
    ),
    (
        "canonical-json/nfd",
        DIV_14,
        "\"e\u{301} q\u{307}\u{323} \u{212b} \u{f900} \u{1112}\u{1161}\u{11ab}\"",
        "6e398ee7f3394b45638d8c8aca22fe04577806c62980309270f7031a5ca68d8b",
    ),
    (
        "canonical-arguments/string-control",
        STRICT,
        "{\"a\":\"x\u{1}y\"}",
        "86c4cb327e0f3f39e06ec924c7984b9fccc2aaa08b7e1f0f09ace306d44a6d49",
    ),
    (
        "canonical-arguments/exact-nfd",
        DIV_14,
        "{\"a\":\"e\u{301}\"}",
        "5829e62caa7cc23ed3f5c9aff8d323bb16197802c07af9450d8ced966bff22bd",
    ),
    (
        "canonical-arguments/exact-nfd-key",
        DIV_14,
        "{\"e\u{301}\":1,\"f\":2}",
        "322e31d47db7aaafc7c8617fcf4ca33793ff1bf6b1179db0b061fda5daca02ee",
    ),
    (
        "canonical-arguments/exact-nfd-prose",
        DIV_14,
        "e\u{301} q\u{307}\u{323} \u{212b}",
        "6bb9551d8df3b6640813ccf233996e4027ef69e0e77c270d54c35a136687d917",
    ),
    (
        "message-digest/exact-nfd",
        DIV_14,
        "",
        "834fbc341f18a83912d63531d575aeed71ac0dd2093d777efd77e8202e9ce9d4",
    ),
    (
        "message-digest/exact-marks",
        DIV_14,
        "",
        "520c9093307fb147f998f65ac9404e8ff1d93b2ae48070c4897475694f2378f4",
    ),
    (
        "content-digest/exact-nfd",
        DIV_14,
        "",
        "bf12767b0f2a56b2190075bae8169f656e3ce8d6357d4aff184bc6c7ea48f9f6",
    ),
    (
        "content-digest/exact-jamo",
        DIV_14,
        "",
        "006307c2c57247d4f38bbaadbc95e5be2e132365a61452e36ae912f79abfaa96",
    ),
];

#[test]
fn every_vector_gets_the_reference_answer_or_the_one_listed_here() {
    let mut listed: BTreeSet<&str> = OURS.iter().map(|ours| ours.0).collect();
    let mut asked = 0;
    for vector in reference::canonical() {
        let Some(answer) = answer(&vector) else {
            continue;
        };
        asked += 1;
        let theirs = theirs(&vector);
        match OURS.iter().find(|ours| ours.0 == vector.name) {
            None => assert_eq!(answer, theirs, "{}", vector.name),
            Some((name, reason, text, digest)) => {
                assert_ne!(answer, theirs, "{name} no longer differs");
                assert_eq!(answer.ok(), ours(text, digest), "{name}: {reason}");
                listed.remove(name);
            }
        }
    }
    assert_eq!((asked, listed), (68, BTreeSet::new()));
}

fn ours(text: &str, digest: &str) -> Option<(Option<String>, String)> {
    let text = (!text.is_empty()).then(|| text.to_owned());
    (!digest.is_empty()).then(|| (text, digest.to_owned()))
}

fn theirs(vector: &Vector) -> Answer {
    let output = vector.answer.as_ref().map_err(Value::to_string)?;
    let text = output["canonical"].as_str().map(str::to_owned);
    Ok((text, output["digest"].as_str().unwrap().to_owned()))
}

/// What this crate says; `None` for the kinds that are about other things.
fn answer(vector: &Vector) -> Option<Answer> {
    let input = &vector.input;
    Some(match vector.kind.as_str() {
        "canonical-json" => document(&input["json"]),
        "grants-digest" => document(&input["grants_json"]),
        "canonical-arguments" => arguments(input),
        "message-digest" => digest(message(&input["message"]).digest()),
        "messages-digest" => {
            let messages: Vec<Message> = input["messages"]
                .as_array()
                .unwrap()
                .iter()
                .map(message)
                .collect();
            digest(conversation_digest(&messages))
        }
        "content-digest" => digest(Sha256Hex::of(input["content"].as_str().unwrap().as_bytes())),
        _ => return None,
    })
}

fn document(text: &Value) -> Answer {
    let json = Json::parse(text.as_str().unwrap()).map_err(|error| error.to_string())?;
    Ok((Some(json.canonical()), digest_of_json(&json).to_string()))
}

fn arguments(input: &Value) -> Answer {
    let text = match input["arguments"].as_str() {
        Some(text) => canonical_arguments(text),
        None => {
            let json = Json::parse(input["arguments_json"].as_str().unwrap());
            canonical_arguments_of(&json.map_err(|error| error.to_string())?)
        }
    };
    let digest = digest_of_text(&text).to_string();
    Ok((Some(text), digest))
}

fn digest(digest: Sha256Hex) -> Answer {
    Ok((None, digest.to_string()))
}

fn message(fields: &Value) -> Message {
    let text = |key: &str| fields[key].as_str().map(str::to_owned);
    let calls = fields["tool-calls"].as_array().cloned().unwrap_or_default();
    Message {
        role: text("role").unwrap().parse().unwrap(),
        content: text("content").unwrap(),
        tool_calls: calls.into_iter().map(Json::from).collect(),
        tool_call_id: text("tool-call-id"),
        sticky: fields["sticky"] == true,
        sysprompt: fields["sysprompt"] == true,
        depth: fields["depth"].as_i64(),
    }
}
