//! Long texts that a transcript only names: they are kept whole in a file beside it.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};

use sha2::{Digest, Sha256};

use super::visible;
use crate::Json;
use crate::canonical::Sha256Hex;
use crate::session::judge::each_line;
use crate::session::payload::Payload;
use crate::session::replay::{Key, ShortKey};
use crate::session::{Verdict, artifact_folder};

/// A text kept beside a transcript, as a line of it says.
///
/// ```
/// use sess::look::artifact::recorded;
/// let line = r#"{"id":"b","payload":{"artifact":{"digest":"9f…","file":"op-1.txt"},"op-id":"op-1","outcome":"completed"},"ts":"","type":"tool-settled","v":1}"#;
/// let found = recorded(line.as_bytes())?;
/// assert_eq!((found[0].op_id.as_str(), found[0].file.as_deref()), ("op-1", Some("op-1.txt")));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The operation whose result it is.
    pub op_id: String,
    /// The line that says so, counted from 1.
    pub line: u64,
    /// The name of its file, as recorded: nothing promises that it is one.
    pub file: Option<String>,
    /// SHA-256 of its bytes, in hexadecimal.
    pub digest: Option<String>,
}

/// Why a text cannot be had.
///
/// ```
/// use std::path::Path;
/// use sess::look::artifact::{Recorded, open};
/// let leading_out = Recorded {
///     op_id: "op-1".into(),
///     line: 9,
///     file: Some("../../etc/passwd".into()),
///     digest: None,
/// };
/// let error = open(Path::new("run.jsonl"), &leading_out).err().unwrap();
/// assert!(error.to_string().contains("is not the plain name of one"));
/// ```
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// What is recorded has no name of a file, or is no object that could have one.
    #[error("what is recorded as its artifact names no file")]
    NamesNoFile,
    /// What is recorded could lead out of the folder.
    #[error("{0:?} is recorded as its file, which is not the plain name of one; it is not opened")]
    NoFileName(String),
    /// There is no such file. The transcript loads without it.
    #[error("its file is missing: {}", visible::path(.0))]
    Missing(PathBuf),
    /// Something else than a file is in its place.
    #[error("no regular file stands in its place: {}", visible::path(.0))]
    NoFile(PathBuf),
    /// The folder of artifacts leads elsewhere.
    #[error("the folder of its file is a link, which is not followed: {}", visible::path(.0))]
    LinkedFolder(PathBuf),
    /// It cannot be read.
    #[error("cannot read its file, {}: {source}", visible::path(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl ArtifactError {
    /// The kind as machine output names it.
    pub fn kind(&self) -> &'static str {
        match self {
            ArtifactError::NamesNoFile => "names-no-file",
            ArtifactError::NoFileName(_) => "no-file-name",
            ArtifactError::Missing(_) => "missing",
            ArtifactError::NoFile(_) => "no-file",
            ArtifactError::LinkedFolder(_) => "linked-folder",
            ArtifactError::Io { .. } => "unreadable",
        }
    }
}

/// Every artifact that a transcript names, in file order. Lines that cannot be used are passed
/// over, and so is a line that settles an operation again: the first one counts.
pub fn recorded(transcript: impl Read) -> io::Result<Vec<Recorded>> {
    let mut found = Vec::new();
    let mut settled = HashSet::new();
    each_line(transcript, |line, verdict| {
        found.extend(
            named_by(&verdict, &mut settled).map(|(op_id, artifact)| Recorded {
                op_id,
                line: line.number,
                file: artifact.get_str("file").filter(|name| !name.is_empty()),
                digest: artifact.get_str("digest"),
            }),
        );
        ControlFlow::<()>::Continue(())
    })?;
    Ok(found)
}

/// A settled operation names the text of its result; so does the message that tells of one that
/// went on in the background.
fn named_by(verdict: &Verdict<'_>, settled: &mut HashSet<ShortKey>) -> Option<(String, Json)> {
    let Verdict::Object(envelope) = verdict else {
        return None;
    };
    let (op_id, artifact) = match Payload::of(envelope).ok()? {
        Payload::ToolSettled(view) => {
            let is_first = settled.insert(ShortKey::of(&view.op_id));
            let artifact = view.get("artifact").filter(|_| is_first)?;
            (view.op_id.to_string(), artifact)
        }
        Payload::Message(message) => {
            let op_id = Json::from_valid(message.extra("op-id")?);
            (op_id.as_str()?.into_owned(), message.extra("artifact")?)
        }
        _ => return None,
    };
    Some((op_id, Json::from_valid(artifact)))
}

/// The text of an artifact as it is read, from its beginning on.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let transcript = folder.path().join("run.jsonl");
/// # let kept = sess::session::artifact_folder(&transcript);
/// # std::fs::create_dir(&kept)?;
/// # std::fs::write(kept.join("op-1.txt"), "all of it")?;
/// use std::io::Read;
/// use sess::canonical::Sha256Hex;
/// use sess::look::artifact::{Recorded, open};
/// let recorded = Recorded {
///     op_id: "op-1".into(),
///     line: 9,
///     file: Some("op-1.txt".into()),
///     digest: Some(Sha256Hex::of(b"all of it").to_string()),
/// };
/// let mut text = open(&transcript, &recorded)?;
/// let mut whole = String::new();
/// text.read_to_string(&mut whole)?;
/// assert_eq!((whole.as_str(), text.is_intact()), ("all of it", Some(true)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ArtifactText {
    path: PathBuf,
    file: File,
    so_far: Sha256,
    recorded: Option<String>,
}

impl ArtifactText {
    /// Where it stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Once it has been read to its end: whether it is what was kept, where a digest is recorded.
    pub fn is_intact(self) -> Option<bool> {
        let recorded = self.recorded?;
        let found = Sha256Hex::finished(self.so_far);
        Some(found.as_str().eq_ignore_ascii_case(&recorded))
    }
}

impl Read for ArtifactText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.so_far.update(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

/// Opens the text of an artifact: a regular file directly in the transcript's own folder of
/// artifacts. That folder is beside the file that the path leads to, where a session keeps it. No
/// link is followed in the folder's place or in the file's.
///
/// # Errors
/// When the recorded name is none, or there is no such file, or it cannot be opened.
pub fn open(transcript: &Path, artifact: &Recorded) -> Result<ArtifactText, ArtifactError> {
    let name = plain_name(artifact)?;
    let folder = artifact_folder(&resolved(transcript));
    if fs::symlink_metadata(&folder).is_ok_and(|it| it.is_symlink()) {
        return Err(ArtifactError::LinkedFolder(folder));
    }
    let path = folder.join(name);
    let file = match fs::symlink_metadata(&path) {
        Ok(metadata) if !metadata.is_file() => return Err(ArtifactError::NoFile(path)),
        Ok(_) => File::open(&path),
        Err(error) => Err(error),
    };
    let file = file.map_err(|source| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            ArtifactError::Missing(path.clone())
        }
        _ => ArtifactError::Io {
            path: path.clone(),
            source,
        },
    })?;
    Ok(ArtifactText {
        path,
        file,
        so_far: Sha256::new(),
        recorded: artifact.digest.clone(),
    })
}

fn plain_name(artifact: &Recorded) -> Result<&str, ArtifactError> {
    let name = artifact.file.as_deref().ok_or(ArtifactError::NamesNoFile)?;
    let mut parts = Path::new(name).components();
    let is_plain = matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None)
        if part.to_str() == Some(name));
    match is_plain && !name.contains(['/', '\\', '\0']) {
        true => Ok(name),
        false => Err(ArtifactError::NoFileName(name.to_owned())),
    }
}

/// The file that a link leads to; any other path as it is.
fn resolved(transcript: &Path) -> PathBuf {
    let is_link = fs::symlink_metadata(transcript).is_ok_and(|it| it.is_symlink());
    let target = is_link.then(|| fs::canonicalize(transcript).ok()).flatten();
    target.unwrap_or_else(|| transcript.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(file: &str) -> Recorded {
        Recorded {
            op_id: "o".into(),
            line: 1,
            file: Some(file.into()),
            digest: None,
        }
    }

    fn read(transcript: &Path, artifact: &Recorded) -> Result<Vec<u8>, ArtifactError> {
        let mut bytes = Vec::new();
        open(transcript, artifact)?.read_to_end(&mut bytes).unwrap();
        Ok(bytes)
    }

    #[test]
    fn both_kinds_of_line_that_name_an_artifact_are_found_and_a_second_settling_is_not() {
        let lines = [
            r#"{"id":"m","payload":{},"ts":"","type":"session-meta","v":1}"#,
            r#"{"id":"s","payload":{"artifact":{"file":"o1.txt","digest":"ab"},"op-id":"o1","outcome":"completed"},"ts":"","type":"tool-settled","v":1}"#,
            r#"{"id":"t","payload":{"op-id":"o2","outcome":"failed"},"ts":"","type":"tool-settled","v":1}"#,
            r#"{"id":"u","payload":{"artifact":{"file":3},"content":"","op-id":"o3","role":"user"},"ts":"","type":"message","v":1}"#,
            "damaged",
            r#"{"id":"v","payload":{"artifact":{"file":"again.txt"},"op-id":"o1","outcome":"completed"},"ts":"","type":"tool-settled","v":1}"#,
            r#"{"id":"w","payload":{"artifact":{"file":"late.txt"},"op-id":"o2","outcome":"failed"},"ts":"","type":"tool-settled","v":1}"#,
        ];
        let found = recorded(lines.join("\n").as_bytes()).unwrap();
        let expected = [
            Recorded {
                op_id: "o1".into(),
                line: 2,
                file: Some("o1.txt".into()),
                digest: Some("ab".into()),
            },
            Recorded {
                op_id: "o3".into(),
                line: 4,
                file: None,
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
        assert_eq!(read(&transcript, &artifact("o.txt")).unwrap(), b"text");
    }
    #[test]
    fn a_digest_counts_in_either_case() {
        let home = tempfile::tempdir().unwrap();
        let transcript = home.path().join("run.jsonl");
        fs::create_dir_all(home.path().join("run.artifacts")).unwrap();
        fs::write(home.path().join("run.artifacts/o.txt"), "hello").unwrap();
        let of_hello = "2CF24DBA5FB0A30E26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
        for (digest, intact) in [
            (Some(of_hello), Some(true)),
            (Some("2c"), Some(false)),
            (None, None),
        ] {
            let recorded = Recorded {
                digest: digest.map(str::to_owned),
                ..artifact("o.txt")
            };
            let mut text = open(&transcript, &recorded).unwrap();
            text.read_to_end(&mut Vec::new()).unwrap();
            assert_eq!(text.is_intact(), intact);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_the_transcript_is_followed_and_one_in_its_folder_is_not() {
        use std::os::unix::fs::symlink;
        let home = tempfile::tempdir().unwrap();
        let [real, other] = ["real", "other"].map(|name| home.path().join(name));
        fs::create_dir_all(real.join("run.artifacts")).unwrap();
        fs::create_dir_all(other.join("link.artifacts")).unwrap();
        fs::write(real.join("run.jsonl"), "").unwrap();
        fs::write(real.join("run.artifacts/o.txt"), "real").unwrap();
        fs::write(other.join("link.artifacts/o.txt"), "other").unwrap();
        let link = other.join("link.jsonl");
        symlink("../real/run.jsonl", &link).unwrap();
        assert_eq!(read(&link, &artifact("o.txt")).unwrap(), b"real");
        symlink(real.join("run.jsonl"), real.join("run.artifacts/link")).unwrap();
        let file = read(&link, &artifact("link"));
        assert!(matches!(file, Err(ArtifactError::NoFile(_))));
        fs::write(other.join("two.jsonl"), "").unwrap();
        symlink(real.join("run.artifacts"), other.join("two.artifacts")).unwrap();
        let folder = read(&other.join("two.jsonl"), &artifact("o.txt"));
        assert!(matches!(folder, Err(ArtifactError::LinkedFolder(_))));
    }
}
