//! Where the full text of a long tool result is kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::counter::length;
use crate::canonical::Sha256Hex;

/// Keeps texts that are too long for the model.
pub trait ArtifactStore: Send + Sync {
    /// Keeps a text under a name made from `id`.
    fn store(&self, id: &str, text: &str) -> io::Result<Artifact>;
}

/// A text that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// The file's name, without its folder.
    pub file: String,
    /// SHA-256 of its bytes.
    pub digest: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its length in characters (Unicode scalar values).
    pub chars: u64,
}

/// One file a text, in a folder that is created when the first is written.
///
/// ```
/// # let home = tempfile::tempdir()?;
/// use sess::context::{ArtifactStore, FolderStore};
/// let store = FolderStore::beside(&home.path().join("run.jsonl"));
/// let kept = store.store("op-1", "a long text")?;
/// assert_eq!((kept.file.as_str(), kept.bytes), ("op-1.txt", 11));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderStore {
    folder: PathBuf,
}

impl FolderStore {
    /// A store in this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// The store of a transcript: `run.artifacts` beside `run.jsonl`.
    pub fn beside(transcript: &Path) -> Self {
        Self::new(transcript.with_extension("artifacts"))
    }

    /// Where the texts are, or will be.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl ArtifactStore for FolderStore {
    fn store(&self, id: &str, text: &str) -> io::Result<Artifact> {
        let file = format!("{}.txt", flat_name(id));
        fs::create_dir_all(&self.folder)?;
        fs::write(self.folder.join(&file), text)?;
        Ok(Artifact {
            file,
            digest: Sha256Hex::of(text.as_bytes()).to_string(),
            bytes: text.len() as u64,
            chars: length(text),
        })
    }
}

/// An id as a file name: whatever might lead elsewhere becomes an underscore.
fn flat_name(id: &str) -> String {
    id.chars()
        .map(|character| match character {
            'A'..='Z' | 'a'..='z' | '0'..='9' | '.' | '_' | '-' => character,
            _ => '_',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_named_after_the_transcript() {
        let store = FolderStore::beside(Path::new("/runs/a.b.jsonl"));
        assert_eq!(store.folder(), Path::new("/runs/a.b.artifacts"));
    }

    #[test]
    fn the_folder_comes_with_the_first_text_and_a_hostile_id_stays_in_it() -> io::Result<()> {
        let home = tempfile::tempdir()?;
        let store = FolderStore::new(home.path().join("kept"));
        assert!(!store.folder().exists());
        let kept = store.store("../../etc/pass wd", "größe")?;
        let expected = Artifact {
            file: ".._.._etc_pass_wd.txt".into(),
            digest: Sha256Hex::of("größe".as_bytes()).to_string(),
            bytes: 7,
            chars: 5,
        };
        assert_eq!(kept, expected);
        assert_eq!(
            fs::read_to_string(store.folder().join(&kept.file))?,
            "größe"
        );
        Ok(())
    }
}
