//! Long results: what the model sees of them and where the rest is. The reference measures them in
//! grapheme clusters, we in Unicode scalar values (D15); neither cuts inside a cluster.

use std::collections::BTreeSet;
use std::path::Path;

use sess::canonical::{Sha256Hex, digest_of_text};
use sess::context::{
    Artifact, ArtifactStore, FolderStore, artifact_name, excerpt, stored_marker, unstored_marker,
};

use super::kit::vectors;

/// Vectors whose clusters are longer than one scalar value: how many scalar values we leave out, and
/// our excerpt. Computed outside this project.
#[rustfmt::skip]
const D15: &[(&str, usize, &str)] = &[
    ("excerpt/exact-mixed/7", 66, "e\u{301}\u{1f600}\u{65e5}\r\n\n[MARK]\n"),
    ("excerpt/exact-mixed/16", 56, "e\u{301}\u{1f600}\u{65e5}\r\ne\u{301}\u{1f600}\u{65e5}\r\n\n[MARK]\n\u{1f600}\u{65e5}\r\n"),
    ("excerpt/exact-marks/7", 84, "a\u{301}\u{316}a\u{301}\u{316}\n[MARK]\n"),
    ("excerpt/exact-marks/16", 75, "a\u{301}\u{316}a\u{301}\u{316}a\u{301}\u{316}a\u{301}\u{316}\n[MARK]\na\u{301}\u{316}"),
    ("excerpt/exact-family/4", 100, "\n[MARK]\n"),
    ("excerpt/exact-crlf/4", 78, "\r\n\n[MARK]\n"),
    ("excerpt/exact-crlf/7", 74, "\r\n\r\n\r\n\n[MARK]\n"),
    ("excerpt/exact-flags/16", 34, "\u{1f1eb}\u{1f1f7}\u{1f1eb}\u{1f1f7}\u{1f1eb}\u{1f1f7}\u{1f1eb}\u{1f1f7}\u{1f1eb}\u{1f1f7}\u{1f1eb}\u{1f1f7}\n[MARK]\n\u{1f1eb}\u{1f1f7}\u{1f1eb}\u{1f1f7}"),
    ("excerpt/exact-jamo/4", 57, "\u{1112}\u{1161}\u{11ab}\n[MARK]\n"),
    ("excerpt/exact-jamo/7", 54, "\u{1112}\u{1161}\u{11ab}\u{1112}\u{1161}\u{11ab}\n[MARK]\n"),
    ("excerpt/exact-jamo/16", 45, "\u{1112}\u{1161}\u{11ab}\u{1112}\u{1161}\u{11ab}\u{1112}\u{1161}\u{11ab}\u{1112}\u{1161}\u{11ab}\n[MARK]\n\u{1112}\u{1161}\u{11ab}"),
];

#[test]
fn excerpts_are_the_references_except_where_clusters_are_longer_than_a_scalar() {
    let mut listed: BTreeSet<&str> = D15.iter().map(|ours| ours.0).collect();
    for vector in vectors("excerpt") {
        let input = &vector.input;
        let content = input["content"].as_str().unwrap();
        let marker = input["marker"].as_str().unwrap();
        // A limit of 0 or less means no limit there; here a budget refuses it.
        let Ok(limit @ 1..) = usize::try_from(input["limit"].as_i64().unwrap()) else {
            continue;
        };
        let ours = match excerpt(content, limit) {
            Some(cut) => (cut.elided_chars, cut.around(marker)),
            None => (0, content.to_owned()),
        };
        let output = vector.answer.as_ref().unwrap();
        let theirs = (
            usize::try_from(output["elided"].as_u64().unwrap()).unwrap(),
            output["excerpt"].as_str().unwrap().to_owned(),
        );
        let clusters = output["chars"].as_u64().unwrap();
        if clusters == content.chars().count() as u64 {
            assert_eq!(ours, theirs, "{}", vector.name);
            continue;
        }
        assert_ne!(ours, theirs, "{} no longer differs", vector.name);
        let (_, elided, text) = D15.iter().find(|(name, ..)| *name == vector.name).unwrap();
        assert_eq!(ours, (*elided, (*text).to_owned()), "{}", vector.name);
        listed.remove(vector.name.as_str());
    }
    assert_eq!(listed, BTreeSet::new());
}

// 11.4-60, 11.4-61, 11.4-64
#[test]
fn stored_excerpts_name_the_file_that_holds_the_whole() {
    for vector in vectors("excerpt-generated") {
        let input = &vector.input;
        let size = |key: &str| usize::try_from(input[key].as_u64().unwrap()).unwrap();
        let (chars, limit) = (size("chars"), size("limit"));
        let content: String = input["repeat"]
            .as_str()
            .unwrap()
            .chars()
            .cycle()
            .take(chars)
            .collect();
        let output = vector.answer.as_ref().unwrap();
        let home = tempfile::tempdir().unwrap();
        let store = FolderStore::new(home.path().join("run.artifacts"));
        let file = output["stored"]["file"].as_str().unwrap();
        let kept = store
            .store(file.strip_suffix(".txt").unwrap(), &content)
            .unwrap();
        let expected = Artifact {
            file: file.into(),
            digest: output["content-digest"].as_str().unwrap().into(),
            bytes: chars as u64,
            chars: chars as u64,
        };
        assert_eq!(kept, expected);
        let cut = excerpt(&content, limit);
        let elided = cut.as_ref().map_or(0, |cut| cut.elided_chars);
        assert_eq!(stored_marker(elided, &kept), output["marker"]);
        let shown = cut.map_or(content.clone(), |cut| cut.stored(&kept));
        let digests = (
            Sha256Hex::of(shown.as_bytes()).to_string(),
            digest_of_text(&shown).to_string(),
        );
        assert_eq!(digests.0, output["excerpt_sha256"]);
        assert_eq!(digests.1, output["data-digest-of-excerpt"]);
        let read = std::fs::read_to_string(store.folder().join(file)).unwrap();
        assert_eq!(read, content);
    }
}

#[test]
fn markers_are_the_references() {
    for vector in vectors("marker") {
        let number = |key: &str| vector.input[key].as_u64().unwrap();
        let (elided, bytes) = (usize::try_from(number("elided")).unwrap(), number("bytes"));
        let output = vector.answer.as_ref().unwrap();
        let artifact = Artifact {
            file: "op.txt".into(),
            digest: "ab".repeat(32),
            bytes,
            chars: bytes,
        };
        assert_eq!(stored_marker(elided, &artifact), output["stored"]);
        // The reference prints `?` for a file it does not know. Ours always knows its file.
        let digest = "cd".repeat(32);
        for (why, key) in [
            ("not stored", "unstored"),
            ("could not be written", "unstored-why"),
        ] {
            let text = unstored_marker(elided, bytes, why, &Sha256Hex::of(b""));
            let text = text.replace(Sha256Hex::of(b"").as_str(), &digest);
            assert_eq!(text, output[key]);
        }
    }
}

// 11.4-70, 12.14-175
#[test]
fn an_operation_id_becomes_one_flat_name() {
    for vector in vectors("artifact-name") {
        let id = vector.input["op-id"].as_str().unwrap();
        let name = vector.answer.as_ref().unwrap()["name"].as_str().unwrap();
        assert_eq!(artifact_name(id), name);
    }
    assert_eq!(artifact_name(""), "artifact.txt");
    assert_eq!(artifact_name("../../etc/passwd"), ".._.._etc_passwd.txt");
}

// 11.4-72, 12.14-175
#[test]
fn the_folder_is_named_after_the_transcript() {
    let folder = |transcript: &str| {
        let store = FolderStore::beside(&Path::new("/runs").join(transcript));
        let name = store.folder().strip_prefix("/runs").unwrap();
        name.to_str().unwrap().to_owned()
    };
    for vector in vectors("artifact-dir") {
        let transcript = vector.input["transcript"].as_str().unwrap();
        assert_eq!(folder(transcript), vector.answer.as_ref().unwrap()["dir"]);
    }
    for (transcript, expected) in [
        ("run.jsonl", "run.artifacts"),
        ("a.b.jsonl", "a.b.artifacts"),
        ("run", "run.artifacts"),
        ("run.", "run..artifacts"),
    ] {
        assert_eq!(folder(transcript), expected);
    }
}
