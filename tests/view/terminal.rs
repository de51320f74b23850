//! The program on a terminal of its own: keys in, screens out, and the terminal as it was before.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use portable_pty::{CommandBuilder, PtySize};
use rustix::process::{Signal, kill_process};

use super::kit::sample;
use super::own::foreign;
use super::pty::{Terminal, size_of};

/// A sample in a folder of its own.
fn live(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    fs::copy(sample(name), &path).unwrap();
    (folder, path)
}

#[test]
fn keys_are_obeyed_and_the_terminal_is_given_back() {
    let mut terminal = Terminal::view(&sample("healthy.jsonl"));
    terminal.wait_for("32/32");
    terminal.press("g");
    terminal.wait_for("1/32");
    terminal.press("e");
    terminal.wait_for("8/32");
    terminal.press("\x1b[B");
    terminal.wait_for("11/32");
    terminal.press("?");
    terminal.wait_for("next, previous error");
    terminal.press("?/E0308\r");
    terminal.wait_for("/E0308: 1 of");
    terminal.press("q");
    let (code, _, screen) = terminal.ended();
    assert_eq!((code, screen.trim()), (0, ""));
}

#[test]
fn two_transcripts_are_compared_and_either_is_opened() {
    let (left, right) = (sample("diff-left.jsonl"), sample("diff-right.jsonl"));
    let words = ["diff".into(), "--view".into(), left, right];
    let mut terminal = Terminal::sess(words.map(PathBuf::into_os_string));
    terminal.wait_for("difference 1 of 4");
    terminal.press("n");
    terminal.wait_for("difference 2 of 4");
    terminal.press("?");
    terminal.wait_for("left, right entry in viewer");
    terminal.press("?>");
    terminal.wait_for("10/16");
    terminal.press("q");
    terminal.wait_for("difference 2 of 4");
    terminal.press("q");
    let (code, bytes, screen) = terminal.ended();
    assert_eq!((code, screen.trim()), (1, ""));
    assert_eq!(foreign(&bytes), None);
}

#[test]
fn what_is_too_large_to_be_compared_is_said() {
    let (_folder, large) = live("diff-left.jsonl");
    let file = OpenOptions::new().write(true).open(&large).unwrap();
    file.set_len(600 * 1024 * 1024).unwrap();
    let words = [
        "diff".into(),
        "--view".into(),
        large,
        sample("diff-right.jsonl"),
    ];
    let terminal = Terminal::sess(words.map(PathBuf::into_os_string));
    terminal.wait_for("without `--view` takes any size");
    let (code, _, screen) = terminal.ended();
    assert_eq!(code, 2);
    assert!(
        screen.contains("too large to be compared on a screen"),
        "{screen}"
    );
}

#[test]
fn what_a_pager_that_does_not_wait_writes_can_be_read() {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_sess"));
    command.arg(sample("healthy.jsonl"));
    command.env("TERM", "xterm-256color");
    command.env("SESS_PAGER", "cat");
    let mut terminal = Terminal::start(command);
    terminal.wait_for("32/32");
    terminal.press("eo");
    terminal.wait_for("(Enter goes back)");
    assert!(terminal.text().contains("panicked at src/sum.rs"));
    terminal.press("\r");
    terminal.wait_for("8/32");
    terminal.press("q");
    assert_eq!(terminal.ended().0, 0);
}

#[test]
fn the_mouse_is_left_to_the_terminal_and_taken_again() {
    let mut terminal = Terminal::view(&sample("healthy.jsonl"));
    let is_taken =
        |screen: &vt100::Screen| screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None;
    terminal.wait_for("32/32");
    terminal.wait_until("mouse", is_taken);
    terminal.press("m");
    terminal.wait_for("the mouse selects text");
    terminal.wait_until("no mouse", |screen| !is_taken(screen));
    // It stays so when the terminal was lent meanwhile.
    terminal.press("\x1a");
    terminal.wait_until("the first screen", |screen| !screen.alternate_screen());
    kill_process(terminal.pid(), Signal::CONT).unwrap();
    terminal.wait_for("32/32");
    terminal.wait_until("no mouse", |screen| !is_taken(screen));
    terminal.press("m");
    terminal.wait_until("mouse", is_taken);
    terminal.press("q");
    assert_eq!(terminal.ended().0, 0);
}

#[test]
fn a_signal_gives_the_terminal_back_and_ends_the_process() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let terminal = Terminal::view(&sample("healthy.jsonl"));
        terminal.wait_for("32/32");
        kill_process(terminal.pid(), signal).unwrap();
        let (code, _, _) = terminal.ended();
        assert_ne!(code, 0, "{signal:?}");
    }
}

/// Set in the process that is to panic, so that nobody else's run of the ignored tests does.
const PANICS: &str = "SESS_TEST_PANICS";

/// Run by the test below in a process of its own.
#[test]
#[ignore = "panics on purpose"]
fn a_screen_that_panics() {
    if std::env::var_os(PANICS).is_none() {
        return;
    }
    let _screen = sess::view::Screen::take().unwrap();
    std::thread::spawn(|| panic!("of all the things"))
        .join()
        .unwrap_err();
    std::process::exit(7);
}

#[test]
fn a_panic_gives_the_terminal_back_and_is_told() {
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "view::terminal::a_screen_that_panics",
        "--ignored",
        "--nocapture",
    ]);
    command.env("TERM", "xterm-256color");
    command.env(PANICS, "1");
    let (code, _, screen) = Terminal::start(command).ended();
    assert_eq!(code, 7);
    assert!(screen.contains("of all the things"), "{screen}");
}

#[test]
fn the_viewer_is_stopped_and_goes_on() {
    let mut terminal = Terminal::view(&sample("healthy.jsonl"));
    terminal.wait_for("32/32");
    terminal.press("\x1a");
    terminal.wait_until("the first screen", |screen| !screen.alternate_screen());
    kill_process(terminal.pid(), Signal::CONT).unwrap();
    terminal.wait_for("32/32");
    terminal.press("gq");
    assert_eq!(terminal.ended().0, 0);
}

#[test]
fn another_size_is_drawn() {
    let terminal = Terminal::view(&sample("healthy.jsonl"));
    terminal.wait_for("32/32");
    let size = PtySize {
        rows: 48,
        cols: 160,
        pixel_width: 0,
        pixel_height: 0,
    };
    let seen = Arc::clone(&terminal.seen);
    seen.lock()
        .unwrap()
        .screen
        .screen_mut()
        .set_size(size_of(48), size_of(160));
    terminal.master.resize(size).unwrap();
    // On a wide screen rows have times.
    terminal.wait_for("09:27:16");
}

#[test]
fn a_file_that_grows_is_cut_and_goes_is_followed() {
    let (_folder, path) = live("healthy.jsonl");
    let terminal = Terminal::view(&path);
    terminal.wait_for("32/32");
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    let line = r#"{"id":"x","payload":{"content":"fresh words","role":"user"},"ts":"2026-03-14T10:00:00.000000Z","type":"message","v":1}"#;
    writeln!(file, "{line}").unwrap();
    terminal.wait_for("fresh words");
    terminal.wait_for("33/33");
    file.set_len(200).unwrap();
    terminal.wait_for("the file was cut");
    let other = path.with_extension("other");
    fs::copy(sample("wide.jsonl"), &other).unwrap();
    fs::rename(&other, &path).unwrap();
    terminal.wait_for("another file took the name");
    fs::remove_file(&path).unwrap();
    terminal.wait_for("the file was removed");
}

#[test]
fn no_transcript_drives_the_terminal() {
    let (_folder, mixed) = live("hostile.jsonl");
    fs::write(&mixed, mixture()).unwrap();
    let samples = fs::read_dir(sample("")).unwrap();
    let samples = samples.map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = samples
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    files.push(mixed);
    assert!(files.len() > 10);
    for file in files {
        let mut terminal = Terminal::view(&file);
        terminal.wait_for("? help");
        for keys in [
            "g3",
            "\x1b[6~\x1b[6~\x1b[6~",
            "1",
            "a",
            "r",
            "q",
            "i",
            "q",
            "s",
            "s",
        ] {
            terminal.press(keys);
            thread::sleep(Duration::from_millis(20));
        }
        terminal.press("/\u{202e}\x7fowned\r");
        terminal.wait_for("/owned");
        terminal.press("q");
        let (_, bytes, _) = terminal.ended();
        assert_eq!(foreign(&bytes), None, "{}", file.display());
    }
}

/// Every byte and many sequences, in every place that is shown, as lines that are whole JSON or not.
fn mixture() -> Vec<u8> {
    let mut out = fs::read(sample("hostile-replay.jsonl")).unwrap();
    for byte in 0..=255_u8 {
        out.extend_from_slice(b"\x1b[2J\x1b]0;title\x07\x90q\x9c");
        out.push(byte);
        out.extend_from_slice(b"\x1b]52;c;AAAA\x1b\\\n");
        let mark = char::from(byte);
        let token = serde_json::to_string(&format!("{mark}\u{9b}31m{mark}\u{2028}")).unwrap();
        let line = format!(
            "{{\"id\":{token},\"payload\":{{\"content\":{token},\"role\":\"tool\",\"tool-call-id\":{token}}},\"ts\":{token},\"type\":\"message\",\"v\":1}}\n"
        );
        out.extend_from_slice(line.as_bytes());
    }
    out
}
