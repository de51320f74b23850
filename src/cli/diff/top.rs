//! What stands above the hunks: the sides, where they part, and how much differs.

use std::io::{self, Write};

use crate::cli::output::{Output, Style};
use crate::cli::time;
use crate::look::diff::{Counts, Divergence, Item, Kind, Standing, words};
use crate::look::visible;
use crate::look::width;

use super::Comparison;
use super::page::{Span, sign, write_line};

/// Nothing else is written about sides that are the same.
pub fn write_same(out: &mut Output, comparison: &Comparison) -> io::Result<()> {
    let count = comparison.left.items.len() as u64;
    writeln!(out, "same: {}", time::counted(count, "message", "messages"))
}

/// Names the sides.
pub fn write_names(out: &mut Output, comparison: &Comparison) -> io::Result<()> {
    let sides = [
        ("---", Style::Red, &comparison.left),
        ("+++", Style::Green, &comparison.right),
    ];
    for (mark, style, side) in sides {
        let count = time::counted(side.items.len() as u64, "message", "messages");
        let text = format!("{mark} {} ({count})", visible::path(&side.name));
        write_line(out, ("", None), "", vec![Span::new(Some(style), &text)])?;
    }
    Ok(())
}

/// Says which message of each side is the first to differ, in which field, and how.
pub fn write_divergence(
    out: &mut Output,
    comparison: &Comparison,
    divergence: &Divergence,
) -> io::Result<()> {
    let left = place(&comparison.left.items, divergence.left);
    let right = place(&comparison.right.items, divergence.right);
    let difference = divergence.differences.first();
    let (what, values) = match (left, right, difference) {
        (Some((left, place_left)), Some((right, place_right)), Some(difference)) => (
            format!(
                "left {place_left}, right {place_right}: {}",
                words::field(difference)
            ),
            words::values(difference, left, right),
        ),
        (Some((item, place)), _, _) => (one_sided("left", &place, item), (None, None)),
        (_, Some((item, place)), _) => (one_sided("right", &place, item), (None, None)),
        (None, None, _) => return Ok(()),
    };
    let title = [
        Span::new(Some(Style::Bold), "first divergence: "),
        Span::new(None, &what),
    ];
    write_line(out, ("", None), "", title.to_vec())?;
    for (value, standing) in [(values.0, Standing::Left), (values.1, Standing::Right)] {
        if let Some(value) = value {
            let spans = Span::of_pieces(standing, &[(false, value)], out.columns());
            write_line(out, sign(standing), " ", spans)?;
        }
    }
    Ok(())
}

/// The counts, by kind.
pub fn write_counts(out: &mut Output, comparison: &Comparison) -> io::Result<()> {
    let mut kinds: Vec<(&Kind, Counts)> = Vec::new();
    for row in comparison.diff.rows() {
        let item = comparison.left_of(row).or(comparison.right_of(row));
        let Some(kind) = item.map(|item| &item.kind) else {
            continue;
        };
        let place = kinds.iter().position(|(known, _)| *known == kind);
        let place = place.unwrap_or_else(|| {
            kinds.push((kind, Counts::default()));
            kinds.len() - 1
        });
        if let Some((_, counts)) = kinds.get_mut(place) {
            counts.add(row);
        }
    }
    kinds.sort_by_key(|(kind, _)| *kind);

    let ink = out.ink();
    let titles = ["", "same", "changed", "only left", "only right"].map(str::to_owned);
    writeln!(out, "{}", ink.bold(&table_row(&titles)))?;
    for (kind, counts) in &kinds {
        let row = row_of(&visible::one_line(words::kind(kind)), *counts);
        writeln!(out, "{row}")?;
    }
    let all = row_of("all", comparison.diff.counts());
    writeln!(out, "{}", ink.bold(&all))
}

fn place(items: &[Item], index: Option<usize>) -> Option<(&Item, String)> {
    let index = index?;
    let item = items.get(index)?;
    Some((item, words::place(item, index)))
}

fn one_sided(side: &str, place: &str, item: &Item) -> String {
    format!("only {side} has {place}: {}", words::label(item))
}

fn row_of(name: &str, counts: Counts) -> String {
    let Counts {
        equal,
        changed,
        only_left,
        only_right,
    } = counts;
    let count = |number: usize| time::count(number as u64);
    table_row(&[
        name.to_owned(),
        count(equal),
        count(changed),
        count(only_left),
        count(only_right),
    ])
}

/// The first column is a name, the others are numbers.
fn table_row([name, numbers @ ..]: &[String; 5]) -> String {
    let mut row = width::pad(name, 10);
    for number in numbers {
        row.push_str(&width::pad_left(number, 12));
    }
    row
}
