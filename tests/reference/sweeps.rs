//! Two transcripts cut at every byte of their last two lines.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sess::message::conversation_digest;
use sess::{Message, Session};
use unicode_normalization::UnicodeNormalization;

use super::fields::{base64, hex_sha256};
use crate::support::reference::{self, Sweep};

#[test]
fn every_cut_of_both_transcripts_gets_the_reference_answer() {
    for sweep in reference::sweeps() {
        let folder = tempfile::tempdir().unwrap();
        for (place, record) in sweep.records.iter().enumerate() {
            let path = folder.path().join(format!("{place}.jsonl"));
            let cut = record["cut"].as_u64().unwrap() as usize;
            let expected = expected(&sweep, place);
            assert_eq!(
                answer(&path, &sweep.base[..cut]),
                expected,
                "{} cut to {cut}",
                sweep.name
            );
        }
    }
}

/// The reference's record. Where it could not decode the file, peek reads what can be read: the
/// answer of the cut before, and a warning about the line that is cut (13.1-7).
fn expected(sweep: &Sweep, place: usize) -> Value {
    let mut record = sweep.records[place].clone();
    let peek = match record["peek"]["error"].is_null() {
        true => record["peek"].clone(),
        false => {
            let before = &sweep.records[..place];
            let whole = before.iter().rfind(|it| it["peek"]["error"].is_null());
            let mut peek = whole.unwrap()["peek"].clone();
            peek["size"] = record["cut"].clone();
            let line = record["warnings"][0]["line_number"].as_u64().unwrap();
            peek["warnings"] = json!([format!("line {line} could not be read, and was skipped")]);
            peek
        }
    };
    record["peek"] = peek;
    record
}

fn answer(path: &Path, bytes: &[u8]) -> Value {
    fs::write(path, bytes).unwrap();
    let peek = Session::peek(path);
    assert!(fs::read(path).unwrap() == bytes);
    let session = Session::load(path).unwrap();
    let messages: Vec<Message> = session.messages().iter().map(|it| composed(it)).collect();
    let after = fs::read(path).unwrap();
    let warnings = session.warnings().iter();
    json!({
        "cut": bytes.len(),
        "ok": true,
        "elems": session.envelope_count(),
        "n_messages": messages.len(),
        "n_pending": session.pending_tool_operations().len(),
        "n_run_contexts": session.run_contexts().len(),
        "conversation_digest": conversation_digest(&messages).as_str(),
        "size_after": after.len(),
        "sha256_after": hex_sha256(&after),
        "warnings": warnings
            .map(|it| json!({"line_number": it.line, "text_b64": base64(&it.raw)}))
            .collect::<Vec<_>>(),
        "peek": {
            "error": peek.error.map(|error| error.to_string()),
            "n_envelopes": peek.envelopes.len(),
            "n_messages": peek.messages.len(),
            "size": peek.size,
            "warnings": peek.warnings.iter()
                .map(|it| format!("line {} could not be read, and was skipped", it.line))
                .collect::<Vec<_>>(),
        },
    })
}

/// The reference digests text in normal form C.
fn composed(message: &Message) -> Message {
    Message {
        content: message.content.nfc().collect(),
        ..message.clone()
    }
}
