//! Measures things against each other in one run, since only their ratio means anything on a
//! machine that others use as well.
//!
//! The subjects take turns; of each the best turn counts, by processor time and by the clock.

use std::time::{Duration, Instant};

/// `--quick`: small inputs, few turns; proves that everything runs and measures nothing.
pub fn is_quick() -> bool {
    std::env::args().any(|argument| argument == "--quick")
}

/// Something to measure: it works through this many bytes (or other units).
pub struct Subject<'a> {
    name: &'a str,
    units: u64,
    turn: Box<dyn FnMut() -> Time + 'a>,
    best: Time,
}

#[derive(Clone, Copy)]
struct Time {
    clock: Duration,
    processor: Duration,
}

impl Time {
    fn of<T>(work: impl FnOnce() -> T) -> Self {
        let (clock, processor) = (Instant::now(), processor_time());
        let made = work();
        let time = Self {
            clock: clock.elapsed(),
            processor: processor_time().saturating_sub(processor),
        };
        drop(made);
        time
    }
}

/// A subject of this name.
pub fn subject<'a>(name: &'a str, units: u64, mut work: impl FnMut() + 'a) -> Subject<'a> {
    prepared(name, units, || (), move |()| work())
}

/// The same, with what each turn needs made before it, and what it leaves dropped after it.
pub fn prepared<'a, T, U>(
    name: &'a str,
    units: u64,
    mut prepare: impl FnMut() -> T + 'a,
    mut work: impl FnMut(T) -> U + 'a,
) -> Subject<'a> {
    Subject {
        name,
        units,
        turn: Box::new(move || {
            let input = prepare();
            Time::of(|| work(input))
        }),
        best: Time {
            clock: Duration::MAX,
            processor: Duration::MAX,
        },
    }
}

/// What the units are, for the table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes: the table shows GB/s.
    Bytes,
    /// Anything else: the table shows nanoseconds for each.
    Each,
}

/// Gives every subject its turns and prints a table; the first is what the others are compared
/// with. Returns the ratios by the clock, and by processor time: above 1 is slower than the first.
pub fn compare(title: &str, unit: Unit, mut subjects: Vec<Subject<'_>>) -> Vec<(f64, f64)> {
    let turns = if is_quick() { 1 } else { 7 };
    for _ in 0..turns {
        for subject in &mut subjects {
            let turn = (subject.turn)();
            let best = &mut subject.best;
            best.clock = best.clock.min(turn.clock);
            best.processor = best.processor.min(turn.processor);
        }
    }
    print(title, unit, &subjects)
}

fn print(title: &str, unit: Unit, subjects: &[Subject<'_>]) -> Vec<(f64, f64)> {
    let (heading, scale): (_, fn(f64) -> f64) = match unit {
        Unit::Bytes => ("GB/s", |seconds| 1e-9 / seconds),
        Unit::Each => ("ns", |seconds| seconds * 1e9),
    };
    println!("\n{title}");
    println!(
        "  {:44} {heading:>10} {:>8} {:>12} {:>8}",
        "", "ratio", "processor", "ratio"
    );
    let each = |time: Duration, subject: &Subject<'_>| time.as_secs_f64() / subject.units as f64;
    let mut ratios = Vec::new();
    for subject in subjects {
        let clock = each(subject.best.clock, subject);
        let processor = each(subject.best.processor, subject);
        let ratio = clock / each(subjects[0].best.clock, &subjects[0]);
        let processor_ratio = processor / each(subjects[0].best.processor, &subjects[0]);
        println!(
            "  {:44} {:>10.2} {ratio:>8.2} {:>12.2} {processor_ratio:>8.2}",
            subject.name,
            scale(clock),
            scale(processor),
        );
        ratios.push((ratio, processor_ratio));
    }
    ratios
}

#[cfg(unix)]
fn processor_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

#[cfg(not(unix))]
fn processor_time() -> Duration {
    Duration::ZERO
}
