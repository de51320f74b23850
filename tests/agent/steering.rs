//! 12.11: words of the user while a run goes on.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sess::agent::wording::LIMIT_NOTICE;
use sess::agent::{SteerQueue, SteerSource};
use sess::backend::Step;
use sess::{Message, Role};

use super::kit::*;

/// Says what it says on the pull with this number, from 1.
#[derive(Clone)]
struct OnPull {
    pull: usize,
    says: Result<Vec<String>, String>,
    pulls: Arc<AtomicUsize>,
}

impl OnPull {
    fn new(pull: usize, says: &[&str]) -> Self {
        Self {
            pull,
            says: Ok(says.iter().map(|text| (*text).to_owned()).collect()),
            pulls: Arc::default(),
        }
    }
}

impl SteerSource for OnPull {
    fn pull(&self) -> Result<Vec<String>, Box<dyn Error + Send + Sync>> {
        let number = self.pulls.fetch_add(1, Ordering::SeqCst) + 1;
        match &self.says {
            Ok(says) if number == self.pull => Ok(says.clone()),
            Ok(_) => Ok(Vec::new()),
            Err(error) => Err(error.clone().into()),
        }
    }

    fn ready(&self) -> BoxFuture<'_, ()> {
        std::future::pending().boxed()
    }
}

// 118, 119, 122, 123
#[tokio::test(start_paused = true)]
async fn what_the_user_says_stands_in_the_next_request() {
    let transcript = Transcript::new();
    let backend = backend([
        calls("c1", "read"),
        Step::text("Done."),
        Step::text("Again."),
    ]);
    let agent = agent_on([&backend])
        .provider(provider(&["read"]))
        .session(transcript.session.clone())
        .steer_source(OnPull::new(2, &["One.", "Two.", "Three."]))
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(sent(&backend, 0).len(), 1);
    let tail: Vec<(Role, String)> = sent(&backend, 1).split_off(3);
    let expected = ["One.", "Two.", "Three."].map(|text| (Role::User, text.to_owned()));
    assert_eq!(tail, expected);
    assert_eq!(
        transcript.of("message")[3].text(),
        r#"{"content":"One.","role":"user"}"#
    );
    assert!(played.kinds().iter().all(|kind| !kind.contains("steer")));
    let mut messages = transcript.session.messages();
    assert_eq!(messages, played.result.messages);
    messages.push(Arc::new(Message::user("More.")));
    let next = finish(agent.run(messages).unwrap(), Vec::new()).await;
    assert_eq!(next.result.text(), "Again.");
}

// 120, with decision 13: asked once a round, and once more at the end.
#[tokio::test(start_paused = true)]
async fn a_source_with_nothing_to_say_changes_nothing() {
    let silent = OnPull::new(0, &[]);
    let play_with = |source: Option<OnPull>| async move {
        let transcript = Transcript::new();
        let backend = backend([calls("c1", "read"), Step::text("Done.")]);
        let mut builder = agent_on([&backend])
            .provider(provider(&["read"]))
            .session(transcript.session.clone());
        if let Some(source) = source {
            builder = builder.steer_source(source);
        }
        let played = ask(&builder.build().unwrap()).await;
        let kinds: Vec<String> = played
            .kinds()
            .iter()
            .map(|kind| (*kind).to_owned())
            .collect();
        (kinds, transcript.types(), played.result.messages)
    };
    assert_eq!(play_with(Some(silent.clone())).await, play_with(None).await);
    assert_eq!(silent.pulls.load(Ordering::SeqCst), 3);
}

// 121, 126; 125 and 127 cannot be written: a source gives texts, and takes nothing.
#[tokio::test(start_paused = true)]
async fn a_source_that_fails_is_told_and_asked_again() {
    let failing = OnPull {
        says: Err("no keyboard\nat all".into()),
        ..OnPull::new(0, &[])
    };
    let backend = backend([calls("c1", "read"), Step::text("Done.")]);
    let agent = agent_on([&backend])
        .provider(provider(&["read"]))
        .steer_source(failing.clone())
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.result.text(), "Done.");
    assert_eq!(
        played.field("log", "data"),
        ["steer source threw: no keyboard"; 3]
    );
    assert_eq!(played.field("log", "level"), ["error"; 3]);
    assert_eq!(
        played.roles(),
        [Role::User, Role::Assistant, Role::Tool, Role::Assistant]
    );
}

// 124
#[tokio::test(start_paused = true)]
async fn a_word_after_a_limit_follows_the_notice() {
    let backend = backend([calls("c1", "read"), Step::text("Done.")]);
    let agent = agent_on([&backend])
        .provider(provider(&["read"]))
        .max_tool_rounds(0)
        .steer_source(OnPull::new(2, &["Hurry."]))
        .build()
        .unwrap();
    let played = ask(&agent).await;
    let expected = [
        (Role::User, "Go."),
        (Role::System, LIMIT_NOTICE),
        (Role::User, "Hurry."),
        (Role::Assistant, "Done."),
    ];
    assert_eq!(played.messages(), expected);
    assert_eq!(
        sent(&backend, 1).pop(),
        Some((Role::User, "Hurry.".to_owned()))
    );
}

// 128, decided otherwise (decision 13): what is said during the last round starts another.
#[tokio::test(start_paused = true)]
async fn what_is_said_in_the_last_round_starts_another() {
    let queue = SteerQueue::default();
    let backend = backend([
        Step::text("Done.").slow(std::time::Duration::from_secs(1), Default::default()),
        Step::text("Really done."),
    ]);
    let agent = agent_on([&backend])
        .steer_source(queue.clone())
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "attempt-started").await;
    queue.push("One more thing.");
    let played = finish(run, events).await;
    assert_eq!(played.result.text(), "Really done.");
    let expected = [
        (Role::User, "Go."),
        (Role::Assistant, "Done."),
        (Role::User, "One more thing."),
        (Role::Assistant, "Really done."),
    ];
    assert_eq!(played.messages(), expected);
    check_contract(&played.events);
}

// A cancelled run takes nothing more from the user.
#[tokio::test(start_paused = true)]
async fn a_cancelled_run_leaves_what_was_said_in_the_queue() {
    let queue = SteerQueue::default();
    let backend = backend([Step::stall(["x"])]);
    let agent = agent_on([&backend])
        .steer_source(queue.clone())
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "token").await;
    queue.push("Never mind.");
    run.cancel();
    finish(run, events).await;
    assert!(!queue.is_empty());
}
