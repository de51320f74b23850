//! Where the screen stands over rows, and how it moves over them.

use super::action::Action;
use super::styled::Styled;

/// Where a screen stands. A row is known by a number; numbers ascend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stand {
    /// The row that keys act on.
    pub cursor: u64,
    /// The first row shown.
    pub top: u64,
    /// How many of its lines are above the screen.
    pub skip: usize,
    /// How many lines there is room for.
    pub height: usize,
}

/// Rows of one or several lines, with a screen that moves over them.
pub trait Scroll {
    /// Where the screen stands.
    fn stand(&mut self) -> &mut Stand;

    /// The lines of a row. The first is its summary.
    fn laid_out(&mut self, row: u64) -> &[Styled];

    /// The row after.
    fn row_after(&self, row: u64) -> Option<u64>;

    /// The row before.
    fn row_before(&mut self, row: u64) -> Option<u64>;

    /// The cursor has moved by itself.
    fn moved(&mut self) {}

    /// How many lines of the screen a row takes.
    fn height_of(&mut self, row: u64) -> usize {
        self.laid_out(row).len()
    }

    /// Puts the cursor on a row and makes sure that it is in sight.
    fn put(&mut self, row: u64) {
        self.stand().cursor = row;
        self.keep_cursor_in_sight();
        self.moved();
    }

    /// Moves the screen to the cursor, where it is not there.
    fn keep_cursor_in_sight(&mut self) {
        let Stand {
            cursor,
            top,
            skip,
            height,
        } = *self.stand();
        if cursor < top || (cursor == top && skip > 0) {
            return self.show_at_top(cursor, 0);
        }
        match self.line_of_screen(cursor) {
            Some(line) if line + self.height_of(cursor) <= height => {}
            _ => self.show_at_bottom(cursor),
        }
    }

    /// On which line of the screen a row begins, if that is on the screen.
    fn line_of_screen(&mut self, row: u64) -> Option<usize> {
        let Stand {
            top, skip, height, ..
        } = *self.stand();
        let mut at = top;
        let mut below = 0;
        while at != row {
            below += self.height_of(at);
            if below >= height + skip {
                return None;
            }
            at = self.row_after(at)?;
        }
        below.checked_sub(skip)
    }

    /// Scrolls so that a row begins above the top by so many lines.
    fn show_at_top(&mut self, row: u64, skip: usize) {
        let stand = self.stand();
        stand.top = row;
        stand.skip = skip;
    }

    /// Scrolls so that a row ends at the bottom, or begins at the top where it is longer.
    fn show_at_bottom(&mut self, row: u64) {
        self.show_at_top(row, 0);
        let mut left = self.stand().height.saturating_sub(self.height_of(row));
        let mut top = row;
        while left > 0
            && let Some(before) = self.row_before(top)
        {
            let height = self.height_of(before);
            top = before;
            self.show_at_top(top, height.saturating_sub(left));
            left = left.saturating_sub(height);
        }
    }

    /// Moves the screen by so many lines, down or up, as far as there are any.
    /// Returns by how many.
    fn scroll(&mut self, lines: isize) -> isize {
        let count = (0..lines.abs())
            .take_while(|_| match lines > 0 {
                true => self.scroll_down(),
                false => self.scroll_up(),
            })
            .count();
        isize::try_from(count).unwrap_or(0) * lines.signum()
    }

    /// By one line, where there are more.
    fn scroll_down(&mut self) -> bool {
        if !self.has_more_below() {
            return false;
        }
        let Stand { top, skip, .. } = *self.stand();
        match self.row_after(top) {
            Some(next) if skip + 1 >= self.height_of(top) => self.show_at_top(next, 0),
            _ => self.show_at_top(top, skip + 1),
        }
        true
    }

    /// By one line, where there are more.
    fn scroll_up(&mut self) -> bool {
        let Stand { top, skip, .. } = *self.stand();
        if skip > 0 {
            self.show_at_top(top, skip - 1);
            return true;
        }
        let Some(before) = self.row_before(top) else {
            return false;
        };
        let height = self.height_of(before);
        self.show_at_top(before, height.saturating_sub(1));
        true
    }

    /// Whether lines are below the screen.
    fn has_more_below(&mut self) -> bool {
        let Stand {
            top, skip, height, ..
        } = *self.stand();
        let mut at = top;
        let mut below = 0;
        loop {
            below += self.height_of(at);
            if below > height + skip {
                return true;
            }
            match self.row_after(at) {
                Some(next) => at = next,
                None => return false,
            }
        }
    }

    /// The row on a line of the screen; the last one below the end.
    fn row_at(&mut self, line: usize) -> u64 {
        let Stand { top, skip, .. } = *self.stand();
        let mut at = top;
        let mut below = self.height_of(at).saturating_sub(skip);
        while below <= line
            && let Some(next) = self.row_after(at)
        {
            at = next;
            below += self.height_of(at);
        }
        at
    }

    /// Moves screen and cursor together; where the screen cannot move, the cursor does.
    fn page(&mut self, lines: isize) {
        let Stand { cursor, height, .. } = *self.stand();
        let place = self.line_of_screen(cursor).unwrap_or(0);
        let left = lines - self.scroll(lines);
        let last = height.saturating_sub(1);
        self.stand().cursor = self.row_at(place.saturating_add_signed(left).min(last));
        self.moved();
    }

    /// By how much `PgDn` moves.
    fn lines_of_page(&mut self) -> isize {
        let lines = self.stand().height.saturating_sub(1).max(1);
        isize::try_from(lines).unwrap_or(1)
    }

    /// Does what moves by a row or by pages, and nothing on any other action.
    fn step(&mut self, action: Action) {
        let page = self.lines_of_page();
        match action {
            Action::Down => self.down(),
            Action::Up => self.up(),
            Action::HalfDown => self.page(page / 2 + 1),
            Action::HalfUp => self.page(-page / 2 - 1),
            Action::PageDown => self.page(page),
            Action::PageUp => self.page(-page),
            _ => {}
        }
    }

    /// One row further; a row that is longer than the screen is read first.
    fn down(&mut self) {
        let Stand {
            cursor,
            skip,
            height,
            ..
        } = *self.stand();
        let own = self.height_of(cursor);
        let end = match self.line_of_screen(cursor) {
            Some(line) => line + own,
            None => own.saturating_sub(skip),
        };
        if end > height {
            self.scroll(1);
        } else if let Some(next) = self.row_after(cursor) {
            self.put(next);
        } else {
            self.moved();
        }
    }

    /// One row back.
    fn up(&mut self) {
        let Stand {
            cursor,
            top,
            skip,
            height,
        } = *self.stand();
        if cursor == top && skip > 0 {
            self.scroll(-1);
        } else if let Some(before) = self.row_before(cursor) {
            if before >= top {
                return self.put(before);
            }
            let own = self.height_of(before);
            self.stand().cursor = before;
            self.show_at_top(before, own.saturating_sub(height));
            self.moved();
        }
    }

    /// The mouse wheel: the screen moves, and the cursor stays in sight.
    fn wheel_rows(&mut self, lines: isize) {
        self.scroll(lines);
        let height = self.stand().height;
        let last = self.row_at(height.saturating_sub(1));
        let stand = self.stand();
        stand.cursor = stand.cursor.clamp(stand.top, last.max(stand.top));
        self.moved();
    }
}
