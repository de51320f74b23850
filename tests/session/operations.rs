//! 11.5, scenarios 83 to 92, and those of 11.7 about operations: what is pending, what may honestly
//! be said of it, and what a resolution writes. The live operation (73 to 82) is another layer.

use sess::Session;
use sess::session::{
    AppendError, Arguments, CallState, Choice, Compaction, Dispatch, OpenCall, Outcome, Resolution,
    ResolveError, Settlement,
};
use sess::{Json, Message};

use super::place::{
    Place, answered, asked, compacted, dispatched, file, line, messages, said, settled,
};

fn dispatch() -> Dispatch {
    let mut dispatch = Dispatch::new("c1", "shell", Arguments::Text(r#"{"a":1}"#.into()));
    dispatch.arguments_digest = Some("digest".into());
    dispatch.idempotency = Some("destructive".into());
    dispatch.run_id = Some("r1".into());
    dispatch.round = Some(0);
    dispatch
}

#[test]
fn s83_a_dispatch_line_holds_every_field_and_is_no_message() {
    let (place, session) = Place::created();
    let op_id = session.append_tool_dispatched(&dispatch()).unwrap();
    let line = &place.lines()[1];
    assert_eq!(line.get_str("id").unwrap(), op_id.as_str());
    assert_eq!(
        line.get("payload").unwrap().text(),
        r#"{"arguments":"{\"a\":1}","arguments-digest":"digest","call-id":"c1","idempotency":"destructive","round":0,"run-id":"r1","tool":"shell"}"#
    );
    assert!(session.messages().is_empty());
    let document = Arguments::Document(Json::parse(r#"{"b":1.50,"a":[]}"#).unwrap());
    session
        .append_tool_dispatched(&Dispatch::new("", "", document))
        .unwrap();
    assert_eq!(
        place.lines()[2].get("payload").unwrap().text(),
        r#"{"arguments":{"a":[],"b":1.50},"call-id":"","tool":""}"#
    );
}

#[test]
fn s84_what_is_not_settled_is_pending() {
    let (place, session) = Place::created();
    let first = session.append_tool_dispatched(&dispatch()).unwrap();
    let second = session
        .append_tool_dispatched(&Dispatch::new("c2", "t", Arguments::Text(String::new())))
        .unwrap();
    session
        .append_tool_settled(&Settlement::new(first, Outcome::Completed))
        .unwrap();
    let [pending] = session.pending_tool_operations().try_into().unwrap();
    assert_eq!(pending.op_id, second);
    assert_eq!(
        pending.dispatched_at,
        place.lines()[2].get_str("ts").unwrap()
    );
    assert_eq!((pending.idempotency, pending.round), (None, None));
    session
        .append_tool_settled(&Settlement::new(second, Outcome::Failed))
        .unwrap();
    assert!(session.pending_tool_operations().is_empty());
    assert!(place.load_copy().pending_tool_operations().is_empty());
}

#[test]
fn s85_a_second_or_unfounded_settle_is_refused() {
    let (place, session) = Place::created();
    let op_id = session.append_tool_dispatched(&dispatch()).unwrap();
    session
        .append_tool_settled(&Settlement::new(op_id.clone(), Outcome::Completed))
        .unwrap();
    for (op_id, kind) in [
        (op_id.as_str(), "settle-twice"),
        ("nobody", "settle-unknown-op"),
        ("", "settle-no-op"),
    ] {
        let settlement = Settlement::new(op_id, Outcome::Failed);
        match session.append_tool_settled(&settlement).unwrap_err() {
            AppendError::Refused(fault) => assert_eq!(fault.kind(), kind),
            other => panic!("{other}"),
        }
    }
    // Another outcome than the three cannot be said in these types.
    assert_eq!(place.lines().len(), 3);
    assert_eq!(place.load_copy().envelope_count(), 3);
}

#[test]
fn s86_a_resolution_settles_with_its_reason() {
    let (place, session) = Place::created();
    let op_id = session.append_tool_dispatched(&dispatch()).unwrap();
    session
        .resolve_tool_operation(op_id.clone(), Outcome::OutcomeUnknown, Some("crash-repair"))
        .unwrap();
    assert_eq!(
        place.lines()[2].get("payload").unwrap().text(),
        format!(r#"{{"op-id":"{op_id}","outcome":"outcome-unknown","reason":"crash-repair"}}"#)
    );
    assert!(session.pending_tool_operations().is_empty());
    assert!(
        session
            .resolve_tool_operation(op_id, Outcome::Completed, None)
            .is_err()
    );
}

#[test]
fn s87_after_a_reload_the_open_one_is_pending_and_the_settled_one_an_event() {
    let place = Place::with(file(&[
        dispatched("o1", "c1", ""),
        dispatched("o2", "c2", r#","idempotency":"sometimes","round":3"#),
        settled("s1", "o1", "completed"),
    ]));
    let session = place.load();
    let [pending] = session.pending_tool_operations().try_into().unwrap();
    assert_eq!(
        (pending.op_id.as_str(), pending.call_id.as_str()),
        ("o2", "c2")
    );
    // A class this build does not know is another writer's word.
    assert_eq!(pending.idempotency, Some(Json::string("sometimes")));
    assert_eq!(pending.round, Some(Json::from(3_u64)));
    assert_eq!(session.events().unwrap().len(), 4);
}

#[test]
fn s89_a_settle_line_without_its_dispatch_is_refused() {
    for (lines, kind) in [
        (vec![settled("s", "o1", "completed")], "settle-unknown-op"),
        (
            vec![settled("s", "o1", "completed"), dispatched("o1", "c1", "")],
            "settle-unknown-op",
        ),
        (
            vec![
                dispatched("o1", "c1", ""),
                settled("s1", "o1", "completed"),
                settled("s2", "o1", "failed"),
            ],
            "settle-twice",
        ),
        (
            vec![dispatched("o1", "c1", ""), settled("s1", "o1", "abandoned")],
            "settle-bad-outcome",
        ),
        (
            vec![line("s", "tool-settled", r#"{"outcome":"completed"}"#)],
            "settle-no-op",
        ),
    ] {
        let line = lines.len() as u64 + 1;
        let error = Place::with(file(&lines)).refusal();
        assert_eq!(error.kind(), kind);
        let expected = if lines.len() == 2 && kind == "settle-unknown-op" {
            2
        } else {
            line
        };
        assert_eq!(error.line(), Some(expected));
    }
}

#[test]
fn s90_a_compaction_leaves_an_open_operation_open() {
    let place = Place::with(file(&[
        asked("a", "c1"),
        dispatched("o1", "c1", ""),
        said("u", "user", "go on"),
        compacted("k", "u", "sum"),
    ]));
    let session = place.load();
    let [call] = session.open_calls().try_into().unwrap();
    assert_eq!(
        (call.state, call.turn_is_live),
        (CallState::WasRunning, false)
    );
    // Its turn is no longer in the conversation, so an answer to it would be out of place.
    let resolution = Resolution::of(&call, &Choice::default()).unwrap();
    assert_eq!(resolution.message, None);
    resolution.apply(&session).unwrap();
    assert!(session.open_calls().is_empty());
    assert_eq!(messages(&session), [Message::user("sum")]);
}

#[test]
fn s92_a_transcript_without_operations_has_nothing_pending() {
    let place = Place::with(file(&[asked("a", "c1"), answered("t", "c1", "")]));
    let session = place.load();
    assert!(session.pending_tool_operations().is_empty());
    assert!(session.open_calls().is_empty());
    session.append_message(Message::user("x")).unwrap();
    assert_eq!(place.lines()[3].get("v").unwrap().text(), "1");
}

/// The state of each open call, by call id.
fn states(lines: &[String]) -> Vec<(String, &'static str)> {
    let session = Place::with(file(lines)).load();
    let calls = session.open_calls();
    calls
        .iter()
        .map(|call| (call.call_id.to_string(), call.state.as_str()))
        .collect()
}

fn assert_states(lines: &[String], expected: &[(&str, &str)]) {
    let expected: Vec<(String, &str)> = expected
        .iter()
        .map(|(id, state)| (id.to_string(), *state))
        .collect();
    assert_eq!(states(lines), expected, "{lines:#?}");
}

const NEVER: &str = "never-dispatched";
const RUNNING: &str = "was-running";
const FINISHED: &str = "finished-but-not-settled";
const UNRECORDED: &str = "unrecorded";

/// A whole earlier round, so that the writer is known to record dispatches.
fn earlier() -> Vec<String> {
    vec![
        asked("a0", "c0"),
        dispatched("o0", "c0", ""),
        answered("t0", "c0", ""),
        settled("s0", "o0", "completed"),
    ]
}

fn after_earlier(lines: &[String]) -> Vec<String> {
    [earlier(), lines.to_vec()].concat()
}

#[test]
fn s88_three_deaths_leave_three_states() {
    let turn = asked("a1", "c1");
    let lines = after_earlier(&[turn, dispatched("o1", "c1", ""), answered("t1", "c1", "")]);
    assert_states(&lines[..5], &[("c1", NEVER)]);
    assert_states(&lines[..6], &[("c1", RUNNING)]);
    assert_states(&lines, &[("c1", FINISHED)]);
    // A dispatch line torn by the death never returned to its writer, so the tool was not called.
    let torn = &file(&lines[..6]);
    let session = Place::with(&torn[..torn.len() - 9]).load();
    assert_eq!(session.open_calls()[0].state, CallState::NeverDispatched);
}

#[test]
fn nothing_is_said_of_calls_whose_writer_records_no_dispatches() {
    assert_states(&[asked("a1", "c1")], &[("c1", UNRECORDED)]);
}

#[test]
fn s142_an_answer_folded_away_before_the_settle_still_counts() {
    let lines = [
        asked("a1", "c1"),
        dispatched("o1", "c1", ""),
        answered("t1", "c1", ""),
        said("u", "user", "go on"),
        compacted("k", "t1", "sum"),
    ];
    assert_states(&lines, &[("c1", FINISHED)]);
    let session = Place::with(file(&lines)).load();
    let call = &session.open_calls()[0];
    assert!(!call.needs_answer());
    let resolution = Resolution::of(call, &Choice::default()).unwrap();
    assert_eq!(resolution.message, None);
    assert_eq!(resolution.settlement.unwrap().outcome, Outcome::Completed);
}

#[test]
fn s143_an_answer_of_an_earlier_round_does_not_answer_a_later_call_of_the_same_id() {
    let lines = after_earlier(&[asked("a1", "c0"), dispatched("o1", "c0", "")]);
    assert_states(&lines, &[("c0", RUNNING)]);
    // Nor when the settle line of the earlier round is lost as well.
    let lines = [
        asked("a0", "c"),
        dispatched("o0", "c", ""),
        answered("t0", "c", ""),
        asked("a1", "c"),
        dispatched("o1", "c", ""),
    ];
    assert_states(&lines, &[("c", FINISHED), ("c", RUNNING)]);
}

#[test]
fn a_later_answer_does_not_answer_an_earlier_call_of_the_same_id() {
    let lines = [
        asked("a0", "c"),
        dispatched("o0", "c", ""),
        asked("a1", "c"),
        dispatched("o1", "c", ""),
        answered("t1", "c", ""),
        settled("s1", "o1", "completed"),
    ];
    assert_states(&lines, &[("c", RUNNING)]);
    let session = Place::with(file(&lines)).load();
    assert_eq!(session.pending_tool_operations()[0].op_id.as_str(), "o0");
}

#[test]
fn s144_a_stand_in_for_an_answer_is_no_answer() {
    for extra in ["background", "outcome-unknown", "abandoned"] {
        let lines = [
            asked("a1", "c1"),
            dispatched("o1", "c1", ""),
            answered("t1", "c1", &format!(r#","{extra}":true"#)),
        ];
        assert_states(&lines, &[("c1", RUNNING)]);
        let session = Place::with(file(&lines)).load();
        let resolution = Resolution::of(&session.open_calls()[0], &Choice::default()).unwrap();
        // The conversation has its message; only the end of the work is unknown.
        assert_eq!(resolution.message, None);
        assert_eq!(
            resolution.settlement.unwrap().outcome,
            Outcome::OutcomeUnknown
        );
    }
    let not_so = [
        asked("a1", "c1"),
        dispatched("o1", "c1", ""),
        answered("t1", "c1", r#","background":false"#),
    ];
    assert_states(&not_so, &[("c1", FINISHED)]);
}

#[test]
fn an_error_is_an_answer_and_means_failed() {
    let lines = [
        asked("a1", "c1"),
        dispatched("o1", "c1", ""),
        answered("t1", "c1", r#","is-error":true"#),
    ];
    assert_states(&lines, &[("c1", FINISHED)]);
    let session = Place::with(file(&lines)).load();
    let resolution = Resolution::of(&session.open_calls()[0], &Choice::default()).unwrap();
    assert_eq!(resolution.settlement.unwrap().outcome, Outcome::Failed);
}

/// An assistant turn with several calls.
fn asked_for(id: &str, call_ids: &[&str]) -> String {
    let calls = call_ids.iter().map(|call_id| {
        format!(r#"{{"function":{{"arguments":"{{\"n\":1}}","name":"shell"}},"id":"{call_id}","type":"function"}}"#)
    });
    let calls: Vec<String> = calls.collect();
    let payload = format!(
        r#"{{"content":"","role":"assistant","tool-calls":[{}]}}"#,
        calls.join(",")
    );
    line(id, "message", &payload)
}

#[test]
fn calls_of_one_turn_are_judged_one_by_one() {
    let lines = [
        asked_for("a1", &["c1", "c2", "c3", "c4", "c5"]),
        dispatched("o1", "c1", ""),
        dispatched("o2", "c2", ""),
        dispatched("o3", "c3", ""),
        answered("t2", "c2", ""),
        answered("t3", "c3", ""),
        settled("s3", "o3", "completed"),
        answered("t5", "c5", r#","abandoned":true"#),
    ];
    assert_states(&lines, &[("c4", NEVER), ("c1", RUNNING), ("c2", FINISHED)]);
}

#[test]
fn the_order_of_dispatch_need_not_be_that_of_the_turn() {
    let lines = [
        asked_for("a1", &["c1", "c2"]),
        dispatched("o2", "c2", ""),
        dispatched("o1", "c1", ""),
        answered("t1", "c1", ""),
    ];
    assert_states(&lines, &[("c2", RUNNING), ("c1", FINISHED)]);
    let session = Place::with(file(&lines)).load();
    let pending = session.pending_tool_operations();
    let pending: Vec<&str> = pending.iter().map(|it| it.op_id.as_str()).collect();
    assert_eq!(pending, ["o2", "o1"]);
}

#[test]
fn calls_with_one_id_in_one_turn_are_answered_in_order() {
    let lines = [
        asked_for("a1", &["c", "c"]),
        dispatched("o1", "c", ""),
        dispatched("o2", "c", ""),
        answered("t1", "c", ""),
        settled("s1", "o1", "completed"),
    ];
    assert_states(&lines, &[("c", RUNNING)]);
    let session = Place::with(file(&lines)).load();
    assert_eq!(session.pending_tool_operations()[0].op_id.as_str(), "o2");
}

#[test]
fn an_open_call_says_where_it_comes_from() {
    let lines = after_earlier(&[asked_for("a1", &["c1", "c2"]), dispatched("o1", "c1", "")]);
    let session = Place::with(file(&lines)).load();
    let [never, running] = session.open_calls().try_into().unwrap();
    assert_eq!((never.line, running.line), (6, 7));
    assert_eq!(never.turn.unwrap().as_str(), "a1");
    assert_eq!(never.arguments, Json::string(r#"{"n":1}"#));
    assert_eq!(
        (never.tool.as_str(), running.tool.as_str()),
        ("shell", "shell")
    );
    assert_eq!(running.operation.unwrap().op_id.as_str(), "o1");
}

/// Resolves everything, and checks what then is in the file.
fn resolve_all(lines: &[String]) -> (Vec<Message>, Vec<String>) {
    let place = Place::with(file(lines));
    let session = place.load();
    let before = session.envelope_count() as usize;
    let mut calls = session.open_calls();
    calls.sort_by_key(|call| call.asked);
    for call in calls {
        let resolution = Resolution::of(&call, &Choice::default()).unwrap();
        resolution.apply(&session).unwrap();
    }
    session.close();
    let again = place.load();
    assert!(again.pending_tool_operations().is_empty());
    assert!(again.open_calls().is_empty());
    assert_each_call_is_answered_once(&again);
    let written = place.lines().split_off(before);
    let written = written.iter().map(|line| line.get_str("type").unwrap());
    (messages(&again), written.collect())
}

/// What a provider asks of a conversation: after a turn with calls, one answer to each.
fn assert_each_call_is_answered_once(session: &Session) {
    let messages = messages(session);
    for (place, message) in messages.iter().enumerate() {
        let mut asked: Vec<String> = message.calls().map(|call| call.id).collect();
        let answers = messages[place + 1..]
            .iter()
            .take_while(|it| it.tool_call_id.is_some());
        let mut answers: Vec<String> = answers.filter_map(|it| it.tool_call_id.clone()).collect();
        asked.sort();
        answers.sort();
        if !asked.is_empty() {
            assert_eq!(asked, answers);
        }
    }
}

#[test]
fn what_was_running_is_answered_and_settled_in_that_order() {
    let (messages, written) = resolve_all(&[asked("a1", "c1"), dispatched("o1", "c1", "")]);
    assert_eq!(written, ["message", "tool-settled"]);
    let text = &messages[1].content;
    assert!(text.contains("may have been executed"), "{text}");
    assert!(
        !text.contains("failed") && !text.contains("not executed"),
        "{text}"
    );
}

#[test]
fn what_is_said_of_a_running_call_depends_on_its_class() {
    let said = |class: &str| {
        let extra = format!(r#","idempotency":"{class}""#);
        let (messages, _) = resolve_all(&[asked("a1", "c1"), dispatched("o1", "c1", &extra)]);
        messages[1].content.clone()
    };
    assert!(said("destructive").contains("may already have happened"));
    assert!(said("read-only").contains("harmless"));
    assert!(said("idempotent").contains("same effect"));
    for class in ["unknown", "sometimes"] {
        let text = said(class);
        for claim in ["configured", "harmless", "destructive"] {
            assert!(!text.contains(claim), "{class}: {text}");
        }
    }
}

#[test]
fn what_was_never_dispatched_gets_its_message_only() {
    let (messages, written) = resolve_all(&after_earlier(&[asked("a1", "c1")]));
    assert_eq!(written, ["message"]);
    let text = &messages.last().unwrap().content;
    assert!(text.contains("Nothing was executed"), "{text}");
    // Where nothing is recorded nothing is claimed.
    let (messages, written) = resolve_all(&[asked("a1", "c1")]);
    assert_eq!(written, ["message"]);
    let text = &messages[1].content;
    assert!(text.contains("may or may not"), "{text}");
}

#[test]
fn a_dispatch_without_its_turn_is_answered_all_the_same() {
    let (messages, written) = resolve_all(&[dispatched("o1", "c1", "")]);
    assert_eq!(written, ["message", "tool-settled"]);
    assert_eq!(messages[0].tool_call_id.as_deref(), Some("c1"));
    let (_, written) = resolve_all(&[dispatched("o1", "c1", ""), answered("t", "c1", "")]);
    assert_eq!(written, ["tool-settled"]);
}

#[test]
fn what_is_finished_gets_its_settle_line_only() {
    let lines = [
        asked("a1", "c1"),
        dispatched("o1", "c1", ""),
        answered("t1", "c1", ""),
    ];
    let (messages, written) = resolve_all(&lines);
    assert_eq!(written, ["tool-settled"]);
    assert_eq!(messages[1], Message::tool("c1", "done"));
}

#[test]
fn a_call_dispatched_again_is_answered_once() {
    let (turn, first) = (asked("a1", "c1"), dispatched("o1", "c1", ""));
    let second = dispatched("o2", "c1", "");
    let open = [turn.clone(), first.clone(), second.clone()];
    assert_states(&open, &[("c1", RUNNING), ("c1", RUNNING)]);
    let (_, written) = resolve_all(&open);
    assert_eq!(written, ["tool-settled", "message", "tool-settled"]);
    let answered = [
        turn,
        first,
        second,
        answered("t", "c1", ""),
        settled("s", "o2", "completed"),
    ];
    assert_states(&answered, &[("c1", RUNNING)]);
    let (_, written) = resolve_all(&answered);
    assert_eq!(written, ["tool-settled"]);
}

#[test]
fn a_mixed_turn_is_resolved_to_one_answer_each() {
    let (messages, written) = resolve_all(&[
        asked_for("a1", &["c1", "c2", "c3", "c4"]),
        dispatched("o1", "c1", ""),
        dispatched("o2", "c2", r#","idempotency":"read-only""#),
        dispatched("o3", "c3", ""),
        answered("t2", "c2", ""),
        answered("t3", "c3", r#","background":true"#),
    ]);
    assert_eq!(
        written,
        [
            "message",
            "tool-settled",
            "tool-settled",
            "tool-settled",
            "message"
        ]
    );
    let answers: Vec<_> = messages[1..]
        .iter()
        .map(|it| it.tool_call_id.clone().unwrap())
        .collect();
    assert_eq!(answers, ["c2", "c3", "c1", "c4"]);
}

/// The one open call.
fn open_call(lines: &[String]) -> OpenCall {
    let [call] = Place::with(file(lines))
        .load()
        .open_calls()
        .try_into()
        .unwrap();
    call
}

#[test]
fn what_was_established_by_hand_can_be_recorded() {
    let call = open_call(&[asked("a1", "c1"), dispatched("o1", "c1", "")]);
    for (outcome, mark) in [
        (Outcome::Completed, None),
        (Outcome::Failed, Some("is-error")),
        (Outcome::OutcomeUnknown, Some("outcome-unknown")),
    ] {
        let choice = Choice {
            outcome: Some(outcome),
            reason: Some("looked".into()),
            no_message: false,
        };
        let resolution = Resolution::of(&call, &choice).unwrap();
        let settlement = resolution.settlement.unwrap();
        assert_eq!(
            (settlement.outcome, settlement.reason.as_deref()),
            (outcome, Some("looked"))
        );
        let (_, extras) = resolution.message.unwrap();
        let marks: Vec<&str> = extras.keys().map(String::as_str).collect();
        assert_eq!(marks, Vec::from_iter(mark));
    }
    let silent = Choice {
        no_message: true,
        ..Choice::default()
    };
    assert_eq!(Resolution::of(&call, &silent).unwrap().message, None);
}

#[test]
fn what_never_left_has_no_outcome() {
    let call = open_call(&after_earlier(&[asked("a1", "c1")]));
    let choice = Choice {
        outcome: Some(Outcome::Failed),
        ..Choice::default()
    };
    let error = Resolution::of(&call, &choice).unwrap_err();
    assert_eq!(
        error,
        ResolveError::NoOutcome {
            call_id: "c1".into()
        }
    );
    let (_, extras) = Resolution::of(&call, &Choice::default())
        .unwrap()
        .message
        .unwrap();
    assert_eq!(extras["abandoned"], Json::from(true));
}

#[test]
fn a_resolution_interrupted_between_its_lines_can_be_made_again() {
    let place = Place::with(file(&[asked("a1", "c1"), dispatched("o1", "c1", "")]));
    let session = place.load();
    let resolution = Resolution::of(&session.open_calls()[0], &Choice::default()).unwrap();
    let (message, extras) = resolution.message.clone().unwrap();
    session.append_message_with(message, &extras).unwrap();
    let again = Resolution::of(&session.open_calls()[0], &Choice::default()).unwrap();
    assert_eq!(
        (again.message.clone(), again.settlement.clone()),
        (None, resolution.settlement)
    );
    again.apply(&session).unwrap();
    assert!(session.open_calls().is_empty());
    assert_each_call_is_answered_once(&session);
}

#[test]
fn a_live_session_knows_its_open_calls_as_a_load_does() {
    let (place, session) = Place::created();
    let turn = Message::assistant("").with_call(sess::message::ToolCall {
        id: "c1".into(),
        name: "shell".into(),
        arguments: "{}".into(),
    });
    session.append_message(turn).unwrap();
    assert_eq!(session.open_calls(), place.load_copy().open_calls());
    session.append_tool_dispatched(&dispatch()).unwrap();
    assert_eq!(session.open_calls(), place.load_copy().open_calls());
    let id = session.append_message(Message::tool("c1", "done")).unwrap();
    assert_eq!(session.open_calls()[0].state, CallState::FinishedNotSettled);
    session
        .append_compaction(&Compaction::new("sum", id))
        .unwrap();
    assert_eq!(session.open_calls(), place.load_copy().open_calls());
}

#[test]
fn a_live_session_reads_the_marks_of_an_answer_as_a_load_does() {
    for marks in [
        r#"{"is-error":true}"#,
        r#"{"background":true,"is-error":false}"#,
        r#"{"abandoned":true,"is-error":true}"#,
        r#"{"outcome-unknown":true}"#,
        r#"{"background":"true","usage":{"abandoned":true}}"#,
        r#"{"background":[],"is-error": true }"#,
    ] {
        let (place, session) = Place::created();
        session.append_tool_dispatched(&dispatch()).unwrap();
        let marks = Json::parse(marks).unwrap();
        let extras = marks.entries().unwrap().into_iter().collect();
        session
            .append_message_with(Message::tool("c1", "done"), &extras)
            .unwrap();
        assert!(session.open_calls()[0].answer.is_some());
        assert_eq!(session.open_calls(), place.load_copy().open_calls());
    }
}
