//! Where the screen stands over the rows.

use super::app::App;

impl App {
    /// How many lines of the screen a row takes.
    pub(super) fn height_of(&mut self, row: u64) -> usize {
        self.laid_out(row).len()
    }

    /// Shows the last row at the bottom, and follows.
    pub(super) fn go_last(&mut self) {
        self.follows = true;
        self.fresh = None;
        if let Some(last) = self.last_row() {
            self.cursor = last;
            self.show_at_bottom(last);
        }
    }

    /// Puts the cursor on a row and makes sure that it is in sight.
    pub(super) fn put(&mut self, row: u64) {
        self.cursor = row;
        self.keep_cursor_in_sight();
        self.note_end();
    }

    /// The end is followed as long as the cursor stands on it.
    pub(super) fn note_end(&mut self) {
        self.follows = self.last_row() == Some(self.cursor);
        if self.follows {
            self.fresh = None;
        }
    }

    pub(super) fn keep_cursor_in_sight(&mut self) {
        if self.cursor < self.top || (self.cursor == self.top && self.skip > 0) {
            self.top = self.cursor;
            self.skip = 0;
            return;
        }
        match self.line_of_screen(self.cursor) {
            Some(line) if line + self.height_of(self.cursor) <= self.height => {}
            _ => self.show_at_bottom(self.cursor),
        }
    }

    /// On which line of the screen a row begins, if that is on the screen.
    fn line_of_screen(&mut self, row: u64) -> Option<usize> {
        let mut at = self.top;
        let mut below = 0;
        while at != row {
            let height = self.height_of(at);
            below += height;
            if below >= self.height + self.skip {
                return None;
            }
            at = self.row_after(at)?;
        }
        below.checked_sub(self.skip)
    }

    /// Scrolls so that a row ends at the bottom, or begins at the top where it is longer.
    fn show_at_bottom(&mut self, row: u64) {
        self.top = row;
        self.skip = 0;
        let mut left = self.height.saturating_sub(self.height_of(row));
        while left > 0
            && let Some(before) = self.row_before(self.top)
        {
            let height = self.height_of(before);
            self.top = before;
            self.skip = height.saturating_sub(left);
            left = left.saturating_sub(height);
        }
    }

    /// Moves the screen by so many lines, down or up, as far as there are any.
    /// Returns by how many.
    pub(super) fn scroll(&mut self, lines: isize) -> isize {
        let moved = |app: &mut Self| match lines > 0 {
            true => app.scroll_down(),
            false => app.scroll_up(),
        };
        let count = (0..lines.abs()).take_while(|_| moved(self)).count();
        isize::try_from(count).unwrap_or(0) * lines.signum()
    }

    fn scroll_down(&mut self) -> bool {
        if !self.has_more_below() {
            return false;
        }
        self.skip += 1;
        if self.skip >= self.height_of(self.top)
            && let Some(next) = self.row_after(self.top)
        {
            self.top = next;
            self.skip = 0;
        }
        true
    }

    fn scroll_up(&mut self) -> bool {
        if self.skip > 0 {
            self.skip -= 1;
            return true;
        }
        let Some(before) = self.row_before(self.top) else {
            return false;
        };
        self.top = before;
        self.skip = self.height_of(before).saturating_sub(1);
        true
    }

    fn has_more_below(&mut self) -> bool {
        let mut at = self.top;
        let mut below = 0;
        loop {
            below += self.height_of(at);
            if below > self.height + self.skip {
                return true;
            }
            match self.row_after(at) {
                Some(next) => at = next,
                None => return false,
            }
        }
    }

    /// The row on a line of the screen; the last one below the end.
    pub(super) fn row_at(&mut self, line: usize) -> u64 {
        let mut at = self.top;
        let mut below = self.height_of(at).saturating_sub(self.skip);
        while below <= line
            && let Some(next) = self.row_after(at)
        {
            at = next;
            below += self.height_of(at);
        }
        at
    }

    /// Moves screen and cursor together; where the screen cannot move, the cursor does.
    pub(super) fn page(&mut self, lines: isize) {
        let place = self.line_of_screen(self.cursor).unwrap_or(0);
        let left = lines - self.scroll(lines);
        let last = self.height.saturating_sub(1);
        self.cursor = self.row_at(place.saturating_add_signed(left).min(last));
        self.note_end();
    }

    /// One row further; a row that is longer than the screen is read first.
    pub(super) fn down(&mut self) {
        let height = self.height_of(self.cursor);
        let end = match self.line_of_screen(self.cursor) {
            Some(line) => line + height,
            None => height.saturating_sub(self.skip),
        };
        if end > self.height {
            self.scroll(1);
        } else if let Some(next) = self.row_after(self.cursor) {
            self.put(next);
        } else {
            self.note_end();
        }
    }

    /// One row back.
    pub(super) fn up(&mut self) {
        if self.cursor == self.top && self.skip > 0 {
            self.scroll(-1);
        } else if let Some(before) = self.row_before(self.cursor) {
            let height = self.height_of(before);
            match before < self.top {
                true => {
                    self.cursor = before;
                    self.top = before;
                    self.skip = height.saturating_sub(self.height);
                    self.note_end();
                }
                false => self.put(before),
            }
        }
    }

    /// The mouse wheel: the screen moves, and the cursor stays in sight.
    pub fn wheel(&mut self, lines: isize) {
        if let Some(popup) = &mut self.popup {
            popup.scroll(lines);
            return;
        }
        self.scroll(lines);
        let last = self.row_at(self.height.saturating_sub(1));
        self.cursor = self.cursor.clamp(self.top, last);
        self.note_end();
    }

    /// A click on a line of the list: the cursor goes there, a second one opens the entry.
    pub fn click(&mut self, line: usize) {
        if self.popup.take().is_some() || line >= self.height {
            return;
        }
        let row = self.row_at(line);
        if row == self.cursor {
            let fold = self.fold_of(row).next();
            self.folds.insert(row, fold);
            self.laid.remove(&row);
        }
        self.put(row);
    }

    /// Rows came or went: the cursor goes to the nearest one.
    pub(super) fn after_change_of_rows(&mut self) {
        self.laid.clear();
        let follows = self.follows;
        match self.row_near(self.cursor) {
            Some(_) if follows => self.go_last(),
            Some(row) => {
                self.cursor = row;
                self.show_at_bottom(row);
            }
            None => {}
        }
    }
}
