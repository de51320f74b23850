//! `sess resolve`: what it writes for each state, what it refuses, and what a provider makes of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sess::session::CallState;
use sess::{Role, Session};

use super::{Ran, TestEnv};

/// What a provider demands: every call is answered exactly once, directly after its turn, and
/// nothing else is answered.
fn assert_a_provider_accepts(session: &Session) {
    let messages = session.messages();
    let mut expected: Vec<String> = Vec::new();
    for message in &messages {
        match &message.tool_call_id {
            Some(id) if message.role == Role::Tool => {
                let place = expected.iter().position(|call| call == id);
                expected.remove(place.unwrap_or_else(|| panic!("{id} is not asked for here")));
            }
            _ => {
                assert_eq!(expected, [""; 0], "calls without an answer");
                expected = message.calls().map(|call| call.id).collect();
            }
        }
    }
    assert_eq!(expected, [""; 0], "calls without an answer");
}

/// Type, and call or outcome, of the lines that were written after the first `kept` bytes.
fn appended(path: &Path, kept: usize) -> Vec<String> {
    let bytes = fs::read(path).unwrap();
    let text = std::str::from_utf8(&bytes[kept..]).unwrap();
    let lines = text.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        let payload = &line["payload"];
        let what = ["tool-call-id", "outcome"].map(|key| payload[key].as_str().unwrap_or_default());
        format!("{} {}", line["type"].as_str().unwrap(), what.concat())
    });
    lines.collect()
}

#[test]
fn everything_open_is_resolved_in_the_order_of_the_calls() {
    let env = TestEnv::new();
    let path = env.sample("pending.jsonl");
    let before = fs::read(&path).unwrap();
    let ran = env.sess(&["resolve", "--all", "pending.jsonl"]);
    let expected = "\
pending.jsonl: 11 calls resolved
  5d95a739  get_account    outcome-unknown   a message and a settle line
  fbcd20ea  put_object     outcome-unknown   a message and a settle line
  9a049a9b  charge_card    outcome-unknown   a message and a settle line
  383c144c  run_query      outcome-unknown   a message and a settle line
  d6738dfd  legacy_sync    outcome-unknown   a message and a settle line
  74ab07ae  send_mail      completed         a settle line
  12e2815f  copy_rows      failed            a settle line
  b119fb10  take_lock      outcome-unknown   a settle line
  4f5174c1  reindex        outcome-unknown   a settle line
  call_11   write_receipt  never dispatched  a message
  call_12   close_account  never dispatched  a message
";
    assert_eq!(ran, Ran::new(0, expected, ""));

    let after = fs::read(&path).unwrap();
    assert_eq!(after[..before.len()], before);
    let pair = |call: &str| {
        [
            format!("message {call}"),
            "tool-settled outcome-unknown".to_owned(),
        ]
    };
    let mut lines: Vec<String> = ["call_01", "call_02", "call_03", "call_04", "call_05"]
        .iter()
        .flat_map(|call| pair(call))
        .collect();
    lines.extend(
        [
            "tool-settled completed",
            "tool-settled failed",
            "tool-settled outcome-unknown",
            "tool-settled outcome-unknown",
            "message call_11",
            "message call_12",
        ]
        .map(str::to_owned),
    );
    assert_eq!(appended(&path, before.len()), lines);

    let session = Session::load(&path).unwrap();
    assert_eq!(
        (session.open_calls(), session.warnings()),
        (vec![], &[][..])
    );
    assert_a_provider_accepts(&session);
    drop(session);
    assert_eq!(env.sess(&["check", "pending.jsonl"]).code, Some(0));
    let again = env.sess(&["resolve", "--all", "pending.jsonl"]);
    assert_eq!(
        again,
        Ran::new(0, "pending.jsonl: nothing to resolve\n", "")
    );
}

#[test]
fn a_torn_tail_is_repaired_first_and_that_is_said() {
    let env = TestEnv::new();
    let path = env.sample("interrupted.jsonl");
    let ran = env.sess(&["resolve", "--all", "interrupted.jsonl"]);
    let expected = "\
interrupted.jsonl: 3 calls resolved
  70e534c1  upload_asset   outcome-unknown   a message and a settle line
  0f1cae72  write_file     completed         a settle line
  call_06   publish_crate  never dispatched  a message
";
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), expected));
    let note = "note: interrupted.jsonl:20: the last line is torn: the JSON ends before it is whole; \
                it was cut off and is kept in ";
    assert!(
        ran.err.starts_with(note) && ran.err.lines().count() == 1,
        "{}",
        ran.err
    );

    let session = Session::load(&path).unwrap();
    assert_eq!(session.open_calls(), []);
    assert_a_provider_accepts(&session);
    drop(session);
    assert_eq!(env.sess(&["check", "interrupted.jsonl"]).code, Some(0));
}

#[test]
fn one_operation_is_settled_as_chosen() {
    let env = TestEnv::new();
    let path = env.sample("pending.jsonl");
    let kept = fs::read(&path).unwrap().len();
    let words = [
        "resolve",
        "9a04",
        "pending.jsonl",
        "--outcome",
        "failed",
        "--reason",
        "card declined",
    ];
    let ran = env.sess(&[&words[..], &["--json"]].concat());
    let session = Session::load(&path).unwrap();
    let events = session.events().unwrap();
    let ids: Vec<String> = events[24..]
        .iter()
        .map(|line| line.get_str("id").unwrap())
        .collect();
    let expected = json!({
        "path": "pending.jsonl",
        "resolved": [{
            "op-id": "9a049a9b-0006-4000-8000-000000000011",
            "call-id": "call_03",
            "tool": "charge_card",
            "outcome": "failed",
            "message-id": ids[0],
            "settle-id": ids[1],
        }],
    });
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, found, ran.err.as_str()), (Some(0), expected, ""));
    assert_eq!(
        appended(&path, kept),
        ["message call_03", "tool-settled failed"]
    );
    let settle = events[25].get("payload").unwrap();
    assert_eq!(settle.get_str("reason").as_deref(), Some("card declined"));
}

#[test]
fn a_call_that_was_never_dispatched_gets_a_message_and_no_outcome() {
    let env = TestEnv::new();
    let path = env.sample("pending.jsonl");
    let kept = fs::read(&path).unwrap().len();
    let refused = env.sess(&["resolve", "call_11", "pending.jsonl", "--outcome", "failed"]);
    let expected = "sess: pending.jsonl: call call_11 was never dispatched, so it has no outcome; \
                    resolve it without one\n";
    assert_eq!(refused, Ran::new(2, "", expected));
    let refused = env.sess(&["resolve", "call_11", "pending.jsonl", "--no-message"]);
    let expected = "sess: pending.jsonl: call call_11 was never dispatched: a message is all there \
                    is to write\nhint: leave out --no-message\n";
    assert_eq!(refused, Ran::new(2, "", expected));
    let ran = env.sess(&["resolve", "call_11", "pending.jsonl"]);
    let expected = "\
pending.jsonl: 1 call resolved
  call_11  write_receipt  never dispatched  a message
";
    assert_eq!(ran, Ran::new(0, expected, ""));
    assert_eq!(appended(&path, kept), ["message call_11"]);
}

#[test]
fn without_messages_only_settle_lines_are_written() {
    let env = TestEnv::new();
    let path = env.sample("pending.jsonl");
    let ran = env.sess(&["resolve", "--all", "--no-message", "pending.jsonl"]);
    assert_eq!(ran.code, Some(0));
    let session = Session::load(&path).unwrap();
    let open: BTreeMap<String, CallState> = session
        .open_calls()
        .into_iter()
        .map(|call| (call.call_id.to_string(), call.state))
        .collect();
    let never = ["call_11", "call_12"].map(|call| (call.to_owned(), CallState::NeverDispatched));
    assert_eq!(open, never.into());
}

#[test]
fn a_dry_run_says_what_would_be_written_and_needs_no_lock() {
    let env = TestEnv::new();
    let path = env.sample("interrupted.jsonl");
    let before = fs::read(&path).unwrap();
    let ran = env.sess(&["resolve", "--all", "--dry-run", "interrupted.jsonl"]);
    let expected = "\
interrupted.jsonl: 3 calls would be resolved
  70e534c1  upload_asset   outcome-unknown   a message and a settle line
            The run was interrupted while this call was out. It may have been executed or not, wholly or in part, and no result was recorded. The tool is configured as destructive: its effect may already have happened. Find out before making the call again.
  0f1cae72  write_file     completed         a settle line
  call_06   publish_crate  never dispatched  a message
            This call was never handed to its tool: the run was interrupted before. Nothing was executed for it. It can be made again.
";
    let note = "note: interrupted.jsonl:20: the last line is torn: the JSON ends before it is \
                whole; loading cuts it off\n";
    assert_eq!(ran, Ran::new(0, expected, note));
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(env.folder()).unwrap().count(), 1);

    let session = Session::load(env.sample("pending.jsonl")).unwrap();
    let ran = env.sess(&["resolve", "--dry-run", "--json", "9a04", "pending.jsonl"]);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    let expected = json!({
        "path": "pending.jsonl",
        "resolved": [{
            "op-id": "9a049a9b-0006-4000-8000-000000000011",
            "call-id": "call_03",
            "tool": "charge_card",
            "outcome": "outcome-unknown",
        }],
    });
    assert_eq!((ran.code, found), (Some(0), expected));
    drop(session);
}

#[test]
fn a_writer_that_has_the_file_makes_it_a_refusal() {
    let env = TestEnv::new();
    let session = Session::load(env.sample("pending.jsonl")).unwrap();
    let ran = env.sess(&["resolve", "--all", "pending.jsonl"]);
    let expected = "sess: pending.jsonl: another session is writing this transcript; \
                    `sess peek` and `sess tail` read it without waiting\n";
    assert_eq!(ran, Ran::new(3, "", expected));
    drop(session);
}

#[test]
fn what_is_not_open_is_refused_and_the_reason_said() {
    let env = TestEnv::new();
    let path = env.sample("pending.jsonl");
    let before = fs::read(&path).unwrap();
    let list = "hint: `sess pending pending.jsonl` lists what is open\n";
    let cases = [
        (
            "e4b7c075",
            1,
            format!("operation e4b7c075-0006-4000-8000-000000000005 is settled already: completed, 2026-03-14 22:14:10Z\n{list}"),
        ),
        ("call_10", 1, format!("call call_10 is answered already, 2026-03-14 22:14:16Z\n{list}")),
        (
            "call_03",
            1,
            "call call_03 was dispatched, so it goes by its operation\nhint: the operation is 9a049a9b-0006-4000-8000-000000000011\n".to_owned(),
        ),
        ("feed", 1, format!("no open operation or call starts with \"feed\"\n{list}")),
        (
            "call_1",
            2,
            "\"call_1\" is the start of more than one open operation or call\nhint: it can be call_11\nhint: it can be call_12\n".to_owned(),
        ),
    ];
    for (typed, code, expected) in cases {
        let ran = env.sess(&["resolve", typed, "pending.jsonl"]);
        let expected = format!("sess: pending.jsonl: {expected}");
        assert_eq!(ran, Ran::new(code, "", &expected));
    }
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_refusal_leaves_a_torn_tail_alone() {
    let env = TestEnv::new();
    let path = env.sample("interrupted.jsonl");
    let before = fs::read(&path).unwrap();
    assert_eq!(
        env.sess(&["resolve", "feed", "interrupted.jsonl"]).code,
        Some(1)
    );
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn an_answer_out_of_place_is_warned_of() {
    let env = TestEnv::new();
    let lines = [
        r#"{"id":"m","payload":{},"ts":"2026-01-02T03:04:05Z","type":"session-meta","v":1}"#,
        r#"{"id":"a","payload":{"role":"assistant","tool-calls":[{"function":{"arguments":"{}","name":"t"},"id":"c","type":"function"}]},"ts":"2026-01-02T03:04:05Z","type":"message","v":1}"#,
        r#"{"id":"b","payload":{"content":"hello?","role":"user"},"ts":"2026-01-02T03:04:05Z","type":"message","v":1}"#,
    ];
    env.write("late.jsonl", lines.join("\n"));
    let ran = env.sess(&["resolve", "c", "late.jsonl"]);
    let said = "note: late.jsonl: the missing line break at the end was added\n\
                sess: late.jsonl: other messages follow the turn of call c, so its answer is out of \
                place; a provider may refuse the conversation\n";
    let expected = "late.jsonl: 1 call resolved\n  c  t  unrecorded  a message\n";
    assert_eq!(ran, Ran::new(0, expected, said));
}

#[test]
fn a_file_that_cannot_be_loaded_is_explained() {
    let env = TestEnv::new();
    env.sample("glued.jsonl");
    let ran = env.sess(&["resolve", "-q", "--all", "--json", "glued.jsonl"]);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    let message = "line 31 of 31 is broken: a whole JSON value ends at byte 287 of the line and 655 more bytes follow; only a line torn at the very end is forgiven";
    let expected = json!({
        "path": "glued.jsonl",
        "error": {"kind": "glued", "message": message, "line": 31, "offset": 13721},
    });
    assert_eq!((ran.code, found), (Some(1), expected));
    assert_eq!(ran.err, format!("sess: glued.jsonl:31: {message}\n"));
}

#[test]
fn a_call_that_cannot_be_settled_does_not_stop_the_others() {
    let env = TestEnv::new();
    let path = env.sample("pending.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let dispatch = text
        .lines()
        .find(|line| line.contains("5d95a739-0006") && line.contains("tool-dispatched"));
    fs::write(&path, format!("{text}{}\n", dispatch.unwrap())).unwrap();
    let why = "operation \"5d95a739-0006-4000-8000-000000000009\" has been settled before; an \
               operation has a single outcome";
    for shown in ["pending.jsonl: 11 calls resolved\n", ""] {
        let ran = env.sess(&["resolve", "--all", "pending.jsonl"]);
        assert_eq!(ran.code, Some(1));
        assert!(ran.out.starts_with(shown), "{}", ran.out);
        assert_eq!(ran.out.is_empty(), shown.is_empty(), "{}", ran.out);
        assert!(ran.err.contains(why), "{}", ran.err);
    }
    // The first of the two stays open: one settle line ends one dispatch.
    assert_eq!(Session::load(&path).unwrap().open_calls().len(), 1);
}
