//! Long texts that a transcript only names: they are kept whole in a file beside it.

use std::fs;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};

use super::visible;
use crate::Json;
use crate::session::judge::each_line;
use crate::session::payload::Payload;
use crate::session::{Verdict, artifact_folder};

/// A text kept beside a transcript, as a line of it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The operation whose result it is.
    pub op_id: String,
    /// The line that says so, counted from 1.
    pub line: u64,
    /// The name of its file, as recorded: nothing promises that it is one.
    pub file: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub digest: Option<String>,
}

/// Why a text cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// What is recorded could lead out of the folder.
    #[error("{0:?} is recorded as its file, which is not the plain name of one; it is not opened")]
    NoFileName(String),
    /// There is no such file. The transcript loads without it.
    #[error("its file is missing: {}", visible::path(.0))]
    Missing(PathBuf),
    /// Something else than a file is in its place.
    #[error("no regular file stands in its place: {}", visible::path(.0))]
    NoFile(PathBuf),
    /// It cannot be read.
    #[error("cannot read {}: {source}", visible::path(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Every artifact that a transcript names, in file order. Lines that cannot be used are passed over.
pub fn recorded(transcript: impl Read) -> io::Result<Vec<Recorded>> {
    let mut found = Vec::new();
    each_line(transcript, |line, verdict| {
        found.extend(named_by(&verdict).map(|(op_id, artifact)| Recorded {
            op_id,
            line: line.number,
            file: artifact.get_str("file").unwrap_or_default(),
            digest: artifact.get_str("digest"),
        }));
        ControlFlow::<()>::Continue(())
    })?;
    Ok(found)
}

/// A settled operation names the text of its result; so does the message that tells of one that
/// went on in the background.
fn named_by(verdict: &Verdict<'_>) -> Option<(String, Json)> {
    let Verdict::Object(envelope) = verdict else {
        return None;
    };
    let (op_id, artifact) = match Payload::of(envelope).ok()? {
        Payload::ToolSettled(settled) => (settled.op_id.to_string(), settled.get("artifact")?),
        Payload::Message(message) => {
            let op_id = Json::from_valid(message.extra("op-id")?);
            (op_id.as_str()?.into_owned(), message.extra("artifact")?)
        }
        _ => return None,
    };
    Some((op_id, Json::from_valid(artifact)))
}

/// The text of an artifact: the bytes of a regular file directly in the transcript's own folder of
/// artifacts. A link in the file's place is not followed; where the folder itself is, whoever owns
/// the transcript decides.
///
/// # Errors
/// When the recorded name is none, or there is no such file, or it cannot be read.
pub fn read(transcript: &Path, artifact: &Recorded) -> Result<Vec<u8>, ArtifactError> {
    let mut parts = Path::new(&artifact.file).components();
    let plain = matches!((parts.next(), parts.next()), (Some(Component::Normal(name)), None)
        if name.to_str() == Some(&artifact.file));
    if !plain || artifact.file.contains(['/', '\\', '\0']) {
        return Err(ArtifactError::NoFileName(artifact.file.clone()));
    }
    let path = artifact_folder(transcript).join(&artifact.file);
    let bytes = match fs::symlink_metadata(&path) {
        Ok(metadata) if !metadata.is_file() => return Err(ArtifactError::NoFile(path)),
        Ok(_) => fs::read(&path),
        Err(error) => Err(error),
    };
    bytes.map_err(|source| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ArtifactError::Missing(path),
        _ => ArtifactError::Io { path, source },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(file: &str) -> Recorded {
        Recorded {
            op_id: "o".into(),
            line: 1,
            file: file.into(),
            digest: None,
        }
    }

    #[test]
    fn both_kinds_of_line_that_name_an_artifact_are_found() {
        let lines = [
            r#"{"id":"m","payload":{},"ts":"","type":"session-meta","v":1}"#,
            r#"{"id":"s","payload":{"artifact":{"file":"o1.txt","digest":"ab"},"op-id":"o1","outcome":"completed"},"ts":"","type":"tool-settled","v":1}"#,
            r#"{"id":"t","payload":{"op-id":"o2","outcome":"failed"},"ts":"","type":"tool-settled","v":1}"#,
            r#"{"id":"u","payload":{"artifact":{"file":3},"content":"","op-id":"o3","role":"user"},"ts":"","type":"message","v":1}"#,
            "damaged",
        ];
        let found = recorded(lines.join("\n").as_bytes()).unwrap();
        let expected = [
            Recorded {
                op_id: "o1".into(),
                line: 2,
                file: "o1.txt".into(),
                digest: Some("ab".into()),
            },
            Recorded {
                op_id: "o3".into(),
                line: 4,
                file: String::new(),
                digest: None,
            },
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn only_a_plain_name_is_read() {
        let home = tempfile::tempdir().unwrap();
        let transcript = home.path().join("run.jsonl");
        fs::write(home.path().join("secret"), "secret").unwrap();
        fs::create_dir_all(home.path().join("run.artifacts/folder")).unwrap();
        fs::write(home.path().join("run.artifacts/o.txt"), "text").unwrap();
        for name in [
            "",
            ".",
            "..",
            "../secret",
            "./o.txt",
            "o.txt/",
            "/etc/passwd",
            "a\\b",
            "a\0",
        ] {
            let refused = read(&transcript, &artifact(name));
            assert!(
                matches!(refused, Err(ArtifactError::NoFileName(_))),
                "{name:?}"
            );
        }
        let missing = read(&transcript, &artifact("gone.txt"));
        assert!(matches!(missing, Err(ArtifactError::Missing(_))));
        let folder = read(&transcript, &artifact("folder"));
        assert!(matches!(folder, Err(ArtifactError::NoFile(_))));
        #[cfg(unix)]
        {
            let link = home.path().join("run.artifacts/link");
            std::os::unix::fs::symlink(home.path().join("secret"), link).unwrap();
            let link = read(&transcript, &artifact("link"));
            assert!(matches!(link, Err(ArtifactError::NoFile(_))));
        }
        assert_eq!(read(&transcript, &artifact("o.txt")).unwrap(), b"text");
    }
}
