//! Our answers to one case as fields: peek, load, and a load that appends a probe.

use std::fs;
use std::path::{Path, PathBuf};

use sess::session::Session;
use sess::session::{
    LoadError, PendingOperation, RecordedContext, RecordedSection, Warning, WarningKind,
};
use sess::{Json, Message};

use super::fields::{Fields, Text, base64, encoded, hex_sha256, shown};
use crate::support::form::is_like;
use crate::support::reference::Setup;

/// What one run of a case showed.
pub struct Run {
    file_unchanged_by_peek: bool,
    peek: sess::session::Peek,
    load: Result<Loaded, LoadError>,
    after: Option<Vec<u8>>,
    repair_left_over: bool,
    append: Option<Appended>,
    sections: Vec<(String, Option<String>)>,
}

struct Loaded {
    conversation: Vec<(String, Message)>,
    meta: Json,
    grants: Vec<Json>,
    pending: Vec<PendingOperation>,
    contexts: Vec<RecordedContext>,
    count: u64,
    events: Vec<Json>,
    warnings: Vec<Warning>,
}

struct Appended {
    before: Vec<u8>,
    after: Vec<u8>,
    second_load_warnings: usize,
    count: u64,
}

impl Run {
    /// Puts the file where the case says, looks, loads, appends. `digests` are the section digests
    /// to ask for.
    pub fn of(setup: &Setup, input: Option<&[u8]>, digests: &[String]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        set_up(&path, setup, input);
        let peek = Session::peek(&path);
        let after_peek = fs::read(&path).ok();
        let mut run = Self {
            file_unchanged_by_peek: after_peek.as_deref() == input,
            peek,
            load: Session::load(&path).map(|session| {
                let loaded = Loaded::of(&session);
                session.close();
                loaded
            }),
            after: None,
            repair_left_over: false,
            append: None,
            sections: Vec::new(),
        };
        run.after = fs::read(&path).ok();
        run.repair_left_over = stage_of(&path).symlink_metadata().is_ok();
        run.check_cut_bytes(folder.path(), input);
        if run.load.is_ok() {
            run.append_probe(&path, digests);
        }
        run
    }

    /// What a repair removes stands in a file of its own, and nothing else is left behind.
    fn check_cut_bytes(&self, folder: &Path, input: Option<&[u8]>) {
        let (Some(input), Some(after)) = (input, self.after.as_deref()) else {
            return;
        };
        let kept: Vec<PathBuf> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.to_string_lossy().contains(".cut-"))
            .collect();
        match kept.as_slice() {
            [] => assert!(after.starts_with(input), "bytes are gone without a copy"),
            [kept] => assert!([after, &fs::read(kept).unwrap()].concat() == input),
            more => panic!("{more:?}"),
        }
    }

    fn append_probe(&mut self, path: &Path, digests: &[String]) {
        let before = fs::read(path).unwrap();
        let session = Session::load(path).unwrap();
        for digest in digests {
            let body = session.run_context_section(digest);
            self.sections.push((digest.clone(), body));
        }
        session.append_message(Message::user("probe")).unwrap();
        session.close();
        let after = fs::read(path).unwrap();
        let again = Session::load(path).unwrap();
        self.append = Some(Appended {
            before,
            after,
            second_load_warnings: torn_tails(again.warnings()).count(),
            count: again.envelope_count(),
        });
    }

    /// The stored lines come back byte for byte.
    pub fn check_events(&self, input: Option<&[u8]>) {
        let (Some(input), Ok(loaded)) = (input, &self.load) else {
            return;
        };
        let input = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input);
        let lines = input.split(|byte| *byte == b'\n');
        let mut lines = lines.map(String::from_utf8_lossy);
        for event in &loaded.events {
            let stored = lines.find(|line| !line.trim().is_empty()).unwrap();
            assert_eq!(event.text(), stored.trim());
        }
    }

    /// The fields to compare.
    pub fn fields(&self, text: Text) -> Fields {
        let mut out = Out {
            fields: Fields::new(),
            text,
        };
        match &self.load {
            Ok(loaded) => out.load(loaded, &self.sections),
            Err(error) => {
                out.put("load.ok", &Json::from(false));
                out.put("load.error", &Json::string(error.kind()));
            }
        }
        out.file(self);
        out.peek(self);
        if let Some(append) = &self.append {
            out.append(append);
        }
        out.fields
    }
}

impl Loaded {
    fn of(session: &Session) -> Self {
        let conversation = session.conversation().into_iter();
        Self {
            conversation: conversation
                .map(|(id, message)| (id.to_string(), (*message).clone()))
                .collect(),
            meta: session.meta(),
            grants: session.grants(),
            pending: session.pending_tool_operations(),
            contexts: session.run_contexts(),
            count: session.envelope_count(),
            events: session.events().unwrap(),
            warnings: session.warnings().to_vec(),
        }
    }
}

fn set_up(path: &Path, setup: &Setup, input: Option<&[u8]>) {
    match input {
        Some(bytes) => fs::write(path, bytes).unwrap(),
        None if setup.directory => fs::create_dir(path).unwrap(),
        None => assert!(setup.absent),
    }
    if let Some(text) = &setup.repair {
        fs::write(stage_of(path), text).unwrap();
    }
}

fn stage_of(path: &Path) -> PathBuf {
    path.with_file_name("session.jsonl.repair")
}

fn torn_tails(warnings: &[Warning]) -> impl Iterator<Item = &Warning> {
    let torn = |warning: &&Warning| warning.kind == WarningKind::TornTail;
    warnings.iter().filter(torn)
}

struct Out {
    fields: Fields,
    text: Text,
}

impl Out {
    fn put(&mut self, key: &str, value: &Json) {
        let value = shown(&encoded(value, self.text));
        self.fields.insert(key.to_owned(), value);
    }

    fn load(&mut self, loaded: &Loaded, sections: &[(String, Option<String>)]) {
        self.put("load.ok", &Json::from(true));
        let messages: Vec<Message> = loaded
            .conversation
            .iter()
            .map(|(_, message)| taken(message, self.text))
            .collect();
        self.put("load.messages", &Json::array(messages.iter().map(document)));
        let digests = messages
            .iter()
            .map(|message| Json::string(message.digest().as_str()));
        self.put("load.message_digests", &Json::array(digests));
        let digest = sess::message::conversation_digest(&messages);
        self.put("load.conversation_digest", &Json::string(digest.as_str()));
        let ids = loaded.conversation.iter().map(|(id, _)| Json::string(id));
        self.put("load.message_ids", &Json::array(ids));
        self.put("load.meta", &loaded.meta);
        self.put("load.grants", &Json::array(loaded.grants.clone()));
        self.put(
            "load.pending",
            &Json::array(loaded.pending.iter().map(pending)),
        );
        let contexts = loaded.contexts.iter().map(context);
        self.put("load.run_contexts", &Json::array(contexts));
        let sections = sections
            .iter()
            .map(|(digest, body)| (digest.clone(), optional(body.as_deref())));
        self.put("load.run_context_sections", &Json::object(sections));
        self.put("load.elems", &Json::from(loaded.count));
        assert_eq!(loaded.count, loaded.events.len() as u64);
        self.put("load.event_types", &Json::array(types(&loaded.events)));
        self.warnings(&loaded.warnings);
    }

    fn warnings(&mut self, warnings: &[Warning]) {
        let cut = torn_tails(warnings).map(|warning| {
            let line = ("line_number", Json::from(warning.line));
            if warning.raw.len() <= 65536 {
                return Json::object([line, ("text_b64", Json::string(&base64(&warning.raw)))]);
            }
            Json::object([
                line,
                ("text_bytes", Json::from(warning.raw.len() as u64)),
                ("text_sha256", Json::string(&hex_sha256(&warning.raw))),
            ])
        });
        self.put("load.warnings", &Json::array(cut));
        let notes = warnings
            .iter()
            .filter(|warning| warning.kind != WarningKind::TornTail)
            .map(|warning| Json::string(&format!("{} {}", warning.line, warning.kind.as_str())));
        self.put("load.notes", &Json::array(notes));
    }

    fn file(&mut self, run: &Run) {
        let bytes = run.after.as_deref();
        let size = bytes.map_or(Json::null(), |bytes| Json::from(bytes.len() as u64));
        let sha256 = bytes.map(hex_sha256);
        self.put("file_after_load_size", &size);
        self.put("file_after_load_sha256", &optional(sha256.as_deref()));
        self.put("repair_file_left_over", &Json::from(run.repair_left_over));
    }

    fn peek(&mut self, run: &Run) {
        let peek = &run.peek;
        self.put(
            "peek.file_unchanged",
            &Json::from(run.file_unchanged_by_peek),
        );
        self.put("peek.size", &Json::from(peek.size));
        self.put("peek.meta", &peek.meta);
        self.put("peek.n_envelopes", &Json::from(peek.envelopes.len() as u64));
        self.put("peek.envelope_types", &Json::array(types(&peek.envelopes)));
        self.put("peek.n_messages", &Json::from(peek.messages.len() as u64));
        let messages = peek.messages.iter().map(document);
        self.put("peek.messages", &Json::array(messages));
        let lines = peek.warnings.iter().map(|warning| Json::from(warning.line));
        self.put("peek.warnings", &Json::array(lines));
        self.put("peek.error", &Json::from(peek.error.is_some()));
    }

    fn append(&mut self, append: &Appended) {
        let is_prefix = append.after.starts_with(&append.before);
        self.put("append.prefix_unchanged", &Json::from(is_prefix));
        let line = std::str::from_utf8(&append.after[append.before.len()..]).unwrap();
        self.put("append.line_shape", &Json::string(&masked(line)));
        let warnings = append.second_load_warnings as u64;
        self.put("append.second_load_warnings", &Json::from(warnings));
        self.put("append.elems_after_reload", &Json::from(append.count));
    }
}

/// A written line with `{uuid}` for its id and `{ts}` for its time, both checked for their form.
pub fn masked(line: &str) -> String {
    let json = Json::parse(line).unwrap();
    let (id, ts) = (json.get_str("id").unwrap(), json.get_str("ts").unwrap());
    assert!(is_like(&id, "xxxxxxxx-xxxx-4xxx-xxxx-xxxxxxxxxxxx"), "{id}");
    assert!(is_like(&ts, "0000-00-00T00:00:00.000000Z"), "{ts}");
    line.replacen(&id, "{uuid}", 1).replacen(&ts, "{ts}", 1)
}

fn taken(message: &Message, text: Text) -> Message {
    Message {
        content: text.of(&message.content),
        tool_call_id: message.tool_call_id.as_deref().map(|id| text.of(id)),
        tool_calls: message
            .tool_calls
            .iter()
            .map(|call| match text {
                Text::Kept => call.clone(),
                Text::Normalised => encoded(call, text),
            })
            .collect(),
        ..message.clone()
    }
}

fn document(message: &Message) -> Json {
    Json::object([
        ("role", Json::string(message.role.as_str())),
        ("content", Json::string(&message.content)),
        ("tool-calls", Json::array(message.tool_calls.clone())),
        ("tool-call-id", optional(message.tool_call_id.as_deref())),
        ("sticky", Json::from(message.sticky)),
        ("sysprompt", Json::from(message.sysprompt)),
        ("depth", message.depth.map_or(Json::null(), Json::from)),
    ])
}

fn pending(operation: &PendingOperation) -> Json {
    let mut fields = vec![
        ("op-id", Json::string(operation.op_id.as_str())),
        ("call-id", Json::string(operation.call_id.as_str())),
        ("tool", Json::string(&operation.tool)),
        ("arguments", operation.arguments.clone()),
        ("dispatched-at", Json::string(&operation.dispatched_at)),
        ("settled", Json::from(false)),
    ];
    for (key, value) in [
        ("arguments-digest", &operation.arguments_digest),
        ("idempotency", &operation.idempotency),
        ("run-id", &operation.run_id),
        ("round", &operation.round),
    ] {
        fields.extend(value.clone().map(|value| (key, value)));
    }
    Json::object(fields)
}

fn context(context: &RecordedContext) -> Json {
    let facts = context.facts.iter();
    let facts = facts.map(|(key, value)| Json::array([Json::string(key), Json::string(value)]));
    Json::object([
        ("id", Json::string(context.id.as_str())),
        ("ts", Json::string(&context.ts)),
        ("run-id", Json::string(context.run_id.as_str())),
        ("digest", Json::string(&context.digest)),
        ("facts", Json::array(facts)),
        (
            "sections",
            Json::array(context.sections.iter().map(section)),
        ),
    ])
}

fn section(section: &RecordedSection) -> Json {
    let fields = [
        ("name", &section.name),
        ("digest", &section.digest),
        ("rendered", &section.rendered),
        ("rendered-in", &section.rendered_in),
    ];
    let present = fields.into_iter();
    Json::object(present.filter_map(|(key, value)| Some((key, value.clone()?))))
}

fn types(envelopes: &[Json]) -> impl Iterator<Item = Json> {
    envelopes.iter().map(|json| json.get("type").unwrap())
}

fn optional(text: Option<&str>) -> Json {
    text.map_or(Json::null(), Json::string)
}
