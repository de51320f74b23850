//! The screens that the README shows are those of the viewer.

use std::fs;
use std::path::Path;

use super::kit::{Viewer, sample};

/// In front of each stands `<!-- tour: FILE COLUMNSxROWS KEYS -->`. `SESS_WRITE_SCREENS=1` writes
/// them anew.
#[test]
fn the_screens_of_the_readme_are_those_of_the_viewer() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&place).unwrap();
    let mut made = String::new();
    let mut rest = readme.as_str();
    let mut count = 0;
    while let Some((before, after)) = rest.split_once("<!-- tour: ") {
        let (words, after) = after.split_once(" -->\n```text\n").unwrap();
        let (_, behind) = after.split_once("```\n").unwrap();
        made.push_str(&format!(
            "{before}<!-- tour: {words} -->\n```text\n{}```\n",
            screen(words)
        ));
        rest = behind;
        count += 1;
    }
    made.push_str(rest);
    assert!(count > 0, "the README shows screens");
    if std::env::var_os("SESS_WRITE_SCREENS").is_some() {
        fs::write(&place, &made).unwrap();
    }
    assert!(
        fs::read_to_string(&place).unwrap() == made,
        "a screen of the README is another:\n{made}"
    );
}

fn screen(words: &str) -> String {
    let mut words = words.split(' ');
    let mut word = || words.next().unwrap();
    let file = sample(word());
    let (columns, rows) = word().split_once('x').unwrap();
    let mut viewer = Viewer::open(&file, columns.parse().unwrap(), rows.parse().unwrap());
    viewer.type_in(word());
    viewer.screen().join("\n") + "\n"
}

#[test]
fn each_question_takes_less_than_five_keys() {
    let mut viewer = Viewer::open(&sample("healthy.jsonl"), 80, 24);
    viewer.type_in("e");
    assert_eq!(viewer.here(), 8);
    viewer.type_in("s");
    let seen: Vec<String> = viewer
        .list()
        .into_iter()
        .filter(|row| !row.is_empty())
        .collect();
    let numbers = seen.iter().map(|row| {
        row.trim_start_matches('▌')
            .split_whitespace()
            .next()
            .unwrap()
    });
    assert_eq!(numbers.collect::<Vec<_>>(), ["3", "5", "6", "8"]);

    let mut viewer = Viewer::open(&sample("interrupted.jsonl"), 80, 24);
    viewer.type_in("p");
    assert_eq!(viewer.here(), 16);
    assert!(
        viewer
            .list()
            .iter()
            .any(|row| row.starts_with('▌') && row.contains("never dispatched"))
    );
    viewer.type_in("p");
    assert_eq!(viewer.here(), 17);
    assert!(
        viewer
            .list()
            .iter()
            .any(|row| row.starts_with('▌') && row.contains("no end recorded"))
    );
}
