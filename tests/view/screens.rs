//! Whole screens, compared with `tests/view/screens/*.txt`.
//!
//! Each file was checked by eye against the transcript. A screen that is meant to look otherwise is
//! written with `SESS_WRITE_SCREENS=1 cargo test --test main view::screens`, and checked again.

use std::fs;
use std::path::Path;

use super::kit::{Viewer, sample};

pub const SIZES: [(u16, u16); 2] = [(80, 24), (160, 48)];

#[track_caller]
fn check(name: &str, file: &str, keys: &str) {
    for (columns, rows) in SIZES {
        let mut viewer = Viewer::open(&sample(file), columns, rows);
        viewer.type_in(keys);
        is_as_written(name, (columns, rows), &viewer.screen());
    }
}

/// Compares a screen with its file.
#[track_caller]
pub fn is_as_written(name: &str, (columns, rows): (u16, u16), screen: &[String]) {
    let screen = screen.join("\n") + "\n";
    let place = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/view/screens")
        .join(format!("{name}-{columns}x{rows}.txt"));
    if std::env::var_os("SESS_WRITE_SCREENS").is_some() {
        fs::write(&place, &screen).unwrap();
    }
    let expected = fs::read_to_string(&place).unwrap_or_default();
    assert!(
        screen == expected,
        "{}\nexpected:\n{expected}\nfound:\n{screen}",
        place.display()
    );
}

#[test]
fn a_healthy_run() {
    check("healthy", "healthy.jsonl", "");
}

#[test]
fn a_call_unfolded() {
    check("call", "healthy.jsonl", "el");
}

#[test]
fn excerpts_of_everything() {
    check("excerpts", "healthy.jsonl", "g2");
}

#[test]
fn a_torn_tail() {
    check("torn", "torn-tail.jsonl", "l");
}

#[test]
fn damage_in_the_middle() {
    check("damaged", "mid-file-damage.jsonl", "geel");
}

#[test]
fn two_compactions_as_the_file_says() {
    check("compactions-said", "two-compactions.jsonl", "gcclcl");
}

#[test]
fn two_compactions_as_the_model_sees() {
    check("compactions-seen", "two-compactions.jsonl", "gcs");
}

#[test]
fn a_stub_and_what_it_stands_for() {
    check("elided", "two-compactions.jsonl", "gcskkkl");
}

#[test]
fn operations_without_an_end() {
    check("pending", "pending.jsonl", "p");
}

#[test]
fn hostile_bytes() {
    check("hostile", "hostile.jsonl", "g2");
}

#[test]
fn wide_and_combining_characters() {
    check("wide", "wide.jsonl", "g2");
}

#[test]
fn a_filter_that_nothing_passes() {
    check(
        "empty-filter",
        "healthy.jsonl",
        "frole:user no such thing<Enter>",
    );
}

#[test]
fn help() {
    check("help", "healthy.jsonl", "?");
}

#[test]
fn numbers() {
    check("numbers", "pending.jsonl", "i");
}

#[test]
fn a_stored_line() {
    check("stored", "healthy.jsonl", "er");
}
