//! `sess replay`: the live conversation as text and as a document, at any point, and its steps.

use std::fs;

use serde_json::{Value, json};
use sess::session::{LoadError, OpenCall, RecordedContext, Replayed, Warning};
use sess::{Json, Message, Session};

use super::{Ran, TestEnv};
use crate::support::reference;

fn document(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn the_conversation_is_read_with_summaries_stubs_and_sticky_messages_marked() {
    let env = TestEnv::new();
    env.sample("two-compactions.jsonl");
    let ran = env.sess(&["replay", "two-compactions.jsonl"]);
    let expected = "\
two-compactions.jsonl: 6 messages after 31 lines

1  system     1fe3dd13  system prompt, sticky
   │ You are rook, a coding agent.

2  user       5c52d075  sticky
   │ Whatever happens: `vendor/` stays untouched.

3  user       f51745ab  summary of what came before
   │ [Conversation summary — earlier turns compacted]
   │ (no summary could be made; 7 messages were dropped, the oldest of them 28b50b10-0007-4000-8000-000000000016)

4  user       3186390d
   │ Go on with statements.

5  system     cfbdb2be  inserted 1 from the end
   │ Keep answers under 80 words.

6  assistant  6df52c6f
   │ Statements: `let`, `if`, `while`, and an expression followed by a semicolon. I start with `let`.
";
    assert_eq!(ran, Ran::new(0, expected, ""));
}

#[test]
fn a_torn_tail_is_left_out_and_open_calls_are_told() {
    let env = TestEnv::new();
    let path = env.sample("interrupted.jsonl");
    let before = fs::read(&path).unwrap();
    let ran = env.sess(&["replay", "interrupted.jsonl"]);
    let notes = "\
note: 3 calls are open: see `sess pending interrupted.jsonl`
note: interrupted.jsonl:20: the last line is torn: the JSON ends before it is whole; loading cuts it off
";
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), notes));
    let end = "\
8  assistant  d2adbb10
   │ Archive and notes can go at the same time; publishing comes last because it cannot be taken back.
   → upload_asset call_04  {\"file\":\"target/dist/tally-0.4.0-x86_64-linux.tar.gz\",\"release\":\"v0.4.0\"}
   → write_file call_05
     content:
       │ # tally 0.4.0
       │
       │ `tally -` reads standard input, a tab may be the separator, and a table without rows is no crash any more.
     path: docs/releases/0.4.0.md
   → publish_crate call_06  {\"name\":\"tally\",\"version\":\"0.4.0\"}

9  tool       ad542823  answers write_file call_05
   │ wrote docs/releases/0.4.0.md: 126 bytes
";
    assert!(ran.out.ends_with(end), "{}", ran.out);
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(env.folder()).unwrap().count(), 1);
}

#[test]
fn the_steps_are_listed_with_what_they_saved() {
    let env = TestEnv::new();
    env.sample("two-compactions.jsonl");
    env.sample("healthy.jsonl");
    let ran = env.sess(&["replay", "two-compactions.jsonl", "--steps"]);
    let expected = "\
step  line  time                  what                    messages  tokens
   1    15  2026-03-14 08:02:51Z  elision of 1 content    8 → 8     ~1,245 →  ~138
   2    16  2026-03-14 08:02:56Z  compaction              8 → 3      5,464 → 1,377
   3    27  2026-03-14 08:03:43Z  compaction, a fallback  9 → 3      4,531 →   688
";
    assert_eq!(ran, Ran::new(0, expected, ""));
    let ran = env.sess(&["replay", "two-compactions.jsonl", "--steps", "--at", "15"]);
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 2));
    let ran = env.sess(&["replay", "healthy.jsonl", "--steps"]);
    let expected = "healthy.jsonl: no compaction and no elision\n";
    assert_eq!(ran, Ran::new(0, expected, ""));
}

#[test]
fn both_sides_of_a_compaction_are_shown() {
    let env = TestEnv::new();
    env.sample("two-compactions.jsonl");
    let ran = env.sess(&["replay", "two-compactions.jsonl", "--step", "3"]);
    let long = "expr: expr '+' term { $$ = add($1, $3); } | term ;\nterm: term '*' fact { $$ = mul($1, $3); } | fact ;\n";
    assert_eq!(ran.code, Some(0));
    let shown: Vec<&str> = ran.out.lines().filter(|line| !line.contains('│')).collect();
    let expected = [
        "step 3 of two-compactions.jsonl: compaction, a fallback",
        "line 27, 2026-03-14 08:03:43Z; messages 9 → 3, tokens 4,531 → 688",
        "",
        "── folded away: 7 messages ──",
        "",
        "1  user       28b50b10  summary of what came before",
        "",
        "2  user       c6ec84c1",
        "",
        "3  assistant  6523fe72",
        "   → read_file call_03  {\"path\":\"src/parser.y\"}",
        "",
        "4  tool       a192f1d4  answers read_file call_03",
        "",
        "5  assistant  de01e536",
        "   → shell call_04  {\"command\":\"cargo test parser\"}",
        "",
        "6  tool       1a70d898  answers shell call_04",
        "",
        "7  assistant  56dfcbfa",
        "",
        "── kept, because it is sticky: 2 messages ──",
        "",
        "1  system     1fe3dd13  system prompt, sticky",
        "",
        "2  user       5c52d075  sticky",
        "",
        "── stands instead: 1 message ──",
        "",
        "1  user       f51745ab  summary of what came before",
    ];
    assert_eq!(shown, expected);

    let ran = env.sess(&["replay", "two-compactions.jsonl", "--step", "3", "--json"]);
    let sides = document(&ran);
    assert!(
        sides["gone"][3]["content"]
            .as_str()
            .unwrap()
            .starts_with(long)
    );
    assert_eq!(sides["instead"][0]["id"], sides["id"]);
    assert_eq!(
        (sides["gone"].as_array().unwrap().len(), &sides["fallback"]),
        (7, &json!(true))
    );
}

#[test]
fn both_sides_of_an_elision_are_shown() {
    let env = TestEnv::new();
    env.sample("two-compactions.jsonl");
    let sides = document(&env.sess(&["replay", "two-compactions.jsonl", "--step", "1", "--json"]));
    let (gone, instead) = (&sides["gone"][0], &sides["instead"][0]);
    assert_eq!(gone["content"].as_str().unwrap().chars().count(), 4520);
    let expected = json!({
        "id": "36f93d88-0007-4000-8000-000000000008",
        "line": 8,
        "role": "tool",
        "tool-call-id": "call_01",
        "content": "[elided by the harness: 4520-char read_file result; re-run the call if you need it again]",
    });
    assert_eq!(*instead, expected);
    let ran = env.sess(&["replay", "two-compactions.jsonl", "--step", "1"]);
    let last: Vec<&str> = ran.out.lines().rev().take(2).collect();
    assert_eq!(
        last,
        [
            "   │ [elided by the harness: 4520-char read_file result; re-run the call if you need it again]",
            "1  tool       36f93d88  answers call_01, elided, whole in line 8",
        ]
    );
    let ran = env.sess(&["replay", "two-compactions.jsonl", "--step", "4"]);
    let expected = "sess: two-compactions.jsonl: there is no step 4\n\
                    hint: `sess replay --steps two-compactions.jsonl` lists them\n";
    assert_eq!(ran, Ran::new(1, "", expected));
}

#[test]
fn any_point_of_time_can_be_gone_back_to() {
    let env = TestEnv::new();
    env.sample("two-compactions.jsonl");
    let title = |at: &str| {
        let ran = env.sess(&["replay", "-q", "two-compactions.jsonl", "--at", at]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{at}");
        ran.out.lines().next().unwrap_or_default().to_owned()
    };
    for (at, messages, lines) in [
        ("4", 2, 4),
        ("28b50b10", 3, 16),
        ("28b50b10-0007-4000-8000-000000000016", 3, 16),
        ("2026-03-14 08:02:43", 3, 5),
        ("2026-03-14T08:02:43.109987Z", 4, 6),
        ("2027-01-01", 6, 31),
    ] {
        let expected = format!("two-compactions.jsonl: {messages} messages after {lines} lines");
        assert_eq!(title(at), expected, "{at}");
    }
    for (at, code, expected) in [
        ("0", 2, "lines are counted from 1"),
        ("32", 1, "there is no line 32; the last is 31"),
        ("feed", 1, "no line id starts with \"feed\""),
        ("2025-12-31", 1, "the transcript begins later"),
    ] {
        let ran = env.sess(&["replay", "two-compactions.jsonl", "--at", at]);
        let expected = format!(
            "sess: two-compactions.jsonl: {expected}\n\
             hint: `sess peek --full two-compactions.jsonl` shows every line with its number, time \
             and id\n"
        );
        assert_eq!(ran, Ran::new(code, "", &expected));
    }
    let ran = env.sess(&["replay", "two-compactions.jsonl", "--at", "28"]);
    assert_eq!(ran.code, Some(0), "a number is a line");
    let ran = env.sess(&["replay", "two-compactions.jsonl", "--at", "6"]);
    assert_eq!(ran.err, "note: 1 call is open at this point\n");
    let ran = env.sess(&["replay", "two-compactions.jsonl", "--at", "1"]);
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 1));
}

#[test]
fn what_comes_after_the_point_stops_nothing() {
    let env = TestEnv::new();
    env.sample("mid-file-damage.jsonl");
    let ran = env.sess(&[
        "replay",
        "-q",
        "--json",
        "mid-file-damage.jsonl",
        "--at",
        "14",
    ]);
    assert_eq!((ran.code, &document(&ran)["lines"]), (Some(0), &json!(14)));
    let ran = env.sess(&["replay", "-q", "--json", "mid-file-damage.jsonl"]);
    let expected = json!({
        "path": "mid-file-damage.jsonl",
        "error": {
            "kind": "malformed-mid",
            "message": "line 15 of 32 is broken: the JSON ends before it is whole; only a line torn at the very end is forgiven",
            "line": 15,
            "offset": 5442,
        },
    });
    assert_eq!((ran.code, document(&ran)), (Some(1), expected));
}

#[test]
fn what_is_no_transcript_ends_with_two() {
    let env = TestEnv::new();
    env.write("notes.txt", "milk\n");
    env.write("empty.jsonl", "");
    for (name, kind) in [
        ("notes.txt", "not-a-transcript"),
        ("empty.jsonl", "empty"),
        ("nosuch", "no-file"),
        (".", "no-file"),
    ] {
        let ran = env.sess(&["replay", "--json", name]);
        let found = document(&ran);
        assert_eq!(
            (ran.code, &found["error"]["kind"]),
            (Some(2), &json!(kind)),
            "{name}"
        );
        assert_eq!(found["path"], name);
        assert_eq!(env.sess(&["replay", name]).code, Some(2), "{name}");
    }
}

#[test]
fn standard_input_is_replayed() {
    let env = TestEnv::new();
    let input = fs::read(env.sample("healthy.jsonl")).unwrap();
    let ran = env.sess_with_input(&["replay", "--json", "--at", "11", "-"], &input);
    let found = document(&ran);
    assert_eq!(
        (ran.code, &found["path"], &found["lines"]),
        (Some(0), &json!("-"), &json!(11))
    );
}

/// Every case goes through the library, and one of so many through the command as well.
const COMMAND_CASES: usize = 10;

#[test]
fn a_replay_is_what_loading_answers_for_every_sample_and_every_reference_case() {
    let env = TestEnv::new();
    let mut compared = 0;
    for case in reference::cases() {
        let input = case
            .input
            .as_deref()
            .filter(|input| input.len() < 1_000_000);
        if let Some(input) = input.filter(|_| case.setup == reference::Setup::default()) {
            check_document(&env, &case.name, input, compared % COMMAND_CASES == 0);
            compared += 1;
        }
    }
    assert!(compared > 400, "{compared}");
    for name in [
        "healthy",
        "interrupted",
        "pending",
        "two-compactions",
        "hostile-replay",
        "wide",
    ] {
        let name = format!("{name}.jsonl");
        check_document(&env, &name, &fs::read(env.sample(&name)).unwrap(), true);
    }
}

/// Replays a file with these bytes, then loads it, and compares.
fn check_document(env: &TestEnv, name: &str, input: &[u8], by_command: bool) {
    let path = env.write("case.jsonl", input);
    let replayed = Session::replay(&path);
    let ran = by_command.then(|| env.sess(&["replay", "-q", "--json", "case.jsonl"]));
    assert_eq!(fs::read(&path).unwrap(), input, "{name}");
    let loaded = Session::load(&path);
    let (code, document, expected) = match (&replayed, &loaded) {
        (Ok(replayed), Ok(session)) => (
            0,
            document_of_replayed(replayed),
            document_of_session(session),
        ),
        (Err(error), Err(load)) => {
            let code = if error.is_not_a_transcript() { 2 } else { 1 };
            (code, document_of_error(error), document_of_error(load))
        }
        _ => panic!("{name}: {replayed:?}, but {loaded:?}"),
    };
    let document = document.compact();
    assert_eq!(
        without_repair(&document),
        without_repair(&expected.compact()),
        "{name}"
    );
    if let Some(ran) = ran {
        let told = Json::parse(ran.out.trim_end()).unwrap();
        assert_eq!((ran.code, told.compact()), (Some(code), document), "{name}");
    }
    for entry in fs::read_dir(env.folder()).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
}

/// What a repair did is said by a load, what it would do by a replay.
fn without_repair(document: &str) -> String {
    let starts = ["; it was cut off", "; loading cuts it off"];
    match starts.iter().find_map(|start| document.find(start)) {
        Some(at) => {
            let end = at + document[at..].find('"').unwrap();
            [&document[..at], &document[end..]].concat()
        }
        None => document.to_owned(),
    }
}

fn document_of_error(error: &LoadError) -> Json {
    let mut members = vec![
        ("kind", Json::string(error.kind())),
        ("message", Json::string(&error.reason())),
    ];
    members.extend(error.line().map(|line| ("line", Json::from(line))));
    members.extend(error.offset().map(|offset| ("offset", Json::from(offset))));
    object([
        ("path", Json::string("case.jsonl")),
        ("error", Json::object(members)),
    ])
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::object(members)
}

fn document_of_session(session: &Session) -> Json {
    let conversation = session.conversation();
    let messages = conversation
        .iter()
        .map(|(id, message)| message_of(id.as_str(), message));
    let calls = session.open_calls();
    assert_eq!(
        session.pending_tool_operations(),
        calls
            .iter()
            .filter_map(|call| call.operation.clone())
            .collect::<Vec<_>>()
    );
    object([
        ("path", Json::string("case.jsonl")),
        ("meta", session.meta()),
        ("messages", Json::array(messages)),
        ("grants", Json::array(session.grants())),
        ("pending", Json::array(calls.iter().filter_map(pending_of))),
        (
            "run-contexts",
            Json::array(session.run_contexts().iter().map(context_of)),
        ),
        (
            "warnings",
            Json::array(session.warnings().iter().map(warning_of)),
        ),
        ("lines", Json::from(session.line_count())),
    ])
}

fn document_of_replayed(replayed: &Replayed) -> Json {
    let entries = replayed.conversation().iter();
    let calls = replayed.open_calls();
    object([
        ("path", Json::string("case.jsonl")),
        ("meta", replayed.meta()),
        (
            "messages",
            Json::array(entries.map(|entry| message_of(entry.id.as_str(), &entry.body))),
        ),
        ("grants", Json::array(replayed.grants().iter().cloned())),
        ("pending", Json::array(calls.iter().filter_map(pending_of))),
        (
            "run-contexts",
            Json::array(replayed.run_contexts().iter().map(context_of)),
        ),
        (
            "warnings",
            Json::array(replayed.warnings().iter().map(warning_of)),
        ),
        ("lines", Json::from(replayed.line_count())),
    ])
}

fn message_of(id: &str, message: &Message) -> Json {
    let mut members = vec![
        ("id", Json::string(id)),
        ("role", Json::string(message.role.as_str())),
        ("content", Json::string(&message.content)),
    ];
    if !message.tool_calls.is_empty() {
        members.push(("tool-calls", Json::array(message.tool_calls.clone())));
    }
    members.extend(
        message
            .tool_call_id
            .as_deref()
            .map(|id| ("tool-call-id", Json::string(id))),
    );
    members.extend(message.sticky.then(|| ("sticky", Json::from(true))));
    members.extend(message.sysprompt.then(|| ("sysprompt", Json::from(true))));
    members.extend(message.depth.map(|depth| ("depth", Json::from(depth))));
    Json::object(members)
}

fn pending_of(call: &OpenCall) -> Option<Json> {
    let operation = call.operation.as_ref()?;
    let mut members = vec![
        ("op-id", Json::string(operation.op_id.as_str())),
        ("call-id", Json::string(operation.call_id.as_str())),
        ("tool", Json::string(&operation.tool)),
        ("dispatched-at", Json::string(&operation.dispatched_at)),
        ("state", Json::string(call.state.as_str())),
    ];
    if !operation.arguments.is_null() {
        members.push(("arguments", operation.arguments.clone()));
    }
    for (key, value) in [
        ("arguments-digest", &operation.arguments_digest),
        ("idempotency", &operation.idempotency),
        ("run-id", &operation.run_id),
        ("round", &operation.round),
    ] {
        members.extend(value.clone().map(|value| (key, value)));
    }
    Some(Json::object(members))
}

fn context_of(context: &RecordedContext) -> Json {
    let facts = context.facts.iter();
    let facts = facts.map(|(key, value)| Json::array([Json::string(key), Json::string(value)]));
    let sections = context.sections.iter().map(|section| {
        let members = [
            ("name", &section.name),
            ("digest", &section.digest),
            ("rendered", &section.rendered),
            ("rendered-in", &section.rendered_in),
        ];
        let members = members
            .into_iter()
            .filter_map(|(key, value)| Some((key, value.clone()?)));
        Json::object(members.filter(|(_, value)| !value.is_null()))
    });
    object([
        ("id", Json::string(context.id.as_str())),
        ("ts", Json::string(&context.ts)),
        ("run-id", Json::string(context.run_id.as_str())),
        ("digest", Json::string(&context.digest)),
        ("facts", Json::array(facts)),
        ("sections", Json::array(sections)),
    ])
}

fn warning_of(warning: &Warning) -> Json {
    object([
        ("line", Json::from(warning.line)),
        ("offset", Json::from(warning.offset)),
        ("length", Json::from(warning.length)),
        ("kind", Json::string(warning.kind.as_str())),
        ("message", Json::string(&warning.message)),
    ])
}
