//! 12.15: runs that go on from a transcript, and compactions in the middle of one.

use std::sync::Arc;

use sess::backend::Step;
use sess::session::{Choice, Resolution};
use sess::tool::ToolAnswer;
use sess::{Message, Role, Session};

use super::cancel::check_resumable;
use super::kit::*;

// 178, 179
#[tokio::test(start_paused = true)]
async fn a_run_extends_its_transcript_and_never_contradicts_it() {
    let transcript = Transcript::new();
    let backend = backend([Step::text("Hi"), Step::text("Again")]);
    let agent = agent_on([&backend])
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let start = || {
        vec![
            Message::system("Be brief.").with_sysprompt(),
            Message::user("Go."),
        ]
    };
    play(&agent, start()).await;

    // 179: the same text without its flag is another message.
    let plain = vec![
        Message::system("Be brief."),
        Message::user("Go."),
        Message::assistant("Hi"),
    ];
    let refused = play(&agent, plain).await;
    assert!(refused.error().contains("message 0 (system)") && refused.error().contains("extends"));
    assert_eq!(refused.kinds(), ["run-started", "run-failed"]);
    let refused = play(&agent, start()).await;
    assert!(refused.error().contains("extend") && refused.error().starts_with("the run died"));
    assert_eq!(
        transcript.of("message").len(),
        3,
        "a refused run writes nothing"
    );

    let reloaded = Arc::new(transcript.reload());
    let mut messages = reloaded.messages();
    messages.push(Arc::new(Message::user("Once more.")));
    let agent = agent_on([&backend])
        .session(reloaded.clone())
        .build()
        .unwrap();
    let played = finish(agent.run(messages).unwrap(), Vec::new()).await;
    assert_eq!(played.result.text(), "Again");
    assert_eq!(reloaded.messages(), played.result.messages);
    assert_eq!(reloaded.messages().len(), 5, "nothing twice");
}

// 183, 35
#[tokio::test(start_paused = true)]
async fn a_compaction_between_rounds_replays_to_the_same_conversation() {
    let transcript = Transcript::new();
    let backend = backend([calls("c1", "read"), Step::text("Done.")]);
    let agent = agent_on([&backend])
        .counter(by_character())
        .compactor(Shrinker::new(10_000, 1_000))
        .provider(provider(&["read"]).with_result("read", ToolAnswer::new("r".repeat(2_000))))
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let messages = vec![Message::system("SY").with_sticky(), Message::user("Go.")];
    let played = play(&agent, messages).await;
    assert_eq!(played.result.text(), "Done.");
    assert_eq!(played.field("compaction-done", "round"), ["2"]);
    assert_eq!(transcript.of("compaction").len(), 1);
    let types = transcript.types();
    assert_eq!(
        types[types.len() - 2..],
        ["compaction", "message(assistant)"]
    );
    assert_eq!(
        played.messages()[..2],
        [(Role::System, "SY"), (Role::User, "Summary.")]
    );
    assert_eq!(transcript.reload().messages(), played.result.messages);
}

// 185
#[tokio::test(start_paused = true)]
async fn an_elision_keeps_the_line_and_replays_to_the_stub() {
    let transcript = Transcript::new();
    let backend = backend([calls("c1", "read"), Step::text("Done.")]);
    let shrinker = Shrinker {
        stubs: true,
        ..Shrinker::new(10_000, 1_000)
    };
    let agent = agent_on([&backend])
        .counter(by_character())
        .compactor(shrinker)
        .provider(provider(&["read"]).with_result("read", ToolAnswer::new("r".repeat(2_000))))
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(sent(&backend, 1)[2], (Role::Tool, "stub".to_owned()));
    let done = &played.of("compaction-done")[0];
    assert_eq!(
        ["dropped", "summary", "fallback"].map(|key| text_of(done, key)),
        ["0", "-", "false"]
    );
    assert_eq!(
        (
            transcript.of("elision").len(),
            transcript.of("compaction").len()
        ),
        (1, 0)
    );
    assert_eq!(
        text_of(&transcript.of("message")[2], "content").len(),
        2_000
    );
    check_resumable(&transcript, &played);
}

// 3.8 step 3: stubs are recorded ahead of the summary that folds them away.
#[tokio::test(start_paused = true)]
async fn stubs_are_recorded_before_a_summary() {
    let transcript = Transcript::new();
    let backend = backend([
        calls("c1", "read"),
        calls("c2", "read"),
        Step::text("Done."),
    ]);
    let shrinker = Shrinker {
        stubs: true,
        ..Shrinker::new(10_000, 10)
    };
    let agent = agent_on([&backend])
        .counter(by_character())
        .compactor(shrinker)
        .provider(provider(&["read"]))
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let played = play(&agent, vec![Message::user("Go, and read all of it.")]).await;
    assert!(played.result.is_completed(), "{:?}", played.result.outcome);
    let types = transcript.types();
    let place = |name: &str| types.iter().position(|found| found == name).unwrap();
    assert!(types[place("elision") + 1] == "compaction", "{types:?}");
    assert_eq!(transcript.reload().messages(), played.result.messages);
}

// A compactor that does not do what it says is found out before the run goes on.
#[tokio::test(start_paused = true)]
async fn a_transcript_out_of_step_with_the_run_ends_it() {
    let transcript = Transcript::new();
    let gate = sess::tool::Gate::new();
    let backend = backend([calls("c1", "read"), Step::text("never")]);
    let agent = agent_on([&backend])
        .counter(by_character())
        .compactor(Shrinker::new(10_000, 1_000))
        .provider(
            provider(&["read"])
                .with_result("read", ToolAnswer::new("r".repeat(2_000)))
                .block_on(&gate),
        )
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let mut run = agent.run(question()).unwrap();
    let events = read_until(&mut run, "tool-started").await;
    transcript
        .session
        .append_message(Message::user("from elsewhere"))
        .unwrap();
    gate.open();
    let played = finish(run, events).await;
    assert!(played.error().starts_with("the run died") && played.error().contains("somebody else"));
}

// What a crash left open is settled, and the run goes on from there.
#[tokio::test(start_paused = true)]
async fn a_crashed_run_is_settled_and_gone_on_from() {
    let transcript = Transcript::new();
    let gate = sess::tool::Gate::new();
    let agent = agent_on([&backend([Step::calls([
        call("c1", "read"),
        call("c2", "read"),
    ])])])
    .provider(provider(&["read"]).block_on(&gate))
    .session(transcript.session.clone())
    .build()
    .unwrap();
    let mut run = agent.run(question()).unwrap();
    read_until(&mut run, "tool-started").await;
    let copy = transcript.folder.path().join("crashed.jsonl");
    std::fs::copy(transcript.session.path(), &copy).unwrap();
    gate.open();

    let session = Arc::new(Session::load(&copy).unwrap());
    let mut calls = session.open_calls();
    calls.sort_by_key(|call| call.asked);
    for open in calls {
        Resolution::of(&open, &Choice::default())
            .unwrap()
            .apply(&session)
            .unwrap();
    }
    let backend = backend([Step::text("Picked up.")]);
    let agent = agent_on([&backend])
        .session(session.clone())
        .build()
        .unwrap();
    let mut messages = session.messages();
    messages.push(Arc::new(Message::user("Go on.")));
    let played = finish(agent.run(messages).unwrap(), Vec::new()).await;
    assert_eq!(played.result.text(), "Picked up.");
    let roles: Vec<Role> = sent(&backend, 0)
        .into_iter()
        .map(|(role, _)| role)
        .collect();
    assert_eq!(
        roles,
        [
            Role::User,
            Role::Assistant,
            Role::Tool,
            Role::Tool,
            Role::User
        ]
    );
}
