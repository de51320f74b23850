//! The sample agent, killed at any moment and resumed.
//!
//! `SESS_KILLS=10000 cargo test agent::kills -- --nocapture` is the long form.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sess::look::check::{Health, check};
use sess::session::{CallState, OpenCall};
use sess::{Json, Message, Role, Session};

use super::sample::sample;

/// How many kills one transcript has to bear.
const KILLS_PER_FILE: u64 = 5;

#[test]
fn a_killed_agent_leaves_what_is_known_of_each_call_and_goes_on_when_resumed() {
    if sample().is_none() {
        return;
    }
    let kills = std::env::var("SESS_KILLS").map_or(200, |text| text.parse().unwrap());
    let mut random = fastrand::Rng::with_seed(kills);
    let mut tally = Tally::default();
    while tally.kills < kills {
        let folder = tempfile::tempdir().unwrap();
        let run = Files::in_folder(&folder.path().join("killed"));
        // The others show how far a process gets that nobody kills, on this machine and today.
        let whole = Files::in_folder(&folder.path().join("whole"));
        let measure = complete(&whole);
        for round in 0..KILLS_PER_FILE {
            start_and_kill(&run, &measure, &mut random);
            tally.kills += 1;
            look(&run, &mut tally);
            let copy = run.copy_to(&folder.path().join(format!("copy-{round}")));
            complete(&copy);
            check_finished(&copy);
        }
    }
    println!("{tally:?}");
    assert_eq!(tally.kills, kills.next_multiple_of(KILLS_PER_FILE));
}

#[derive(Debug, Default)]
struct Tally {
    kills: u64,
    before_the_first_line: u64,
    torn_tails: u64,
    open_calls: BTreeMap<&'static str, u64>,
    effects_of_unknown_calls: u64,
}

/// A transcript and the file its destructive tool adds lines to.
struct Files {
    folder: PathBuf,
    transcript: PathBuf,
    notes: PathBuf,
}

impl Files {
    fn in_folder(folder: &Path) -> Self {
        fs::create_dir_all(folder).unwrap();
        Self {
            folder: folder.to_owned(),
            transcript: folder.join("run.jsonl"),
            notes: folder.join("run.notes"),
        }
    }

    fn copy_to(&self, folder: &Path) -> Self {
        let copy = Self::in_folder(folder);
        for (from, to) in [
            (&self.transcript, &copy.transcript),
            (&self.notes, &copy.notes),
        ] {
            if from.exists() {
                fs::copy(from, to).unwrap();
            }
        }
        copy
    }

    /// Whether there is a transcript. One that is there has its first line.
    fn begun(&self) -> bool {
        self.transcript.exists()
    }

    /// The sample, which starts the transcript or picks it up.
    fn agent(&self) -> Command {
        let mut command = sample().unwrap();
        let option = match self.transcript.exists() {
            true => "--resume",
            false => "--session",
        };
        command.args(["--pace", "1", option]).arg(&self.transcript);
        command.current_dir(&self.folder);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.transcript).unwrap()
    }

    /// Every line that is whole.
    fn lines(&self) -> Vec<Json> {
        let text = String::from_utf8_lossy(&self.bytes()).into_owned();
        text.lines().filter_map(|it| Json::parse(it).ok()).collect()
    }

    fn notes(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.notes).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

/// How long a whole run takes, and how many bytes it says on standard error.
struct Measure {
    time: Duration,
    said: usize,
}

fn complete(files: &Files) -> Measure {
    let start = Instant::now();
    let output = files.agent().output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    Measure {
        time: start.elapsed(),
        said: output.stderr.len(),
    }
}

/// Half of the processes are killed after some time, the others after they have said so much.
fn start_and_kill(files: &Files, measure: &Measure, random: &mut fastrand::Rng) {
    let mut agent = files.agent().spawn().unwrap();
    let mut errors = agent.stderr.take().unwrap();
    match random.bool() {
        true => std::thread::sleep(measure.time.mul_f64(random.f64())),
        false => {
            let mut some = vec![0; random.usize(..measure.said)];
            let _ = errors.read_exact(&mut some);
            std::thread::sleep(Duration::from_micros(random.u64(..500)));
        }
    }
    agent.kill().unwrap();
    agent.wait().unwrap();
}

/// What a killed process leaves is whole but for its last line, and honest.
fn look(files: &Files, tally: &mut Tally) {
    if !files.begun() {
        tally.before_the_first_line += 1;
        return;
    }
    let report = check(files.bytes().as_slice()).unwrap();
    assert!(
        matches!(
            report.health,
            Health::Healthy | Health::TornTail | Health::MissingNewline
        ),
        "{report:?}"
    );
    tally.torn_tails += u64::from(report.health == Health::TornTail);
    let notes = files.notes();
    let lines = files.lines();
    check_effects(&lines, &notes, tally);
    for call in report.open_calls {
        *tally.open_calls.entry(call.state.as_str()).or_default() += 1;
        assert_eq!(call.state, state_of(&lines, &call), "{call:?}");
        let happened = notes
            .iter()
            .any(|note| call.arguments.text().contains(note));
        assert!(
            !happened || call.operation.is_some(),
            "it was said never to have left: {call:?}"
        );
    }
}

/// The state of an open call, read off the lines that speak of it.
fn state_of(lines: &[Json], call: &OpenCall) -> CallState {
    let answer = of_type(lines, "message").find(|it| is_for(it, call.call_id.as_str()));
    let stands_in = |it: &Json| it.get("outcome-unknown").is_some();
    match (of_type(lines, "tool-dispatched").next(), answer) {
        (None, _) => CallState::Unrecorded,
        _ if dispatches(lines, call.call_id.as_str()) == 0 => CallState::NeverDispatched,
        (_, Some(answer)) if !stands_in(&answer) => CallState::FinishedNotSettled,
        _ => CallState::WasRunning,
    }
}

/// Nothing was handed to a tool twice, nothing happened twice, what is said to be done was done,
/// and nothing happened that was not handed over.
fn check_effects(lines: &[Json], notes: &[String], tally: &mut Tally) {
    let mut distinct = notes.to_vec();
    distinct.dedup();
    assert_eq!(distinct.len(), notes.len(), "{notes:?}");
    let mut explained = 0;
    for call in of_type(lines, "tool-dispatched") {
        let call_id = call.get_str("call-id").unwrap();
        assert_eq!(dispatches(lines, &call_id), 1, "{call_id}");
        if call.get_str("tool").as_deref() != Some("add_note") {
            continue;
        }
        let happened = notes
            .iter()
            .filter(|note| call.text().contains(*note))
            .count();
        let answered = of_type(lines, "message")
            .any(|it| is_for(&it, &call_id) && it.get("outcome-unknown").is_none());
        assert!(happened <= 1, "{happened}");
        assert!(happened == 1 || !answered, "{call_id}");
        explained += happened;
        tally.effects_of_unknown_calls += u64::from(!answered && happened == 1);
    }
    assert_eq!(explained, notes.len(), "{notes:?}");
}

fn of_type<'a>(lines: &'a [Json], name: &'a str) -> impl Iterator<Item = Json> + 'a {
    let named = move |it: &&Json| it.get_str("type").as_deref() == Some(name);
    lines
        .iter()
        .filter(named)
        .filter_map(|it| it.get("payload"))
}

fn is_for(message: &Json, call_id: &str) -> bool {
    message.get_str("tool-call-id").as_deref() == Some(call_id)
}

fn dispatches(lines: &[Json], call_id: &str) -> usize {
    let same = |it: &Json| it.get_str("call-id").as_deref() == Some(call_id);
    of_type(lines, "tool-dispatched").filter(same).count()
}

/// A resumed run ends with its answer, nothing is open, and each call is answered once, right
/// after the turn that made it.
fn check_finished(files: &Files) {
    let report = check(files.bytes().as_slice()).unwrap();
    assert_eq!(
        (report.health, report.open_calls),
        (Health::Healthy, vec![])
    );
    check_effects(&files.lines(), &files.notes(), &mut Tally::default());
    let messages = Session::load(&files.transcript).unwrap().messages();
    assert_eq!(
        messages.last().unwrap().content,
        "Those are the files here."
    );
    let mut messages = messages.iter();
    while let Some(message) = messages.next() {
        assert_ne!(message.role, Role::Tool, "answers nothing: {message:?}");
        // What is settled later is answered later, so the order within a turn may differ.
        let calls: BTreeSet<String> = calls_of(message).collect();
        let answers = messages.by_ref().take(calls.len());
        let answered: BTreeSet<String> = answers.filter_map(|it| it.tool_call_id.clone()).collect();
        assert_eq!(answered, calls);
    }
}

fn calls_of(message: &Message) -> impl Iterator<Item = String> {
    let calls = message.tool_calls.iter();
    calls.map(|it| it.get_str("id").unwrap())
}
