//! A coding agent at work: one run that ended well, and one that was killed.

use serde_json::json;

use super::script::{Call, Script, call};

const IDENTITY: &str = "You are rook, a coding agent. Work in small steps, run the tests after every change, and say plainly what you did not check.";
const INSTRUCTIONS: &str = "# AGENTS.md\n\n- `cargo test` has to pass before you stop.\n- Keep the changelog in step with the code.\n- Never edit `vendor/`.\n";
const FACTS: &[(&str, &str)] = &[
    ("date", "2026-03-14"),
    ("cwd", "/home/mira/src/tally"),
    ("branch", "main"),
    ("platform", "linux x86-64"),
];

const SUM_RS: &str = "\
//! Adds up one column.

use crate::table::Table;

/// The sum of `column`, and how many rows it came from.
pub fn sum(table: &Table, column: usize) -> (f64, usize) {
    let mut total = 0.0;
    for row in table.rows() {
        total += row[column].parse::<f64>().unwrap();
    }
    (total, table.rows().len())
}

/// The arithmetic mean of `column`.
pub fn mean(table: &Table, column: usize) -> f64 {
    let first = table.rows().first().unwrap();
    debug_assert!(column < first.len());
    let (total, rows) = sum(table, column);
    total / rows as f64
}
";

const GREEN: &str = "\
   Compiling tally v0.3.2 (/home/mira/src/tally)
    Finished `test` profile [unoptimized + debuginfo] target(s) in 1.94s
     Running unittests src/lib.rs (target/debug/deps/tally-5f0c9d1e2b7a4c38)

running 12 tests
test args::tests::a_separator_may_be_a_tab ... ok
test sum::tests::an_empty_table_has_no_mean ... ok
test sum::tests::the_mean_of_one_row_is_that_row ... ok
test table::tests::quotes_protect_separators ... ok

test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
";

/// A small run that found a bug, fixed it, broke a test on the way and ended with all tests green.
pub fn healthy() -> Script {
    let mut script = opening(1, 9, 26);
    script.line(
        "grants",
        json!({"grants": [
            {"tool": "read_file", "path": "/home/mira/src/tally", "decision": "allow"},
            {"tool": "shell", "command": "cargo *", "decision": "allow"},
            {"tool": "shell", "decision": "ask"},
        ]}),
    );
    script.user(
        "`tally --mean empty.csv` crashes. Find out why, fix it, and make sure it stays fixed.",
    );

    script.wait(2_840);
    let reproduce = call(
        "call_01",
        "shell",
        json!({"command": "cargo run -q -- --mean tests/data/empty.csv"}),
        "destructive",
    );
    let search = call(
        "call_02",
        "search",
        json!({"pattern": "fn mean", "path": "src"}),
        "read-only",
    );
    script.assistant(
        "I'll reproduce it first, and look where the mean is computed.",
        "A crash on an empty file smells like an unwrap on the first row.",
        &[reproduce.clone(), search.clone()],
        (1_912, 74),
    );
    script.fails(1, &reproduce, 1.204_118, "\nthread 'main' panicked at src/sum.rs:16:44:\ncalled `Option::unwrap()` on a `None` value\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\nexit status: 101\n");
    script.completes(
        1,
        &search,
        0.018_422,
        "src/sum.rs:15:pub fn mean(table: &Table, column: usize) -> f64 {\n",
    );

    script.wait(1_975);
    let read = call(
        "call_03",
        "read_file",
        json!({"path": "src/sum.rs"}),
        "read-only",
    );
    script.assistant(
        "It is `src/sum.rs`, line 16.",
        "",
        std::slice::from_ref(&read),
        (2_204, 31),
    );
    script.completes(2, &read, 0.003_071, SUM_RS);

    script.wait(4_310);
    let edit = edit_mean();
    script.assistant(
        "`mean` takes the first row of a table that may have none. I'll make it return an `Option` and add tests.",
        "NaN would be wrong: the caller prints it. None lets main say that there are no rows.",
        std::slice::from_ref(&edit),
        (2_688, 212),
    );
    script.completes(
        3,
        &edit,
        0.006_640,
        "edited src/sum.rs: 1 replacement, 3 lines removed, 5 lines added",
    );

    script.wait(1_122);
    let test = call(
        "call_05",
        "shell",
        json!({"command": "cargo test -q"}),
        "destructive",
    );
    script.assistant("", "", std::slice::from_ref(&test), (2_951, 22));
    script.fails(4, &test, 2.871_960, "error[E0308]: mismatched types\n  --> src/main.rs:41:31\n   |\n41 |         println!(\"{}\", format_number(mean));\n   |                        ------------- ^^^^ expected `f64`, found `Option<f64>`\n\nerror: could not compile `tally` (bin \"tally\") due to 1 previous error\nexit status: 101\n");

    script.wait(2_204);
    let main = call(
        "call_06",
        "edit_file",
        json!({
            "path": "src/main.rs",
            "old": "        println!(\"{}\", format_number(mean));\n",
            "new": "        match mean {\n            Some(mean) => println!(\"{}\", format_number(mean)),\n            None => eprintln!(\"tally: {path}: no rows, so no mean\"),\n        }\n",
        }),
        "destructive",
    );
    let again = call(
        "call_07",
        "shell",
        json!({"command": "cargo test"}),
        "destructive",
    );
    script.assistant(
        "The caller has to say something when there is no mean.",
        "",
        &[main.clone(), again.clone()],
        (3_320, 148),
    );
    script.completes(
        5,
        &main,
        0.005_913,
        "edited src/main.rs: 1 replacement, 1 line removed, 4 lines added",
    );
    script.completes(5, &again, 4.0, GREEN);

    script.wait(3_005);
    script.assistant(
        "Fixed. `mean` took the first row of a table without checking that there is one; it returns an `Option` now, and `tally --mean` says *no rows, so no mean* instead of crashing.\n\n- `src/sum.rs`: `mean` gives `None` for an empty table, with two tests\n- `src/main.rs`: prints the message\n\nAll 12 tests pass. I did not check files that hold a header and nothing else.",
        "",
        &[],
        (3_704, 121),
    );
    script
}

/// A release that died in the middle: one upload was running, one file was written but its end
/// was only half recorded, and publishing had not begun.
///
/// The last line is the one to tear.
pub fn interrupted() -> Script {
    let mut script = opening(2, 17, 3);
    script.user("Release tally 0.4.0: changelog, release notes, upload the Linux archive, publish. The tests are green.");

    script.wait(2_410);
    let log = call(
        "call_01",
        "shell",
        json!({"command": "git log --oneline v0.3.2.."}),
        "destructive",
    );
    let read = call(
        "call_02",
        "read_file",
        json!({"path": "CHANGELOG.md", "limit": 12}),
        "read-only",
    );
    script.assistant(
        "I'll see what went in since 0.3.2.",
        "",
        &[log.clone(), read.clone()],
        (1_874, 58),
    );
    script.completes(1, &log, 0.031_209, "8c1f0aa Say so when there are no rows\n41be77d Accept a tab as separator\n0d9a6e2 Read from standard input when the file is -\n");
    script.completes(
        1,
        &read,
        0.002_218,
        "# Changelog\n\n## Unreleased\n\n## 0.3.2\n\n- Sums keep two digits.\n",
    );

    script.wait(3_666);
    let edit = call(
        "call_03",
        "edit_file",
        json!({
            "path": "CHANGELOG.md",
            "old": "## Unreleased\n",
            "new": "## Unreleased\n\n## 0.4.0\n\n- `-` reads standard input.\n- A tab may be the separator.\n- No more crash when there are no rows.\n",
        }),
        "destructive",
    );
    script.assistant(
        "Three changes; the changelog first.",
        "",
        std::slice::from_ref(&edit),
        (2_130, 117),
    );
    script.completes(
        2,
        &edit,
        0.004_407,
        "edited CHANGELOG.md: 1 replacement, 6 lines added",
    );

    script.wait(5_120);
    let upload = call(
        "call_04",
        "upload_asset",
        json!({
            "release": "v0.4.0",
            "file": "target/dist/tally-0.4.0-x86_64-linux.tar.gz",
        }),
        "destructive",
    );
    let notes = call(
        "call_05",
        "write_file",
        json!({
            "path": "docs/releases/0.4.0.md",
            "content": "# tally 0.4.0\n\n`tally -` reads standard input, a tab may be the separator, and a table without rows is no crash any more.\n",
        }),
        "idempotent",
    );
    let publish = call(
        "call_06",
        "publish_crate",
        json!({"name": "tally", "version": "0.4.0"}),
        "destructive",
    );
    script.assistant(
        "Archive and notes can go at the same time; publishing comes last because it cannot be taken back.",
        "upload_asset and write_file do not depend on each other. publish_crate waits for both.",
        &[upload.clone(), notes.clone(), publish],
        (2_502, 163),
    );
    script.dispatch(3, &upload);
    let written = script.dispatch(3, &notes);
    script.wait(9);
    let result = "wrote docs/releases/0.4.0.md: 126 bytes";
    script.answer(&notes, result);
    script.settle(&written, "completed", 0.009_118, result);
    script
}

fn opening(number: u32, hour: u64, minute: u64) -> Script {
    let mut script = Script::new(number, hour, minute, 53);
    script.line("session-meta", json!({"agent": "rook", "model": "kimi-k2", "cwd": "/home/mira/src/tally", "max-tokens": 8_192, "temperature": 0.2}));
    script.run_context(
        FACTS,
        &[("identity", IDENTITY), ("instructions", INSTRUCTIONS)],
        None,
    );
    script.system_prompt(IDENTITY);
    script
}

fn edit_mean() -> Call {
    call(
        "call_04",
        "edit_file",
        json!({
            "path": "src/sum.rs",
            "old": "pub fn mean(table: &Table, column: usize) -> f64 {\n    let first = table.rows().first().unwrap();\n    debug_assert!(column < first.len());\n    let (total, rows) = sum(table, column);\n    total / rows as f64\n}\n",
            "new": "///\n/// A table without rows has none.\npub fn mean(table: &Table, column: usize) -> Option<f64> {\n    let first = table.rows().first()?;\n    debug_assert!(column < first.len());\n    let (total, rows) = sum(table, column);\n    Some(total / rows as f64)\n}\n",
        }),
        "destructive",
    )
}
