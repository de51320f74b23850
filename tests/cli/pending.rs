//! `sess pending`: calls without a known end, in their honest state.

use std::fs;

use serde_json::{Value, json};

use super::{Ran, TestEnv};

fn documents(ran: &Ran) -> Vec<Value> {
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn each_call_stands_under_what_may_be_said_of_it() {
    let env = TestEnv::new();
    env.sample("interrupted.jsonl");
    let ran = env.sess(&["pending", "interrupted.jsonl"]);
    let expected = r##"interrupted.jsonl: 3 calls without a known end

was running
  May have been handed over, and may have taken effect. How it ended is not known: that is neither "failed" nor "did not run".

  Configured as destructive: the effect may be there already. Find out before making the call again.
    70e534c1  upload_asset   {"file":"target/dist/tally-0.4.0-x86_64-linux.tar.gz","release":"v0.4.0"}
              call_04, 2026-03-14 17:04:04Z, run 5e550002, round 3

finished but not settled
  The answer is recorded, and it is the real one. Only the line that settles the call is missing.
    0f1cae72  write_file     {"content":"# tally 0.4.0\n\n`tally -` reads standard input, a tab may be the separator, and a table without rows is no crash any …
              call_05, 2026-03-14 17:04:04Z, run 5e550002, round 3, answered in line 19, idempotent

never dispatched
  Never left the process, so nothing was executed for it. (Unless power was lost: the record of a dispatch may have gone with it.)
    call_06   publish_crate  {"name":"tally","version":"0.4.0"}
              2026-03-14 17:04:04Z

hint: `sess resolve ID interrupted.jsonl` settles one of them, `sess resolve --all interrupted.jsonl` all
"##;
    let warning =
        "sess: interrupted.jsonl:20: the line is skipped: the JSON ends before it is whole\n";
    assert_eq!(ran, Ran::new(0, expected, warning));
}

#[test]
fn running_calls_are_worded_by_what_their_tool_is_configured_as() {
    let env = TestEnv::new();
    env.sample("pending.jsonl");
    let text = env.sess(&["pending", "pending.jsonl"]).out;
    let at = |part: &str| {
        let found = text.match_indices(part).collect::<Vec<_>>();
        assert_eq!(found.len(), 1, "{part} in {text}");
        found[0].0
    };
    let order = [
        "Configured as destructive: the effect may be there already.",
        "charge_card",
        "take_lock",
        "Nothing is recorded of what calling it again would do.",
        "run_query",
        "legacy_sync",
        "Configured as idempotent: ",
        "put_object",
        "Configured as read-only: ",
        "get_account",
        "\nfinished but not settled\n",
        "\nnever dispatched\n",
        "write_receipt",
        "close_account",
    ];
    assert!(order.map(at).is_sorted(), "{text}");
    assert!(!text.contains("count_rows"), "it was settled: {text}");
}

#[test]
fn the_documents_hold_what_is_stored() {
    let env = TestEnv::new();
    env.sample("interrupted.jsonl");
    let ran = env.sess(&[
        "pending",
        "-q",
        "--json",
        "interrupted.jsonl",
        "interrupted.jsonl",
    ]);
    let run = "5e550002-0000-4000-8000-000000000000";
    let calls = [
        json!({
            "path": "interrupted.jsonl",
            "call-id": "call_06",
            "tool": "publish_crate",
            "arguments": "{\"name\":\"tally\",\"version\":\"0.4.0\"}",
            "asked-at": "2026-03-14T17:04:04.342077Z",
            "state": "never-dispatched",
        }),
        json!({
            "path": "interrupted.jsonl",
            "op-id": "70e534c1-0002-4000-8000-000000000017",
            "call-id": "call_04",
            "tool": "upload_asset",
            "arguments": "{\"file\":\"target/dist/tally-0.4.0-x86_64-linux.tar.gz\",\"release\":\"v0.4.0\"}",
            "arguments-digest": "93508c7c86722acfb0abf743e994744c180d57b0c4072a69c94ea1185d462ae3",
            "idempotency": "destructive",
            "run-id": run,
            "round": 3,
            "dispatched-at": "2026-03-14T17:04:04.343786Z",
            "state": "was-running",
        }),
    ];
    let found = documents(&ran);
    assert_eq!((ran.code, found.len()), (Some(0), 6));
    assert_eq!(found[..2], calls);
    assert_eq!(found[2]["state"], "finished-but-not-settled");
    assert_eq!(found[3..5], calls);
}

#[test]
fn values_of_another_writer_are_given_as_they_are_and_null_is_absent() {
    let env = TestEnv::new();
    let lines = [
        r#"{"id":"m","payload":{},"ts":"t","type":"session-meta","v":1}"#,
        r#"{"id":"a","payload":{"arguments":{"n":1e2},"call-id":7,"idempotency":[1],"round":9007199254740993,"tool":null},"ts":"t","type":"tool-dispatched","v":1}"#,
        r#"{"id":"b","payload":{},"ts":"t","type":"tool-dispatched","v":1}"#,
    ];
    env.write("odd.jsonl", lines.join("\n"));
    let ran = env.sess(&["pending", "--json", "odd.jsonl"]);
    let expected = r#"[{"arguments":{"n":1e2},"call-id":"7","dispatched-at":"t","idempotency":[1],"op-id":"a","path":"odd.jsonl","round":9007199254740993,"state":"was-running","tool":""},
{"call-id":"","dispatched-at":"t","op-id":"b","path":"odd.jsonl","state":"was-running","tool":""}]
"#;
    assert_eq!(ran, Ran::new(0, expected, ""));
}

#[test]
fn nothing_pending_is_said_and_the_exit_status_tells_when_asked() {
    let env = TestEnv::new();
    env.sample("healthy.jsonl");
    env.sample("pending.jsonl");
    let ran = env.sess(&["pending", "--exit-code", "healthy.jsonl"]);
    assert_eq!(ran, Ran::new(0, "healthy.jsonl: nothing is pending\n", ""));
    let ran = env.sess(&["pending", "--json", "healthy.jsonl"]);
    assert_eq!(ran, Ran::new(0, "[]\n", ""));
    let both = ["pending", "--exit-code", "healthy.jsonl", "pending.jsonl"];
    assert_eq!(env.sess(&both).code, Some(1));
    assert_eq!(env.sess(&["pending", "pending.jsonl"]).code, Some(0));
}

#[test]
fn what_cannot_be_read_does_not_stop_the_others() {
    let env = TestEnv::new();
    env.sample("healthy.jsonl");
    env.write("notes.txt", "milk\n");
    let ran = env.sess(&["pending", "nosuch", "notes.txt", "healthy.jsonl"]);
    let complaints = "\
sess: nosuch: no such file
hint: check the path; `sess tail -f --wait` waits for a file to come
sess: notes.txt: not a transcript: not JSON: expected value
hint: the first line of a transcript is {\"id\":…,\"payload\":…,\"ts\":…,\"type\":\"session-meta\",\"v\":1}
";
    let expected = "healthy.jsonl: nothing is pending\n";
    assert_eq!(ran, Ran::new(2, expected, complaints));
}

#[test]
fn standard_input_is_read() {
    let env = TestEnv::new();
    let input = fs::read(env.sample("pending.jsonl")).unwrap();
    let ran = env.sess_with_input(&["pending", "--json", "-"], &input);
    let found = documents(&ran);
    assert_eq!(
        (ran.code, found.len(), &found[0]["path"]),
        (Some(0), 11, &json!("-"))
    );
}
