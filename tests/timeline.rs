//! The timeline of a run: rounds, tools, folds.

use std::path::Path;
use std::time::Duration;

use sess::clock::parse_utc;
use sess::look::summary::Tokens;
use sess::look::timeline::{CallSpan, Ending, Fold, FoldKind, Round, Timeline, ToolStats};

/// A transcript of these lines. Ids are `1`, `2`, …; a time is a second of one minute, `-` for none.
fn timeline(lines: &[(&str, &str, &str)]) -> Timeline {
    let mut text = String::new();
    for (index, (second, type_name, payload)) in lines.iter().enumerate() {
        let id = index + 1;
        let ts = match *second {
            "-" => String::new(),
            second => at_text(second),
        };
        text.push_str(&format!(
            "{{\"id\":\"{id}\",\"payload\":{payload},\"ts\":\"{ts}\",\"type\":\"{type_name}\",\"v\":1}}\n"
        ));
    }
    Timeline::of(text.as_bytes()).unwrap()
}

fn at_text(second: &str) -> String {
    format!("2026-01-01T00:00:{second}Z")
}

fn at(second: &str) -> Option<chrono::DateTime<chrono::Utc>> {
    Some(parse_utc(&at_text(second)).unwrap())
}

/// A turn that makes these calls, `(id, tool)`.
fn turn(calls: &[(&str, &str)]) -> String {
    let call = |(id, name): &(&str, &str)| {
        format!(
            r#"{{"function":{{"arguments":"{{}}","name":"{name}"}},"id":"{id}","type":"function"}}"#
        )
    };
    let calls: Vec<String> = calls.iter().map(call).collect();
    format!(
        r#"{{"content":"","role":"assistant","tool-calls":[{}],"usage":{{"completion-tokens":7,"cost":0.5,"prompt-tokens":100}}}}"#,
        calls.join(",")
    )
}

fn answer(id: &str, extra: &str) -> String {
    format!(r#"{{"content":"größe",{extra}"role":"tool","tool-call-id":"{id}"}}"#)
}

fn dispatch(id: &str, tool: &str) -> String {
    format!(r#"{{"call-id":"{id}","tool":"{tool}"}}"#)
}

const USAGE: Tokens = Tokens {
    prompt: Some(100),
    cached: None,
    completion: Some(7),
    cost: Some(0.5),
};

const META: (&str, &str, &str) = ("00.000000", "session-meta", "{}");
const QUESTION: (&str, &str, &str) = ("01.000000", "message", r#"{"content":"?","role":"user"}"#);

fn span(tool: usize, ending: Ending, seconds: Option<f64>) -> CallSpan {
    CallSpan {
        tool: Some(tool),
        ending,
        seconds,
    }
}

#[test]
fn a_round_is_a_turn_with_its_calls() {
    let found = timeline(&[
        META,
        QUESTION,
        (
            "03.000000",
            "message",
            &turn(&[("a", "read"), ("b", "shell")]),
        ),
        ("03.100000", "tool-dispatched", &dispatch("a", "read")),
        ("03.200000", "tool-dispatched", &dispatch("b", "shell")),
        ("04.000000", "message", &answer("b", r#""is-error":true,"#)),
        (
            "04.100000",
            "tool-settled",
            r#"{"duration":0.75,"op-id":"5","outcome":"failed"}"#,
        ),
        ("05.000000", "message", &answer("a", "")),
        (
            "05.500000",
            "tool-settled",
            r#"{"duration":1.5,"op-id":"4","outcome":"completed"}"#,
        ),
        (
            "08.000000",
            "message",
            r#"{"content":"Done.","role":"assistant"}"#,
        ),
    ]);
    let rounds = [
        Round {
            line: 3,
            turn: 1,
            asked: at("01.000000"),
            answered: at("03.000000"),
            ended: at("05.500000"),
            tokens: USAGE,
            calls: 2,
            failures: 1,
            unknown: 0,
            spans: vec![
                span(0, Ending::Completed, Some(1.5)),
                span(1, Ending::Failed, Some(0.75)),
            ],
        },
        Round {
            line: 10,
            turn: 1,
            asked: at("05.500000"),
            answered: at("08.000000"),
            ended: at("08.000000"),
            ..Round::default()
        },
    ];
    assert_eq!(found.rounds, rounds);
    assert_eq!(rounds[0].model_time(), Some(Duration::from_secs(2)));
    assert_eq!(rounds[0].tool_time(), Some(Duration::from_millis(2_500)));
    assert_eq!(rounds[0].duration(), Some(Duration::from_millis(4_500)));

    let stats = |failures: u64, seconds: f64| ToolStats {
        calls: 1,
        failures,
        timed: 1,
        seconds,
        longest: seconds,
        result_bytes: 7,
        ..ToolStats::default()
    };
    let tools = [
        ("read".to_owned(), stats(0, 1.5)),
        ("shell".to_owned(), stats(1, 0.75)),
    ];
    assert_eq!(found.tools.named(), tools);
    assert_eq!(found.tokens, USAGE);
}

#[test]
fn times_that_are_missing_or_go_back_give_no_duration() {
    let found = timeline(&[
        META,
        ("30.000000", "message", r#"{"content":"?","role":"user"}"#),
        (
            "20.000000",
            "message",
            r#"{"content":"back","role":"assistant"}"#,
        ),
        ("-", "message", r#"{"content":"none","role":"assistant"}"#),
    ]);
    let durations: Vec<_> = found.rounds.iter().map(Round::duration).collect();
    assert_eq!(durations, [None, None]);
    assert_eq!(found.rounds[1].asked, at("20.000000"));
}

#[test]
fn durations_that_are_none_do_not_count() {
    for duration in ["-1.0", "null", "\"fast\"", "1e999"] {
        let settle = format!(r#"{{"duration":{duration},"op-id":"3","outcome":"completed"}}"#);
        let found = timeline(&[
            META,
            ("01.000000", "message", &turn(&[("a", "read")])),
            ("02.000000", "tool-dispatched", &dispatch("a", "read")),
            ("03.000000", "message", &answer("a", "")),
            ("04.000000", "tool-settled", &settle),
        ]);
        assert_eq!(
            found.rounds[0].spans,
            [span(0, Ending::Completed, None)],
            "{duration}"
        );
        assert_eq!(found.tools.named()[0].1.timed, 0);
    }
}

#[test]
fn a_call_id_that_is_used_again_is_the_call_of_the_later_round() {
    let found = timeline(&[
        META,
        ("01.000000", "message", &turn(&[("a", "read")])),
        ("02.000000", "message", &answer("a", "")),
        ("03.000000", "message", &turn(&[("a", "read")])),
        (
            "04.000000",
            "message",
            &answer("a", r#""outcome-unknown":true,"#),
        ),
        ("05.000000", "message", &turn(&[("a", "read")])),
    ]);
    let endings: Vec<Ending> = found
        .rounds
        .iter()
        .map(|round| round.spans[0].ending)
        .collect();
    assert_eq!(endings, [Ending::Completed, Ending::Unknown, Ending::Open]);
    let stats = found.tools.named()[0].1;
    assert_eq!((stats.calls, stats.failures, stats.unknown), (3, 0, 1));
}

#[test]
fn calls_with_one_id_in_one_round_are_answered_in_order() {
    let found = timeline(&[
        META,
        (
            "01.000000",
            "message",
            &turn(&[("a", "read"), ("a", "shell")]),
        ),
        ("02.000000", "message", &answer("a", r#""is-error":true,"#)),
        ("03.000000", "message", &answer("a", "")),
    ]);
    let spans = [
        span(0, Ending::Failed, None),
        span(1, Ending::Completed, None),
    ];
    assert_eq!(found.rounds[0].spans, spans);
}

#[test]
fn a_dispatch_without_its_turn_counts_for_the_tool_only() {
    let found = timeline(&[
        META,
        ("01.000000", "tool-dispatched", &dispatch("a", "read")),
        (
            "02.000000",
            "tool-settled",
            r#"{"duration":2,"op-id":"2","outcome":"outcome-unknown"}"#,
        ),
        (
            "03.000000",
            "tool-settled",
            r#"{"duration":2,"op-id":"nobody","outcome":"failed"}"#,
        ),
    ]);
    assert_eq!(found.rounds, []);
    let stats = ToolStats {
        calls: 1,
        unknown: 1,
        timed: 1,
        seconds: 2.0,
        longest: 2.0,
        ..ToolStats::default()
    };
    assert_eq!(found.tools.named(), [("read".to_owned(), stats)]);
}

#[test]
fn of_an_operation_settled_twice_the_first_word_counts() {
    let settled = |seconds: u64, outcome: &str| {
        format!(r#"{{"duration":{seconds},"op-id":"4","outcome":"{outcome}"}}"#)
    };
    let found = timeline(&[
        META,
        QUESTION,
        ("02.000000", "message", &turn(&[("a", "read")])),
        ("03.000000", "tool-dispatched", &dispatch("a", "read")),
        ("04.000000", "tool-settled", &settled(1, "completed")),
        ("05.000000", "tool-settled", &settled(7, "failed")),
    ]);
    let round = &found.rounds[0];
    assert_eq!(round.spans, [span(0, Ending::Completed, Some(1.0))]);
    assert_eq!((round.failures, round.ended), (0, at("04.000000")));
    let stats = ToolStats {
        calls: 1,
        timed: 1,
        seconds: 1.0,
        longest: 1.0,
        ..ToolStats::default()
    };
    assert_eq!(found.tools.named(), [("read".to_owned(), stats)]);
}

#[test]
fn of_a_round_with_very_many_calls_the_first_are_kept() {
    let ids: Vec<String> = (0..1_000).map(|number| number.to_string()).collect();
    let calls: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), "read")).collect();
    let found = timeline(&[
        META,
        ("01.000000", "message", &turn(&calls)),
        (
            "02.000000",
            "message",
            &answer("999", r#""is-error":true,"#),
        ),
    ]);
    let round = &found.rounds[0];
    assert_eq!(
        (round.calls, round.failures, round.spans.len()),
        (1_000, 1, 64)
    );
}

#[test]
fn a_sample_with_two_compactions() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sessions/two-compactions.jsonl");
    let found = Timeline::of(std::fs::File::open(path).unwrap()).unwrap();
    let rounds: Vec<(u64, u64, u64)> = found
        .rounds
        .iter()
        .map(|round| (round.line, round.turn, round.calls))
        .collect();
    assert_eq!(
        rounds,
        [
            (6, 2, 1),
            (10, 2, 1),
            (14, 2, 0),
            (18, 3, 1),
            (22, 3, 1),
            (26, 3, 0),
            (31, 4, 0)
        ]
    );
    let folds: Vec<(u64, usize, FoldKind)> = found
        .folds
        .iter()
        .map(
            |Fold {
                 line,
                 after_rounds,
                 kind,
                 ..
             }| (*line, *after_rounds, *kind),
        )
        .collect();
    let compaction = |tokens, fallback| FoldKind::Compaction { tokens, fallback };
    assert_eq!(
        folds,
        [
            (15, 3, FoldKind::Elision(1)),
            (16, 3, compaction((Some(5_464), Some(1_377)), false)),
            (27, 6, compaction((Some(4_531), Some(688)), true)),
        ]
    );
    let shell = found.tools.named().iter().find(|(name, _)| name == "shell");
    assert_eq!(
        shell.map(|(_, stats)| (stats.calls, stats.longest)),
        Some((1, 3.212004))
    );
}

#[test]
fn a_long_run_is_outlined_in_few_rounds() {
    use sess::look::timeline::Timeliner;
    use sess::session::envelope::Verdict;

    let call = |id: u64| {
        format!(
            r#"{{"id":"a{id}","payload":{{"content":"","role":"assistant","tool-calls":[{{"function":{{"arguments":"{{}}","name":"shell"}},"id":"c{id}"}}],"usage":{{"prompt-tokens":{id}}}}},"ts":"2026-01-01T00:00:00.000000Z","type":"message","v":1}}"#
        )
    };
    let failed = |id: u64| {
        format!(
            r#"{{"id":"t{id}","payload":{{"content":"","is-error":true,"role":"tool","tool-call-id":"c{id}"}},"ts":"2026-01-01T00:00:00.000000Z","type":"message","v":1}}"#
        )
    };
    let mut timeliner = Timeliner::default();
    for id in 1..=5 {
        timeliner.line(id, &Verdict::of(call(id).as_bytes()));
    }
    timeliner.thin_out(3);
    // The answer to the fourth call counts in the round that holds it by now.
    timeliner.line(6, &Verdict::of(failed(4).as_bytes()));
    let rounds = &timeliner.timeline().rounds;
    let told: Vec<_> = rounds
        .iter()
        .map(|round| (round.line, round.calls, round.tokens.prompt, round.failures))
        .collect();
    assert_eq!(
        told,
        [(1, 2, Some(2), 0), (3, 2, Some(4), 1), (5, 1, Some(5), 0)]
    );
    assert_eq!(timeliner.timeline().tokens.prompt, Some(15));
}
