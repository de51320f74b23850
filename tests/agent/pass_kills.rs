//! A run that makes its conversation smaller nearly every round, killed at any moment and resumed.
//!
//! `SESS_KILLS=2000 cargo test agent::pass_kills -- --nocapture` is the long form.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use sess::agent::BackendSummariser;
use sess::backend::Step;
use sess::context::{CompactorOptions, SUMMARY_HEADER, SummarisingCompactor, stub};
use sess::look::check::{Health, check};
use sess::message::ToolCall;
use sess::session::{Choice, Replayed, Resolution};
use sess::{Json, Message, Session};

use super::kit::*;

/// Rounds of the whole conversation, each with one reading of a page.
const ROUNDS: usize = 60;
/// How many kills one transcript has to bear.
const KILLS_PER_FILE: u64 = 6;

#[test]
fn a_run_killed_in_its_passes_replays_to_what_they_promise_and_finishes_when_resumed() {
    let kills = std::env::var("SESS_KILLS").map_or(60, |text| text.parse().unwrap());
    let mut random = fastrand::Rng::with_seed(kills);
    let mut tally = Tally::default();
    while tally.kills < kills {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        drop(Session::create(&path, Json::empty_object()).unwrap());
        let copy = folder.path().join("copy.jsonl");
        std::fs::copy(&path, &copy).unwrap();
        // How far a process gets that nobody kills, on this machine and today.
        let whole = complete(&copy);
        check_finished(&copy, 0);
        let mut seen = 0;
        for _ in 0..KILLS_PER_FILE {
            start_and_kill(&path, &whole, &mut random);
            tally.kills += 1;
            seen = look(&path, seen, &mut tally);
        }
        std::fs::copy(&path, &copy).unwrap();
        complete(&copy);
        check_finished(&copy, seen);
    }
    println!("{tally:?}");
}

#[derive(Debug, Default)]
struct Tally {
    kills: u64,
    torn_tails: u64,
    open_calls: u64,
    /// What the last whole line was.
    last_lines: BTreeMap<String, u64>,
}

const FILE: &str = "SESS_PASS_KILLS_FILE";
const MARK: &str = "told: ";

fn child(path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "agent::pass_kills::another_process",
            "--nocapture",
        ])
        .env(FILE, path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    command
}

/// How long a whole run takes, and how many passes it tells of.
struct Whole {
    time: Duration,
    passes: usize,
}

fn complete(path: &Path) -> Whole {
    let start = Instant::now();
    let output = child(path).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}");
    Whole {
        time: start.elapsed(),
        passes: told.matches(MARK).count(),
    }
}

/// A third of the processes are killed after some time, the others about when a pass begins or has
/// been made.
fn start_and_kill(path: &Path, whole: &Whole, random: &mut fastrand::Rng) {
    let mut run = child(path).spawn().unwrap();
    let mut lines = BufReader::new(run.stdout.take().unwrap()).lines();
    if random.u8(..3) == 0 {
        std::thread::sleep(whole.time.mul_f64(random.f64()));
    } else {
        // As many passes as are left for each kill of this transcript.
        let most = whole.passes / KILLS_PER_FILE as usize;
        let passes = random.usize(1..most.max(2));
        let told = lines.by_ref().map_while(Result::ok);
        told.filter(|line| line.contains(MARK)).nth(passes);
        std::thread::sleep(Duration::from_micros(random.u64(..200)));
    }
    run.kill().unwrap();
    run.wait().unwrap();
}

/// Does nothing unless it is started by [`child`]: then it resumes the run and tells of its passes.
#[tokio::test]
async fn another_process() {
    let Some(path) = std::env::var_os(FILE).map(PathBuf::from) else {
        return;
    };
    let session = Arc::new(Session::load(&path).unwrap());
    let mut open = session.open_calls();
    open.sort_by_key(|call| call.asked);
    for call in open {
        let resolution = Resolution::of(&call, &Choice::default()).unwrap();
        resolution.apply(&session).unwrap();
    }
    let mut messages = session.messages();
    if messages.last().is_some_and(|last| last.content == "Done.") {
        return;
    }
    if messages.is_empty() {
        let rules = Message::system("Rules.").with_sysprompt().with_sticky();
        messages.push(Arc::new(rules));
    }
    messages.push(Arc::new(Message::user("Go on.")));
    let agent = reading(&session);
    let mut run = agent.run(messages).unwrap();
    while let Some(event) = run.next_event().await {
        if event.kind().starts_with("compaction") {
            // The parent may have gone away.
            let _ = writeln!(std::io::stdout(), "{MARK}{}", event.kind());
        }
    }
    run.drained().await;
    assert_eq!(run.result().await.text(), "Done.");
}

/// An agent that reads the pages which the transcript has not asked for.
fn reading(session: &Arc<Session>) -> sess::agent::Agent {
    let asked = pages(&session.events().unwrap()).len();
    let rounds = (asked..ROUNDS).map(|page| {
        let call = call_with(&format!("c{page}"), "read", &page_of(page));
        Step::chunks(["m".repeat(200)]).with_calls([call])
    });
    let model = backend(rounds.chain([Step::text("Done.")]));
    let summaries = backend((0..4 * ROUNDS).map(|_| Step::text("THE SUMMARY")));
    let options = CompactorOptions {
        keep_recent: 2,
        age_observations: true,
        age_min_chars: 100,
        age_reclaim_min: 1_500,
        ..CompactorOptions::new(3_000)
    };
    let summariser = Arc::new(BackendSummariser::new(summaries));
    let compactor = SummarisingCompactor::new(summariser, by_character(), options).unwrap();
    let provider = provider(&["read"]).with_responder(|call| Ok(result_of(call).into()));
    agent_on([&model])
        .counter(by_character())
        .session(session.clone())
        .provider(provider)
        .compactor(compactor)
        .max_tool_rounds(2 * ROUNDS as u64)
        .max_tool_calls(2 * ROUNDS as u64)
        .build()
        .unwrap()
}

fn page_of(page: usize) -> String {
    format!(r#"{{"page":{page}}}"#)
}

fn result_of(call: &ToolCall) -> String {
    format!("{:.<600}", format!("page {}", call.arguments))
}

/// The arguments of every reading that was asked for, in file order.
fn pages(lines: &[Json]) -> Vec<String> {
    let payloads = lines.iter().filter_map(|line| line.get("payload"));
    let calls = payloads.flat_map(|payload| list(&payload, "tool-calls"));
    calls
        .map(|call| ToolCall::from_json(&call).arguments)
        .collect()
}

fn list(payload: &Json, key: &str) -> Vec<Json> {
    let list = payload.get(key).and_then(|list| list.items());
    list.unwrap_or_default()
}

/// What a killed process leaves is whole but for its last line, and replays to what its passes say.
/// So many lines were seen before; returns how many there are.
fn look(path: &Path, seen: usize, tally: &mut Tally) -> usize {
    let bytes = std::fs::read(path).unwrap();
    let report = check(bytes.as_slice()).unwrap();
    assert!(
        matches!(
            report.health,
            Health::Healthy | Health::TornTail | Health::MissingNewline
        ),
        "{report:?}"
    );
    tally.torn_tails += u64::from(report.health == Health::TornTail);
    tally.open_calls += report.open_calls.len() as u64;
    let lines = check_passes(&bytes, seen);
    let last = lines.last().and_then(|line| line.get_str("type"));
    *tally.last_lines.entry(last.unwrap()).or_default() += 1;
    let copy = path.with_extension("looked-at");
    std::fs::copy(path, &copy).unwrap();
    let loaded = Session::load(&copy).unwrap().messages();
    assert_eq!(told(&loaded), folded(&lines));
    lines.len()
}

/// A resumed run ends with its answer, nothing is open, and each page was read once.
fn check_finished(path: &Path, seen: usize) {
    let bytes = std::fs::read(path).unwrap();
    let report = check(bytes.as_slice()).unwrap();
    assert_eq!(
        (report.health, report.open_calls),
        (Health::Healthy, vec![])
    );
    let lines = check_passes(&bytes, seen);
    assert_eq!(pages(&lines), (0..ROUNDS).map(page_of).collect::<Vec<_>>());
    let count = |name: &str| of_type(&lines, name).count();
    assert!(
        count("elision") > 10 && count("compaction") > 10,
        "{lines:?}"
    );
    assert_eq!(count("tool-dispatched"), count("tool-settled"));
    let loaded = Session::load(path).unwrap().messages();
    assert_eq!(told(&loaded), folded(&lines));
    assert_eq!(loaded.last().unwrap().content, "Done.");
    let size = by_character().count_messages(&loaded);
    assert!(size <= 3_000, "{size}");
}

fn of_type<'a>(lines: &'a [Json], name: &'a str) -> impl Iterator<Item = Json> + 'a {
    let named = move |line: &&Json| line.get_str("type").as_deref() == Some(name);
    let payload = |line: &Json| line.get("payload").unwrap();
    lines.iter().filter(named).map(payload)
}

/// Every whole line. What the lines say of passes holds, for those that were not seen before: a stub
/// has the one form and stands for a text that is still there, and the size of the last compaction
/// is that of what replays up to its line.
fn check_passes(bytes: &[u8], seen: usize) -> Vec<Json> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().filter_map(|line| Json::parse(line).ok());
    let lines: Vec<Json> = lines.collect();
    let texts: HashMap<String, Json> = lines
        .iter()
        .filter_map(|line| Some((line.get_str("id")?, line.get("payload")?)))
        .collect();
    for elision in of_type(&lines[seen..], "elision") {
        for item in list(&elision, "items") {
            let whole = &texts[&item.get_str("id").unwrap()];
            assert_eq!(whole.get_str("role").as_deref(), Some("tool"));
            let length = whole.get_str("content").unwrap().chars().count() as u64;
            assert_eq!(item.get_str("stub"), Some(stub(length, Some("read"))));
        }
    }
    for compaction in of_type(&lines[seen..], "compaction") {
        let summary = compaction.get_str("summary").unwrap();
        assert!(summary.starts_with(SUMMARY_HEADER), "{summary}");
    }
    let is_compaction = |line: &Json| line.get_str("type").as_deref() == Some("compaction");
    if let Some(last) = lines.iter().rposition(is_compaction) {
        let name = Path::new("killed");
        let then = Replayed::read_to_line(name, bytes, last as u64 + 1).unwrap();
        let entries = then.conversation().iter();
        let messages: Vec<Arc<Message>> = entries.map(|entry| entry.body.clone()).collect();
        let size = by_character().count_messages(&messages);
        let compaction = lines[last].get("payload").unwrap();
        assert_eq!(text_of(&compaction, "tokens-after"), size.to_string());
    }
    lines
}

/// Role, content and call id.
type Told = (String, String, Option<String>);

fn told(messages: &[Arc<Message>]) -> Vec<Told> {
    let told = messages.iter().map(|message| {
        let role = message.role.as_str().to_owned();
        (role, message.content.clone(), message.tool_call_id.clone())
    });
    told.collect()
}

/// A message of the conversation as it is folded here.
struct Live {
    id: String,
    is_sticky: bool,
    told: Told,
}

/// The conversation that the lines promise, folded by hand.
fn folded(lines: &[Json]) -> Vec<Told> {
    let mut live: Vec<Live> = Vec::new();
    for line in lines {
        let id = line.get_str("id").unwrap();
        let payload = line.get("payload").unwrap();
        let text = |key: &str| payload.get_str(key);
        match line.get_str("type").as_deref() {
            Some("message") => {
                let content = text("content").unwrap_or_default();
                live.push(Live {
                    id,
                    is_sticky: payload.get("sticky").is_some(),
                    told: (text("role").unwrap(), content, text("tool-call-id")),
                });
            }
            Some("elision") => {
                for item in list(&payload, "items") {
                    let id = item.get_str("id").unwrap();
                    let named = live.iter_mut().find(|message| message.id == id);
                    named.unwrap().told.1 = item.get_str("stub").unwrap();
                }
            }
            Some("compaction") => {
                let through = text("replaces-through-id").unwrap();
                let cut = live.iter().position(|message| message.id == through);
                let rest = live.split_off(cut.unwrap() + 1);
                live.retain(|message| message.is_sticky);
                live.push(Live {
                    id,
                    is_sticky: false,
                    told: ("user".to_owned(), text("summary").unwrap(), None),
                });
                live.extend(rest);
            }
            _ => {}
        }
    }
    live.into_iter().map(|message| message.told).collect()
}
