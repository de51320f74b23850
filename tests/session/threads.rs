//! 11.7, scenarios 130 to 132: one session in many threads. Several writers of one transcript (133
//! to 136) are in `crash::writers`.

use std::collections::HashSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use sess::session::{AppendError, Arguments, Compaction, Dispatch, Elision, Fault, Outcome};
use sess::{Message, Session};

use super::place::{Place, contents, ids};

#[test]
fn s130_lines_of_many_threads_are_whole_and_in_one_order() {
    let (place, session) = Place::created();
    let barrier = Barrier::new(8);
    thread::scope(|scope| {
        for worker in 0..8 {
            let (session, barrier) = (&session, &barrier);
            scope.spawn(move || {
                barrier.wait();
                for number in 0..50 {
                    let text = format!("{worker} {number} {}", "x".repeat(number * 40));
                    session.append_message(Message::user(text)).unwrap();
                }
            });
        }
    });
    session.close();
    let loaded = place.load();
    assert_eq!(contents(&loaded), contents(&session));
    assert_eq!(ids(&loaded), ids(&session));
    let in_file: Vec<String> = place.lines()[1..]
        .iter()
        .map(|line| line.get_str("id").unwrap())
        .collect();
    assert_eq!(in_file, ids(&session));
    assert_eq!(in_file.iter().collect::<HashSet<_>>().len(), 400);
    // Each thread finds its own lines in the order in which it wrote them.
    for worker in 0..8 {
        let own = format!("{worker} ");
        let numbers: Vec<usize> = contents(&loaded)
            .iter()
            .filter_map(|text| text.strip_prefix(&own)?.split(' ').next()?.parse().ok())
            .collect();
        assert_eq!(numbers, (0..50).collect::<Vec<_>>());
    }
}

#[test]
fn s131_of_many_that_settle_one_operation_one_succeeds() {
    let (place, session) = Place::created();
    for round in 0..20 {
        let dispatch = Dispatch::new("c", "t", Arguments::Text(String::new()));
        let op_id = session.append_tool_dispatched(&dispatch).unwrap();
        let barrier = Barrier::new(8);
        let results: Vec<Result<_, AppendError>> = thread::scope(|scope| {
            let settle = || {
                barrier.wait();
                session.resolve_tool_operation(op_id.clone(), Outcome::Completed, None)
            };
            let settlers: Vec<_> = (0..8).map(|_| scope.spawn(settle)).collect();
            settlers
                .into_iter()
                .map(|settler| settler.join().unwrap())
                .collect()
        });
        let (settled, refused): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
        assert_eq!((settled.len(), refused.len()), (1, 7));
        for error in refused.into_iter().map(Result::unwrap_err) {
            assert!(
                matches!(error, AppendError::Refused(Fault::SettleTwice { .. })),
                "{error}"
            );
        }
        assert_eq!(place.lines().len(), 3 + 2 * round);
    }
    assert!(place.load_copy().pending_tool_operations().is_empty());
}

#[test]
fn s132_a_reader_sees_one_moment_at_a_time() {
    let (_place, session) = Place::created();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    read_everything(&session);
                }
            });
        }
        for number in 0..300 {
            let id = session
                .append_message(Message::user(format!("m{number}")))
                .unwrap();
            let items = [Elision::new(id.clone(), "stub")];
            session.append_elision(&items).unwrap();
            if number % 10 == 9 {
                session
                    .append_compaction(&Compaction::new("sum", id))
                    .unwrap();
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(contents(&session), ["sum"]);
}

fn read_everything(session: &Session) {
    let conversation = session.conversation();
    // Between a message and its stub at most one content is not a stub, and it is the last.
    let texts: Vec<&str> = conversation
        .iter()
        .map(|(_, message)| message.content.as_str())
        .collect();
    let plain = texts.iter().filter(|text| text.starts_with('m')).count();
    assert!(plain <= 1, "{texts:?}");
    assert!(
        plain == 0 || texts.last().unwrap().starts_with('m'),
        "{texts:?}"
    );
    assert!(texts.len() <= 11, "{texts:?}");
    let distinct: HashSet<_> = conversation.iter().map(|(id, _)| id).collect();
    assert_eq!(distinct.len(), conversation.len());
    let before = session.envelope_count();
    let events = session.events().unwrap();
    assert!(events.len() as u64 >= before);
    assert!(session.line_count() >= events.len() as u64);
    assert!(session.pending_tool_operations().is_empty() && session.grants().is_empty());
}
