//! Making a conversation smaller.

use std::sync::Arc;

use serde_json::{Value, json};
use sess::context::*;
use sess::message::Role;
use sess::{Json, Message};
use tokio_util::sync::CancellationToken;

use super::kit::*;

fn options(context_budget: u64, keep_recent: usize) -> CompactorOptions {
    CompactorOptions {
        keep_recent,
        ..CompactorOptions::new(context_budget)
    }
}

fn says(texts: &[&str]) -> Arc<Script> {
    Script::new(texts.iter().map(|text| Ok((*text).to_owned())))
}

fn refuses() -> Arc<Script> {
    Script::new([])
}

type Ours = (
    &'static str,
    &'static str,
    Option<usize>,
    usize,
    u64,
    bool,
    bool,
);

/// Vectors with another answer here: `cut, dropped, after, fallback, exhausted`.
#[rustfmt::skip]
const OURS: &[Ours] = &[
    // The reference dies of an empty window.
    ("compactor/keep-recent-0", "D1", Some(4), 4, 2 + 50, false, false),
    // It puts a note of 256 characters in the place of two.
    ("compactor/recent-opens-on-tool", "D10", None, 0, 21, false, false),
    // Its stub is longer than what it replaces; ours stays out, and a summary follows.
    ("compactor/age-stub-again", "D3", Some(5), 6, 52, false, false),
];

/// The measure of these vectors: the characters of the content and nothing else.
struct ByContent;

impl TokenCounter for ByContent {
    fn count_messages(&self, messages: &[Arc<Message>]) -> u64 {
        let length = |message: &Arc<Message>| message.content.chars().count() as u64;
        messages.iter().map(length).sum()
    }
}

#[tokio::test(start_paused = true)]
async fn passes_are_the_references_except_where_a_defect_is_mended() {
    let mut checked = 0;
    for vector in vectors("compactor") {
        let name = vector.name.as_str();
        let input = &vector.input;
        let counter: Arc<dyn TokenCounter> = match input["counter"].as_str() {
            Some("chars") => Arc::new(ByContent),
            _ => Arc::new(HeuristicCounter::default()),
        };
        let given = messages(&input["messages"]);
        let answers: Vec<Result<String, SummaryFailure>> = input["summarizer"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| match step["content"].as_str() {
                Some(text) => Ok(text.to_owned()),
                None => Err(failure(match step["error-status"].as_u64() {
                    Some(400..=404) => None,
                    _ => Some(1),
                })),
            })
            .collect();
        let script = Script::new(answers);
        let set = options_of(&input["options"]);
        let pass = compact_by(counter, set, &script, &given, input["target"].as_u64()).await;
        checked += 1;
        if let Some(ours) = OURS.iter().find(|ours| ours.0 == name) {
            let (cut, dropped, after, fallback, exhausted) =
                (ours.2, ours.3, ours.4, ours.5, ours.6);
            assert_eq!(pass.cut_index, cut, "{name}");
            assert_eq!(
                (
                    pass.dropped,
                    pass.tokens_after,
                    pass.fallback,
                    pass.exhausted
                ),
                (dropped, after, fallback, exhausted),
                "{name}"
            );
            continue;
        }
        let output = vector.answer.as_ref().unwrap();
        let elisions: Vec<Value> = pass
            .elisions
            .iter()
            .map(|(index, stub)| json!({"index": index, "stub": stub}))
            .collect();
        let cut = pass.cut_index.map_or(-1, |cut| i64::try_from(cut).unwrap());
        let ours = json!({
            "cut-index": cut, "dropped": pass.dropped, "elisions": elisions,
            "exhausted": pass.exhausted, "fallback": pass.fallback,
            "tokens-before": pass.tokens_before, "tokens-after": pass.tokens_after,
        });
        for (key, value) in ours.as_object().unwrap() {
            assert_eq!(*value, output[key], "{name} {key}");
        }
        if !pass.fallback {
            assert_eq!(pass.summary, output["summary"], "{name}");
        }
        let asked = output["requests"].as_array().unwrap();
        let theirs: Vec<&str> = asked
            .iter()
            .map(|request| request[1]["content"].as_str().unwrap())
            .collect();
        assert_eq!(script.transcripts(), theirs, "{name}");
    }
    assert_eq!(checked, 21);
}

fn options_of(given: &Value) -> CompactorOptions {
    let number = |key: &str, default: u64| given[key].as_u64().unwrap_or(default);
    let small = |key: &str, default: u64| usize::try_from(number(key, default)).unwrap();
    CompactorOptions {
        keep_recent: small("keep-recent", 6),
        tool_result_cap: small("tool-result-cap", 2_000),
        max_attempts: u32::try_from(number("max-attempts", 3)).unwrap(),
        age_observations: given["age-observations"] == true,
        age_min_chars: number("age-min-chars", 2_048),
        age_reclaim_min: number("age-reclaim-min", 49_152),
        ..CompactorOptions::new(number("context-budget", 0))
    }
}

// 31, 47, 64 and 7.3
#[test]
fn thresholds_are_parts_of_the_budget_and_nonsense_is_refused() {
    for (budget, trigger, target) in [
        (1, 1, 1),
        (7, 6, 3),
        (99, 80, 40),
        (1_000, 800, 400),
        (1_001, 801, 401),
        (8_192, 6_554, 3_277),
        (128_000, 102_400, 51_200),
        (131_072, 104_858, 52_429),
    ] {
        let options = CompactorOptions::new(budget);
        assert_eq!((options.trigger(), options.target()), (trigger, target));
    }
    for vector in vectors("compactor-thresholds") {
        let options = CompactorOptions::new(vector.input["context-budget"].as_u64().unwrap());
        let output = vector.answer.as_ref().unwrap();
        assert_eq!(json!(options.trigger()), output["trigger"]);
        assert_eq!(json!(options.target()), output["target"]);
    }
    let good = CompactorOptions::new(1_000);
    assert_eq!(good.check(), Ok(()));
    let (age, ages) = (
        (good.age_min_chars, good.age_reclaim_min),
        good.age_observations,
    );
    assert_eq!((age, ages, good.max_attempts), ((2_048, 49_152), false, 3));
    for vector in vectors("compactor-invalid") {
        let number = |key: &str| vector.input[key].as_f64();
        // What is negative cannot be said.
        if number("keep-recent").is_some() {
            continue;
        }
        let bad = CompactorOptions {
            trigger_ratio: number("trigger-ratio").unwrap_or(0.8),
            target_ratio: number("target-ratio").unwrap_or(0.4),
            tool_result_cap: number("tool-result-cap").map_or(2_000, |cap| cap as usize),
            age_min_chars: number("age-min-chars").map_or(1, |chars| chars as u64),
            age_reclaim_min: number("age-reclaim-min").map_or(1, |chars| chars as u64),
            ..good
        };
        assert!(bad.check().is_err(), "{}", vector.name);
    }
    assert!(CompactorOptions::new(0).check().is_err());
}

// 32, 33, 36, 37 and 7.4a
#[tokio::test]
async fn a_summary_takes_the_place_of_the_middle() {
    let script = says(&["THE SUMMARY"]);
    let given = turns(6, 200);
    let pass = compact(options(1_000, 2), &script, &given, None).await;
    assert_eq!((pass.tokens_before, pass.tokens_after), (1_202, 462));
    assert_eq!(
        (pass.cut_index, pass.dropped, pass.fallback),
        (Some(4), 4, false)
    );
    let roles: Vec<Role> = pass.messages.iter().map(|message| message.role).collect();
    assert_eq!(
        roles,
        [Role::System, Role::User, Role::User, Role::Assistant]
    );
    assert_eq!(
        pass.messages[1].content,
        format!("{SUMMARY_HEADER}\nTHE SUMMARY")
    );
    assert!(!pass.messages[1].is_sticky());
    assert_eq!(pass.spent.map(|spent| spent.total_tokens), Some(10));
    assert_eq!(script.calls(), 1);
    assert!(!script.transcripts()[0].contains("SY"));
    let padded = compact(options(1_000, 2), &says(&["  \n S \n"]), &given, None).await;
    assert_eq!(padded.summary, format!("{SUMMARY_HEADER}\nS"));
}

// 34 and 7.4b
#[tokio::test]
async fn a_window_never_opens_on_a_result() {
    let group = Message::assistant("")
        .with_call(call("c1", "f", "{}"))
        .with_call(call("c2", "f", "{}"));
    let given = shared([
        Message::system("SY").with_sysprompt(),
        Message::user("u".repeat(300)),
        group,
        Message::tool("c1", "1"),
        Message::tool("c2", "2"),
        Message::assistant("a"),
    ]);
    let pass = compact(options(1_000, 3), &says(&["S"]), &given, None).await;
    assert_eq!((pass.cut_index, pass.dropped), (Some(1), 1));
}

// 38, 41, 42, 45 and 7.4c
#[tokio::test]
async fn without_a_summary_as_little_as_will_do_is_cut() {
    let given = turns(10, 200);
    for (budget, target, dropped, cut, after, exhausted) in [
        (3_000, None, 6, 6, 1_058, false),
        (3_000, Some(800), 8, 8, 658, false),
        (3_000, Some(100), 8, 8, 658, true),
        (10, None, 8, 8, 658, true),
        (1_000, None, 8, 8, 658, false),
    ] {
        let script = refuses();
        let pass = compact(options(budget, 2), &script, &given, target).await;
        assert_eq!((pass.dropped, pass.cut_index), (dropped, Some(cut)));
        assert_eq!(
            (pass.tokens_after, pass.exhausted, pass.fallback),
            (after, exhausted, true)
        );
        assert_eq!(script.calls(), 1);
        assert!(pass.summary.contains("could not be reached"));
    }
}

// 7.4d
#[tokio::test]
async fn a_cut_never_falls_into_a_group() {
    let group = Message::assistant("a".repeat(100))
        .with_call(call("c1", "f", "{}"))
        .with_call(call("c2", "f", "{}"));
    let given = shared([
        Message::system("SY").with_sysprompt(),
        Message::user("u".repeat(100)),
        group,
        Message::tool("c1", "t".repeat(100)),
        Message::tool("c2", "t".repeat(100)),
        Message::assistant("v".repeat(100)),
        Message::user("b".repeat(100)),
        Message::assistant("w".repeat(100)),
    ]);
    for (target, cut, after, exhausted) in [
        (900, 4, 558, false),
        (800, 4, 558, false),
        (700, 4, 558, false),
        (600, 4, 558, false),
        (500, 5, 458, false),
        (400, 5, 458, true),
        (300, 5, 458, true),
    ] {
        let pass = compact(options(1_000, 2), &refuses(), &given, Some(target)).await;
        assert_eq!(pass.tokens_before, 845);
        assert_eq!(
            (pass.cut_index, pass.tokens_after),
            (Some(cut), after),
            "{target}"
        );
        assert_eq!(pass.exhausted, exhausted);
    }
}

// 43, 44, 46, D11 and 7.4e, 7.4g
#[tokio::test]
async fn an_answer_that_saves_nothing_is_asked_for_once_more() {
    let given = turns(10, 200);
    let long = ["L".repeat(5_000), "M".repeat(4_000)];
    let script = says(&[&long[0], &long[1]]);
    let pass = compact(options(3_000, 2), &script, &given, None).await;
    assert_eq!(
        (pass.tokens_after, pass.fallback, script.calls()),
        (1_058, true, 2)
    );
    assert!(!pass.summary.contains("reached"));
    let asked = script.asked.lock().unwrap().clone();
    assert_eq!(asked[0].messages[1], asked[1].messages[1]);
    assert!(asked[1].messages[0].content.contains("TOO LONG"));
    assert!(!asked[0].messages[0].content.contains("TOO LONG"));
    let script = says(&[&long[0], "THE SHORT SUMMARY"]);
    let pass = compact(options(3_000, 2), &script, &given, None).await;
    assert_eq!(
        (pass.tokens_after, pass.fallback, script.calls()),
        (468, false, 2)
    );
    let middling = "s".repeat(320);
    let pass = compact(options(3_000, 2), &says(&[&middling]), &given, Some(200)).await;
    assert!(pass.fallback && pass.exhausted);
    let pass = compact(options(3_000, 2), &says(&[&middling]), &given, None).await;
    // 2 + 48 + 1 + 320 + 400
    assert_eq!((pass.fallback, pass.tokens_after), (false, 771));
    let script = says(&[&middling]);
    let pass = compact(options(100_000, 20), &script, &given, Some(500)).await;
    assert_eq!((pass.messages, pass.exhausted), (given, true));
    assert_eq!(script.calls(), 0);
}

// 35, 45, 49 and 7.4f
#[tokio::test]
async fn what_cannot_be_made_smaller_says_so() {
    let read = Message::assistant("reading").with_call(call("c1", "fs_read", r#"{"path":"big"}"#));
    let mut given = turns(2, 200);
    given.extend(shared([read, Message::tool("c1", "x".repeat(5_000))]));
    let pass = compact(options(1_000, 2), &refuses(), &given, None).await;
    assert_eq!(
        (pass.tokens_before, pass.dropped, pass.tokens_after),
        (5_503, 2, 5_359)
    );
    assert!(pass.fallback && pass.exhausted);
    let script = refuses();
    let pass = compact(options(1_000, 10), &script, &given, None).await;
    assert_eq!(
        (pass.cut_index, pass.dropped, pass.exhausted),
        (None, 0, true)
    );
    assert_eq!((pass.tokens_after, pass.fallback), (5_503, false));
    assert_eq!(script.calls(), 0);
    for (length, exhausted) in [(800, false), (801, true)] {
        let given = shared([
            Message::user("x".repeat(length)).with_sticky(),
            Message::user(""),
        ]);
        let pass = compact(options(800, 1), &script, &given, None).await;
        assert_eq!((pass.exhausted, script.calls()), (exhausted, 0));
    }
}

// 7.4h
#[tokio::test]
async fn what_is_sticky_comes_to_stand_before_the_summary() {
    let given = shared([
        Message::user("a".repeat(200)),
        Message::user("STICK").with_sticky(),
        Message::assistant("b".repeat(200)),
        Message::user("DEPTH").with_depth(3),
        Message::user("y"),
    ]);
    let pass = compact(options(1_000, 1), &says(&["S"]), &given, None).await;
    let texts: Vec<&str> = pass
        .messages
        .iter()
        .map(|message| message.content.as_str())
        .collect();
    assert_eq!(texts, ["STICK", "DEPTH", &pass.summary, "y"]);
    assert_eq!((pass.dropped, pass.cut_index), (2, Some(3)));
}

// D2
#[tokio::test]
async fn a_group_of_which_one_is_sticky_stays_as_a_whole() {
    let turn = || Message::assistant("").with_call(call("c1", "f", "{}"));
    let result = || Message::tool("c1", "t".repeat(200));
    for (turn, result) in [
        (turn().with_sticky(), result()),
        (turn(), result().with_sticky()),
    ] {
        let given = shared([
            Message::user("u".repeat(200)),
            turn.clone(),
            result.clone(),
            Message::assistant("b".repeat(200)),
            Message::user("y"),
        ]);
        let pass = compact(options(1_000, 1), &says(&["S"]), &given, None).await;
        let summary = Message::user(&pass.summary);
        let expected = shared([turn, result, summary, Message::user("y")]);
        assert_eq!(pass.messages, expected);
        assert_eq!((pass.dropped, pass.cut_index), (2, Some(3)));
    }
}

// 48 and 7.4i
#[tokio::test]
async fn a_transcript_shows_as_much_of_a_call_as_of_a_result() {
    let turn = Message::assistant("")
        .with_call(call("1", "fs_read", r#"{"path":"big"}"#))
        .with_call(call("2", "ls", "{}"));
    let mut malformed = turn.clone();
    malformed.tool_calls.push(Json::empty_object());
    let given = shared([
        Message::user("find it"),
        malformed,
        Message::tool("1", "0123456789ABC"),
        Message::tool("2", ""),
        Message::assistant("ok"),
        Message::user("last"),
    ]);
    let script = refuses();
    let options = CompactorOptions {
        tool_result_cap: 10,
        ..options(1_000, 1)
    };
    compact(options, &script, &given, None).await;
    assert_eq!(
        script.transcripts(),
        [
            "<transcript>\n[user]\nfind it\n\n[assistant]\n-> calls fs_read({\"path\":\"b\n... [4 more characters of tool-call arguments, truncated for summarization])\n-> calls ls({})\n\n[tool]\n0123456789\n... [3 more characters of tool output, truncated for summarization]\n\n[tool]\n\n[assistant]\nok\n</transcript>"
        ]
    );
}

// 39, 40, and the attempts of D13
#[tokio::test(start_paused = true)]
async fn a_summariser_is_asked_again_after_a_wait_and_no_more_often_than_allowed() {
    let given = turns(10, 200);
    let script = Script::new((0..5).map(|_| Err(failure(Some(2)))));
    let started = tokio::time::Instant::now();
    let pass = compact(options(3_000, 2), &script, &given, None).await;
    assert!(pass.fallback);
    assert_eq!((script.calls(), started.elapsed().as_secs()), (3, 4));
    let script = says(&[" \n ", "THE SUMMARY"]);
    let pass = compact(options(3_000, 2), &script, &given, None).await;
    assert_eq!((pass.fallback, script.calls()), (false, 2));
    assert_eq!(pass.spent.map(|spent| spent.total_tokens), Some(20));
    let never = CompactorOptions {
        max_attempts: 0,
        ..options(3_000, 2)
    };
    let script = says(&["THE SUMMARY"]);
    assert!(compact(never, &script, &given, None).await.fallback);
    assert_eq!(script.calls(), 0);
}

// 51, D12
#[tokio::test(start_paused = true)]
async fn a_cancelled_pass_asks_nobody_and_cuts() {
    let given = turns(10, 200);
    let pass = |script: Arc<Script>, cancelled: CancellationToken| {
        let messages = given.clone();
        async move {
            let counter = by_character();
            let compactor = SummarisingCompactor::new(script, counter, options(3_000, 2)).unwrap();
            let request = CompactionRequest {
                messages: &messages,
                cancelled,
                target: None,
            };
            compactor.compact(request).await
        }
    };
    let token = CancellationToken::new();
    token.cancel();
    let script = says(&["THE SUMMARY"]);
    assert!(pass(script.clone(), token).await.fallback);
    assert_eq!(script.calls(), 0);
    let token = CancellationToken::new();
    let script = Script::new([Err(failure(Some(1_000)))]);
    let (made, ()) = tokio::join!(pass(script.clone(), token.clone()), async {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        token.cancel();
    });
    assert_eq!((made.fallback, script.calls()), (true, 1));
    assert!(!made.summary.contains("reached"));
}

// D4
#[tokio::test]
async fn a_summary_is_measured_against_the_estimate_and_not_against_the_bill() {
    for (billed, text, fallback) in [
        (300, "THE SUMMARY".to_owned(), false),
        (3_000, "L".repeat(900), true),
    ] {
        let counter = Arc::new(UsageCounter::new(by_character()));
        let given = turns(6, 200);
        counter.record_usage(&UsageReport {
            prompt_tokens: billed,
            completion_tokens: None,
            messages: &given,
            model: "m",
        });
        let script = says(&[&text, &text]);
        let compactor = SummarisingCompactor::new(script, counter, options(1_000, 2)).unwrap();
        let request = CompactionRequest {
            messages: &given,
            cancelled: CancellationToken::new(),
            target: None,
        };
        let pass = compactor.compact(request).await;
        assert_eq!(
            (pass.tokens_before, pass.fallback, pass.exhausted),
            (billed, fallback, false)
        );
    }
}

/// Four tokens a character.
struct FourTimes;

impl TokenCounter for FourTimes {
    fn count_messages(&self, messages: &[Arc<Message>]) -> u64 {
        4 * by_character().count_messages(messages)
    }
}

// 50 and the last row of 7.7
#[tokio::test]
async fn the_counter_of_the_target_measures_everything() {
    let given = turns(6, 100);
    let text = "S".repeat(100);
    let script = says(&[&text, &text]);
    let compactor =
        SummarisingCompactor::new(script.clone(), by_character(), options(1_000, 2)).unwrap();
    let pass = compactor
        .compact(CompactionRequest {
            messages: &given,
            cancelled: CancellationToken::new(),
            target: Some(Target {
                tokens: 1_300,
                counter: Arc::new(FourTimes),
            }),
        })
        .await;
    // With the summary, 4 x (2 + 48 + 1 + 100 + 200) = 1,404 is over the target; what a cut leaves,
    // 4 x (2 + 256 + 200), is too.
    assert_eq!((pass.tokens_before, pass.tokens_after), (2_408, 1_832));
    assert_eq!(
        (pass.fallback, pass.exhausted, script.calls()),
        (true, true, 2)
    );
}
