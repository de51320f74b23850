//! Following a file that a real writer changes in every way it can.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use sess::look::follow::{Ending, Event, FollowError, Follower, Line, Start, Wait};

/// Long enough that only a hang reaches it.
const NEVER: Duration = Duration::from_secs(60);
/// Long enough for an event that should not come to come.
const A_WHILE: Duration = Duration::from_millis(60);

struct Scene {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Scene {
    fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        Self {
            _folder: folder,
            path,
        }
    }

    fn with(text: &str) -> Self {
        let scene = Self::empty();
        fs::write(&scene.path, text).unwrap();
        scene
    }

    fn follow(&self, start: Start) -> Follower {
        Follower::open(&self.path, start, Wait::No).unwrap()
    }

    /// A file beside the followed one.
    fn beside(&self, name: &str) -> PathBuf {
        self.path.with_file_name(name)
    }

    fn append(&self, text: &str) {
        append(&self.path, text);
    }

    /// What a repair does: a whole file of this text takes the name.
    fn rename_over(&self, text: &str) {
        let staged = self.beside("staged");
        fs::write(&staged, text).unwrap();
        fs::rename(staged, &self.path).unwrap();
    }

    /// Cuts the file in place.
    fn cut(&self, length: u64) {
        let file = OpenOptions::new().write(true).open(&self.path).unwrap();
        file.set_len(length).unwrap();
    }
}

fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn line(text: &str, offset: u64) -> Event {
    Event::Line(Line {
        bytes: text.into(),
        offset,
        ending: Ending::Lf,
    })
}

/// Everything that happens until nothing does.
fn events(follower: &mut Follower) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        match follower.next(Some(A_WHILE)).unwrap() {
            Event::Idle => return events,
            event => events.push(event),
        }
    }
}

/// The next `count` events, however long they take.
fn take(follower: &mut Follower, count: usize) -> Vec<Event> {
    let next = |_| follower.next(Some(NEVER)).unwrap();
    (0..count).map(next).collect()
}

#[test]
fn a_half_line_waits_for_its_newline() {
    let scene = Scene::with("");
    let mut follower = scene.follow(Start::Beginning);
    scene.append("half");
    assert_eq!(events(&mut follower), []);
    assert_eq!(follower.pending(), b"half");
    scene.append(" and half\nnext");
    assert_eq!(events(&mut follower), [line("half and half", 0)]);
    assert_eq!(follower.offset(), 14);
}

#[test]
fn terminators_are_told_apart_and_empty_lines_are_lines() {
    let scene = Scene::with("a\r\n\n\r\r\nb\n");
    let mut follower = scene.follow(Start::Beginning);
    let crlf = |text: &str, offset| {
        Event::Line(Line {
            bytes: text.into(),
            offset,
            ending: Ending::CrLf,
        })
    };
    let expected = [crlf("a", 0), line("", 3), crlf("\r", 4), line("b", 7)];
    assert_eq!(events(&mut follower), expected);
}

#[test]
fn the_end_is_behind_the_last_newline() {
    let scene = Scene::with("a\nb\nhal");
    let mut follower = scene.follow(Start::End);
    scene.append("f\n");
    assert_eq!(events(&mut follower), [line("half", 4)]);
}

#[test]
fn following_can_go_on_where_something_else_left_off() {
    let scene = Scene::with("a\nb\nc\n");
    let mut follower = scene.follow(Start::Offset(2));
    assert_eq!(events(&mut follower), [line("b", 2), line("c", 4)]);
}

#[test]
fn an_offset_that_the_file_does_not_reach_is_a_truncation() {
    let scene = Scene::with("a\n");
    let mut follower = scene.follow(Start::Offset(9));
    let expected = [Event::Truncated { offset: 0 }, line("a", 0)];
    assert_eq!(events(&mut follower), expected);
}

#[test]
fn a_repair_by_rename_repeats_nothing() {
    let scene = Scene::with("a\nb\n{\"torn");
    let mut follower = scene.follow(Start::Beginning);
    assert_eq!(events(&mut follower), [line("a", 0), line("b", 2)]);
    scene.rename_over("a\nb\n");
    assert_eq!(events(&mut follower), [Event::Replaced { offset: 4 }]);
    scene.append("c\n");
    assert_eq!(events(&mut follower), [line("c", 4)]);
}

#[test]
fn a_repair_that_adds_the_missing_newline_ends_the_line() {
    let scene = Scene::with("a\nwhole");
    let mut follower = scene.follow(Start::End);
    assert_eq!(events(&mut follower), []);
    scene.rename_over("a\nwhole\n");
    let expected = [Event::Replaced { offset: 2 }, line("whole", 2)];
    assert_eq!(events(&mut follower), expected);
}

#[test]
fn a_repair_that_cuts_a_given_line_says_from_where_lines_are_void() {
    let scene = Scene::with("a\nb\n\0\0\0\n");
    let mut follower = scene.follow(Start::Beginning);
    assert_eq!(take(&mut follower, 3).last(), Some(&line("\0\0\0", 4)));
    scene.rename_over("a\nb\n");
    scene.append("c\n");
    let expected = [Event::Replaced { offset: 4 }, line("c", 4)];
    assert_eq!(events(&mut follower), expected);
}

#[test]
fn another_file_under_the_name_is_read_from_its_start_after_the_rest_of_the_old_one() {
    let scene = Scene::with("a\n");
    let mut follower = scene.follow(Start::Beginning);
    assert_eq!(events(&mut follower), [line("a", 0)]);
    scene.append("b\nhalf");
    scene.rename_over("x\ny\n");
    let replaced = Event::Replaced { offset: 0 };
    let expected = [line("b", 2), replaced, line("x", 0), line("y", 2)];
    assert_eq!(events(&mut follower), expected);
}

#[test]
fn a_link_is_followed_to_its_file() {
    let scene = Scene::empty();
    let folder = scene.beside("elsewhere");
    let target = folder.join("real.jsonl");
    fs::create_dir(&folder).unwrap();
    fs::write(&target, "a\n").unwrap();
    if !linked(&target, &scene.path) {
        return;
    }
    let mut follower = scene.follow(Start::Beginning);
    assert_eq!(events(&mut follower), [line("a", 0)]);
    fs::write(folder.join("staged"), "a\nb\n").unwrap();
    fs::rename(folder.join("staged"), &target).unwrap();
    let expected = [Event::Replaced { offset: 2 }, line("b", 2)];
    assert_eq!(events(&mut follower), expected);
}

#[cfg(unix)]
fn linked(target: &Path, link: &Path) -> bool {
    std::os::unix::fs::symlink(target, link).is_ok()
}

#[cfg(not(unix))]
fn linked(_target: &Path, _link: &Path) -> bool {
    false
}

#[test]
fn truncation_to_nothing_and_growth_start_anew() {
    let scene = Scene::with("a\nb\nhalf");
    let mut follower = scene.follow(Start::Beginning);
    assert_eq!(events(&mut follower), [line("a", 0), line("b", 2)]);
    scene.cut(0);
    assert_eq!(events(&mut follower), [Event::Truncated { offset: 0 }]);
    scene.append("a\nc\n");
    assert_eq!(events(&mut follower), [line("a", 0), line("c", 2)]);
}

#[test]
fn truncation_is_seen_when_the_file_has_grown_past_the_old_end_before_anybody_looked() {
    for old_end in ["", "half"] {
        let scene = Scene::with(&format!("first\nsecond\n{old_end}"));
        let mut follower = scene.follow(Start::Beginning);
        assert_eq!(take(&mut follower, 2).len(), 2);
        assert_eq!(events(&mut follower), []);
        scene.cut(0);
        scene.append("the first line of something longer\n");
        let expected = [
            Event::Truncated { offset: 0 },
            line("the first line of something longer", 0),
        ];
        assert_eq!(events(&mut follower), expected, "{old_end:?}");
    }
}

#[test]
fn another_text_of_the_same_length_is_seen() {
    let scene = Scene::with("a\nb\n");
    let mut follower = scene.follow(Start::Beginning);
    assert_eq!(events(&mut follower).len(), 2);
    scene.cut(0);
    scene.append("a\nc\n");
    let expected = [Event::Truncated { offset: 2 }, line("c", 2)];
    assert_eq!(events(&mut follower), expected);
}

#[test]
fn a_half_line_that_is_taken_back_is_never_given() {
    let scene = Scene::with("a\n{\"lost\"");
    let mut follower = scene.follow(Start::End);
    assert_eq!(events(&mut follower), []);
    assert_eq!(follower.pending(), b"{\"lost\"");
    scene.cut(2);
    scene.append("{\"kept as a longer line\"\n");
    let expected = [line("{\"kept as a longer line\"", 2)];
    assert_eq!(events(&mut follower), expected);
}

#[test]
fn a_cut_in_the_middle_keeps_what_is_the_same_however_long_the_file() {
    let mut text = String::new();
    for number in 0..60_000 {
        text.push_str(&format!("line {number:06}\n"));
    }
    let scene = Scene::with(&text);
    let mut follower = scene.follow(Start::Beginning);
    assert_eq!(take(&mut follower, 60_000).len(), 60_000);
    // Twelve bytes a line: the last of them, and half of the one before it.
    scene.cut(60_000 * 12 - 18);
    let truncated = Event::Truncated { offset: 719_976 };
    assert_eq!(events(&mut follower), [truncated]);
    scene.append(" becomes another\n");
    let expected = [line("line 0 becomes another", 719_976)];
    assert_eq!(events(&mut follower), expected);
}

#[test]
fn deletion_and_re_creation_go_on_with_the_new_file() {
    let scene = Scene::with("a\n");
    let mut follower = scene.follow(Start::Beginning);
    assert_eq!(events(&mut follower), [line("a", 0)]);
    fs::remove_file(&scene.path).unwrap();
    assert_eq!(events(&mut follower), [Event::Removed]);
    scene.append("b\n");
    let expected = [Event::Appeared { offset: 0 }, line("b", 0)];
    assert_eq!(events(&mut follower), expected);
    scene.append("c\n");
    assert_eq!(events(&mut follower), [line("c", 2)]);
}

#[test]
fn a_file_moved_away_and_back_loses_nothing() {
    let scene = Scene::with("a\n");
    let mut follower = scene.follow(Start::Beginning);
    assert_eq!(events(&mut follower), [line("a", 0)]);
    let away = scene.beside("away");
    fs::rename(&scene.path, &away).unwrap();
    append(&away, "b\n");
    assert_eq!(take(&mut follower, 2), [line("b", 2), Event::Removed]);
    fs::rename(&away, &scene.path).unwrap();
    assert_eq!(events(&mut follower), [Event::Appeared { offset: 4 }]);
    scene.append("c\n");
    assert_eq!(events(&mut follower), [line("c", 4)]);
}

#[test]
fn a_folder_deleted_and_made_again_is_no_end() {
    let scene = Scene::empty();
    let path = scene.beside("folder").join("run.jsonl");
    let folder = path.parent().unwrap();
    fs::create_dir(folder).unwrap();
    append(&path, "a\n");
    let mut follower = Follower::open(&path, Start::End, Wait::No).unwrap();
    fs::remove_dir_all(folder).unwrap();
    assert_eq!(take(&mut follower, 1), [Event::Removed]);
    fs::create_dir(folder).unwrap();
    append(&path, "b\n");
    let expected = [Event::Appeared { offset: 0 }, line("b", 0)];
    assert_eq!(take(&mut follower, 2), expected);
    append(&path, "c\n");
    assert_eq!(take(&mut follower, 1), [line("c", 2)]);
}

#[test]
fn a_file_can_be_waited_for_and_so_can_its_folder() {
    let scene = Scene::empty();
    let path = scene.beside("later").join("run.jsonl");
    let mut follower = Follower::open(&path, Start::End, Wait::Yes).unwrap();
    assert_eq!(events(&mut follower), []);
    let writer = thread::spawn({
        let path = path.clone();
        move || {
            fs::create_dir(path.parent().unwrap()).unwrap();
            append(&path, "a\nha");
            append(&path, "lf\n");
        }
    });
    let expected = [Event::Appeared { offset: 0 }, line("a", 0), line("half", 2)];
    assert_eq!(take(&mut follower, 3), expected);
    writer.join().unwrap();
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let scene = Scene::empty();
    let missing = Follower::open(&scene.path, Start::End, Wait::No);
    assert!(matches!(missing, Err(FollowError::NotFound(path)) if path == scene.path));
    fs::create_dir(&scene.path).unwrap();
    let folder = Follower::open(&scene.path, Start::End, Wait::Yes);
    assert!(matches!(folder, Err(FollowError::NotAFile(path)) if path == scene.path));
}

#[test]
fn a_writer_of_single_bytes_makes_whole_lines() {
    let scene = Scene::with("");
    let mut follower = scene.follow(Start::Beginning);
    let text = "{\"content\":\"Grüße\"}\n".repeat(200);
    let writer = thread::spawn({
        let (path, text) = (scene.path.clone(), text.clone());
        move || {
            let mut file = OpenOptions::new().append(true).open(path).unwrap();
            for byte in text.as_bytes() {
                file.write_all(&[*byte]).unwrap();
            }
        }
    });
    let expected: Vec<Event> = (0..200)
        .map(|number| line("{\"content\":\"Grüße\"}", number * 22))
        .collect();
    assert_eq!(take(&mut follower, 200), expected);
    writer.join().unwrap();
}

#[test]
fn a_line_of_64_mib_is_given_whole_and_forgotten() {
    const LENGTH: usize = 64 << 20;
    let scene = Scene::with("first\n");
    let mut follower = scene.follow(Start::Beginning);
    let writer = thread::spawn({
        let path = scene.path.clone();
        move || {
            let mut file = OpenOptions::new().append(true).open(path).unwrap();
            for piece in vec![b'x'; LENGTH].chunks(1 << 20) {
                file.write_all(piece).unwrap();
            }
            file.write_all(b"\nlast\n").unwrap();
        }
    });
    assert_eq!(take(&mut follower, 1), [line("first", 0)]);
    let Event::Line(long) = follower.next(Some(NEVER)).unwrap() else {
        panic!("a line");
    };
    assert_eq!((long.offset, long.bytes.len()), (6, LENGTH));
    assert!(long.bytes.iter().all(|byte| *byte == b'x'));
    assert_eq!(
        take(&mut follower, 1),
        [line("last", 6 + LENGTH as u64 + 1)]
    );
    writer.join().unwrap();
}

#[test]
fn every_line_is_given_once_while_repairs_take_the_name_again_and_again() {
    const LINES: usize = 3000;
    let scene = Scene::with("");
    let mut follower = scene.follow(Start::Beginning);
    let writer = thread::spawn({
        let (path, staged) = (scene.path.clone(), scene.beside("staged"));
        move || {
            let mut whole = String::new();
            for number in 0..LINES {
                let line = format!("line {number}\n");
                whole.push_str(&line);
                let mut file = OpenOptions::new().append(true).open(&path).unwrap();
                let (left, right) = line.split_at(number % line.len());
                file.write_all(left.as_bytes()).unwrap();
                if number % 40 == 7 {
                    File::create(&staged)
                        .and_then(|mut file| file.write_all(whole.as_bytes()))
                        .unwrap();
                    fs::rename(&staged, &path).unwrap();
                } else {
                    file.write_all(right.as_bytes()).unwrap();
                }
            }
        }
    });
    let mut given = Vec::new();
    let deadline = Instant::now() + NEVER;
    while given.len() < LINES && Instant::now() < deadline {
        match follower.next(Some(NEVER)).unwrap() {
            Event::Line(line) => given.push(String::from_utf8(line.bytes).unwrap()),
            Event::Replaced { offset } => assert_eq!(offset, follower.offset()),
            other => panic!("{other:?}"),
        }
    }
    writer.join().unwrap();
    let expected: Vec<String> = (0..LINES).map(|number| format!("line {number}")).collect();
    assert_eq!(given, expected);
}

#[test]
fn a_waker_ends_the_waiting_once() {
    let scene = Scene::with("");
    let mut follower = scene.follow(Start::Beginning);
    let waker = follower.waker();
    let other = thread::spawn(move || {
        waker.wake();
        waker
    });
    assert_eq!(follower.next(None).unwrap(), Event::Woken);
    let waker = other.join().unwrap();
    assert_eq!(events(&mut follower), []);
    scene.append("a\n");
    waker.wake();
    waker.wake();
    assert_eq!(events(&mut follower), [Event::Woken, line("a", 0)]);
}

#[test]
fn a_followed_file_is_not_touched() {
    let scene = Scene::with("a\nhalf");
    let before = fs::metadata(&scene.path).unwrap().modified().unwrap();
    let mut follower = scene.follow(Start::Beginning);
    assert_eq!(events(&mut follower), [line("a", 0)]);
    assert_eq!(fs::read(&scene.path).unwrap(), b"a\nhalf");
    let after = fs::metadata(&scene.path).unwrap().modified().unwrap();
    assert_eq!(before, after);
    let names = fs::read_dir(scene.path.parent().unwrap()).unwrap();
    assert_eq!(names.count(), 1);
}
