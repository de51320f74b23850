//! Two transcripts beside each other.

use std::fs::File;
use std::path::PathBuf;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use sess::look::diff::{Reading, Side};
use sess::view::action::Effect;
use sess::view::{Compare, Compared, Stage};

use super::kit::{drawn, keys_of, sample};
use super::screens::{SIZES, is_as_written};

fn compared(name: &str) -> Compared {
    let path = sample(name);
    let side = Side::read(File::open(&path).unwrap(), Reading::default()).unwrap();
    Compared {
        name: PathBuf::from(name),
        path,
        items: side.items,
        skipped: side.warnings.len(),
    }
}

struct Both {
    compare: Compare,
    terminal: Terminal<TestBackend>,
}

impl Both {
    fn open(left: &str, right: &str, (columns, rows): (u16, u16)) -> Self {
        let mut compare = Compare::of(compared(left), compared(right));
        compare.resized(columns, rows);
        let terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        Self { compare, terminal }
    }

    fn press(&mut self, keys: &str) -> Effect {
        let effects = keys_of(keys).into_iter();
        let effects = effects.map(|key| self.compare.pressed(key));
        effects.last().unwrap_or(Effect::None)
    }

    fn screen(&mut self) -> Vec<String> {
        drawn(&mut self.compare, &mut self.terminal)
    }

    fn status(&mut self) -> String {
        self.screen().pop().unwrap()
    }
}

#[track_caller]
fn check(name: &str, left: &str, right: &str, keys: &str) {
    for size in SIZES {
        let mut both = Both::open(left, right, size);
        both.press(keys);
        is_as_written(name, size, &both.screen());
    }
}

#[test]
fn two_runs_that_part() {
    check("diff", "diff-left.jsonl", "diff-right.jsonl", "");
}

#[test]
fn two_runs_that_part_in_full() {
    check("diff-full", "diff-left.jsonl", "diff-right.jsonl", "3g");
}

#[test]
fn the_keys_of_a_comparison() {
    check("diff-help", "diff-left.jsonl", "diff-right.jsonl", "?");
}

#[test]
fn hostile_bytes_beside_others() {
    check("diff-hostile", "hostile.jsonl", "wide.jsonl", "g3");
}

#[test]
fn two_runs_that_did_the_same_have_no_difference() {
    let mut both = Both::open("diff-left.jsonl", "diff-same.jsonl", SIZES[0]);
    assert!(both.compare.is_same());
    assert!(
        both.status().starts_with("no difference"),
        "{}",
        both.status()
    );
    both.press("n");
    assert!(
        both.status().starts_with("no difference"),
        "{}",
        both.status()
    );
    both.press("a");
    assert_eq!(both.screen()[3], "  both say the same; a shows it");
}

/// Messages 5 and 6 in two versions, two that only the right has, and the last in two versions.
#[test]
fn each_difference_is_a_stop() {
    let mut both = Both::open("diff-left.jsonl", "diff-right.jsonl", SIZES[0]);
    assert_eq!(both.status().split("  ").next(), Some("difference 1 of 4"));
    both.press("n");
    assert_eq!(both.status().split("  ").next(), Some("difference 2 of 4"));
    both.press("]]");
    assert_eq!(both.status().split("  ").next(), Some("difference 4 of 4"));
    both.press("n");
    assert_eq!(
        both.status().split("  ").next(),
        Some("no further difference")
    );
    both.press("p[p");
    assert_eq!(both.status().split("  ").next(), Some("difference 1 of 4"));
    both.press("N");
    assert_eq!(
        both.status().split("  ").next(),
        Some("no difference before this")
    );
}

#[test]
fn either_side_is_opened_at_its_own_line() {
    let mut both = Both::open("diff-left.jsonl", "diff-right.jsonl", SIZES[0]);
    let open = |name, line| Effect::Open {
        path: sample(name),
        line,
    };
    assert_eq!(both.press("<"), open("diff-left.jsonl", 8));
    assert_eq!(both.press(">"), open("diff-right.jsonl", 8));
    both.press("G");
    assert_eq!(both.press("g<"), open("diff-left.jsonl", 2));
}

#[test]
fn no_keys_and_no_size_break_a_comparison() {
    let samples = ["diff-left", "hostile", "two-compactions", "huge-line"];
    for left in samples {
        for right in ["diff-right", "wide"] {
            let names = [left, right].map(|name| format!("{name}.jsonl"));
            let mut both = Both::open(&names[0], &names[1], (1, 1));
            both.press("nnl3GgjkaNaa2");
            for size in [(1, 1), (3, 200), (500, 200), (99, 5), (100, 6)] {
                both.compare.resized(size.0, size.1);
                both.terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
                both.press("g<PgDn><PgDn>jn<C-d>?<Esc>l1n3ak");
                let screen = both.screen().concat();
                let is_danger = |mark: char| {
                    mark.is_control()
                        || matches!(mark, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
                };
                assert!(!screen.contains(is_danger), "{screen:?}");
            }
        }
    }
}
