//! 11.7-112: every row of the decision table of crash-tail repair, with the decided divergences.

use std::fs;

use sess::Session;
use sess::session::WarningKind;

use super::place::{Place, meta, said};

/// One row.
struct Row {
    /// The number in the table.
    number: &'static str,
    before: Vec<u8>,
    after: After,
    load: Load,
    peek: Peek,
}

enum After {
    Same,
    /// This is added at the end.
    Plus(&'static str),
    /// This many bytes stay.
    Cut(usize),
}

enum Load {
    /// With the number of the line cut off, if one is.
    Ok(Option<u64>),
    Refused(&'static str),
}

/// Envelopes, lines warned of, and whether it is an error.
struct Peek(usize, &'static [u64], bool);

const TORN: &str = r#"{"id":"t","payload":{"content":"ha"#;

/// The pieces of the table's notation: `M`, `L`, `T`, `B` for the byte order mark, and text.
fn bytes(parts: &[&str]) -> Vec<u8> {
    let (meta, message) = (meta(), said("a", "user", "hi"));
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend_from_slice(match *part {
            "M" => meta.as_bytes(),
            "L" => message.as_bytes(),
            "T" => TORN.as_bytes(),
            "B" => "\u{feff}".as_bytes(),
            text => text.as_bytes(),
        });
    }
    bytes
}

fn row(number: &'static str, parts: &[&str], after: After, load: Load, peek: Peek) -> Row {
    Row {
        number,
        before: bytes(parts),
        after,
        load,
        peek,
    }
}

/// A row whose last part is cut off.
fn cut(number: &'static str, kept: &[&str], last: &[u8], line: u64, peek: Peek) -> Row {
    let kept = bytes(kept);
    Row {
        number,
        before: [kept.as_slice(), last].concat(),
        after: After::Cut(kept.len()),
        load: Load::Ok(Some(line)),
        peek,
    }
}

fn rows() -> Vec<Row> {
    use After::{Plus, Same};
    use Load::{Ok, Refused};
    const NOTHING: Peek = Peek(0, &[], true);
    let fine = || Peek(2, &[], false);
    vec![
        row("1", &[], Same, Refused("empty"), NOTHING),
        row("2", &["\n"], Same, Refused("empty"), NOTHING),
        row("2", &["\n \t\n\u{3000}\n"], Same, Refused("empty"), NOTHING),
        // 13.1-1: nothing is added to a file without a transcript in it.
        row("3", &["\n  "], Same, Refused("empty"), NOTHING),
        row("4", &["M", "\n", "L", "\n"], Same, Ok(None), fine()),
        row("5", &["M", "\r\n", "L", "\r\n"], Same, Ok(None), fine()),
        row("6", &["M", "\n", "L"], Plus("\n"), Ok(None), fine()),
        row("7", &["M", "\r\n", "L"], Plus("\r\n"), Ok(None), fine()),
        row(
            "8",
            &["M", "\r\n", "L", "\n", "L"],
            Plus("\n"),
            Ok(None),
            Peek(3, &[], false),
        ),
        row(
            "8",
            &["M", "\n", "L", "\r\n", "L"],
            Plus("\r\n"),
            Ok(None),
            Peek(3, &[], false),
        ),
        row("9", &["M"], Plus("\n"), Ok(None), Peek(1, &[], false)),
        row("10", &["M", "\n", "L", "\r"], Plus("\n"), Ok(None), fine()),
        cut(
            "11",
            &["M", "\n", "L", "\n"],
            TORN.as_bytes(),
            3,
            Peek(2, &[3], false),
        ),
        cut(
            "12",
            &["M", "\n", "L", "\n"],
            format!("{TORN}\n").as_bytes(),
            3,
            Peek(2, &[3], false),
        ),
        cut(
            "13",
            &["M", "\r\n", "L", "\r\n"],
            format!("{TORN}\r\n").as_bytes(),
            3,
            Peek(2, &[3], false),
        ),
        cut(
            "14",
            &["M", "\r\n", "L", "\r\n"],
            format!("{TORN}\r").as_bytes(),
            3,
            Peek(2, &[3], false),
        ),
        // 13.1-7: peek answers what it can read.
        cut(
            "15",
            &["M", "\n", "L", "\n"],
            b"{\"id\":\"t\xc3",
            3,
            Peek(2, &[3], false),
        ),
        cut(
            "15",
            &["M", "\n", "L", "\n"],
            b"{\"id\":\"t\xf0\x9f\x98\n",
            3,
            Peek(2, &[3], false),
        ),
        cut(
            "16",
            &["M", "\n", "L", "\n"],
            b"{\"id\":\"t\xff\"}\n",
            3,
            Peek(2, &[3], false),
        ),
        cut(
            "17",
            &["M", "\n", "L", "\n"],
            &[0; 4096],
            3,
            Peek(2, &[3], false),
        ),
        cut(
            "17",
            &["M", "\n", "L", "\n"],
            b"\0\0\0\n",
            3,
            Peek(2, &[3], false),
        ),
        row(
            "18",
            &["M", "\n", "L", "\n", "T", "\n\n"],
            Same,
            Refused("malformed-mid"),
            Peek(2, &[3], false),
        ),
        // 13.1-2: nothing is added to a file that cannot be loaded.
        row(
            "19",
            &["M", "\n", "L", "\n", "T", "\n  "],
            Same,
            Refused("malformed-mid"),
            Peek(2, &[3], false),
        ),
        cut(
            "20",
            &["M", "\n", "L", "\n\n"],
            TORN.as_bytes(),
            4,
            Peek(2, &[4], false),
        ),
        row(
            "21",
            &["M", "\n", "L", "\n", "T", "\n", "T"],
            Same,
            Refused("two-bad-tail"),
            Peek(2, &[3, 4], false),
        ),
        row(
            "21",
            &["M", "\n", "L", "\n", "T", "\n", "T", "\n"],
            Same,
            Refused("two-bad-tail"),
            Peek(2, &[3, 4], false),
        ),
        // 13.1-2, and in row 24.
        row(
            "22",
            &["M", "\n", "L", "\n", "T", "\n\n", "T"],
            Same,
            Refused("malformed-mid"),
            Peek(2, &[3, 5], false),
        ),
        row(
            "23",
            &["M", "\n", "T", "\n", "L", "\n"],
            Same,
            Refused("malformed-mid"),
            Peek(2, &[2], false),
        ),
        row(
            "24",
            &["M", "\n", "T", "\n", "L", "\n", "T"],
            Same,
            Refused("malformed-mid"),
            Peek(2, &[2, 4], false),
        ),
        row("25", &["M", "\n", "L", "\n\n\n"], Same, Ok(None), fine()),
        row(
            "26",
            &["M", "\n", "L", "\n", " \u{a0}"],
            Plus("\n"),
            Ok(None),
            fine(),
        ),
        row(
            "27",
            &["\n \n", "M", "\n", "L", "\n"],
            Same,
            Ok(None),
            fine(),
        ),
        row(
            "28",
            &["M", "\n", "L", "\n", "null\n"],
            Same,
            Refused("not-object"),
            fine(),
        ),
        row(
            "28",
            &["M", "\n", "L", "\n", "12\n"],
            Same,
            Refused("not-object"),
            fine(),
        ),
        row(
            "28",
            &["M", "\n", "L", "\n", "\"x\"\n"],
            Same,
            Refused("not-object"),
            fine(),
        ),
        row(
            "28",
            &["M", "\n", "L", "\n", "[1]\n"],
            Same,
            Refused("not-object"),
            fine(),
        ),
        // 13.1-2.
        row(
            "29",
            &["M", "\n", "L", "\n", "[1]"],
            Same,
            Refused("not-object"),
            fine(),
        ),
        // 13.1-1, and in rows 31 and 32.
        row(
            "30",
            &["T"],
            Same,
            Refused("truncated-meta"),
            Peek(0, &[1], true),
        ),
        row(
            "30",
            &["T", "\n"],
            Same,
            Refused("truncated-meta"),
            Peek(0, &[1], true),
        ),
        row(
            "31",
            &["Dear diary,"],
            Same,
            Refused("not-a-transcript"),
            Peek(0, &[1], true),
        ),
        row(
            "31",
            &["\0\u{1}\u{2}"],
            Same,
            Refused("not-a-transcript"),
            Peek(0, &[1], true),
        ),
        row(
            "31",
            &["M", "\r", "L", "\r"],
            Same,
            Refused("not-a-transcript"),
            Peek(0, &[1], true),
        ),
        row(
            "32",
            &["{\"a\":1}\n{\"b\":"],
            Same,
            Refused("bad-version"),
            Peek(0, &[2], true),
        ),
        row(
            "32",
            &["[]\nhello"],
            Same,
            Refused("not-object"),
            Peek(0, &[2], true),
        ),
        // 13.1-10: two envelopes on one line are two envelopes.
        row(
            "33",
            &["M", "\n", "L", "L", "\n"],
            Same,
            Refused("glued"),
            Peek(1, &[2], false),
        ),
        row(
            "33",
            &["M", "\n", "L", "T"],
            Same,
            Refused("glued"),
            Peek(1, &[2], false),
        ),
        row(
            "34",
            &["M", "\n", "L", "L", "\n", "L", "\n"],
            Same,
            Refused("malformed-mid"),
            Peek(2, &[2], false),
        ),
        Row {
            number: "35",
            before: [
                &bytes(&["M", "\n"])[..],
                b"{\"a\":\"\xff\"}\n",
                &bytes(&["L", "\n"])[..],
            ]
            .concat(),
            after: Same,
            load: Refused("invalid-utf8"),
            peek: Peek(2, &[2], false),
        },
        row("36", &["B", "M", "\n", "L", "\n"], Same, Ok(None), fine()),
        row("36", &["B", "M"], Plus("\n"), Ok(None), Peek(1, &[], false)),
        row(
            "37",
            &["M", "\n", "B", "L", "\n", "L", "\n"],
            Same,
            Refused("malformed-mid"),
            Peek(2, &[2], false),
        ),
        row(
            "37",
            &["M", "\n", "B", "L", "\n"],
            Same,
            Refused("malformed-mid"),
            Peek(1, &[2], false),
        ),
        row(
            "37",
            &["M", "\n", "B", "L"],
            Same,
            Refused("malformed-mid"),
            Peek(1, &[2], false),
        ),
    ]
}

#[test]
fn every_row_of_the_decision_table_comes_out_as_decided() {
    for row in rows() {
        for leftover in [false, true] {
            check(&row, leftover);
        }
    }
}

/// `leftover` is row 38: a stale `.repair` beside any other row.
fn check(row: &Row, leftover: bool) {
    let name = format!(
        "row {}, {:?}",
        row.number,
        String::from_utf8_lossy(&row.before)
    );
    let place = Place::with(&row.before);
    let stage = place.folder().join("run.jsonl.repair");
    if leftover {
        fs::write(&stage, "stale").unwrap();
    }
    set_mode(&place, 0o640);
    check_peek(row, &place, &name);
    assert_eq!(stage.exists(), leftover, "{name}");
    let cut_line = match (Session::load(&place.path), &row.load) {
        (Ok(session), Load::Ok(line)) => {
            check_warnings(&session, row, *line, &name);
            *line
        }
        (Err(error), Load::Refused(kind)) => {
            assert_eq!(error.kind(), *kind, "{name}");
            // 13.1-2: a load that fails leaves everything, so also what is stale.
            assert_eq!(stage.exists(), leftover, "{name}");
            fs::remove_file(&stage).ok();
            None
        }
        (Ok(_), Load::Refused(kind)) => panic!("{name} was loaded, not {kind}"),
        (Err(error), Load::Ok(_)) => panic!("{name}: {error}"),
    };
    let after = match row.after {
        After::Same => row.before.clone(),
        After::Plus(more) => [row.before.as_slice(), more.as_bytes()].concat(),
        After::Cut(length) => row.before[..length].to_vec(),
    };
    assert!(place.bytes() == after, "{name}");
    assert_eq!(mode(&place.path), 0o640, "{name}");
    assert!(!stage.exists(), "{name}");
    let kept = place.beside();
    assert_eq!(
        kept.len(),
        usize::from(cut_line.is_some()),
        "{name}: {kept:?}"
    );
    for name in kept {
        assert!(name.starts_with("run.jsonl.cut-"), "{name}");
        let kept = place.folder().join(name);
        assert!([after.as_slice(), &fs::read(&kept).unwrap()].concat() == row.before);
        assert_eq!(mode(&kept), 0o640);
    }
}

fn check_peek(row: &Row, place: &Place, name: &str) {
    let peek = Session::peek(&place.path);
    let lines: Vec<u64> = peek.warnings.iter().map(|warning| warning.line).collect();
    assert_eq!(
        (peek.envelopes.len(), lines.as_slice(), peek.error.is_some()),
        (row.peek.0, row.peek.1, row.peek.2),
        "{name}"
    );
    assert_eq!(peek.size, row.before.len() as u64);
    assert!(place.bytes() == row.before, "{name}");
}

fn check_warnings(session: &Session, row: &Row, cut: Option<u64>, name: &str) {
    let warnings = session.warnings();
    let found: Vec<_> = warnings.iter().map(|it| (it.line, it.kind)).collect();
    let expected: Vec<_> = cut
        .map(|line| (line, WarningKind::TornTail))
        .into_iter()
        .collect();
    assert_eq!(found, expected, "{name}");
    if let (Some(warning), After::Cut(length)) = (warnings.first(), &row.after) {
        let cut = &row.before[*length..];
        let cut = cut
            .strip_suffix(b"\n")
            .map_or(cut, |cut| cut.strip_suffix(b"\r").unwrap_or(cut));
        assert!(warning.raw == cut, "{name}");
        assert_eq!(warning.offset, *length as u64, "{name}");
        assert_eq!(warning.length, cut.len() as u64, "{name}");
    }
}

#[cfg(unix)]
fn set_mode(place: &Place, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(&place.path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(unix)]
fn mode(path: &std::path::Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[cfg(not(unix))]
fn set_mode(_: &Place, _: u32) {}

#[cfg(not(unix))]
fn mode(_: &std::path::Path) -> u32 {
    0o640
}
