//! Comparing the texts of two messages, line by line and word by word.

use proptest::prelude::*;

use sess::look::diff::{LineChange, Segment, Standing, TextChange};

#[test]
fn words_that_differ_are_emphasised() {
    let change = TextChange::between(
        "one\nthe quick brown fox\nend\n",
        "one\nthe quick red fox\nend",
    );
    let shown: Vec<_> = change.lines.iter().map(marked).collect();
    let expected = [
        "=1 1 one⏎",
        "-2 . the quick [brown] fox⏎",
        "-3 . end⏎",
        "+. 2 the quick [red] fox⏎",
        "+. 3 end",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn text_hunks_leave_out_common_lines() {
    let left: String = (0..20)
        .map(|number| format!("line {number} of all\n"))
        .collect();
    let right = left.replace(" 10 ", " ten ");
    let change = TextChange::between(&left, &right);
    let hunks: Vec<Vec<String>> = change
        .hunks(1)
        .into_iter()
        .map(|lines| lines.iter().map(marked).collect())
        .collect();
    let expected = [
        "=10 10 line 9 of all⏎",
        "-11 . line [10] of all⏎",
        "+. 11 line [ten] of all⏎",
        "=12 12 line 11 of all⏎",
    ];
    assert_eq!(hunks, [expected]);
}

#[test]
fn a_huge_line_is_emphasised_from_its_first_difference_to_its_last() {
    let huge = |middle: &str| format!("{}{middle}{}\n", "ä ".repeat(900_000), "é ".repeat(900_000));
    let (left, right) = (huge("one two"), huge("one 2"));
    let change = TextChange::between(&left, &right);
    let emphasised: Vec<_> = change
        .lines
        .iter()
        .flat_map(|line| &line.segments)
        .filter(|segment| segment.emphasised)
        .map(|segment| segment.text)
        .collect();
    assert_eq!(emphasised, ["two", "2"]);
}

#[test]
fn between_very_many_lines_none_are_looked_for() {
    let text = |word: &str| -> String {
        let lines = (0..30_000).map(|number| match number % 3 {
            0 => "common\n".to_owned(),
            _ => format!("{word} {number}\n"),
        });
        std::iter::once("first\n".to_owned())
            .chain(lines)
            .chain(["last\n".to_owned()])
            .collect()
    };
    let (left, right) = (text("left"), text("right"));
    let change = TextChange::between(&left, &right);
    let both: Vec<String> = change
        .lines
        .iter()
        .filter(|line| line.standing == Standing::Both)
        .map(marked)
        .collect();
    let expected = ["=1 1 first⏎", "=2 2 common⏎", "=30002 30002 last⏎"];
    assert_eq!(both, expected);
    assert_eq!(change.lines.len(), 3 + 2 * 29_999);
}

fn marked(line: &LineChange<'_>) -> String {
    let number = |number: Option<usize>| number.map_or(".".to_owned(), |n| n.to_string());
    let sign = match line.standing {
        Standing::Both => '=',
        Standing::Left => '-',
        Standing::Right => '+',
    };
    let text: String = line
        .segments
        .iter()
        .map(|Segment { text, emphasised }| match emphasised {
            true => format!("[{text}]"),
            false => (*text).to_owned(),
        })
        .collect();
    let end = if line.newline { "⏎" } else { "" };
    format!(
        "{sign}{} {} {text}{end}",
        number(line.left),
        number(line.right)
    )
}

proptest! {
    #[test]
    fn line_changes_hold_both_texts(left in "[ab \né]{0,40}", right in "[ab \né]{0,40}") {
        let change = TextChange::between(&left, &right);
        let text = |without: Standing| -> String {
            let lines = change.lines.iter().filter(|line| line.standing != without);
            lines.flat_map(|line| {
                let end = if line.newline { "\n" } else { "" };
                line.segments.iter().map(|segment| segment.text).chain([end])
            }).collect()
        };
        prop_assert_eq!(text(Standing::Right), left.clone());
        prop_assert_eq!(text(Standing::Left), right.clone());
    }
}
