//! Each scenario is run again and again, and each time the next operation on the disk fails: once,
//! a few times, or for good as for a process that died; with nothing, half or all of its effect.
//! What was acknowledged is there afterwards, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use sess::session::{AppendError, Durability, LoadError, Options, Session, WarningKind};
use sess::{Json, Message};

use super::faulty::{Effect, Fault, FaultyDisk};
use super::place::fast_folder;

const META: &str = concat!(
    r#"{"id":"m","payload":{},"ts":"2026-01-02T03:04:05.000000Z","type":"session-meta","v":1}"#,
    "\n"
);
const HELLO: &str = concat!(
    r#"{"id":"a","payload":{"content":"hello","role":"user"},"ts":"2026-01-02T03:04:05.000001Z","type":"message","v":1}"#,
    "\n"
);
const TORN: &str = r#"{"id":"b","payload":{"content":"lost in the mid"#;

/// What there is before the fault, and how it is opened.
struct Scenario {
    name: &'static str,
    /// The file; `None`: the session is created.
    start: Option<String>,
    /// How much of it was acknowledged, in bytes.
    good: usize,
    durability: Durability,
    keep: bool,
}

fn scenarios() -> Vec<Scenario> {
    let healthy = format!("{META}{HELLO}");
    let without_newline = healthy.trim_end().to_owned();
    let starts = [
        ("create", None, 0),
        ("load a healthy file", Some(healthy.clone()), healthy.len()),
        (
            "load without the last newline",
            Some(without_newline.clone()),
            without_newline.len(),
        ),
        (
            "load with a torn tail",
            Some(format!("{healthy}{TORN}")),
            healthy.len(),
        ),
    ];
    let mut all = Vec::new();
    for (name, start, good) in starts {
        for durability in [Durability::ProcessCrash, Durability::PowerLoss] {
            for keep in [true, false] {
                all.push(Scenario {
                    name,
                    start: start.clone(),
                    good,
                    durability,
                    keep,
                });
            }
        }
    }
    all
}

#[test]
fn whatever_operation_fails_the_acknowledged_lines_load_and_nothing_else() {
    let mut runs = 0;
    for scenario in scenarios() {
        let mut at = 0;
        loop {
            let all_failed = Fault::all_at(at).all(|fault| scenario.run(fault));
            runs += 1;
            if !all_failed {
                break;
            }
            at += 1;
        }
        assert!(at >= 8, "{}: only {at} operations", scenario.name);
    }
    assert!(runs > 200, "{runs}");
}

impl Scenario {
    /// Plays the scenario with one fault and checks everything; `false` when it ended before the
    /// fault came.
    fn run(&self, fault: Fault) -> bool {
        let folder = fast_folder();
        let path = folder.path().join("run.jsonl");
        if let Some(start) = &self.start {
            fs::write(&path, start).unwrap();
        }
        let disk = FaultyDisk::new(fault);
        let options = Session::options()
            .durability(self.durability)
            .keep_cut_bytes(self.keep)
            .disk(disk.clone());
        let play = Play {
            scenario: self,
            fault,
            path,
            disk,
        };
        play.play(&options);
        play.disk.has_failed()
    }
}

struct Play<'s> {
    scenario: &'s Scenario,
    fault: Fault,
    path: PathBuf,
    disk: FaultyDisk,
}

/// What the appends of one play came to.
#[derive(Default)]
struct Told {
    acknowledged: Vec<&'static str>,
    failed: Vec<&'static str>,
    broken: bool,
}

impl Play<'_> {
    fn play(&self, options: &Options) {
        let session = match self.scenario.start {
            None => match options.create(&self.path, Json::empty_object()) {
                Ok(session) => session,
                Err(_) => return self.after_failed_create(),
            },
            Some(_) => match options.load(&self.path) {
                Ok(session) => session,
                Err(error) => return self.after_failed_load(&error),
            },
        };
        let told = self.append_all(&session);
        let live = answers(&session);
        session.close();
        assert_eq!(answers(&session), live, "{}", self.what());
        drop(session);
        self.after_session(&told, &live);
    }

    fn append_all(&self, session: &Session) -> Told {
        let mut told = Told::default();
        for content in ["one", "two", "three"] {
            let before = answers(session);
            match session.append_message(Message::user(content)) {
                Ok(_) => {
                    assert!(!told.broken, "{}: appended while broken", self.what());
                    told.acknowledged.push(content);
                }
                Err(error) => {
                    assert_eq!(answers(session), before, "{}", self.what());
                    told.failed.push(content);
                    self.allows(&error, &mut told.broken);
                }
            }
        }
        told
    }

    /// A session may break only when what a failed append left could not be taken back, or when a
    /// sync failed, after which nothing is certain.
    fn allows(&self, error: &AppendError, broken: &mut bool) {
        match error {
            AppendError::Broken { .. } => {
                let undo_failed = self.fault.count > 1;
                let sync_failed = self.scenario.durability == Durability::PowerLoss;
                assert!(undo_failed || sync_failed, "{}: {error}", self.what());
                *broken = true;
            }
            AppendError::Io { .. } => assert!(!*broken, "{}: {error}", self.what()),
            other => panic!("{}: {other}", self.what()),
        }
    }

    fn after_session(&self, told: &Told, live: &Answers) {
        let stored = fs::read_to_string(&self.path).unwrap();
        if !told.broken && self.fault.count != Fault::DEATH {
            assert_eq!(
                live.contents,
                self.contents(&told.acknowledged),
                "{}",
                self.what()
            );
            assert_eq!(
                whole_lines(&stored),
                live.lines,
                "{}: {stored}",
                self.what()
            );
        }
        let again = self.load_for_real();
        let found = answers(&again).contents;
        let acknowledged = self.contents(&told.acknowledged);
        let extra = found.strip_prefix(acknowledged.as_slice());
        let extra = extra.unwrap_or_else(|| panic!("{}: {found:?}", self.what()));
        match extra {
            [] => {}
            [one] => {
                let may_be_left = told.broken || self.fault.count == Fault::DEATH;
                assert!(
                    may_be_left && told.failed.contains(&one.as_str()),
                    "{}: {one}",
                    self.what()
                );
            }
            more => panic!("{}: {more:?}", self.what()),
        }
        self.goes_on(again);
    }

    fn after_failed_create(&self) {
        let stored = fs::read_to_string(&self.path).unwrap_or_default();
        if self.fault.count == Fault::DEATH {
            // A process that dies leaves no transcript, or one with its first line.
            let whole = stored.ends_with('\n');
            assert!(whole || !self.path.exists(), "{}: {stored:?}", self.what());
        }
        if stored.is_empty() {
            let session = Session::create(&self.path, Json::empty_object());
            return self.goes_on(session.unwrap());
        }
        match Session::load(&self.path) {
            Ok(session) => self.goes_on(session),
            Err(LoadError::TruncatedMeta { .. }) if self.fault.count > 1 => {}
            Err(error) => panic!("{}: {error}", self.what()),
        }
    }

    fn after_failed_load(&self, error: &LoadError) {
        assert!(
            matches!(error, LoadError::Io { .. }),
            "{}: {error}",
            self.what()
        );
        let start = self.scenario.start.as_deref().unwrap();
        let stored = fs::read_to_string(&self.path).unwrap();
        let is_repaired = stored.strip_prefix(&start[..self.scenario.good]);
        let is_repaired = is_repaired.is_some_and(|rest| ["", "\n"].contains(&rest));
        let may_be_repaired =
            self.fault.count > 1 || self.scenario.durability == Durability::PowerLoss;
        assert!(
            stored == start || (is_repaired && may_be_repaired),
            "{}: {stored}",
            self.what()
        );
        if stored == start && self.fault.count == 1 && !self.leaves_files() {
            assert_eq!(beside(&self.path), Vec::<PathBuf>::new(), "{}", self.what());
        }
        let session = self.load_for_real();
        assert_eq!(
            answers(&session).contents,
            self.contents(&[]),
            "{}",
            self.what()
        );
        self.goes_on(session);
    }

    /// The next load of a healthy disk works; what it cut off is kept.
    fn load_for_real(&self) -> Session {
        let session =
            Session::load(&self.path).unwrap_or_else(|error| panic!("{}: {error}", self.what()));
        let start = self.scenario.start.as_deref().unwrap_or_default();
        let torn = &start[self.scenario.good..];
        if self.scenario.keep && !torn.is_empty() {
            let kept = beside(&self.path);
            let is_kept = kept
                .iter()
                .any(|path| fs::read(path).unwrap() == torn.as_bytes());
            assert!(is_kept, "{}: {kept:?}", self.what());
        }
        let torn_tail = session
            .warnings()
            .iter()
            .any(|it| it.kind == WarningKind::TornTail);
        assert!(
            !torn_tail || self.fault.count > 1 || !torn.is_empty(),
            "{}",
            self.what()
        );
        session
    }

    /// A real disk leaves no file behind that it reports as not created. And once the repaired copy
    /// was to take the name, the cut bytes stay kept, whatever is reported.
    fn leaves_files(&self) -> bool {
        let record = self.disk.record();
        let hit = &record[self.fault.at];
        hit.starts_with("rename") || self.fault.effect == Effect::All && hit.starts_with("create")
    }

    fn goes_on(&self, session: Session) {
        let mut expected = answers(&session).contents;
        expected.push("later".to_owned());
        session.append_message(Message::user("later")).unwrap();
        drop(session);
        let again = Session::load(&self.path).unwrap();
        assert_eq!(answers(&again).contents, expected, "{}", self.what());
        assert_eq!(again.warnings(), [], "{}", self.what());
    }

    fn contents(&self, acknowledged: &[&str]) -> Vec<String> {
        let start = self.scenario.start.iter().map(|_| "hello");
        let all = start.chain(acknowledged.iter().copied());
        all.map(str::to_owned).collect()
    }

    fn what(&self) -> String {
        let Scenario {
            name,
            durability,
            keep,
            ..
        } = self.scenario;
        let record = self.disk.record();
        let hit = record.get(self.fault.at);
        format!(
            "{name}, {durability:?}, keep {keep}, {:?}: {hit:?} of {record:?}",
            self.fault
        )
    }
}

/// Everything a reader of a session can see, without what needs the disk.
#[derive(Debug, PartialEq)]
struct Answers {
    contents: Vec<String>,
    ids: Vec<String>,
    lines: usize,
}

fn answers(session: &Session) -> Answers {
    let conversation = session.conversation();
    Answers {
        contents: conversation
            .iter()
            .map(|(_, message)| message.content.clone())
            .collect(),
        ids: conversation.iter().map(|(id, _)| id.to_string()).collect(),
        lines: session.line_count() as usize,
    }
}

/// How many lines there are, all of them whole.
fn whole_lines(stored: &str) -> usize {
    assert!(stored.ends_with('\n'));
    let lines: Vec<_> = stored.lines().map(Json::parse).collect();
    assert!(lines.iter().all(Result::is_ok));
    lines.len()
}

fn beside(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path.parent().unwrap()).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|it| it != path).collect()
}

#[test]
fn the_next_append_after_a_failed_one_is_a_good_line() {
    for effect in [Effect::Nothing, Effect::Half, Effect::All] {
        let folder = fast_folder();
        let path = folder.path().join("run.jsonl");
        fs::write(&path, format!("{META}{HELLO}")).unwrap();
        let appends = FaultyDisk::default();
        drop(
            Session::options()
                .disk(appends.clone())
                .load(&path)
                .unwrap(),
        );
        // The drop gave the lock back, which is the last operation before the first append.
        let at = appends.record().iter().filter(|it| *it != "unlock").count();
        let disk = FaultyDisk::new(Fault {
            at,
            count: 1,
            effect,
        });
        let session = Session::options().disk(disk).load(&path).unwrap();
        let error = session.append_message(Message::user("one")).unwrap_err();
        assert!(matches!(error, AppendError::Io { .. }), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{META}{HELLO}"));
        let id = session.append_message(Message::user("two")).unwrap();
        let stored = fs::read_to_string(&path).unwrap();
        let line = stored.strip_prefix(&format!("{META}{HELLO}")).unwrap();
        assert_eq!(
            Json::parse(line.trim_end())
                .unwrap()
                .get_str("id")
                .as_deref(),
            Some(id.as_str())
        );
        assert_eq!(line.matches('\n').count(), 1);
    }
}
