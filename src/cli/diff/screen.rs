//! `sess diff --view`.

use std::fs;

use super::{Args, Named, read};
use crate::cli::error::{Error, Result};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::source::Source;
use crate::cli::view::is_possible;
use crate::look::diff::Reading;
use crate::look::human;
use crate::view::{self, Compare, Compared, Options};

/// Both files together may have this many bytes: their texts are held, and are compared before the
/// first screen.
const LARGEST: u64 = 512 * 1024 * 1024;

/// From here on it is said that it takes a while.
const LARGE: u64 = 32 * 1024 * 1024;

/// Shows both on the screen until the person leaves.
pub fn show(args: &Args, reading: Reading, out: &mut Output) -> Result<Exit> {
    if out.json() {
        return Err(
            Error::unknown("the viewer shows a screen, it writes no JSON")
                .hint("`sess diff --json` without `--view` does"),
        );
    }
    if !is_possible() {
        return Err(Error::unknown("the viewer needs a terminal")
            .hint("`sess diff` without `--view` writes to anywhere"));
    }
    let size =
        [&args.left, &args.right].map(|name| fs::metadata(name).map_or(0, |file| file.len()));
    let size = size[0].saturating_add(size[1]);
    if size > LARGEST {
        let sizes = (human::size(size), human::size(LARGEST));
        let what = format!(
            "too large to be compared on a screen: {}, of {} at most",
            sizes.0, sizes.1
        );
        return Err(Error::unknown(what).hint("`sess diff` without `--view` takes any size"));
    }
    if size > LARGE {
        out.note(&format!("reading {}", human::size(size)))?;
    }
    // What comes through a pipe is a copy, which goes away with its source.
    let (left, _left_source) = compared(read(&args.left, reading)?);
    let (right, _right_source) = compared(read(&args.right, reading)?);
    let compare = Compare::of(left, right);
    let is_same = compare.is_same();
    let options = Options {
        colour: out.ink().is_coloured(),
        follow: false,
    };
    view::compare(compare, options)?;
    Ok(match is_same {
        true => Exit::Yes,
        false => Exit::No,
    })
}

fn compared(side: Named) -> (Compared, Source) {
    let compared = Compared {
        path: side.source.path().to_owned(),
        name: side.name,
        items: side.items,
        skipped: side.warnings.len(),
    };
    (compared, side.source)
}
