//! 11.7, scenarios 113, 116 to 118 and 123 to 128: what stands in the way of a session. Disks that
//! fill up or fail in the middle of something are elsewhere (`crash`).

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use sess::session::disk::{Access, Disk, FileSystem, LogFile};
use sess::session::{LoadError, Options};
use sess::{Json, Message, Session};

use super::place::{Place, contents, file, said};

const TORN: &[u8] = b"{\"id\":\"t\",\"payl";

fn torn() -> Vec<u8> {
    [&file(&[said("a", "user", "hi")]), TORN].concat()
}

/// A file system that refuses some things, since tests may be run by a user whom nothing is refused.
#[derive(Clone, Default)]
struct Strict {
    no_new_files: bool,
    no_appending: bool,
    /// Mode of every file at the moment it was made, and of the staged one before it is renamed.
    seen: Arc<Mutex<Vec<u32>>>,
}

impl Strict {
    fn options(&self) -> Options {
        Session::options().disk(self.clone())
    }

    fn note(&self, path: &Path) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(path).unwrap().permissions().mode() & 0o777;
            self.seen.lock().unwrap().push(mode);
        }
        #[cfg(not(unix))]
        let _ = path;
    }
}

impl Disk for Strict {
    fn open(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        match self.no_appending {
            true => Err(io::ErrorKind::PermissionDenied.into()),
            false => FileSystem::default().open(path),
        }
    }

    fn create_new(&self, path: &Path, access: Option<&Access>) -> io::Result<Box<dyn LogFile>> {
        if self.no_new_files {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let file = FileSystem::default().create_new(path, access)?;
        self.note(path);
        Ok(file)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.note(from);
        FileSystem::default().rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        FileSystem::default().remove(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        FileSystem::default().sync_folder(folder)
    }
}

#[test]
fn s113_what_is_no_transcript_is_left_alone() {
    let files: [&[u8]; 6] = [
        b"Dear diary, today",
        b"Dear diary,\ntoday\n",
        b"\x7fELF\x02\x01\x01\0\0\0",
        b"{\"a\":1}\r{\"b\":2}\r",
        b"a,b\n1,2\n3",
        &[0; 4096],
    ];
    for bytes in files {
        let place = Place::with(bytes);
        let error = place.refusal();
        assert!(error.is_not_a_transcript(), "{error}");
        assert!(place.beside().is_empty());
    }
}

#[test]
#[cfg(unix)]
fn s116_what_a_repair_cannot_have_left_is_not_removed() {
    for kind in ["folder", "link to nowhere", "link to a file"] {
        let place = Place::with(torn());
        let stage = place.folder().join("run.jsonl.repair");
        let other = place.folder().join("other.txt");
        fs::write(&other, "precious").unwrap();
        match kind {
            "folder" => fs::create_dir(&stage).unwrap(),
            "link to nowhere" => {
                std::os::unix::fs::symlink(place.folder().join("nowhere"), &stage).unwrap()
            }
            _ => std::os::unix::fs::symlink(&other, &stage).unwrap(),
        }
        let error = place.refusal();
        assert!(
            matches!(error, LoadError::StageBlocked { .. }),
            "{kind}: {error}"
        );
        assert!(stage.symlink_metadata().is_ok(), "{kind}");
        assert_eq!(fs::read_to_string(&other).unwrap(), "precious");
        assert!(!place.folder().join("nowhere").exists());
        assert_eq!(place.beside(), ["other.txt", "run.jsonl.repair"]);
    }
}

#[test]
#[cfg(unix)]
fn s117_a_link_stays_a_link_and_its_target_is_repaired() {
    let place = Place::with(torn());
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link.jsonl");
    std::os::unix::fs::symlink(&place.path, &link).unwrap();
    let session = Session::load(&link).unwrap();
    assert_eq!(session.warnings().len(), 1);
    assert_eq!(session.path(), fs::canonicalize(&place.path).unwrap());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(place.bytes() == file(&[said("a", "user", "hi")]));
    session.append_message(Message::user("ho")).unwrap();
    assert_eq!(fs::read(&link).unwrap(), place.bytes());
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
}

#[test]
#[cfg(unix)]
fn s118_a_private_transcript_is_private_at_every_moment() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with(torn());
    fs::set_permissions(&place.path, fs::Permissions::from_mode(0o600)).unwrap();
    let strict = Strict::default();
    strict.options().load(&place.path).unwrap();
    // The file for the cut bytes, the staged one, and that one again before it is renamed.
    assert_eq!(*strict.seen.lock().unwrap(), [0o600, 0o600, 0o600]);
    let new = Place::empty();
    strict
        .options()
        .create(&new.path, Json::empty_object())
        .unwrap();
    assert_eq!(strict.seen.lock().unwrap().last(), Some(&0o600));
}

#[test]
fn s123_a_folder_that_takes_no_files_is_enough_without_a_repair() {
    let strict = Strict {
        no_new_files: true,
        ..Strict::default()
    };
    // Also the missing line feed needs no other file.
    let whole = file(&[said("a", "user", "hi")]);
    for bytes in [&whole[..], &whole[..whole.len() - 1]] {
        let place = Place::with(bytes);
        let session = strict.options().load(&place.path).unwrap();
        session.append_message(Message::user("ho")).unwrap();
        assert!(place.bytes().starts_with(&whole));
    }
    for keep in [true, false] {
        let place = Place::with(torn());
        let options = strict.options().keep_cut_bytes(keep);
        let error = options.load(&place.path).unwrap_err();
        assert_eq!(error.kind(), "io");
        assert!(place.bytes() == torn() && place.beside().is_empty());
    }
}

#[test]
fn s124_a_file_that_takes_no_appends_can_be_peeked_at_and_not_loaded() {
    let strict = Strict {
        no_appending: true,
        ..Strict::default()
    };
    let place = Place::with(torn());
    let error = strict.options().load(&place.path).unwrap_err();
    assert_eq!(error.kind(), "io");
    assert!(place.bytes() == torn());
    let peek = Session::peek(&place.path);
    assert_eq!((peek.error, peek.messages.len()), (None, 1));
}

#[test]
fn s125_missing_folders_are_made_and_files_are_no_folders() {
    let place = Place::with("not a folder");
    let under_a_file = place.path.join("run.jsonl");
    let error = Session::create(&under_a_file, Json::empty_object()).unwrap_err();
    assert!(error.to_string().contains("folder"), "{error}");
    assert_eq!(place.bytes(), b"not a folder");
    let deep = place.folder().join("a/b/run.jsonl");
    Session::create(&deep, Json::empty_object()).unwrap();
    assert!(deep.is_file());
}

#[test]
#[cfg(unix)]
fn s126_a_session_goes_on_in_the_file_it_has_open() {
    let (place, session) = Place::created();
    let moved = place.folder().join("moved.jsonl");
    fs::rename(&place.path, &moved).unwrap();
    fs::write(&place.path, file(&[said("b", "user", "other")])).unwrap();
    session.append_message(Message::user("mine")).unwrap();
    assert_eq!(Session::peek(&moved).messages, [Message::user("mine")]);
    assert_eq!(
        Session::peek(&place.path).messages,
        [Message::user("other")]
    );
    // The lock is that of the open file, so the one that now has the name is free.
    place.load().close();
    fs::remove_file(&moved).unwrap();
    session.append_message(Message::user("more")).unwrap();
    assert_eq!(contents(&session), ["mine", "more"]);
    assert_eq!(session.events().unwrap().len(), 3);
}

#[test]
#[cfg(target_os = "linux")]
fn s127_a_file_that_cannot_be_read_is_an_error_in_peek() {
    // A regular file by its mode, and its first page is never readable.
    let peek = Session::peek("/proc/self/mem");
    assert_eq!(peek.error.unwrap().kind(), "unreadable");
    assert!(peek.envelopes.is_empty());
}

#[test]
fn s128_what_is_no_json_cannot_be_handed_to_a_session() {
    for text in ["NaN", "Infinity", "{\"a\":-Infinity}", "{\"a\":}", ""] {
        assert!(Json::parse(text).is_err(), "{text}");
    }
}
