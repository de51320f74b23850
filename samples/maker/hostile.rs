//! A transcript that tries to drive the terminal of whoever looks at it, through every field.

use serde_json::{Value, json};

use super::script::{Script, quoted};

/// Clears the screen, hides the cursor, turns on mouse reports, sets the title, writes the
/// clipboard; the last two without ESC, by the 8-bit controls.
const ATTACK: &str = "\u{1b}[2J\u{1b}[H\u{1b}[?25l\u{1b}[?1003h\u{1b}[?1049h\u{1b}]0;owned\u{7}\u{1b}]52;c;cm0gLXJmIC8=\u{1b}\\\u{9b}31m\u{9d}0;owned\u{9c}";
/// Says one thing and shows another.
const DISGUISE: &str =
    "invoice\u{202e}fdp.exe\u{202c} \u{2066}\u{2067}left\u{2069}right\u{200e}\u{200f}\u{61c}";
/// Writes over what stands in the line.
const OVERWRITE: &str = "all tests pass\rall tests FAIL\u{8}\u{8}\u{8}\u{8}DONE\u{7f}\u{b}\u{c}";
/// Ends a line where one line was promised.
const BREAKS: &str = "one\ntwo\r\nthree\u{85}four\u{2028}five\u{2029}six";
/// Nothing to see, and yet something there.
const UNSEEN: &str = "a\u{0}b\u{200b}c\u{feff}d\u{2060}e\u{e0041}f\u{fff9}g\u{fffe}h\u{34f}i";

/// Every attack in every field, with a message of a role that does not exist.
pub fn with_unknown_role() -> Vec<u8> {
    let mut script = attacks();
    script.line(
        "message",
        json!({"role": format!("root{ATTACK}"), "content": "a role that does not exist"}),
    );
    script.line(
        "message",
        json!({"role": "user", "content": "and a line after it"}),
    );
    script.into_bytes()
}

/// The same attacks in a transcript that loads.
pub fn that_loads() -> Vec<u8> {
    attacks().into_bytes()
}

fn attacks() -> Script {
    let mut script = Script::new(10, 23, 59, 1);
    script.line("session-meta", json!({
        "agent": ATTACK, "model": DISGUISE, "cwd": format!("/home/{OVERWRITE}"), BREAKS: UNSEEN, ATTACK: DISGUISE,
    }));
    let (facts, sections) = (
        [(ATTACK, DISGUISE), (BREAKS, OVERWRITE)],
        [(OVERWRITE, ATTACK), (DISGUISE, BREAKS)],
    );
    script.run_context(&facts, &sections, None);
    script.line(
        "grants",
        json!({"grants": [{"tool": ATTACK, "path": DISGUISE, BREAKS: OVERWRITE}, ATTACK]}),
    );
    for text in [ATTACK, DISGUISE, OVERWRITE, BREAKS, UNSEEN] {
        let line =
            json!({"role": "user", "content": format!("before {text} after"), "injected": text});
        script.line("message", line.clone());
        let spelled_out = spelled_out(&mut script, &line);
        script.raw(&spelled_out);
    }
    memory(&mut script);
    tool_calls(&mut script);
    odd_envelopes(&mut script);
    script
}

fn tool_calls(script: &mut Script) {
    let arguments = json!({"path": DISGUISE, "command": ATTACK, BREAKS: OVERWRITE}).to_string();
    let calls = [
        ("running", ATTACK),
        ("answered", DISGUISE),
        ("settled", BREAKS),
        ("never", OVERWRITE),
    ];
    let ids = calls.map(|(name, text)| format!("{name}{text}"));
    let wire: Value = ids
        .iter()
        .zip(calls)
        .map(|(id, (_, text))| json!({"id": id, "type": "function", "function": {"name": text, "arguments": arguments}}))
        .collect();
    script.line("message", json!({
        "role": "assistant", "content": OVERWRITE, "reasoning": ATTACK, "finish-reason": DISGUISE, "tool-calls": wire,
        "usage": {"prompt-tokens": 10, "completion-tokens": 5, "provider-name": ATTACK, "generation-id": BREAKS},
    }));
    let operations: Vec<String> =
        ids.iter()
            .zip(calls)
            .take(3)
            .map(|(id, (name, text))| {
                let operation = format!("{}-{name}{ATTACK}", script.next_id());
                let arguments = if name == "running" {
                    json!(arguments)
                } else {
                    json!({text: ATTACK})
                };
                script.line_with_id(&operation, "tool-dispatched", json!({
                "call-id": id, "tool": text, "arguments": arguments, "arguments-digest": ATTACK,
                "idempotency": OVERWRITE, "run-id": DISGUISE, "round": 1,
            }));
                operation
            })
            .collect();
    for (id, text) in ids.iter().zip([ATTACK, OVERWRITE, DISGUISE]).skip(1) {
        script.line("message", json!({"role": "tool", "tool-call-id": id, "content": format!("{text}{ATTACK}"), "is-error": true}));
    }
    script.line("tool-settled", json!({
        "op-id": operations[2], "outcome": "failed", "reason": ATTACK, "error": format!("{OVERWRITE}{BREAKS}"), "duration": 1.5,
        "result-digest": DISGUISE, "artifact": {"file": format!("../../{ATTACK}"), "digest": DISGUISE, "bytes": 1, "chars": 1, "elided-chars": 0},
    }));
}

fn memory(script: &mut Script) {
    let id = format!("{}{ATTACK}", script.next_id());
    script.line_with_id(
        &id,
        "message",
        json!({"role": "user", "content": "an id to beware of", "sticky": true}),
    );
    script.line("elision", json!({"items": [{"id": id, "stub": format!("[elided by the harness: {ATTACK}{BREAKS}]")}]}));
    script.line("compaction", json!({"summary": format!("{DISGUISE}{OVERWRITE}{ATTACK}"), "replaces-through-id": id, "fallback": false, "tokens-before": 9, "tokens-after": 8}));
    script.line(
        "message",
        json!({"role": "system", "content": UNSEEN, "depth": 0}),
    );
}

fn odd_envelopes(script: &mut Script) {
    script.line(ATTACK, json!({ATTACK: [DISGUISE, {BREAKS: OVERWRITE}]}));
    script.line(BREAKS, json!({}));
    let id = script.next_id();
    let [attack, disguise, breaks] = [ATTACK, DISGUISE, BREAKS].map(quoted);
    script.raw(&format!("{{\"id\":\"{id}\",\"payload\":{{\"content\":{breaks},\"role\":\"user\"}},\"ts\":{attack},\"type\":\"message\",\"v\":1,{attack}:{disguise}}}"));
    let (id, stamp) = (script.next_id(), script.stamp());
    script.raw(&format!("{{\"id\":\"{id}\",\"payload\":{{\"content\":\"half a pair \\ud83d here\",\"role\":\"user\"}},\"ts\":\"{stamp}\",\"type\":\"message\",\"v\":1}}"));
}

/// A message line in which every character of every string is a `\u` escape.
fn spelled_out(script: &mut Script, payload: &Value) -> String {
    let text = |value: &Value| -> String {
        let units = value.as_str().unwrap_or_default().encode_utf16();
        units.map(|unit| format!("\\u{unit:04x}")).collect()
    };
    let (id, stamp) = (script.next_id(), script.stamp());
    let (content, injected) = (text(&payload["content"]), text(&payload["injected"]));
    format!(
        "{{\"id\":\"{id}\",\"payload\":{{\"content\":\"{content}\",\"injected\":\"{injected}\",\"role\":\"user\"}},\"ts\":\"{stamp}\",\"type\":\"message\",\"v\":1}}"
    )
}
