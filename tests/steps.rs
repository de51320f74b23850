//! Compactions and elisions over time: what each did, and both its sides.

use sess::look::steps::{Change, Extent, FullEntry, Step, StepKind, Tokens, sides, steps};

/// A transcript with these payloads after the meta line. Line `n` has the id `n`.
fn transcript(lines: &[(&str, &str)]) -> String {
    let meta = [("session-meta", "{}")];
    let lines = meta.iter().chain(lines).zip(1..);
    let lines = lines.map(|((type_name, payload), number)| {
        format!("{{\"id\":\"{number}\",\"payload\":{payload},\"ts\":\"t{number}\",\"type\":\"{type_name}\",\"v\":1}}\n")
    });
    lines.collect()
}

/// Two sticky messages and three others; one of them is elided; then all but the last are folded
/// away, and the summary with them.
fn folded() -> String {
    transcript(&[
        (
            "message",
            r#"{"content":"rules","role":"system","sysprompt":true}"#,
        ),
        ("message", r#"{"content":"ask","role":"user"}"#),
        (
            "message",
            r#"{"role":"assistant","tool-calls":[{"function":{"arguments":"{\"a\":1}","name":"look"},"id":"c","type":"function"}]}"#,
        ),
        (
            "message",
            r#"{"content":"a long answer","role":"tool","tool-call-id":"c"}"#,
        ),
        ("elision", r#"{"items":[{"id":"5","stub":"gone"}]}"#),
        (
            "message",
            r#"{"content":"more","role":"user","sticky":true}"#,
        ),
        (
            "compaction",
            r#"{"replaces-through-id":"7","summary":"they talked","tokens-before":90}"#,
        ),
        (
            "compaction",
            r#"{"fallback":true,"replaces-through-id":"8","summary":"","tokens-after":0,"tokens-before":8}"#,
        ),
    ])
}

fn extent(messages: u64, tokens: Tokens) -> Extent {
    Extent { messages, tokens }
}

fn step(number: u64, line: u64, kind: StepKind, before: Extent, after: Extent) -> Step {
    Step {
        number,
        kind,
        id: line.to_string().into(),
        ts: format!("t{line}"),
        line,
        before,
        after,
    }
}

#[test]
fn tokens_are_those_recorded_or_a_quarter_of_the_characters() {
    use Tokens::{Estimated, Recorded};
    // 5 + 3 + (4 + 7) + 13 = 32 characters; the stub takes 9 away. Then 4 more come, and the sticky
    // 5 and 4 stay with a summary of 11.
    let expected = [
        step(
            1,
            6,
            StepKind::Elision { contents: 1 },
            extent(4, Estimated(8)),
            extent(4, Estimated(6)),
        ),
        step(
            2,
            8,
            StepKind::Compaction { fallback: false },
            extent(5, Recorded(90)),
            extent(3, Estimated(5)),
        ),
        step(
            3,
            9,
            StepKind::Compaction { fallback: true },
            extent(3, Recorded(8)),
            extent(3, Recorded(0)),
        ),
    ];
    let text = folded();
    assert_eq!(steps(text.as_bytes(), u64::MAX).unwrap(), expected);
    assert_eq!(steps(text.as_bytes(), 8).unwrap(), expected[..2]);
    assert_eq!(steps(text.as_bytes(), 5).unwrap(), []);
}

/// Id and content of each.
fn shown(entries: &[FullEntry]) -> Vec<(&str, &str)> {
    let entries = entries.iter();
    entries
        .map(|entry| (entry.id.as_str(), entry.body.content.as_str()))
        .collect()
}

#[test]
fn a_compaction_has_what_went_what_stayed_and_what_stands_instead() {
    let text = folded();
    let mut found = Vec::new();
    for number in [2, 3] {
        let sides = sides(text.as_bytes(), u64::MAX, number).unwrap().unwrap();
        let Change::Folded {
            gone,
            kept,
            summary,
        } = sides.change
        else {
            panic!("step {number} folds");
        };
        assert!(summary.summary && !summary.standing.sticky);
        found.push((gone, kept, [summary]));
    }
    let (gone, kept, summary) = &found[0];
    assert_eq!(shown(gone), [("3", "ask"), ("4", ""), ("5", "gone")]);
    assert_eq!(shown(kept), [("2", "rules"), ("7", "more")]);
    assert_eq!(shown(summary), [("8", "they talked")]);
    let (gone, kept, summary) = &found[1];
    assert_eq!(shown(gone), [("8", "they talked")]);
    assert_eq!(shown(kept), [("2", "rules"), ("7", "more")]);
    assert_eq!(shown(summary), [("9", "")]);
}

#[test]
fn an_elision_has_each_message_before_and_after() {
    let text = folded();
    let sides = sides(text.as_bytes(), u64::MAX, 1).unwrap().unwrap();
    let Change::Elided(pairs) = sides.change else {
        panic!("step 1 elides");
    };
    let (before, after): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    assert_eq!(shown(&before), [("5", "a long answer")]);
    assert_eq!(shown(&after), [("5", "gone")]);
    assert_eq!((before[0].elided, after[0].elided), (false, true));
}

#[test]
fn there_are_no_more_steps_than_lines_allow() {
    let text = folded();
    assert_eq!(sides(text.as_bytes(), u64::MAX, 4).unwrap(), None);
    assert_eq!(sides(text.as_bytes(), 7, 2).unwrap(), None);
}

#[test]
fn lines_that_may_not_stand_there_are_no_steps() {
    let text = transcript(&[
        ("message", r#"{"content":"ask"}"#),
        (
            "compaction",
            r#"{"replaces-through-id":"nobody","summary":"x"}"#,
        ),
        ("elision", r#"{"items":[{"id":"2"}]}"#),
    ]) + "{\"torn";
    assert_eq!(steps(text.as_bytes(), u64::MAX).unwrap(), []);
}

#[test]
fn a_message_that_an_elision_names_twice_is_one_in_the_list_and_in_the_step() {
    let text = transcript(&[
        ("message", r#"{"content":"a long question","role":"user"}"#),
        ("message", r#"{"content":"another one","role":"user"}"#),
        (
            "elision",
            r#"{"items":[{"id":"3","stub":"y"},{"id":"2","stub":"x"},{"id":"2","stub":"gone"}]}"#,
        ),
    ]);
    let kind = StepKind::Elision { contents: 2 };
    let listed = steps(text.as_bytes(), u64::MAX).unwrap();
    assert_eq!(
        listed.iter().map(|step| step.kind).collect::<Vec<_>>(),
        [kind]
    );
    let sides = sides(text.as_bytes(), u64::MAX, 1).unwrap().unwrap();
    assert_eq!(sides.step, listed[0]);
    let Change::Elided(pairs) = sides.change else {
        panic!("step 1 elides");
    };
    let (before, after): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    assert_eq!(
        shown(&before),
        [("2", "a long question"), ("3", "another one")]
    );
    assert_eq!(shown(&after), [("2", "gone"), ("3", "y")]);
    let lines: Vec<u64> = after.iter().map(|entry| entry.line).collect();
    assert_eq!(lines, [2, 3]);
}

#[test]
fn a_count_that_cannot_be_one_makes_both_sides_estimates() {
    use Tokens::{Estimated, Recorded};
    // 8 characters before, and a summary of 4 after.
    for (counts, before, after) in [
        (
            r#""tokens-after":5,"tokens-before":9"#,
            Recorded(9),
            Recorded(5),
        ),
        (
            r#""tokens-after":5,"tokens-before":-9"#,
            Estimated(2),
            Estimated(1),
        ),
        (
            r#""tokens-after":-5,"tokens-before":9"#,
            Estimated(2),
            Estimated(1),
        ),
        (
            r#""tokens-after":"5","tokens-before":9"#,
            Estimated(2),
            Estimated(1),
        ),
        (
            r#""tokens-after":null,"tokens-before":9"#,
            Recorded(9),
            Estimated(1),
        ),
    ] {
        let compaction = format!(r#"{{"replaces-through-id":"2","summary":"four",{counts}}}"#);
        let text = transcript(&[
            ("message", r#"{"content":"eightchr","role":"user"}"#),
            ("compaction", &compaction),
        ]);
        let found = steps(text.as_bytes(), u64::MAX).unwrap();
        assert_eq!(
            (found[0].before.tokens, found[0].after.tokens),
            (before, after),
            "{counts}"
        );
    }
}
