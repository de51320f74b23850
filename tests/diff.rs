//! Comparing two transcripts: what counts, where they part, how the rest is aligned.

mod sides;
mod texts;

use proptest::prelude::*;

use sess::Message;
use sess::look::diff::{Call, Counts, Diff, Difference, Divergence, Item, Kind, Position, Row};
use sess::message::{Role, ToolCall};

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    }
}

/// A conversation with line numbers, and with ids that begin with `run`.
fn items(run: &str, messages: &[Message]) -> Vec<Item> {
    let numbered = (2..).zip(messages);
    Item::of_messages(
        numbered.map(|(line, message)| (message, format!("{run}-{line}").as_str().into(), line)),
    )
}

fn texts(texts: &[&str]) -> Vec<Item> {
    let messages: Vec<Message> = texts.iter().map(|text| Message::user(*text)).collect();
    items("x", &messages)
}

/// One run of a task: look at a file, answer.
fn run(prefix: &str, path: &str) -> Vec<Message> {
    let id = format!("{prefix}-call");
    let arguments = format!(r#"{{"limit":20,"path":"{path}"}}"#);
    vec![
        Message::system("Be brief."),
        Message::user("What does it do?"),
        Message::assistant("").with_call(call(&id, "read", &arguments)),
        Message::tool(id, "fn main() {}"),
        Message::assistant("Nothing."),
    ]
}

fn equal(left: usize, right: usize) -> Row {
    Row::Equal { left, right }
}

fn changed(left: usize, right: usize) -> Row {
    Row::Changed { left, right }
}

fn position(byte: usize, line: usize) -> Difference {
    Difference::Content(Position { byte, line })
}

/// The differences of two assistant turns that call `edit` once.
fn argument(left: &str, right: &str) -> Vec<Difference> {
    let item = |arguments: &str| {
        let message = Message::assistant("").with_call(call("c", "edit", arguments));
        Item::of_message(&message, "".into(), 1)
    };
    Difference::between(&item(left), &item(right))
}

fn argument_at(path: &str, left: Option<&str>, right: Option<&str>) -> Vec<Difference> {
    vec![Difference::Argument {
        call: 0,
        tool: "edit".into(),
        path: path.into(),
        left: left.map(str::to_owned),
        right: right.map(str::to_owned),
    }]
}

#[test]
fn runs_with_other_ids_are_the_same() {
    let left = items("left", &run("left", "src/main.rs"));
    let right = items("right", &run("right", "src/main.rs"));
    let diff = Diff::between(&left, &right);
    assert!(diff.same());
    assert_eq!(diff.hunks(3), []);
    let equal = Counts {
        equal: 5,
        ..Counts::default()
    };
    assert_eq!(diff.counts(), equal);
}

#[test]
fn runs_part_at_one_tool_argument() {
    let left = items("left", &run("left", "src/main.rs"));
    let mut other = run("right", "src/lib.rs");
    other[3].content = "mod a;".into();
    let right = items("right", &other);
    let diff = Diff::between(&left, &right);
    let expected = Divergence {
        left: Some(2),
        right: Some(2),
        differences: vec![Difference::Argument {
            call: 0,
            tool: "read".into(),
            path: "arguments.path".into(),
            left: Some("\"src/main.rs\"".into()),
            right: Some("\"src/lib.rs\"".into()),
        }],
    };
    assert_eq!(diff.first_divergence(), Some(&expected));
    assert_eq!(expected.differences[0].to_string(), "arguments.path");
    let rows = [
        equal(0, 0),
        equal(1, 1),
        changed(2, 2),
        changed(3, 3),
        equal(4, 4),
    ];
    assert_eq!(diff.rows(), rows);
}

#[test]
fn spelling_of_arguments_does_not_count() {
    assert_eq!(
        argument(r#"{"a":1.50,"b":"é"}"#, r#" {"b": "\u00e9", "a": 1.5}"#),
        []
    );
}

#[test]
fn the_first_argument_that_differs_is_named_by_its_path() {
    let edits = |path: &str| format!(r#"{{"b":0,"edits":[{{"old":1}},{{"path":"{path}"}}]}}"#);
    assert_eq!(
        argument(&edits("x"), &edits("y")),
        argument_at("arguments.edits[1].path", Some("\"x\""), Some("\"y\""))
    );
    assert_eq!(
        argument(r#"{"b":1}"#, r#"{"a b":2,"b":1}"#),
        argument_at(r#"arguments["a b"]"#, None, Some("2"))
    );
    assert_eq!(
        argument("[1,2]", "[1]"),
        argument_at("arguments[1]", Some("2"), None)
    );
    assert_eq!(
        argument(r#"{"a":{}}"#, r#"{"a":[]}"#),
        argument_at("arguments.a", Some("{}"), Some("[]"))
    );
    assert_eq!(
        argument("{\"cut", "{}"),
        argument_at("arguments", Some("{\"cut"), Some("{}"))
    );
}

#[test]
fn a_deep_argument_is_no_danger() {
    let nested = |inner: &str| format!("{}{inner}{}", "[".repeat(10_000), "]".repeat(10_000));
    let differences = argument(&nested("1"), &nested("2"));
    assert_eq!(
        differences[0].to_string(),
        format!("arguments{}", "[0]".repeat(64))
    );
}

#[test]
fn every_field_that_differs_is_told() {
    let both = |left: &Message, right: &Message| {
        let item = |message| Item::of_message(message, "".into(), 1);
        Difference::between(&item(left), &item(right))
    };
    let role = Difference::Kind {
        left: Kind::Message(Role::User),
        right: Kind::Message(Role::System),
    };
    assert_eq!(role.to_string(), "role");
    assert_eq!(both(&Message::user("a"), &Message::system("b")), [role]);

    let one = Message::assistant("The\nold").with_call(call("1", "read", "{}"));
    let two = Message::assistant("The\nother")
        .with_call(call("2", "list", "{}"))
        .with_call(call("3", "read", "{}"));
    let tool = |call, left: Option<&str>, right: &str| Difference::Tool {
        call,
        left: left.map(str::to_owned),
        right: Some(right.into()),
    };
    let expected = [
        position(5, 2),
        tool(0, Some("read"), "list"),
        tool(1, None, "read"),
    ];
    assert_eq!(both(&one, &two), expected);
    assert_eq!(
        both(&Message::user("ä"), &Message::user("ö")),
        [position(0, 1)]
    );
}

#[test]
fn a_tool_message_answers_the_last_call_with_its_id() {
    let messages = [
        Message::assistant("").with_call(call("call_0", "read", "{}")),
        Message::tool("call_0", "ok"),
        Message::assistant("").with_call(call("call_0", "write", "{}")),
        Message::tool("call_0", "ok"),
        Message::tool("call_9", "ok"),
    ];
    let answers: Vec<_> = items("x", &messages)
        .into_iter()
        .map(|item| item.answers)
        .collect();
    let expected = [
        None,
        Some("read".to_owned()),
        None,
        Some("write".to_owned()),
        None,
    ];
    assert_eq!(answers, expected);
}

#[test]
fn what_strict_adds_must_agree_too() {
    let item = |strict: &str| {
        vec![Item::of_message(&Message::user("a"), "".into(), 1).with_strict(strict)]
    };
    assert!(Diff::between(&item("t1"), &item("t1")).same());
    let diff = Diff::between(&item("t1"), &item("t2"));
    let strict = Difference::Strict {
        path: String::new(),
        left: Some("t1".into()),
        right: Some("t2".into()),
    };
    assert_eq!(diff.first_divergence().unwrap().differences, [strict]);

    let stored = |cost: &str| format!(r#"{{"payload":{{"usage":{{"cost":{cost}}}}},"ts":"t"}}"#);
    let (left, right) = (item(&stored("1")), item(&stored("2")));
    let strict = Difference::Strict {
        path: "payload.usage.cost".into(),
        left: Some("1".into()),
        right: Some("2".into()),
    };
    assert_eq!(Difference::between(&left[0], &right[0]), [strict]);
}

#[test]
fn a_compaction_on_one_side_is_shown_as_one() {
    let left = texts(&["question", "more"]);
    let mut right = left.clone();
    right.insert(
        1,
        Item::new(Kind::Compaction, "They talked.", "c".into(), 9),
    );
    let diff = Diff::between(&left, &right);
    let expected = Divergence {
        left: None,
        right: Some(1),
        differences: vec![],
    };
    assert_eq!(diff.first_divergence(), Some(&expected));
    let rows = [equal(0, 0), Row::OnlyRight { right: 1 }, equal(1, 2)];
    assert_eq!(diff.rows(), rows);
}

#[test]
fn a_summary_in_place_of_messages_is_another_type_there() {
    let left = texts(&["question", "more", "end"]);
    let summary = Item::new(Kind::Compaction, "They talked.", "c".into(), 9);
    let right = [vec![summary], texts(&["end"])].concat();
    let diff = Diff::between(&left, &right);
    let kind = Difference::Kind {
        left: Kind::Message(Role::User),
        right: Kind::Compaction,
    };
    assert_eq!(kind.to_string(), "type");
    let expected = Divergence {
        left: Some(0),
        right: Some(0),
        differences: vec![kind],
    };
    assert_eq!(diff.first_divergence(), Some(&expected));
    let rows = [
        Row::OnlyLeft { left: 0 },
        Row::OnlyLeft { left: 1 },
        Row::OnlyRight { right: 0 },
        equal(2, 1),
    ];
    assert_eq!(diff.rows(), rows);
}

#[test]
fn one_run_may_go_on_longer() {
    let diff = Diff::between(&texts(&["a"]), &texts(&["a", "b"]));
    let expected = Divergence {
        left: None,
        right: Some(1),
        differences: vec![],
    };
    assert_eq!(diff.first_divergence(), Some(&expected));
    assert!(!Diff::between(&[], &texts(&["a"])).same());
    assert!(Diff::between(&[], &[]).same());
}

#[test]
fn versions_are_paired_by_what_they_have_in_common() {
    let left = [
        Message::user("start"),
        Message::assistant("The tests of the parser fail because of a comma."),
        Message::user("end"),
    ];
    let right = [
        Message::user("start"),
        Message::assistant("Let me look."),
        Message::user("go on"),
        Message::assistant("The tests of the parser fail because of a colon."),
        Message::user("end"),
    ];
    let diff = Diff::between(&items("l", &left), &items("r", &right));
    let rows = [
        equal(0, 0),
        Row::OnlyRight { right: 1 },
        Row::OnlyRight { right: 2 },
        changed(1, 3),
        equal(2, 4),
    ];
    assert_eq!(diff.rows(), rows);
}

#[test]
fn long_runs_without_anything_in_common_pair_turns_of_one_shape() {
    let conversation = |word: &str| -> Vec<Message> {
        (0..200)
            .flat_map(|number| {
                let id = format!("{number}");
                let arguments = format!(r#"{{"{word}":{number}}}"#);
                [
                    Message::assistant("").with_call(call(&id, "read", &arguments)),
                    Message::tool(id, format!("{word} {number}")),
                ]
            })
            .collect()
    };
    let (left, right) = (conversation("left"), conversation("right"));
    let diff = Diff::between(&items("l", &left), &items("r", &right));
    let all: Vec<Row> = (0..400).map(|index| changed(index, index)).collect();
    assert_eq!(diff.rows(), all);
}

#[test]
fn hunks_keep_some_context_and_join_when_they_touch() {
    let left = texts(&["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
    let right = texts(&["0", "one", "2", "3", "4", "5", "6", "7", "7.5", "8"]);
    let diff = Diff::between(&left, &right);
    let ranges = |context| -> Vec<_> {
        let hunks = diff.hunks(context).into_iter();
        hunks
            .map(|hunk| (hunk.rows.len(), hunk.left, hunk.right))
            .collect()
    };
    assert_eq!(ranges(0), [(1, 1..2, 1..2), (1, 8..8, 8..9)]);
    assert_eq!(ranges(1), [(3, 0..3, 0..3), (3, 7..9, 7..10)]);
    assert_eq!(ranges(3), [(10, 0..9, 0..10)]);
}

fn some_item() -> impl Strategy<Value = Item> {
    let kind = prop_oneof![
        Just(Kind::Message(Role::User)),
        Just(Kind::Message(Role::Assistant)),
        Just(Kind::Compaction),
    ];
    let calls = prop::collection::vec(("[rw]", "[12]"), 0..2);
    (kind, "[abc]", calls, any::<u64>()).prop_map(|(kind, content, calls, line)| {
        let calls = calls.into_iter();
        Item {
            calls: calls
                .map(|(name, arguments)| Call { name, arguments })
                .collect(),
            ..Item::new(kind, content, format!("{line}").as_str().into(), line)
        }
    })
}

fn some_items() -> impl Strategy<Value = Vec<Item>> {
    prop::collection::vec(some_item(), 0..30)
}

proptest! {
    #[test]
    fn a_list_is_the_same_as_itself(items in some_items()) {
        let diff = Diff::between(&items, &items);
        prop_assert!(diff.same());
        prop_assert_eq!(diff.counts().equal, items.len());
    }

    #[test]
    fn rows_count_up_both_lists_and_tell_the_truth(left in some_items(), right in some_items()) {
        let diff = Diff::between(&left, &right);
        let lefts: Vec<usize> = diff.rows().iter().filter_map(Row::left).collect();
        let rights: Vec<usize> = diff.rows().iter().filter_map(Row::right).collect();
        prop_assert_eq!(lefts, (0..left.len()).collect::<Vec<_>>());
        prop_assert_eq!(rights, (0..right.len()).collect::<Vec<_>>());
        for row in diff.rows() {
            if let (Some(l), Some(r)) = (row.left(), row.right()) {
                prop_assert_eq!(left[l].agrees_with(&right[r]), row.is_equal());
                prop_assert_eq!(left[l].kind == right[r].kind, true);
                prop_assert_eq!(Difference::between(&left[l], &right[r]).is_empty(), row.is_equal());
            }
        }
    }

    #[test]
    fn hunks_turn_left_into_right(left in some_items(), right in some_items(), context in 0..4usize) {
        let diff = Diff::between(&left, &right);
        let mut result = Vec::new();
        let mut at = 0;
        for hunk in diff.hunks(context) {
            result.extend_from_slice(&left[at..hunk.left.start]);
            result.extend_from_slice(&right[hunk.right.clone()]);
            at = hunk.left.end;
        }
        result.extend_from_slice(&left[at..]);
        prop_assert_eq!(result.len(), right.len());
        for (one, other) in result.iter().zip(&right) {
            prop_assert!(one.agrees_with(other));
        }
    }

    #[test]
    fn lists_agree_before_the_first_divergence(left in some_items(), right in some_items()) {
        let diff = Diff::between(&left, &right);
        let common = left.iter().zip(&right).take_while(|(l, r)| l.agrees_with(r)).count();
        if let Some(divergence) = diff.first_divergence() {
            let at = divergence.left.into_iter().chain(divergence.right).min();
            prop_assert_eq!(at, Some(common));
        }
    }
}
