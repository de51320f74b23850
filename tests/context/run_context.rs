//! What surrounds one run: rendering and digests.

use serde_json::Value;
use sess::canonical::Sha256Hex;
use sess::context::{RunContext, UnnamedEntry};

use super::kit::*;

/// Vectors the reference's harness gave a flat pair instead of a list of pairs, or a value that is
/// no string: no such thing can be said in Rust.
const UNSAYABLE: &[&str] = &[
    "run-context/tail",
    "run-context/trailing-ws",
    "run-context/unicode",
    "run-context/not-a-string",
    "run-context/unknown-argument",
];

/// Text stays as it is (DIV-14); the digests were computed outside this project.
const DIV_14: &[&str] = &["run-context/exact-nfd"];

fn context(input: &Value) -> Result<RunContext, UnnamedEntry> {
    let entries = |key: &str| {
        let list = input[key].as_array().cloned().unwrap_or_default();
        list.into_iter().map(|pair| {
            let text = |index: usize| pair[index].as_str().unwrap().to_owned();
            (text(0), text(1))
        })
    };
    let mut context = RunContext::default();
    for (key, value) in entries("facts") {
        context = context.fact(key, value)?;
    }
    for (key, value) in entries("head-sections") {
        context = context.head(key, value)?;
    }
    for (key, value) in entries("tail-sections") {
        context = context.tail(key, value)?;
    }
    Ok(context)
}

// 11.6-93 to 11.6-99
#[test]
fn contexts_render_and_digest_as_the_references() {
    for vector in vectors("run-context") {
        if UNSAYABLE.contains(&vector.name.as_str()) {
            continue;
        }
        let made = context(&vector.input);
        let Ok(output) = &vector.answer else {
            assert!(made.is_err(), "{}", vector.name);
            continue;
        };
        let made = made.unwrap();
        let name = &vector.name;
        if DIV_14.contains(&name.as_str()) {
            assert_ne!(made.digest(), output["digest"].as_str().unwrap(), "{name}");
            continue;
        }
        assert_eq!(made.digest(), output["digest"].as_str().unwrap(), "{name}");
        assert_eq!(made.head_text(), output["head"].as_str(), "{name}");
        let sections: Vec<Value> = made
            .sections()
            .iter()
            .map(|section| {
                serde_json::json!({
                    "name": section.name, "digest": section.digest, "rendered": section.rendered,
                })
            })
            .collect();
        assert_eq!(Value::Array(sections), output["sections"], "{name}");
        if let Some(empty) = output["is-empty"].as_bool() {
            assert_eq!(made.is_empty(), empty, "{name}");
            // The two closing lines are ours; they weigh as much as the reference's.
            let weight = |text: Option<&str>| text.map(|text| text.chars().count());
            assert_eq!(
                weight(made.tail_text()),
                weight(output["tail"].as_str()),
                "{name}"
            );
        }
    }
}

// 7.10, 108, 110, 111, 112, 113
#[test]
fn the_worked_example_comes_out() {
    let context = RunContext::default()
        .head("identity", "You are a coding assistant.")
        .and_then(|context| context.head("instructions", "## AGENTS.md\n\nRun the tests.\n"))
        .and_then(|context| context.fact("date", "2026-08-10"))
        .and_then(|context| context.fact("cwd", "/srv/project"))
        .and_then(|context| context.tail("reminders", "Never commit."))
        .and_then(|context| context.tail("empty", "  "))
        .unwrap();
    assert_eq!(
        context.head_text(),
        Some("You are a coding assistant.\n\n## AGENTS.md\n\nRun the tests.")
    );
    let tail = context.tail_text().unwrap();
    let expected =
        "## Current context\n\n- date: 2026-08-10\n- cwd: /srv/project\n\nNever commit.\n\n";
    let closing: Vec<&str> = tail.strip_prefix(expected).unwrap().lines().collect();
    assert_eq!(closing.len(), 2);
    // What the two lines have to convey.
    for words in [
        "this block",
        "surroundings",
        "tools",
        "project rules",
        "wins",
    ] {
        assert!(closing[0].contains(words), "{words}");
    }
    for words in ["background", "neither answer", "nor confirm"] {
        assert!(closing[1].contains(words), "{words}");
    }
    let lengths: Vec<usize> = closing.iter().map(|line| line.chars().count()).collect();
    assert_eq!(lengths, [181, 84]);
    assert_eq!(
        context.digest(),
        "1b63ba849e72262df7be31d6458a9f20b283616642b3d8e8c3b2dc6d402e6830"
    );
    let sections = context.sections();
    let texts: Vec<(&str, &str)> = sections
        .iter()
        .map(|section| (section.name.as_str(), section.rendered.as_str()))
        .collect();
    assert_eq!(
        texts,
        [
            ("identity", "You are a coding assistant."),
            ("instructions", "## AGENTS.md\n\nRun the tests."),
            ("reminders", "Never commit."),
            ("empty", ""),
        ]
    );
    let digests: Vec<String> = sections.into_iter().map(|section| section.digest).collect();
    assert_eq!(
        digests,
        [
            "cbcb026778dc86c09dfcdb86a0e53b3f770d238130c5a4eec909c305e2ae8cec",
            "6dd3b52bbdbf8d905bfe8bf893f62346e7fa599b7b9ff231cd2aea2b245cc485",
            "de6305a8492e8e64354ea3624996e24982f01cee6b19219139b82b1d6302a99b",
            "c008d5171b0ea4e7ab244d169088ad46c4da143c93374f965be6a024a508d116",
        ]
    );
    let plain = |message: &sess::Message| (message.role, message.is_sticky());
    for message in [context.head_message(), context.tail_message()] {
        assert_eq!(plain(message.unwrap()), (sess::Role::System, false));
    }
}

// 7.10, last
#[test]
fn facts_alone_make_a_tail_of_known_weight() {
    let context = RunContext::default().fact("date", "2026-08-10").unwrap();
    assert_eq!(
        context.digest(),
        "579ad92ef1bb6ddb1791d1c43cc13ff86421a3e8e4f14d3c92bb8c4a5a94bb18"
    );
    let canonical = r#"{"facts":[["date","2026-08-10"]],"head-sections":[],"tail-sections":[]}"#;
    assert_eq!(
        context.digest(),
        Sha256Hex::of(canonical.as_bytes()).as_str()
    );
    let weights = context.tail_text().unwrap().lines();
    let weights: Vec<usize> = weights.map(|line| line.chars().count()).collect();
    assert_eq!(weights, [18, 0, 18, 0, 181, 84]);
    assert_eq!(context.tail_text().unwrap().chars().count(), 306);
    assert_eq!(context.head_text(), None);
    let broken = RunContext::default().fact("a", "x\ny  \n").unwrap();
    assert!(broken.tail_text().unwrap().contains("\n\n- a: x\ny\n\n"));
    assert_eq!(
        RunContext::default().digest(),
        "5a24510646b2e8dc443338dd7d419f8847d680dbef477799301cdf5ba79983c0"
    );
}

// 109
#[test]
fn a_blank_name_is_refused_and_the_list_is_named() {
    let blank = "  ";
    let refusals = [
        (RunContext::default().fact(blank, "x"), "fact"),
        (RunContext::default().head(blank, "x"), "head section"),
        (RunContext::default().tail(blank, "x"), "tail section"),
    ];
    for (refused, list) in refusals {
        assert!(refused.unwrap_err().to_string().contains(list));
    }
}
