//! The reference data of `tests/data`, opened once per test run.
//!
//! `tests/data/README.md` says what each field means. `SESS_REFERENCE_DIR` names a further folder
//! of cases (`NAME/input.jsonl`, `NAME/expect.json`), which [`cases`] then gives as well.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::OnceLock;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::pack::{self, Files};

/// One file given to the reference, and what it answered.
pub struct Case {
    /// The case's folder name.
    pub name: String,
    /// What surrounds the file.
    pub setup: Setup,
    /// The bytes of the file; `None` where there is no file.
    pub input: Option<Vec<u8>>,
    /// The answers: `load`, `peek`, `append_probe`, `file_change` and so on.
    pub expect: Value,
    /// `expect` as text, for numbers that a [`Value`] rounds.
    pub expect_text: String,
}

/// What surrounds the file of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// There is nothing at the path.
    pub absent: bool,
    /// There is a folder at the path.
    pub directory: bool,
    /// The text of a leftover `<path>.repair`.
    pub repair: Option<String>,
}

/// One transcript, cut at every byte of its last two lines.
pub struct Sweep {
    /// The sweep's folder name.
    pub name: String,
    /// The whole transcript.
    pub base: Vec<u8>,
    /// One answer for each cut; its `cut` says how many bytes of `base` are kept.
    pub records: Vec<Value>,
}

/// One answer of a pure function of the reference.
pub struct Vector {
    /// Names the vector in a failure.
    pub name: String,
    /// The function asked.
    pub kind: String,
    /// Its arguments.
    pub input: Value,
    /// Its output, or the `{class, message}` of its refusal.
    pub answer: Result<Value, Value>,
}

/// One recorded HTTP answer of a model server.
pub struct Recording {
    /// The recording's file name, without extension.
    pub name: String,
    /// Status line and header lines, where they were recorded.
    pub headers: Option<String>,
    /// The body, byte for byte.
    pub body: Vec<u8>,
    /// What a correct decoder makes of it.
    pub expected: Value,
}

/// Every case, in order of its name, and then those of `SESS_REFERENCE_DIR`.
pub fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let mut cases = read_cases(files(), "corpus/");
        if let Some(folder) = std::env::var_os("SESS_REFERENCE_DIR") {
            cases.extend(read_cases(&pack::read_folder(&PathBuf::from(folder)), ""));
        }
        cases
    })
}

/// The case of this name.
pub fn case(name: &str) -> &'static Case {
    let found = cases().iter().find(|case| case.name == name);
    found.unwrap_or_else(|| panic!("no reference case is called {name}"))
}

/// Every sweep.
pub fn sweeps() -> Vec<Sweep> {
    let bases = files().iter().filter_map(|(path, bytes)| {
        let name = path.strip_prefix("sweeps/")?.strip_suffix("/base.jsonl")?;
        Some((name, bytes))
    });
    bases
        .map(|(name, base)| Sweep {
            name: name.to_owned(),
            base: base.clone(),
            records: text(files(), &format!("sweeps/{name}/sweep.jsonl"))
                .lines()
                .map(|line| parse(line, name))
                .collect(),
        })
        .collect()
}

/// Every vector of `canonical.json`.
pub fn canonical() -> Vec<Vector> {
    let Value::Array(list) = parse(text(files(), "canonical.json"), "canonical.json") else {
        panic!("canonical.json is a list");
    };
    list.into_iter().map(vector).collect()
}

/// Every recorded answer of a model server.
pub fn sse() -> Vec<Recording> {
    let files = pack::unpack(include_bytes!("../data/sse.pack"));
    let Value::Object(expected) = parse(text(&files, "expected.json"), "expected.json") else {
        panic!("expected.json is an object");
    };
    expected
        .into_iter()
        .map(|(name, expected)| Recording {
            headers: files
                .get(&format!("{name}.headers"))
                .map(|bytes| String::from_utf8_lossy(bytes).into_owned()),
            body: files[&format!("{name}.sse")].clone(),
            expected,
            name,
        })
        .collect()
}

fn files() -> &'static Files {
    static FILES: OnceLock<Files> = OnceLock::new();
    FILES.get_or_init(|| pack::unpack(include_bytes!("../data/reference.pack")))
}

fn read_cases(files: &Files, prefix: &str) -> Vec<Case> {
    let names = files
        .keys()
        .filter_map(|path| path.strip_prefix(prefix)?.strip_suffix("/expect.json"));
    names.map(|name| read_case(files, prefix, name)).collect()
}

fn read_case(files: &Files, prefix: &str, name: &str) -> Case {
    let expect_text = text(files, &format!("{prefix}{name}/expect.json")).to_owned();
    let expect = parse(&expect_text, name);
    let description = &expect["case"];
    let setup = &description["setup"];
    let input = match description["input_generator"].as_array() {
        Some(parts) => Some(generate(parts, &expect["input"]["sha256"], name)),
        None => files.get(&format!("{prefix}{name}/input.jsonl")).cloned(),
    };
    Case {
        name: name.to_owned(),
        setup: Setup {
            absent: setup["absent"] == true,
            directory: setup["directory"] == true,
            repair: setup["repair"].as_str().map(str::to_owned),
        },
        input,
        expect,
        expect_text,
    }
}

/// Builds an input that was too big to keep: texts and repeated texts, one after the other.
fn generate(parts: &[Value], sha256: &Value, name: &str) -> Vec<u8> {
    let mut input = String::new();
    for part in parts {
        match (&part["text"], &part["repeat"], &part["times"]) {
            (Value::String(text), ..) => input.push_str(text),
            (_, Value::String(text), Value::Number(times)) => {
                let times = times.as_u64().expect("a count of repetitions");
                input.push_str(&text.repeat(times as usize));
            }
            _ => panic!("{name}: {part} is neither a text nor a repetition"),
        }
    }
    assert_eq!(
        hex_sha256(input.as_bytes()),
        sha256.as_str().unwrap_or_default(),
        "{name}"
    );
    input.into_bytes()
}

fn vector(mut fields: Value) -> Vector {
    let answer = match fields.get("error") {
        Some(error) => Err(error.clone()),
        None => Ok(fields["output"].take()),
    };
    Vector {
        name: fields["name"].as_str().expect("a name").to_owned(),
        kind: fields["kind"].as_str().expect("a kind").to_owned(),
        input: fields["input"].take(),
        answer,
    }
}

fn text<'a>(files: &'a Files, path: &str) -> &'a str {
    let bytes = files
        .get(path)
        .unwrap_or_else(|| panic!("the pack has no {path}"));
    std::str::from_utf8(bytes).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn parse(text: &str, name: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn hex_sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[test]
fn every_reference_case_is_here_and_its_input_is_the_recorded_one() {
    let recorded: Vec<&Case> = cases().iter().filter(|case| case.input.is_some()).collect();
    for case in &recorded {
        let input = case.input.as_deref().unwrap_or_default();
        assert_eq!(
            hex_sha256(input),
            case.expect["input"]["sha256"],
            "{}",
            case.name
        );
        assert_eq!(case.expect["case"]["name"], case.name.as_str());
        assert!(case.expect_text.contains(&case.name));
    }
    if std::env::var_os("SESS_REFERENCE_DIR").is_none() {
        assert_eq!((cases().len(), recorded.len()), (492, 490));
    }
    assert!(case("missing-file").setup.absent);
    assert!(case("path-is-directory").setup.directory);
    assert_eq!(
        case("repair-leftover-clean").setup.repair.as_deref(),
        Some("stale content")
    );
}

#[test]
fn every_sweep_vector_and_recording_is_here() {
    let sweeps: Vec<_> = sweeps()
        .into_iter()
        .map(|sweep| (sweep.name, sweep.base.len(), sweep.records.len()))
        .collect();
    assert_eq!(
        sweeps,
        [
            ("agent-lf".to_owned(), 6786, 393),
            ("unicode-raw-crlf".to_owned(), 7122, 466)
        ]
    );
    let vectors = canonical();
    let names: BTreeSet<&str> = vectors.iter().map(|it| it.name.as_str()).collect();
    let kinds: BTreeSet<&str> = vectors.iter().map(|it| it.kind.as_str()).collect();
    let refused = vectors.iter().filter(|it| it.answer.is_err()).count();
    assert_eq!((vectors.len(), kinds.len(), refused), (193, 24, 11));
    assert_eq!(names.len(), vectors.len());
    assert!(vectors.iter().all(|it| it.input.is_object()));
    let recordings = sse();
    assert_eq!(recordings.len(), 15);
    for recording in &recordings {
        assert_eq!(
            recording.expected["bytes"],
            recording.body.len(),
            "{}",
            recording.name
        );
    }
    let without_headers: Vec<_> = recordings
        .iter()
        .filter(|it| it.headers.is_none())
        .map(|it| &it.name)
        .collect();
    assert_eq!(without_headers, ["fakellm_plain"]);
}
