//! `sess peek`: what it shows of the samples, its JSON beside the library's answer, its exit codes.

use std::fs;
use std::path::{Path, PathBuf};

use sess::canonical::write_string;
use sess::session::Peek;
use sess::{Json, Message, Session};

use super::{Ran, TestEnv};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sessions")
}

/// The samples by name, in order.
fn names() -> Vec<String> {
    let names = fs::read_dir(samples()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".jsonl")).collect();
    names.sort();
    names
}

/// Runs `sess` in the folder of the samples.
fn sess(words: &[&str]) -> Ran {
    let env = TestEnv::new();
    let mut command = env.command(words);
    command.current_dir(samples()).output().unwrap().into()
}

/// The lines of standard output without the columns in front of the text.
fn texts(ran: &Ran) -> Vec<&str> {
    let text = |line: &'_ str| line.char_indices().nth(34).map(|(at, _)| at);
    let rows = ran.out.lines();
    rows.filter_map(|line| line.get(text(line)?..)).collect()
}

#[track_caller]
fn check_whole(name: &str, expected: &str) {
    assert_eq!(sess(&["peek", name]), Ran::new(0, expected, ""), "{name}");
}

#[test]
fn a_finished_run_is_shown_as_finished() {
    check_whole("healthy.jsonl", include_str!("peek/healthy.txt"));
}

#[test]
fn a_killed_run_is_explained() {
    check_whole("interrupted.jsonl", include_str!("peek/interrupted.txt"));
}

#[test]
fn a_compacted_run_shows_everything_that_was_said() {
    check_whole(
        "two-compactions.jsonl",
        include_str!("peek/two-compactions.txt"),
    );
}

#[test]
fn a_hostile_file_is_shown_and_does_nothing_else() {
    check_whole("hostile.jsonl", include_str!("peek/hostile.txt"));
}

#[test]
fn nothing_that_drives_a_screen_leaves_the_command() {
    let forms: [&[&str]; 6] = [
        &["peek"],
        &["peek", "--full"],
        &["peek", "--type", "message", "-n", "3"],
        &["peek", "--grep", "x", "--full"],
        &["tail", "-n", "100"],
        &["peek", "--color", "never", "no/such\u{1b}[2J\u{202e}.jsonl"],
    ];
    for name in names() {
        for form in forms {
            let mut words = form.to_vec();
            if !words.last().unwrap().ends_with(".jsonl") {
                words.push(&name);
            }
            let ran = sess(&words);
            let shown = [ran.out, ran.err].concat();
            let danger = shown.chars().find(|mark| is_danger(*mark));
            assert_eq!(danger, None, "{words:?}");
        }
    }
}

/// What must never reach a terminal, put down apart from the table that keeps it away.
fn is_danger(mark: char) -> bool {
    let code = u32::from(mark);
    (mark.is_control() && mark != '\n')
        || matches!(code, 0x61c | 0x200b | 0x200e | 0x200f | 0x2028..=0x202e | 0x2060..=0x206f)
        || matches!(code, 0xfeff | 0xfff9..=0xfffb | 0xe0000..=0xe007f)
}

#[test]
fn the_document_is_what_the_library_answers() {
    for name in names() {
        let ran = sess(&["peek", "--json", &name]);
        let code = i32::from(Session::peek(samples().join(&name)).error.is_some());
        assert_eq!((ran.code, ran.err.as_str()), (Some(code), ""), "{name}");
        check_document(&ran.out, &name, &Session::peek(samples().join(&name)));
    }
}

#[test]
fn what_is_no_transcript_is_still_read_as_the_library_reads_it() {
    let env = TestEnv::new();
    let other = "{\"type\":\"user\",\"x\":1e400}\n[1]\n{\"type\":\"message\",\"payload\":{\"content\":7}}\nno\n";
    for (name, content) in [("empty", ""), ("other", other), ("zeros", "\0\0\0")] {
        env.write(name, content);
        let ran = env.sess(&["peek", "--json", name]);
        assert_eq!(ran.code, Some(2), "{name}");
        let mut peek = Session::peek(env.path(name));
        assert!(peek.error.is_some());
        let here = env.path(name).display().to_string();
        let error = peek.error.take().unwrap();
        let message = error.to_string().replace(&here, name);
        check_document_with(&ran.out, name, &peek, Some((error.kind(), &message)));
    }
    let ran = env.sess(&["peek", "--json", "absent"]);
    let expected = r#"{"path":"absent","size":0,"meta":{},"envelopes":[],"messages":[],"warnings":[],"error":{"kind":"no-file","message":"absent: no such file; there is nothing to look at"}}"#;
    assert_eq!(
        Json::parse(ran.out).unwrap(),
        Json::parse(expected).unwrap()
    );
}

#[test]
fn numbers_come_out_as_they_are_stored() {
    let env = TestEnv::new();
    let call =
        r#"{"function":{"arguments":{"n":123456789012345678901234567890.10},"name":"x"},"id":"c"}"#;
    let lines = format!(
        "{}\n{}\n",
        r#"{"v":1,"type":"session-meta","id":"a","ts":"","payload":{"big":1e400,"small":1.50}}"#,
        format_args!(
            r#"{{"id":"b","payload":{{"role":"assistant","tool-calls":[{call}]}},"ts":"","type":"message","v":1}}"#
        )
    );
    env.write("odd.jsonl", &lines);
    let ran = env.sess(&["peek", "--json", "odd.jsonl"]);
    assert_eq!(ran.code, Some(0));
    let document = Json::parse(ran.out).unwrap();
    assert_eq!(
        document.get("meta").unwrap().text(),
        r#"{"big":1e400,"small":1.50}"#
    );
    let stored: Vec<String> = lines.lines().map(str::to_owned).collect();
    let envelopes = document.get("envelopes").unwrap().items().unwrap();
    let envelopes: Vec<&str> = envelopes.iter().map(Json::text).collect();
    assert_eq!(envelopes, stored);
    let expected = format!(r#"[{{"role":"assistant","content":"","tool-calls":[{call}]}}]"#);
    assert_eq!(
        document.get("messages").unwrap().text().replace('\n', ""),
        expected
    );
}

#[track_caller]
fn check_document(out: &str, path: &str, peek: &Peek) {
    check_document_with(out, path, peek, None);
}

#[track_caller]
fn check_document_with(out: &str, path: &str, peek: &Peek, error: Option<(&str, &str)>) {
    let envelopes: Vec<&str> = peek.envelopes.iter().map(Json::text).collect();
    let messages: Vec<String> = peek.messages.iter().map(json_of).collect();
    let warnings: Vec<String> = peek
        .warnings
        .iter()
        .map(|warning| {
            format!(
                r#"{{"line":{},"offset":{},"length":{},"kind":"{}","message":{}}}"#,
                warning.line,
                warning.offset,
                warning.length,
                warning.kind.as_str(),
                string(&warning.message)
            )
        })
        .collect();
    let error = error.map(|(kind, message)| {
        format!(
            r#","error":{{"kind":"{kind}","message":{}}}"#,
            string(message)
        )
    });
    let expected = format!(
        r#"{{"path":{},"size":{},"meta":{},"envelopes":[{}],"messages":[{}],"warnings":[{}]{}}}"#,
        string(path),
        peek.size,
        peek.meta,
        envelopes.join(","),
        messages.join(","),
        warnings.join(","),
        error.unwrap_or_default()
    );
    let found = Json::parse(out).unwrap();
    assert_eq!(
        found.compact(),
        Json::parse(expected).unwrap().compact(),
        "{path}"
    );
}

fn json_of(message: &Message) -> String {
    let mut members = vec![
        format!(r#""role":"{}""#, message.role),
        format!(r#""content":{}"#, string(&message.content)),
    ];
    if !message.tool_calls.is_empty() {
        let calls: Vec<&str> = message.tool_calls.iter().map(Json::text).collect();
        members.push(format!(r#""tool-calls":[{}]"#, calls.join(",")));
    }
    let call_id = message.tool_call_id.as_deref();
    members.extend(call_id.map(|id| format!(r#""tool-call-id":{}"#, string(id))));
    members.extend(message.sticky.then(|| r#""sticky":true"#.to_owned()));
    members.extend(message.sysprompt.then(|| r#""sysprompt":true"#.to_owned()));
    members.extend(message.depth.map(|depth| format!(r#""depth":{depth}"#)));
    format!("{{{}}}", members.join(","))
}

fn string(text: &str) -> String {
    let mut json = String::new();
    write_string(&mut json, text);
    json
}

#[test]
fn filters_choose_entries_and_leave_out_the_header() {
    let file = "healthy.jsonl";
    let ran = sess(&["peek", file, "--tool", "search"]);
    assert_eq!(
        texts(&ran),
        [
            "I'll reproduce it first, and look where the mean is computed. → shell, search",
            "search path: src, pattern: fn mean",
            "search: src/sum.rs:15:pub fn mean(table: &Table, column: usize) -> f64 {",
            "search completed in 18 ms",
        ]
    );
    let ran = sess(&[
        "peek", file, "--role", "user", "--role", "system", "--grep", "crash",
    ]);
    let asked =
        "`tally --mean empty.csv` crashes. Find out why, fix it, and make sure it stays fixed.";
    assert_eq!(texts(&ran), [asked]);
    let ran = sess(&["peek", file, "--type", "grants"]);
    let grants = "3 grants: allow read_file /home/mira/src/tally; allow shell cargo *; ask shell";
    assert_eq!(texts(&ran), [grants]);
}

#[test]
fn a_search_reads_arguments_and_whole_contents() {
    let ran = sess(&[
        "peek",
        "healthy.jsonl",
        "--grep",
        "12 passed",
        "--role",
        "tool",
    ]);
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 1));
    let ran = sess(&["peek", "interrupted.jsonl", "--grep", r#""limit":12"#]);
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 2));
}

#[test]
fn nothing_that_matches_is_a_no() {
    let told = "sess: healthy.jsonl: no entry matches\n\
                hint: without --type, --role, --tool and --grep every entry is shown\n";
    let none = Ran::new(1, "", told);
    assert_eq!(sess(&["peek", "healthy.jsonl", "--tool", "nothing"]), none);
    let ran = sess(&["peek", "--json", "healthy.jsonl", "--tool", "nothing"]);
    let document = Json::parse(ran.out).unwrap();
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), told));
    assert_eq!(document.get("envelopes").unwrap().text(), "[]");
    assert!(document.get("meta").unwrap().get("agent").is_some());
}

#[test]
fn a_number_of_entries_is_the_first_ones_and_the_rest_is_counted() {
    let ran = sess(&["peek", "healthy.jsonl", "-n", "2"]);
    let whole = include_str!("peek/healthy.txt");
    let (header, rows) = whole.split_once("\n\n   1 ").unwrap();
    let first: Vec<&str> = rows.lines().take(2).collect();
    let expected = format!("{header}\n\n   1 {}\n{}\n", first[0], first[1]);
    let note = "note: 30 more entries; `sess tail` shows the end of a transcript\n";
    assert_eq!(ran, Ran::new(0, &expected, note));
    let ran = sess(&["peek", "-n", "0", "healthy.jsonl"]);
    assert_eq!(ran, Ran::new(0, &format!("{header}\n"), ""));
    let ran = sess(&["peek", "healthy.jsonl", "-n", "1", "--role", "tool"]);
    let note = "note: more entries match; `sess tail` shows the end of a transcript\n";
    assert_eq!((ran.out.lines().count(), ran.err.as_str()), (1, note));
}

#[test]
fn raw_lines_are_the_stored_bytes() {
    for name in names() {
        let env = TestEnv::new();
        let mut command = env.command(&["peek", "--raw", &name]);
        let output = command.current_dir(samples()).output().unwrap();
        let stored = fs::read(samples().join(&name)).unwrap();
        assert!(output.stdout == stored, "{name}");
    }
}

#[test]
fn whole_texts_stand_behind_a_bar() {
    let ran = sess(&[
        "peek",
        "interrupted.jsonl",
        "--full",
        "--type",
        "message",
        "--tool",
        "read_file",
    ]);
    let expected = "   5 17:03:55 14 Mar   assistant
     id: 064b8075-0002-4000-8000-000000000005
     ts: 2026-03-14T17:03:55.500278Z
     │ I'll see what went in since 0.3.2.
     → shell call_01
       command: git log --oneline v0.3.2..
     → read_file call_02
       limit: 12
       path: CHANGELOG.md
     finish-reason: tool_calls
     usage:
       cached-prompt-tokens: 937
       completion-tokens: 58
       cost: 0.001053
       prompt-tokens: 1874
       total-tokens: 1932

  10 17:03:55          tool
     id: 1d60e0ea-0002-4000-8000-000000000010
     ts: 2026-03-14T17:03:55.541823Z
     │ # Changelog
     │
     │ ## Unreleased
     │
     │ ## 0.3.2
     │
     │ - Sums keep two digits.
     tool-call-id: call_02

";
    assert_eq!(ran, Ran::new(0, expected, ""));
}

#[test]
fn standard_input_is_read_to_its_end() {
    let stored = fs::read(samples().join("healthy.jsonl")).unwrap();
    let ran = TestEnv::new().sess_with_input(&["peek", "-"], &stored);
    let expected = include_str!("peek/healthy.txt").replacen("healthy.jsonl", "-", 1);
    assert_eq!(ran, Ran::new(0, &expected, ""));
}

#[test]
fn what_cannot_be_looked_at_is_said_in_a_line_with_a_hint() {
    let env = TestEnv::new();
    fs::create_dir(env.path("folder")).unwrap();
    env.write("empty", "");
    env.write("array.json", "[{\"a\":1},\n{\"b\":2}]");
    env.write("x.gz", b"\x1f\x8b\x08\x00\x00\n");
    env.write("zeros", vec![0; 3_000_000]);
    env.write("other.jsonl", "{\"event\":\"started\"}\n");
    let cases = [
        ("absent", "no such file; there is nothing to look at"),
        ("folder", "this is a folder; there is nothing to look at"),
        ("empty", "not a transcript: no line of it is an envelope"),
        (
            "array.json",
            "not a transcript: no line of it is an envelope",
        ),
        ("x.gz", "not a transcript: no line of it is an envelope"),
        ("zeros", "not a transcript: no line of it is an envelope"),
        (
            "other.jsonl",
            "not a transcript: no line of it is an envelope",
        ),
    ];
    for (name, what) in cases {
        let ran = env.sess(&["peek", name]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{name}");
        let said: Vec<&str> = ran.err.lines().collect();
        assert_eq!(said[0], format!("sess: {name}: {what}"));
        assert!(said.len() == 2 && said[1].starts_with("hint: "), "{said:?}");
    }
    let ran = env.sess_with_input(&["peek", "-"], &[0; 100_000]);
    let expected = "sess: -: not a transcript: no line of it is an envelope\nhint: it does not look like text\n";
    assert_eq!(ran, Ran::new(2, "", expected));
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_and_things_without_an_end_are_refused() {
    let env = TestEnv::new();
    std::os::unix::fs::symlink("nowhere", env.path("dangling")).unwrap();
    for (name, what) in [
        ("dangling", "the link leads nowhere"),
        ("/dev/zero", "this is no regular file"),
    ] {
        let ran = env.sess(&["peek", name]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{name}");
        let expected = format!("sess: {name}: {what}; there is nothing to look at\n");
        assert!(ran.err.starts_with(&expected), "{}", ran.err);
    }
}

#[test]
fn lines_of_another_program_are_shown_and_refused() {
    let env = TestEnv::new();
    env.write("other.jsonl", "{\"type\":\"user\",\"text\":\"hi\"}\n");
    let ran = env.sess(&["peek", "other.jsonl"]);
    assert_eq!(ran.code, Some(2));
    let said = "sess: other.jsonl: not a transcript: its first line is of type \"user\", not \"session-meta\"\n";
    assert!(ran.err.starts_with(said), "{}", ran.err);
    let last = "   1                 ! user       text: hi\n";
    assert!(ran.out.ends_with(last), "{}", ran.out);
}

#[test]
fn a_transcript_of_another_version_is_shown_where_it_can_be_and_never_called_read() {
    let env = TestEnv::new();
    let line = "{\"id\":\"a\",\"payload\":{},\"ts\":\"\",\"type\":\"session-meta\",\"v\":2}\n";
    env.write("two.jsonl", line);
    let said = "not a transcript: unsupported version 2; this build reads version 1\n";
    for words in [
        &["peek"][..],
        &["peek", "--json"],
        &["tail"],
        &["pending"],
        &["export", "--md"],
    ] {
        let ran = env.sess(&[words, &["two.jsonl"]].concat());
        assert_eq!(ran.code, Some(2), "{words:?}");
        let expected = format!("sess: two.jsonl: {said}");
        assert!(ran.err.starts_with(&expected), "{words:?}: {}", ran.err);
    }
    assert!(env.sess(&["tail", "two.jsonl"]).out.ends_with("meta\n"));
    assert_eq!(env.sess(&["tail", "--json", "two.jsonl"]).out, line);
}

#[test]
fn a_reader_that_goes_away_is_no_trouble() {
    let env = TestEnv::new();
    for form in [&["peek"][..], &["peek", "--json"], &["peek", "--full"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let words = [form, &["huge-line.jsonl"]].concat();
        let mut command = env.command(&words);
        let ran: Ran = command
            .current_dir(samples())
            .stdout(writer)
            .output()
            .unwrap()
            .into();
        assert_eq!(ran, Ran::new(0, "", ""), "{words:?}");
    }
}
