//! Runs of one task, to be compared.

use serde_json::json;

use super::script::{Call, Script, call};

/// Two runs that part at one argument of one tool call, and a third that equals the first but for
/// its ids, its times and the spelling of its arguments.
pub fn three_runs() -> [Script; 3] {
    let args_rs = Call {
        id: "call_02",
        ..read("src/args.rs")
    };
    let config_rs = Call {
        id: "call_02",
        ..read("src/config.rs")
    };
    let spelled_anew = Call {
        id: "toolu_7Q2",
        arguments: "{ \"path\": \"src/args.rs\", \"limit\": 40 }".to_owned(),
        ..args_rs.clone()
    };
    [
        through_args(Script::new(3, 11, 40, 2), &search("call_01"), &args_rs),
        through_config(Script::new(4, 11, 58, 31), &search("call_01"), &config_rs),
        through_args(
            Script::new(5, 14, 7, 19),
            &search("toolu_7Q1"),
            &spelled_anew,
        ),
    ]
}

fn search(id: &'static str) -> Call {
    call(
        id,
        "search",
        json!({"pattern": "separator", "path": "src"}),
        "read-only",
    )
}

fn read(path: &str) -> Call {
    call(
        "",
        "read_file",
        json!({"path": path, "limit": 40}),
        "read-only",
    )
}

fn opening(script: &mut Script, search: &Call) {
    script.line(
        "session-meta",
        json!({"agent": "rook", "model": "kimi-k2", "cwd": "/home/mira/src/tally"}),
    );
    script.system_prompt("You are rook, a coding agent. Work in small steps.");
    script.user("Why does `tally --sep ';'` ignore the separator?");
    script.wait(1_810);
    script.assistant(
        "Let me see where the separator is used.",
        "",
        std::slice::from_ref(search),
        (1_204, 40),
    );
    script.completes(1, search, 0.014_007, "src/args.rs:22:    /// The separator between fields.\nsrc/args.rs:23:    pub separator: char,\nsrc/config.rs:9:    pub separator: Option<char>,\nsrc/table.rs:31:    let fields = line.split(options.separator);\n");
    script.wait(1_330);
}

fn through_args(mut script: Script, search: &Call, read: &Call) -> Script {
    opening(&mut script, search);
    script.assistant(
        "The flag is declared in `src/args.rs`.",
        "",
        std::slice::from_ref(read),
        (1_352, 33),
    );
    script.completes(2, read, 0.002_950, "#[derive(Parser)]\npub struct Args {\n    /// The separator between fields.\n    #[arg(long = \"separator\", default_value = \",\")]\n    pub separator: char,\n}\n");
    script.wait(2_207);
    script.assistant("The flag is called `--separator`; `--sep` is taken for an unknown option and dropped by `allow_external_subcommands`.\n\nUse `--separator ';'`, or give the flag the alias `sep`.", "", &[], (1_497, 66));
    script
}

fn through_config(mut script: Script, search: &Call, read: &Call) -> Script {
    opening(&mut script, search);
    script.assistant(
        "The flag is declared in `src/args.rs`.",
        "",
        std::slice::from_ref(read),
        (1_352, 33),
    );
    script.completes(2, read, 0.003_114, "#[derive(Deserialize, Default)]\npub struct Config {\n    pub separator: Option<char>,\n    pub decimals: Option<u8>,\n}\n");
    script.wait(3_118);
    let tally_toml = Call {
        id: "call_03",
        ..self::read("tally.toml")
    };
    script.assistant(
        "A configuration file may set it too.",
        "",
        std::slice::from_ref(&tally_toml),
        (1_466, 29),
    );
    script.completes(
        3,
        &tally_toml,
        0.002_006,
        "separator = \",\"\ndecimals = 2\n",
    );
    script.wait(2_450);
    script.assistant("Your `tally.toml` sets `separator = \",\"`, and the file wins over the flag.\n\nRemove the line, or use `--no-config`.", "", &[], (1_561, 58));
    script
}
