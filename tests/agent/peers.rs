//! The loop against other people's servers, for whoever has them running (`tests/peers.sh` starts
//! them). Without the environment variables that name them, these tests say so and pass.

use std::sync::Arc;
use std::time::Duration;

use sess::agent::Agent;
use sess::backend::http::{Endpoint, OpenAiBackend, Settings};
use sess::tool::Tools;
use sess::{Json, Message};

use super::kit::*;

/// The root of an `llmock`, such as `http://127.0.0.1:8184`. Nothing else may use it meanwhile.
const LLMOCK_URL: &str = "SESS_LLMOCK_URL";

const COMPLETES: bool = true;
const FAILS: bool = false;

/// What `llmock` is told to do, how many requests that takes beyond those of a good run, and
/// whether the run completes in spite of it. Without 422: the loop takes that for something another
/// backend may do better, and asks its only one again, which `llmock` calls a retry in vain.
const BEHAVIOURS: [(&str, usize, bool); 27] = [
    (r#"{"type":"reply","text":"Fine."}"#, 0, COMPLETES),
    (
        r#"{"type":"reply","tool_calls":[{"name":"look_up","arguments":{"key":"a"}}]}"#,
        0,
        COMPLETES,
    ),
    (
        r#"{"type":"reply","tool_calls":[{"name":"look_up","arguments":{"key":"a"}},{"name":"look_up","arguments":{"key":"b"}}]}"#,
        0,
        COMPLETES,
    ),
    (r#"{"type":"delay","seconds":0.3}"#, 0, COMPLETES),
    (r#"{"type":"slow_first_token","seconds":0.3}"#, 0, COMPLETES),
    (r#"{"type":"fail","status":400}"#, 0, FAILS),
    (r#"{"type":"fail","status":401}"#, 0, FAILS),
    (r#"{"type":"fail","status":403}"#, 0, FAILS),
    (r#"{"type":"fail","status":404}"#, 0, FAILS),
    (r#"{"type":"fail","status":408}"#, 1, COMPLETES),
    (r#"{"type":"fail","status":409}"#, 1, COMPLETES),
    (
        r#"{"type":"fail","status":429,"retry_after":2}"#,
        1,
        COMPLETES,
    ),
    (
        r#"{"type":"fail","status":429,"retry_after":2,"times":2}"#,
        2,
        COMPLETES,
    ),
    (r#"{"type":"fail","status":429}"#, 1, COMPLETES),
    (r#"{"type":"fail","status":500,"times":2}"#, 2, COMPLETES),
    (r#"{"type":"fail","status":502}"#, 1, COMPLETES),
    (
        r#"{"type":"fail","status":503,"retry_after":1.5}"#,
        1,
        COMPLETES,
    ),
    (r#"{"type":"fail","status":504}"#, 1, COMPLETES),
    (r#"{"type":"fail","status":529}"#, 1, COMPLETES),
    (r#"{"type":"fail","status":503,"times":3}"#, 2, FAILS),
    (
        r#"{"type":"stream_fault","kind":"truncate","after_chunks":3}"#,
        1,
        COMPLETES,
    ),
    (
        r#"{"type":"stream_fault","kind":"disconnect","after_chunks":3}"#,
        1,
        COMPLETES,
    ),
    (
        r#"{"type":"stream_fault","kind":"disconnect","after_chunks":0}"#,
        1,
        COMPLETES,
    ),
    (
        r#"{"type":"stream_fault","kind":"malformed","after_chunks":3}"#,
        1,
        COMPLETES,
    ),
    (
        r#"{"type":"stream_fault","kind":"stall","after_chunks":3,"stall_seconds":4}"#,
        1,
        COMPLETES,
    ),
    (
        r#"{"type":"tool_fault","kind":"malformed_arguments"}"#,
        0,
        COMPLETES,
    ),
    (
        r#"{"type":"tool_fault","kind":"unknown_tool"}"#,
        0,
        COMPLETES,
    ),
];

#[tokio::test]
async fn whatever_llmock_does_it_has_nothing_to_say_against_the_loop() {
    let Ok(root) = std::env::var(LLMOCK_URL) else {
        println!("skipped: {LLMOCK_URL} names no server");
        return;
    };
    let backend = Arc::new(backend(format!("{root}/v1"), "gpt-4o"));
    let control = Control { root };
    control.post("reset", "").await;
    for (number, (behaviour, extra, completes)) in BEHAVIOURS.into_iter().enumerate() {
        let told = format!("{{\"behaviors\":[{behaviour}]}}");
        control.post("scenario", &told).await;
        let transcript = Transcript::new();
        let agent = agent(&backend, &transcript);
        // The server tells a retry from a new request by its text.
        let question = format!("Question {number}: what is under the key a?");
        let played = play(&agent, vec![Message::user(question)]).await;
        check_contract(&played.events);
        let ended = &played.result.outcome;
        assert_eq!(
            played.result.is_completed(),
            completes,
            "{behaviour}: {ended:?}"
        );
        assert_eq!(
            failed_and_retried(&played),
            extra,
            "{behaviour}: {:?}",
            played.kinds()
        );
        let reloaded = transcript.reload();
        assert!(reloaded.open_calls().is_empty(), "{behaviour}");
        println!("{behaviour}: {}, {extra} retries", ended.as_str());
    }
    let verdict = control.get("verdict?format=text").await;
    println!("{verdict}");
    let marks = ["FAIL", "WARN"];
    let findings = verdict.lines().filter_map(|line| {
        let (mark, rest) = line.trim().split_once("  ")?;
        marks.contains(&mark).then(|| rest.split("  ").next())?
    });
    // A stream with a broken chunk is read to its end, for the bill, and then asked for again. The
    // server takes what comes after a whole answer for another call.
    let unexpected: Vec<&str> = findings
        .filter(|it| *it != "malformed_chunk_ignored")
        .collect();
    assert_eq!(unexpected, [""; 0], "{verdict}");
}

fn failed_and_retried(played: &Played) -> usize {
    let next = played.field("attempt-failed", "disposition");
    next.iter().filter(|next| *next == "retry-same").count()
}

fn backend(url: String, model: &str) -> OpenAiBackend {
    let endpoint = Endpoint::new(url).with_key("sk-test");
    OpenAiBackend::new(endpoint, Settings::new(model, 256)).unwrap()
}

/// An agent with one tool, which waits as long as agents do by default, except for silence.
fn agent(backend: &Arc<OpenAiBackend>, transcript: &Transcript) -> Agent {
    let schema = r#"{"type":"object","properties":{"key":{"type":"string"}},"required":["key"]}"#;
    let look_up = |arguments: Json| async move {
        let key = arguments.get_str("key").unwrap_or_default();
        format!("Under {key} there is 42.")
    };
    let schema = Json::parse(schema).unwrap();
    let tools = Tools::new().with("look_up", "Says what is under a key.", schema, look_up);
    Agent::builder()
        .shared_backend(backend.clone())
        .provider(tools)
        .session(transcript.session.clone())
        .round_trip_timeout(Duration::from_millis(900))
        .build()
        .unwrap()
}

/// The part of `llmock` that is told what to do.
struct Control {
    root: String,
}

impl Control {
    async fn post(&self, what: &str, body: &str) {
        let request = reqwest::Client::new()
            .post(format!("{}/_llmock/{what}", self.root))
            .header("content-type", "application/json")
            .body(body.to_owned());
        let answer = request.send().await.unwrap();
        assert!(answer.status().is_success(), "{body}: {answer:?}");
    }

    async fn get(&self, what: &str) -> String {
        let url = format!("{}/_llmock/{what}", self.root);
        reqwest::get(url).await.unwrap().text().await.unwrap()
    }
}
