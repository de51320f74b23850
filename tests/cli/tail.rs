//! `sess tail`: the last lines, and lines as they come. What following survives is tested below the
//! command; here are the wiring, the notes and the ends.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Ran, TestEnv};

fn sample(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sessions");
    folder.join(name)
}

fn sess(words: &[&str]) -> Ran {
    let mut command = TestEnv::new().command(words);
    let folder = sample("");
    command.current_dir(folder).output().unwrap().into()
}

#[test]
fn the_last_entries_are_the_rows_of_peek() {
    let whole = include_str!("peek/healthy.txt");
    let rows: Vec<&str> = whole.lines().collect();
    let last = rows[rows.len() - 10..].join("\n");
    // The first row shows the date, the others are the same.
    let (first, rest) = last.split_once('\n').unwrap();
    let expected = format!("{}\n{rest}\n", first.replacen(" +2.8s ", "14 Mar ", 1));
    let ran = sess(&["tail", "healthy.jsonl"]);
    assert_eq!(ran.out, expected);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

#[test]
fn half_a_line_is_not_shown_and_a_whole_one_is() {
    let ran = sess(&["tail", "-n", "1", "interrupted.jsonl"]);
    let expected =
        "  19 17:04:04 14 Mar   tool       write_file: wrote docs/releases/0.4.0.md: 126 bytes\n";
    let note = "note: 175 bytes of half a line follow: it is being written, or it was torn\n";
    assert_eq!(ran, Ran::new(0, expected, note));
    let whole = sess(&["tail", "healthy.jsonl"]);
    assert_eq!(sess(&["tail", "no-final-newline.jsonl"]), whole);
}

#[test]
fn json_is_the_stored_bytes() {
    for name in ["crlf.jsonl", "hostile.jsonl", "no-final-newline.jsonl"] {
        let env = TestEnv::new();
        let path = sample(name);
        let words = ["tail", "--json", "-n", "3", path.to_str().unwrap()];
        let output = env.command(&words).output().unwrap();
        let stored = fs::read(&path).unwrap();
        let lines: Vec<&[u8]> = stored.split_inclusive(|byte| *byte == b'\n').collect();
        assert_eq!(output.stdout, lines[lines.len() - 3..].concat(), "{name}");
    }
}

#[test]
fn what_is_no_transcript_is_refused() {
    let env = TestEnv::new();
    env.write("array.json", "[1,\n2]\n");
    env.write("empty", "");
    let no_envelope = "not a transcript: no line of it is an envelope\n";
    for (words, what) in [
        (
            &["tail", "absent"][..],
            "no such file; there is nothing to look at\n",
        ),
        (
            &["tail", "-f", "absent"],
            "no such file; there is nothing to look at\n",
        ),
        (
            &["tail", "-f", "--wait", "."],
            "this is a folder; there is nothing to look at\n",
        ),
        (&["tail", "empty"], no_envelope),
        (&["tail", "-f", "array.json"], no_envelope),
    ] {
        let ran = env.sess(words);
        let start = format!("sess: {}: {what}hint: ", words.last().unwrap());
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{words:?}");
        assert!(ran.err.starts_with(&start), "{}", ran.err);
    }
    let ran = env.sess(&["tail", "-f", "-"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
}

#[cfg(unix)]
mod following {
    use std::fs::{self, OpenOptions};
    use std::io::{BufRead, BufReader, Read, Write};
    use std::path::Path;
    use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

    use super::super::TestEnv;

    const META: &str = "{\"id\":\"1\",\"payload\":{\"agent\":\"rook\"},\"ts\":\"2026-01-02T03:04:05.000000Z\",\"type\":\"session-meta\",\"v\":1}\n";
    const META_ROW: &str = "   1 03:04:05  2 Jan   meta       rook\n";

    fn message(content: &str) -> String {
        format!(
            "{{\"id\":\"2\",\"payload\":{{\"content\":\"{content}\",\"role\":\"user\"}},\"ts\":\"2026-01-02T03:04:06.500000Z\",\"type\":\"message\",\"v\":1}}\n"
        )
    }

    /// A `sess tail -f` under way. Each read waits for as long as it takes.
    struct Following {
        child: Child,
        out: Option<BufReader<ChildStdout>>,
        err: BufReader<ChildStderr>,
    }

    impl Following {
        fn start(env: &TestEnv, words: &[&str]) -> Self {
            let mut command = env.command(words);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let out = child.stdout.take().map(BufReader::new);
            let err = BufReader::new(child.stderr.take().unwrap());
            Self { child, out, err }
        }

        fn row(&mut self) -> String {
            let mut row = String::new();
            self.out.as_mut().unwrap().read_line(&mut row).unwrap();
            row
        }

        fn note(&mut self) -> String {
            let mut note = String::new();
            self.err.read_line(&mut note).unwrap();
            note
        }

        fn interrupt(&self) {
            let kill = format!("kill -INT {}", self.child.id());
            let killed = Command::new("sh").args(["-c", &kill]).status().unwrap();
            assert!(killed.success());
        }

        /// The exit status, and what was written to the end.
        fn end(mut self) -> (Option<i32>, String) {
            let mut rest = String::new();
            if let Some(mut out) = self.out.take() {
                out.read_to_string(&mut rest).unwrap();
            }
            self.err.read_to_string(&mut rest).unwrap();
            (self.child.wait().unwrap().code(), rest)
        }
    }

    fn append(path: &Path, text: &str) {
        let mut file = OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn entries_are_shown_as_they_come_until_an_interrupt() {
        let env = TestEnv::new();
        let path = env.write("run.jsonl", META);
        let mut following = Following::start(&env, &["tail", "-f", "run.jsonl"]);
        assert_eq!(following.row(), META_ROW);
        let line = message("half and half");
        let (head, rest) = line.split_at(40);
        append(&path, head);
        append(&path, rest);
        assert_eq!(
            following.row(),
            "   2 03:04:06  +1.5s   user       half and half\n"
        );
        following.interrupt();
        assert_eq!(following.end(), (Some(130), String::new()));
    }

    #[test]
    fn stored_lines_are_followed_byte_for_byte() {
        let env = TestEnv::new();
        let path = env.write("run.jsonl", META);
        let mut following = Following::start(&env, &["tail", "-f", "--json", "run.jsonl"]);
        assert_eq!(following.row(), META);
        let line = message("x")
            .replace("\"v\":1", " \"v\" : 1.0 ")
            .replace('\n', "\r\n");
        append(&path, &line);
        assert_eq!(following.row(), line);
        following.interrupt();
        assert_eq!(following.end(), (Some(130), String::new()));
    }

    #[test]
    fn a_reader_that_goes_away_ends_it_though_nothing_comes() {
        let env = TestEnv::new();
        env.write("run.jsonl", META);
        let mut following = Following::start(&env, &["tail", "-f", "run.jsonl"]);
        assert_eq!(following.row(), META_ROW);
        following.out = None;
        assert_eq!(following.end(), (Some(0), String::new()));
    }

    #[test]
    fn a_file_that_is_not_there_yet_is_waited_for_and_what_happens_to_it_is_said() {
        let env = TestEnv::new();
        let mut following = Following::start(&env, &["tail", "-f", "--wait", "run.jsonl"]);
        assert_eq!(following.note(), "note: no such file yet; waiting for it\n");
        let path = env.write("run.jsonl.new", META);
        fs::rename(&path, env.path("run.jsonl")).unwrap();
        assert_eq!(following.row(), META_ROW);
        assert_eq!(
            following.note(),
            "note: the file is there; reading from its start\n"
        );
        fs::remove_file(env.path("run.jsonl")).unwrap();
        let removed = "note: the file was removed; waiting for it to come back\n";
        assert_eq!(following.note(), removed);
        following.interrupt();
        assert_eq!(following.end(), (Some(130), String::new()));
    }

    #[test]
    fn a_file_with_another_under_its_name_goes_on_behind_what_both_share() {
        let env = TestEnv::new();
        env.write("run.jsonl", [META, &message("one")].concat());
        let mut following = Following::start(&env, &["tail", "-f", "-n", "1", "run.jsonl"]);
        assert_eq!(following.row(), "   2 03:04:06  2 Jan   user       one\n");
        let path = env.write("other", [META, &message("two")].concat());
        fs::rename(&path, env.path("run.jsonl")).unwrap();
        assert_eq!(following.row(), "   2 03:04:06          user       two\n");
        let replaced = "note: another file took the name; going on with line 2\n";
        assert_eq!(following.note(), replaced);
        following.interrupt();
        assert_eq!(following.end(), (Some(130), String::new()));
    }
}
