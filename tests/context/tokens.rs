//! Exact counts. The numbers were measured with tiktoken-rs outside this project.

use std::sync::Arc;

use sess::context::*;
use sess::{Json, Message};

use super::kit::*;

const TEMPLATE: &str = "{% if tools %}[tools]{{ tools | tojson }}{% endif %}{% for m in messages %}<{{ m.role }}>{{ m.content or '' }}{% for c in m.tool_calls or [] %}[{{ c.function.name }}:{{ c.function.arguments.path }}]{% endfor %}</{{ m.role }}>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}";

fn jinja() -> TemplateCounter<Tiktoken, JinjaTemplate> {
    let template = JinjaTemplate::new(TEMPLATE, "", "").unwrap();
    TemplateCounter::new(Tiktoken::o200k(), template)
}

// 7.13
#[test]
fn texts_and_layouts_have_the_tokens_that_were_measured() {
    for tokenizer in [Tiktoken::o200k(), Tiktoken::cl100k()] {
        assert_eq!(tokenizer.count("hello world"), 2);
        assert_eq!(tokenizer.count(SUMMARY_HEADER), 9);
        assert_eq!(tokenizer.count(&stub(500, Some("fs_read"))), 24);
        let talk = shared([
            Message::system("Be helpful."),
            Message::user("Hello?"),
            Message::assistant("Hi! How can I help you?"),
        ]);
        let layouts = [
            (Layout::ChatMl, 55),
            (Layout::Llama3, 76),
            (Layout::MistralV7, 31),
        ];
        for (layout, tokens) in layouts {
            let counter = TemplateCounter::new(tokenizer, layout);
            assert_eq!(counter.count_messages(&talk), tokens, "{layout:?}");
        }
    }
    assert!(Tiktoken::of_model("gpt-4o").is_some() && Tiktoken::of_model("llama").is_none());
}

fn reading() -> Vec<Arc<Message>> {
    shared([
        Message::user("what is in a?"),
        Message::assistant("").with_call(call("c1", "fs_read", r#"{"path":"a"}"#)),
        Message::tool("c1", "hello"),
    ])
}

// 25, 26, 29 and 7.13
#[test]
fn a_request_is_what_its_template_makes_of_it() {
    assert_eq!(jinja().count_messages(&reading()), 26);
    assert_eq!(jinja().count_messages(&[]), 3);
    let tools = [Json::parse(r#"{"type":"function","function":{"name":"fs_read","description":"Read a file","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}"#).unwrap()];
    let request = RequestView {
        messages: &reading(),
        tools: &tools,
        head: Some("HEAD"),
        tail: Some("TAIL"),
    };
    let whole = jinja().count_request(&request);
    let open = jinja().continuing().count_request(&request);
    assert_eq!((whole, open), (75, 73));
}

// 27
#[test]
fn a_conversation_the_template_refuses_is_counted_all_the_same() {
    for arguments in ["{\"path\"", "", "[1]", "{\"path\":1}"] {
        let given = shared([Message::assistant("").with_call(call("c", "f", arguments))]);
        assert!(jinja().count_messages(&given) > 0);
    }
    let strict = TemplateCounter::new(Tiktoken::o200k(), Layout::MistralV7);
    let request = RequestView {
        messages: &reading(),
        ..RequestView::default()
    };
    assert!(
        strict
            .try_count(&request)
            .unwrap_err()
            .to_string()
            .contains("tool")
    );
    assert!(strict.count_request(&request) > 0);
    let raises = JinjaTemplate::new("{{ raise_exception('no ' ~ messages|length) }}", "", "");
    let refused = raises.unwrap().render(&[], &[], false).unwrap_err();
    assert!(refused.to_string().contains("no 0"));
}

// 30
#[test]
fn no_tools_are_undefined_and_json_is_plain() {
    let template =
        "{% if tools is defined %}{{ tools | tojson }}{% else %}none{% endif %}{{ bos_token }}";
    let config = Json::object([
        (
            "chat_template",
            Json::array([
                Json::object([
                    ("name", Json::string("rag")),
                    ("template", Json::string("x")),
                ]),
                Json::object([
                    ("name", Json::string("default")),
                    ("template", Json::string(template)),
                ]),
            ]),
        ),
        (
            "bos_token",
            Json::object([("content", Json::string("<s>"))]),
        ),
    ]);
    let template = JinjaTemplate::from_tokenizer_config(&config).unwrap();
    assert_eq!(template.render(&[], &[], false).unwrap(), "none<s>");
    let tools = [Json::string("a<b>'c")];
    assert_eq!(
        template.render(&[], &tools, false).unwrap(),
        "[\"a<b>'c\"]<s>"
    );
    assert!(JinjaTemplate::from_tokenizer_config(&Json::empty_object()).is_err());
    assert!(JinjaTemplate::new("{% if %}", "", "").is_err());
}
