//! System prompts from parts.

use std::fs;

use sess::context::prompt::{
    BlankIdentity, assemble, env_block, instructions_from_files, tool_docs,
};
use sess::{Json, Message};

// 102, 103 and 7.11
#[test]
fn an_environment_has_three_lines_and_more_when_given() {
    let facts = [
        ("os", "debian 12"),
        ("cwd", "/x"),
        ("z", "0"),
        ("platform", "linux (x86_64)"),
        ("date", "2026-01-02"),
    ];
    assert_eq!(
        env_block(facts),
        "## Environment\n\n- platform: linux (x86_64)\n- os: debian 12\n- date: 2026-01-02\n- cwd: /x\n- z: 0"
    );
    let bare = env_block::<&str, &str>([]);
    let lines: Vec<&str> = bare.lines().skip(2).collect();
    let keys = ["- platform: ", "- os: ", "- date: "];
    assert_eq!(lines.len(), keys.len());
    for (line, key) in lines.iter().zip(keys) {
        assert!(line.len() > key.len() && line.starts_with(key), "{line}");
    }
}

// 104 and 7.11
#[test]
fn tools_are_described_with_what_they_require_first() {
    let tools = [
        r#"{"function":{"name":"fs_read","description":"Read a file.\n","parameters":{"properties":{"path":{"type":"string","description":"Absolute path."},"limit":{"type":"integer"},"any":{},"nul":{"type":["string","null"],"description":" x "}},"required":["path","ghost","path"]}}}"#,
        r#"{"function":{"name":""}}"#,
        r#"{}"#,
        r#"7"#,
        r#"{"function":{"name":"bare"}}"#,
    ]
    .map(|tool| Json::parse(tool).unwrap());
    assert_eq!(
        tool_docs(&tools),
        "## Tools\n\n### fs_read\nRead a file.\n\nParameters:\n- path (string, required) - Absolute path.\n- any\n- limit (integer)\n- nul (string|null) - x\n\n### bare\n\nTakes no arguments."
    );
    assert_eq!(tool_docs(&tools[1..4]), "");
}

// 105 and 7.11
#[test]
fn instructions_are_files_under_their_names() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    fs::write(at("AGENTS.md"), "Run.\n\n").unwrap();
    fs::write(at("E.md"), "  \n").unwrap();
    fs::write(at("L.md"), "\n\n lead").unwrap();
    fs::write(at("latin"), b"\xe9").unwrap();
    fs::create_dir(at("folder")).unwrap();
    let paths = ["AGENTS.md", "missing", "E.md", "L.md", "folder"].map(at);
    assert_eq!(
        instructions_from_files(paths).unwrap(),
        "## AGENTS.md\n\nRun.\n\n## E.md\n\n## L.md\n\n\n\n lead"
    );
    let error = instructions_from_files([at("latin")]).unwrap_err();
    assert!(error.to_string().contains("latin"));
}

// 106, 107 and 7.11
#[test]
fn a_prompt_is_an_identity_and_what_is_said_behind_it() {
    let prompt = assemble("  You are.\n\n", ["## One\n\n", "", "  ", "  lead"]);
    let expected = Message::system("  You are.\n\n## One\n\n  lead");
    assert_eq!(prompt, Ok(expected.with_sysprompt().with_sticky()));
    assert_eq!(assemble::<&str>(" \n", []), Err(BlankIdentity));
}
