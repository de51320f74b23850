//! Token counting: estimates, and providers' own numbers.

use std::sync::Arc;

use sess::canonical::{Sha256Hex, digest_of_json};
use sess::context::{
    Calibration, HeuristicCounter, Reported, RequestView, TokenCounter, UsageCounter, UsageReport,
    default_counter,
};
use sess::message::conversation_digest;
use sess::{Json, Message};

use super::kit::*;

/// Vectors with clusters longer than one scalar value, and tokens as we count them (D15).
const D15: &[(&str, u64)] = &[
    ("heuristic/exact-nfd", 2),
    ("heuristic/exact-crlf", 6),
    ("heuristic/exact-family", 5),
    ("heuristic/graphemes/default", 11),
    ("heuristic/graphemes/1-5", 17),
];

// 1, 2, 4, 5
#[test]
fn estimates_are_the_references_except_where_its_unit_is_another() {
    let mut listed = D15.to_vec();
    for vector in vectors("heuristic-count") {
        let options = &vector.input["options"];
        let option = |key: &str, default| options[key].as_u64().unwrap_or(default);
        let counter = HeuristicCounter::new(
            option("chars-per-token", 4),
            option("per-message-overhead", 8),
        )
        .unwrap();
        let ours = counter.count_messages(&messages(&vector.input["messages"]));
        let theirs = vector.answer.as_ref().unwrap()["tokens"].as_u64().unwrap();
        match D15.iter().find(|(name, _)| *name == vector.name) {
            None => assert_eq!(ours, theirs, "{}", vector.name),
            Some(listed_here) => {
                assert_ne!(ours, theirs, "{} no longer differs", vector.name);
                assert_eq!(ours, listed_here.1, "{}", vector.name);
                listed.retain(|(name, _)| *name != vector.name);
            }
        }
    }
    assert_eq!(listed, []);
    for vector in vectors("heuristic-text") {
        let text = vector.input["text"].as_str().unwrap();
        let counter = HeuristicCounter::default();
        let tokens = vector.answer.as_ref().unwrap()["tokens"].as_u64().unwrap();
        assert_eq!(counter.count_text(text), tokens, "{}", vector.name);
        assert_eq!(
            counter.count_messages(&shared([Message::system(text)])),
            tokens
        );
    }
    for vector in vectors("heuristic-invalid") {
        assert!(vector.answer.is_err());
        let characters = vector.input["chars-per-token"].as_u64().unwrap();
        assert_eq!(HeuristicCounter::new(characters, 8), None);
    }
}

#[test]
fn a_calibrated_counter_goes_through_the_references_steps() {
    // Message i is from the user and has 10 × i times `m`.
    let conversation =
        |count: usize| shared((1..=count).map(|i| Message::user("m".repeat(10 * i))));
    for vector in vectors("usage-counter") {
        let counter = UsageCounter::default();
        let steps = vector.input["steps"].as_array().unwrap();
        let expected = vector.answer.as_ref().unwrap().as_array().unwrap();
        for (step, expected) in steps.iter().zip(expected) {
            let number = |index: usize| step[index].as_i64().unwrap();
            let text = |index: usize| step[index].as_str().map(str::to_owned);
            let reported = |model: Option<String>| Reported {
                prompt_tokens: u64::try_from(number(1)).ok(),
                message_count: usize::try_from(number(2)).ok(),
                model,
                ..Reported::default()
            };
            match step[0].as_str().unwrap() {
                "count" => {
                    let count = usize::try_from(number(1)).unwrap();
                    let tokens = counter.count_messages(&conversation(count));
                    assert_eq!(Some(tokens), expected.as_u64(), "{} {step}", vector.name);
                }
                "usage" => counter.record(reported(None)),
                "usage-backend" => counter.record(reported(text(3))),
                "usage-backend-only" => counter.record(Reported {
                    model: text(1),
                    ..Reported::default()
                }),
                "invalidate" => counter.invalidate(),
                other => panic!("{other}"),
            }
        }
    }
}

fn greeting() -> Vec<Arc<Message>> {
    shared([Message::system("be good"), Message::user("hello there")])
}

fn report(counter: &dyn TokenCounter, prompt_tokens: u64, messages: &[Arc<Message>], model: &str) {
    counter.record_usage(&UsageReport {
        prompt_tokens,
        completion_tokens: Some(9),
        messages,
        model,
    });
}

// 12, 13, 14, 15, 21 and 7.2
#[test]
fn what_was_billed_is_taken_and_what_was_appended_is_estimated() {
    let counter = UsageCounter::default();
    let mut conversation = greeting();
    let tools = [Json::parse(r#"{"a":1}"#).unwrap()];
    let full = |messages| RequestView {
        messages,
        tools: &tools,
        head: Some("HEAD"),
        tail: None,
    };
    assert_eq!(counter.count_messages(&conversation), 21);
    assert_eq!(
        (counter.calibration(), counter.last_completion_tokens()),
        (None, None)
    );
    report(&counter, 812, &conversation, "m");
    assert_eq!(counter.count_messages(&conversation), 812);
    assert_eq!(counter.last_completion_tokens(), Some(9));
    conversation.push(Arc::new(Message::assistant("well hello")));
    assert_eq!(counter.count_messages(&conversation), 823);
    conversation.push(Arc::new(Message::user("and again")));
    assert_eq!(counter.count_messages(&conversation), 834);
    assert_eq!(counter.count_request(&full(&conversation)), 834);
    assert_eq!(counter.estimate_request(&full(&conversation)), 63);
    assert_eq!(counter.count_text("12345678"), 10);
    assert!(counter.is_calibrated_for(&conversation));
    counter.record(Reported {
        prompt_tokens: Some(5),
        message_count: Some(0),
        ..Reported::default()
    });
    assert_eq!(counter.count_messages(&[]), 5);
    assert_eq!(counter.count_messages(&conversation), 48);
}

// 16, 17, 18, 23
#[test]
fn another_conversation_is_estimated_and_what_was_learned_is_gone() {
    let ten = shared((0..10).map(|_| Message::user("1234")));
    let learned = || {
        let counter = UsageCounter::default();
        report(&counter, 5_000, &ten, "m");
        counter
    };
    let counter = learned();
    assert_eq!(counter.count_messages(&ten[..3]), 27);
    assert_eq!(counter.count_messages(&ten), 90);
    // The same text in other messages is the same conversation.
    assert_eq!(
        learned().count_messages(&shared((0..10).map(|_| Message::user("1234")))),
        5_000
    );
    let mut rewritten = ten.clone();
    rewritten[4] = Arc::new(Message::user("4321"));
    let counter = learned();
    assert!(!counter.is_calibrated_for(&rewritten));
    assert_eq!(counter.count_messages(&rewritten), 90);
    assert_eq!(counter.calibration(), None);
    rewritten[4] = Arc::new(Message::user("1234").with_call(call("c", "f", "{}")));
    assert!(learned().count_messages(&rewritten) < 5_000);
    let counter = learned();
    counter.invalidate();
    assert_eq!(counter.count_messages(&ten), 90);
}

// 19, 20, 22
#[test]
fn an_incomplete_report_changes_nothing_unless_it_is_of_another_model() {
    let calibration = |model: Option<&str>| Calibration {
        prompt_tokens: 10,
        message_count: 1,
        prefix: None,
        model: model.map(str::to_owned),
    };
    let counter = UsageCounter::default();
    let numbers = |model: Option<&str>| Reported {
        prompt_tokens: Some(10),
        message_count: Some(1),
        model: model.map(str::to_owned),
        ..Reported::default()
    };
    counter.record(numbers(None));
    let silent = |model: &str| Reported {
        completion_tokens: Some(3),
        model: Some(model.to_owned()),
        ..Reported::default()
    };
    counter.record(silent("x"));
    assert_eq!(counter.calibration(), Some(calibration(None)));
    assert_eq!(counter.last_completion_tokens(), Some(3));
    // Without the messages, any conversation that is long enough will do.
    assert_eq!(counter.count_messages(&greeting()), 10 + 11);
    counter.record(numbers(Some("x")));
    assert_eq!(counter.calibration(), Some(calibration(Some("x"))));
    counter.record(silent("y"));
    assert_eq!(counter.calibration(), None);
    counter.record(numbers(Some("x")));
    counter.record(numbers(None));
    assert_eq!(counter.calibration(), Some(calibration(None)));
}

struct Seven;

impl TokenCounter for Seven {
    fn count_messages(&self, _: &[Arc<Message>]) -> u64 {
        7
    }
}

// 8, 10, 24
#[test]
fn any_counter_can_estimate() {
    let request = RequestView {
        messages: &greeting(),
        tools: &[Json::empty_object()],
        head: Some("HEAD"),
        tail: Some("TAIL"),
    };
    assert_eq!(Seven.count_request(&request), 28);
    let counter = UsageCounter::new(Arc::new(Seven));
    assert_eq!(counter.count_messages(&greeting()), 7);
    report(&counter, 50, &greeting()[..1], "m");
    assert_eq!(counter.count_messages(&greeting()), 57);
    report(&Seven, 50, &greeting(), "m");
    Seven.invalidate();
    assert_eq!(Seven.count_messages(&[]), 7);
    report(default_counter().as_ref(), 1, &[], "m");
}

/// Four characters a token, eight for a message.
fn by_four() -> Arc<dyn TokenCounter> {
    Arc::new(HeuristicCounter::new(4, 8).unwrap())
}

// 3 and 7.1
#[test]
fn estimates_are_those_of_the_worked_example() {
    let reading = |content: &str| {
        let call = call("c1", "fs_read", r#"{"path":"abcde"}"#);
        Message::assistant(content).with_call(call)
    };
    let rows = [
        (vec![], 0),
        (vec![Message::user("")], 8),
        (vec![Message::user("1")], 9),
        (vec![Message::user("12345678")], 10),
        (vec![Message::user("1234"), Message::user("12345")], 19),
        (vec![Message::user("x".repeat(100)); 40], 1_320),
        // The calls of a turn are a list of 96 characters.
        (vec![reading("")], 32),
        (vec![reading("Reading it.")], 35),
    ];
    for (messages, tokens) in rows {
        assert_eq!(by_four().count_messages(&shared(messages)), tokens);
    }
    for (characters, overhead, tokens) in [(2, 0, 2), (4, 100, 101)] {
        let counter = HeuristicCounter::new(characters, overhead).unwrap();
        assert_eq!(
            counter.count_messages(&shared([Message::user("1234")])),
            tokens
        );
    }
    assert_eq!(
        (by_four().count_text("12345678"), by_four().count_text("")),
        (10, 8)
    );
    let tool = Json::parse(r#"{"type":"function","function":{"name":"read"}}"#).unwrap();
    let request = RequestView {
        messages: &shared([Message::user("hello")]),
        tools: &[tool],
        head: Some("HEAD"),
        tail: Some("TAIL"),
    };
    assert_eq!(by_character().count_request(&request), 61);
}

// 7.12
#[test]
fn digests_are_those_of_the_worked_example() {
    let hello = Message::user("hello");
    let reading = Message::assistant("").with_call(call("c1", "fs_read", r#"{"path":"a"}"#));
    let be_good = Message::system("be good");
    for (message, digest) in [
        (
            hello.clone(),
            "f353e0e8003969a19eebce6aa248ae31ef31b05b34f108a7c033184f8eec57cc",
        ),
        (
            reading,
            "e2503b9ef17801ed2e1eca78f9c353430e294727203839224e0fa6c4b34cd1b1",
        ),
        (
            Message::tool("c1", "body"),
            "1bee4bdd2e29587402e984fc4345b56daed2a071a5808dac875a2416aca39737",
        ),
        (
            be_good.clone().with_sysprompt().with_sticky(),
            "cb507aa56eb25930f12a305e3f87734f63e83cad57eb985ca859df24fb0d1235",
        ),
        (
            Message::user("note").with_depth(2),
            "d1bd9911026fc7b0ae7dd36d00ba9447dd1723f3150d49557b3c89ab1258ebd8",
        ),
    ] {
        assert_eq!(message.digest().to_string(), digest, "{message:?}");
    }
    let hashed = br#"{"content":"hello","role":"user","sticky":false,"sysprompt":false}"#;
    assert_eq!(hello.digest(), Sha256Hex::of(hashed));
    assert_eq!(
        conversation_digest(&[be_good, hello]).to_string(),
        "9f014bd0e77954d8ada3fca1e6f29e927dea9f71e40ef09e2dbb16c5f29c08b6"
    );
    assert_eq!(
        conversation_digest(&[]).to_string(),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
    assert_eq!(
        digest_of_json(&Json::empty_object()).to_string(),
        "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    );
}
