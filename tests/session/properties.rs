//! 11.7-137 and 138: a live session against a load of its file after every append, and files with
//! random damage.

use std::fs;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use sess::message::ToolCall;
use sess::session::{
    Arguments, CallState, Choice, Compaction, Dispatch, Elision, Extras, Outcome, Resolution,
    RunContextRecord, SectionRecord, Settlement, WarningKind,
};
use sess::{Json, Message, Role, Session};

use super::place::Place;
use crate::support::reference;

/// One thing a program may do to a session.
#[derive(Clone, Debug)]
enum Step {
    Say(Role, String, u8),
    Ask(Vec<u8>),
    Answer(u8, Option<&'static str>),
    Compact(Index, String),
    Elide(Vec<Index>, String),
    Dispatch(u8, Option<u64>),
    Settle(Index, Outcome),
    Resolve(Index),
    Context(Vec<u8>),
    Grant(u8),
    Event(String),
    Reload,
}

fn step() -> impl Strategy<Value = Step> {
    let role = prop_oneof![Just(Role::System), Just(Role::User), Just(Role::Assistant)];
    let outcome = prop_oneof![
        Just(Outcome::Completed),
        Just(Outcome::Failed),
        Just(Outcome::OutcomeUnknown)
    ];
    let mark = prop_oneof![
        2 => Just(None),
        1 => Just(Some("is-error")),
        1 => Just(Some("background")),
        1 => Just(Some("outcome-unknown")),
    ];
    prop_oneof![
        4 => (role, any::<String>(), 0..12_u8).prop_map(|(role, text, flags)| Step::Say(role, text, flags)),
        2 => vec(0..4_u8, 1..4).prop_map(Step::Ask),
        3 => (0..4_u8, mark).prop_map(|(call, mark)| Step::Answer(call, mark)),
        1 => (any::<Index>(), ".{0,8}").prop_map(|(entry, summary)| Step::Compact(entry, summary)),
        2 => (vec(any::<Index>(), 1..3), ".{0,8}").prop_map(|(entries, stub)| Step::Elide(entries, stub)),
        3 => (0..4_u8, any::<Option<u64>>()).prop_map(|(call, round)| Step::Dispatch(call, round)),
        3 => (any::<Index>(), outcome).prop_map(|(operation, outcome)| Step::Settle(operation, outcome)),
        1 => any::<Index>().prop_map(Step::Resolve),
        1 => vec(0..5_u8, 0..4).prop_map(Step::Context),
        1 => (0..4_u8).prop_map(Step::Grant),
        1 => "[a-z]{1,3}|\u{e9} ".prop_map(Step::Event),
        1 => Just(Step::Reload),
    ]
}

fn call(number: u8) -> ToolCall {
    ToolCall {
        id: format!("c{number}"),
        name: "shell".into(),
        arguments: format!("{{\"n\":{number}}}"),
    }
}

/// Takes a step. What has nothing to work on is left out.
fn take(place: &Place, mut session: Session, step: &Step) -> Session {
    match step {
        Step::Say(role, text, flags) => {
            let mut message = Message::new(*role, text.as_str());
            message.sticky = flags & 1 == 1;
            message.sysprompt = flags & 2 == 2 && *role == Role::System;
            message.depth = (*flags > 9).then_some(i64::from(*flags) - 10);
            session.append_message(message).unwrap();
        }
        Step::Ask(calls) => {
            let turn = calls.iter().fold(Message::assistant(""), |turn, number| {
                turn.with_call(call(*number))
            });
            session.append_message(turn).unwrap();
        }
        Step::Answer(number, mark) => {
            let extras = mark.map(|mark| (mark.to_owned(), Json::from(true)));
            let extras: Extras = extras.into_iter().collect();
            let answer = Message::tool(call(*number).id, "done");
            session.append_message_with(answer, &extras).unwrap();
        }
        Step::Compact(entry, summary) => {
            let ids = session.message_ids();
            if !ids.is_empty() {
                let through = entry.get(&ids).clone();
                session
                    .append_compaction(&Compaction::new(summary.as_str(), through))
                    .unwrap();
            }
        }
        Step::Elide(entries, stub) => {
            let ids = session.message_ids();
            if !ids.is_empty() {
                let items = entries
                    .iter()
                    .map(|entry| Elision::new(entry.get(&ids).clone(), stub.as_str()));
                session.append_elision(&items.collect::<Vec<_>>()).unwrap();
            }
        }
        Step::Dispatch(number, round) => {
            let arguments = Arguments::Text(call(*number).arguments);
            let mut dispatch = Dispatch::new(call(*number).id, "shell", arguments);
            dispatch.round = *round;
            session.append_tool_dispatched(&dispatch).unwrap();
        }
        Step::Settle(operation, outcome) => {
            let pending = session.pending_tool_operations();
            if !pending.is_empty() {
                let op_id = operation.get(&pending).op_id.clone();
                session
                    .append_tool_settled(&Settlement::new(op_id, *outcome))
                    .unwrap();
            }
        }
        Step::Resolve(which) => {
            let open = session.open_calls();
            if !open.is_empty() {
                let resolution = Resolution::of(which.get(&open), &Choice::default()).unwrap();
                resolution.apply(&session).unwrap();
            }
        }
        Step::Context(sections) => {
            let sections = sections.iter().map(|number| SectionRecord {
                name: format!("n{number}"),
                digest: format!("d{number}"),
                rendered: format!("body {number}"),
            });
            let record = RunContextRecord {
                run_id: "r".into(),
                digest: "d".into(),
                facts: vec![("k".into(), "v".into())],
                sections: sections.collect(),
            };
            session.append_run_context(&record).unwrap();
        }
        Step::Grant(number) => {
            let grants = (0..*number).map(|number| Json::from(u64::from(number)));
            session.append_grants(&grants.collect::<Vec<_>>()).unwrap();
        }
        Step::Event(name) => {
            let payload = Json::object([(name.as_str(), Json::string(name))]);
            session.append_event(name, &payload).unwrap();
        }
        Step::Reload => {
            session.close();
            session = place.load();
        }
    }
    session
}

fn assert_same(live: &Session, loaded: &Session) {
    assert_eq!(live.conversation(), loaded.conversation());
    assert_eq!(live.meta(), loaded.meta());
    assert_eq!(live.grants(), loaded.grants());
    assert_eq!(
        live.pending_tool_operations(),
        loaded.pending_tool_operations()
    );
    assert_eq!(live.open_calls(), loaded.open_calls());
    assert_eq!(live.run_contexts(), loaded.run_contexts());
    assert_eq!(live.envelope_count(), loaded.envelope_count());
    assert_eq!(live.line_count(), loaded.line_count());
    assert_eq!(live.events().unwrap(), loaded.events().unwrap());
    for number in 0..5 {
        let digest = format!("d{number}");
        assert_eq!(
            live.run_context_section(&digest),
            loaded.run_context_section(&digest)
        );
    }
    assert!(loaded.warnings().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s137_a_live_session_is_what_a_load_of_its_file_is(steps in vec(step(), 1..30)) {
        let (place, mut session) = Place::created();
        for step in &steps {
            session = take(&place, session, step);
            assert_same(&session, &place.load_copy());
        }
        let peek = Session::peek(&place.path);
        assert_eq!(peek.envelopes, session.events().unwrap());
    }

    #[test]
    fn whatever_is_open_can_be_resolved(steps in vec(step(), 1..40)) {
        let (place, mut session) = Place::created();
        for step in &steps {
            session = take(&place, session, step);
        }
        // Where call ids are reused, a message may answer a later call that was settled without one.
        for _ in 0..steps.len() * 4 {
            let Some(open) = session.open_calls().into_iter().next() else {
                break;
            };
            let resolution = Resolution::of(&open, &Choice::default()).unwrap();
            assert_eq!(resolution.settlement.is_some(), open.operation.is_some());
            assert_eq!(resolution.message.is_some(), open.needs_answer());
            let settles_as = resolution.settlement.as_ref().map(|it| it.outcome);
            if open.state == CallState::WasRunning {
                assert_eq!(settles_as, Some(Outcome::OutcomeUnknown));
            }
            resolution.apply(&session).unwrap();
        }
        assert!(session.pending_tool_operations().is_empty());
        assert_eq!(session.open_calls(), []);
        assert_same(&session, &place.load_copy());
    }
}

/// One kind of damage.
#[derive(Clone, Debug)]
enum Harm {
    Flip(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Truncate(Index),
    Swap(Index, Index),
    Repeat(Index),
}

fn harm() -> impl Strategy<Value = Harm> {
    let bytes = prop_oneof![
        vec(any::<u8>(), 1..6),
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\0\0\0\0".to_vec()),
        Just(b"\xef\xbb\xbf".to_vec()),
        Just(b"{}".to_vec()),
        Just(b"\\ud83d".to_vec()),
        Just(b"00".to_vec()),
    ];
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Harm::Flip(at, byte)),
        (any::<Index>(), bytes).prop_map(|(at, bytes)| Harm::Insert(at, bytes)),
        (any::<Index>(), 1..400_usize).prop_map(|(at, count)| Harm::Remove(at, count)),
        any::<Index>().prop_map(Harm::Truncate),
        (any::<Index>(), any::<Index>()).prop_map(|(one, other)| Harm::Swap(one, other)),
        any::<Index>().prop_map(Harm::Repeat),
    ]
}

fn harmed(mut bytes: Vec<u8>, harm: &Harm) -> Vec<u8> {
    if bytes.is_empty() {
        return bytes;
    }
    let mut lines: Vec<Vec<u8>> = bytes
        .split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    match harm {
        Harm::Flip(at, byte) => {
            let at = at.index(bytes.len());
            bytes[at] ^= (*byte).max(1);
        }
        Harm::Insert(at, more) => {
            let at = at.index(bytes.len());
            bytes.splice(at..at, more.iter().copied());
        }
        Harm::Remove(at, count) => {
            let at = at.index(bytes.len());
            let end = bytes.len().min(at + count);
            bytes.drain(at..end);
        }
        Harm::Truncate(at) => bytes.truncate(at.index(bytes.len())),
        Harm::Swap(one, other) => {
            let count = lines.len();
            lines.swap(one.index(count), other.index(count));
            bytes = lines.concat();
        }
        Harm::Repeat(line) => {
            let line = line.index(lines.len());
            lines.insert(line, lines[line].clone());
            bytes = lines.concat();
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s138_random_damage_is_loaded_or_refused_and_never_worse(harms in vec(harm(), 1..4)) {
        let whole = reference::case("types-agent-full").input.clone().unwrap();
        let bytes = harms.iter().fold(whole, harmed);
        let place = Place::with(&bytes);
        let peek = Session::peek(&place.path);
        assert!(place.bytes() == bytes);
        let planned = Session::options().plan_repair(&place.path);
        let session = match Session::load(&place.path) {
            Ok(session) => session,
            Err(error) => {
                assert!(place.bytes() == bytes && place.beside().is_empty(), "{error}");
                assert_eq!(planned.unwrap_err().kind(), error.kind());
                return Ok(());
            }
        };
        let after = place.bytes();
        let cut = session.warnings().iter().any(|it| it.kind == WarningKind::TornTail);
        match cut {
            true => assert!(bytes.starts_with(&after) && after.ends_with(b"\n")),
            false => assert!(after.strip_prefix(&bytes[..]).is_some_and(|more| [&b""[..], b"\n", b"\r\n"].contains(&more))),
        }
        assert_eq!(planned.unwrap().removed_bytes as usize, bytes.len().saturating_sub(after.len()));
        assert_eq!(peek.envelopes.len() as u64, session.envelope_count());
        let once = session.conversation();
        session.close();
        let again = place.load();
        assert_eq!(again.conversation(), once);
        assert!(fs::read(&place.path).unwrap() == after);
        assert!(again.warnings().iter().all(|it| it.kind != WarningKind::TornTail));
    }
}
