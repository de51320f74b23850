//! A transcript in a folder of its own, and lines to put into it.

use std::fs;
use std::path::{Path, PathBuf};

use sess::session::LoadError;
use sess::{Json, Message, Session};

/// The time of every line that is not written by a session.
pub const TS: &str = "2026-01-02T03:04:05.000006Z";

/// A line without its separator. `id` and `type_name` need no escapes.
pub fn line(id: &str, type_name: &str, payload: &str) -> String {
    format!(r#"{{"id":"{id}","payload":{payload},"ts":"{TS}","type":"{type_name}","v":1}}"#)
}

/// The first line of every transcript here.
pub fn meta() -> String {
    line("meta", "session-meta", r#"{"agent":"t"}"#)
}

/// A message line.
pub fn said(id: &str, role: &str, content: &str) -> String {
    let content = Json::string(content);
    line(
        id,
        "message",
        &format!(r#"{{"content":{content},"role":"{role}"}}"#),
    )
}

/// An assistant turn with one call.
pub fn asked(id: &str, call_id: &str) -> String {
    let calls = format!(
        r#"[{{"function":{{"arguments":"{{}}","name":"shell"}},"id":"{call_id}","type":"function"}}]"#
    );
    let payload = format!(r#"{{"content":"","role":"assistant","tool-calls":{calls}}}"#);
    line(id, "message", &payload)
}

/// A tool message; `extras` are further members, such as `,"is-error":true`.
pub fn answered(id: &str, call_id: &str, extras: &str) -> String {
    let payload =
        format!(r#"{{"content":"done","role":"tool","tool-call-id":"{call_id}"{extras}}}"#);
    line(id, "message", &payload)
}

/// A dispatch line; `extras` as for [`answered`].
pub fn dispatched(id: &str, call_id: &str, extras: &str) -> String {
    let payload = format!(r#"{{"arguments":"{{}}","call-id":"{call_id}","tool":"shell"{extras}}}"#);
    line(id, "tool-dispatched", &payload)
}

/// A settle line.
pub fn settled(id: &str, op_id: &str, outcome: &str) -> String {
    let payload = format!(r#"{{"op-id":"{op_id}","outcome":"{outcome}"}}"#);
    line(id, "tool-settled", &payload)
}

/// A compaction line.
pub fn compacted(id: &str, through: &str, summary: &str) -> String {
    let payload =
        format!(r#"{{"fallback":false,"replaces-through-id":"{through}","summary":"{summary}"}}"#);
    line(id, "compaction", &payload)
}

/// An elision line of one item.
pub fn elided(id: &str, entry: &str, stub: &str) -> String {
    line(
        id,
        "elision",
        &format!(r#"{{"items":[{{"id":"{entry}","stub":"{stub}"}}]}}"#),
    )
}

/// The lines of a file, the meta line first, each with a line feed.
pub fn file(lines: &[String]) -> Vec<u8> {
    let mut text = meta() + "\n";
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text.into_bytes()
}

/// A folder with one transcript.
pub struct Place {
    folder: tempfile::TempDir,
    /// The transcript.
    pub path: PathBuf,
}

impl Place {
    /// Nothing stands at the path.
    pub fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        Self { folder, path }
    }

    /// These bytes stand at the path.
    pub fn with(bytes: impl AsRef<[u8]>) -> Self {
        let place = Self::empty();
        fs::write(&place.path, bytes).unwrap();
        place
    }

    /// A session that has been created here, with the meta `{"agent":"t"}`.
    pub fn created() -> (Self, Session) {
        let place = Self::empty();
        let meta = Json::parse(r#"{"agent":"t"}"#).unwrap();
        let session = Session::create(&place.path, meta).unwrap();
        (place, session)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The transcript, loaded.
    pub fn load(&self) -> Session {
        Session::load(&self.path).unwrap()
    }

    /// Why loading is refused, after a check that the file is as it was.
    pub fn refusal(&self) -> LoadError {
        let before = self.bytes();
        let error = Session::load(&self.path).unwrap_err();
        assert!(self.bytes() == before, "{error}");
        error
    }

    /// The bytes of the transcript.
    pub fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).unwrap()
    }

    /// The lines of the transcript.
    pub fn lines(&self) -> Vec<Json> {
        let text = String::from_utf8(self.bytes()).unwrap();
        text.lines()
            .map(|line| Json::parse(line).unwrap())
            .collect()
    }

    /// Names of everything else in the folder.
    pub fn beside(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != "run.jsonl").collect();
        names.sort();
        names
    }

    /// What a second session would hold: a load of a copy, since the file itself is locked.
    pub fn load_copy(&self) -> Session {
        let copy = self.folder().join("copy.jsonl");
        fs::copy(&self.path, &copy).unwrap();
        let session = Session::load(&copy).unwrap();
        fs::remove_file(&copy).unwrap();
        session
    }
}

/// The texts of the live conversation.
pub fn contents(session: &Session) -> Vec<String> {
    let messages = session.messages();
    messages
        .iter()
        .map(|message| message.content.clone())
        .collect()
}

/// The ids of the live conversation.
pub fn ids(session: &Session) -> Vec<String> {
    session
        .message_ids()
        .into_iter()
        .map(String::from)
        .collect()
}

/// The live conversation as values.
pub fn messages(session: &Session) -> Vec<Message> {
    session
        .messages()
        .iter()
        .map(|message| (**message).clone())
        .collect()
}
