//! The loop against other people's servers, for whoever has them running (`tests/peers.sh` starts
//! them). Without the environment variables that name them, these tests say so and pass.

use std::sync::Arc;
use std::time::Duration;

use sess::agent::Agent;
use sess::backend::http::{Endpoint, OpenAiBackend, Settings};
use sess::message::ToolCall;
use sess::tool::Tools;
use sess::{Json, Message, Session};

use super::kit::*;
use super::sample::sample;

/// The root of an `llmock`, such as `http://127.0.0.1:8184`. Nothing else may use it meanwhile.
const LLMOCK_URL: &str = "SESS_LLMOCK_URL";

/// The base of an API behind which a real model with a window of 2,048 tokens answers, such as
/// `http://127.0.0.1:8196/v1`.
const MODEL_URL: &str = "SESS_MODEL_URL";
/// Its name there.
const MODEL: &str = "SESS_MODEL";
/// The base of an API where the same model is told of tools as `tests/peers/tools.jinja` does.
const TOOL_MODEL_URL: &str = "SESS_TOOL_MODEL_URL";

const COMPLETES: bool = true;
const FAILS: bool = false;

/// What `llmock` is told to do, how many requests that takes beyond those of a good run, and
/// whether the run completes in spite of it.
const BEHAVIOURS: [(&str, usize, bool); 29] = [
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
    (r#"{"type":"fail","status":413}"#, 0, FAILS),
    (r#"{"type":"fail","status":422}"#, 0, FAILS),
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
    let Some(root) = named_by(LLMOCK_URL) else {
        return;
    };
    let backend = Arc::new(backend(format!("{root}/v1"), "gpt-4o"));
    let control = Control { root };
    control.post("reset", "").await;
    for (number, (behaviour, extra, completes)) in BEHAVIOURS.into_iter().enumerate() {
        let told = format!("{{\"behaviors\":[{behaviour}]}}");
        control.post("scenario", &told).await;
        let transcript = Transcript::new();
        let agent = agent(&backend, &transcript, Duration::from_millis(900));
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
    let unexpected: Vec<&str> = findings.collect();
    assert_eq!(unexpected, [""; 0], "{verdict}");
}

fn failed_and_retried(played: &Played) -> usize {
    let next = played.field("attempt-failed", "disposition");
    next.iter().filter(|next| *next == "retry-same").count()
}

fn named_by(variable: &str) -> Option<String> {
    let found = std::env::var(variable).ok();
    if found.is_none() {
        println!("skipped: {variable} is not set");
    }
    found
}

/// A real model, if one is named together with the address it answers at.
fn model() -> Option<(String, String)> {
    Some((named_by(MODEL_URL)?, named_by(MODEL)?))
}

#[test]
fn the_sample_holds_a_conversation_with_a_model() {
    let (Some((url, model)), Some(_)) = (model(), sample()) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    for (option, prompt) in [
        (
            "--session",
            "What is the capital of France? Answer in one short sentence.",
        ),
        ("--resume", "And of Italy?"),
    ] {
        let mut command = sample().unwrap();
        command.args(["--base-url", &url, "--model", &model]);
        let output = command.arg(option).arg(&path).arg(prompt).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{told}");
        assert!(!output.stdout.is_empty());
        println!("{}", String::from_utf8_lossy(&output.stdout));
    }
    let messages = Session::load(&path).unwrap().messages();
    assert!(messages.len() >= 4, "{messages:?}");
}

#[tokio::test]
async fn a_model_is_cancelled_while_it_speaks_and_answers_the_next_run() {
    let Some((url, model)) = model() else { return };
    let transcript = Transcript::new();
    let agent = Agent::builder()
        .backend(backend(url, &model))
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let mut run = agent.run([Message::user("Count from 1 to 500.")]).unwrap();
    let events = read_until(&mut run, "token").await;
    run.cancel();
    let played = finish(run, events).await;
    check_contract(&played.events);
    assert_eq!(played.kinds().last(), Some(&"run-cancelled"));
    let mut messages = played.result.messages.clone();
    messages.push(Arc::new(Message::user("Say hello.")));
    let run = agent.run(messages).unwrap();
    let played = finish(run, Vec::new()).await;
    assert!(played.result.is_completed(), "{:?}", played.result.outcome);
}

#[tokio::test]
async fn what_overflows_the_window_of_a_model_is_made_smaller_first() {
    let Some((url, model)) = model() else { return };
    let conversation = || {
        let long = "The quick brown fox jumps over the lazy dog. ".repeat(400);
        vec![
            Message::user(long),
            Message::assistant("I see."),
            Message::user("Say hello."),
        ]
    };
    let unaware = Agent::builder().backend(backend(url.clone(), &model));
    let played = play(&unaware.build().unwrap(), conversation()).await;
    println!("{:?}", played.result.outcome);
    assert_eq!(played.kinds().last(), Some(&"run-failed"));

    let transcript = Transcript::new();
    let aware = Agent::builder()
        .backend(backend(url, &model))
        .session(transcript.session.clone())
        .compactor(Shrinker::new(1_500, 1_200));
    let played = play(&aware.build().unwrap(), conversation()).await;
    assert!(played.result.is_completed(), "{:?}", played.result.outcome);
    assert_eq!(played.count("compaction-started"), 1);
}

#[tokio::test]
async fn a_model_calls_a_tool_and_tells_what_it_said() {
    let Some(url) = named_by(TOOL_MODEL_URL) else {
        return;
    };
    let settings = Settings {
        temperature: 0.0,
        ..Settings::new("smollm2", 48)
    };
    let backend = OpenAiBackend::new(Endpoint::new(url), settings).unwrap();
    let transcript = Transcript::new();
    let agent = agent(&Arc::new(backend), &transcript, Duration::from_secs(60));
    let mut messages: Vec<Message> = [("apple", 7), ("pear", 13), ("plum", 21)]
        .into_iter()
        .flat_map(|(key, number)| looked_up(key, number))
        .collect();
    messages.push(Message::user("Use look_up for the key cherry."));
    let played = play(&agent, messages).await;
    check_contract(&played.events);
    println!("{:?}", played.result.outcome);
    let called = played.of("tool-call");
    let arguments = text_of(&called[0], "arguments");
    let arguments = Json::parse(arguments).unwrap().compact();
    assert_eq!(arguments, r#"{"key":"cherry"}"#);
    let said = &played.field("tool-result", "content")[0];
    assert_eq!(said, "Under cherry there is 42.");
    assert!(played.result.is_completed(), "{:?}", played.result.outcome);
    assert!(played.result.text().contains("42"));
    let reloaded = transcript.reload();
    assert!(reloaded.open_calls().is_empty());
    assert_eq!(reloaded.messages(), played.result.messages);
}

/// An example of a key that was looked up, after one that only begins.
fn looked_up(key: &str, number: u32) -> [Message; 5] {
    let call = |id: &str, key: &str| {
        ToolCall::from_json(&call_with(id, "look_up", &format!(r#"{{"key":"{key}"}}"#)))
    };
    let (start, end) = (format!("start-{key}"), format!("end-{key}"));
    let told = format!("Under {key} there is {number}.");
    [
        Message::user(format!("Use look_up for the key {key}.")),
        Message::assistant("")
            .with_call(call(&start, "start"))
            .with_call(call(&end, key)),
        Message::tool(start, "Started."),
        Message::tool(end, told),
        Message::assistant(format!("Under the key {key} there is {number}.")),
    ]
}

fn backend(url: String, model: &str) -> OpenAiBackend {
    let endpoint = Endpoint::new(url).with_key("sk-test");
    OpenAiBackend::new(endpoint, Settings::new(model, 256)).unwrap()
}

/// An agent with one tool, which waits as long as agents do by default, except for silence.
fn agent(backend: &Arc<OpenAiBackend>, transcript: &Transcript, silence: Duration) -> Agent {
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
        .round_trip_timeout(silence)
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
