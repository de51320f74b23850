//! Reads a whole file with every line judged. Judging costs far more than reading, so blocks of
//! lines are judged side by side and given out in file order.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::mpsc;
use std::thread;

use super::damage::Damage;
use super::envelope::{Envelope, Verdict};
use super::read::{Block, Blocks, Line};
use super::shape::Shape;

/// Judging more blocks at once than this gains nothing: reading and folding are done by one thread.
const MOST_WORKERS: usize = 4;

/// Visits every line of the source with its verdict, in file order, until the visitor breaks.
/// Memory does not grow with the file, only with its longest line.
///
/// ```
/// use std::ops::ControlFlow;
/// use sess::session::Verdict;
/// use sess::session::judge::each_line;
/// let source = "{\"type\":\"note\"}\n{\"cut\n";
/// let damaged = each_line(source.as_bytes(), |line, verdict| match verdict {
///     Verdict::Damaged(_) => ControlFlow::Break(line.number),
///     _ => ControlFlow::Continue(()),
/// })?;
/// assert_eq!(damaged, Some(2));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn each_line<B>(
    source: impl Read,
    mut visit: impl FnMut(Line<'_>, Verdict<'_>) -> ControlFlow<B>,
) -> io::Result<Option<B>> {
    each_line_prepared(source, |_, _| (), |line, verdict, ()| visit(line, verdict))
}

/// The same, with what `prepare` makes of each line. Lines are prepared where they are judged, side
/// by side, and visited by one thread. What is prepared has no number yet.
pub fn each_line_prepared<P: Send, B>(
    source: impl Read,
    prepare: impl Fn(Line<'_>, &Verdict<'_>) -> P + Sync,
    mut visit: impl FnMut(Line<'_>, Verdict<'_>, P) -> ControlFlow<B>,
) -> io::Result<Option<B>> {
    let mut blocks = Blocks::new(source);
    let mut number = 0;
    let Some(first) = blocks.next_block(Block::default())? else {
        return Ok(None);
    };
    let Some(second) = blocks.next_block(Block::default())? else {
        let mut judged = Judged::of(first, &prepare);
        return Ok(judged.give_out(&mut number, &mut visit).break_value());
    };
    thread::scope(|scope| {
        let mut crew = Crew::hire(scope, &prepare);
        crew.hand_out(first);
        crew.hand_out(second);
        loop {
            while !crew.is_busy() {
                let Some(block) = blocks.next_block(crew.used.pop().unwrap_or_default())? else {
                    break;
                };
                crew.hand_out(block);
            }
            let Some(mut judged) = crew.take_back() else {
                return Ok(None);
            };
            if let ControlFlow::Break(value) = judged.give_out(&mut number, &mut visit) {
                return Ok(Some(value));
            }
            crew.used.push(judged.block);
        }
    })
}

/// A block with what was found of each of its lines.
struct Judged<P> {
    block: Block,
    opinions: Vec<(Opinion, P)>,
}

impl<P> Judged<P> {
    fn of(mut block: Block, prepare: &impl Fn(Line<'_>, &Verdict<'_>) -> P) -> Self {
        block.decode();
        let opinions = block.lines_as_text(0).map(|(line, text)| {
            let verdict = text.map_or_else(|| Verdict::of(line.bytes), Verdict::of_text);
            let prepared = prepare(line, &verdict);
            (Opinion::of(verdict), prepared)
        });
        let opinions = opinions.collect();
        Self { block, opinions }
    }

    fn give_out<B>(
        &mut self,
        number: &mut u64,
        visit: &mut impl FnMut(Line<'_>, Verdict<'_>, P) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let opinions = self.opinions.drain(..);
        let lines = self.block.lines_as_text(*number);
        for ((line, text), (opinion, prepared)) in lines.zip(opinions) {
            *number = line.number;
            visit(line, opinion.verdict(line.bytes, text), prepared)?;
        }
        ControlFlow::Continue(())
    }
}

/// A verdict without what it borrows.
#[expect(clippy::large_enum_variant, reason = "nearly all are objects")]
enum Opinion {
    Blank,
    Object(Shape),
    Value(&'static str),
    Damaged(Box<Damage>),
}

impl Opinion {
    fn of(verdict: Verdict<'_>) -> Self {
        match verdict {
            Verdict::Blank => Opinion::Blank,
            Verdict::Object(envelope) => Opinion::Object(envelope.shape()),
            Verdict::Value(kind) => Opinion::Value(kind),
            Verdict::Damaged(damage) => Opinion::Damaged(Box::new(damage)),
        }
    }

    fn verdict<'a>(self, bytes: &'a [u8], text: Option<&'a str>) -> Verdict<'a> {
        match self {
            Opinion::Blank => Verdict::Blank,
            // An object is UTF-8, also in a block that is not.
            Opinion::Object(shape) => match text.map_or_else(|| std::str::from_utf8(bytes), Ok) {
                Ok(text) => Verdict::Object(Envelope::of_shape(text, shape)),
                Err(_) => Verdict::Damaged(Damage::of(bytes)),
            },
            Opinion::Value(kind) => Verdict::Value(kind),
            Opinion::Damaged(damage) => Verdict::Damaged(*damage),
        }
    }
}

/// Threads that judge. Blocks go round and come back in the same order.
struct Crew<P> {
    workers: Vec<Worker<P>>,
    /// Blocks handed out and taken back so far; the difference is under way.
    handed: usize,
    taken: usize,
    /// Blocks whose memory may be used again.
    used: Vec<Block>,
}

struct Worker<P> {
    work: mpsc::SyncSender<Block>,
    done: mpsc::Receiver<Judged<P>>,
}

/// How many blocks may wait at one worker.
const QUEUE: usize = 2;

impl<P: Send> Crew<P> {
    fn hire<'scope, 'env: 'scope>(
        scope: &'scope thread::Scope<'scope, 'env>,
        prepare: &'env (impl Fn(Line<'_>, &Verdict<'_>) -> P + Sync),
    ) -> Self
    where
        P: 'env,
    {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let workers = (0..cores.min(MOST_WORKERS))
            .map(|_| Worker::start(scope, prepare))
            .collect();
        Self {
            workers,
            handed: 0,
            taken: 0,
            used: Vec::new(),
        }
    }

    fn is_busy(&self) -> bool {
        self.handed - self.taken >= self.workers.len() * QUEUE
    }

    fn hand_out(&mut self, block: Block) {
        let worker = &self.workers[self.handed % self.workers.len()];
        // A worker ends only when this sender is gone, so sending cannot fail.
        if worker.work.send(block).is_ok() {
            self.handed += 1;
        }
    }

    fn take_back(&mut self) -> Option<Judged<P>> {
        if self.taken == self.handed {
            return None;
        }
        let judged = self.workers[self.taken % self.workers.len()]
            .done
            .recv()
            .ok()?;
        self.taken += 1;
        Some(judged)
    }
}

impl<P: Send> Worker<P> {
    fn start<'scope, 'env: 'scope>(
        scope: &'scope thread::Scope<'scope, 'env>,
        prepare: &'env (impl Fn(Line<'_>, &Verdict<'_>) -> P + Sync),
    ) -> Self
    where
        P: 'env,
    {
        let (work, blocks) = mpsc::sync_channel::<Block>(QUEUE);
        let (results, done) = mpsc::sync_channel(QUEUE);
        scope.spawn(move || {
            for block in blocks {
                if results.send(Judged::of(block, prepare)).is_err() {
                    return;
                }
            }
        });
        Self { work, done }
    }
}

#[cfg(test)]
mod tests {
    use super::super::read::BLOCK;
    use super::*;

    #[test]
    fn a_file_of_many_blocks_comes_in_order_with_the_verdicts_of_each_line() {
        let filler = "x".repeat(BLOCK / 3);
        let mut bytes = Vec::new();
        for index in 0..20 {
            bytes.extend(
                format!("{{\"id\":\"{index}\",\"payload\":\"{filler}\"}}\n\n[1]\n{{\n")
                    .into_bytes(),
            );
        }
        let mut seen = Vec::new();
        let broke = each_line(bytes.as_slice(), |line, verdict| {
            let what = match verdict {
                Verdict::Blank => "blank".to_owned(),
                Verdict::Object(envelope) => envelope.id().unwrap_or_default().into_owned(),
                Verdict::Value(kind) => kind.to_owned(),
                Verdict::Damaged(damage) => damage.kind.to_string(),
            };
            seen.push((line.number, what));
            match line.number {
                77 => ControlFlow::Break("enough"),
                _ => ControlFlow::Continue(()),
            }
        });
        assert_eq!(broke.unwrap(), Some("enough"));
        let expected: Vec<(u64, String)> = (0..77)
            .map(|place| {
                let what = match place % 4 {
                    0 => (place / 4).to_string(),
                    1 => "blank".to_owned(),
                    2 => "array".to_owned(),
                    _ => "truncated".to_owned(),
                };
                (place + 1, what)
            })
            .collect();
        assert_eq!(seen, expected);
    }
}
