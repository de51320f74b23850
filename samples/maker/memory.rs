//! Runs that outgrew something: a context window, a screen, a line buffer.

use std::fmt::Write;

use serde_json::json;

use super::script::{Script, call};

/// A long run whose middle was summarised twice, after an old tool result had been elided.
pub fn two_compactions() -> Script {
    let mut script = Script::new(7, 8, 2, 40);
    let facts = [("date", "2026-03-14"), ("cwd", "/home/mira/src/quill")];
    let sections = [("identity", "You are rook, a coding agent.")];
    script.line(
        "session-meta",
        json!({"agent": "rook", "model": "kimi-k2", "cwd": "/home/mira/src/quill"}),
    );
    let context = script.run_context(&facts, &sections, None);
    script.system_prompt("You are rook, a coding agent.");
    script.user("Port the parser from yacc to a hand-written one. Begin with the lexer.");
    script.line("message", json!({"role": "user", "content": "Whatever happens: `vendor/` stays untouched.", "sticky": true}));

    script.wait(3_018);
    let read = call(
        "call_01",
        "read_file",
        json!({"path": "src/lexer.l"}),
        "read-only",
    );
    script.assistant(
        "I'll read the old lexer.",
        "",
        std::slice::from_ref(&read),
        (2_801, 36),
    );
    let lexer = "%%\n[0-9]+          { return NUMBER; }\n[A-Za-z_][A-Za-z_0-9]* { return NAME; }\n\"=>\"             { return ARROW; }\n".repeat(40);
    let lexer_line = script.completes(1, &read, 0.004_110, &lexer);
    script.wait(7_400);
    let write = call(
        "call_02",
        "write_file",
        json!({"path": "src/lexer.rs", "content": "//! The lexer.\n\npub fn next(input: &str) -> Token { todo!() }\n"}),
        "idempotent",
    );
    script.assistant(
        "Numbers, names and one arrow: that is a short function.",
        "",
        std::slice::from_ref(&write),
        (4_960, 410),
    );
    script.completes(2, &write, 0.007_902, "wrote src/lexer.rs: 61 bytes");
    script.wait(1_250);
    let lexed = script.assistant(
        "The lexer is done and has its tests. Shall I go on with expressions?",
        "",
        &[],
        (5_420, 44),
    );

    let stub = format!(
        "[elided by the harness: {}-char read_file result; re-run the call if you need it again]",
        lexer.chars().count()
    );
    script.line(
        "elision",
        json!({"items": [{"id": lexer_line, "stub": stub}]}),
    );
    script.wait(5_090);
    let first = script.line("compaction", json!({
        "summary": summary("port the yacc parser to a hand-written one; lexer first", "lexer.rs returns one token a call", "read src/lexer.l; wrote src/lexer.rs", "expressions"),
        "replaces-through-id": lexed,
        "fallback": false,
        "tokens-before": 5_464,
        "tokens-after": 1_377,
    }));

    script.user("Yes. Precedence climbing, please, no table.");
    script.wait(4_711);
    let grammar = call(
        "call_03",
        "read_file",
        json!({"path": "src/parser.y"}),
        "read-only",
    );
    script.assistant(
        "First the old grammar.",
        "",
        std::slice::from_ref(&grammar),
        (1_440, 30),
    );
    script.completes(3, &grammar, 0.003_871, &"expr: expr '+' term { $$ = add($1, $3); } | term ;\nterm: term '*' fact { $$ = mul($1, $3); } | fact ;\n".repeat(30));
    script.wait(6_540);
    let test = call(
        "call_04",
        "shell",
        json!({"command": "cargo test parser"}),
        "destructive",
    );
    script.assistant(
        "Five levels, so five binding powers.",
        "",
        std::slice::from_ref(&test),
        (3_905, 512),
    );
    script.completes(
        4,
        &test,
        3.212_004,
        "test result: ok. 31 passed; 0 failed; 0 ignored; 0 measured; 4 filtered out\n",
    );
    script.wait(2_002);
    let parsed = script.assistant(
        "Expressions parse, 31 tests pass. Statements are next.",
        "",
        &[],
        (4_480, 51),
    );

    script.wait(30_350);
    // The middle that goes holds the first summary, and the summariser could not be reached.
    script.line("compaction", json!({
        "summary": format!("[Conversation summary — earlier turns compacted]\n(no summary could be made; 7 messages were dropped, the oldest of them {first})"),
        "replaces-through-id": parsed,
        "fallback": true,
        "tokens-before": 4_531,
        "tokens-after": 688,
    }));

    script.run_context(&facts, &sections, Some(&context));
    script.user("Go on with statements.");
    script.line(
        "message",
        json!({"role": "system", "content": "Keep answers under 80 words.", "depth": 1}),
    );
    script.wait(2_960);
    script.assistant("Statements: `let`, `if`, `while`, and an expression followed by a semicolon. I start with `let`.", "", &[], (790, 48));
    script
}

/// A run with one line of a mebibyte.
pub fn huge_line() -> Script {
    let mut script = Script::new(8, 16, 45, 11);
    script.line("session-meta", json!({"agent": "rook", "model": "kimi-k2"}));
    script.user("Why is the nightly build red?");
    script.wait(1_700);
    let log = call(
        "call_01",
        "fetch_log",
        json!({"job": "nightly", "run": 2218}),
        "read-only",
    );
    script.assistant(
        "I'll fetch the log.",
        "",
        std::slice::from_ref(&log),
        (610, 25),
    );
    script.completes(1, &log, 6.104_4, &build_log());
    script.wait(5_512);
    script.assistant(
        "Step 9,999 ran out of disk: `No space left on device`. Nothing else failed.",
        "",
        &[],
        (262_980, 33),
    );
    script
}

fn summary(goals: &str, decisions: &str, files: &str, open: &str) -> String {
    format!(
        "[Conversation summary — earlier turns compacted]\n1. GOALS — {goals}\n2. DECISIONS — {decisions}\n3. FILES AND COMMANDS — {files}\n4. UNRESOLVED — {open}"
    )
}

fn build_log() -> String {
    let mut log = String::new();
    let mut step = 0;
    while log.len() < 1 << 20 {
        step += 1;
        let outcome = if step == 9_999 {
            "\u{1b}[31mNo space left on device\u{1b}[0m"
        } else {
            "ok"
        };
        let _ = writeln!(
            log,
            "[{:>6}.{:02}s] step {step:>5}: cc -O2 -c \"src/gen/unit_{:04}.c\" … {outcome}",
            step / 7,
            step % 100,
            step % 1_300
        );
    }
    log
}
