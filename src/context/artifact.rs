//! Where the full text of a long tool result is kept.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::counter::length;
use crate::canonical::Sha256Hex;
use crate::session::artifact_folder;

/// Keeps texts that are too long for the model.
///
/// ```
/// use std::io;
/// use sess::context::{Artifact, ArtifactStore};
///
/// /// Has no room.
/// struct Full;
///
/// impl ArtifactStore for Full {
///     fn store(&self, _: &str, _: &str) -> io::Result<Artifact> {
///         Err(io::Error::new(io::ErrorKind::StorageFull, "no room"))
///     }
/// }
/// assert!(Full.store("op-1", "a long text").is_err());
/// ```
pub trait ArtifactStore: Send + Sync {
    /// Keeps a text under a name made from `id`.
    fn store(&self, id: &str, text: &str) -> io::Result<Artifact>;
}

/// A text that was kept.
///
/// ```
/// # let home = tempfile::tempdir()?;
/// # let folder = home.path().join("artifacts");
/// use sess::canonical::Sha256Hex;
/// use sess::context::{Artifact, ArtifactStore, FolderStore};
/// let kept = FolderStore::new(&folder).store("op-1", "größer")?;
/// assert_eq!(
///     kept,
///     Artifact {
///         file: "op-1.txt".into(),
///         digest: Sha256Hex::of("größer".as_bytes()).to_string(),
///         bytes: 8,
///         chars: 6,
///     },
/// );
/// # Ok::<(), std::io::Error>(())
/// ```
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
/// A file appears under its name when it is whole, so a program that dies while writing leaves no
/// half text behind. Nothing is ever deleted. A file of the same name is replaced; names are made
/// from operation ids, which are unique, so that takes two transcripts with one stem, which share
/// a folder, and an id that was forged. A link in the folder's place is refused, as it is by who
/// reads the texts again: a transcript from elsewhere could come with one that leads anywhere. A
/// link in a file's place is replaced.
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

    /// The store of a transcript, in its [`artifact_folder`]. The path of a
    /// [session](crate::Session::path) is the one to give: no link is resolved here.
    pub fn beside(transcript: &Path) -> Self {
        Self::new(artifact_folder(transcript))
    }

    /// Where the texts are, or will be.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl ArtifactStore for FolderStore {
    fn store(&self, id: &str, text: &str) -> io::Result<Artifact> {
        let file = artifact_name(id);
        fs::create_dir_all(&self.folder)?;
        if fs::symlink_metadata(&self.folder)?.is_symlink() {
            let why = "the folder of artifacts is a link, which is not followed";
            return Err(io::Error::new(io::ErrorKind::NotADirectory, why));
        }
        let mut staged = NamedTempFile::new_in(&self.folder)?;
        staged.write_all(text.as_bytes())?;
        staged.persist(self.folder.join(&file))?;
        Ok(Artifact {
            file,
            digest: Sha256Hex::of(text.as_bytes()).to_string(),
            bytes: text.len() as u64,
            chars: length(text),
        })
    }
}

/// The file of an operation: its id, with an underscore for whatever might lead elsewhere.
///
/// ```
/// assert_eq!(sess::context::artifact_name("../op 1"), ".._op_1.txt");
/// ```
pub fn artifact_name(id: &str) -> String {
    if id.is_empty() {
        return "artifact.txt".to_owned();
    }
    let plain = |character: char| match character {
        'A'..='Z' | 'a'..='z' | '0'..='9' | '.' | '_' | '-' => character,
        _ => '_',
    };
    id.chars().map(plain).chain(".txt".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let left: Vec<_> = fs::read_dir(store.folder())?.collect();
        assert_eq!(left.len(), 1);
        Ok(())
    }

    #[test]
    fn a_file_where_the_folder_should_be_is_an_error_and_stays() -> io::Result<()> {
        let home = tempfile::tempdir()?;
        let blocked = home.path().join("kept");
        fs::write(&blocked, "mine")?;
        assert!(FolderStore::new(&blocked).store("op", "text").is_err());
        assert_eq!(fs::read_to_string(&blocked)?, "mine");
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_written_through_neither_as_the_folder_nor_as_a_file() -> io::Result<()> {
        use std::os::unix::fs::symlink;
        let home = tempfile::tempdir()?;
        let (elsewhere, link) = (home.path().join("elsewhere"), home.path().join("link"));
        fs::create_dir(&elsewhere)?;
        symlink(&elsewhere, &link)?;
        assert!(FolderStore::new(&link).store("op", "text").is_err());
        assert_eq!(fs::read_dir(&elsewhere)?.count(), 0);
        let secret = home.path().join("secret");
        fs::write(&secret, "secret")?;
        symlink(&secret, elsewhere.join("op.txt"))?;
        FolderStore::new(&elsewhere).store("op", "text")?;
        assert_eq!(fs::read_to_string(&secret)?, "secret");
        assert_eq!(fs::read_to_string(elsewhere.join("op.txt"))?, "text");
        Ok(())
    }
}
