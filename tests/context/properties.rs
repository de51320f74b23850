//! What holds for every pass over every conversation. [`check`] compares each pass with its
//! records: replayed, they make the conversation it answers.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use sess::context::*;
use sess::message::Role;
use sess::session::{Compaction, Elision};
use sess::{Json, Message, Session};

use super::kit::*;

/// A stretch of a conversation: a message, or a turn with calls and all of their results.
fn stretch() -> impl Strategy<Value = Vec<Message>> {
    let text = (1usize..400).prop_map(|length| "x".repeat(length));
    let sticky = prop::bool::weighted(0.15);
    let said = (any::<bool>(), text.clone(), sticky).prop_map(|(user, text, sticky)| {
        let message = match user {
            true => Message::user(text),
            false => Message::assistant(text),
        };
        vec![if sticky {
            message.with_sticky()
        } else {
            message
        }]
    });
    let result = (0u8..4, 1usize..900, sticky);
    let group = prop::collection::vec(result, 1..4).prop_map(|results| {
        let mut turn = Message::assistant("calling");
        let mut answers = Vec::new();
        // Ids are numbered anew in each turn.
        for (index, (path, length, sticky)) in results.into_iter().enumerate() {
            let id = format!("call_{index}");
            turn = turn.with_call(call(&id, "read", &format!(r#"{{"path":"{path}"}}"#)));
            let answer = Message::tool(id, "r".repeat(length));
            answers.push(if sticky { answer.with_sticky() } else { answer });
        }
        [vec![turn], answers].concat()
    });
    prop_oneof![said, group]
}

fn conversation() -> impl Strategy<Value = Vec<Arc<Message>>> {
    prop::collection::vec(stretch(), 0..14).prop_map(|stretches| shared(stretches.concat()))
}

/// The calls and results of a conversation, by turn: every call answered once, in its own group.
fn is_paired(messages: &[Arc<Message>]) -> bool {
    let mut open: BTreeSet<String> = BTreeSet::new();
    for message in messages {
        match message.role {
            Role::Tool => {
                if !open.remove(message.tool_call_id.as_deref().unwrap()) {
                    return false;
                }
            }
            _ if !open.is_empty() => return false,
            _ => open = message.calls().map(|call| call.id).collect(),
        }
    }
    open.is_empty()
}

/// A transcript that is told of a pass holds what the pass answers, and so does its reload.
fn check_transcript(given: &[Arc<Message>], pass: &Compacted) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("run.jsonl");
    let session = Session::create(&path, Json::empty_object()).unwrap();
    for message in given {
        session.append_message(Message::clone(message)).unwrap();
    }
    let ids = session.message_ids();
    let items: Vec<Elision> = pass
        .elisions
        .iter()
        .map(|(index, stub)| Elision::new(ids[*index].clone(), stub.as_str()))
        .collect();
    if !items.is_empty() {
        session.append_elision(&items).unwrap();
    }
    if let Some(cut) = pass.cut_index {
        let compaction = Compaction::new(&pass.summary, ids[cut].clone());
        session.append_compaction(&compaction).unwrap();
    }
    assert_eq!(session.messages(), pass.messages);
    drop(session);
    assert_eq!(Session::load(&path).unwrap().messages(), pass.messages);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    // P1 to P6, P8
    #[test]
    fn every_pass_keeps_its_promises(
        given in conversation(),
        keep_recent in 0usize..6,
        budget in 100u64..4_000,
        ages in any::<bool>(),
        target in prop::option::of(50u64..2_000),
        answers in prop::collection::vec(1usize..3_000, 0..3),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let options = CompactorOptions {
            keep_recent,
            age_observations: ages,
            age_min_chars: 100,
            age_reclaim_min: 300,
            ..CompactorOptions::new(budget)
        };
        let script = Script::new(answers.into_iter().map(|length| Ok("s".repeat(length))));
        let pass = runtime.block_on(compact(options, &script, &given, target));
        prop_assert!(is_paired(&given) && is_paired(&pass.messages));
        let kept = given.iter().filter(|message| message.is_sticky());
        let mut left = pass.messages.iter();
        for message in kept {
            prop_assert!(left.any(|other| other == message), "lost or moved: {message:?}");
        }
        let recent = given.len().saturating_sub(keep_recent);
        let tail = &pass.messages[pass.messages.len() - (given.len() - recent)..];
        prop_assert_eq!(tail, &given[recent..]);
        if pass.dropped > 0 && !pass.exhausted {
            prop_assert!(target.is_none_or(|target| pass.tokens_after <= target));
        }
        if !pass.exhausted {
            let bound = target.unwrap_or(budget);
            prop_assert!(pass.tokens_after <= bound || !pass.fallback);
        }
        prop_assert!(script.calls() <= 4);
        // A stub is never replaced again.
        let again = runtime.block_on(compact(options, &Script::new([]), &pass.messages, target));
        for (index, _) in &again.elisions {
            prop_assert!(!pass.messages[*index].content.starts_with(STUB_PREFIX));
        }
        check_transcript(&given, &pass);
    }
}
