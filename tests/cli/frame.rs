//! What all commands have in common.

use std::fs;

use super::{Ran, TestEnv};

const COMMANDS: [&str; 12] = [
    "peek",
    "tail",
    "view",
    "replay",
    "diff",
    "pending",
    "resolve",
    "check",
    "repair",
    "export",
    "completions",
    "man",
];

#[test]
fn help_lists_every_command_and_every_exit_status() {
    let help = TestEnv::new().sess(&["help"]);
    assert_eq!((help.code, help.err.as_str()), (Some(0), ""));
    for command in COMMANDS {
        assert!(help.out.contains(&format!("\n  {command} ")), "{command}");
    }
    assert!(help.out.ends_with(
        "\
Exit status:
  0    yes, healthy, the same; also when the reader of the output went away
  1    no, damaged, different, nothing matched
  2    could not tell: wrong usage, unreadable, not a transcript
  3    refused: locked by a writer, or data would be lost
  130  interrupted
"
    ));
}

#[test]
fn the_help_of_every_command_has_examples() {
    let env = TestEnv::new();
    for command in COMMANDS {
        let help = env.sess(&[command, "--help"]);
        assert_eq!((help.code, help.err.as_str()), (Some(0), ""), "{command}");
        let example = "\nExamples:\n  sess ";
        assert!(help.out.contains(example), "{command}: {}", help.out);
        assert!(help.out.contains("--json"), "{command}: {}", help.out);
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    let expected = concat!("sess ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(
        TestEnv::new().sess(&["--version"]),
        Ran::new(0, expected, "")
    );
}

#[test]
fn wrong_usage_ends_with_two_and_says_so_on_standard_error() {
    let env = TestEnv::new();
    let cases: [&[&str]; 12] = [
        &[],
        &["pek", "run.jsonl"],
        &["peek"],
        &["peek", "run.jsonl", "--grep", "("],
        &["peek", "run.jsonl", "--role", "robot"],
        &["peek", "run.jsonl", "--raw", "--json"],
        &["tail", "run.jsonl", "--wait"],
        &["replay", "run.jsonl", "--step", "0"],
        &["diff", "run.jsonl"],
        &["resolve", "--all", "7f3a", "run.jsonl"],
        &["resolve", "7f3a", "run.jsonl", "--outcome", "fine"],
        &["completions", "tcsh"],
    ];
    for words in cases {
        let ran = env.sess(words);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{words:?}");
        assert!(!ran.err.is_empty(), "{words:?}");
    }
}

#[test]
fn a_misspelt_command_is_corrected() {
    let ran = TestEnv::new().sess(&["pek", "run.jsonl"]);
    assert!(ran.err.contains("'peek'"), "{}", ran.err);
}

#[test]
fn a_file_cannot_be_changed_through_standard_input() {
    let expected = Ran::new(
        2,
        "",
        "sess: standard input will not do, a file is needed\nhint: a file of that name is `./-`\n",
    );
    assert_eq!(TestEnv::new().sess(&["repair", "-"]), expected);
    assert_eq!(TestEnv::new().sess(&["resolve", "7f3a", "-"]), expected);
}

#[test]
fn completions_know_every_command_in_three_shells() {
    let env = TestEnv::new();
    for (shell, sign) in [
        ("bash", "complete -F _sess "),
        ("zsh", "#compdef sess\n"),
        ("fish", "complete -c sess "),
    ] {
        let ran = env.sess(&["completions", shell]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{shell}");
        assert!(ran.out.contains(sign), "{shell}");
        for command in COMMANDS {
            assert!(ran.out.contains(command), "{shell}: {command}");
        }
    }
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let env = TestEnv::new();
    let ran = env.sess(&["man", "pages/man1"]);
    assert_eq!(ran, Ran::new(0, "", "note: 13 pages written\n"));

    let names = fs::read_dir(env.path("pages/man1")).unwrap();
    let mut names: Vec<String> = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut expected: Vec<String> = COMMANDS.map(|name| format!("sess-{name}.1")).into();
    expected.push("sess.1".to_owned());
    expected.sort();
    assert_eq!(names, expected);

    for name in names {
        let page = fs::read_to_string(env.path("pages/man1").join(&name)).unwrap();
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"] {
            assert!(
                page.contains(&format!(".SH {section}\n")),
                "{name}: {section}"
            );
        }
        assert!(page.contains("\n.SH \"EXIT STATUS\"\n"), "{name}");
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let env = TestEnv::new();
    env.write("taken", "");
    let ran = env.sess(&["man", "taken/man1"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(
        ran.err.starts_with("sess: cannot write taken/man1: "),
        "{}",
        ran.err
    );
}

#[test]
fn quiet_leaves_out_notes() {
    let ran = TestEnv::new().sess(&["-q", "man", "pages"]);
    assert_eq!(ran, Ran::new(0, "", ""));
}

#[test]
fn a_broken_pipe_is_silent_success() {
    let env = TestEnv::new();
    for words in [&["completions", "bash"][..], &["help"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran: Ran = env.command(words).stdout(writer).output().unwrap().into();
        assert_eq!(ran, Ran::new(0, "", ""), "{words:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let env = TestEnv::new();
    let mut command = env.command(&["completions", "bash"]);
    let ran: Ran = command.stdout(full).output().unwrap().into();
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.starts_with("sess: cannot write the output: "),
        "{}",
        ran.err
    );
}

#[test]
fn what_cannot_be_read_is_refused_with_a_hint_by_every_command() {
    let env = TestEnv::new();
    fs::create_dir(env.path("folder")).unwrap();
    env.write("notes", "some text\nand more\n");
    env.sample("healthy.jsonl");
    let mut files = vec!["absent", "folder", "notes"];
    if cfg!(unix) {
        // Neither what never begins nor what never ends is waited for.
        files.push("/dev/zero");
    }
    for file in files {
        let runs: [&[&str]; 7] = [
            &["peek", file],
            &["tail", file],
            &["replay", file],
            &["diff", "healthy.jsonl", file],
            &["pending", file],
            &["resolve", "--all", file],
            &["repair", file],
        ];
        for words in runs {
            let ran = env.sess(words);
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{words:?}");
            let lines: Vec<&str> = ran.err.lines().collect();
            assert!(
                matches!(lines[..], [what, hint] if what.starts_with("sess: ") && hint.starts_with("hint: ")),
                "{words:?}: {}",
                ran.err
            );
        }
    }
    if cfg!(unix) {
        let ran = env.sess(&["check", "/dev/zero"]);
        assert!(
            ran.err
                .starts_with("sess: /dev/zero: this is no regular file\nhint: ")
        );
    }
}
