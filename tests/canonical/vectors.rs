//! The published vectors: canonical texts with their digests (8.6), and the golden line (1.7).

use sess::canonical::{Sha256Hex, digest_of_json, digest_of_text};
use sess::message::{ToolCall, conversation_digest};
use sess::{Json, Message};

use super::json;

#[test]
fn messages_and_conversations_have_the_published_digests() {
    let call = ToolCall {
        id: "c1".to_owned(),
        name: "fs_read".to_owned(),
        arguments: r#"{"path":"a"}"#.to_owned(),
    };
    let question = Message::user("read the file");
    let rule = Message::system("be good").with_sticky().with_sysprompt();
    let odd = "line1\nline2\ttab \"q\" \\ / \u{7f} é 😀";
    for (number, digest, expected) in [
        (
            1,
            question.digest(),
            "af314ec3c610fced971e1d93355ee652fbd3a123ee40ef7052d64d17bcbbc8e9",
        ),
        (
            2,
            rule.digest(),
            "cb507aa56eb25930f12a305e3f87734f63e83cad57eb985ca859df24fb0d1235",
        ),
        (
            3,
            Message::assistant("").with_call(call).digest(),
            "e2503b9ef17801ed2e1eca78f9c353430e294727203839224e0fa6c4b34cd1b1",
        ),
        (
            4,
            Message::user("note").with_depth(2).digest(),
            "d1bd9911026fc7b0ae7dd36d00ba9447dd1723f3150d49557b3c89ab1258ebd8",
        ),
        (
            5,
            Message::tool("", "x").digest(),
            "4a05af2c1f0fc02c180d4181fe42ec925d041042ccb2c83ebc9a07292d2a257c",
        ),
        (
            6,
            Message::tool("c1", odd).digest(),
            "639987474190f266abb9cee22d41c3b0245a2c9f2af15bb2e30943de8a756b03",
        ),
        (
            7,
            conversation_digest(&[rule, question.clone()]),
            "dfba2bc688e903ee11d257dfdfd98fb814b5e1f9dfa034e90e241f4792c30c75",
        ),
        (
            8,
            conversation_digest(&[question]),
            "5fc1e1ea14c0bbde255cf21c8450a8e6ffd8075e5d197ad8e9cef5b4432f521a",
        ),
        (
            9,
            conversation_digest(&[]),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ),
    ] {
        assert_eq!(digest.as_str(), expected, "vector {number}");
    }
}

#[test]
fn documents_have_the_published_digests() {
    for (number, document, expected) in [
        (
            10,
            r#"[{"decision":"allow","tool":"fs_read"}]"#,
            "9b1c99296f776feb03ae2d4498091acd451fc8ecf34a56b03b0e9ad97bc8771f",
        ),
        (
            11,
            "{}",
            "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
        ),
        (
            12,
            "[]",
            "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945",
        ),
        (
            13,
            "null",
            "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b",
        ),
        (
            14,
            r#""""#,
            "12ae32cb1ec02d01eda3581b127c1fee3b0dc53572ed6baf239721a03d82e126",
        ),
        (
            15,
            r#"[1,"two",true,null]"#,
            "9c3451332bcb617e836c21463d53bd1c3639f64432397c4364b64d86bae19219",
        ),
        (
            16,
            "1.5",
            "9f29a130438b81170b92a42650f9a94291ecad60bd47af2a3886e75f7f728725",
        ),
        (
            16,
            "1e0",
            "bcac40fbed4ed4e1042a0c9dafbe9cdd58447415f19a11e59add45fdc083e2f5",
        ),
        (
            21,
            r#"["identity","IDENT"]"#,
            "4751aa2a2364e1265ba8599b0b8a0c11ed9f82d6e9cdcd54a18625942ac34d15",
        ),
        (
            22,
            r###"{"facts":[["date","2026-08-10"],["cwd","/srv"],["empty",""]],"head-sections":[["identity","IDENT"],["instructions","## A\n\nRun."]],"tail-sections":[["reminders","Never commit."],["blank",""]]}"###,
            "01ed865be0945f85704a364494c05900029680f9ef8d3f5091a2bf38e9622f8d",
        ),
        (
            23,
            r#"{"facts":[["date","2026-01-02"],["cwd","/srv"]],"head-sections":[],"tail-sections":[]}"#,
            "311d28a312aace43b1467652a6759d330804e69b3783a09110dd435f0d4b248f",
        ),
        (
            24,
            r#"{"facts":[],"head-sections":[],"tail-sections":[]}"#,
            "5a24510646b2e8dc443338dd7d419f8847d680dbef477799301cdf5ba79983c0",
        ),
    ] {
        assert_eq!(
            digest_of_json(&json(document)).as_str(),
            expected,
            "vector {number}"
        );
    }
}

#[test]
fn texts_have_the_published_digests() {
    for (number, text, expected) in [
        (
            17,
            r#"{"a":1,"b":2}"#,
            "f471f35e0f4c0e168b01b5d7acd30c4485f0d88b2be5aabba227969707f88c08",
        ),
        (
            18,
            "hello",
            "5aa762ae383fbb727af3c7a36d4940a5b8c40a989452d2304fc958ff3f354e7a",
        ),
        (
            19,
            "😀",
            "90a0592bc0139ce2c0bb6663aeb86fbcd798ec35cee310184c5e5688f76c3e8c",
        ),
        (
            20,
            "\u{8}",
            "2307cf86340605a8481504798c43ade28181268fbce6831e2572ad1830a598d5",
        ),
    ] {
        assert_eq!(digest_of_text(text).as_str(), expected, "vector {number}");
        assert_eq!(
            digest_of_json(&Json::string(text)).as_str(),
            expected,
            "vector {number}"
        );
    }
    assert_eq!(
        Sha256Hex::of(b"hello").as_str(),
        "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
        "vector 25"
    );
}

#[test]
fn the_golden_line_comes_out_byte_for_byte() {
    let content = "tab\t q\" b\\ s/ nul\0 bs\u{8} ff\u{c} esc\u{1b} del\u{7f} é 😀 nl\n cr\r";
    let line = Json::object([
        ("v", Json::from(1_i64)),
        ("type", Json::string("message")),
        ("ts", Json::string("2026-01-02T03:04:05.000006Z")),
        (
            "payload",
            Json::object([
                ("role", Json::string("user")),
                ("content", Json::string(content)),
            ]),
        ),
        ("id", Json::string("00000000-0000-4000-8000-000000000001")),
    ]);
    let bytes = format!("{line}\n");
    assert_eq!(bytes.len(), 228);
    assert_eq!(
        Sha256Hex::of(bytes.as_bytes()).as_str(),
        "1923e419f9081030a8b6cd85778cbaf8b36bf4758538a08da08314c3045d819d"
    );
}
