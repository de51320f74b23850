//! Where the many small files go.

use std::path::Path;

use tempfile::TempDir;

/// A folder in memory where the system has one, since thousands of repairs each sync a file.
pub fn fast_folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    match memory.is_dir() {
        true => tempfile::tempdir_in(memory).unwrap(),
        false => tempfile::tempdir().unwrap(),
    }
}
