//! Every state a dead process can leave a tool call in.

use serde_json::json;

use super::script::{Call, Script, call};

/// One round of twelve calls: running in each idempotency class, finished but not settled in each
/// way, settled, and never dispatched.
pub fn every_state() -> Script {
    let mut script = Script::new(6, 22, 14, 8);
    script.line(
        "session-meta",
        json!({"agent": "porter", "model": "kimi-k2", "purpose": "move accounts"}),
    );
    script.system_prompt("You are porter. You move customer accounts between regions.");
    script.user("Move account 4711 to eu-west, tell the owner, and keep a record.");

    // Models reuse call ids: this call_01 was answered, the one below was not.
    let earlier = call(
        "call_01",
        "get_account",
        json!({"account": 4711}),
        "read-only",
    );
    script.wait(1_940);
    script.assistant("", "", std::slice::from_ref(&earlier), (902, 24));
    script.completes(
        1,
        &earlier,
        0.090_314,
        "{\"account\":4711,\"region\":\"us-east\",\"owner\":\"lin@example.org\"}",
    );

    let calls = calls();
    script.wait(6_071);
    script.assistant(
        "Everything at once; the steps do not depend on each other.",
        "",
        &calls,
        (1_140, 388),
    );
    let [running @ .., mail, rows, gone, job, count, _receipt, _close] = calls.as_slice() else {
        return script;
    };
    for call in running {
        script.dispatch(2, call);
    }
    script.dispatch(2, mail);
    script.dispatch(2, rows);
    script.dispatch(2, gone);
    script.dispatch(2, job);
    let counted = script.dispatch(2, count);

    script.wait(412);
    let result = "{\"rows\":18220}";
    script.answer(count, result);
    script.settle(&counted, "completed", 0.412_77, result);
    script.answer(mail, "queued as <b2f1@example.org>");
    script.answer_with(rows, "row 9031: duplicate key", json!({"is-error": true}));
    script.answer_with(
        gone,
        "no answer within 30 s; whether the lock was taken is not known",
        json!({"outcome-unknown": true}),
    );
    script.answer_with(job, "started as job 77", json!({"background": true}));
    script
}

fn calls() -> Vec<Call> {
    vec![
        call(
            "call_01",
            "get_account",
            json!({"account": 4711, "region": "eu-west"}),
            "read-only",
        ),
        call(
            "call_02",
            "put_object",
            json!({"bucket": "accounts-eu", "key": "4711.json"}),
            "idempotent",
        ),
        call(
            "call_03",
            "charge_card",
            json!({"account": 4711, "cents": 1200, "note": "transfer"}),
            "destructive",
        ),
        call(
            "call_04",
            "run_query",
            json!({"sql": "update accounts set region = 'eu-west' where id = 4711"}),
            "unknown",
        ),
        call("call_05", "legacy_sync", json!({"account": 4711}), ""),
        call(
            "call_06",
            "send_mail",
            json!({"to": "lin@example.org", "subject": "Your account moves"}),
            "destructive",
        ),
        call(
            "call_07",
            "copy_rows",
            json!({"table": "invoices", "account": 4711}),
            "destructive",
        ),
        call(
            "call_08",
            "take_lock",
            json!({"name": "account-4711"}),
            "destructive",
        ),
        call("call_09", "reindex", json!({"account": 4711}), "idempotent"),
        call(
            "call_10",
            "count_rows",
            json!({"table": "invoices"}),
            "read-only",
        ),
        call(
            "call_11",
            "write_receipt",
            json!({"account": 4711}),
            "idempotent",
        ),
        call(
            "call_12",
            "close_account",
            json!({"account": 4711, "region": "us-east"}),
            "destructive",
        ),
    ]
}
