//! `sess diff`: wiring, whole outputs, exit codes.

use std::path::Path;

use serde_json::{Value, json};

use super::{Ran, TestEnv};

/// A folder with copies of these samples.
fn with_samples(names: &[&str]) -> TestEnv {
    let env = TestEnv::new();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sessions");
    for name in names {
        env.write(name, std::fs::read(samples.join(name)).unwrap());
    }
    env
}

fn twins() -> TestEnv {
    with_samples(&["diff-left.jsonl", "diff-right.jsonl", "diff-same.jsonl"])
}

const LEFT_AND_RIGHT: &str = r#"--- diff-left.jsonl (7 messages)
+++ diff-right.jsonl (9 messages)
first divergence: left message 5 (line 8), right message 5 (line 8): arguments.path of call 1, read_file
- "src/args.rs"
+ "src/config.rs"

@@ left 4-7, right 4-9 @@
   6  6  tool, answers search: src/args.rs:22:    /// The separator between fiel…
~  8  8  assistant, calls read_file: arguments.path
         call 1: read_file
           limit: 40
-          path: "src/[-args.rs-]"
+          path: "src/{+config.rs+}"
~ 10 10  tool, answers read_file: content
-        #[derive(Parser)]
-        pub struct Args {
-            /// The separator between fields.
-            #[arg(long = "separator", default_value = ",")]
-            pub separator: char,
+        #[derive(Deserialize, Default)]
+        pub struct Config {
+            pub separator: Option<char>,
+            pub decimals: Option<u8>,
         }
+    12  assistant, calls read_file
+        A configuration file may set it too.
+        call 1: read_file
+          limit: 40
+          path: "tally.toml"
+    14  tool, answers read_file
+        separator = ","
+        decimals = 2
~ 12 16  assistant: content
-        The flag is called `--separator`; `--sep` is taken for an unknown option and dropped by `allow_external_subcommands`.
+        Your `tally.toml` sets `separator = ","`, and the file wins over the flag.

-        Use `--separator ';'`, or give the flag the alias `sep`.
+        Remove the line, or use `--no-config`.
"#;

#[test]
fn runs_that_part_at_a_tool_argument_are_shown_from_there_on() {
    let ran = twins().sess(&["diff", "-U1", "diff-left.jsonl", "diff-right.jsonl"]);
    assert_eq!(ran, Ran::new(1, LEFT_AND_RIGHT, ""));
}

#[test]
fn runs_with_other_ids_times_and_spelling_are_the_same() {
    let env = twins();
    let ran = env.sess(&["diff", "diff-left.jsonl", "diff-same.jsonl"]);
    assert_eq!(ran, Ran::new(0, "same: 7 messages\n", ""));
    let replayed = env.sess(&["diff", "--replayed", "diff-left.jsonl", "diff-same.jsonl"]);
    assert_eq!(replayed, ran);
}

#[test]
fn strictly_ids_and_times_count() {
    let ran = twins().sess(&["diff", "--strict", "diff-left.jsonl", "diff-same.jsonl"]);
    let expected = r#"--- diff-left.jsonl (7 messages)
+++ diff-same.jsonl (7 messages)
first divergence: left message 1 (line 2), right message 1 (line 2): id
- "a3402362-0003-4000-8000-000000000002"
+ "92764362-0005-4000-8000-000000000002"

@@ left 1-7, right 1-7 @@
~  2  2  system: id
-        id: "[-a3402362-]-[-0003-]-4000-8000-000000000002"
+        id: "{+92764362+}-{+0005+}-4000-8000-000000000002"
-        ts: "2026-03-[-14T11-]:[-40-]:[-02.085151Z-]"
+        ts: "2026-03-{+14T14+}:{+07+}:{+19.085151Z+}"
"#;
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    assert!(ran.out.starts_with(expected), "{}", ran.out);
}

#[test]
fn the_counts_are_by_role() {
    let ran = twins().sess(&["diff", "--stat", "diff-left.jsonl", "diff-right.jsonl"]);
    let expected = "\
--- diff-left.jsonl (7 messages)
+++ diff-right.jsonl (9 messages)
first divergence: left message 5 (line 8), right message 5 (line 8): arguments.path of call 1, read_file
- \"src/args.rs\"
+ \"src/config.rs\"
                  same     changed   only left  only right
system               1           0           0           0
user                 1           0           0           0
assistant            1           2           0           1
tool                 1           1           0           1
all                  4           3           0           2
";
    assert_eq!(ran, Ran::new(1, expected, ""));
}

#[test]
fn the_sides_can_stand_beside_each_other() {
    let ran = twins().sess(&[
        "diff",
        "--side-by-side",
        "-U0",
        "diff-left.jsonl",
        "diff-right.jsonl",
    ]);
    let hunk = r#"
@@ left 5-7, right 5-9 @@
8 assistant, calls read_file                                     ~ 8 assistant, calls read_file
  call 1: read_file                                                  call 1: read_file
  ⋮ 1 same line                                                      ⋮ 1 same line
    path: "src/[-args.rs-]"                                      ~     path: "src/{+config.rs+}"
10 tool, answers read_file                                       ~ 10 tool, answers read_file
  #[derive(Parser)]                                              ~   #[derive(Deserialize, Default)]
  pub struct Args {                                              ~   pub struct Config {
      /// The separator between fields.                          ~       pub separator: Option<char>,
      #[arg(long = "separator", default_value = ",")]            ~       pub decimals: Option<u8>,
      pub separator: char,                                       -
  ⋮ 1 same line                                                      ⋮ 1 same line
                                                                 + 12 assistant, calls read_file
                                                                 +   A configuration file may set it too.
"#;
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    assert!(ran.out.contains(hunk), "{}", ran.out);
}

#[test]
fn a_compaction_on_one_side_is_shown_as_one() {
    let env = with_samples(&["two-compactions.jsonl"]);
    let whole = std::fs::read_to_string(env.path("two-compactions.jsonl")).unwrap();
    let lines = |count: usize| -> String { whole.split_inclusive('\n').take(count).collect() };
    env.write("before.jsonl", lines(14));
    env.write("after.jsonl", lines(16));

    let ran = env.sess(&["diff", "before.jsonl", "after.jsonl"]);
    assert_eq!(ran, Ran::new(0, "same: 8 messages\n", ""));

    let ran = env.sess(&["diff", "--replayed", "-U0", "before.jsonl", "after.jsonl"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    assert!(
        ran.out
            .starts_with("--- before.jsonl (8 messages)\n+++ after.jsonl (3 messages)\n"),
        "{}",
        ran.out
    );
    let compaction =
        "\n+    16  compaction\n+        [Conversation summary — earlier turns compacted]\n";
    assert!(ran.out.contains(compaction), "{}", ran.out);
}

#[test]
fn a_damaged_line_is_skipped_and_named() {
    let env = with_samples(&["healthy.jsonl", "mid-file-damage.jsonl"]);
    let ran = env.sess(&["diff", "-U0", "healthy.jsonl", "mid-file-damage.jsonl"]);
    let top = "\
--- healthy.jsonl (15 messages)
+++ mid-file-damage.jsonl (14 messages)
first divergence: only left has message 7 (line 15): tool, answers read_file

@@ left 7, right after 6 @@
- 15     tool, answers read_file
-        //! Adds up one column.
-
";
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.starts_with(top), "{}", ran.out);
    assert_eq!(
        ran.err,
        "sess: mid-file-damage.jsonl:15: the JSON ends before it is whole; the line was skipped\n"
    );
}

#[test]
fn what_cannot_be_told_ends_with_two() {
    let env = twins();
    env.write("notes.txt", "milk\n");
    let cases: [(&[&str], &str); 3] = [
        (
            &["diff", "-q", "diff-left.jsonl", "notes.txt"],
            "sess: notes.txt: not a transcript: no line of it is an envelope\n",
        ),
        (
            &["diff", "-q", "gone.jsonl", "diff-left.jsonl"],
            "sess: gone.jsonl: no such file; there is nothing to look at\n",
        ),
        (
            &["diff", "-", "-"],
            "sess: standard input can be one side only\n\
             hint: the other can be a pipe of its own: `sess diff - <(…)`\n",
        ),
    ];
    for (words, expected) in cases {
        assert_eq!(env.sess(words), Ran::new(2, "", expected), "{words:?}");
    }
}

#[test]
fn one_side_may_come_from_standard_input() {
    let env = twins();
    let left = std::fs::read(env.path("diff-left.jsonl")).unwrap();
    let ran = env.sess_with_input(&["diff", "-", "diff-same.jsonl"], &left);
    assert_eq!(ran, Ran::new(0, "same: 7 messages\n", ""));
}

fn json_of(env: &TestEnv, words: &[&str]) -> (Option<i32>, Value) {
    let ran = env.sess(words);
    assert_eq!(ran.err, "");
    (ran.code, serde_json::from_str(&ran.out).unwrap())
}

#[test]
fn the_document_of_two_runs_that_are_the_same() {
    let words = ["diff", "--json", "diff-left.jsonl", "diff-same.jsonl"];
    let expected = json!({
        "left": {"path": "diff-left.jsonl", "messages": 7, "warnings": []},
        "right": {"path": "diff-same.jsonl", "messages": 7, "warnings": []},
        "same": true,
        "hunks": [],
        "counts": {"equal": 7, "changed": 0, "only-left": 0, "only-right": 0},
    });
    assert_eq!(json_of(&twins(), &words), (Some(0), expected));
}

#[test]
fn the_document_of_two_runs_that_part() {
    let env = twins();
    let words = [
        "diff",
        "--json",
        "-U1",
        "diff-left.jsonl",
        "diff-right.jsonl",
    ];
    let (code, document) = json_of(&env, &words);
    let place = |number: u64, line: u64, id: &str, role: &str| json!({"number": number, "line": line, "id": id, "type": "message", "role": role});
    let left = place(5, 8, "588cfd88-0003-4000-8000-000000000008", "assistant");
    let right = place(5, 8, "d0280d88-0004-4000-8000-000000000008", "assistant");
    let difference = json!({
        "field": "arguments.path",
        "call": 1,
        "tool": "read_file",
        "left": "src/args.rs",
        "right": "src/config.rs",
    });
    assert_eq!(code, Some(1));
    assert_eq!(document["same"], json!(false));
    assert_eq!(
        document["first-divergence"],
        json!({"left": left, "right": right, "differences": [difference]})
    );
    assert_eq!(
        document["counts"],
        json!({"equal": 4, "changed": 3, "only-left": 0, "only-right": 2})
    );
    let hunk = &document["hunks"][0];
    assert_eq!(hunk["left"], json!({"first": 4, "count": 4}));
    assert_eq!(hunk["right"], json!({"first": 4, "count": 6}));
    assert_eq!(
        hunk["rows"][0],
        json!({
            "state": "equal",
            "left": place(4, 6, "1c1e0a26-0003-4000-8000-000000000006", "tool"),
            "right": place(4, 6, "93b91a26-0004-4000-8000-000000000006", "tool"),
        })
    );
    let with = |mut place: Value, path: &str| {
        place["content"] = json!("The flag is declared in `src/args.rs`.");
        place["calls"] = json!([{"tool": "read_file", "arguments": {"limit": 40, "path": path}}]);
        place
    };
    assert_eq!(
        hunk["rows"][1],
        json!({
            "state": "changed",
            "left": with(left, "src/args.rs"),
            "right": with(right, "src/config.rs"),
            "differences": [difference],
        })
    );
    let mut answer = place(8, 14, "8574e7ae-0004-4000-8000-000000000014", "tool");
    answer["content"] = json!("separator = \",\"\ndecimals = 2\n");
    answer["answers"] = json!("read_file");
    assert_eq!(
        hunk["rows"][4],
        json!({"state": "only-right", "right": answer})
    );
}

/// What must not reach a terminal: controls but the line feed, and what reorders or hides text.
fn is_danger(mark: char) -> bool {
    (mark.is_control() && mark != '\n')
        || matches!(u32::from(mark),
            0x61c | 0x200b | 0x200e | 0x200f | 0x2028..=0x202e | 0x2060..=0x2069
            | 0xfeff | 0xfff9..=0xfffb | 0xe0000..=0xe007f)
}

#[test]
fn nothing_hostile_leaves_as_it_is() {
    let env = with_samples(&["healthy.jsonl", "hostile.jsonl"]);
    for options in [
        &["-U9"][..],
        &["--side-by-side"],
        &["--stat"],
        &["--strict"],
        &["--replayed"],
    ] {
        for files in [
            ["healthy.jsonl", "hostile.jsonl"],
            ["hostile.jsonl", "healthy.jsonl"],
        ] {
            let words = [&["diff"], options, &files].concat();
            let ran = env.sess(&words);
            assert_eq!(ran.code, Some(1), "{words:?}");
            for text in [&ran.out, &ran.err] {
                let found = text.chars().find(|mark| is_danger(*mark));
                assert_eq!(found, None, "{words:?}");
            }
        }
    }
}
