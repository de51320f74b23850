//! A writer that is killed at any moment, again and again on the same transcript.
//!
//! `SESS_KILLS=10000 cargo test --release --test main crash::kills -- --nocapture` is the long form.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::Duration;

use sess::session::{Session, WarningKind};
use sess::{Json, Message};

use super::child;

/// How many kills one transcript has to bear.
const KILLS_PER_FILE: u64 = 20;

#[test]
fn every_line_that_was_acknowledged_before_a_kill_is_there() {
    let kills = std::env::var("SESS_KILLS").map_or(200, |text| text.parse().unwrap());
    let mut tally = Tally::default();
    let mut random = Random(kills);
    while tally.kills < kills {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        drop(Session::create(&path, Json::empty_object()).unwrap());
        let mut acknowledged = 0;
        for _ in 0..KILLS_PER_FILE {
            acknowledged = kill_a_writer(&path, acknowledged, &mut random);
            tally.kills += 1;
            // Every other time the next writer finds what the last one left.
            if random.below(2) == 0 {
                acknowledged = look(&path, acknowledged, &mut tally);
            }
        }
        look(&path, acknowledged, &mut tally);
        tally.acknowledged += acknowledged;
    }
    println!("{tally:?}");
}

#[derive(Debug, Default)]
struct Tally {
    kills: u64,
    torn_tails: u64,
    whole_but_unacknowledged: u64,
    acknowledged: u64,
}

/// Lets a process write and kills it; returns how many messages are acknowledged then.
fn kill_a_writer(path: &Path, acknowledged: u64, random: &mut Random) -> u64 {
    let mut writer = child::command("write until killed", path).spawn().unwrap();
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    let mut seen = Seen { acknowledged };
    // Half of the writers are killed while they start, load and repair, the others while they write.
    if random.below(2) == 0 {
        for line in lines.by_ref() {
            if seen.line(&line.unwrap()) {
                break;
            }
        }
        pause(random.below(3_000));
    } else {
        pause(random.below(20_000));
    }
    kill(&mut writer);
    for line in lines {
        seen.line(&line.unwrap());
    }
    seen.acknowledged
}

fn pause(micros: u64) {
    thread::sleep(Duration::from_micros(micros));
}

fn kill(writer: &mut Child) {
    writer.kill().unwrap();
    writer.wait().unwrap();
}

struct Seen {
    acknowledged: u64,
}

impl Seen {
    /// Takes in what a writer said; whether it was an acknowledgement.
    fn line(&mut self, line: &str) -> bool {
        let Some((word, number)) = child::told(line).and_then(|what| what.split_once(' ')) else {
            return false;
        };
        let number: u64 = number.parse().unwrap();
        match word {
            "found" => {
                let possible = self.acknowledged..=self.acknowledged + 1;
                assert!(possible.contains(&number), "{number} of {possible:?}");
            }
            "wrote" => assert!(number > self.acknowledged),
            other => panic!("{other}"),
        }
        self.acknowledged = number;
        word == "wrote"
    }
}

/// What a writer that does not come back leaves is what it acknowledged, and at most the one line
/// whose acknowledgement was cut off.
fn look(path: &Path, acknowledged: u64, tally: &mut Tally) -> u64 {
    let session = Session::load(path).unwrap();
    let messages = session.messages();
    let count = messages.len() as u64;
    assert!(
        count == acknowledged || count == acknowledged + 1,
        "{count}, not {acknowledged}"
    );
    for (number, message) in (1..).zip(&messages) {
        assert_eq!(message.content, content(number));
    }
    let torn = session
        .warnings()
        .iter()
        .filter(|it| it.kind == WarningKind::TornTail)
        .count();
    tally.torn_tails += torn as u64;
    tally.whole_but_unacknowledged += count - acknowledged;
    count
}

/// The role: says how many messages it found, then appends and says so, until it is killed.
pub fn write_until_killed(path: &Path) {
    let session = Session::load(path).unwrap();
    let mut number = session.messages().len() as u64;
    child::tell(&format!("found {number}"));
    loop {
        number += 1;
        session
            .append_message(Message::user(content(number)))
            .unwrap();
        child::tell(&format!("wrote {number}"));
    }
}

/// The message of this number: most are short, some take a hundred pages.
fn content(number: u64) -> String {
    let mut random = Random(number);
    let length = match random.below(4) {
        0 => random.below(400_000),
        _ => random.below(2_000),
    };
    format!(
        "{number} {}",
        "sixteen bytes é ".repeat(length as usize / 16)
    )
}

/// Numbers that look random; the same ones for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 31)) % limit
    }
}
