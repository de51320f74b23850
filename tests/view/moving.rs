//! What keys do.

use super::kit::{Viewer, sample};
use sess::view::action::Effect;
use sess::view::keys::Key;

fn viewer(name: &str) -> Viewer {
    Viewer::open(&sample(name), 80, 24)
}

/// The line under the cursor after each of these keys.
#[track_caller]
fn check(file: &str, steps: &[(&str, u64)]) {
    let mut viewer = viewer(file);
    for (keys, expected) in steps {
        viewer.type_in(keys);
        assert_eq!(viewer.here(), *expected, "after {keys}");
    }
}

#[test]
fn the_end_is_shown_first() {
    check("healthy.jsonl", &[("", 32), ("g", 1), ("G", 32)]);
}

#[test]
fn entries_follow_one_another_without_the_lines_that_only_record_calls() {
    check(
        "healthy.jsonl",
        &[
            ("gjjjjj", 6),
            ("j", 8),
            ("j", 11),
            ("k", 8),
            ("a", 8),
            ("j", 9),
            ("j", 10),
        ],
    );
}

#[test]
fn errors_are_gone_through_and_around() {
    check("healthy.jsonl", &[("e", 8), ("e", 23), ("e", 8), ("E", 23)]);
}

#[test]
fn each_kind_of_entry_is_jumped_to() {
    check(
        "healthy.jsonl",
        &[("gt", 8), ("t", 11), ("u", 5), ("T", 30)],
    );
    check(
        "two-compactions.jsonl",
        &[("gc", 15), ("c", 16), ("c", 27), ("C", 16)],
    );
}

#[test]
fn calls_without_an_end_are_gone_through() {
    check("pending.jsonl", &[("p", 8), ("p", 9), ("P", 8), ("P", 17)]);
}

#[test]
fn what_is_not_there_is_said() {
    let mut viewer = viewer("healthy.jsonl");
    viewer.type_in("c");
    assert_eq!(
        viewer.status().trim_end(),
        padded("no compaction or elision", "following  32/32  ? help")
    );
}

#[test]
fn a_search_goes_to_the_next_match_while_it_is_typed() {
    let mut viewer = viewer("healthy.jsonl");
    viewer.type_in("g/E0308");
    assert_eq!(viewer.here(), 23);
    viewer.type_in("<Esc>");
    assert_eq!(viewer.here(), 1);
    viewer.type_in("/cargo test<Enter>");
    let first = viewer.here();
    viewer.type_in("nN");
    assert_eq!(viewer.here(), first);
}

#[test]
fn a_search_finds_what_is_folded_away_and_opens_it() {
    let mut viewer = viewer("healthy.jsonl");
    viewer.type_in("/RUST_BACKTRACE<Enter>");
    assert_eq!(viewer.here(), 8);
    let list = viewer.list().join("\n");
    assert!(list.contains("RUST_BACKTRACE=1"), "{list}");
}

#[test]
fn a_wrong_pattern_is_said_and_changes_nothing() {
    let mut viewer = viewer("healthy.jsonl");
    viewer.type_in("/(<Enter>");
    assert!(
        viewer.status().contains("unclosed group"),
        "{}",
        viewer.status()
    );
    assert_eq!(viewer.here(), 32);
}

#[test]
fn a_filter_keeps_the_order() {
    let mut viewer = viewer("healthy.jsonl");
    viewer.type_in("frole:tool is:error<Enter>");
    let numbers = |viewer: &mut Viewer| -> Vec<String> {
        let rows = viewer.list().into_iter();
        rows.filter(|row| !row.is_empty())
            .map(|row| {
                row.trim_start_matches('▌')
                    .split_whitespace()
                    .next()
                    .unwrap()
                    .to_owned()
            })
            .collect()
    };
    assert_eq!(numbers(&mut viewer), ["8", "23"]);
    viewer.type_in("f<C-u>tool:shell<Enter>");
    assert_eq!(
        numbers(&mut viewer),
        [
            "6", "7", "8", "9", "21", "22", "23", "24", "25", "29", "30", "31",
        ]
    );
    viewer.type_in("f<C-u>type:grants<Enter>");
    assert_eq!(numbers(&mut viewer), ["4"]);
    viewer.type_in("<Esc>");
    assert_eq!(viewer.here(), 4);
}

#[test]
fn a_place_is_gone_to_by_line_id_and_time() {
    check(
        "healthy.jsonl",
        &[
            (":5<Enter>", 5),
            (":2026-03-14T09:26:57Z<Enter>", 6),
            (":cb1f63d7<Enter>", 7),
        ],
    );
}

#[test]
fn what_the_model_sees_is_shown_in_place() {
    let mut viewer = viewer("two-compactions.jsonl");
    viewer.type_in("gcc");
    assert_eq!(viewer.here(), 16);
    viewer.type_in("s");
    assert!(viewer.screen()[0].ends_with("SEEN"));
    viewer.type_in("s");
    assert!(viewer.screen()[0].ends_with("SAID"));
    assert_eq!(viewer.here(), 16);
}

#[test]
fn an_entry_longer_than_the_screen_is_read_line_by_line() {
    let mut viewer = Viewer::open(&sample("huge-line.jsonl"), 80, 24);
    viewer.type_in("gtl");
    let top = viewer.list();
    viewer.type_in("jj");
    let below = viewer.list();
    assert_eq!(top[2..], below[..below.len() - 2]);
    assert!(below.iter().all(|row| row.starts_with('▌')));
}

#[test]
fn pages_come_and_go() {
    check(
        "healthy.jsonl",
        &[("g<PgDn>", 32), ("<PgUp>", 1), ("<C-d>", 17), ("<C-u>", 1)],
    );
}

#[test]
fn an_entry_is_handed_out_as_text() {
    let mut viewer = viewer("hostile.jsonl");
    viewer.type_in("g");
    let Effect::Copy(text) = viewer.app.key(Key::Char('y')) else {
        panic!("nothing to copy");
    };
    let is_danger = |mark: char| mark.is_control() && mark != '\n' && mark != '\t';
    assert!(!text.is_empty() && !text.contains(is_danger), "{text:?}");
}

#[test]
fn the_rows_that_a_filter_leaves_are_written_as_a_page() {
    let mut viewer = Viewer::open(&sample("healthy.jsonl"), 160, 24);
    viewer.type_in("fis:error<Enter>x");
    let status = viewer.status();
    let path = status.strip_prefix("written to ").unwrap();
    let path = path.split(' ').next().unwrap();
    let page = std::fs::read_to_string(path).unwrap();
    std::fs::remove_file(path).unwrap();
    assert!(path.ends_with(".html") && page.starts_with("<!"), "{page}");
    assert!(page.contains("panicked at src/sum.rs") && page.contains("E0308"));
    assert!(!page.contains("wrote") && !page.contains("Fixed."));
}

#[test]
fn a_click_goes_to_an_entry_and_a_second_one_opens_it() {
    let mut viewer = viewer("healthy.jsonl");
    viewer.app.click(6);
    assert_eq!(viewer.here(), 8);
    let before = viewer.list().len();
    viewer.app.click(6);
    assert_eq!(viewer.list().len(), before);
    assert!(viewer.list()[7].starts_with('▌'));
}

#[test]
fn a_click_on_the_strip_goes_to_the_round() {
    let mut viewer = viewer("healthy.jsonl");
    for (column, line) in [(8, 6), (9, 13), (12, 25), (7, 25), (40, 25)] {
        viewer.app.click_strip(column);
        assert_eq!(viewer.here(), line, "column {column}");
    }
}

#[test]
fn every_size_of_screen_is_drawn() {
    for (columns, rows) in [
        (1, 1),
        (2, 2),
        (10, 3),
        (20, 5),
        (40, 10),
        (79, 23),
        (300, 100),
    ] {
        for name in ["hostile.jsonl", "wide.jsonl", "pending.jsonl"] {
            let mut viewer = Viewer::open(&sample(name), columns, rows);
            viewer.type_in("3gjjjGkkk<PgUp><PgDn>s2si?r");
            viewer.screen();
        }
    }
}

fn padded(left: &str, right: &str) -> String {
    format!("{left}{}{right}", " ".repeat(80 - left.len() - right.len()))
}
