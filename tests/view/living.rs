//! A file that changes while it is looked at.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::kit::{Viewer, sample};
use sess::view::action::FileEvent;

struct Live {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Live {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        fs::copy(sample("healthy.jsonl"), &path).unwrap();
        Self {
            _folder: folder,
            path,
        }
    }

    fn append(&self, text: &str) {
        let mut file = OpenOptions::new().append(true).open(&self.path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }
}

fn message(id: u64, text: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"payload\":{{\"content\":\"{text}\",\"role\":\"user\"}},\"ts\":\"2026-03-14T10:00:00.000000Z\",\"type\":\"message\",\"v\":1}}\n"
    )
}

fn open(path: &Path) -> Viewer {
    Viewer::open(path, 80, 24)
}

fn tell(viewer: &mut Viewer, event: FileEvent) {
    viewer.app.file_event(event);
    viewer.app.settle();
}

#[test]
fn the_end_is_followed_until_the_reader_moves_and_new_lines_are_marked() {
    let live = Live::new();
    let mut viewer = open(&live.path);
    live.append(&message(1, "one more"));
    tell(&mut viewer, FileEvent::Grown);
    assert_eq!(viewer.here(), 33);
    viewer.type_in("kk");
    let here = viewer.here();
    live.append(&message(2, "and another"));
    tell(&mut viewer, FileEvent::Grown);
    assert_eq!(viewer.here(), here);
    assert!(
        viewer.status().contains("1 new below"),
        "{}",
        viewer.status()
    );
    let marked = viewer
        .list()
        .into_iter()
        .find(|row| row.contains("and another"))
        .unwrap();
    assert_eq!(marked, "     34 + user       and another");
    viewer.type_in("G");
    assert_eq!(viewer.here(), 34);
    assert!(!viewer.status().contains("new below"));
}

#[test]
fn half_a_line_becomes_whole() {
    let live = Live::new();
    let line = message(1, "whole");
    let (head, rest) = line.split_at(30);
    live.append(head);
    let mut viewer = open(&live.path);
    assert_eq!(viewer.here(), 33);
    live.append(rest);
    tell(&mut viewer, FileEvent::Grown);
    assert_eq!(viewer.here(), 33);
    assert_eq!(viewer.list()[18], "▌    33   user       whole");
}

#[test]
fn a_cut_a_replaced_and_a_removed_file_are_said() {
    let live = Live::new();
    let mut viewer = open(&live.path);
    viewer.type_in("g");
    let cut = File::options().write(true).open(&live.path).unwrap();
    let kept = fs::read_to_string(&live.path).unwrap();
    let kept: usize = kept.lines().take(5).map(|line| line.len() + 1).sum();
    cut.set_len(kept as u64).unwrap();
    tell(&mut viewer, FileEvent::Cut);
    assert!(
        viewer.status().starts_with("! the file was cut"),
        "{}",
        viewer.status()
    );
    assert_eq!(
        viewer.list().iter().filter(|row| !row.is_empty()).count(),
        5
    );

    let other = live.path.with_extension("other");
    fs::copy(sample("wide.jsonl"), &other).unwrap();
    fs::rename(&other, &live.path).unwrap();
    tell(&mut viewer, FileEvent::Replaced);
    assert!(
        viewer.status().starts_with("! another file took the name"),
        "{}",
        viewer.status()
    );

    fs::remove_file(&live.path).unwrap();
    tell(&mut viewer, FileEvent::Removed);
    assert!(
        viewer.status().starts_with("! the file was removed"),
        "{}",
        viewer.status()
    );
    viewer.type_in("g3jjjGl");
    viewer.screen();

    fs::copy(sample("healthy.jsonl"), &live.path).unwrap();
    tell(&mut viewer, FileEvent::Appeared);
    assert!(
        viewer.status().starts_with("! the file is there again"),
        "{}",
        viewer.status()
    );
}

#[test]
fn a_file_cut_to_nothing_shows_that_it_is_empty() {
    let live = Live::new();
    let mut viewer = open(&live.path);
    File::create(&live.path).unwrap();
    viewer.type_in("kkl");
    tell(&mut viewer, FileEvent::Cut);
    assert_eq!(viewer.list()[0], "  the file is empty");
    live.append(&message(1, "begun again"));
    tell(&mut viewer, FileEvent::Grown);
    assert_eq!(viewer.here(), 1);
}

#[test]
fn a_search_and_a_filter_take_in_what_comes() {
    let live = Live::new();
    let mut viewer = open(&live.path);
    viewer.type_in("/needle<Enter>");
    live.append(&message(1, "a needle"));
    tell(&mut viewer, FileEvent::Grown);
    assert!(
        viewer.status().contains("/needle: 1 of 1"),
        "{}",
        viewer.status()
    );
    viewer.type_in("<Esc>frole:user<Enter>");
    live.append(&message(2, "later"));
    tell(&mut viewer, FileEvent::Grown);
    assert_eq!(viewer.here(), 34);
    assert!(
        viewer.status().contains("filter role:user: 3"),
        "{}",
        viewer.status()
    );
}

#[test]
fn a_file_with_nothing_in_it_opens() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut viewer = open(file.path());
    viewer.type_in("gGjkeptucnN3slr?i");
    assert_eq!(viewer.screen().len(), 24);
}

#[test]
fn a_large_file_is_read_from_both_ends_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.jsonl");
    let mut text = fs::read_to_string(sample("healthy.jsonl")).unwrap();
    let padding = "x".repeat(2_000);
    text.extend((1..=6_000).map(|id| message(id, &format!("number {id} {padding}"))));
    text.push_str(&message(6_001, "the very last"));
    fs::write(&path, text).unwrap();

    let app = sess::view::App::open(&path, 80, 24, super::kit::now()).unwrap();
    let mut viewer = Viewer::of(app, 80, 24);
    assert_eq!(
        viewer.list().last().unwrap(),
        "▌     ·   user       the very last"
    );
    assert!(
        viewer.status().starts_with("reading 0 %"),
        "{}",
        viewer.status()
    );
    viewer.app.work();
    viewer.app.key(sess::view::keys::Key::Char('g'));
    assert_eq!(viewer.here(), 1);
    viewer.app.key(sess::view::keys::Key::Char('G'));
    assert_eq!(
        viewer.list().last().unwrap(),
        "▌     ·   user       the very last"
    );
    viewer.app.settle();
    assert_eq!(
        viewer.list().last().unwrap(),
        "▌  6033   user       the very last"
    );
    assert_eq!(viewer.here(), 6_033);
}

/// The last line is ten seconds old, so its writer is likely to be at work.
#[test]
fn a_call_runs_while_its_writer_is_at_work() {
    let line = |type_name: &str, payload: &str| {
        format!(
            "{{\"id\":\"{type_name}\",\"payload\":{payload},\"ts\":\"2026-03-16T12:59:50.000000Z\",\"type\":\"{type_name}\",\"v\":1}}\n"
        )
    };
    let call = |id: &str| {
        format!(
            "{{\"function\":{{\"arguments\":\"{{}}\",\"name\":\"shell\"}},\"id\":\"{id}\",\"type\":\"function\"}}"
        )
    };
    let calls = [call("c1"), call("c2")].join(",");
    let text = [
        line("session-meta", "{}"),
        line(
            "message",
            &format!("{{\"content\":\"\",\"role\":\"assistant\",\"tool-calls\":[{calls}]}}"),
        ),
        line(
            "tool-dispatched",
            "{\"arguments\":\"{}\",\"call-id\":\"c1\",\"tool\":\"shell\"}",
        ),
    ];
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.concat().as_bytes()).unwrap();
    let mut viewer = open(file.path());
    assert_eq!(viewer.here(), 3);
    viewer.type_in("k2");
    let list = viewer.list();
    assert!(list[2].ends_with("→ shell , shell [proposed]"), "{list:?}");
    assert_eq!(list[3], "▌   ○ shell running for 10.0 s");
    assert_eq!(list[4], "▌   ○ shell proposed");

    viewer
        .app
        .at(super::kit::now() + chrono::TimeDelta::minutes(2));
    let list = viewer.list();
    assert!(
        list[2].ends_with("→ shell , shell [never dispatched]"),
        "{list:?}"
    );
    assert_eq!(list[3], "▌   ○ shell no end recorded");
    assert_eq!(list[4], "▌   ○ shell never dispatched");
}
