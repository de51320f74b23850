//! Foreign code that panics: it is told, and ends a run in words at most.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sess::Json;
use sess::agent::{AgentHooks, SteerSource};
use sess::backend::{Backend, BackendError, Request, Response, ResponseStream, Step};
use sess::context::{Artifact, ArtifactStore};
use sess::tool::{ToolAnswer, ToolError, ToolProvider};

use super::cancel::check_resumable;
use super::hostile::Bus;
use super::kit::*;

#[tokio::test(start_paused = true)]
async fn a_source_that_panics_while_it_is_waited_for_is_told() {
    struct Mute;
    impl SteerSource for Mute {
        fn pull(&self) -> Result<Vec<String>, Box<dyn Error + Send + Sync>> {
            Ok(Vec::new())
        }
        fn ready(&self) -> BoxFuture<'_, ()> {
            async { panic!("no voice") }.boxed()
        }
    }
    let bus = Bus {
        panics: true,
        ..Bus::default()
    };
    let agent = agent_on([&backend([Step::text("Waiting.")])])
        .completion_bus(Arc::new(bus))
        .steer_source(Mute)
        .park_idle_timeout(Duration::from_secs(60))
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.reason(), Some("park-idle"));
    let mut told = played.field("log", "data");
    told.sort();
    assert_eq!(
        told,
        [
            "completion bus threw: no waiting room",
            "steer source threw: no voice"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_store_that_panics_is_told_and_the_excerpt_serves() {
    struct Full;
    impl ArtifactStore for Full {
        fn store(&self, _: &str, _: &str) -> io::Result<Artifact> {
            panic!("no shelf")
        }
    }
    let backend = backend([calls("c1", "read"), Step::text("Done.")]);
    let agent = agent_on([&backend])
        .provider(provider(&["read"]).with_result("read", "x".repeat(20_000)))
        .artifact_store(Full)
        .context_budget(100_000)
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.result.text(), "Done.");
    assert!(played.field("tool-result", "content")[0].contains("could not be stored"));
    let told = played.of("log")[0].get("data").unwrap();
    assert_eq!(text_of(&told, "error"), "no shelf");
}

/// A provider that panics wherever it is asked for something it has not promised.
struct Panics {
    declares: bool,
}

impl ToolProvider for Panics {
    fn declarations(&self) -> Result<Vec<Json>, ToolError> {
        assert!(self.declares, "no catalogue");
        provider(&["read"]).declarations()
    }
    fn execute(
        &self,
        _: Vec<Json>,
    ) -> BoxFuture<'static, Result<Vec<Option<ToolAnswer>>, ToolError>> {
        async { panic!("no tool") }.boxed()
    }
    fn grants(&self) -> Option<Result<Vec<Json>, ToolError>> {
        panic!("no grants")
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_panics_in_every_place_ends_a_run_in_words_at_most() {
    let script = || backend([calls("c1", "read"), Step::text("Done.")]);
    let transcript = Transcript::new();
    let agent = agent_on([&script()])
        .provider(Panics { declares: true })
        .session(transcript.session.clone())
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.result.text(), "Done.");
    assert!(played.field("tool-result", "content")[0].contains("no tool"));
    check_resumable(&transcript, &played);

    let agent = agent_on([&script()])
        .provider(Panics { declares: false })
        .build()
        .unwrap();
    assert_eq!(ask(&agent).await.error(), "the run died: no catalogue");
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_panics_ends_the_run_in_its_words() {
    struct Explodes;
    impl Backend for Explodes {
        fn model(&self) -> Option<String> {
            None
        }
        fn max_tokens(&self) -> Option<u64> {
            None
        }
        fn stream(&self, _: Request) -> BoxFuture<'_, Result<ResponseStream, BackendError>> {
            panic!("no fuse\nat all")
        }
        fn complete(&self, _: Request) -> BoxFuture<'_, Response> {
            panic!("no fuse")
        }
    }
    let agent = sess::agent::Agent::builder()
        .backend(Explodes)
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.error(), "the run died: no fuse");
    check_contract(&played.events);
}

// The clock of the calls goes on, and the question is closed.
#[tokio::test(start_paused = true)]
async fn a_question_whose_asker_panics_is_closed_without_an_answer() {
    struct Asks(AgentHooks);
    impl ToolProvider for Asks {
        fn declarations(&self) -> Result<Vec<Json>, ToolError> {
            provider(&["read"]).declarations()
        }
        fn execute(
            &self,
            _: Vec<Json>,
        ) -> BoxFuture<'static, Result<Vec<Option<ToolAnswer>>, ToolError>> {
            let hooks = self.0.clone();
            async move {
                let asker = async { panic!("no human") };
                let _: Result<Json, ()> = hooks.ask(Json::empty_object(), None, asker).await;
                Ok(Vec::new())
            }
            .boxed()
        }
    }
    let hooks = AgentHooks::default();
    let agent = agent_on([&backend([calls("c1", "read"), Step::text("Done.")])])
        .provider(Asks(hooks.clone()))
        .hooks(hooks)
        .tool_deadline(Duration::from_secs(5))
        .build()
        .unwrap();
    let played = ask(&agent).await;
    assert_eq!(played.field("ask-answered", "answer"), ["-"]);
    assert!(played.field("tool-result", "content")[0].contains("no human"));
    assert_eq!(played.result.text(), "Done.");
}
