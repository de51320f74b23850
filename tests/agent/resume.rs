//! 12.15: runs that go on from a transcript, and compactions in the middle of one.

use std::sync::Arc;

use sess::backend::Step;
use sess::message::ToolCall;
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

#[tokio::test(start_paused = true)]
async fn a_run_does_not_go_past_a_call_that_is_left_open() {
    let transcript = Transcript::new();
    let turn = Message::assistant("").with_call(ToolCall::from_json(&call("c1", "read")));
    for message in [Message::user("Go."), turn] {
        transcript.session.append_message(message).unwrap();
    }
    let recorded = transcript.lines();
    let agent = agent_on([&backend([Step::text("Done.")])])
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let run_with = async |more: Vec<Message>| {
        let recorded = transcript.session.messages();
        let recorded = recorded.iter().map(|message| Message::clone(message));
        play(&agent, recorded.chain(more).collect()).await
    };
    let question = || Message::user("And now?");
    let stranger = || Message::tool("c2", "Not this one.");
    for more in [vec![], vec![question()], vec![stranger(), question()]] {
        let refused = run_with(more).await;
        assert!(refused.error().contains("without an answer (read, \"c1\")"));
        assert_eq!(refused.kinds(), ["run-started", "run-failed"]);
    }
    assert_eq!(transcript.lines(), recorded, "nothing is written");

    let answered = run_with(vec![Message::tool("c1", "The text."), question()]).await;
    assert_eq!(answered.result.text(), "Done.");
}

#[tokio::test(start_paused = true)]
async fn a_transcript_takes_one_run_at_a_time() {
    let transcript = Transcript::new();
    let agent = |steps: Vec<Step>| {
        let builder = agent_on([&backend(steps)]).session(transcript.session.clone());
        builder.build().unwrap()
    };
    let first = agent(vec![Step::stall(["Let me "])]);
    let second = agent(vec![Step::text("Hi.")]);
    let mut run = first.run(question()).unwrap();
    let events = read_until(&mut run, "token").await;
    let mut messages = question();
    messages.push(Message::user("You too."));
    let refused = play(&second, messages.clone()).await;
    assert!(refused.error().contains("another run"));
    assert_eq!(transcript.of("message").len(), 1);

    run.cancel();
    let cancelled = finish(run, events).await;
    assert_eq!(cancelled.roles(), [Role::User]);
    let played = play(&second, messages).await;
    assert_eq!(played.result.text(), "Hi.");
}
