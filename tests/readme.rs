//! Every command the README shows is run, in order and in one folder, and says what it shows.
//!
//! A `console` block holds `$ command` lines, each followed by its output; a line of three dots
//! stands for any lines. A command without output shown may say anything. `cargo run --release --`
//! is taken for `sess`, and `cargo run --release --example agent --` for the sample agent, whose
//! commands and transcript, `run.jsonl`, are passed over where the samples are not built; other
//! cargo commands are not run from within cargo, but checked against `.ci/run`, which runs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

struct Shown {
    command: String,
    output: Vec<String>,
}

#[test]
fn every_command_of_the_readme_says_what_the_readme_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let shown = shown_in(&readme);
    assert!(shown.len() > 10, "the README shows commands");
    let folder = tempfile::tempdir().unwrap();
    copy_samples(root, folder.path());
    for step in shown {
        let command = step
            .command
            .replacen("cargo run --release --example agent --", "agent", 1)
            .replacen("cargo run --release --", "sess", 1);
        if command.contains("run.jsonl") && !samples().join("agent").exists() {
            println!("skipped: {command}");
            continue;
        }
        if command.starts_with("cargo ") {
            let gate = fs::read_to_string(root.join(".ci/run")).unwrap();
            assert!(gate.contains(&command), "{command} is run by .ci/run");
            continue;
        }
        let said = run(&command, folder.path());
        let agrees = step.output.is_empty() || matches(&step.output, &said);
        assert!(
            agrees,
            "$ {command}\nsaid:\n{}\nshown:\n{}",
            said.join("\n"),
            step.output.join("\n")
        );
    }
}

fn shown_in(readme: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut inside = false;
    for line in readme.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match line.strip_prefix("$ ") {
                Some(command) => shown.push(Shown {
                    command: command.to_owned(),
                    output: Vec::new(),
                }),
                None => shown.last_mut().unwrap().output.push(line.to_owned()),
            },
        }
    }
    shown
}

/// The samples as they are, but written long ago.
fn copy_samples(root: &Path, folder: &Path) {
    let to = folder.join("samples/sessions");
    fs::create_dir_all(&to).unwrap();
    for entry in fs::read_dir(root.join("samples/sessions")).unwrap() {
        let from = entry.unwrap().path();
        let copy = to.join(from.file_name().unwrap());
        fs::copy(&from, &copy).unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(30 * 86_400);
        fs::File::options()
            .write(true)
            .open(&copy)
            .unwrap()
            .set_modified(long_ago)
            .unwrap();
    }
}

fn run(command: &str, folder: &Path) -> Vec<String> {
    let binaries = PathBuf::from(env!("CARGO_BIN_EXE_sess"));
    let path = format!(
        "{}:{}:{}",
        binaries.parent().unwrap().display(),
        samples().display(),
        std::env::var("PATH").unwrap()
    );
    let output = Command::new("sh")
        .args(["-c", &format!("{command} 2>&1")])
        .current_dir(folder)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env_remove("COLUMNS")
        .env_remove("SESS_FILE")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        matches!(output.status.code(), Some(0 | 1 | 130)),
        "$ {command}\n{:?}\n{text}",
        output.status
    );
    text.lines()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// Where `cargo test` puts the built samples.
fn samples() -> PathBuf {
    let sess = PathBuf::from(env!("CARGO_BIN_EXE_sess"));
    sess.parent().unwrap().join("examples")
}

/// Whether the lines are those shown, where three dots stand for any lines.
fn matches(shown: &[String], said: &[String]) -> bool {
    match shown.split_first() {
        None => said.is_empty(),
        Some((dots, rest)) if dots.trim() == "..." => {
            (0..=said.len()).any(|skip| matches(rest, &said[skip..]))
        }
        Some((line, rest)) => said
            .split_first()
            .is_some_and(|(first, more)| first == line && matches(rest, more)),
    }
}
