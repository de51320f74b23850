//! The scripted provider, and tools made of closures.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sess::Json;
use sess::tool::declaration;
use sess::tool::{Gate, ScriptedGrants, ScriptedProvider, ToolAnswer, ToolProvider, Tools};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

fn call(id: &str, name: &str, arguments: &str) -> Json {
    let arguments = Json::string(arguments);
    json(&format!(
        r#"{{"id":"{id}","type":"function","function":{{"name":"{name}","arguments":{arguments}}}}}"#
    ))
}

async fn contents(provider: &dyn ToolProvider, calls: Vec<Json>) -> Vec<(String, bool)> {
    let answers = provider.execute(calls).await.unwrap();
    answers
        .into_iter()
        .map(|answer| {
            answer
                .map(|answer| (answer.content, answer.is_error))
                .unwrap()
        })
        .collect()
}

fn good(content: &str) -> (String, bool) {
    (content.to_owned(), false)
}

fn bad(content: &str) -> (String, bool) {
    (content.to_owned(), true)
}

// 12.2-8
#[tokio::test]
async fn a_batch_gets_one_answer_for_each_call_in_order() {
    let provider = ScriptedProvider::new([])
        .with_result("read", "text of the file")
        .with_result("write", ToolAnswer::error("disk full"));
    let calls = vec![
        call("1", "read", "{}"),
        call("2", "write", "{}"),
        call("3", "list", "{}"),
        json("\"no call\""),
    ];
    let answers = contents(&provider, calls.clone()).await;
    let expected = [
        good("text of the file"),
        bad("disk full"),
        good("ok: list"),
        bad("The call names no tool"),
    ];
    assert_eq!(answers, expected);
    assert_eq!(provider.batches(), std::slice::from_ref(&calls));
    assert_eq!(provider.calls(), calls);
}

// 12.2-8
#[tokio::test]
async fn a_responder_that_fails_is_an_error_answer() {
    let provider = ScriptedProvider::new([]).with_responder(|call| match call.id.as_str() {
        "1" => Ok(ToolAnswer::background(format!(
            "{} {}",
            call.name, call.arguments
        ))),
        _ => Err("refused".to_owned()),
    });
    let calls = vec![call("1", "read", "{\"a\":1}"), call("2", "read", "{}")];
    let answers = provider.execute(calls).await.unwrap();
    assert_eq!(
        answers,
        [
            Some(ToolAnswer::background("read {\"a\":1}")),
            Some(ToolAnswer::error("refused"))
        ]
    );
}

// 12.2-8
#[tokio::test(start_paused = true)]
async fn latency_and_gates_go_by_id_before_name() {
    let (shut, open) = (Gate::new(), Gate::new());
    open.open();
    let provider = ScriptedProvider::new([])
        .with_latency("read", 7 * SECOND)
        .with_latency("1", 2 * SECOND)
        .block_call("read", &shut)
        .block_call("1", &open);
    let began = Instant::now();
    contents(&provider, vec![call("1", "read", "{}")]).await;
    assert_eq!(began.elapsed(), 2 * SECOND);

    let held = tokio::spawn({
        let batch = provider.execute(vec![call("2", "read", "{}")]);
        async move { batch.await.unwrap() }
    });
    tokio::time::sleep(100 * SECOND).await;
    assert!(!held.is_finished());
    let opened = Instant::now();
    shut.open();
    held.await.unwrap();
    assert_eq!(opened.elapsed(), 7 * SECOND);
}

// 12.2-8
#[tokio::test(start_paused = true)]
async fn a_gate_of_all_batches_holds_the_answers_back() {
    let gate = Gate::new();
    let provider = ScriptedProvider::new([]).block_on(&gate);
    let batch = provider.execute(vec![call("1", "read", "{}")]);
    assert_eq!(provider.batches().len(), 1);
    let mut batch = std::pin::pin!(batch);
    assert!(tokio::time::timeout(SECOND, &mut batch).await.is_err());
    gate.open();
    assert_eq!(batch.await.unwrap(), [Some(ToolAnswer::new("ok: read"))]);
}

// 12.2-9
#[test]
fn grants_are_a_capability_of_their_own() {
    let plain = ScriptedProvider::new([]);
    assert_eq!(plain.grants(), None);
    let granting = ScriptedGrants::new(plain);
    assert_eq!(granting.grants(), Some(Ok(vec![])));
    granting.add_grant(json("{\"a\":1}"));
    assert_eq!(granting.grants(), Some(Ok(vec![json("{\"a\":1}")])));
    granting.replace_grants([json("{\"a\":2}")]);
    assert_eq!(granting.grants(), Some(Ok(vec![json("{\"a\":2}")])));
}

#[test]
fn reading_the_catalogue_is_counted() {
    let declared = declaration("read", "Reads.", Json::empty_object());
    let provider = ScriptedProvider::new([declared.clone()]);
    assert_eq!(provider.declarations(), Ok(vec![declared]));
    provider.set_declarations([]);
    assert_eq!(provider.declarations(), Ok(vec![]));
    assert_eq!(provider.catalogue_reads(), 2);
}

fn echo() -> Tools {
    Tools::new().with(
        "echo",
        "Says it again.",
        json(r#"{"type":"object"}"#),
        |arguments: Json| async move { arguments.compact() },
    )
}

#[test]
fn a_closure_is_declared_with_its_schema() {
    let tools = echo().with("echo", "Other.", json(r#"{"type":"object"}"#), |_| async {
        ""
    });
    let expected = r#"{"function":{"description":"Other.","name":"echo","parameters":{"type":"object"}},"type":"function"}"#;
    assert_eq!(tools.declarations(), Ok(vec![json(expected)]));
}

#[tokio::test]
async fn a_closure_gets_its_arguments_as_an_object() {
    let object = json(r#"{"id":"9","function":{"name":"echo","arguments":{"b":1}}}"#);
    let calls = vec![
        call("1", "echo", r#" {"a": [1e400, "\ud83d"]} "#),
        call("2", "echo", ""),
        call("3", "echo", "null"),
        json(r#"{"function":{"name":"echo"}}"#),
        object,
    ];
    let expected = [
        good("{\"a\":[1e400,\"\u{fffd}\"]}"),
        good("{}"),
        good("{}"),
        good("{}"),
        good("{\"b\":1}"),
    ];
    assert_eq!(contents(&echo(), calls).await, expected);
}

#[tokio::test]
async fn what_cannot_be_called_is_answered_by_an_error() {
    let tools = echo().with("refuse", "Fails.", json("{}"), |_| async {
        Err::<String, _>("no")
    });
    let calls = vec![
        call("1", "refuse", "{}"),
        call("2", "shout", "{}"),
        call("3", "echo", "[1]"),
        call("4", "echo", "{\"path\": \"mock-p"),
        json("7"),
    ];
    let answers = contents(&tools, calls).await;
    assert!(answers.iter().all(|answer| answer.1), "{answers:?}");
    assert_eq!(answers[0].0, "no");
    assert_eq!(
        answers[1].0,
        "There is no tool \"shout\"; there are: echo, refuse"
    );
    assert_eq!(answers[2].0, "The arguments are not a JSON object");
    assert!(
        answers[3].0.starts_with("The arguments are not JSON: "),
        "{}",
        answers[3].0
    );
    assert_eq!(
        answers[4].0,
        "There is no tool \"\"; there are: echo, refuse"
    );
}

#[tokio::test]
async fn a_closure_that_panics_fails_its_own_call_only() {
    let early = |_| -> std::future::Ready<String> { panic!("before the work") };
    let tools =
        echo()
            .with("early", "", json("{}"), early)
            .with("late", "", json("{}"), |_| async {
                panic!("amid the work") as String
            });
    let calls = vec![
        call("1", "early", ""),
        call("2", "late", ""),
        call("3", "echo", ""),
    ];
    let expected = [
        bad("The tool early panicked"),
        bad("The tool late panicked"),
        good("{}"),
    ];
    assert_eq!(contents(&tools, calls).await, expected);
}

#[tokio::test(start_paused = true)]
async fn calls_run_side_by_side_only_when_asked_for() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let tools = Tools::new().with("nap", "Sleeps.", json("{}"), {
        let most = Arc::clone(&most);
        move |arguments: Json| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                let seconds = arguments.get("s").and_then(|s| s.as_i64()).unwrap();
                tokio::time::sleep(SECOND * u32::try_from(seconds).unwrap()).await;
                running.fetch_sub(1, Ordering::SeqCst);
                seconds.to_string()
            }
        }
    });
    let calls = vec![call("1", "nap", "{\"s\":3}"), call("2", "nap", "{\"s\":1}")];
    let expected = [good("3"), good("1")];
    assert_eq!(contents(&tools, calls.clone()).await, expected);
    assert_eq!(most.swap(0, Ordering::SeqCst), 1);
    assert_eq!(contents(&tools.concurrent(), calls).await, expected);
    assert_eq!(most.load(Ordering::SeqCst), 2);
}
