//! Tables of Markdown: columns that stand below each other.

use super::inline::inline;
use crate::look::{visible, width};
use crate::view::styled::{Ink, Styled};

/// Larger tables are shown as they stand.
const MOST_ROWS: usize = 1_000;
const MOST_COLUMNS: usize = 40;
/// No column is made narrower than this.
const NARROWEST: usize = 3;
/// Between two columns.
const BETWEEN: &str = " │ ";

/// The rows of the table that begins a text, in this many columns, and how many lines it has.
pub fn at_start<'a>(
    lines: impl Iterator<Item = &'a str> + Clone,
    columns: usize,
) -> Option<(Vec<Styled>, usize)> {
    let mut below = lines.clone().take(MOST_ROWS + 1);
    let head = cells(below.next()?)?;
    let sides = sides(below.next()?)?;
    let is_table = head.len() == sides.len() && (1..=MOST_COLUMNS).contains(&sides.len());
    if !is_table {
        return None;
    }
    let mut rows = vec![head];
    rows.extend(below.map_while(cells));
    if rows.len() >= MOST_ROWS {
        return None;
    }
    let count = rows.len() + 1;
    let table = Table::of(&rows, sides, columns)?;
    Some((table.rows, count))
}

/// Where the text of a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Align {
    Left,
    Middle,
    Right,
}

/// The cells of a line with a bar in it.
fn cells(line: &str) -> Option<Vec<String>> {
    let line = line.trim();
    if !line.contains('|') {
        return None;
    }
    let inside = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut is_escaped = false;
    for mark in inside.chars() {
        match (mark, cells.last_mut()) {
            ('|', Some(cell)) if is_escaped => {
                cell.pop();
                cell.push('|');
            }
            ('|', _) => cells.push(String::new()),
            (_, Some(cell)) => cell.push(mark),
            _ => {}
        }
        is_escaped = mark == '\\' && !is_escaped;
    }
    if cells.last().is_some_and(|last| last.trim().is_empty()) {
        cells.pop();
    }
    Some(cells.iter().map(|cell| cell.trim().to_owned()).collect())
}

/// Of the line below the head: `|---|:-:|--:|`.
fn sides(line: &str) -> Option<Vec<Align>> {
    let side = |cell: &String| {
        let dashes = cell.trim_matches(':');
        let is_rule = !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-');
        is_rule.then(|| match (cell.starts_with(':'), cell.ends_with(':')) {
            (true, true) => Align::Middle,
            (false, true) => Align::Right,
            _ => Align::Left,
        })
    };
    cells(line)?.iter().map(side).collect()
}

struct Table {
    rows: Vec<Styled>,
}

impl Table {
    fn of(cells: &[Vec<String>], sides: Vec<Align>, columns: usize) -> Option<Self> {
        let styled = |(row, cells): (usize, &Vec<String>)| -> Vec<Styled> {
            let cells = cells.iter().map(|cell| visible::lines(cell));
            cells
                .map(|cell| match row {
                    0 => Styled::of(Ink::Strong, cell),
                    _ => inline(&cell),
                })
                .collect()
        };
        let cells: Vec<Vec<Styled>> = cells.iter().enumerate().map(styled).collect();
        let widths = widths(&cells, sides.len(), columns)?;
        let line = |cells: &Vec<Styled>| {
            let mut row = Styled::default();
            for (place, (wide, side)) in widths.iter().zip(&sides).enumerate() {
                if place > 0 {
                    row.push(Ink::Dim, BETWEEN);
                }
                let cell = cells.get(place).cloned().unwrap_or_default();
                row.append(aligned(cell, *side, *wide));
            }
            row
        };
        let mut rows: Vec<Styled> = cells.iter().map(line).collect();
        let rules: Vec<String> = widths.iter().map(|wide| "─".repeat(*wide)).collect();
        rows.insert(1, Styled::of(Ink::Dim, rules.join("─┼─")));
        Some(Self { rows })
    }
}

/// As wide as the widest cell, and where that is too much, the widest columns give way.
fn widths(cells: &[Vec<Styled>], count: usize, columns: usize) -> Option<Vec<usize>> {
    let widest = |place: usize| {
        let cells = cells.iter().filter_map(|row| row.get(place));
        cells.map(Styled::width).max().unwrap_or(0).max(1)
    };
    let mut widths: Vec<usize> = (0..count).map(widest).collect();
    let room = columns.checked_sub((count - 1) * width::width(BETWEEN))?;
    if room < count * NARROWEST {
        return None;
    }
    // The highest width at which all columns fit, those that are narrower as they are.
    let at_most = |limit: usize| widths.iter().map(|wide| (*wide).min(limit)).sum::<usize>();
    let limit = (NARROWEST..=room)
        .rev()
        .find(|limit| at_most(*limit) <= room)?;
    for wide in &mut widths {
        *wide = (*wide).min(limit);
    }
    Some(widths)
}

fn aligned(cell: Styled, side: Align, wide: usize) -> Styled {
    let cell = cell.fitted(wide);
    let gap = wide.saturating_sub(cell.width());
    let before = match side {
        Align::Left => 0,
        Align::Middle => gap / 2,
        Align::Right => gap,
    };
    let mut row = Styled::of(Ink::Plain, " ".repeat(before));
    row.append(cell);
    row.push(Ink::Plain, " ".repeat(gap - before));
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, columns: usize) -> Option<(Vec<String>, usize)> {
        let (rows, lines) = at_start(text.lines(), columns)?;
        let rows = rows.iter().map(|row| row.text().trim_end().to_owned());
        Some((rows.collect(), lines))
    }

    #[test]
    fn columns_stand_below_each_other() {
        let text = "| Name | n | ok |\n|---|--:|:-:|\n| `a` | 12 | y |\n| 日本 | 3 |\nbehind";
        let expected = [
            "Name │  n │ ok",
            "─────┼────┼───",
            "`a`  │ 12 │ y",
            "日本 │  3 │",
        ];
        let (rows, lines) = shown(text, 40).unwrap();
        assert_eq!((rows, lines), (expected.map(str::to_owned).to_vec(), 4));
    }

    #[test]
    fn the_widest_columns_give_way() {
        let text = "a | b\n--|--\n1234567890 | 123\n\\| x | **y**";
        let expected = [
            "a        │ b",
            "─────────┼──────",
            "1234567… │ 123",
            "| x      │ **y**",
        ];
        let (rows, _) = shown(text, 16).unwrap();
        assert_eq!(rows, expected);
        assert_eq!(shown(text, 8), None);
    }

    #[test]
    fn what_is_no_table_is_none() {
        for text in [
            "",
            "a | b",
            "a | b\nc | d",
            "a | b\n---",
            "a\n---\nb",
            "| a |\n|--|--|",
        ] {
            assert_eq!(shown(text, 40), None, "{text:?}");
        }
    }
}
