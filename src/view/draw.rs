//! The screen as a function of the state.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use super::popup::Popup;
use super::stage::Stage;
use super::styled::{Ink, Styled};
use super::theme::Theme;
use crate::look::width;

/// Where the list begins.
pub const TOP: u16 = 3;

/// Draws everything.
pub fn draw(stage: &mut (impl Stage + ?Sized), theme: Theme, frame: &mut Frame<'_>) {
    let area = frame.area();
    let mut canvas = Canvas {
        buffer: frame.buffer_mut(),
        area,
        theme,
    };
    for (y, row) in (0..).zip(stage.above()) {
        canvas.row(0, y, &row);
    }
    match stage.nothing() {
        Some(what) => canvas.row(2, TOP, &Styled::of(Ink::Dim, what)),
        None => canvas.list(stage),
    }
    if let Some(popup) = stage.over() {
        canvas.popup(popup);
    }
    canvas.row(0, area.height.saturating_sub(1), &stage.below());
}

struct Canvas<'b> {
    buffer: &'b mut Buffer,
    area: Rect,
    theme: Theme,
}

impl Canvas<'_> {
    fn row(&mut self, x: u16, y: u16, row: &Styled) {
        let mut x = x;
        for span in &row.spans {
            let left = self.area.width.saturating_sub(x);
            if left == 0 || y >= self.area.height {
                return;
            }
            let style = self.theme.style(span.ink);
            let (next, _) = self
                .buffer
                .set_stringn(x, y, &span.text, left.into(), style);
            x = next;
        }
    }

    fn weigh(&mut self, y: u16, style: Style) {
        if y < self.area.height {
            let row = Rect::new(0, y, self.area.width, 1);
            self.buffer.set_style(row, style);
        }
    }

    fn list(&mut self, stage: &mut (impl Stage + ?Sized)) {
        let pattern = stage.pattern();
        let stand = *stage.stand();
        let end = TOP.saturating_add(u16::try_from(stand.height).unwrap_or(u16::MAX));
        let (mut y, mut skip) = (TOP, stand.skip);
        let mut at = Some(stand.top);
        while let Some(row) = at
            && y < end
        {
            let is_here = row == stand.cursor;
            for (place, line) in stage.laid_out(row).iter().enumerate().skip(skip) {
                if y >= end {
                    break;
                }
                let marked = pattern
                    .as_ref()
                    .map(|pattern| line.clone().with_matches(pattern));
                self.row(0, y, marked.as_ref().unwrap_or(line));
                if is_here {
                    self.mark(y, place == 0);
                }
                y += 1;
            }
            skip = 0;
            at = stage.row_after(row);
        }
    }

    /// The row under the cursor.
    fn mark(&mut self, y: u16, is_summary: bool) {
        let bold = Style::default().add_modifier(Modifier::BOLD);
        if is_summary {
            self.weigh(y, bold);
        }
        if let Some(cell) = self.buffer.cell_mut(Position::new(0, y)) {
            cell.set_symbol("▌")
                .set_style(self.theme.style(Ink::Strong));
        }
    }

    fn popup(&mut self, popup: &Popup) {
        let height = self.area.height.saturating_sub(TOP + 1);
        let columns = usize::from(self.area.width);
        for y in TOP..TOP + height {
            self.blank(y);
        }
        let title = format!("── {} ", popup.title);
        let line = "─".repeat(columns.saturating_sub(width::width(&title)));
        self.row(0, TOP, &Styled::of(Ink::Strong, title + &line));
        let inside = height.saturating_sub(1);
        let rows = popup.rows.iter().skip(popup.above);
        for (y, row) in (TOP + 1..TOP + 1 + inside).zip(rows) {
            self.row(2, y, row);
        }
        let below = popup
            .rows
            .len()
            .saturating_sub(popup.above + usize::from(inside));
        if below > 0 {
            let more = Styled::of(Ink::Dim, format!("  … {below} more, j goes on"));
            self.blank(TOP + inside);
            self.row(0, TOP + inside, &more);
        }
    }

    fn blank(&mut self, y: u16) {
        for x in 0..self.area.width {
            if let Some(cell) = self.buffer.cell_mut(Position::new(x, y)) {
                cell.reset();
            }
        }
    }
}
