//! A folder of its own and an environment in which every run is the same.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A folder for one test; runs of `sess` start in it.
pub struct TestEnv {
    folder: TempDir,
}

/// How one run ended. Output that is not UTF-8 is shown with U+FFFD; a test about bytes uses
/// [`TestEnv::command`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The exit status; none after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl TestEnv {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where the file of that name is or would be.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// Puts a file there.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Puts a copy of a sample transcript there.
    pub fn sample(&self, name: &str) -> PathBuf {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sessions");
        self.write(name, std::fs::read(samples.join(name)).unwrap())
    }

    /// `sess` with these words, not yet started: no colour variables, no pager, UTC, 80 columns,
    /// nothing on standard input.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sess"));
        command
            .args(words)
            .current_dir(self.folder())
            .env_clear()
            .env("COLUMNS", "80")
            .env("HOME", self.folder())
            .env("TZ", "UTC")
            .stdin(Stdio::null());
        // What the system itself needs, and what coverage is collected with.
        for name in ["PATH", "SystemRoot", "LLVM_PROFILE_FILE"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
    }

    /// Runs `sess` with these words.
    pub fn sess(&self, words: &[&str]) -> Ran {
        self.command(words).output().unwrap().into()
    }

    /// Runs `sess` with these words and this on standard input.
    pub fn sess_with_input(&self, words: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(words);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // On a thread of its own, so that neither side waits for the other; a command that does
        // not read to the end is not an error.
        let writer = std::thread::spawn(move || {
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output.into()
    }
}

impl Ran {
    /// What a run is compared with.
    pub fn new(code: i32, out: &str, err: &str) -> Self {
        Self {
            code: Some(code),
            out: out.to_owned(),
            err: err.to_owned(),
        }
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }
}
