//! 12.14: results too long for the model.

use std::sync::Arc;

use sess::backend::{ScriptedBackend, Step};
use sess::context::{FolderStore, RequestBudget};
use sess::tool::ToolAnswer;
use sess::{Message, Session};

use super::kit::*;

// 167, 169, 170, 172
#[tokio::test(start_paused = true)]
async fn a_long_result_is_excerpted_once_and_kept_in_full() {
    let transcript = Transcript::new();
    let full = "y".repeat(17_000);
    let backend = backend([
        calls("c1", "read"),
        Step::text("Done."),
        Step::text("Again."),
    ]);
    let agent = agent_on([&backend])
        .context_budget(100_000)
        .provider(provider(&["read"]).with_result("read", ToolAnswer::new(full.clone())))
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert!(played.result.spent.is_some());
    let seen = played.messages()[2].1.to_owned();
    assert_eq!(
        seen.chars().filter(|character| *character == 'y').count(),
        16_385,
        "16,384 and the y of bytes"
    );
    assert_eq!(played.field("tool-result", "content"), [seen.as_str()]);
    assert_eq!(text_of(&transcript.of("message")[2], "content"), seen);
    let artifact = played.of("tool-result")[0].get("artifact").unwrap();
    let numbers = ["bytes", "chars", "elided-chars"].map(|key| text_of(&artifact, key));
    assert_eq!(numbers, ["17000", "17000", "616"]);
    assert_eq!(
        transcript.of("tool-settled")[0].get("artifact"),
        Some(artifact.clone())
    );
    let folder = transcript.folder.path().join("run.artifacts");
    let kept = std::fs::read_to_string(folder.join(text_of(&artifact, "file"))).unwrap();
    assert_eq!(kept, full);
    let digest = text_of(&artifact, "digest");
    assert!(seen.contains(&format!(
        "elided 616 chars (17,000 bytes total); full result: {} sha256 {digest}",
        text_of(&artifact, "file")
    )));

    // 170: the folder may vanish.
    std::fs::remove_dir_all(folder).unwrap();
    let mut messages = transcript.session.messages();
    messages.push(Arc::new(Message::user("Again.")));
    let again = finish(agent.run(messages).unwrap(), Vec::new()).await;
    assert_eq!(again.result.text(), "Again.");
    assert_eq!(transcript.reload().messages(), again.result.messages);
}

// 174
#[tokio::test(start_paused = true)]
async fn strangers_and_gaps_in_the_folder_of_artifacts_do_no_harm() {
    let transcript = Transcript::new();
    let backend = backend([
        calls("c1", "read"),
        calls("c2", "read"),
        Step::text("Done."),
        Step::text("Again."),
    ]);
    let agent = excerpting(&backend, 101)
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let first = ask(&agent).await;
    let files: Vec<String> = first
        .of("tool-result")
        .iter()
        .map(|result| text_of(&result.get("artifact").unwrap(), "file"))
        .collect();
    let folder = transcript.folder.path().join("run.artifacts");
    std::fs::remove_file(folder.join(&files[0])).unwrap();
    std::fs::write(folder.join("stranger.txt"), "not ours").unwrap();

    let mut messages = transcript.session.messages();
    messages.push(Arc::new(Message::user("Again.")));
    let again = finish(agent.run(messages).unwrap(), Vec::new()).await;
    assert_eq!(again.result.text(), "Again.");
    let reloaded = transcript.reload();
    assert_eq!(reloaded.messages(), again.result.messages);
    assert!(reloaded.warnings().is_empty());
    let kept = ["stranger.txt", &files[1]].map(|name| folder.join(name));
    let kept = kept.map(|path| std::fs::read_to_string(path).unwrap());
    assert_eq!(kept, ["not ours".to_owned(), "z".repeat(101)]);
}

fn excerpting(backend: &Arc<ScriptedBackend>, length: usize) -> sess::agent::AgentBuilder {
    agent_on([backend])
        .request_budget(RequestBudget::default().with_max_observation_size(100))
        .provider(provider(&["read"]).with_result("read", ToolAnswer::new("z".repeat(length))))
}

// 171, 172, 173
#[tokio::test(start_paused = true)]
async fn a_result_that_cannot_be_kept_is_excerpted_all_the_same() {
    let script = || backend([calls("c1", "read"), Step::text("Done.")]);
    // 171
    let played = ask(&excerpting(&script(), 101).build().unwrap()).await;
    assert!(played.messages()[2].1.contains("was not stored"));
    assert_eq!(played.field("tool-result", "artifact"), ["-"]);
    // 172
    let transcript = Transcript::new();
    let played = ask(&excerpting(&script(), 100)
        .session(transcript.session.clone())
        .build()
        .unwrap())
    .await;
    assert_eq!(played.messages()[2].1, "z".repeat(100));
    assert!(!transcript.folder.path().join("run.artifacts").exists());
    // 173: a file stands where the folder should be.
    let transcript = Transcript::new();
    std::fs::write(transcript.folder.path().join("blocked"), "").unwrap();
    let store = FolderStore::new(transcript.folder.path().join("blocked"));
    let agent = excerpting(&script(), 101)
        .session(transcript.session.clone())
        .artifact_store(store)
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert!(played.messages()[2].1.contains("could not be stored"));
    let warnings = played.of("log");
    assert_eq!(
        (warnings.len(), text_of(&warnings[0], "level")),
        (1, "warning".to_owned())
    );
    assert_eq!(
        text_of(&transcript.of("tool-settled")[0], "outcome"),
        "completed"
    );
    assert!(played.result.is_completed());
    assert!(
        Session::load(transcript.session.path()).is_err(),
        "still open"
    );
}
