//! The reference's answers of one case as fields.

use sess::Json;

use super::fields::{Fields, Text, encoded, shown};

/// What the reference answered to a case.
pub fn fields(expect: &Json) -> Fields {
    let mut fields = Fields::new();
    let load = get(expect, "load");
    add_load(&mut fields, &load);
    for key in [
        "file_after_load_size",
        "file_after_load_sha256",
        "repair_file_left_over",
    ] {
        put(&mut fields, key, get(expect, key));
    }
    add_peek(&mut fields, &get(expect, "peek"), &load);
    if let Some(probe) = expect.get("append_probe") {
        for (key, value) in probe.entries().unwrap() {
            put(&mut fields, &format!("append.{key}"), value);
        }
    }
    fields
}

fn add_load(fields: &mut Fields, load: &Json) {
    put(fields, "load.ok", get(load, "ok"));
    if get(load, "ok").text() == "false" {
        put(fields, "load.error", get(load, "error_contains_kind"));
        return;
    }
    put(fields, "load.notes", Json::array([]));
    for (key, value) in load.entries().unwrap() {
        match key.as_str() {
            "ok" | "message_digests_skipped" | "message_digests_threw" | "runtime_warnings" => {}
            _ => put(fields, &format!("load.{key}"), value),
        }
    }
}

fn add_peek(fields: &mut Fields, peek: &Json, load: &Json) {
    let unchanged = peek.get("file_unchanged").unwrap_or(Json::from(true));
    put(fields, "peek.file_unchanged", unchanged);
    if peek.get("threw").is_some() {
        put(fields, "peek.threw", Json::from(true));
        return;
    }
    for key in [
        "size",
        "meta",
        "n_envelopes",
        "envelope_types",
        "n_messages",
    ] {
        put(fields, &format!("peek.{key}"), get(peek, key));
    }
    let lines = get(peek, "warnings").items().unwrap();
    let lines = lines.iter().map(|warning| Json::from(line_of(warning)));
    put(fields, "peek.warnings", Json::array(lines));
    let is_error = !get(peek, "error").is_null();
    put(fields, "peek.error", Json::from(is_error));
    let messages = peek.get("messages").or_else(|| load.get("messages"));
    put(fields, "peek.messages", messages.unwrap());
}

/// `line 3 could not be read, and was skipped`
fn line_of(warning: &Json) -> u64 {
    let text = warning.as_str().unwrap();
    text.split(' ').nth(1).unwrap().parse().unwrap()
}

fn get(json: &Json, key: &str) -> Json {
    json.get(key).unwrap_or_else(|| panic!("no {key}"))
}

fn put(fields: &mut Fields, key: &str, value: Json) {
    fields.insert(key.to_owned(), shown(&encoded(&value, Text::Kept)));
}
