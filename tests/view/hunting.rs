//! Going to a line, a time, an id or the beginning of one.

use std::fs;

use sess::view::App;
use sess::view::keys::Key;

use super::kit::{Viewer, keys_of, now, sample};

fn healthy() -> Viewer {
    Viewer::open(&sample("healthy.jsonl"), 80, 24)
}

#[test]
fn a_beginning_that_is_enough_is_gone_to() {
    for (typed, line) in [
        ("eb", 25),
        ("e234c44c-0001-4000-8000-000000000012", 12),
        ("806", 13),
        ("  5 ", 5),
    ] {
        let mut viewer = healthy();
        viewer.type_in(&format!(":{typed}<Enter>"));
        assert_eq!(viewer.here(), line, "{typed}");
    }
}

#[test]
fn of_several_the_candidates_are_shown_and_more_is_typed() {
    let mut viewer = healthy();
    viewer.type_in("g:e<Enter>");
    let shown = [
        "── which one? ──────────────────────────────────────────────────────────────────",
        "       12  e234c44c-0001-4000-8000-000000000012  settled    a5c5d0ea-0001-400…",
        "       25  eb05f249-0001-4000-8000-000000000025  assistant  The cal… → edit_f…",
        "",
    ];
    assert_eq!(viewer.list()[..4], shown);
    assert!(
        viewer
            .status()
            .starts_with("2 ids begin with e; : takes more of one"),
        "{}",
        viewer.status()
    );
    assert_eq!(viewer.app.line(), Some(1));
    viewer.type_in(":b<Enter>");
    assert_eq!(viewer.here(), 25);
}

#[test]
fn what_is_not_there_is_said() {
    for typed in ["ffff", "99", "cb1f63d7x", "\u{202e}"] {
        let mut viewer = healthy();
        viewer.type_in(&format!(":{typed}<Enter>"));
        assert!(
            viewer.status().starts_with("there is no "),
            "{}",
            viewer.status()
        );
    }
}

/// The file is read in steps, keys are taken in between, and Esc ends it.
#[test]
fn a_large_file_is_read_in_steps_that_can_be_ended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.jsonl");
    let line = |id: usize| {
        let padding = "x".repeat(4_000);
        format!(
            "{{\"id\":\"{id:08}\",\"payload\":{{\"content\":\"{padding}\",\"role\":\"user\"}},\"ts\":\"\",\"type\":\"message\",\"v\":1}}\n"
        )
    };
    let text: String = (1..=8_000).map(line).collect();
    fs::write(&path, text).unwrap();
    let mut viewer = Viewer::of(App::open(&path, 80, 24, now()).unwrap(), 80, 24);

    for key in keys_of(":00007000<Enter>k") {
        viewer.app.key(key);
    }
    let here = viewer.list();
    assert!(here.iter().any(|row| row.starts_with('▌')));
    assert!(
        viewer.status().contains("looking for 00007000"),
        "{}",
        viewer.status()
    );
    viewer.app.work();
    viewer.app.key(Key::Escape);
    assert!(
        viewer.status().contains("not looked for any further"),
        "{}",
        viewer.status()
    );

    for key in keys_of(":00007000<Enter>") {
        viewer.app.key(key);
    }
    viewer.app.settle();
    assert_eq!(viewer.here(), 7_000);

    for key in keys_of(":6500<Enter>") {
        viewer.app.key(key);
    }
    assert_eq!(viewer.here(), 6_500);
}

/// A line that the index has not come to is waited for.
#[test]
fn a_line_is_shown_as_soon_as_it_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.jsonl");
    let line = "{\"id\":\"1\",\"payload\":{},\"ts\":\"\",\"type\":\"session-meta\",\"v\":1}\n";
    let count = 12 * 1024 * 1024 / line.len();
    fs::write(&path, line.repeat(count)).unwrap();
    let mut viewer = Viewer::of(App::open(&path, 80, 24, now()).unwrap(), 80, 24);
    viewer.app.show_line(count as u64 / 2);
    assert_eq!(viewer.app.line(), None);
    viewer.app.settle();
    assert_eq!(viewer.here(), count as u64 / 2);
}
