//! Another process: this test binary once more, with a role in its environment.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{full_disk, kills, writers};

const ROLE: &str = "SESS_TEST_ROLE";
const FILE: &str = "SESS_TEST_FILE";

/// A process that plays the role on this file, its standard input and output piped.
pub fn command(role: &str, file: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    prepare(&mut command, role, file);
    command
}

/// The same, not killed by a file size limit: its writes fail instead.
pub fn command_ignoring_the_size_signal(role: &str, file: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]);
    command.arg(std::env::current_exe().unwrap());
    prepare(&mut command, role, file);
    command
}

fn prepare(command: &mut Command, role: &str, file: &Path) {
    command
        .args(["--exact", "crash::child::another_process", "--nocapture"])
        .env(ROLE, role)
        .env(FILE, file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
}

/// Tells the parent something. The test harness writes lines of its own; those of a role begin
/// with its mark.
pub fn tell(what: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{MARK}{what}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// What a role told, out of a line of its output.
pub fn told(line: &str) -> Option<&str> {
    line.split_once(MARK).map(|(_, what)| what)
}

const MARK: &str = "told: ";

/// Does nothing unless it is started by [`command`].
#[test]
fn another_process() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let file = PathBuf::from(std::env::var_os(FILE).unwrap());
    match role.as_str() {
        "write until killed" => kills::write_until_killed(&file),
        "hold" => writers::hold(&file),
        "create" => writers::create(&file),
        "fill" => full_disk::fill(&file),
        other => panic!("no role is called {other}"),
    }
}
