//! No space left: what was acknowledged stays, and when there is space again, so do new lines.

use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::process::{Resource, getrlimit, setrlimit};
use sess::session::{AppendError, LoadError, Session};
use sess::{Json, Message};

use super::child;

#[test]
fn an_append_beyond_the_size_limit_fails_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let process = child::command_ignoring_the_size_signal("fill", &path);
    let output = { process }.spawn().unwrap().wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    let session = Session::load(&path).unwrap();
    assert_eq!(session.warnings(), []);
    let contents: Vec<_> = session
        .messages()
        .iter()
        .map(|it| it.content.clone())
        .collect();
    assert!(contents.len() > 10);
    assert_eq!(contents.last().map(String::as_str), Some("space again"));
    assert!(
        contents[..contents.len() - 1]
            .iter()
            .all(|it| *it == line_text())
    );
}

fn line_text() -> String {
    "line\n".repeat(200)
}

/// The role: writes up to a limit on the size of its files, is refused, and goes on without it.
pub fn fill(path: &Path) {
    let unlimited = getrlimit(Resource::Fsize);
    let mut limited = unlimited;
    limited.current = Some(50_000);
    setrlimit(Resource::Fsize, limited).unwrap();
    let session = Session::create(path, Json::empty_object()).unwrap();
    let acknowledged = append_until_refused(&session);
    assert_eq!(acknowledged, session.messages().len());
    assert_eq!(whole_lines(path), acknowledged + 1);
    let again = session
        .append_message(Message::user(line_text()))
        .unwrap_err();
    assert!(matches!(again, AppendError::Io { .. }), "{again}");
    setrlimit(Resource::Fsize, unlimited).unwrap();
    session
        .append_message(Message::user("space again"))
        .unwrap();
}

/// How many lines were acknowledged. The refused append changes neither file nor memory.
fn append_until_refused(session: &Session) -> usize {
    for count in 0.. {
        let before = (
            session.message_ids(),
            fs::metadata(session.path()).unwrap().len(),
        );
        if let Err(error) = session.append_message(Message::user(line_text())) {
            assert!(matches!(error, AppendError::Io { .. }), "{error}");
            let after = (
                session.message_ids(),
                fs::metadata(session.path()).unwrap().len(),
            );
            assert_eq!(after, before);
            return count;
        }
    }
    0
}

fn whole_lines(path: &Path) -> usize {
    let stored = fs::read_to_string(path).unwrap();
    assert!(stored.ends_with('\n'));
    let lines: Vec<_> = stored.lines().map(Json::parse).collect();
    assert!(lines.iter().all(Result::is_ok));
    lines.len()
}

#[test]
fn on_a_full_file_system_nothing_acknowledged_is_lost() {
    let Some(small) = SmallDisk::mount() else {
        println!("skipped: mounting a small tmpfs needs root");
        return;
    };
    let path = small.folder().join("run.jsonl");
    let filler = small.folder().join("filler");
    fs::write(&filler, vec![0; 160 * 1024]).unwrap();
    let session = Session::create(&path, Json::empty_object()).unwrap();
    let acknowledged = append_until_refused(&session);
    assert!(acknowledged > 10);
    assert_eq!(whole_lines(&path), acknowledged + 1);
    fs::remove_file(&filler).unwrap();
    session
        .append_message(Message::user("space again"))
        .unwrap();
    assert_eq!(whole_lines(&path), acknowledged + 2);
    drop(session);
    repair_needs_space(&path, &filler);
    assert_eq!(
        Session::load(&path).unwrap().messages().len(),
        acknowledged + 1
    );
}

/// A repair without space for the copy changes nothing and leaves nothing; with space it works.
fn repair_needs_space(path: &Path, filler: &Path) {
    let torn = fs::read_to_string(path).unwrap() + "{\"id\":";
    fs::write(path, &torn).unwrap();
    // Writes until nothing fits any more, so the error is the point.
    let _ = fs::write(filler, vec![0; 1024 * 1024]);
    let error = Session::load(path).unwrap_err();
    assert!(matches!(error, LoadError::Io { .. }), "{error}");
    assert_eq!(fs::read_to_string(path).unwrap(), torn);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 2);
    fs::remove_file(filler).unwrap();
    drop(Session::load(path).unwrap());
    assert_eq!(fs::read_to_string(path).unwrap() + "{\"id\":", torn);
}

/// A file system of its own with 256 KiB, unmounted when dropped.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
            .arg(folder.path());
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        mounted.then(|| Self(folder))
    }

    fn folder(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.folder()).status();
        assert!(unmounted.is_ok_and(|status| status.success()));
    }
}
