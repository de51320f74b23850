//! What stands above and below the list: who ran, how it stands, the strip of rounds, the status.

use super::app::App;
use super::prompt::Ask;
use super::scroll::Scroll;
use super::styled::{Ink, Styled};
use crate::look::human::{count, counted, duration, size};
use crate::look::index::Kind;
use crate::look::visible;
use crate::look::width;
use crate::session::read::Ending;

/// Where the rounds begin in the strip.
const STRIP: usize = 8;
/// What is said of the round under the cursor takes so many columns, on screens at least this wide.
const ROUND: usize = 36;
const WIDE: usize = 80;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

impl App {
    /// The two lines on top.
    pub(super) fn header(&self) -> [Styled; 2] {
        [self.who(), self.how()]
    }

    fn who(&self) -> Styled {
        let path = self.file.path();
        let name = path.file_name().map_or(path, std::path::Path::new);
        let mut who = Styled::of(Ink::Strong, visible::path(name));
        let meta = self.overview.meta();
        for key in ["agent", "model", "purpose", "cwd"] {
            if let Some(value) = meta.and_then(|meta| meta.get_str(key)) {
                who.push(Ink::Dim, " · ");
                who.push(Ink::Plain, visible::excerpt(&value, 40));
            }
        }
        let side = match (&self.seen, self.conversation()) {
            (_, Some(_)) => "SEEN",
            (Some(_), None) => "…",
            (None, None) => "SAID",
        };
        let right = Styled::of(Ink::Strong, side);
        who.justified(right, self.columns)
    }

    fn how(&self) -> Styled {
        let mut how = Styled::default();
        if self.overview.read() == 0 && !self.file.is_indexed() {
            how.push(Ink::Dim, "the end is shown while the file is read");
        } else if !self.is_read() {
            how.push(Ink::Dim, "reading");
        } else {
            let state = self.overview.state(self.now);
            let ink = match self.overview.open_calls().is_empty() {
                true => Ink::Good,
                false => Ink::Warning,
            };
            how.push(ink, state);
        }
        if let Some(damage) = self.damage() {
            how.push(Ink::Error, format!(", {damage}"));
        }
        let mut fact = |fact: String| {
            how.push(Ink::Dim, " · ");
            how.push(Ink::Plain, fact);
        };
        fact(counted(self.file.count(), "line", "lines"));
        fact(size(self.file.size()));
        let tokens = self.overview.timeline().tokens;
        let total = tokens.prompt.unwrap_or(0) + tokens.completion.unwrap_or(0);
        if total > 0 {
            fact(format!("{} tokens", count(total)));
        }
        if let Some(cost) = tokens.cost {
            fact(format!("cost {cost:.4}"));
        }
        how.fitted(self.columns)
    }

    /// Lines that cannot be read, and half a line at the end.
    fn damage(&self) -> Option<String> {
        let damaged = self.overview.damaged();
        let last = self.file.last();
        let is_torn =
            last.is_some_and(|last| last.ending == Ending::None && last.kind == Kind::Damaged);
        match (damaged, is_torn) {
            (0, false) => None,
            (0, true) => Some("half a line at the end".to_owned()),
            _ => Some(counted(
                damaged + u64::from(is_torn),
                "damaged line",
                "damaged lines",
            )),
        }
    }

    /// Whether the whole file has been read.
    fn is_read(&self) -> bool {
        let size = self.file.size();
        self.overview.read() >= size
            || self
                .file
                .last()
                .is_some_and(|last| self.overview.read() >= last.offset)
                && self.file.is_indexed()
    }

    /// One column a stretch of rounds, as high as the prompt was long; in its place stands a mark
    /// where something went wrong or was folded. At the right, how long the round under the cursor
    /// took, and its tokens.
    pub(super) fn strip(&self) -> Styled {
        let timeline = self.overview.timeline();
        let rounds = &timeline.rounds;
        let each = self.rounds_in_a_column();
        let most = rounds
            .iter()
            .filter_map(|round| round.tokens.prompt)
            .max()
            .unwrap_or(0);
        let mut strip = Styled::of(Ink::Dim, "rounds  ");
        let here = self
            .line_of(self.stand.cursor)
            .map_or(0, |line| line.number);
        for (place, stretch) in rounds.chunks(each).enumerate() {
            let from = place * each;
            let is_folded = timeline
                .folds
                .iter()
                .any(|fold| (from..from + each).contains(&fold.after_rounds));
            let failed = stretch.iter().any(|round| round.failures > 0);
            let unknown = stretch.iter().any(|round| round.unknown > 0);
            let tokens = stretch.iter().filter_map(|round| round.tokens.prompt).max();
            let bar = bar(tokens.unwrap_or(0), most);
            let next = rounds.get(from + each).map_or(u64::MAX, |round| round.line);
            let is_here = stretch.first().is_some_and(|round| round.line <= here) && here < next;
            let (mark, ink) = match (is_here, failed, unknown, is_folded) {
                (true, ..) => ('◆', Ink::Strong),
                (_, true, ..) => ('✗', Ink::Error),
                (_, _, true, _) => ('?', Ink::Warning),
                (_, _, _, true) => ('≡', Ink::Folded),
                _ => (bar, Ink::Assistant),
            };
            strip.push(ink, mark.to_string());
        }
        strip.justified(self.round(here), self.columns)
    }

    /// What is known of the round that a line belongs to.
    fn round(&self, line: u64) -> Styled {
        let rounds = &self.overview.timeline().rounds;
        let behind = rounds.partition_point(|round| round.line <= line);
        let Some(round) = behind.checked_sub(1).and_then(|at| rounds.get(at)) else {
            return Styled::default();
        };
        let tokens = [round.tokens.prompt, round.tokens.completion];
        let tokens: u64 = tokens.into_iter().flatten().fold(0, u64::saturating_add);
        let facts = [
            round.duration().map(duration),
            (tokens > 0).then(|| counted(tokens, "token", "tokens")),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        let what = format!("round of line {}", round.line);
        match facts.is_empty() {
            true => Styled::of(Ink::Dim, what),
            false => Styled::of(Ink::Dim, format!("{what}: {}", facts.join(", "))),
        }
    }

    fn rounds_in_a_column(&self) -> usize {
        let aside = if self.columns >= WIDE { ROUND } else { 0 };
        let columns = self.columns.saturating_sub(STRIP + aside).max(1);
        self.overview
            .timeline()
            .rounds
            .len()
            .div_ceil(columns)
            .max(1)
    }

    /// A click on a column of the strip: the cursor goes to its first round.
    pub fn click_strip(&mut self, column: usize) {
        let each = self.rounds_in_a_column();
        let Some(place) = column.checked_sub(STRIP) else {
            return;
        };
        let round = self.overview.timeline().rounds.get(place * each);
        let line = round.and_then(|round| self.file.numbered(round.line));
        let row = line.and_then(|line| self.row_near(line.offset));
        if let Some(row) = row.filter(|_| self.popup.is_none()) {
            self.put(row);
        }
    }

    /// The line at the bottom.
    pub(super) fn status(&self) -> Styled {
        if let Some(prompt) = &self.prompt {
            let mut line = Styled::of(Ink::Strong, prompt.sign());
            line.push(Ink::Plain, visible::one_line(prompt.text()).into_owned());
            line.push(Ink::Strong, "▏");
            if matches!(prompt.ask(), Ask::Search { .. }) {
                let right = Styled::of(Ink::Dim, self.search_state().unwrap_or_default());
                return line.justified(right, self.columns);
            }
            return line.fitted(self.columns);
        }
        let mut line = Styled::default();
        if let Some(trouble) = self.trouble {
            line.push(Ink::Warning, format!("! {trouble}  "));
        }
        if let Some(progress) = self.progress() {
            line.push(Ink::Dim, format!("{progress}  "));
        }
        let said = [self.status.clone()]
            .into_iter()
            .filter(|said| !said.is_empty());
        let said = said.chain(self.filter_state()).chain(self.search_state());
        let said: Vec<String> = said.collect();
        line.push(
            Ink::Plain,
            visible::one_line(&said.join(" · ")).into_owned(),
        );
        line.justified(self.place(), self.columns)
    }

    fn place(&self) -> Styled {
        let mut place = String::new();
        if let Some(fresh) = self.fresh.filter(|_| !self.follows) {
            let last = self.file.last().map_or(0, |line| line.number);
            let first = self.file.line(fresh).map_or(last, |line| line.number);
            place.push_str(&format!("{} new below  ", last + 1 - first.min(last)));
        }
        if self.follows && self.conversation().is_none() {
            place.push_str("following  ");
        }
        match self.line_of(self.stand.cursor) {
            Some(line) if line.number > 0 => {
                let all = self.file.count();
                place.push_str(&format!("{}/{}  ", line.number, all));
            }
            Some(line) => place.push_str(&format!("@{}  ", line.offset)),
            None => {}
        }
        place.push_str("? help");
        Styled::of(Ink::Dim, place)
    }

    fn progress(&self) -> Option<String> {
        if let Some(seen) = self.seen.as_ref().filter(|seen| !seen.is_done()) {
            return Some(format!("replaying {} %", seen.percent()));
        }
        let size = self.file.size().max(1);
        if let Some(hunt) = self.hunt.as_ref().filter(|hunt| hunt.is_on()) {
            let word = visible::excerpt(hunt.word(), 30);
            let percent = hunt.percent(&self.file);
            return Some(format!("looking for {word}: {percent} %, Esc stops"));
        }
        if !self.file.is_indexed() {
            return Some(format!("reading {} %", self.file.indexed() * 100 / size));
        }
        let read = self.overview.read() * 100 / size;
        (!self.is_read()).then(|| format!("looking through {read} %"))
    }

    fn filter_state(&self) -> Option<String> {
        let filter = self.filter.as_ref()?;
        let more = if filter.is_done(&self.file) { "" } else { "+" };
        let found = count(filter.found().len() as u64);
        Some(format!("filter {}: {found}{more}", filter.query().text()))
    }

    fn search_state(&self) -> Option<String> {
        let search = self.search.as_ref()?;
        let text = width::truncate(search.text(), 30).into_owned();
        let all = count(search.count());
        let so_far = match search.is_done(&self.file) {
            true => String::new(),
            false => format!("+, {} % searched", search.percent(&self.file)),
        };
        Some(match search.place(self.offset_of(self.stand.cursor)) {
            Some(place) => format!("/{text}: {} of {all}{so_far}", count(place)),
            None => format!("/{text}: {all}{so_far}"),
        })
    }
}

fn bar(value: u64, most: u64) -> char {
    let place = (value * 7).checked_div(most).unwrap_or(0);
    let place = usize::try_from(place).unwrap_or(0);
    BARS.get(place).copied().unwrap_or('█')
}
