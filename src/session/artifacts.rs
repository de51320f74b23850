//! Where the long texts are that a transcript keeps outside of itself.

use std::path::{Path, PathBuf};

/// The folder of a transcript's artifacts: `run.artifacts` beside `run.jsonl`. What stands behind
/// the last dot of the transcript's name is replaced, so a name that begins with its only dot
/// leaves `.artifacts`.
///
/// ```
/// use std::path::Path;
/// let folder = sess::session::artifact_folder(Path::new("runs/a.b.jsonl"));
/// assert_eq!(folder, Path::new("runs/a.b.artifacts"));
/// ```
pub fn artifact_folder(transcript: &Path) -> PathBuf {
    let name = transcript.file_name().unwrap_or_default().to_string_lossy();
    // A dot at the very end sets nothing apart.
    let stem = match name.rfind('.') {
        Some(dot) if dot + 1 < name.len() => &name[..dot],
        _ => &name,
    };
    transcript.with_file_name(format!("{stem}.artifacts"))
}
