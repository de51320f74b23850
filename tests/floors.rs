//! House rules, read from the sources.
//!
//! Imports point down the floors only, and neighbours on a floor do not know each other. Every
//! source is reached from its root, starts with its own documentation, and stays short.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::support::pack;
use crate::support::source;

/// One room of the library: a module directly below the crate.
struct Room {
    name: &'static str,
    /// Rooms may use the floors below; only on the ground floor neighbours know each other.
    floor: u8,
    /// Lower rooms it does without all the same.
    avoids: &'static [&'static str],
    /// Names it must not say: other crates, or what belongs to another room.
    unspoken: &'static [&'static str],
}

const GROUND: u8 = 1;
const OUTSIDE_WORLD: &[&str] = &["tokio", "clap", "ratatui", "crossterm", "reqwest", "anyhow"];
const NO_FILES_EITHER: &[&str] = &[
    "tokio",
    "clap",
    "ratatui",
    "crossterm",
    "reqwest",
    "anyhow",
    "fs",
];
const SCREEN_AND_ARGUMENTS: &[&str] = &["clap", "ratatui", "crossterm", "anyhow"];

#[rustfmt::skip]
const ROOMS: &[Room] = &[
    Room { name: "message",   floor: GROUND, avoids: &[], unspoken: NO_FILES_EITHER },
    Room { name: "canonical", floor: GROUND, avoids: &[], unspoken: NO_FILES_EITHER },
    Room { name: "id",        floor: GROUND, avoids: &[], unspoken: NO_FILES_EITHER },
    Room { name: "clock",     floor: GROUND, avoids: &[], unspoken: NO_FILES_EITHER },
    Room { name: "session",   floor: 2, avoids: &[], unspoken: OUTSIDE_WORLD },
    Room { name: "look",      floor: 3, avoids: &[], unspoken: OUTSIDE_WORLD },
    Room { name: "backend",   floor: 3, avoids: &[], unspoken: SCREEN_AND_ARGUMENTS },
    Room { name: "tool",      floor: 3, avoids: &[], unspoken: SCREEN_AND_ARGUMENTS },
    Room { name: "context",   floor: 3, avoids: &[], unspoken: SCREEN_AND_ARGUMENTS },
    Room { name: "mcp",       floor: 3, avoids: &[], unspoken: SCREEN_AND_ARGUMENTS },
    Room { name: "policy",    floor: 3, avoids: &[], unspoken: SCREEN_AND_ARGUMENTS },
    Room { name: "agent",     floor: 4, avoids: &[], unspoken: SCREEN_AND_ARGUMENTS },
    // The viewer reads: it neither runs anything nor opens a transcript for writing.
    Room { name: "view",      floor: 5, avoids: &["backend", "tool", "context", "mcp", "policy", "agent"],
           unspoken: &["clap", "reqwest", "anyhow", "Session"] },
    Room { name: "cli",       floor: 6, avoids: &[], unspoken: &["ratatui", "reqwest"] },
];

const LONGEST_FILE: usize = 500;
const EXCUSE: &str = "over 500 lines because";

#[test]
fn imports_point_down_the_floors_only() {
    let sources = rust_files("src");
    let exports = exports(&sources["src/lib.rs"]);
    let wrong: Vec<String> = sources
        .iter()
        .filter(|(path, _)| *path != "src/lib.rs" && !path.ends_with("/tests.rs"))
        .flat_map(|(path, source)| upward_imports(path, source, &exports))
        .collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn the_binary_knows_only_the_command() {
    for (path, source) in rust_files("bin") {
        let code = source::code_of(&source);
        for (_, name) in source::paths(&source::tokens(&code), &["sess"]) {
            assert_eq!(name.get(1), Some(&"cli"), "{path} says {}", name.join("::"));
        }
    }
}

#[test]
fn no_source_is_forgotten() {
    let manifest = read("Cargo.toml");
    let roots: Vec<&str> = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("path = \"")?.strip_suffix('"'))
        .filter(|path| path.ends_with(".rs"))
        .collect();
    let files: BTreeMap<String, String> = ["src", "bin", "tests", "samples", "benches"]
        .into_iter()
        .flat_map(rust_files)
        .collect();
    let forgotten = unreached(&files, &roots);
    assert!(
        forgotten.is_empty(),
        "no `mod` or `path` leads to {forgotten:?}"
    );
}

#[test]
fn every_source_says_what_it_is_and_stays_short() {
    for folder in ["src", "bin", "tests", "samples", "benches"] {
        for (path, source) in rust_files(folder) {
            let fault = fault_of_shape(&path, &source);
            assert_eq!(fault, None, "{path}");
        }
    }
}

/// What one file of `src/` imports against the rules, as `path:line: what`.
fn upward_imports(path: &str, source: &str, exports: &BTreeMap<String, String>) -> Vec<String> {
    let module = module_of(path);
    let Some(room) = module.first().and_then(|name| room(name)) else {
        return vec![format!(
            "{path}: this room stands on no floor; give it one in tests/floors.rs"
        )];
    };
    let code = source::code_of(source);
    let tokens = source::tokens(&code);
    let at = |offset: usize| format!("{path}:{}", source::line_at(source, offset));
    let mut wrong = Vec::new();
    for (offset, name) in source::paths(&tokens, &["crate", "super"]) {
        let target = room_named_by(&name, &module, exports);
        if let Some(target) = target.filter(|target| !may_use(room, target)) {
            wrong.push(format!(
                "{}: {} must not use {target}",
                at(offset),
                room.name
            ));
        }
    }
    for &(offset, word) in &tokens {
        if room.unspoken.contains(&word) {
            wrong.push(format!(
                "{}: {} must not know {word}",
                at(offset),
                room.name
            ));
        }
    }
    for (offset, name) in source::paths(&tokens, &["SystemTime", "Utc", "Local"]) {
        if name[1] == "now" && room.name != "clock" {
            wrong.push(format!(
                "{}: the wall clock is read by clock only",
                at(offset)
            ));
        }
    }
    wrong
}

fn may_use(from: &Room, target: &str) -> bool {
    match room(target) {
        Some(to) if to.name == from.name => true,
        Some(to) if to.floor == from.floor => to.floor == GROUND,
        Some(to) => to.floor < from.floor && !from.avoids.contains(&to.name),
        // A glob of the whole crate would hide what is used.
        None => target != "*",
    }
}

/// The room a path leads to: its own name, or the home of a name re-exported by `lib.rs`.
fn room_named_by(
    path: &[&str],
    module: &[&str],
    exports: &BTreeMap<String, String>,
) -> Option<String> {
    let mut place = if path[0] == "crate" {
        Vec::new()
    } else {
        module.to_vec()
    };
    for &segment in path.iter().filter(|&&segment| segment != "crate") {
        if segment == "super" {
            place.pop();
        } else {
            place.push(segment);
        }
    }
    let first = *place.first()?;
    Some(
        exports
            .get(first)
            .cloned()
            .unwrap_or_else(|| first.to_owned()),
    )
}

fn room(name: &str) -> Option<&'static Room> {
    ROOMS.iter().find(|room| room.name == name)
}

/// `src/session/write.rs` is the module `session::write`; `src/session/mod.rs` is `session`.
fn module_of(path: &str) -> Vec<&str> {
    let inside = path
        .strip_prefix("src/")
        .and_then(|path| path.strip_suffix(".rs"));
    let mut module: Vec<&str> = inside.unwrap_or_default().split('/').collect();
    if module.last() == Some(&"mod") {
        module.pop();
    }
    module
}

/// The names `lib.rs` re-exports, with the room each comes from.
fn exports(lib: &str) -> BTreeMap<String, String> {
    let code = source::code_of(lib);
    let uses = source::uses(&source::tokens(&code));
    let reexports = uses.iter().filter_map(|path| match path.as_slice() {
        [room, .., name] => Some(((*name).to_owned(), (*room).to_owned())),
        _ => None,
    });
    reexports.collect()
}

/// The files that no `mod` line reaches from the roots.
fn unreached(files: &BTreeMap<String, String>, roots: &[&str]) -> BTreeSet<String> {
    let mut forgotten: BTreeSet<String> = files.keys().cloned().collect();
    let mut open: Vec<(String, bool)> = roots.iter().map(|&root| (root.to_owned(), true)).collect();
    while let Some((path, is_root)) = open.pop() {
        if forgotten.remove(&path) {
            open.extend(
                children(&path, is_root, &files[&path])
                    .into_iter()
                    .map(|child| (child, false)),
            );
        }
    }
    forgotten
}

/// Where the `mod x;` lines of a file may lead: by its name beside or below the file, or by `#[path]`.
fn children(path: &str, is_root: bool, source: &str) -> Vec<String> {
    let (folder, file) = path.rsplit_once('/').unwrap_or_default();
    let below = match file {
        _ if is_root => folder.to_owned(),
        "mod.rs" => folder.to_owned(),
        _ => format!("{folder}/{}", file.trim_end_matches(".rs")),
    };
    let mut children = Vec::new();
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    for (index, line) in lines.iter().enumerate() {
        let declared = line
            .trim_start_matches("pub ")
            .trim_start_matches("pub(crate) ");
        let Some(name) = declared
            .strip_prefix("mod ")
            .and_then(|rest| rest.strip_suffix(';'))
        else {
            continue;
        };
        let above = index.checked_sub(1).map_or("", |above| lines[above]);
        match above
            .strip_prefix("#[path = \"")
            .and_then(|rest| rest.strip_suffix("\"]"))
        {
            Some(named) => children.push(join(folder, named)),
            None => children.extend([
                format!("{below}/{name}.rs"),
                format!("{below}/{name}/mod.rs"),
            ]),
        }
    }
    children
}

/// `join("samples", "../tests/x.rs")` is `tests/x.rs`.
fn join(folder: &str, relative: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in relative.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// What is wrong with a file as a whole.
fn fault_of_shape(path: &str, source: &str) -> Option<String> {
    let header: Vec<&str> = source
        .lines()
        .take_while(|line| line.starts_with("//!"))
        .collect();
    if header.is_empty() {
        return Some("does not begin with a `//!` doc".to_owned());
    }
    let lines = source.lines().count();
    if lines > LONGEST_FILE && path.starts_with("src/") && !header.join(" ").contains(EXCUSE) {
        return Some(format!("{lines} lines and no \"{EXCUSE} …\" in its header"));
    }
    let code = source::code_of(source);
    let has_logic = source::tokens(&code).iter().any(|token| token.1 == "fn");
    if path.starts_with("src/") && path.ends_with("/mod.rs") && has_logic {
        return Some("a `mod.rs` holds docs, `mod` lines and re-exports, no functions".to_owned());
    }
    None
}

/// The Rust files below a folder of the repository, by their path from its top.
fn rust_files(folder: &str) -> BTreeMap<String, String> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    if !place.exists() {
        return BTreeMap::new();
    }
    pack::read_folder(&place)
        .into_iter()
        .filter(|(path, _)| path.ends_with(".rs"))
        .map(|(path, bytes)| {
            (
                format!("{folder}/{path}"),
                String::from_utf8(bytes).expect("a source is UTF-8"),
            )
        })
        .collect()
}

fn read(path: &str) -> String {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&place).unwrap_or_else(|error| panic!("{}: {error}", place.display()))
}

/// The rules applied to invented sources.
mod rules {
    use super::*;

    fn check_imports(path: &str, source: &str, expected: &[&str]) {
        let exports = exports("pub use session::Session;\npub use canonical::{Json, Sha256Hex};");
        assert_eq!(upward_imports(path, source, &exports), expected);
    }

    #[test]
    fn an_upward_import_is_named_with_its_line() {
        check_imports(
            "src/session/write.rs",
            "//! Doc of crate::agent.\nuse crate::{id, look::stats};\n",
            &["src/session/write.rs:2: session must not use look"],
        );
    }

    #[test]
    fn a_sideways_import_is_allowed_on_the_ground_only() {
        check_imports("src/message.rs", "use crate::canonical::Json;", &[]);
        check_imports(
            "src/backend/http.rs",
            "use crate::tool;",
            &["src/backend/http.rs:1: backend must not use tool"],
        );
    }

    #[test]
    fn a_way_over_super_or_over_a_reexport_is_seen() {
        check_imports(
            "src/id.rs",
            "use super::session::Kind;",
            &["src/id.rs:1: id must not use session"],
        );
        check_imports(
            "src/look/a/b.rs",
            "use super::super::super::agent::Run;",
            &["src/look/a/b.rs:1: look must not use agent"],
        );
        check_imports("src/look/a.rs", "use super::agent;", &[]);
        check_imports(
            "src/canonical/json.rs",
            "fn f(_: crate::Session) {}",
            &["src/canonical/json.rs:1: canonical must not use session"],
        );
        check_imports("src/look/a.rs", "use crate::Session;", &[]);
        check_imports(
            "src/look/a.rs",
            "use crate::*;",
            &["src/look/a.rs:1: look must not use *"],
        );
    }

    #[test]
    fn the_viewer_reads_and_knows_no_backend() {
        check_imports(
            "src/view/app.rs",
            "use crate::look::Index;\nuse ratatui::backend::TestBackend;",
            &[],
        );
        check_imports(
            "src/view/app.rs",
            "use crate::backend;\nuse crate::Session;",
            &[
                "src/view/app.rs:1: view must not use backend",
                "src/view/app.rs:2: view must not know Session",
            ],
        );
    }

    #[test]
    fn foreign_crates_stay_on_their_floor() {
        check_imports(
            "src/look/a.rs",
            "fn f() { tokio::spawn(g) }",
            &["src/look/a.rs:1: look must not know tokio"],
        );
        check_imports("src/look/a.rs", "// tokio\nconst A: &str = \"tokio\";", &[]);
        check_imports(
            "src/agent/a.rs",
            "use clap::Parser;",
            &["src/agent/a.rs:1: agent must not know clap"],
        );
        check_imports(
            "src/id.rs",
            "use std::fs;",
            &["src/id.rs:1: id must not know fs"],
        );
    }

    #[test]
    fn only_the_clock_reads_the_clock() {
        check_imports("src/clock.rs", "SystemTime::now()", &[]);
        check_imports(
            "src/session/a.rs",
            "SystemTime::now()",
            &["src/session/a.rs:1: the wall clock is read by clock only"],
        );
    }

    #[test]
    fn a_room_without_a_floor_is_refused() {
        check_imports(
            "src/attic/mod.rs",
            "",
            &["src/attic/mod.rs: this room stands on no floor; give it one in tests/floors.rs"],
        );
    }

    #[test]
    fn what_only_tests_use_is_free() {
        check_imports(
            "src/id.rs",
            "#[cfg(test)]\nmod tests { use crate::session::Session; }",
            &[],
        );
    }

    #[test]
    fn a_file_is_reached_by_name_by_folder_or_by_path() {
        let files = [
            ("tests/main.rs", "mod a;\n    pub mod b;"),
            ("tests/a.rs", "mod c;"),
            ("tests/a/c.rs", ""),
            ("tests/b/mod.rs", "mod d;"),
            ("tests/b/d.rs", "#[path = \"../../samples/e.rs\"]\nmod e;"),
            ("tests/f.rs", "// mod f;"),
            ("samples/e.rs", ""),
        ];
        let files = files
            .map(|(path, source)| (path.to_owned(), source.to_owned()))
            .into();
        assert_eq!(
            unreached(&files, &["tests/main.rs"]),
            ["tests/f.rs".to_owned()].into()
        );
    }

    #[test]
    fn a_file_needs_a_doc_and_a_reason_to_be_long() {
        let long = format!("//! A doc.\n{}", "\n".repeat(LONGEST_FILE));
        assert_eq!(
            fault_of_shape("src/a.rs", "use b;"),
            Some("does not begin with a `//!` doc".to_owned())
        );
        assert!(fault_of_shape("src/a.rs", &long).is_some());
        assert_eq!(fault_of_shape("tests/a.rs", &long), None);
        assert_eq!(
            fault_of_shape(
                "src/a.rs",
                &format!("//! It is {EXCUSE} of a table.\n{long}")
            ),
            None
        );
        assert!(fault_of_shape("src/a/mod.rs", "//! A doc.\nfn logic() {}").is_some());
        assert_eq!(
            fault_of_shape("src/a/mod.rs", "//! A doc.\nmod b;\npub use b::C;"),
            None
        );
    }
}
