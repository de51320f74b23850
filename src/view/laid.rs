//! Rows that have been laid out, kept for the next time they are drawn.

use std::collections::HashMap;

use super::styled::Styled;

/// So many rows are kept; with the next one they are let go.
const KEPT: usize = 600;

/// The lines of rows, by the row's number. Whoever changes what a row shows takes it out.
#[derive(Debug, Default)]
pub struct Laid(HashMap<u64, Vec<Styled>>);

impl Laid {
    /// Whether a row is kept.
    pub fn has(&self, row: u64) -> bool {
        self.0.contains_key(&row)
    }

    /// The lines of a row; none when it is not kept.
    pub fn lines(&self, row: u64) -> &[Styled] {
        self.0.get(&row).map(Vec::as_slice).unwrap_or_default()
    }

    /// Keeps a row.
    pub fn keep(&mut self, row: u64, lines: Vec<Styled>) {
        if self.0.len() >= KEPT {
            self.0.clear();
        }
        self.0.insert(row, lines);
    }

    /// Takes one row out.
    pub fn remove(&mut self, row: u64) {
        self.0.remove(&row);
    }

    /// Takes every row out.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
