//! 11.7, scenarios 102 to 111: bytes and JSON.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sess::clock::Clock;
use sess::session::{Arguments, Dispatch, Extras};
use sess::{Json, Message, Session};

use super::place::{Place, contents, file, line, messages, meta, said};

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

/// Appends one message and gives the content's bytes in the file.
fn stored(content: &str) -> String {
    let (place, session) = Place::created();
    session.append_message(Message::user(content)).unwrap();
    for session in [&session, &place.load_copy()] {
        assert_eq!(contents(session), [content]);
    }
    let text = String::from_utf8(place.bytes()).unwrap();
    let [_, line] = text
        .split_terminator('\n')
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    let start = line.find(r#""content":"#).unwrap() + r#""content":"#.len();
    let end = line.find(r#","role""#).unwrap();
    line[start..end].to_owned()
}

#[test]
fn s102_every_kind_of_character_is_spelled_as_the_format_says() {
    assert_eq!(
        stored("\u{1f600}\u{8}\u{c}\u{1b}\u{7f}\u{9f}\u{2028}\u{ffff}\u{feff}/\"\\"),
        "\"\\uD83D\\uDE00\\u0008\\u000c\\u001b\u{7f}\u{9f}\u{2028}\u{ffff}\u{feff}/\\\"\\\\\""
    );
}

#[test]
fn s103_line_breaks_in_a_content_do_not_break_the_line() {
    assert_eq!(stored("a\rb\nc\r\nd\0"), r#""a\rb\nc\r\nd\u0000""#);
}

#[test]
fn s104_the_last_of_two_equal_keys_counts() {
    let twice = r#"{"id":"x","id":"b","payload":{"role":"system","content":"one","role":"user","c\u006fntent":"two"},"ts":"","type":"x","type":"message","v":2,"v":1}"#;
    let session = Place::with(file(&[twice.to_owned()])).load();
    assert_eq!(messages(&session), [Message::user("two")]);
    assert_eq!(session.message_ids()[0].as_str(), "b");
    assert_eq!(session.events().unwrap()[1].text(), twice);
}

#[test]
fn s105_whole_numbers_of_any_size_stay_what_they_are() {
    let numbers = "[9007199254740993,18446744073709551616,-9223372036854775809,1234567890123456789012345678901234567890,1.50,1E5,-0.0]";
    let document = json(&format!(r#"{{"n":{numbers}}}"#));
    let place = Place::empty();
    let session = Session::create(&place.path, document.clone()).unwrap();
    let extras = Extras::from([("n".to_owned(), document.clone())]);
    session
        .append_message_with(Message::user("x"), &extras)
        .unwrap();
    let dispatch = Dispatch::new("c", "t", Arguments::Document(document.clone()));
    session.append_tool_dispatched(&dispatch).unwrap();
    for session in [&session, &place.load_copy()] {
        assert_eq!(session.meta().text(), document.text());
        assert_eq!(
            session.pending_tool_operations()[0].arguments.text(),
            document.text()
        );
        for event in session.events().unwrap() {
            assert!(event.text().contains(numbers), "{event}");
        }
    }
}

#[test]
fn s106_a_limit_of_a_parser_cuts_no_line() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let long = "9".repeat(5000);
    for value in ["1e400", "-1e-400", &deep, &long] {
        let last = line("x", "x-other", &format!(r#"{{"a":{value}}}"#));
        let bytes = file(std::slice::from_ref(&last));
        let whole = &bytes[..bytes.len() - 1];
        let place = Place::with(whole);
        let session = place.load();
        assert!(session.warnings().is_empty());
        assert_eq!(session.events().unwrap()[1].text(), last);
        assert!(place.bytes() == bytes && place.beside().is_empty());
        assert_eq!(Session::peek(&place.path).envelopes.len(), 2);
    }
}

#[test]
fn s107_a_long_content_is_appended_and_loaded() {
    append_and_load(4 * 1024 * 1024);
}

#[test]
#[ignore = "takes a minute without optimisation"]
fn s107_a_content_of_64_mib_is_appended_and_loaded() {
    append_and_load(64 * 1024 * 1024);
}

fn append_and_load(length: usize) {
    for content in ["x".repeat(length), "\n".repeat(length)] {
        let (place, session) = Place::created();
        session
            .append_message(Message::user(content.as_str()))
            .unwrap();
        session.append_message(Message::user("after")).unwrap();
        session.close();
        drop(session);
        let loaded = place.load();
        assert!(loaded.messages()[0].content == content);
        assert_eq!(loaded.messages()[1].content, "after");
    }
}

#[test]
fn s108_nesting_does_not_use_up_the_stack() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let objects = format!("{}1{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
    let (place, session) = Place::created();
    for text in [&deep, &objects] {
        let payload = json(&format!(r#"{{"d":{text}}}"#));
        session.append_event("x-deep", &payload).unwrap();
        // In every field that is read, too.
        let extras = Extras::from([("usage".to_owned(), json(text))]);
        session
            .append_message_with(Message::user("x"), &extras)
            .unwrap();
        session.append_grants(&[json(text)]).unwrap();
        let arguments = Arguments::Document(json(text));
        session
            .append_tool_dispatched(&Dispatch::new("c", "t", arguments))
            .unwrap();
        assert_eq!(
            session.events().unwrap().last().unwrap().clone(),
            session.events().unwrap().pop().unwrap()
        );
    }
    let loaded = place.load_copy();
    assert_eq!(loaded.envelope_count(), 9);
    assert_eq!(
        loaded.pending_tool_operations(),
        session.pending_tool_operations()
    );
    assert_eq!(loaded.grants()[0].text(), objects);
    assert_eq!(Session::peek(&place.path).envelopes.len(), 9);
}

#[test]
fn s108_hostile_nesting_in_a_field_of_another_kind_is_read_all_the_same() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let place = Place::with(file(&[
        line(
            "o",
            "tool-dispatched",
            &format!(r#"{{"call-id":{deep},"tool":{deep}}}"#),
        ),
        line(
            "rc",
            "run-context",
            &format!(r#"{{"run-id":{deep},"facts":[[{deep},{deep}],{deep}],"sections":[{deep}]}}"#),
        ),
        line(
            "a",
            "message",
            &format!(r#"{{"role":"user","content":"x","tool-calls":[{deep}]}}"#),
        ),
    ]));
    let session = place.load();
    assert_eq!(session.envelope_count(), 4);
    assert_eq!(session.messages()[0].calls().count(), 1);
    session.messages()[0].digest();
}

#[test]
fn s109_a_byte_order_mark_stays_through_a_repair() {
    let whole = format!("\u{feff}{}\n{}\n", meta(), said("a", "user", "hi"));
    let place = Place::with(format!("{whole}{{\"id\":"));
    let session = place.load();
    assert_eq!(place.bytes(), whole.as_bytes());
    session.append_message(Message::user("ho")).unwrap();
    session.close();
    let again = place.load();
    assert_eq!(contents(&again), ["hi", "ho"]);
    assert_eq!(again.events().unwrap()[0].text(), meta());
    let misplaced = Place::with(file(&[format!("\u{feff}{}", said("a", "user", "hi"))]));
    assert_eq!(misplaced.refusal().line(), Some(2));
}

struct Stopped(SystemTime);

impl Clock for Stopped {
    fn now(&self) -> SystemTime {
        self.0
    }
}

#[test]
fn s110_a_time_stamp_has_six_digits_and_never_sixty_seconds() {
    for (nanos, expected) in [
        (0, "2026-01-02T03:04:05.000000Z"),
        (999_999_900, "2026-01-02T03:04:05.999999Z"),
    ] {
        let moment = UNIX_EPOCH + Duration::new(1_767_323_045, nanos);
        let place = Place::empty();
        let options = Session::options().clock(Stopped(moment));
        options.create(&place.path, Json::empty_object()).unwrap();
        assert_eq!(place.lines()[0].get_str("ts").unwrap(), expected);
    }
}

#[test]
fn s111_text_is_not_normalised() {
    let text = "e\u{301} \u{212b} \u{1d15e} \u{1112}\u{1161}\u{11ab}";
    assert_eq!(
        stored(text),
        "\"e\u{301} \u{212b} \\uD834\\uDD5E \u{1112}\u{1161}\u{11ab}\""
    );
}

#[test]
fn half_a_surrogate_pair_is_kept_warned_of_and_read_as_a_replacement_character() {
    let torn = line("a", "message", r#"{"content":"caf\ud83d","role":"user"}"#);
    let place = Place::with(file(std::slice::from_ref(&torn)));
    let session = place.load();
    assert_eq!(contents(&session), ["caf\u{fffd}"]);
    assert_eq!(session.events().unwrap()[1].text(), torn);
    let [warning] = session.warnings() else {
        panic!("{:?}", session.warnings());
    };
    let offset = (meta().len() + 1) as u64;
    let at = offset + torn.find(r"\ud83d").unwrap() as u64;
    assert_eq!(
        (warning.line, warning.offset, warning.kind.as_str()),
        (2, offset, "lone-surrogate")
    );
    assert!(
        warning.message.contains(&at.to_string()),
        "{}",
        warning.message
    );
    assert!(place.beside().is_empty());
}
