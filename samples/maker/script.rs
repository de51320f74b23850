//! One transcript as it is written, line by line, with ids and times that never change.

use serde_json::{Value, json};
use sess::Json;
use sess::canonical::{canonical_arguments, digest_of_json, digest_of_text, write_string};

/// A transcript in the making.
pub struct Script {
    number: u32,
    lines: u32,
    /// Microseconds since the midnight before the first line.
    clock: u64,
    text: String,
}

/// A tool call as the model asks for it.
#[derive(Clone)]
pub struct Call {
    /// The model's id for it.
    pub id: &'static str,
    /// The tool's name.
    pub tool: &'static str,
    /// The arguments as the model spells them.
    pub arguments: String,
    /// The configured idempotency class; empty for none.
    pub class: &'static str,
}

/// A call with a document for arguments.
pub fn call(id: &'static str, tool: &'static str, arguments: Value, class: &'static str) -> Call {
    Call {
        id,
        tool,
        arguments: arguments.to_string(),
        class,
    }
}

impl Script {
    /// Transcript `number`, whose first line is written at `hour`:`minute`:`second`.
    pub fn new(number: u32, hour: u64, minute: u64, second: u64) -> Self {
        let seconds = (hour * 60 + minute) * 60 + second;
        Self {
            number,
            lines: 0,
            clock: seconds * 1_000_000 + 81_733,
            text: String::new(),
        }
    }

    /// The file.
    pub fn into_bytes(self) -> Vec<u8> {
        self.text.into_bytes()
    }

    /// Nothing happens for this long.
    pub fn wait(&mut self, milliseconds: u64) {
        self.clock += milliseconds * 1_000;
    }

    /// Writes one line and gives its id.
    pub fn line(&mut self, kind: &str, payload: Value) -> String {
        let id = self.next_id();
        self.line_with_id(&id, kind, payload);
        id
    }

    /// Writes one line with an id of the caller's making.
    pub fn line_with_id(&mut self, id: &str, kind: &str, payload: Value) {
        let payload = Json::from(payload).compact();
        let stamp = self.stamp();
        self.raw(&format!(
            "{{\"id\":{},\"payload\":{payload},\"ts\":\"{stamp}\",\"type\":{},\"v\":1}}",
            quoted(id),
            quoted(kind)
        ));
    }

    /// Writes a line as it is given.
    pub fn raw(&mut self, line: &str) {
        self.lines += 1;
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// The id the next line gets: the first group tells the lines apart at a glance, the last one
    /// is the line number.
    pub fn next_id(&self) -> String {
        let line = self.lines + 1;
        let mixed = (self.number * 4_096 + line).wrapping_mul(0x9E37_79B1);
        format!("{mixed:08x}-{:04}-4000-8000-{line:012}", self.number)
    }

    /// Time, in the one spelling of the format. Each call is a little later than the last.
    pub fn stamp(&mut self) -> String {
        self.clock += 1_709;
        let (seconds, micros) = (self.clock / 1_000_000, self.clock % 1_000_000);
        let (minutes, second) = (seconds / 60, seconds % 60);
        let (hour, minute) = (minutes / 60, minutes % 60);
        format!("2026-03-14T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
    }

    /// A message of role `user`.
    pub fn user(&mut self, content: &str) -> String {
        self.line("message", json!({"role": "user", "content": content}))
    }

    /// The system prompt.
    pub fn system_prompt(&mut self, content: &str) -> String {
        self.line(
            "message",
            json!({"role": "system", "content": content, "sticky": true, "sysprompt": true}),
        )
    }

    /// A turn of the model; `tokens` are those of the prompt and those it wrote.
    pub fn assistant(
        &mut self,
        content: &str,
        reasoning: &str,
        calls: &[Call],
        tokens: (u64, u64),
    ) -> String {
        let (prompt, completion) = tokens;
        let mut payload = json!({
            "role": "assistant",
            "content": content,
            "finish-reason": if calls.is_empty() { "stop" } else { "tool_calls" },
            "usage": {
                "prompt-tokens": prompt,
                "completion-tokens": completion,
                "total-tokens": prompt + completion,
                "cached-prompt-tokens": prompt / 2,
                "cost": (prompt + 4 * completion) as f64 / 2_000_000.0,
            },
        });
        if !reasoning.is_empty() {
            payload["reasoning"] = json!(reasoning);
        }
        if !calls.is_empty() {
            payload["tool-calls"] = calls.iter().map(wire_call).collect();
        }
        self.line("message", payload)
    }

    /// The moment a call is handed to its tool; gives the operation's id.
    pub fn dispatch(&mut self, round: u64, call: &Call) -> String {
        let arguments = canonical_arguments(&call.arguments);
        let mut payload = json!({
            "call-id": call.id,
            "tool": call.tool,
            "arguments-digest": digest_of_text(&arguments).as_str(),
            "arguments": arguments,
            "run-id": self.run_id(),
            "round": round,
        });
        if !call.class.is_empty() {
            payload["idempotency"] = json!(call.class);
        }
        self.line("tool-dispatched", payload)
    }

    /// A tool's answer as the model sees it.
    pub fn answer(&mut self, call: &Call, content: &str) -> String {
        self.answer_with(call, content, json!({}))
    }

    /// A tool's answer with something to say beside it, such as `is-error`.
    pub fn answer_with(&mut self, call: &Call, content: &str, mut extras: Value) -> String {
        extras["role"] = json!("tool");
        extras["tool-call-id"] = json!(call.id);
        extras["content"] = json!(content);
        self.line("message", extras)
    }

    /// The end of an operation that answered `content`.
    pub fn settle(
        &mut self,
        operation: &str,
        outcome: &str,
        seconds: f64,
        content: &str,
    ) -> String {
        let mut payload = json!({
            "op-id": operation,
            "outcome": outcome,
            "duration": seconds,
            "result-digest": digest_of_text(content).as_str(),
        });
        if outcome == "failed" {
            let first = content.lines().map(str::trim).find(|line| !line.is_empty());
            payload["error"] = json!(first.unwrap_or_default());
        }
        self.line("tool-settled", payload)
    }

    /// A call from its dispatch to its settled end.
    pub fn completes(&mut self, round: u64, call: &Call, seconds: f64, content: &str) -> String {
        let operation = self.dispatch(round, call);
        self.wait((seconds * 1_000.0) as u64);
        let message = self.answer(call, content);
        self.settle(&operation, "completed", seconds, content);
        message
    }

    /// A call that comes back with an error.
    pub fn fails(&mut self, round: u64, call: &Call, seconds: f64, content: &str) -> String {
        let operation = self.dispatch(round, call);
        self.wait((seconds * 1_000.0) as u64);
        let message = self.answer_with(call, content, json!({"is-error": true}));
        self.settle(&operation, "failed", seconds, content);
        message
    }

    /// What the model is told about its surroundings; `sections` stand at its head, unless an
    /// earlier line `carrier` has them already.
    pub fn run_context(
        &mut self,
        facts: &[(&str, &str)],
        sections: &[(&str, &str)],
        carrier: Option<&str>,
    ) -> String {
        let pairs = |list: &[(&str, &str)]| {
            list.iter()
                .map(|(name, text)| json!([name, text]))
                .collect::<Value>()
        };
        let whole =
            json!({"facts": pairs(facts), "head-sections": pairs(sections), "tail-sections": []});
        let section = |&(name, text): &(&str, &str)| match carrier {
            Some(id) => {
                json!({"name": name, "digest": digest(json!([name, text])), "rendered-in": id})
            }
            None => json!({"name": name, "digest": digest(json!([name, text])), "rendered": text}),
        };
        let sections: Value = sections.iter().map(section).collect();
        let payload = json!({"run-id": self.run_id(), "digest": digest(whole), "facts": pairs(facts), "sections": sections});
        self.line("run-context", payload)
    }

    fn run_id(&self) -> String {
        format!("5e55{:04}-0000-4000-8000-000000000000", self.number)
    }
}

/// A JSON string.
pub fn quoted(text: &str) -> String {
    let mut out = String::new();
    write_string(&mut out, text);
    out
}

fn wire_call(call: &Call) -> Value {
    json!({"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": call.arguments}})
}

fn digest(value: Value) -> String {
    digest_of_json(&Json::from(value)).as_str().to_owned()
}
