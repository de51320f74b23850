//! Counts by a `tokenizer.json`. The one here is small enough to be read by hand.

use sess::Message;
use sess::context::*;

use super::kit::*;

/// Letters of their own, of which `h` and `e`, then `he` and `y` are merged; white space parts words
/// and is no token; `<s>` is special.
const DOCUMENT: &str = r#"{
  "version": "1.0",
  "truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
  "padding": null,
  "added_tokens": [{"id": 6, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
  "normalizer": null,
  "pre_tokenizer": {"type": "WhitespaceSplit"},
  "post_processor": null,
  "decoder": null,
  "model": {
    "type": "BPE", "dropout": null, "unk_token": "?", "continuing_subword_prefix": null,
    "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
    "vocab": {"h": 0, "e": 1, "y": 2, "he": 3, "hey": 4, "?": 5},
    "merges": ["h e", "he y"]
  }
}"#;

#[test]
fn a_text_has_the_tokens_that_its_file_says() {
    let tokenizer = HuggingFace::from_bytes(DOCUMENT).unwrap();
    let cases = [
        ("", 0),
        ("hey", 1),
        ("hey he hh", 4),
        // Three letters it does not know, and longer than the file would truncate to.
        ("xyz hey", 4),
        ("<s>hey", 2),
    ];
    for (text, tokens) in cases {
        assert_eq!(tokenizer.count(text), tokens, "{text:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokenizer.json");
    std::fs::write(&path, DOCUMENT).unwrap();
    let read = HuggingFace::from_file(&path).unwrap();
    assert_eq!(read.count("hey he hh"), 4);
}

#[test]
fn a_conversation_is_counted_as_its_template_renders_it() {
    let template = JinjaTemplate::new(
        "{% for m in messages %}<s>{{ m.content }} {% endfor %}",
        "",
        "",
    );
    let tokenizer = HuggingFace::from_bytes(DOCUMENT).unwrap();
    let counter = TemplateCounter::new(tokenizer, template.unwrap());
    let talk = shared([Message::user("hey"), Message::assistant("he y")]);
    assert_eq!(counter.count_messages(&talk), 5);
}

#[test]
fn what_is_no_tokenizer_is_refused_and_named() {
    let error = HuggingFace::from_bytes("{}").unwrap_err().to_string();
    assert!(
        error.starts_with("the document is no tokenizer that can be used: "),
        "{error}"
    );
    let error = HuggingFace::from_file("no/tokenizer.json")
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("\"no/tokenizer.json\" is no tokenizer"),
        "{error}"
    );
}
