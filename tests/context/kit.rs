//! What these tests share.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value;
use sess::context::{
    Compacted, CompactionRequest, Compactor, CompactorOptions, HeuristicCounter, Spent, Summariser,
    SummarisingCompactor, Summary, SummaryFailure, SummaryRequest, Target, TokenCounter,
};
use sess::message::ToolCall;
use sess::session::survivors::survivors;
use sess::{Json, Message};
use tokio_util::sync::CancellationToken;

use crate::support::reference::{self, Vector};

/// The reference's answers of one kind.
pub fn vectors(kind: &str) -> Vec<Vector> {
    let vectors: Vec<_> = reference::canonical()
        .into_iter()
        .filter(|vector| vector.kind == kind)
        .collect();
    assert!(!vectors.is_empty());
    vectors
}

/// A token a character, and nothing for a message.
pub fn by_character() -> Arc<dyn TokenCounter> {
    Arc::new(HeuristicCounter::new(1, 0).unwrap())
}

/// Messages as a conversation holds them.
pub fn shared(messages: impl IntoIterator<Item = Message>) -> Vec<Arc<Message>> {
    messages.into_iter().map(Arc::new).collect()
}

/// A message of a vector.
pub fn message(fields: &Value) -> Message {
    let text = |key: &str| fields[key].as_str().map(str::to_owned);
    let calls = fields["tool-calls"].as_array().cloned().unwrap_or_default();
    Message {
        role: text("role").unwrap().parse().unwrap(),
        content: text("content").unwrap_or_default(),
        tool_calls: calls.into_iter().map(Json::from).collect(),
        tool_call_id: text("tool-call-id"),
        sticky: fields["sticky"] == true,
        sysprompt: fields["sysprompt"] == true,
        depth: fields["depth"].as_i64(),
    }
}

/// The conversation of a vector.
pub fn messages(list: &Value) -> Vec<Arc<Message>> {
    shared(list.as_array().unwrap().iter().map(message))
}

/// A call as the model makes it.
pub fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    }
}

/// A summariser with prepared answers; without one left, it fails for good.
#[derive(Default)]
pub struct Script {
    answers: Mutex<VecDeque<Result<String, SummaryFailure>>>,
    pub asked: Mutex<Vec<SummaryRequest>>,
}

impl Script {
    pub fn new(answers: impl IntoIterator<Item = Result<String, SummaryFailure>>) -> Arc<Self> {
        Arc::new(Self {
            answers: Mutex::new(answers.into_iter().collect()),
            asked: Mutex::default(),
        })
    }

    pub fn calls(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// The transcript of each call.
    pub fn transcripts(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let text = |request: &SummaryRequest| request.messages[1].content.clone();
        asked.iter().map(text).collect()
    }
}

impl Summariser for Script {
    fn summarise(&self, request: SummaryRequest) -> BoxFuture<'_, Summary> {
        self.asked.lock().unwrap().push(request);
        let answer = self.answers.lock().unwrap().pop_front();
        let answer = answer.unwrap_or_else(|| Err(failure(None)));
        let spent = Spent {
            total_tokens: 10,
            ..Spent::default()
        };
        async move { Summary { answer, spent } }.boxed()
    }
}

/// A failure after which it makes sense to ask again after so many seconds, or not at all.
pub fn failure(again_after: Option<u64>) -> SummaryFailure {
    SummaryFailure {
        message: "no".into(),
        again_after: again_after.map(Duration::from_secs),
    }
}

/// One pass, measured by characters.
pub async fn compact(
    options: CompactorOptions,
    script: &Arc<Script>,
    messages: &[Arc<Message>],
    target: Option<u64>,
) -> Compacted {
    compact_by(by_character(), options, script, messages, target).await
}

/// One pass.
pub async fn compact_by(
    counter: Arc<dyn TokenCounter>,
    options: CompactorOptions,
    script: &Arc<Script>,
    messages: &[Arc<Message>],
    target: Option<u64>,
) -> Compacted {
    let compactor = SummarisingCompactor::new(script.clone(), counter.clone(), options).unwrap();
    let request = CompactionRequest {
        messages,
        cancelled: CancellationToken::new(),
        target: target.map(|tokens| Target {
            tokens,
            counter: counter.clone(),
        }),
    };
    let pass = compactor.compact(request).await;
    check(counter.as_ref(), messages, &pass);
    pass
}

/// What holds for every pass: the records of it, applied to the conversation it was given, make
/// the conversation it answers; sizes and counts are true; it shrank or changed nothing.
pub fn check(counter: &dyn TokenCounter, given: &[Arc<Message>], pass: &Compacted) {
    let mut replayed: Vec<Arc<Message>> = given.to_vec();
    for (index, stub) in &pass.elisions {
        Arc::make_mut(&mut replayed[*index])
            .content
            .clone_from(stub);
    }
    if let Some(cut) = pass.cut_index {
        let kept = survivors(given.iter().map(Arc::as_ref));
        let rest = replayed.split_off(cut + 1);
        let mut kept = kept.iter();
        let before = replayed.len();
        replayed.retain(|_| *kept.next().unwrap());
        assert_eq!(pass.dropped, before - replayed.len());
        replayed.push(Arc::new(Message::user(&pass.summary)));
        replayed.extend(rest);
    }
    assert_eq!(pass.messages, replayed);
    assert_eq!(pass.cut_index.is_some(), pass.dropped > 0);
    assert_eq!(pass.tokens_after, counter.count_messages(&pass.messages));
    assert_eq!(pass.tokens_before, counter.count_messages(given));
    match pass.messages == given {
        true => assert_eq!((pass.dropped, pass.elisions.len()), (0, 0)),
        false => assert!(pass.tokens_after < pass.tokens_before),
    }
}

/// The system prompt `SY` and so many turns of as many characters, beginning `m1`, `m2`, …
pub fn turns(count: usize, length: usize) -> Vec<Arc<Message>> {
    let turn = |index: usize| {
        let content = format!("{:.<length$}", format!("m{index}"));
        match index % 2 {
            1 => Message::user(content),
            _ => Message::assistant(content),
        }
    };
    let prompt = Message::system("SY").with_sysprompt().with_sticky();
    shared([prompt].into_iter().chain((1..=count).map(turn)))
}

/// A turn that reads a file: 99 characters with its call.
pub fn reads(id: &str, path: &str) -> Message {
    let arguments = format!(r#"{{"path":"{path}"}}"#);
    Message::assistant("calling").with_call(call(id, "fs_read", &arguments))
}
