//! Old tool results give way to stubs.

use std::sync::Arc;

use sess::Message;
use sess::context::*;

use tokio_util::sync::CancellationToken;

use super::kit::*;

fn options(context_budget: u64) -> CompactorOptions {
    CompactorOptions {
        keep_recent: 2,
        age_observations: true,
        age_min_chars: 100,
        age_reclaim_min: 1_000,
        ..CompactorOptions::new(context_budget)
    }
}

fn prompt() -> Message {
    Message::system("SY").with_sysprompt().with_sticky()
}

fn of(character: &str, length: usize) -> String {
    character.repeat(length)
}

fn indices(pass: &Compacted) -> Vec<usize> {
    pass.elisions.iter().map(|(index, _)| *index).collect()
}

fn is_due(options: CompactorOptions, messages: &[Arc<Message>]) -> bool {
    let compactor = SummarisingCompactor::new(Script::new([]), by_character(), options).unwrap();
    compactor.needs_compaction(messages, by_character().count_messages(messages))
}

// 52, 53 and the matrix of 7.5
#[tokio::test]
async fn results_go_by_size_age_and_place() {
    let given = shared([
        prompt(),
        Message::user(of("u", 8)),
        reads("c1", "1"),
        Message::tool("c1", of("t", 500)),
        reads("c2", "2"),
        Message::tool("c2", of("t", 100)),
        reads("c3", "3"),
        Message::tool("c3", of("t", 101)),
        Message::assistant(of("a", 3_000)),
        Message::user(of("u", 3_000)),
        reads("c4", "4"),
        Message::tool("c4", of("t", 500)).with_sticky(),
        reads("c5", "5"),
        Message::tool("c5", stub(4_096, None)),
        Message::assistant(of("a", 5_000)),
        reads("c6", "6"),
        Message::tool("c6", of("t", 5_000)),
        Message::user(of("u", 2_000)),
    ]);
    let script = Script::new([]);
    let pass = compact(options(1_000_000), &script, &given, None).await;
    assert_eq!(indices(&pass), [3, 7]);
    // The message at 1 makes the sum that of 7.5.
    assert_eq!((pass.tokens_before, pass.tokens_after), (19_884, 19_455));
    assert_eq!((pass.dropped, pass.cut_index, script.calls()), (0, None, 0));
    assert!(pass.summary.is_empty() && !pass.fallback && !pass.exhausted);
}

fn one_read(big: usize, filler: usize, last: [&str; 2]) -> Vec<Arc<Message>> {
    shared([
        prompt(),
        reads("c1", "a"),
        Message::tool("c1", of("A", big)),
        Message::assistant(of("F", filler)),
        Message::user(last[0]),
        Message::assistant(last[1]),
    ])
}

// 59, 60, 61, 62 and the table of 7.5
#[tokio::test]
async fn stubs_alone_where_they_will_do_and_a_summary_where_not() {
    let given = one_read(5_000, 2_000, ["carry on", "right"]);
    assert!(is_due(options(1_000_000), &given));
    let script = Script::new([]);
    let pass = compact(options(1_000_000), &script, &given, None).await;
    assert_eq!(
        (pass.tokens_before, pass.tokens_after, indices(&pass)),
        (7_114, 2_201, vec![2])
    );
    assert_eq!(pass.messages[2].content.len(), 87);
    assert!(!is_due(options(1_000_000), &pass.messages));
    let again = compact(options(1_000_000), &script, &pass.messages, None).await;
    assert_eq!((again.elisions.len(), script.calls()), (0, 1));
    let given = one_read(5_000, 2_000, ["and now the tests", "right"]);
    let script = Script::new([]);
    let pass = compact(options(6_250), &script, &given, None).await;
    assert_eq!(options(6_250).trigger(), 5_000);
    assert_eq!(
        (pass.tokens_before, pass.tokens_after, script.calls()),
        (7_123, 2_210, 0)
    );
    assert_eq!(indices(&pass), [2]);
    let (u, a) = (of("u", 300), of("a", 300));
    let given = one_read(5_000, 2_000, [&u, &a]);
    for (answer, after) in [(Some("THE SUMMARY"), 662), (None, 858)] {
        let script = Script::new(answer.map(|text| Ok(text.to_owned())));
        let pass = compact(options(1_000), &script, &given, None).await;
        assert_eq!((pass.tokens_before, pass.tokens_after), (7_701, after));
        assert_eq!(
            (pass.dropped, pass.cut_index, indices(&pass)),
            (3, Some(3), vec![2])
        );
        assert_eq!((pass.fallback, pass.exhausted), (answer.is_none(), false));
        let shown = &script.transcripts()[0];
        assert!(shown.contains(STUB_PREFIX) && !shown.contains("AAAA"));
    }
}

// 54, 62 and the grace of 7.5
#[tokio::test]
async fn a_pass_waits_until_enough_can_be_won_and_enough_has_followed() {
    for (behind, due) in [(999, false), (1_000, true)] {
        let given = one_read(5_000, behind - 2, ["u", "a"]);
        assert_eq!(is_due(options(1_000_000), &given), due);
        let pass = compact(options(1_000_000), &Script::new([]), &given, None).await;
        let elided: &[usize] = if due { &[2] } else { &[] };
        assert_eq!(indices(&pass), elided);
        let given = one_read(behind, 2_000, ["u", "a"]);
        assert_eq!(is_due(options(1_000_000), &given), due);
    }
    let off = CompactorOptions {
        age_observations: false,
        ..options(1_000_000)
    };
    assert!(!is_due(off, &one_read(5_000, 2_000, ["u", "a"])));
}

// 57 and the duplicates of 7.5
#[tokio::test]
async fn older_results_of_one_call_go_and_the_newest_stays() {
    let respelled =
        Message::assistant("calling").with_call(call("c2", "fs_read", r#"{ "path" : "a" }"#));
    let given = shared([
        prompt(),
        reads("c1", "a"),
        Message::tool("c1", of("t", 3_000)),
        respelled,
        Message::tool("c2", of("t", 9_000)),
        reads("c3", "c"),
        Message::tool("c3", of("t", 9_000)),
        Message::assistant(of("F", 2_000)),
        Message::user("go on"),
        reads("c4", "d"),
        Message::tool("c4", of("t", 9_000)),
        Message::user(of("u", 2_000)),
    ]);
    let four = CompactorOptions {
        keep_recent: 4,
        age_min_chars: 5_000,
        ..options(1_000_000)
    };
    let pass = compact(four, &Script::new([]), &given, None).await;
    assert_eq!((pass.tokens_before, pass.tokens_after), (34_407, 22_581));
    assert_eq!(indices(&pass), [2, 6]);
}

// D3, D6
#[tokio::test]
async fn an_id_used_again_is_another_call_and_a_short_result_keeps_its_text() {
    let twice = |second: &str, length: usize| {
        shared([
            reads("call_0", "a"),
            Message::tool("call_0", of("t", length)),
            reads("call_0", second),
            Message::tool("call_0", of("t", length)),
            Message::user(of("u", 500)),
            Message::user("x"),
            Message::user("y"),
        ])
    };
    for (second, length, elided) in [("a", 200, 1), ("b", 200, 0), ("a", 20, 0)] {
        let given = twice(second, length);
        let pass = compact(options(1_000_000), &Script::new([]), &given, None).await;
        assert_eq!(pass.elisions.len(), elided, "{second} {length}");
    }
}

// D17: the first row of 7.5, billed at far less than it is estimated at
#[tokio::test]
async fn a_pass_that_begins_below_the_line_by_the_bill_asks_nobody() {
    let given = one_read(5_000, 2_000, ["carry on", "right"]);
    let counter = Arc::new(UsageCounter::new(by_character()));
    counter.record_usage(&UsageReport {
        prompt_tokens: 1_000,
        completion_tokens: None,
        messages: &given,
        model: "m",
    });
    let options = options(2_000);
    assert_eq!(options.trigger(), 1_600);
    let script = Script::new([Ok("THE SUMMARY".to_owned())]);
    let compactor = SummarisingCompactor::new(script.clone(), counter, options).unwrap();
    assert!(compactor.needs_compaction(&given, 1_000));
    let pass = compactor
        .compact(CompactionRequest {
            messages: &given,
            cancelled: CancellationToken::new(),
            target: None,
        })
        .await;
    assert_eq!(
        (pass.tokens_before, pass.tokens_after, script.calls()),
        (1_000, 2_201, 0)
    );
    assert_eq!((indices(&pass), pass.exhausted), (vec![2], false));
}

// 63
#[test]
fn a_stub_has_one_form() {
    assert_eq!(stub(500, Some("fs_read")).len(), 86);
    assert_eq!(stub(41_062, Some("fs_read")).len(), 88);
    assert_eq!(stub(4_096, None).len(), 79);
}

fn reading(results: &[(&str, &str, usize)], behind: usize) -> Vec<Arc<Message>> {
    let mut all = vec![prompt()];
    for (id, path, length) in results {
        all.extend([reads(id, path), Message::tool(*id, of("t", *length))]);
    }
    all.push(Message::assistant(of("F", behind)));
    all.extend([Message::user("u"), Message::assistant("a")]);
    shared(all)
}

// 55
#[tokio::test]
async fn results_of_the_last_epoch_are_left_alone_and_shown_as_they_are() {
    // Nothing but 102 characters follow the newest result.
    let given = reading(&[("c1", "1", 5_000), ("c2", "2", 5_000)], 100);
    let options = CompactorOptions {
        age_reclaim_min: 20_000,
        ..options(1_000_000)
    };
    assert!(!is_due(options, &given));
    let script = Script::new([Ok("THE SUMMARY".to_owned())]);
    let pass = compact(options, &script, &given, None).await;
    assert_eq!((indices(&pass), script.calls()), (vec![], 1));
    let shown = &script.transcripts()[0];
    assert!(shown.contains("tttt") && !shown.contains(STUB_PREFIX));
}

// 56
#[tokio::test]
async fn only_what_is_an_epoch_behind_is_taken() {
    // Behind the second result are the third read and 5,000 characters, behind the third only 900.
    let results = [("c1", "1", 5_000), ("c2", "2", 5_000), ("c3", "3", 5_000)];
    let given = reading(&results, 900);
    assert!(is_due(options(1_000_000), &given));
    let pass = compact(options(1_000_000), &Script::new([]), &given, None).await;
    assert_eq!(indices(&pass), [2, 4]);
    assert_eq!(pass.messages[6], given[6]);
}

// 58
#[tokio::test]
async fn duplicates_among_the_recent_are_left_alone() {
    let results = [("c1", "1", 5_000), ("c2", "1", 5_000)];
    let given = reading(&results, 3_000);
    let options = CompactorOptions {
        keep_recent: 7,
        ..options(1_000_000)
    };
    assert!(!is_due(options, &given));
    let script = Script::new([Ok("THE SUMMARY".to_owned())]);
    let pass = compact(options, &script, &given, None).await;
    assert!(indices(&pass).is_empty());
}

// 65
#[tokio::test]
async fn a_counter_that_learned_forgets_what_a_stub_has_changed() {
    let given = one_read(5_000, 2_000, ["carry on", "right"]);
    let counter = Arc::new(UsageCounter::new(by_character()));
    counter.record_usage(&UsageReport {
        prompt_tokens: 9_000,
        completion_tokens: None,
        messages: &given,
        model: "m",
    });
    assert_eq!(counter.count_messages(&given), 9_000);
    let aged = compact(options(1_000_000), &Script::new([]), &given, None).await;
    assert_eq!(aged.messages.len(), given.len());
    assert_eq!(counter.count_messages(&aged.messages), 2_201);
    assert_eq!(counter.calibration(), None);
}
